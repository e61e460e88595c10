"""Passages whose facts a newer one closed, and the newer ones before them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

Heirs = dict[int, list[int]]
"""By passage those that superseded it, ascending."""


def heirs_of(newer: Iterable[int], older: Iterable[int]) -> Heirs:
    """By passage those that superseded it."""
    out: Heirs = {}
    for one, other in sorted(zip(newer, older, strict=True)):
        out.setdefault(other, []).append(one)
    return out


def lifted(scores: dict[int, float], heirs: Heirs) -> dict[int, int]:
    """Raise each passage to the score of the best one that it superseded.

    Parameters
    ----------
    scores : by passage found; raised here, and extended by those that superseded them

    Returns
    -------
    by passage raised, the one whose score it has
    """
    came: dict[int, int] = {}
    waiting = [(-score, row) for row, score in scores.items() if row in heirs]
    heapq.heapify(waiting)
    while waiting:
        negative, row = heapq.heappop(waiting)
        if -negative < scores[row]:
            continue
        for heir in heirs.get(row, ()):
            if heir not in scores or scores[heir] < scores[row]:
                scores[heir], came[heir] = scores[row], row
                heapq.heappush(waiting, (negative, heir))
    return came


def newer_first(order: Sequence[int], heirs: Heirs) -> list[int]:
    """``order`` with each passage right after the last of those listed that superseded it.

    Those come up to it; where passages superseded one another, the first listed stays first.
    """
    listed = set(order)
    out: list[int] = []
    begun: set[int] = set()
    for row in order:
        stack = [row]
        while stack:
            one = stack[-1]
            if one in begun:
                stack.pop()
                if one in listed:
                    listed.remove(one)
                    out.append(one)
                continue
            begun.add(one)
            stack += [
                heir
                for heir in reversed(heirs.get(one, ()))
                if heir in listed and heir not in begun
            ]
    return out
