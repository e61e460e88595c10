"""The plain road: a whole row of A·Aᵀ, counted wedge by wedge, where pruning does not pay.

A pruned row walks the wedges of its prefix alone, but each of them costs more: candidates are
asked about, and those that are left looked up.  Counting every wedge needs neither.  Each row
takes the road that is cheaper by its numbers of wedges.  Both are exact, so no result tells which
was taken.
"""

from __future__ import annotations

import numpy as np

from hebbgraph_kernels._jit import njit
from hebbgraph_kernels.join import plan, stretch_beyond

PRICE = 4.0
"""What a wedge of a prefix costs in all, beside one that is only counted.

Measured on RMAT graphs of scale 10 to 16: 4 and 8 are alike, 2 is up to twice as slow at low
thresholds.
"""
FAR_PRICE = 1.2
"""The same where the counts do not stay in cache, so that only counting is no longer cheap.

Measured on RMAT scale 20 and on two million rows: 1 to 1.2 is best, 4 takes a third longer.
"""
CACHED_ROWS = 1 << 18
"""Rows whose counts, four bytes each, stay in a core's cache of a megabyte."""


def price(rows: int) -> float:
    """What a wedge of a prefix costs beside one that is only counted, for so many rows."""
    return PRICE if rows <= CACHED_ROWS else FAR_PRICE


@njit
def whole_rows(  # type: ignore[no-untyped-def]
    row_indptr, row_indices, list_indptr, size, share, measure, min_shared, threshold, shrinkage,
    unit, cost,
):  # fmt: skip
    """Which rows are counted whole: (r,) bool.

    Parameters
    ----------
    cost : see :func:`price`
    """
    n_rows = row_indptr.size - 1
    out = np.zeros(n_rows, np.bool_)
    # A list is walked from the row on, so what is left of it is known by the rows before.
    left = np.diff(list_indptr)
    for row in range(n_rows):
        begin = row_indptr[row]
        end = row_indptr[row + 1]
        prefix, least = plan(
            row, row_indptr, row_indices, size, share,
            measure, min_shared, threshold, shrinkage, unit,
        )  # fmt: skip
        walked = 0
        wedges = 0
        for entry in range(begin, end):
            middle = row_indices[entry]
            left[middle] -= 1
            wedges += left[middle]
            if entry < begin + prefix:
                walked = wedges
        out[row] = least <= end - begin and wedges < cost * walked
    return out


@njit
def count(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, list_indptr, list_indices, least, limit, seen, touched, counts
):  # fmt: skip
    """Partners beyond ``row`` and below ``limit`` that share at least ``least`` middles.

    Parameters
    ----------
    seen : (r,) uint8 or int32 of zeros, wide enough for the row's degree; zeros afterwards
    touched : (r + 1,) int; the partners lead it
    counts : (r,) int32; shared middles of each

    Returns
    -------
    found : number of partners
    """
    met = 0
    for entry in range(row_indptr[row], row_indptr[row + 1]):
        low, high = stretch_beyond(row, row_indices[entry], list_indptr, list_indices, limit)
        for far in range(low, high):
            node = list_indices[far]
            known = seen[node]
            touched[met] = node
            met += known == 0
            seen[node] = known + 1
    found = 0
    for k in range(met):
        node = touched[k]
        known = seen[node]
        seen[node] = 0
        touched[found] = node
        counts[found] = known
        found += known >= least
    return found


@njit
def count_and_sum(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, list_indptr, list_indices, share, limit, tally, touched
):  # fmt: skip
    """Partners beyond ``row`` and below ``limit``, what they share and the sum of its shares.

    Parameters
    ----------
    tally : (r, 2) int64 of zeros; number and sum of the partners afterwards
    touched : (r + 1,) int; the partners lead it

    Returns
    -------
    met : number of partners
    """
    met = 0
    for entry in range(row_indptr[row], row_indptr[row + 1]):
        middle = row_indices[entry]
        worth = share[middle]
        low, high = stretch_beyond(row, middle, list_indptr, list_indices, limit)
        for far in range(low, high):
            node = list_indices[far]
            known = tally[node, 0]
            touched[met] = node
            met += known == 0
            tally[node, 0] = known + 1
            tally[node, 1] += worth
    return met


@njit
def take(least, tally, touched, met, counts, amounts):  # type: ignore[no-untyped-def]
    """Clear the tally; keep the partners that share at least ``least``, with number and sum."""
    found = 0
    for k in range(met):
        node = touched[k]
        known = tally[node, 0]
        touched[found] = node
        counts[found] = known
        amounts[found] = tally[node, 1]
        found += known >= least
        tally[node, 0] = 0
        tally[node, 1] = 0
    return found
