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

ALLOCATION_STEPS = 2_329_089_562_800
"""Steps of resource allocation in 1, 4·10⁻¹³ each: the least number that 1 … 30 all divide."""

OVERLAP_STEP = 2.0**-30
"""Step of overlap allocation: some two thousand of the others, so that what those round away
seldom shows, and binary, so that no simple fraction lies halfway between two."""


def allocation_shares(indptr: np.ndarray) -> tuple[np.ndarray, float]:
    """1/|N(c)| of every node in fixed point, and the value of one unit.

    Integers add up to the same whatever the order, so sums of them do not depend on the order
    of nodes or threads.  No sum can overflow int64: it has at most the largest degree's number
    of terms, each at most 1.  Up to a largest degree of a million, units divide a step of
    :func:`allocation`, so shares of degrees up to 30 are exact.  No share is 0.

    Parameters
    ----------
    indptr : (n + 1,) int64, of the adjacency

    Returns
    -------
    shares : (n,) int64, ≥ 1
    unit : value of 1
    """
    degree = np.diff(indptr).astype(np.int64)
    bits = 62 - max(int(degree.max(initial=1)), 1).bit_length()
    finer = bits - ALLOCATION_STEPS.bit_length()
    whole = ALLOCATION_STEPS << finer if finer >= 0 else 1 << bits
    divisor = np.maximum(degree, 1)
    return np.maximum((whole + divisor // 2) // divisor, 1), 1.0 / whole


@njit
def allocation(amount, unit):  # type: ignore[no-untyped-def]
    """A sum of shares as a number: a whole number of steps.

    One sum always gives one number.  Sums of different shares that are equal as fractions give
    one number where all degrees are at most 30; where not, each share is off by up to half a
    unit, and they differ by a step where rounding falls between them.
    """
    return np.rint(amount * unit * ALLOCATION_STEPS) / ALLOCATION_STEPS


@njit
def overlap_allocation(summed, shared, smaller, unit):  # type: ignore[no-untyped-def]
    """An :func:`allocation` times s / (s + A + 4): as far as the smaller end, of degree A, shares.

    The factor is half a Tversky index (1977; α = ½ at the smaller end, β = 0 at the larger),
    shrunk by four neighbours.  Rounded to 2⁻³⁰, or to 512 units if that is more (from four
    million neighbours on).  What holds of an :func:`allocation` holds here too.
    """
    step = max(OVERLAP_STEP, 512 * unit)
    return np.rint(summed * shared / (shared + smaller + DOUBT) / step) * step


def allocations(amount: np.ndarray, unit: float) -> np.ndarray:
    """:func:`allocation` of many sums: (p,) float64."""
    out: np.ndarray = np.rint(amount * unit * ALLOCATION_STEPS) / ALLOCATION_STEPS
    return out


@njit
def _add_up(out):  # type: ignore[no-untyped-def]
    """Running sums in place, what each addition rounds away carried along (Kahan 1965)."""
    total = 0.0
    carry = 0.0
    for k in range(out.size):
        term = out[k] - carry
        following = total + term
        carry = (following - total) - term
        total = following
        out[k] = total


def log_factorials(count: int) -> np.ndarray:
    """ln(0!) … ln(count!) as (count + 1,) float64, each to its last bit or two."""
    out = np.arange(count + 1, dtype=np.float64)
    np.log(out[1:], out=out[1:])
    _add_up(out)
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
