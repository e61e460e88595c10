"""The strongest way by which activation came to a row, for all rows that it came to at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbgraph.retrieval.flow import Floats, Weights

Ints = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Level:
    """Rows whose strongest way has so many steps, if it is stronger than all of fewer.

    Attributes
    ----------
    rows : (k,) ascending
    amounts : (k,) float64, what comes there over that way, before what is kept
    before : (k,) place of the row before it in the level before; -1 at seeds
    """

    rows: Ints
    amounts: Floats
    before: Ints


def ways_from(
    weights: Weights, seeds: Ints, amounts: Floats, *, damping: float, depth: int, least: float
) -> list[Level]:
    """The strongest ways of 0, 1, … ``depth`` steps; every step hands on damping·weight/strength.

    Parameters
    ----------
    least : what is below this times the strength of a row goes no further from there
    """
    order = np.argsort(seeds)
    level = Level(seeds[order], amounts[order], np.full(seeds.size, -1))
    levels = [level]
    best = np.zeros(weights.strength.size)
    best[level.rows] = level.amounts
    for step in range(depth):
        strength = weights.strength[level.rows]
        going = np.flatnonzero((strength > 0) & ((level.amounts > least * strength) | (step == 0)))
        rows = level.rows[going]
        begin, counts = weights.indptr[rows], weights.indptr[rows + 1] - weights.indptr[rows]
        entry = np.arange(counts.sum()) + np.repeat(begin - (np.cumsum(counts) - counts), counts)
        target, source = weights.indices[entry].astype(np.int64), np.repeat(going, counts)
        share = damping * level.amounts[going] / strength[going]
        amount = weights.weight[entry] * np.repeat(share, counts)
        better = amount > best[target]
        target, source, amount = target[better], source[better], amount[better]
        order = np.lexsort((source, -amount, target))
        target, source, amount = target[order], source[order], amount[order]
        first = np.ones(target.size, np.bool_)
        first[1:] = target[1:] != target[:-1]
        level = Level(target[first], amount[first], source[first])
        best[level.rows] = level.amounts
        levels.append(level)
    return levels


def strongest(levels: list[Level], row: int) -> tuple[list[int], float] | None:
    """Rows from a seed to ``row`` and what comes over them; None where no way leads there."""
    best: tuple[float, int, int] | None = None
    for number, level in enumerate(levels):
        at = int(np.searchsorted(level.rows, row))
        if at < level.rows.size and level.rows[at] == row:
            best = float(level.amounts[at]), number, at  # later ones are stronger
    if best is None:
        return None
    amount, number, at = best
    rows = []
    while at >= 0:
        rows.append(int(levels[number].rows[at]))
        at, number = int(levels[number].before[at]), number - 1
    return rows[::-1], amount
