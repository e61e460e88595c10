"""How many of many findings are chance."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def significant(
    surprise: npt.NDArray[np.float64], tests: int, rate: float
) -> npt.NDArray[np.bool_]:
    """Which findings stand at a false discovery rate: (p,) bool.

    The step-up procedure of Benjamini and Hochberg (1995): with p₁ ≤ p₂ ≤ …, all up to the last
    with p_i ≤ rate·i/tests.  Tests beyond those given count as findings with p = 1, so to look at
    the best pairs alone is no cheating: it can only keep fewer.

    Parameters
    ----------
    surprise : (p,) −log₁₀ of each chance
    tests : number of tests in all, ≥ p
    rate : in [0, 1]

    Examples
    --------
    >>> significant(np.array([5.0, 2.9, 0.5]), tests=100, rate=0.05).tolist()
    [True, False, False]
    """
    if rate in (0, 1) or not surprise.size:
        # At 1 the last test passes, whatever its chance, and so do all before it.
        return np.full(surprise.size, rate == 1)
    highest = np.sort(surprise)[::-1]
    bound = np.log10(max(tests, 1)) - np.log10(rate * np.arange(1, surprise.size + 1))
    passing = np.flatnonzero(highest >= bound)
    if not passing.size:
        return np.zeros(surprise.size, np.bool_)
    kept: npt.NDArray[np.bool_] = surprise >= highest[passing[-1]]
    return kept
