"""Competition between a node's edges to similar targets."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import njit, parallel_njit
from hebbgraph_kernels.search import skip_to


@njit
def _group(rows, entries, weight, at, end):  # type: ignore[no-untyped-def]
    """End of the stretch of one row, and its largest weight: parallel edges stand together."""
    row = rows[at]
    best = weight[entries[at]]
    stop = at + 1
    while stop < end and rows[stop] == row:
        best = max(best, weight[entries[stop]])
        stop += 1
    return stop, best


@parallel_njit
def mark_losers(
    in_indptr: np.ndarray,
    in_rows: np.ndarray,
    in_entry: np.ndarray,
    weight: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    lost: np.ndarray,
) -> None:
    """Mark each edge u→v that has a heavier edge u→v′, for given pairs of similar v, v′.

    Parameters
    ----------
    in_indptr, in_rows, in_entry : transpose of the edges (:func:`~hebbgraph_kernels.csr.transpose`)
    weight : (m,) float32
    left, right : (p,) int, v and v′ of each pair
    lost : (m,) bool, set to True where an edge lost; untouched elsewhere
    """
    for pair in prange(left.size):
        i, i_end = in_indptr[left[pair]], in_indptr[left[pair] + 1]
        j, j_end = in_indptr[right[pair]], in_indptr[right[pair] + 1]
        while i < i_end and j < j_end:
            if in_rows[i] < in_rows[j]:
                i = skip_to(in_rows, i, i_end, in_rows[j])
            elif in_rows[i] > in_rows[j]:
                j = skip_to(in_rows, j, j_end, in_rows[i])
            else:
                i_stop, i_best = _group(in_rows, in_entry, weight, i, i_end)
                j_stop, j_best = _group(in_rows, in_entry, weight, j, j_end)
                for k in range(i, i_stop):
                    if weight[in_entry[k]] < j_best:
                        lost[in_entry[k]] = True
                for k in range(j, j_stop):
                    if weight[in_entry[k]] < i_best:
                        lost[in_entry[k]] = True
                i = i_stop
                j = j_stop
