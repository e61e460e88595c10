"""Hashes of stretches of words: any stretch in constant time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_BASE: Final = 0x9E3779B97F4A7C15  # odd, so it has an inverse modulo 2⁶⁴
_INVERSE: Final = pow(_BASE, -1, 1 << 64)

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Stretches:
    """Running sums that hash any stretch of words.

    Attributes
    ----------
    sums : (n + 1,) uint64, running sums of scrambled word · baseⁱ
    inverse : (n + 1,) uint64, base⁻ⁱ
    """

    sums: Hashes
    inverse: Hashes

    def of(self, begin: npt.NDArray[np.int64], end: npt.NDArray[np.int64]) -> Hashes:
        """Hash of words begin ≤ i < end: (r,) uint64, alike wherever the same words stand."""
        with np.errstate(over="ignore"):
            found: Hashes = (self.sums[end] - self.sums[begin]) * self.inverse[begin]
        return found


def stretches(words: npt.NDArray[np.integer[Any]]) -> Stretches:
    """Polynomial hashes (Karp and Rabin 1987) modulo 2⁶⁴, over scrambled words."""
    n = words.size
    with np.errstate(over="ignore"):
        power, inverse = (_powers(base, n) for base in (_BASE, _INVERSE))
        sums = np.zeros(n + 1, np.uint64)
        np.cumsum(_scrambled(words) * power[:-1], out=sums[1:])
    return Stretches(sums, inverse)


def _powers(base: int, n: int) -> Hashes:
    power = np.full(n + 1, base, np.uint64)
    power[0] = 1
    return np.cumprod(power, out=power)


def _scrambled(words: npt.NDArray[np.integer[Any]]) -> Hashes:
    """The finaliser of splitmix64 (Steele, Lea and Flood 2014)."""
    z = (words.astype(np.uint64) + np.uint64(1)) * np.uint64(_BASE)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
