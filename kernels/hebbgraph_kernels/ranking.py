"""What a shared-neighbour pair is worth."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import njit, parallel_njit

RESOURCE_ALLOCATION = 0
CONFIDENCE = 1
SURPRISE = 2
OVERLAP_ALLOCATION = 3

DOUBT = 4
"""Neighbours that nobody shares, added to a pair before its overlap is believed."""

SURPRISE_STEPS = 2.0**24


def allocation_shares(indptr: np.ndarray) -> tuple[np.ndarray, float]:
    """1/|N(c)| of every node in fixed point, and the value of one unit.

    Integers add up to the same whatever the order, so sums of them do not depend on the order
    of nodes or threads.  The unit is the finest at which no sum can overflow int64: a sum has at
    most the largest degree's number of terms, each at most 1.
    """
    degree = np.diff(indptr).astype(np.int64)
    largest = max(int(degree.max(initial=1)), 1)
    bits = min(52, 62 - largest.bit_length())
    divisor = np.maximum(degree, 1)
    shares = (np.left_shift(np.int64(1), bits) + divisor // 2) // divisor
    return shares, 2.0**-bits


@njit
def allocation(amount, unit):  # type: ignore[no-untyped-def]
    """A sum of shares as a number; sums of equal fractions come out equal.

    Each share is off by up to half a unit: 1,024 units are rounded away.
    """
    return ((amount + 512) >> 10) * (1024 * unit)


@njit
def overlap_allocation(summed, shared, smaller, unit):  # type: ignore[no-untyped-def]
    """An :func:`allocation` times s / (s + A + 4): as far as the smaller end, of degree A, shares.

    The factor is half a Tversky index (1977; α = ½ at the smaller end, β = 0 at the larger),
    shrunk by four neighbours.  Equal values come out equal, as in :func:`allocation`.
    """
    step = 1024 * unit
    return np.rint(summed / step * shared / (shared + smaller + DOUBT)) * step


def allocations(amount: np.ndarray, unit: float) -> np.ndarray:
    """:func:`allocation` of many sums: (p,) float64."""
    out: np.ndarray = ((amount + 512) >> 10) * (1024 * unit)
    return out


def log_factorials(count: int) -> np.ndarray:
    """ln(0!) … ln(count!) as (count + 1,) float64."""
    out = np.zeros(count + 1)
    np.cumsum(np.log(np.arange(1, count + 1, dtype=np.float64)), out=out[1:])
    return out


@njit
def hypergeometric_surprise(shared, smaller, larger, population, log_factorial):  # type: ignore[no-untyped-def]
    """−log₁₀ P(X ≥ shared), X hypergeometric: ``larger`` draws, ``smaller`` marked.

    Starts from the logarithm of the first term and adds the rest relative to
    it, so neither huge nor tiny probabilities under- or overflow.  Rounded to 2⁻²⁴.
    """
    rest = population - smaller - larger
    if shared <= max(0, -rest):
        return 0.0
    lf = log_factorial
    first = (
        lf[smaller] - lf[shared] - lf[smaller - shared]
        + lf[population - smaller] - lf[larger - shared] - lf[rest + shared]
        - lf[population] + lf[larger] + lf[population - larger]
    )  # fmt: skip
    term = 1.0
    total = 1.0
    for x in range(shared, smaller):
        term *= (smaller - x) * np.float64(larger - x) / ((x + 1.0) * (rest + x + 1.0))
        total += term
        if term < 1e-17 * total:
            break
    exact = max(0.0, -(first + np.log(total)) / np.log(10.0))
    # What is left of rounding must not decide between equal chances.
    return np.round(exact * SURPRISE_STEPS) / SURPRISE_STEPS


@parallel_njit
def surprise(
    shared: np.ndarray,
    degree_left: np.ndarray,
    degree_right: np.ndarray,
    population: int,
    log_factorial: np.ndarray,
) -> np.ndarray:
    """:func:`hypergeometric_surprise` of many pairs: (p,) float64."""
    out = np.empty(shared.size, np.float64)
    for pair in prange(shared.size):
        smaller = min(degree_left[pair], degree_right[pair])
        larger = max(degree_left[pair], degree_right[pair])
        out[pair] = hypergeometric_surprise(
            shared[pair], smaller, larger, population, log_factorial
        )
    return out


@parallel_njit
def overlap_allocations(
    allocation: np.ndarray, shared: np.ndarray, smaller: np.ndarray, unit: float
) -> np.ndarray:
    """:func:`overlap_allocation` of many pairs: (p,) float64.

    Parameters
    ----------
    allocation : (p,) float64, Σ 1/|N(c)|
    shared, smaller : (p,) int, shared neighbours and the smaller degree
    unit : see :func:`allocation_shares`
    """
    out = np.empty(shared.size, np.float64)
    for pair in prange(shared.size):
        out[pair] = overlap_allocation(allocation[pair], shared[pair], smaller[pair], unit)
    return out
