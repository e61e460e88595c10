"""All pairs whose overlap coefficient is high enough, without hebbgraph's join.

Each function takes a symmetric CSR and returns a task that is asked with the fewest neighbours to
share and a threshold, and answers how many pairs qualify and how many neighbours they share in all.

The libraries multiply A·Aᵀ a block of rows at a time, since the whole product would not fit in
memory; NumPy keeps what qualifies.  A user would multiply whole rows and drop the lower half; the
upper half alone, columns from the block on, saves nearly half of the wedges.  Both are measured.
Rows per block: nothing else from 500 to 4,000 was clearly faster.

The accumulator is what one would write in a compiled language: a row of A·Aᵀ at a time.  By degree
it relabels the nodes first: the other end of a pair is then never the smaller, so one number a row
tells what qualifies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hebbgraph_kernels._jit import block_cursor, fetch_add, parallel_njit
from hebbgraph_kernels.csr import degree_order, relabel
from hebbgraph_kernels.search import first_above
from numba import prange

from bench.machine import THREADS
from bench.rmat import Ints

Answer = tuple[int, int]
"""Number of pairs, and the sum of what they share."""
Task = Callable[[int, float], Answer]
Multiply = Callable[[slice, int, int], tuple[Ints, Ints, Ints]]
"""Rows, columns and values ≥ the last argument, of A[rows] · Aᵀ[:, first column:]."""

PAIRS_PER_BLOCK = 1 << 22
"""Room for pairs in a block of ours and of the accumulator."""

LEFT_OUT = {
    "networkit": "its link prediction scores given pairs, or every unconnected one of all n²/2, "
    "as a Python list",
    "igraph": "similarity_jaccard and cocitation return n × n numbers, or score given pairs",
    "scikit-network": "offers no similarity of neighbourhoods for all pairs",
}


def scipy(indptr: Ints, indices: Ints, *, half: bool) -> Task:
    """A sparse array times itself; single-threaded."""
    adjacency = _scipy_matrix(indptr, indices)

    def multiply(rows: slice, first: int, least: int) -> tuple[Ints, Ints, Ints]:
        return _entries(adjacency[rows] @ (adjacency[:, first:] if first else adjacency), least)

    return _by_blocks(indptr, 1000, half, multiply)


def sparse_dot_topn(indptr: Ints, indices: Ints, *, half: bool) -> Task:
    """``sp_matmul`` on two threads."""
    from sparse_dot_topn import sp_matmul

    adjacency = _scipy_matrix(indptr, indices)

    def multiply(rows: slice, first: int, least: int) -> tuple[Ints, Ints, Ints]:
        right = adjacency[:, first:] if first else adjacency
        return _entries(sp_matmul(adjacency[rows], right, n_threads=THREADS), least)

    return _by_blocks(indptr, 1000, half, multiply)


def graphblas(indptr: Ints, indices: Ints, *, half: bool) -> Task:
    """The semiring plus_pair on two threads; what shares too little is dropped in GraphBLAS."""
    import graphblas
    from graphblas import Matrix, semiring

    graphblas.ss.config["nthreads"] = THREADS
    n = indptr.size - 1
    adjacency = Matrix.from_csr(indptr, indices.astype(np.int64), np.int32(1), ncols=n)
    adjacency.wait()

    def multiply(rows: slice, first: int, least: int) -> tuple[Ints, Ints, Ints]:
        right = adjacency[:, first:].new() if first else adjacency
        product = semiring.plus_pair(adjacency[rows, :].new() @ right).new()
        upper = product.select("triu", rows.start - first + 1).new()
        found: tuple[Ints, Ints, Ints] = upper.select(">=", least).new().to_coo(sort=False)
        return found[0].astype(np.int64), found[1].astype(np.int64), found[2]

    return _by_blocks(indptr, 2000, half, multiply)


def _by_blocks(indptr: Ints, rows_per_block: int, half: bool, multiply: Multiply) -> Task:
    n = indptr.size - 1
    degree = np.diff(indptr)

    def task(min_shared: int, threshold: float) -> Answer:
        pairs = total = 0
        for start in range(0, n, rows_per_block):
            first = start if half else 0
            block = slice(start, min(start + rows_per_block, n))
            rows, columns, shared = multiply(block, first, min_shared)
            rows, columns = rows + start, columns + first
            above = columns > rows
            rows, columns, shared = rows[above], columns[above], shared[above]
            good = shared / np.minimum(degree[rows], degree[columns]) >= threshold
            pairs += int(good.sum())
            total += int(shared[good].sum(dtype=np.int64))
        return pairs, total

    return task


def _scipy_matrix(indptr: Ints, indices: Ints) -> Any:
    # sparse_dot_topn wants a matrix, not an array; both multiply alike.
    from scipy.sparse import csr_matrix

    n = indptr.size - 1
    return csr_matrix((np.ones(indices.size, np.int32), indices, indptr.astype(np.int32)), (n, n))


def _entries(product: Any, least: int) -> tuple[Ints, Ints, Ints]:
    """Rows, columns and values of a CSR matrix's entries ≥ ``least``."""
    place = np.flatnonzero(product.data >= least)
    rows = np.repeat(np.arange(product.shape[0]), np.diff(product.indptr))[place]
    return rows, product.indices[place], product.data[place]


