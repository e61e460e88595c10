"""How alike two neighbourhoods are: value of a measure, and the bounds it puts on a pair.

With s shared neighbours, sizes A ≤ B and shrinkage k, a pair's value is

=================  =======================================
``OVERLAP``        s / (A + k)
``JACCARD``        s / (A + B − s + k)
``DICE``           s / ((A + B)/2 + k)
``COSINE``         s / (√(A·B) + k)
``ALLOCATION``     S / (A + k), in shares
=================  =======================================

Sizes are degrees.  For ``ALLOCATION``, the overlap coefficient weighted by 1/|N(c)|, S and the
sizes are sums of shares in fixed point (:func:`hebbgraph_kernels.ranking.allocation_shares`).
"""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import njit, parallel_njit

OVERLAP = 0
JACCARD = 1
DICE = 2
COSINE = 3
ALLOCATION = 4

DECIMALS = 1e9
"""``ALLOCATION`` is rounded to nine decimals."""

_SLACK = 1e-12


@njit
def value(measure, shared, amount, size_a, size_b, shrinkage, unit):  # type: ignore[no-untyped-def]
    """Value of a pair, in [0, 1]; sizes in any order."""
    smaller = min(size_a, size_b)
    if shared == 0:
        return 0.0
    if measure == OVERLAP:
        return shared / (smaller + shrinkage)
    if measure == JACCARD:
        return shared / (size_a + size_b - shared + shrinkage)
    if measure == DICE:
        return 2 * shared / (size_a + size_b + 2 * shrinkage)
    if measure == COSINE:
        return shared / (np.sqrt(np.float64(size_a) * size_b) + shrinkage)
    # Shares are rounded to units: what is left of that must not decide between equal values.
    quotient = amount / (smaller + shrinkage / unit)
    return np.rint(quotient * DECIMALS) / DECIMALS


@njit
def least_sum(measure, size, threshold, shrinkage, unit):  # type: ignore[no-untyped-def]
    """What a pair must share at least, where the smaller end has ``size``: float64.

    In units of size, and rounded down: a pair that shares less has a value below the threshold.
    """
    if measure == JACCARD:
        return threshold * (2.0 * size + shrinkage) / (1.0 + threshold) * (1.0 - _SLACK)
    if measure == ALLOCATION:
        return (threshold - 1.0 / DECIMALS) * (size + shrinkage / unit) * (1.0 - _SLACK)
    return threshold * (size + shrinkage) * (1.0 - _SLACK)


@njit
def largest_size(measure, size, threshold, shrinkage):  # type: ignore[no-untyped-def]
    """Size beyond which no partner at least as large as ``size`` qualifies: float64, rounded up."""
    if threshold <= 0 or measure == OVERLAP or measure == ALLOCATION:
        return np.inf
    reach = max(size / threshold - shrinkage, 0.0) * (1.0 + _SLACK)
    if measure == JACCARD:
        return reach
    if measure == DICE:
        return 2.0 * reach - size
    return reach * reach / size


@njit
def first_too_large(measure, row, size, threshold, shrinkage):  # type: ignore[no-untyped-def]
    """First row, of rows in ascending order of size, that is too large a partner for ``row``."""
    largest = largest_size(measure, size[row], threshold, shrinkage)
    if largest >= size[-1]:
        return size.size
    return np.searchsorted(size, np.int64(largest), side="right")


@parallel_njit
def values(
    measure: int,
    shared: np.ndarray,
    amount: np.ndarray,
    size_a: np.ndarray,
    size_b: np.ndarray,
    shrinkage: float,
    unit: float,
) -> np.ndarray:
    """:func:`value` of many pairs: (p,) float64; 0 where nothing is shared."""
    out = np.empty(shared.size, np.float64)
    for pair in prange(shared.size):
        out[pair] = value(
            measure, shared[pair], amount[pair], size_a[pair], size_b[pair], shrinkage, unit
        )
    return out
