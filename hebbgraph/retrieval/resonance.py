"""Resonance: relevance beside what a memory is worth, how fresh, how alive and where it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.retrieval.intents import AXES, INTENTS

RECENCY_RATE: Final = 0.05
"""λ of e^(−λ·days) a day."""
_DAY: Final = 86_400_000_000

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Vitals:
    """What is known of passages beside their text; None where nothing is.

    Attributes
    ----------
    success, failure, access : (n,) counts of use
    updated : (n,) int64 UTC microseconds, smallest int64 where undated
    vitality : (n,) in [0, 1], such as the activation of nodes
    tags : (n,) collections of strings
    """

    success: npt.NDArray[Any] | None = None
    failure: npt.NDArray[Any] | None = None
    access: npt.NDArray[Any] | None = None
    updated: Ints | None = None
    vitality: Floats | None = None
    tags: Sequence[Collection[str]] | None = None


def axis_weights(intent: str, overrides: Mapping[str, float] | None = None) -> Floats:
    """Weights of the five axes, in their order.

    Parameters
    ----------
    intent : one of the six
    overrides : weight by axis, ≥ 0, in place of the intent's

    Raises
    ------
    ParameterError
        there is no such intent or axis, or a weight is negative
    """
    check.choice("intent", intent, tuple(INTENTS))
    out = dict(zip(AXES, INTENTS[intent], strict=True))
    for axis, weight in (overrides or {}).items():
        check.choice("axes", axis, AXES)
        out[axis] = check.number(f"axes[{axis!r}]", weight, 0, 1e6)
    return np.array([out[axis] for axis in AXES])


def importance(success: Any, failure: Any, access: Any) -> Floats:
    """((success − failure)/max(access, 1) + 1)/2, in [0, 1]: ½ without use."""
    balance = np.asarray(success, np.float64) - np.asarray(failure, np.float64)
    out: Floats = np.clip((balance / np.maximum(np.asarray(access), 1) + 1) / 2, 0, 1)
    return out


def recency(updated: Ints, now: int, *, rate: float = RECENCY_RATE) -> Floats:
    """e^(−rate·days since the update), in [0, 1]; 0 where undated, 1 in the future."""
    days = (now - np.asarray(updated, np.float64)) / _DAY
    return np.exp(-rate * np.maximum(days, 0))


def context(tags: Sequence[Collection[str]], wanted: Collection[str]) -> Floats:
    """Jaccard overlap of each collection of tags with ``wanted``; 0 where both are empty."""
    asked = set(wanted)
    out = np.zeros(len(tags))
    for row, own in enumerate(tags):
        either = len(asked | set(own))
        out[row] = len(asked & set(own)) / either if either else 0.0
    return out


def axes(
    relevance: Floats, rows: Ints, vitals: Vitals, *, now: int, tags: Collection[str] = ()
) -> Floats:
    """The five parts of some passages.

    Where nothing is known of an axis, all have the same: importance ½, vitality 1, the others 0.

    Parameters
    ----------
    relevance : (n,) of all passages, divided here by its highest
    rows : (k,) which
    now : UTC microseconds
    tags : of the query's context

    Returns
    -------
    (k, 5) float64 in [0, 1], in the order of ``AXES``
    """
    out = np.zeros((rows.size, len(AXES)))
    most = relevance.max(initial=0.0)
    out[:, 0] = np.clip(relevance[rows] / most, 0, 1) if most > 0 else 0
    counts = (vitals.success, vitals.failure, vitals.access)
    known = [None if count is None else count[rows] for count in counts]
    zero = np.zeros(rows.size)
    out[:, 1] = importance(*(zero if count is None else count for count in known))
    if vitals.updated is not None:
        out[:, 2] = recency(vitals.updated[rows], now)
    out[:, 3] = 1.0
    if vitals.vitality is not None:
        out[:, 3] = np.clip(np.nan_to_num(vitals.vitality[rows]), 0, 1)
    if vitals.tags is not None and tags:
        out[:, 4] = context([vitals.tags[row] for row in rows.tolist()], tags)
    return out