@parallel_njit
def _accumulate(  # type: ignore[no-untyped-def]
    indptr, indices, degree, ascending, min_shared, threshold,
    cursor, used, threads, left, right, shared, value,
):  # fmt: skip
    """Append the pairs of further rows to the buffers, while every thread has room for a row."""
    n = degree.size
    for _thread in prange(threads):
        count = np.zeros(n, np.int32)
        touched = np.empty(n + 1, indices.dtype)
        while fetch_add(used, 0, 0) <= left.size - threads * n:
            row = fetch_add(cursor, 0, 1)
            if row >= n:
                break
            if degree[row] < min_shared:
                continue
            found = 0
            for entry in range(indptr[row], indptr[row + 1]):
                middle = indices[entry]
                stop = indptr[middle + 1]
                for k in range(first_above(indices, indptr[middle], stop, row), stop):
                    node = indices[k]
                    touched[found] = node
                    found += count[node] == 0
                    count[node] += 1
            least = min_shared
            while ascending and least / degree[row] < threshold:
                least += 1
            kept = 0
            for k in range(found):
                node = touched[k]
                if (
                    count[node] >= least
                    and count[node] / min(degree[row], degree[node]) >= threshold
                ):
                    touched[kept] = node
                    kept += 1
                else:
                    count[node] = 0
            at = fetch_add(used, 0, kept)
            for k in range(at, at + kept):
                node = touched[k - at]
                left[k] = row
                right[k] = node
                shared[k] = count[node]
                value[k] = count[node] / min(degree[row], degree[node])
                count[node] = 0


def accumulator(indptr: Ints, indices: Ints, *, by_degree: bool) -> Task:
    """Row by row in numba on two threads: a counter a node, and a list of the counters touched."""
    n = indptr.size - 1

    def task(min_shared: int, threshold: float) -> Answer:
        graph = indptr, indices
        order = None
        if by_degree:
            order, rank = degree_order(indptr, indices)
            graph = relabel(indptr, indices, order, rank)
        degree = np.diff(graph[0]).astype(np.int32)
        size = max(PAIRS_PER_BLOCK, 2 * THREADS * n)
        left, right = np.empty(size, indices.dtype), np.empty(size, indices.dtype)
        shared, value = np.empty(size, np.int32), np.empty(size, np.float64)
        cursor = block_cursor()
        pairs = total = 0
        while cursor[0] < n:
            used = block_cursor()
            _accumulate(
                *graph, degree, by_degree, min_shared, threshold,
                cursor, used, THREADS, left, right, shared, value,
            )  # fmt: skip
            found = slice(int(used[0]))
            if order is not None:  # the pairs as ours has them, by the names that came in
                left[found], right[found] = order[left[found]], order[right[found]]
            pairs += found.stop
            total += int(shared[found].sum(dtype=np.int64))
        return pairs, total

    return task


ACCUMULATOR, BY_DEGREE = "accumulator", "accumulator, by degree"
SCIPY, SCIPY_HALF = "SciPy", "SciPy, upper half"

PEERS: dict[str, Callable[[Ints, Ints], Task]] = {
    SCIPY: lambda *graph: scipy(*graph, half=False),
    SCIPY_HALF: lambda *graph: scipy(*graph, half=True),
    "GraphBLAS": lambda *graph: graphblas(*graph, half=False),
    "GraphBLAS, upper half": lambda *graph: graphblas(*graph, half=True),
    "sparse_dot_topn": lambda *graph: sparse_dot_topn(*graph, half=False),
    "sparse_dot_topn, upper half": lambda *graph: sparse_dot_topn(*graph, half=True),
    ACCUMULATOR: lambda *graph: accumulator(*graph, by_degree=False),
    BY_DEGREE: lambda *graph: accumulator(*graph, by_degree=True),
}
