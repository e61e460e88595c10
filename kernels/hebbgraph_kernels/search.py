"""Searching sorted stretches of an array."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import njit, parallel_njit


@njit
def first_above(values, low, high, value):  # type: ignore[no-untyped-def]
    """First place in [low, high) whose value exceeds ``value``, by halving; ``high`` if none."""
    while low < high:
        centre = (low + high) >> 1
        if values[centre] <= value:
            low = centre + 1
        else:
            high = centre
    return low


@njit
def skip_to(values, low, end, wanted):  # type: ignore[no-untyped-def]
    """First place in [low, end) whose value is at least the integer ``wanted``; ``end`` if none.

    Gallops: the next one looked for is most often not far.
    """
    step = 1
    high = low
    while high < end and values[high] < wanted:
        low = high + 1
        high += step
        step *= 2
    return first_above(values, low, min(high, end), wanted - 1)


@parallel_njit
def places(
    indptr: np.ndarray, indices: np.ndarray, row: np.ndarray, column: np.ndarray, out: np.ndarray
) -> None:
    """Where each (row, column) stands in a CSR with sorted rows, or would stand.

    Parameters
    ----------
    row, column : (k,) int
    out : (k,) int64, place of the first entry of the row that is at least the column
    """
    for k in prange(row.size):
        out[k] = first_above(indices, indptr[row[k]], indptr[row[k] + 1], column[k] - 1)
