"""The rules of a pass as plain loops over sets, dicts and lists.

Slow on purpose: every function reads as the rule it states, and the engine is held to it.
Nodes are keys 0 … n−1; a neighbourhood is ``dict[int, set[int]]``.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array, diags_array

DAY = 86_400 * 1_000_000
TIERS = (
    (0.95, "functionally_equivalent"),
    (0.8, "strongly_related_to"),
    (0.0, "shares_context_with"),
)

Neighbourhoods = dict[int, set[int]]


@dataclass(frozen=True)
class Edge:
    """One edge; ``seen`` is the co-occurrence it has learned from, ``time`` microseconds."""

    source: int
    target: int
    relation: str = "related"
    weight: float = 1.0
    seen: int = 0
    time: int | None = None
    inferred: bool = False
    confidence: float = math.nan
    shared: int = 0
    rank: float = math.nan

    @property
    def ends(self) -> tuple[int, int]:
        return self.source, self.target


@dataclass(frozen=True)
class Plain:
    """A graph as lists: ``ids`` and ``types`` by key."""

    ids: Sequence[str | int]
    edges: Sequence[Edge]
    directed: bool = True
    types: Sequence[str | None] | None = None

    @property
    def observed(self) -> list[Edge]:
        return [edge for edge in self.edges if not edge.inferred]


@dataclass(frozen=True)
class Pair:
    """Two nodes, source < target, that discovery proposes to join."""

    source: int
    target: int
    shared: int
    confidence: float
    order: Fraction | float
    """What ranks the pair, exact: larger is better."""
    rank: float
    """The same as the engine reports it."""

    def other(self, node: int) -> int:
        return self.target if node == self.source else self.source

    @property
    def relation(self) -> str:
        return next(name for least, name in TIERS if self.confidence >= least)


def stored(weight: float) -> float:
    """A weight as an edge stores it: rounded to 32 bits."""
    rounded: float = struct.unpack("f", struct.pack("f", weight))[0]
    return rounded


def neighbourhoods(n: int, edges: Iterable[Edge]) -> Neighbourhoods:
    """N(v): the distinct nodes joined to v by an observed edge, either direction, without v."""
    around: Neighbourhoods = {node: set() for node in range(n)}
    for edge in edges:
        if not edge.inferred and edge.source != edge.target:
            around[edge.source].add(edge.target)
            around[edge.target].add(edge.source)
    return around


def support(around: Neighbourhoods, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """|N(u) ∩ N(v)| of every pair, joined or not."""
    return [len(around[u] & around[v]) for u, v in pairs]


def cooccurrence(graph: Plain, since: int) -> list[int]:
    """f of every edge: shared neighbours by edges inside the temporal window.

    Both edges of a wedge must be in the window, the edge that is counted need not; an undated
    edge always is.  Inferred edges are no evidence, and their own count is that of use alone.
    """
    recent = [edge for edge in graph.edges if edge.time is None or edge.time >= since]
    around = neighbourhoods(len(graph.ids), recent)
    counts = support(around, (edge.ends for edge in graph.edges))
    return [
        edge.seen if edge.inferred else count
        for edge, count in zip(graph.edges, counts, strict=True)
    ]


def strengthened(
    weight: float, seen: int, count: int, *, rate: float, low: float, high: float
) -> float:
    """w + η·(log1p(f) − log1p(f_seen)), clipped.

    A rise stops at ``high`` and a fall at ``low``, but neither moves a weight that already lies
    beyond the bound the other way.
    """
    after = weight + rate * (math.log1p(count) - math.log1p(seen))
    if count > seen:
        return stored(max(weight, min(after, high)))
    if count < seen:
        return stored(min(weight, max(after, low)))
    return weight


def overlap_similar(
    around: Neighbourhoods, threshold: float, min_shared: int
) -> Callable[[int, int], bool]:
    """Similarity without embeddings: |N ∩ N′| / min(|N|, |N′|), whether joined or not."""

    def similar(a: int, b: int) -> bool:
        shared = len(around[a] & around[b])
        return shared >= min_shared and shared / min(len(around[a]), len(around[b])) >= threshold

    return similar


def losers(
    graph: Plain,
    weights: Sequence[float],
    counts: Sequence[int],
    similar: Callable[[int, int], bool],
    low: float,
) -> set[int]:
    """Positions of the edges that lose a competition.

    A node u's edges are those that leave it; in an undirected graph, all that touch it.  Where
    one observed edge of u co-occurs more than it has learned from, every observed edge u→v loses
    to a strictly heavier observed edge u→v′, v′ ≠ v, with v′ similar to v.  An edge at or below
    the floor has nothing to lose.  All are judged at once.
    """
    lost = set()
    for node in range(len(graph.ids)):
        sides = []
        for position, edge in enumerate(graph.edges):
            if edge.inferred:
                continue
            if edge.source == node:
                sides.append((position, edge.target))
            elif edge.target == node and not graph.directed:
                sides.append((position, edge.source))
        if not any(counts[position] > graph.edges[position].seen for position, _ in sides):
            continue
        for position, target in sides:
            for rival, other in sides:
                heavier = weights[rival] > weights[position] > low
                if heavier and other != target and similar(target, other):
                    lost.add(position)
    return lost


def competed(
    graph: Plain,
    weights: Sequence[float],
    counts: Sequence[int],
    similar: Callable[[int, int], bool],
    *,
    rate: float,
    low: float,
) -> list[float]:
    """Weights after competition: a loser falls once, to max(w·(1 − ρ), w_min)."""
    lost = losers(graph, weights, counts, similar, low)
    return [
        stored(max(weight * (1 - rate), low)) if position in lost else weight
        for position, weight in enumerate(weights)
    ]


def tail(shared: int, left: int, right: int, population: int) -> Fraction:
    """P(X ≥ shared) of the hypergeometric law: ``left`` draws, ``right`` marked."""
    ways = sum(
        math.comb(right, hits) * math.comb(population - right, left - hits)
        for hits in range(shared, min(left, right) + 1)
        if population - right >= left - hits
    )
    return Fraction(ways, math.comb(population, left))


def surprise(shared: int, left: int, right: int, population: int) -> float:
    """−log₁₀ P(X ≥ shared)."""
    chance = tail(shared, left, right, population)
    return math.log10(chance.denominator) - math.log10(chance.numerator)


def measured(
    around: Neighbourhoods, a: int, b: int, measure: str = "overlap", shrinkage: float = 0.0
) -> float:
    """Value of a measure of how alike two neighbourhoods are."""
    shared, small, large = len(around[a] & around[b]), len(around[a]), len(around[b])
    small, large = sorted((small, large))
    if not shared:
        return 0.0
    if measure == "overlap":
        return shared / (small + shrinkage)
    if measure == "jaccard":
        return shared / (len(around[a] | around[b]) + shrinkage)
    if measure == "dice":
        return 2 * shared / (small + large + 2 * shrinkage)
    if measure == "cosine":
        return shared / (math.sqrt(small * large) + shrinkage)
    worth = [sum((Fraction(1, len(around[c])) for c in around[end]), Fraction(0)) for end in (a, b)]
    both = sum((Fraction(1, len(around[c])) for c in around[a] & around[b]), Fraction(0))
    return round(float(both / (min(worth) + Fraction(shrinkage))), 9)


def paired(
    around: Neighbourhoods,
    a: int,
    b: int,
    *,
    shrinkage: float = 0.0,
    rank_by: str = "overlap_allocation",
    measure: str = "overlap",
) -> Pair:
    """What a pair is worth, whether it qualifies or not."""
    shared = around[a] & around[b]
    confidence = measured(around, a, b, measure, shrinkage)
    order: Fraction | float
    if rank_by == "resource_allocation":
        order = sum((Fraction(1, len(around[c])) for c in shared), Fraction(0))
        rank = float(order)
    elif rank_by == "overlap_allocation":
        order = sum((Fraction(1, len(around[c])) for c in shared), Fraction(0))
        smaller = min(len(around[a]), len(around[b]))
        order *= Fraction(len(shared), len(shared) + smaller + 4)
        rank = float(order)
    elif rank_by == "confidence":
        order = rank = confidence
    elif not shared:
        order, rank = Fraction(-1), 0.0
    else:
        population = sum(1 for near in around.values() if near) - 2
        # Between two that are joined, the other end is nothing that could be shared.
        numbers = len(shared), len(around[a] - {b}), len(around[b] - {a}), population
        order, rank = -tail(*numbers), surprise(*numbers)
    return Pair(min(a, b), max(a, b), len(shared), confidence, order, rank)


def qualifying(
    around: Neighbourhoods,
    *,
    min_shared: int = 2,
    threshold: float = 0.6,
    shrinkage: float = 0.0,
    rank_by: str = "overlap_allocation",
    measure: str = "overlap",
    allowed: Callable[[int], bool] = lambda node: True,
    adjacent: bool = False,
) -> list[Pair]:
    """Every unordered pair that is not joined, shares enough, and is confident enough.

    Or, if ``adjacent``, whether it is joined or not.
    """
    pairs = []
    for a in around:
        for b in around:
            shared = len(around[a] & around[b])
            if a >= b or (b in around[a] and not adjacent) or shared < min_shared:
                continue
            confidence = measured(around, a, b, measure, shrinkage)
            if confidence < threshold or not (allowed(a) and allowed(b)):
                continue
            pairs.append(
                paired(around, a, b, shrinkage=shrinkage, rank_by=rank_by, measure=measure)
            )
    return pairs


def qualifying_by_products(
    around: Neighbourhoods,
    *,
    min_shared: int = 2,
    threshold: float = 0.6,
    shrinkage: float = 0.0,
    rank_by: str = "overlap_allocation",
    measure: str = "overlap",
    allowed: Callable[[int], bool] = lambda node: True,
    adjacent: bool = False,
) -> list[Pair]:
    """:func:`qualifying` from A·Aᵀ, for graphs on which its loops would take too long.

    Pairs rank by floating-point numbers, of which those within 10⁻¹⁰ count as equal.
    """
    n = len(around)
    ends = [(u, v) for u in around for v in around[u]]
    rows, columns = (np.array([end[side] for end in ends], np.int64) for side in (0, 1))
    matrix = csr_array((np.ones(len(ends)), (rows, columns)), shape=(n, n))
    degree = np.array([len(around[node]) for node in range(n)])
    worth = 1 / np.maximum(degree, 1)
    shared = (matrix @ matrix.T).toarray().astype(np.int64)
    amount = (matrix @ diags_array(worth) @ matrix.T).toarray()
    size = matrix @ worth if measure == "resource_allocation" else degree
    smaller, larger = np.minimum.outer(size, size), np.maximum.outer(size, size)
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure == "overlap":
            value = shared / (smaller + shrinkage)
        elif measure == "jaccard":
            value = shared / (smaller + larger - shared + shrinkage)
        elif measure == "dice":
            value = 2 * shared / (smaller + larger + 2 * shrinkage)
        elif measure == "cosine":
            value = shared / (np.sqrt(smaller.astype(np.float64) * larger) + shrinkage)
        else:
            value = np.round(amount / (smaller + shrinkage), 9)
    may = np.array([allowed(node) for node in range(n)], np.bool_)
    good = (shared >= min_shared) & (value >= threshold) & np.logical_and.outer(may, may)
    if not adjacent:
        good &= matrix.toarray() == 0
    population = int(np.count_nonzero(degree)) - 2
    known: dict[tuple[int, int, int], float] = {}
    pairs = []
    for a, b in np.argwhere(np.triu(good, 1)).tolist():
        s, few = int(shared[a, b]), int(min(degree[a], degree[b]))
        if rank_by == "resource_allocation":
            rank = float(amount[a, b])
        elif rank_by == "overlap_allocation":
            rank = float(amount[a, b]) * s / (s + few + 4)
        elif rank_by == "confidence":
            rank = float(value[a, b])
        else:
            numbers = s, few, int(max(degree[a], degree[b]))
            if numbers not in known:
                known[numbers] = surprise(*numbers, population)
            rank = known[numbers]
        pairs.append(Pair(a, b, s, float(value[a, b]), round(rank, 10), rank))
    return pairs


def best(pairs: Iterable[Pair], ids: Sequence[str | int], cap: int | None) -> dict[int, list[Pair]]:
    """The pairs that each node keeps, best first: rank, confidence, shared, smaller id."""
    kept: dict[int, list[Pair]] = {node: [] for node in range(len(ids))}
    for pair in pairs:
        kept[pair.source].append(pair)
        kept[pair.target].append(pair)
    for node, candidates in kept.items():
        candidates.sort(
            key=lambda pair, node=node: (
                -pair.order, -pair.confidence, -pair.shared, ids[pair.other(node)],
            )
        )  # fmt: skip
        kept[node] = candidates[:cap]
    return kept


def discover(
    graph: Plain,
    *,
    cap: int | None = 3,
    node_types: Sequence[str] | None = None,
    nodes: Iterable[int] | None = None,
    by: Callable[..., list[Pair]] = qualifying,
    **options: object,
) -> list[Pair]:
    """Pairs that either end keeps, or that one of ``nodes`` does, by (source, target)."""
    around = neighbourhoods(len(graph.ids), graph.edges)
    pairs = by(around, allowed=typed(graph, node_types), **options)
    kept = best(pairs, graph.ids, cap)
    made = {pair for node in (kept if nodes is None else nodes) for pair in kept[node]}
    return sorted(made, key=lambda pair: (pair.source, pair.target))


def typed(graph: Plain, node_types: Sequence[str] | None) -> Callable[[int], bool]:
    """Whether a node is of one of the types."""

    def allowed(node: int) -> bool:
        return node_types is None or (graph.types is not None and graph.types[node] in node_types)

    return allowed


def unjoined(around: Neighbourhoods, allowed: Callable[[int], bool]) -> int:
    """Number of pairs that chance might have given an overlap: not joined, each with neighbours."""
    nodes = [node for node in around if around[node] and allowed(node)]
    return sum(1 for a in nodes for b in nodes if a < b and b not in around[a])


def significant(chances: Sequence[Fraction], tests: int, rate: Fraction) -> list[bool]:
    """Benjamini and Hochberg: with p₁ ≤ p₂ ≤ … all up to the last p_i ≤ rate·i/tests.

    There are ``tests`` of them, those not given with p = 1.
    """
    ranked = sorted([*chances, *[Fraction(1)] * (tests - len(chances))])
    passing = [p for i, p in enumerate(ranked, 1) if p <= rate * i / tests]
    return [bool(passing) and p <= passing[-1] for p in chances]


def associated(graph: Plain, proposed: Iterable[Pair]) -> Plain:
    """``graph`` with exactly the proposed inferred edges, and those that use has reinforced.

    One that stays keeps its weight and counters; a new one starts at 1.0, unlearned.
    """
    before = {edge.ends: edge for edge in graph.edges if edge.inferred}
    edges = graph.observed
    for pair in proposed:
        edge = before.pop((pair.source, pair.target), Edge(pair.source, pair.target))
        edges.append(
            replace(
                edge, relation=pair.relation, inferred=True, confidence=pair.confidence,
                shared=pair.shared, rank=pair.rank,
            )
        )  # fmt: skip
    edges.extend(edge for edge in before.values() if edge.seen > 0 or edge.weight < 0)
    return replace(graph, edges=edges)


def plastify(
    graph: Plain,
    *,
    now: int,
    window: int = 30 * DAY,
    learning_rate: float = 0.1,
    competition_rate: float = 0.05,
    max_weight: float = 5.0,
    min_weight: float = 0.1,
    similarity_threshold: float = 0.7,
    min_shared: int = 2,
    similar: Callable[[int, int], bool] | None = None,
    discovery: bool = True,
    **options: object,
) -> Plain:
    """One pass: strengthen, compete, discover; each rule sees what the one before it left."""
    counts = cooccurrence(graph, now - window)
    weights = [
        strengthened(
            edge.weight, edge.seen, count, rate=learning_rate, low=min_weight, high=max_weight
        )
        for edge, count in zip(graph.edges, counts, strict=True)
    ]
    if similar is None:
        around = neighbourhoods(len(graph.ids), graph.edges)
        similar = overlap_similar(around, similarity_threshold, min_shared)
    weights = competed(graph, weights, counts, similar, rate=competition_rate, low=min_weight)
    learned = replace(
        graph,
        edges=[
            replace(edge, weight=weight, seen=count)
            for edge, weight, count in zip(graph.edges, weights, counts, strict=True)
        ],
    )
    if not discovery:
        return learned
    return associated(learned, discover(graph, min_shared=min_shared, **options))  # type: ignore[arg-type]


@dataclass(frozen=True)
class NodeMeasures:
    average_edge_weight: float
    edge_count: int
    connection_diversity: int
    activation_level: float
    plasticity_score: float


def node_metrics(graph: Plain, *, now: int, max_weight: float = 5.0) -> list[NodeMeasures]:
    """Measures of every node over all incident edges; one idle for Δt is e^(−Δt/30 d) as active."""
    out = []
    for node in range(len(graph.ids)):
        incident = [edge for edge in graph.edges if node in edge.ends]
        mean = sum(edge.weight for edge in incident) / len(incident) if incident else 0.0
        diversity = len({edge.relation for edge in incident})
        dated = [edge.time for edge in incident if edge.time is not None]
        idle = max(now - max(dated), 0) if dated else 0
        activation = mean / max_weight * math.exp(-idle / (30 * DAY))
        score = activation * (1 + mean / 10) + min(diversity / 10, 0.5)
        out.append(NodeMeasures(mean, len(incident), diversity, activation, score))
    return out
