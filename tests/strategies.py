"""Hypothesis strategies: small graphs of every awkward shape, plain and as a Graph."""

from __future__ import annotations

import dataclasses
import itertools
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import naive
import naive_use
import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

import hebbgraph
from hebbgraph.edgelist import UNDATED
from hebbgraph.episodes import Episodes, of_rows, rows_of
from hebbgraph.graph import Graph
from hebbgraph.plasticity.rules import Evidence

MOMENT = datetime(2025, 6, 1, 12, tzinfo=UTC)
NOW = (MOMENT - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
NAMES = (
    "ann", "Ann", "bob", "김철수", "서울", "기억", "🦊", "🧠 memory", "é", "node 9", "node 10",
    "node 11", "Ω", "z", "＠", "-1",
)  # fmt: skip
RELATIONS = ("knows", "문맥", "shares_context_with")
TYPES = ("person", "place", "개념")
WEIGHTS = (1.0, 1.0, 1.0, 0.0, 0.05, 0.1, 0.5, 1.5, 2.0, 4.95, 5.0, 7.0)
LEARNED_WEIGHTS = (*WEIGHTS, -0.5, -2.0)
DAYS_AGO = (0, 1, 29, 30, 31, 400, -1)

Pairs = list[tuple[int, int]]


def _shape(kind: str, n: int, middle: int) -> Pairs:
    """Pairs of a named graph on n nodes; ``middle`` divides those that have two sides."""
    if kind == "star":
        return [(0, leaf) for leaf in range(1, n)]
    if kind == "path":
        return [(node, node + 1) for node in range(n - 1)]
    if kind == "cycle":
        return [(node, (node + 1) % n) for node in range(n)]
    if kind == "clique":
        return list(itertools.combinations(range(min(n, 7)), 2))
    if kind == "bipartite":
        return [(left, right) for left in range(middle) for right in range(middle, n)]
    if kind == "twins":
        # Pairs of nodes with the same two neighbours, and a chain through those.
        hubs = [(node, node + 1) for node in range(middle)]
        return hubs + [(node, hub) for node in range(middle, n) for hub in (0, node % middle)]
    return []


@st.composite
def pair_lists(draw: st.DrawFn, n: int) -> Pairs:
    """Distinct ordered pairs of nodes of a shaped or random graph."""
    if n < 2:
        return []
    node = st.integers(0, n - 1)
    kinds = ("empty", "star", "path", "cycle", "clique", "bipartite", "twins", "random", "random")
    kind = draw(st.sampled_from(kinds))
    pairs = _shape(kind, n, draw(st.integers(1, n - 1)))
    extra = {"empty": 0, "random": 4 * n}.get(kind, 5)
    pairs += draw(st.lists(st.tuples(node, node), max_size=extra))
    turned = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    pairs = [(v, u) if turn else (u, v) for (u, v), turn in zip(pairs, turned, strict=True)]
    return list(dict.fromkeys((u, v) for u, v in pairs if u != v))


@st.composite
def neighbourhoods(draw: st.DrawFn, *, max_nodes: int = 12) -> naive.Neighbourhoods:
    """N(v) of every node of a random simple graph."""
    n = draw(st.integers(1, max_nodes))
    pairs = draw(pair_lists(n))
    return naive.neighbourhoods(n, [naive.Edge(u, v) for u, v in pairs])


@st.composite
def twinned(draw: st.DrawFn) -> naive.Neighbourhoods:
    """A few hubs, many nodes on the same one to three of them, and a few edges more."""
    hubs = draw(st.integers(2, 4))
    several = st.sets(st.integers(0, hubs - 1), min_size=1, max_size=3)
    groups = [({0, 1}, draw(st.integers(9, 16)))]
    groups += draw(st.lists(st.tuples(several, st.integers(1, 9)), max_size=2))
    pairs = []
    n = hubs
    for near, members in groups:
        pairs += [(node, hub) for node in range(n, n + members) for hub in near]
        n += members
    node = st.integers(0, n - 1)
    pairs += draw(st.lists(st.tuples(node, node), max_size=4))
    key = draw(st.randoms(use_true_random=False)).sample(range(n), n)
    return naive.neighbourhoods(n, [naive.Edge(key[u], key[v]) for u, v in pairs])


def skewed(n: int, m: int, seed: int) -> naive.Neighbourhoods:
    """A random graph with hubs, twins and leaves, so that every way to count is taken."""
    rng = random.Random(seed)
    edges = [naive.Edge(int(n * rng.random() ** 3), rng.randrange(n)) for _ in range(m)]
    edges += [naive.Edge(n + k, hub) for k in range(8) for hub in range(5)]
    return naive.neighbourhoods(n + 8, edges)


def _many_twins() -> Pairs:
    """Three classes of twins on six hubs that are joined, and seven closed twins: a clique."""
    near = [(0, 1, 2)] * 30 + [(1, 2)] * 40 + [(0, 3, 4, 5)] * 12 + [(0, 1, 2, 3)]
    pairs = [(6 + node, hub) for node, hubs in enumerate(near) for hub in hubs]
    first = 6 + len(near)
    clique = itertools.combinations(range(first, first + 7), 2)
    return [*pairs, *clique, (0, 1), (2, 3), (4, 5), (first, 0), (6, first + 1)]


def _contained() -> Pairs:
    """Eighteen nodes on each of twenty sets of two to five of the same six hubs."""
    sets = [near for size in (2, 3, 4, 5) for near in itertools.combinations(range(6), size)]
    chosen = random.Random(3).sample(sets, 20)
    return [(6 + node, hub) for node in range(360) for hub in chosen[node % 20]]


def _wide() -> Pairs:
    """Rows of some 10, 100 and 270 of 300 middles."""
    rng = random.Random(4)
    sizes = (3, 7, 8, 9, 10, 10, 14, 60, 100, 110, 255, 256, 260, 270, 280, 299)
    return [(row, 16 + at) for row, size in enumerate(sizes) for at in rng.sample(range(300), size)]


def _circulant() -> Pairs:
    """Sixty nodes of degree eight, each joined to those at distance 1, 2, 5 and 6."""
    return [(node, (node + step) % 60) for node in range(60) for step in (1, 2, 5, 6)]


def _cube() -> Pairs:
    """The corners of a cube in six dimensions: all alike."""
    return [(u, u ^ (1 << bit)) for u in range(64) for bit in range(6) if u < u ^ (1 << bit)]


PATHS = {
    "many twins": _many_twins,
    "contained": _contained,
    "wide": _wide,
    "circulant": _circulant,
    "cube": _cube,
}
"""Graphs that between them take every path of the join."""


def path_graph(name: str) -> naive.Neighbourhoods:
    """One of :data:`PATHS`, its nodes in no order."""
    pairs = PATHS[name]()
    n = max(map(max, pairs)) + 1
    key = random.Random(name).sample(range(n), n)
    return naive.neighbourhoods(n, [naive.Edge(key[u], key[v]) for u, v in pairs])


def to_csr(rows: list[list[int]], dtype: Any = np.int32) -> tuple[np.ndarray, np.ndarray]:
    """CSR of lists of columns."""
    indptr = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int64)
    return indptr, np.array([column for row in rows for column in row], dtype)


