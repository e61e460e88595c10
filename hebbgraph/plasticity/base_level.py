"""Base-level activation of ACT-R: a power law of how often and how recently.

An alternative to traces where the times of past events are kept.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.errors import InputError

SECOND = 1_000_000
"""Ages below a second count as one: a power law has no value at nought."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def base_level(indptr: Ints, times: Ints, now: int, *, decay: float = 0.5) -> Floats:
    """Activation B = ln Σ_k (now − t_k)^(−d) of every row: (n,) float64, −∞ without events.

    Parameters
    ----------
    indptr : (n + 1,) int64, the events of row r are ``times[indptr[r]:indptr[r + 1]]``
    times : int64, UTC microseconds; one after ``now`` counts as at ``now``
    decay : d, in (0, 1]; ages are in seconds, at least one

    Notes
    -----
    Anderson and Schooler, Reflections of the environment in memory, Psychological Science 2 (1991).

    Examples
    --------
    >>> base_level(np.array([0, 2, 2]), np.array([0, 75_000_000]), 100_000_000).round(3).tolist()
    [-1.204, -inf]
    """
    check.number("decay", decay, 0, 1, open_low=True)
    if indptr[-1] != times.size:
        raise InputError(f"indptr: expected to end at {times.size} times, got {indptr[-1]}")
    terms = _ages(times, now) ** -decay
    # Differences of cumulated sums would lose a small row behind large ones.
    sums = np.zeros(indptr.size - 1)
    filled = np.flatnonzero(np.diff(indptr))
    sums[filled] = np.add.reduceat(terms, indptr[filled]) if filled.size else 0
    return _logarithm(sums)


def approximate_base_level(
    recent: Ints, count: Ints, first: Ints, now: int, *, decay: float = 0.5
) -> Floats:
    """The same from the k latest times, the number of events and the first: (n,) float64.

    Parameters
    ----------
    recent : (n, k) int64, UTC microseconds, latest first; columns from ``count`` on are not read
    count : (n,) int64, number of events in all
    first : (n,) int64, UTC microseconds of the first
    decay : d, in (0, 1]

    Notes
    -----
    Petrov, Computationally efficient approximation of the base-level learning equation in ACT-R,
    ICCM (2006): the n − k older events are taken as spread evenly from the first to the k-th
    latest, (n − k)(t_n^(1−d) − t_k^(1−d)) / ((1 − d)(t_n − t_k)), t being ages.  Exact while n ≤ k.
    """
    check.number("decay", decay, 0, 1, open_low=True)
    k = recent.shape[1]
    kept = np.arange(k) < count[:, None]
    sums = np.where(kept, _ages(recent, now) ** -decay, 0.0).sum(axis=1)
    older = np.maximum(count - k, 0)
    young, old = _ages(recent[:, -1], now), _ages(first, now)
    span = np.where(old > young, old - young, 1.0)
    power = 1.0 - decay
    mean = (
        (old**power - young**power) / (power * span)
        if power
        else np.log(np.maximum(old, 1.0) / np.maximum(young, 1.0)) / span
    )
    sums += np.where(older > 0, older * np.where(old > young, mean, young**-decay), 0.0)
    return _logarithm(sums)


def _ages(times: Ints, now: int) -> Floats:
    ages: Floats = np.maximum(now - times, SECOND) / SECOND
    return ages


def _logarithm(sums: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        out: Floats = np.log(sums)
    return out
