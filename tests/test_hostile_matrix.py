"""SciPy matrices that would crash a reader are refused: tried in a process of their own."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

from hebbgraph import Graph
from hebbgraph.errors import InputError

CRASH = """
import numpy as np
from scipy.sparse import csr_array
from hebbgraph import Graph
from hebbgraph.errors import InputError
matrix = csr_array((3, 3))
matrix.indptr, matrix.indices, matrix.data = np.array({indptr}), np.array({indices}), np.ones({m})
try:
    Graph.from_scipy(matrix)
except InputError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        ([0, 1, 1, 1], [7]), ([0, 1, 1, 1], [-1]), ([0, 1, 1, 1], [2**32 + 1]),
        ([0, 2, 1, 3], [1, 2, 0]), ([0, 1000, 1, 3], [1, 2, 0]), ([0, 10**8, 1, 3], [1, 2, 0]),
        ([0, -1, 1, 1], [1]), ([1, 2, 2, 2], [1, 2]), ([0, 1, 1, 2], [1]), ([0, 1, 1, 10**8], [1]),
        ([0, 1], [1]), ([0, 1, 1, 1, 1, 1], [1]), ([], []), ([0, 1.5, 2, 2], [1, 2]),
        ([0, 1, 1, 1], [1.5]),
    ],
)  # fmt: skip
def test_a_matrix_with_bad_pointers_is_refused(indptr: Any, indices: Any) -> None:
    code = CRASH.format(indptr=indptr, indices=indices, m=len(indices))
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-300:]
    assert len(result.stdout.splitlines()) == 1, result.stdout


@pytest.mark.parametrize("shape", [(3,), (2, 2, 2)])
def test_a_matrix_of_another_number_of_dimensions(shape: Any) -> None:
    with pytest.raises(InputError, match=r"expected a square matrix, got \("):
        Graph.from_scipy(coo_array(shape))


def test_duplicate_entries_of_a_matrix_add_up() -> None:
    matrix = csr_array((np.array([1.0, 2.0]), [1, 1], [0, 2, 2]), shape=(2, 2))
    assert Graph.from_scipy(matrix).weight.tolist() == [3.0]
    assert Graph.from_scipy(matrix.tocoo()).weight.tolist() == [3.0]
    assert matrix.nnz == 2
