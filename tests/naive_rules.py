"""The rules of learning from episodes as plain loops: the engine is held to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from naive import DAY, Edge, Plain, stored
from naive_use import Episode

Edges = list[Edge]


def counted(episodes: Sequence[Episode]) -> list[Episode]:
    """Episodes that say that their nodes belong together."""
    return [one for one in episodes if one.kind != "correction"]


def heard(edge: Edge, *, directed: bool) -> list[tuple[int, int]]:
    """(who speaks, who hears) over an edge: both ways where direction carries no meaning."""
    ways = [(edge.source, edge.target)]
    return ways if directed and not edge.inferred else [*ways, (edge.target, edge.source)]


def within(before: float, after: float, low: float, high: float) -> float:
    """A rise stops at the upper bound, a fall at the lower; nothing is pulled back over one."""
    after = min(after, max(before, high)) if after > before else max(after, min(before, low))
    return stored(after)


def responses(graph: Plain, edges: Edges, episode: Episode) -> dict[int, float]:
    """Y of each node of the episode: the weights from those that were active with it."""
    out = dict.fromkeys(episode.nodes, 0.0)
    for edge in edges:
        for speaker, hearer in heard(edge, directed=graph.directed):
            if edge.weight >= 0 and speaker in out and hearer in out:
                out[hearer] += edge.weight
    return out


def oja(
    graph: Plain, new: Sequence[Episode], *, rate: float, low: float, high: float
) -> list[float]:
    """W ← (w + η·y·x)/(1 + η·y²) at every node of an episode, for all that it hears."""
    edges = list(graph.edges)
    for episode in counted(new):
        y = responses(graph, edges, episode)
        for place, edge in enumerate(edges):
            if edge.weight < 0:
                continue
            gain = loss = 0.0
            for speaker, hearer in heard(edge, directed=graph.directed):
                if hearer in y:
                    gain += y[hearer] * (speaker in y)
                    loss += y[hearer] ** 2
            after = (edge.weight + rate * gain) / (1 + rate * loss)
            edges[place] = replace(edge, weight=within(edge.weight, after, low, high))
    return [edge.weight for edge in edges]


def bcm(
    graph: Plain,
    old: Sequence[Episode],
    new: Sequence[Episode],
    *,
    rate: float,
    memory: float,
    low: float,
    high: float,
) -> list[float]:
    """Δw = η·y·(y − θ)/(θ·k), k active inputs; θ ← θ + (y² − θ)/memory over the old episodes, then the new."""
    edges = list(graph.edges)
    threshold: dict[int, float] = {}
    for number, episode in enumerate([*counted(old), *counted(new)]):
        y = responses(graph, edges, episode)
        for node, level in y.items():
            before = threshold.get(node, 0.0)
            threshold[node] = before + (level**2 - before) / memory if before else level**2
        if number < len(counted(old)):
            continue
        active = dict.fromkeys(y, 0)
        for edge in edges:
            for speaker, hearer in heard(edge, directed=graph.directed):
                if edge.weight >= 0 and speaker in y and hearer in y:
                    active[hearer] += 1
        for place, edge in enumerate(edges):
            if edge.weight < 0:
                continue
            change = sum(
                y[hearer] * (y[hearer] - threshold[hearer]) / (threshold[hearer] * active[hearer])
                for speaker, hearer in heard(edge, directed=graph.directed)
                if speaker in y and hearer in y and threshold[hearer] > 0
            )
            after = edge.weight + rate * change
            edges[place] = replace(edge, weight=within(edge.weight, after, low, high))
    return [edge.weight for edge in edges]


def stdp(
    graph: Plain,
    new: Sequence[Episode],
    *,
    rate: float,
    depression: float,
    window: float,
    low: float,
    high: float,
) -> list[float]:
    """An edge u→v rises where u stood before v in an episode, and falls where it stood after."""
    edges = list(graph.edges)
    for episode in counted(new):
        at = {node: place for place, node in enumerate(episode.nodes)}
        for place, edge in enumerate(edges):
            one_way = graph.directed and not edge.inferred
            if not one_way or edge.weight < 0 or not {*edge.ends} <= at.keys():
                continue
            lag = at[edge.target] - at[edge.source]
            by = rate * math.exp(-abs(lag) / window) * (1 if lag > 0 else -depression)
            edges[place] = replace(edge, weight=within(edge.weight, edge.weight + by, low, high))
    return [edge.weight for edge in edges]


def incoming(graph: Plain, weights: Sequence[float]) -> dict[int, list[float]]:
    """Weights above 0 that each node hears."""
    out: dict[int, list[float]] = {}
    for edge, weight in zip(graph.edges, weights, strict=True):
        if weight > 0:
            for _, hearer in heard(edge, directed=graph.directed):
                out.setdefault(hearer, []).append(weight)
    return out


def prunable(
    graph: Plain,
    count: Sequence[int],
    since: Sequence[int | None],
    tiers: Sequence[int],
    *,
    now: int,
    low: float,
    near: float,
    after: int = 90 * DAY,
) -> list[bool]:
    """Observed edges that lay at the floor for longer than ``after``, with nothing new."""
    return [
        not edge.inferred
        and 0 <= edge.weight <= low + near
        and f == edge.seen
        and at is not None
        and now - at > after
        and not (tiers[edge.source] == tiers[edge.target] == 3)
        for edge, f, at in zip(graph.edges, count, since, strict=True)
    ]
