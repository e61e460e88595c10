"""What is expected next in a graph, from the episodes it has lived through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hebbgraph.episodes import Episodes
from hebbgraph.errors import InputError
from hebbgraph.graph import Graph
from hebbgraph.plasticity.activity import Events, Use, follow, unused
from hebbgraph.plasticity.prediction import Mix, expect, fit_mix

FITTED = 0.2
"""Share of the events, the latest, that a mix is fitted to."""
LEAST = 100
"""Events below which a mix would be guesswork."""


class Expectation(NamedTuple):
    """A node and the chance that it comes next."""

    node: str | int
    chance: float


def events_of(episodes: Episodes) -> Events:
    """Steps inside the episodes, in order of time: each node comes after the one before it."""
    order = np.argsort(episodes.time, kind="stable")
    lists = [
        episodes.nodes[episodes.indptr[one] : episodes.indptr[one + 1]].tolist() for one in order
    ]
    return follow(lists, episodes.time[order])


def learned_mix(graph: Graph, episodes: Episodes | None) -> Mix | None:
    """The mix under which the latest fifth of the steps was most likely; None if they are few.

    See :func:`hebbgraph.plasticity.prediction.fit_mix`.
    """
    events = events_of(episodes) if episodes is not None else None
    if events is None or len(events) < LEAST:
        return None
    cut = int(len(events) * (1 - FITTED))
    before = _untouched(graph).after(events.part(0, cut))
    return fit_mix(before, events.part(cut, len(events)))


def expected(
    graph: Graph,
    episodes: Episodes,
    mix: Mix,
    nodes: Sequence[str | int],
    *,
    k: int,
    seeking: Sequence[str | int],
    now: int,
) -> list[Expectation]:
    """The k nodes that most likely follow an episode so far, best first.

    Raises
    ------
    InputError
        the episode is empty
    NodeNotFoundError
        the graph has no such node
    """
    path = [graph.key(node) for node in nodes]
    if not path:
        raise InputError("nodes: expected the nodes of the episode so far, the latest last")
    sought = [graph.key(node) for node in seeking]
    use = _untouched(graph).after(events_of(episodes)).after(follow([path], [now], cues=[sought]))
    likely = expect(use, path[-1], now, mix, k, context=path, cue=sought)
    return [Expectation(graph.id(one.node), one.chance) for one in likely]


def _untouched(graph: Graph) -> Use:
    observed = ~graph.is_inferred
    return unused(graph.n_nodes, (graph.source[observed], graph.indices[observed]))
