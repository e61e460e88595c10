"""The strongest path over which activation reached a node: what ``--explain`` prints."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbgraph.graph import Graph
from hebbgraph.retrieval.flow import Floats, Flow, Ints, factors


@dataclass(frozen=True, kw_only=True)
class Path:
    """One path from a seed to a node.

    Attributes
    ----------
    nodes : ids from the seed to the node; one where the node is a seed itself
    edges : for each step, position in the graph of the edge that carries most of it
    activation : how much comes to the node over this path alone
    """

    nodes: tuple[str | int, ...]
    edges: tuple[int, ...]
    activation: float


def strongest_paths(
    graph: Graph,
    flow: Flow,
    seeds: Ints,
    amounts: Floats,
    wanted: Sequence[int],
    *,
    damping: float,
    depth: int | None,
    kind_factors: Mapping[str, float],
) -> list[Path | None]:
    """Paths of :meth:`hebbgraph.retrieval.spreading.Spreading.paths`; seeds and nodes are rows.

    Best first from the seeds (Dijkstra 1959): every step multiplies by less than 1, so what is
    taken first is strongest.  Under a limit of depth a row is taken again only by fewer steps.
    """
    weights = flow.excitatory
    heap = [(-float(amount), 0, int(seed), -1) for seed, amount in zip(seeds, amounts, strict=True)]
    heapq.heapify(heap)
    taken: list[tuple[float, int, int]] = []  # amount, row, place of the one before
    first: dict[int, int] = {}
    fewest: dict[int, int] = {}
    # The most that is known to come to each row still wanted: a weaker path is of no use.
    missing = dict.fromkeys(wanted, 0.0)
    while heap and missing:
        negative, steps, row, before = heapq.heappop(heap)
        if row in first and (depth is None or steps >= fewest[row]):
            continue
        place = len(taken)
        taken.append((-negative, row, before))
        first.setdefault(row, place)
        fewest[row] = steps
        missing.pop(row, None)
        if steps == depth or weights.strength[row] == 0:
            continue
        near, weight = weights.row(row)
        amounts = weight * (damping * -negative / weights.strength[row])
        for other in missing:
            at = int(np.searchsorted(near, other))
            if at < near.size and near[at] == other:
                missing[other] = max(missing[other], float(amounts[at]))
        kept = np.flatnonzero(amounts >= min(missing.values(), default=0.0))
        for other, amount in zip(near[kept].tolist(), amounts[kept].tolist(), strict=True):
            if other not in first or (depth is not None and steps + 1 < fewest[other]):
                heapq.heappush(heap, (-amount, steps + 1, other, place))
    factor = factors(graph.relation_names, kind_factors)
    return [
        _path(graph, flow, taken, first[row], damping, factor) if row in first else None
        for row in wanted
    ]


def _path(
    graph: Graph,
    flow: Flow,
    taken: list[tuple[float, int, int]],
    place: int,
    damping: float,
    factor: list[float],
) -> Path:
    amount, last, _ = taken[place]
    rows = []
    while place >= 0:
        _, row, place = taken[place]
        rows.append(row)
    keys = [int(flow.key_of[row]) for row in reversed(rows)]
    # What comes to a node from which nothing leaves stays there whole.
    kept = 1.0 if flow.excitatory.strength[last] == 0 else 1.0 - damping
    return Path(
        nodes=tuple(graph.id(key) for key in keys),
        edges=tuple(_edge(graph, flow, *ends, factor) for ends in itertools.pairwise(keys)),
        activation=amount * kept,
    )


def _edge(graph: Graph, flow: Flow, source: int, target: int, factor: list[float]) -> int:
    """The edge with the largest weight times factor that leads from one key to another."""
    found = _between(graph, source, target, flow.direction != "in")
    found += _between(graph, target, source, flow.direction != "out")
    return max(found, key=lambda edge: (_carried(graph, edge, factor), -edge))


def _between(graph: Graph, source: int, target: int, along: bool) -> list[int]:
    """Positions of edges from one key to another, the inferred alone unless ``along``."""
    begin, end = graph.indptr[source], graph.indptr[source + 1]
    row = graph.indices[begin:end]
    edges = range(*(int(begin + np.searchsorted(row, target, side)) for side in ("left", "right")))
    return [
        edge for edge in edges if along or (graph.inferred is not None and graph.inferred[edge])
    ]


def _carried(graph: Graph, edge: int, factor: list[float]) -> Any:
    return graph.weight[edge] * factor[graph.relation[edge]]
