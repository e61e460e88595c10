"""N(v) of every node as an adjacency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import csr

from hebbgraph.graph import Graph

Ints = npt.NDArray[Any]


@dataclass(frozen=True)
class Neighborhood:
    """Symmetric adjacency without duplicates or diagonal.

    Attributes
    ----------
    indptr : (n_nodes + 1,) int64
    indices : (entries,) like the graph's, ascending within a row
    """

    indptr: npt.NDArray[np.int64]
    indices: Ints

    @property
    def degree(self) -> npt.NDArray[np.int64]:
        """(n_nodes,) |N(v)|."""
        return np.diff(self.indptr)

    def of(self, key: int) -> Ints:
        """N(v), ascending."""
        return self.indices[self.indptr[key] : self.indptr[key + 1]]

    def rows(self, keys: Ints) -> Ints:
        """All neighbours of some nodes, one list after another."""
        length = self.degree[keys]
        end = np.cumsum(length)
        entry = np.arange(end[-1] if end.size else 0)
        near: Ints = self.indices[entry + np.repeat(self.indptr[keys] - end + length, length)]
        return near


def neighborhood(indptr: npt.NDArray[np.int64], indices: Ints) -> Neighborhood:
    """The neighbourhoods that a CSR of directed edges makes; rows must be sorted."""
    in_indptr, in_rows = csr.transpose(indptr, indices, indptr.size - 1)
    return Neighborhood(*csr.symmetrise(indptr, indices, in_indptr, in_rows))


def observed_neighborhood(graph: Graph) -> Neighborhood:
    """N(v) by the graph's observed edges."""
    return neighborhood(*graph.observed)
