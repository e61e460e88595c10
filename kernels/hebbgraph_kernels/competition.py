"""Competition between a node's edges to similar targets."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import njit, parallel_njit


@njit
def _has_stronger_rival(row, rivals, targets, weights, own):  # type: ignore[no-untyped-def]
    """Whether an edge to one of ``rivals`` (sorted, may hold ``row``) outweighs ``own``."""
    i = 0
    j = 0
    while i < rivals.size and j < targets.size:
        if rivals[i] < targets[j]:
            if rivals.size > 16 * targets.size:
                i += np.searchsorted(rivals[i:], targets[j])
            else:
                i += 1
        elif rivals[i] > targets[j]:
            if targets.size > 16 * rivals.size:
                j += np.searchsorted(targets[j:], rivals[i])
            else:
                j += 1
        else:
            if rivals[i] != row and weights[j] > own:
                return True
            j += 1
    return False


@parallel_njit
def mark_losers(
    indptr: np.ndarray,
    indices: np.ndarray,
    weight: np.ndarray,
    in_indptr: np.ndarray,
    in_rows: np.ndarray,
    in_entry: np.ndarray,
    active: np.ndarray,
    first_row: int,
    sim_indptr: np.ndarray,
    sim_indices: np.ndarray,
    lost: np.ndarray,
) -> None:
    """Mark each edge u→v that has a stronger edge u→v′ with v′ similar to v.

    Works on a block of rows v of the similarity matrix, so S need never be whole.

    Parameters
    ----------
    indptr, indices, weight : CSR of the edges, rows sorted
    in_indptr, in_rows, in_entry : its transpose (:func:`~hebbgraph_kernels.csr.transpose`)
    active : (n,) bool; only edges of active u compete
    first_row : node of the block's first row
    sim_indptr, sim_indices : the block of S, rows sorted
    lost : (m,) bool, set to True where an edge lost; untouched elsewhere
    """
    for offset in prange(sim_indptr.size - 1):
        target = first_row + offset
        rivals = sim_indices[sim_indptr[offset] : sim_indptr[offset + 1]]
        if rivals.size == 0:
            continue
        for slot in range(in_indptr[target], in_indptr[target + 1]):
            source = in_rows[slot]
            if not active[source]:
                continue
            begin = indptr[source]
            end = indptr[source + 1]
            edge = in_entry[slot]
            if _has_stronger_rival(
                target, rivals, indices[begin:end], weight[begin:end], weight[edge]
            ):
                lost[edge] = True
