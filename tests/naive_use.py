"""Learning from use as plain loops: the engine is held to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from naive import DAY, Edge, Plain, stored


@dataclass(frozen=True)
class Episode:
    nodes: Sequence[int]
    time: int
    outcome: float = 0.0
    kind: str | None = None


@dataclass
class Use:
    """Use of one node."""

    created: int | None = None
    access: int = 0
    success: int = 0
    failure: int = 0
    activation: float = 1.0
    activated: int | None = None

    def level(self, moment: int, constant: int) -> float:
        seen = [at for at in (self.created, self.activated) if at is not None]
        return self.activation * math.exp(-max(moment - max(seen, default=moment), 0) / constant)


@dataclass
class Lived:
    """A graph with what use did to its nodes."""

    graph: Plain
    use: list[Use] = field(default_factory=list)


def together(edges: Sequence[Edge], episodes: Sequence[Episode], since: int) -> list[int]:
    """How many episodes in the window hold both ends of each edge; corrections do not count."""
    inside = [one for one in episodes if one.time >= since and one.kind != "correction"]
    return [sum({edge.source, edge.target} <= {*one.nodes} for one in inside) for edge in edges]


def learned(
    before: Lived,
    new: Sequence[Episode],
    *,
    success_rate: float = 0.1,
    failure_rate: float = 0.15,
    lowest: float = -2.0,
    highest: float = 5.0,
    correction: float = 0.5,
    gain: float = 0.7,
    constant: int = 30 * DAY,
) -> Lived:
    """Episodes one after the other: count and lift their nodes, then reward or blame their pairs."""
    use = [replace(one) for one in before.use]
    edges = list(before.graph.edges)
    for episode in new:
        mean = sum(use[node].access for node in episode.nodes) / len(episode.nodes)
        corrects = episode.kind == "correction"
        for node in episode.nodes:
            one = use[node]
            if corrects and episode.outcome <= 0:
                one.failure += episode.outcome < 0
                continue
            one.created = episode.time if one.created is None else one.created
            level = one.level(episode.time, constant)
            one.activation = stored(level + (1 - level) * gain)
            one.activated = max(
                episode.time, episode.time if one.activated is None else one.activated
            )
            one.access += 1
            one.success += episode.outcome > 0
            one.failure += episode.outcome < 0
        rate = success_rate if episode.outcome > 0 else failure_rate
        by = (
            correction * episode.outcome if corrects else rate * episode.outcome / (1 + 0.02 * mean)
        )
        inside = {*episode.nodes}
        if by > 0:
            joined = {frozenset(edge.ends) for edge in edges}
            edges += [
                Edge(a, b, weight=0.0)
                for a in sorted(inside)
                for b in sorted(inside)
                if a < b and frozenset((a, b)) not in joined
            ]
        for place, edge in enumerate(edges):
            if {*edge.ends} <= inside and by:
                after = edge.weight + by
                after = (
                    max(edge.weight, min(after, highest))
                    if by > 0
                    else min(edge.weight, max(after, lowest))
                )
                edges[place] = replace(edge, weight=stored(after))
    return Lived(replace(before.graph, edges=edges), use)


def faded(
    weight: float,
    clock: int | None,
    used: Sequence[int | None],
    uses: Sequence[int],
    *,
    now: int,
    low: float = 0.1,
    constant: int = 30 * DAY,
    enough: int = 1,
    step: int = DAY // 24,
) -> tuple[float, bool]:
    """Weight of one edge, and whether its clock is set to now.

    ``used`` and ``uses`` are those of its two ends.
    """
    both = None if None in used else min(used)  # type: ignore[type-var]
    known = [at for at in (clock, both) if at is not None]
    if not known:
        return weight, True
    idle = now - max(known)
    if idle < step or min(uses) >= enough:
        return weight, False
    if weight > low:
        weight = low + (weight - low) * math.exp(-idle / constant)
    elif weight < 0:
        weight *= math.exp(-idle / constant)
    return stored(weight), True