def adjacency(around: naive.Neighbourhoods, dtype: Any = np.int32) -> tuple[np.ndarray, np.ndarray]:
    """CSR of neighbourhoods."""
    return to_csr([sorted(around[node]) for node in sorted(around)], dtype)


def to_rows(indptr: np.ndarray, indices: np.ndarray) -> list[list[int]]:
    """Inverse of :func:`to_csr`."""
    return [indices[indptr[k] : indptr[k + 1]].tolist() for k in range(indptr.size - 1)]


@st.composite
def node_ids(draw: st.DrawFn, n: int) -> tuple[str | int, ...]:
    """Ids of n nodes: keys, text in any order, or far-apart integers in any order."""
    kind = draw(st.sampled_from(("keys", "text", "text", "integers")))
    if kind == "keys":
        return tuple(range(n))
    if kind == "text":
        return tuple(draw(st.permutations(NAMES))[:n])
    far = st.integers(-(2**62), 2**62)
    return tuple(draw(st.lists(far, min_size=n, max_size=n, unique=True)))


@st.composite
def plains(draw: st.DrawFn, *, max_nodes: int = 14, dated: bool | None = None) -> naive.Plain:
    """A described graph: (un)directed, with one to three relations, weighted or not, dated or not."""
    n = draw(st.integers(1, max_nodes))
    directed = draw(st.booleans())
    pairs = draw(pair_lists(n))
    dated = draw(st.booleans()) if dated is None else dated
    weighted = draw(st.booleans())
    relations = draw(st.sampled_from((1, 1, 2, 3)))
    attributes = st.tuples(
        st.sampled_from(RELATIONS[:relations]),
        st.sampled_from(WEIGHTS) if weighted else st.just(1.0),
        st.sampled_from((None, *DAYS_AGO)) if dated else st.none(),
    )
    if relations > 1:
        pairs = pairs + draw(st.lists(st.sampled_from(pairs), max_size=5)) if pairs else pairs
    rows = draw(st.lists(attributes, min_size=len(pairs), max_size=len(pairs)))
    edges: dict[tuple[int, int, str], naive.Edge] = {}
    for (u, v), (relation, weight, days) in zip(pairs, rows, strict=True):
        a, b = (u, v) if directed else (min(u, v), max(u, v))
        time = None if days is None else NOW - days * naive.DAY
        edge = naive.Edge(a, b, relation, naive.stored(weight), time=time)
        edges.setdefault((a, b, relation), edge)
    return naive.Plain(
        ids=draw(node_ids(n)),
        edges=[edges[identity] for identity in sorted(edges)],
        directed=directed,
        types=draw(
            st.none() | st.lists(st.sampled_from((*TYPES, None)), min_size=n, max_size=n)
        ),
    )  # fmt: skip


