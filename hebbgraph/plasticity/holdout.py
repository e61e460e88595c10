"""Observed edges held out at random, to measure what discovery finds of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbgraph.plasticity.neighborhood import Neighborhood

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Holdout:
    """Neighbourhoods without some of their pairs.

    Attributes
    ----------
    training : what is left
    parts : the pairs that were taken out, as source·n + target of source < target, ascending
    """

    training: Neighborhood
    parts: tuple[Ints, ...]

    def hits(self, source: npt.NDArray[Any], target: npt.NDArray[Any], part: int) -> Bools:
        """Which pairs, source < target, were held out in a part."""
        return np.isin(self._keys(source, target), self.parts[part])

    def found(self, source: npt.NDArray[Any], target: npt.NDArray[Any], part: int) -> Bools:
        """Which edges of a part are among pairs, source < target."""
        return np.isin(self.parts[part], self._keys(source, target))

    def fair(self, source: npt.NDArray[Any], target: npt.NDArray[Any], part: int) -> Bools:
        """Which pairs say anything about a part: those held out in another part are left aside."""
        others = [pairs for k, pairs in enumerate(self.parts) if k != part]
        return ~np.isin(self._keys(source, target), np.concatenate(others))

    def _keys(self, source: npt.NDArray[Any], target: npt.NDArray[Any]) -> Ints:
        keys: Ints = source.astype(np.int64) * (self.training.indptr.size - 1) + target
        return keys


def hold_out(
    around: Neighborhood, may: Bools, shares: tuple[float, ...], rng: np.random.Generator
) -> Holdout:
    """Take pairs of allowed nodes out of neighbourhoods.

    Parameters
    ----------
    may : (n_nodes,) bool, which nodes
    shares : of the pairs, for each part
    """
    n = around.indptr.size - 1
    row = np.repeat(np.arange(n), around.degree)
    entry = np.flatnonzero((row < around.indices) & may[row] & may[around.indices])
    chosen = rng.permutation(entry.size)
    ends = np.round(np.cumsum((0.0, *shares)) * entry.size).astype(np.int64)
    keys = row * n + around.indices
    parts = tuple(np.sort(keys[entry[chosen[ends[k] : ends[k + 1]]]]) for k in range(len(shares)))
    taken = np.concatenate(parts)
    both = np.concatenate((taken, taken % n * n + taken // n))
    kept = ~np.isin(keys, both)
    before = np.concatenate(([0], np.cumsum(kept)))
    return Holdout(Neighborhood(before[around.indptr], around.indices[kept]), parts)
