"""Edge support after edges were added, from what it was before."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import fetch_add, parallel_njit
from hebbgraph_kernels.search import first_above, skip_to


@parallel_njit
def joined_before(
    indptr: np.ndarray,
    indices: np.ndarray,
    support: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    out: np.ndarray,
) -> None:
    """Whether pairs were joined, either way, by an edge whose support is known.

    Parameters
    ----------
    indptr, indices : CSR of the edges, rows sorted, parallel edges allowed
    support : (m,) int32, −1 at an edge that is new
    left, right : (p,) int
    out : (p,) bool
    """
    for pair in prange(left.size):
        known = False
        for turn in range(2):
            row = left[pair] if turn == 0 else right[pair]
            column = right[pair] if turn == 0 else left[pair]
            edge = first_above(indices, indptr[row], indptr[row + 1], column - 1)
            while edge < indptr[row + 1] and indices[edge] == column:
                known = known or support[edge] >= 0
                edge += 1
        out[pair] = known


@parallel_njit
def count_new_triangles(
    sym_indptr: np.ndarray,
    sym_indices: np.ndarray,
    number: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    out: np.ndarray,
) -> None:
    """Triangles that new pairs closed, counted at their sides that are not new.

    A triangle of several new sides is counted from the first of them.

    Parameters
    ----------
    sym_indptr, sym_indices : adjacency with the new pairs in it
    number : (entries,) int32, which new pair an entry is, −1 if none
    left, right : (p,) int, left < right
    out : (entries,) int32, added to at the entry from the smaller node to the larger
    """
    for pair in prange(left.size):
        a, b = left[pair], right[pair]
        at, end = sym_indptr[b], sym_indptr[b + 1]
        for entry in range(sym_indptr[a], sym_indptr[a + 1]):
            node = sym_indices[entry]
            at = skip_to(sym_indices, at, end, node)
            if at == end:
                break
            if sym_indices[at] != node:
                continue
            if 0 <= number[entry] < pair or 0 <= number[at] < pair:
                continue
            for turn in range(2):
                side = entry if turn == 0 else at
                corner = a if turn == 0 else b
                if number[side] >= 0:
                    continue
                if node < corner:
                    side = first_above(
                        sym_indices, sym_indptr[node], sym_indptr[node + 1], corner - 1
                    )
                fetch_add(out, side, np.int32(1))


@parallel_njit
def add_to_edges(
    indptr: np.ndarray,
    indices: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    change: np.ndarray,
    support: np.ndarray,
) -> None:
    """Add each pair's change to every edge between its nodes, either way; new edges are left.

    Parameters
    ----------
    left, right : (p,) int, distinct pairs
    change : (p,) int32
    support : (m,) int32, −1 at an edge that is new, updated
    """
    for pair in prange(left.size):
        for turn in range(2):
            row = left[pair] if turn == 0 else right[pair]
            column = right[pair] if turn == 0 else left[pair]
            edge = first_above(indices, indptr[row], indptr[row + 1], column - 1)
            while edge < indptr[row + 1] and indices[edge] == column:
                if support[edge] >= 0:
                    support[edge] += change[pair]
                edge += 1
