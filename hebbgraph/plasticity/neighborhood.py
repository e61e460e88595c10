"""N(v) of every node as an adjacency, and the transpose it is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import csr

from hebbgraph.graph import Graph

Ints = npt.NDArray[Any]


@dataclass(frozen=True)
class Edges:
    """CSR of some edges with its transpose.

    Attributes
    ----------
    indptr, indices : CSR, rows sorted
    in_indptr, in_rows, in_entry : transpose; ``in_entry`` points into ``indices``
    """

    indptr: npt.NDArray[np.int64]
    indices: Ints
    in_indptr: npt.NDArray[np.int64]
    in_rows: Ints
    in_entry: npt.NDArray[np.int64]

    @classmethod
    def of(cls, indptr: npt.NDArray[np.int64], indices: Ints) -> Edges:
        """Transpose a CSR."""
        return cls(indptr, indices, *csr.transpose(indptr, indices, indptr.size - 1))


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


def neighborhood(edges: Edges) -> Neighborhood:
    """The neighbourhoods that a set of directed edges makes."""
    return Neighborhood(
        *csr.symmetrise(edges.indptr, edges.indices, edges.in_indptr, edges.in_rows)
    )


def observed_neighborhood(graph: Graph) -> Neighborhood:
    """N(v) by the graph's observed edges."""
    return neighborhood(Edges.of(*graph.observed))