def build(plain: naive.Plain, order: list[int] | None = None) -> Graph:
    """The Graph of a description of observed edges, its rows given in ``order``.

    Edges of a description that is sorted by identity stand in the Graph's own order.
    """
    rows = [plain.edges[k] for k in (range(len(plain.edges)) if order is None else order)]
    times = [edge.time for edge in rows]
    ids: Any = np.arange(len(plain.ids)) if plain.ids == tuple(range(len(plain.ids))) else plain.ids
    kind = pa.string() if isinstance(plain.ids[0], str) else pa.int64()
    graph = Graph.from_edges(
        pa.array([plain.ids[edge.source] for edge in rows], kind),
        pa.array([plain.ids[edge.target] for edge in rows], kind),
        weight=[edge.weight for edge in rows],
        relation=[edge.relation for edge in rows],
        time=pa.array(times, pa.timestamp("us", tz="UTC")) if any(times) else None,
        node_ids=ids,
        directed=plain.directed,
    )
    if plain.types is None:
        return graph
    return graph.with_nodes(
        pa.table({"id": pa.array(plain.ids, kind), "type": pa.array(plain.types, pa.string())})
    )


def describe(graph: Graph) -> naive.Plain:
    """The description of a Graph, edges in its own order."""
    time = np.full(graph.n_edges, UNDATED) if graph.time is None else graph.time
    nothing = [float("nan")] * graph.n_edges
    confidence = nothing if graph.confidence is None else graph.confidence.tolist()
    rank = nothing if graph.rank is None else graph.rank.tolist()
    shared = [0] * graph.n_edges if graph.shared_neighbors is None else graph.shared_neighbors
    edges = [
        naive.Edge(
            int(graph.source[k]), int(graph.target[k]),
            graph.relation_names[graph.relation[k]], float(graph.weight[k]),
            int(graph.co_occurrence_count[k]), None if time[k] == UNDATED else int(time[k]),
            bool(graph.is_inferred[k]), confidence[k], int(shared[k]), rank[k],
        )
        for k in range(graph.n_edges)
    ]  # fmt: skip
    types: list[str | None] | None = None
    if graph.node_type is not None:
        types = [graph.type_names[code] if code >= 0 else None for code in graph.node_type]
    ids = tuple(graph.ids_of(np.arange(graph.n_nodes)).to_pylist())
    return naive.Plain(ids, edges, graph.directed, types)


@st.composite
def graphs(draw: st.DrawFn, **options: Any) -> tuple[naive.Plain, Graph]:
    """A graph as its description and as the engine holds it."""
    plain = draw(plains(**options))
    return plain, build(plain)


@st.composite
def learned_graphs(draw: st.DrawFn, **options: Any) -> tuple[naive.Plain, Graph]:
    """A graph after a pass and a life: inferred edges, counters, inhibitory weights, lost edges."""
    _, graph = draw(graphs(**options))
    graph, _ = hebbgraph.plastify(
        graph, now=MOMENT, min_shared_neighbors=draw(st.sampled_from((1, 2))),
        confidence_threshold=draw(st.sampled_from((0.3, 0.6))),
    )  # fmt: skip
    m = graph.n_edges
    used = draw(st.lists(st.sampled_from((None, None, 0, 1, 3, 9)), min_size=m, max_size=m))
    weighed = draw(st.lists(st.sampled_from((None, *LEARNED_WEIGHTS)), min_size=m, max_size=m))
    lost = draw(st.lists(st.integers(0, 4), min_size=m, max_size=m))
    count, weight = graph.co_occurrence_count.copy(), graph.weight.copy()
    for edge in range(m):
        count[edge] = count[edge] if used[edge] is None else used[edge]
        weight[edge] = weight[edge] if weighed[edge] is None else weighed[edge]
    graph = dataclasses.replace(graph, co_occurrence_count=count, weight=weight)
    kept = np.array([k for k in range(m) if graph.is_inferred[k] or lost[k] != 0], np.int64)
    graph = graph.take_edges(kept)
    return describe(graph), graph


def any_graphs(**options: Any) -> st.SearchStrategy[tuple[naive.Plain, Graph]]:
    """Fresh and learned graphs."""
    return graphs(**options) | learned_graphs(**options)


def arrays(graph: Graph, episodes: list[naive_use.Episode], learned: int = 0) -> Episodes:
    """Episodes of a description as the engine holds them."""
    ids = graph.ids_of(np.arange(graph.n_nodes)).to_pylist()
    rows = rows_of(
        {
            "nodes": [ids[node] for node in one.nodes],
            "time": datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=one.time),
            "outcome": one.outcome,
            "kind": one.kind,
        }
        for one in episodes
    )
    return of_rows(rows, graph.node_ids, graph.n_nodes, n_learned=learned)


def evidence(graph: Graph, count: np.ndarray, **options: Any) -> Evidence:
    """What a rule is given, with the defaults of a pass."""
    given = {"episodes": None, "learning_rate": 0.1, "min_weight": 0.1, "max_weight": 5.0,
             "since": NOW - 30 * naive.DAY, "now": NOW}  # fmt: skip
    return Evidence(graph=graph, count=count, **{**given, **options})


ranking_options = st.fixed_dictionaries(
    {
        "min_shared": st.sampled_from((1, 2, 2, 3)),
        "threshold": st.sampled_from((0.0, 0.3, 0.6, 0.8, 1.0)),
        "shrinkage": st.sampled_from((0.0, 0.0, 0.5, 1.0, 3.0)),
        "rank_by": st.sampled_from(
            ("overlap_allocation", "resource_allocation", "confidence", "surprise")
        ),
        "measure": st.sampled_from(
            ("overlap", "overlap", "jaccard", "dice", "cosine", "resource_allocation")
        ),
    }
)
"""What qualifies and what is best, as :func:`naive.qualifying` names it."""


def engine_names(options: dict[str, Any]) -> dict[str, Any]:
    """Options of :mod:`naive` as the engine names them."""
    names = {
        "min_shared": "min_shared_neighbors",
        "threshold": "confidence_threshold",
        "cap": "max_new_edges_per_node",
    }
    return {names.get(name, name): value for name, value in options.items()}


def by_identity(plain: naive.Plain) -> dict[tuple[int, int, str, bool], naive.Edge]:
    """Edges by what tells them apart."""
    return {(edge.source, edge.target, edge.relation, edge.inferred): edge for edge in plain.edges}
