"""What discovery proposes, against plain loops and SciPy: shapes, options, chance, order, threads."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import random
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import naive
import numba
import numpy as np
import pyarrow as pa
import pytest
import strategies
from hebbgraph_kernels import _jit
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import hebbgraph
from hebbgraph import edgelist
from hebbgraph.errors import NodeNotFoundError, ParameterError
from hebbgraph.graph import Graph
from hebbgraph.plasticity import discovery
from hebbgraph.plasticity.parameters import DiscoveryParameters
from hebbgraph.plasticity.significance import significant

pytestmark = pytest.mark.usefixtures("one_thread", "compiled")

usual = settings(max_examples=100, deadline=None)
RANKINGS = ("overlap_allocation", "resource_allocation", "confidence", "surprise")
MEASURES = ("overlap", "jaccard", "dice", "cosine", "resource_allocation")
caps = st.sampled_from((1, 3, None))
rates = st.sampled_from((Fraction(0), Fraction("0.00517"), Fraction("0.0517"), Fraction("0.517")))
"""Rates that no fraction of small numbers equals."""


def hold(plain: naive.Plain, got: hebbgraph.Discovery, expected: list[naive.Pair]) -> None:
    pairs = list(zip(got.source.tolist(), got.target.tolist(), strict=True))
    assert pairs == [(pair.source, pair.target) for pair in expected]
    assert got.shared.tolist() == [pair.shared for pair in expected]
    assert got.relation.tolist() == [pair.relation for pair in expected]
    np.testing.assert_allclose(
        got.confidence, [pair.confidence for pair in expected], rtol=1e-14, atol=1e-9
    )
    np.testing.assert_allclose(got.rank, [pair.rank for pair in expected], atol=1e-7)
    rows = got.to_arrow()
    assert rows["source"].to_pylist() == [plain.ids[pair.source] for pair in expected]
    assert rows["target"].to_pylist() == [plain.ids[pair.target] for pair in expected]


# -- shapes ----------------------------------------------------------------------------


def scattered(n: int, m: int, seed: int) -> list[tuple[int, int]]:
    rng = random.Random(seed)
    return [tuple(rng.sample(range(n), 2)) for _ in range(m)]  # type: ignore[misc]


def multipartite(*sides: int) -> list[tuple[int, int]]:
    ends = [0, *itertools.accumulate(sides)]
    parts = [range(low, high) for low, high in itertools.pairwise(ends)]
    return [(u, v) for a, b in itertools.combinations(parts, 2) for u in a for v in b]


SHAPES: dict[str, tuple[int, list[tuple[int, int]]]] = {
    "random": (26, scattered(26, 90, 1)),
    "skewed": (30, [(u * u // 30, v) for u, v in scattered(30, 110, 2)]),
    "bipartite": (28, [(u % 9, 9 + v % 19) for u, v in scattered(1000, 70, 3)]),
    "star": (14, [(5, leaf) for leaf in range(14) if leaf != 5]),
    "clique": (9, list(itertools.combinations(range(9), 2))),
    "two cliques": (15, multipartite(1, 1, 1, 1, 1, 1, 1, 1) + [(u + 7, v + 7) for u, v in multipartite(1, 1, 1, 1, 1, 1, 1, 1)]),
    "multipartite": (18, multipartite(2, 3, 5, 8)),
    "complete bipartite": (30, multipartite(4, 26)),
    "no edge": (6, []),
    "one edge": (3, [(2, 0)]),
}  # fmt: skip


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_measure_and_ranking(shape: str, measure: Any) -> None:
    n, pairs = SHAPES[shape]
    plain = naive.Plain(tuple(range(n)), [naive.Edge(u, v) for u, v in pairs if u != v])
    graph = Graph.from_edges(
        np.array([edge.source for edge in plain.edges], np.int64),
        np.array([edge.target for edge in plain.edges], np.int64), node_ids=np.arange(n),
    )  # fmt: skip
    for threshold, min_shared, shrinkage in ((0.5, 2, 0.0), (0.1, 1, 1.5)):
        options = {"threshold": threshold, "min_shared": min_shared, "shrinkage": shrinkage}
        for rank_by, cap in itertools.product(RANKINGS, (1, 3, None)):
            named = options | {"measure": measure, "rank_by": rank_by, "cap": cap}
            got = hebbgraph.discover(graph, **strategies.engine_names(named))
            expected = naive.discover(plain, **named)
            hold(plain, got, expected)
            hold(plain, got, naive.discover(plain, by=naive.qualifying_by_products, **named))


def test_what_the_shapes_must_find() -> None:
    """On paper: nothing in a clique, all pairs of leaves of a star, all within a part."""
    found = {
        shape: len(hebbgraph.discover(
            Graph.from_edges(
                np.array([u for u, _ in pairs], np.int64), np.array([v for _, v in pairs], np.int64),
                node_ids=np.arange(n),
            ),
            min_shared_neighbors=1, max_new_edges_per_node=None,
        ))
        for shape, (n, pairs) in SHAPES.items()
    }  # fmt: skip
    parts = {"multipartite": (2, 3, 5, 8), "complete bipartite": (4, 26), "star": (1, 13)}
    for shape, sides in parts.items():
        assert found[shape] == sum(side * (side - 1) // 2 for side in sides)
    assert found["clique"] == found["no edge"] == found["one edge"] == 0


# -- options ---------------------------------------------------------------------------


def test_one_side_of_a_bipartite_graph() -> None:
    n, pairs = SHAPES["bipartite"]
    names = [f"{'left' if node < 9 else 'right'} {node}" for node in range(n)]
    types = ["passage" if node < 9 else "term" for node in range(n)]
    graph = Graph.from_edges([names[u] for u, _ in pairs], [names[v] for _, v in pairs])
    graph = graph.with_nodes(pa.table({"id": names, "type": types}))
    plain = strategies.describe(graph)
    options = {"min_shared": 1, "threshold": 0.3, "cap": None}
    sides = {}
    for kind in ("passage", "term"):
        named = options | {"node_types": [kind]}
        got = hebbgraph.discover(graph, **strategies.engine_names(named))
        hold(plain, got, naive.discover(plain, **named))
        side = "left" if kind == "passage" else "right"
        ids = got.to_arrow()["source"].to_pylist() + got.to_arrow()["target"].to_pylist()
        assert all(name.startswith(side) for name in ids)
        sides[kind] = len(got)
    both = hebbgraph.discover(graph, **strategies.engine_names(options))
    assert sides["passage"] > 0
    assert sides["term"] > 0
    assert len(both) == sum(sides.values())
    with pytest.raises(ParameterError, match=r"node_types: no node is of type 'verb'; there are"):
        hebbgraph.discover(graph, node_types=["term", "verb"])


@usual
@given(strategies.any_graphs(), strategies.ranking_options, caps, st.data())
def test_nodes(
    both: tuple[naive.Plain, Graph], options: dict[str, Any], cap: int | None, data: st.DataObject
) -> None:
    plain, graph = both
    keys = data.draw(st.lists(st.integers(0, len(plain.ids) - 1), max_size=5))
    named = options | {"cap": cap}
    got = hebbgraph.discover(
        graph, nodes=[plain.ids[key] for key in keys], **strategies.engine_names(named)
    )
    hold(plain, got, naive.discover(plain, nodes=keys, **named))


@usual
@given(strategies.any_graphs(), strategies.ranking_options, caps)
def test_all_nodes_are_the_same_as_none_in_particular(
    both: tuple[naive.Plain, Graph], options: dict[str, Any], cap: int | None
) -> None:
    plain, graph = both
    named = strategies.engine_names(options | {"cap": cap})
    every = hebbgraph.discover(graph, **named)
    named["nodes"] = iter(plain.ids)
    assert hebbgraph.discover(graph, **named).to_arrow().equals(every.to_arrow())


@usual
@given(strategies.any_graphs(), strategies.ranking_options, st.data())
def test_pairs(
    both: tuple[naive.Plain, Graph], options: dict[str, Any], data: st.DataObject
) -> None:
    """Scored as they are, in order and once, whether they qualify, or are joined, or not."""
    plain, graph = both
    around = naive.neighbourhoods(len(plain.ids), plain.edges)
    scoring = {name: options[name] for name in ("shrinkage", "rank_by", "measure")}
    possible = list(itertools.permutations(around, 2))
    chosen = data.draw(st.lists(st.sampled_from(possible), max_size=8)) if possible else []
    got = hebbgraph.discover(
        graph, pairs=((plain.ids[a], plain.ids[b]) for a, b in chosen),
        **strategies.engine_names(options),
    )  # fmt: skip
    unique = sorted({(min(pair), max(pair)) for pair in chosen})
    hold(plain, got, [naive.paired(around, a, b, **scoring) for a, b in unique])


@usual
@given(strategies.any_graphs(), strategies.ranking_options, caps)
def test_proposals_score_as_pairs_what_they_were_proposed_at(
    both: tuple[naive.Plain, Graph], options: dict[str, Any], cap: int | None
) -> None:
    graph = both[1]
    named = strategies.engine_names(options | {"cap": cap})
    found = hebbgraph.discover(graph, **named).to_arrow()
    ends = zip(found["source"].to_pylist(), found["target"].to_pylist(), strict=True)
    assert hebbgraph.discover(graph, pairs=ends, **named).to_arrow().equals(found)


def test_nodes_and_pairs_that_are_refused(web: Graph) -> None:
    with pytest.raises(ParameterError, match=r"expected nodes or pairs, got both$"):
        hebbgraph.discover(web, nodes=["Django"], pairs=[("Django", "FastAPI")])
    with pytest.raises(ParameterError, match=r"expected nodes or pairs, got both$"):
        hebbgraph.discover(web, nodes=[], pairs=[])
    with pytest.raises(
        NodeNotFoundError, match=r'^no node "Djang" among 6; did you mean "Django"\?$'
    ):
        hebbgraph.discover(web, nodes=["FastAPI", "Djang"])
    with pytest.raises(NodeNotFoundError, match=r'^no node "Zope" among 6$'):
        hebbgraph.discover(web, pairs=[("Django", "FastAPI"), ("Zope", "Django")])
    with pytest.raises(ParameterError, match=r"expected two different nodes in each, got one node"):
        hebbgraph.discover(web, pairs=[("Django", "Django")])
    keys = Graph.from_edges([0, 1], [2, 2])
    for node in (3, "0.0", True):
        with pytest.raises(NodeNotFoundError, match=r"^no node .* among 3; ids are the integers 0"):
            hebbgraph.discover(keys, nodes=[node])  # type: ignore[list-item]


@pytest.mark.parametrize("pairs", [[(0,)], [(0, 1, 2)], [0], 5, "01", ["01"], [(0, 1), None]])
def test_pairs_that_are_no_pairs(pairs: Any) -> None:
    graph = Graph.from_edges([0, 0, 1, 1], [2, 3, 2, 3])
    with pytest.raises(ParameterError, match=r"^pairs: expected pairs of node ids.*, got [^\n]+$"):
        hebbgraph.discover(graph, pairs=pairs)


@pytest.mark.parametrize("nodes", [5.0, object(), np.float64(0)])
def test_nodes_that_are_no_nodes(nodes: Any) -> None:
    graph = Graph.from_edges([0, 0, 1, 1], [2, 3, 2, 3])
    with pytest.raises(ParameterError, match=r"^nodes: expected node ids, got [^\n]+$"):
        hebbgraph.discover(graph, nodes=nodes)


@pytest.mark.parametrize(
    "node", [-1, 2**70, "a", "9" * 5000, "\ud800", None, [1], (), {}, b"0", 1j, np.arange(3), 0.5]
)
def test_nodes_that_are_not_there(web: Graph, node: Any) -> None:
    far = Graph.from_arrow({"source": [10, 10], "target": [20, 30]})
    for graph in (web, far, Graph.from_edges([0, 0, 1, 1], [2, 3, 2, 3])):
        with pytest.raises(NodeNotFoundError, match=r"^no node [^\n]* among \d[^\n]*$"):
            hebbgraph.discover(graph, nodes=[node])
        with pytest.raises(NodeNotFoundError, match=r"^no node [^\n]* among \d[^\n]*$"):
            hebbgraph.discover(graph, pairs=[(node, node)])


@pytest.mark.parametrize("options", [{"node_types": ["p"]}, {"max_false_discovery_rate": 0.1}])
def test_pairs_are_all_scored(web: Graph, options: dict[str, Any]) -> None:
    with pytest.raises(
        ParameterError, match=rf"^{next(iter(options))}: expected none beside pairs"
    ):
        hebbgraph.discover(web, pairs=[("Django", "FastAPI")], **options)


@pytest.mark.parametrize(
    "options",
    [
        {"max_new_edges_per_node": 3}, {"nodes": ["Django"]}, {"pairs": []},
        {"max_false_discovery_rate": 0.1}, {"luck": 1},
    ],
)  # fmt: skip
def test_options_that_have_no_meaning_in_batches(web: Graph, options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=rf"^{next(iter(options))}: expected [^\n]+$"):
        hebbgraph.discover_batches(web, **options)
    hebbgraph.discover_batches(web, max_new_edges_per_node=None, nodes=None)


def test_one_numpy_integer_is_one_node() -> None:
    graph = Graph.from_edges([0, 0, 1, 1], [2, 3, 2, 3])
    assert len(hebbgraph.discover(graph, nodes=np.int64(0))) == 1  # type: ignore[arg-type]


def test_without_a_cap_memory_goes_with_what_is_found() -> None:
    """Tables as wide as the graph would take 24 bytes times 1,000 nodes times 50,000."""
    n = 50_000
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    options: dict[str, Any] = {"min_shared_neighbors": 1, "confidence_threshold": 0.5}
    hebbgraph.discover(graph, nodes=[0], max_new_edges_per_node=None, **options)
    tracemalloc.start()
    found = hebbgraph.discover(
        graph, nodes=range(1000), max_new_edges_per_node=None, **options
    )  # fmt: skip
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 1000
    assert peak < 40_000_000


def test_one_node_and_no_node(web: Graph) -> None:
    assert len(hebbgraph.discover(web, nodes=[])) == len(hebbgraph.discover(web, pairs=[])) == 0
    one = hebbgraph.discover(web, nodes="Django").to_arrow()
    assert one.equals(hebbgraph.discover(web, nodes=["Django", "Django"]).to_arrow())
    assert one.select(["source", "target"]).to_pylist() == [
        {"source": "Django", "target": "FastAPI"}
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"min_shared_neighbors": 0}, {"min_shared_neighbors": 1.5}, {"min_shared_neighbors": 2**31},
        {"confidence_threshold": -0.1}, {"confidence_threshold": 1.1},
        {"confidence_threshold": float("nan")}, {"max_new_edges_per_node": 0},
        {"max_new_edges_per_node": True}, {"rank_by": "luck"}, {"measure": "surprise"},
        {"shrinkage": -1}, {"shrinkage": float("inf")}, {"shrinkage": "much"},
        {"max_false_discovery_rate": 1.01}, {"max_false_discovery_rate": -0.01},
    ],
)  # fmt: skip
def test_options_out_of_range(web: Graph, options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=rf"^{next(iter(options))}: expected .*, got [^\n]+$"):
        hebbgraph.discover(web, **options)


# -- ties ------------------------------------------------------------------------------


def star_of(
    middles: list[tuple[int, ...]], leaves: tuple[int, ...] = ()
) -> Graph:  # fmt: skip
    """Node 0 with partners 1, 2: middles (degree, *ends); each of ``leaves`` has a neighbour more."""
    edges, fresh = [], 3
    for degree, *ends in middles:
        middle = fresh
        fresh += 1
        edges += [(end, middle) for end in ends]
        for _ in range(degree - len(ends)):
            edges.append((middle, fresh))
            fresh += 1
    for node in leaves:
        edges.append((node, fresh))
        fresh += 1
    return Graph.from_edges([u for u, _ in edges], [v for _, v in edges])


@pytest.mark.parametrize("degrees", [((15, 15, 29), (10, 29, 30)), ((38, 38, 46), (19, 92, 92))])
def test_equal_sums_of_resource_allocation_tie(degrees: Any) -> None:
    """1/15 + 1/15 + 1/29 = 1/10 + 1/29 + 1/30: all else equal, the smaller id is first."""
    for first, second in (degrees, degrees[::-1]):
        graph = star_of([(d, 0, 1) for d in first] + [(d, 0, 2) for d in second])
        for nodes in ([0], None):
            found = hebbgraph.discover(
                graph, nodes=nodes, max_new_edges_per_node=1, rank_by="resource_allocation"
            )
            ends = set(zip(found.source.tolist(), found.target.tolist(), strict=True))
            assert (0, 1) in ends
            assert len(set(found.rank[found.source == 0].tolist())) == 1


def test_equal_overlap_allocations_tie() -> None:
    """(1/2 + 1/6)·2/(2 + 4 + 4) = (1/3 + 1/5)·2/(2 + 2 + 4) = 2/15: confidence decides, 1 > ½."""
    graph = star_of([(2, 0, 1), (6, 0, 1), (3, 0, 2), (5, 0, 2)], leaves=(1, 1))
    found = hebbgraph.discover(
        graph, nodes=[0], max_new_edges_per_node=1, confidence_threshold=0.3,
        rank_by="overlap_allocation",
    )  # fmt: skip
    assert (found.target.tolist(), found.confidence.tolist()) == ([2], [1.0])


@usual
@given(strategies.any_graphs(), strategies.ranking_options, st.data())
def test_standing_is_the_place_in_the_whole_list(
    both: tuple[naive.Plain, Graph], options: dict[str, Any], data: st.DataObject
) -> None:
    plain, graph = both
    around = naive.neighbourhoods(len(plain.ids), plain.edges)
    lists = naive.best(naive.qualifying(around, **options), plain.ids, None)
    if len(plain.ids) < 2:
        return
    a, b = data.draw(st.sampled_from(list(itertools.permutations(around, 2))))
    named = strategies.engine_names(options)
    order = [pair.other(a) for pair in lists[a]]
    wanted = (order.index(b) + 1, len(order)) if b in order else None
    partners = hebbgraph.Partners(graph, **named)
    got = partners.standing(plain.ids[a], plain.ids[b])
    assert (None if got is None else (got.position, got.partners)) == wanted
    back = partners.standing(plain.ids[b], plain.ids[a])
    why = hebbgraph.explain(
        graph, plain.ids[a], plain.ids[b], parameters=DiscoveryParameters(**named)
    )
    assert (why.source_standing, why.target_standing) == (got, back)
    assert (got is None) == (back is None)


# -- chance ----------------------------------------------------------------------------


@usual
@given(strategies.any_graphs(), strategies.ranking_options, caps, rates, st.data())
def test_false_discovery_rate(
    both: tuple[naive.Plain, Graph], options: dict[str, Any], cap: int | None, rate: Fraction,
    data: st.DataObject,
) -> None:  # fmt: skip
    plain, graph = both
    present = sorted({name for name in plain.types or () if name})
    types = data.draw(st.none() | st.just([present[0]])) if present else None
    named = options | {"cap": cap, "node_types": types}
    around = naive.neighbourhoods(len(plain.ids), plain.edges)
    pairs = naive.discover(plain, **named)
    nodes = sum(1 for near in around.values() if near) - 2
    chances = [
        naive.tail(pair.shared, len(around[pair.source]), len(around[pair.target]), nodes)
        for pair in pairs
    ]
    tests = naive.unjoined(around, naive.typed(plain, types))
    kept = naive.significant(chances, tests, rate)
    got = hebbgraph.discover(
        graph, max_false_discovery_rate=float(rate), **strategies.engine_names(named)
    )
    hold(plain, got, list(itertools.compress(pairs, kept)))


def test_a_planted_overlap_is_no_chance_and_the_rest_is() -> None:
    rng = random.Random(8)
    pairs = [(node, 40 + k) for node in (0, 1) for k in range(12)]
    pairs += [(node, 40 + rng.randrange(400)) for node in range(2, 40) for _ in range(12)]
    graph = Graph.from_edges([u for u, _ in pairs], [v for _, v in pairs])
    options = {"min_shared_neighbors": 1, "confidence_threshold": 0.0}
    every = hebbgraph.discover(graph, max_new_edges_per_node=None, **options)
    found = hebbgraph.discover(
        graph, max_new_edges_per_node=None, max_false_discovery_rate=0.01, **options
    )
    assert len(every) > 500
    assert (0, 1) in set(zip(found.source.tolist(), found.target.tolist(), strict=True))
    assert not any(2 <= node < 40 for node in found.source.tolist())


@pytest.mark.parametrize("types", [None, ["passage"]])
@pytest.mark.parametrize("cap", [1, None])
def test_as_many_tests_as_pairs_that_might_have_been(types: Any, cap: int | None) -> None:
    """At rates so close that one test more or less shows: isolated nodes and other types are none."""
    rng = random.Random(6)
    edges = [naive.Edge(*sorted(rng.sample(range(26), 2))) for _ in range(75)]
    for shared in (3, 4, 5, 6):
        twice = 3 * shared + 1, 3 * shared + 2
        edges += [naive.Edge(node, 26 + k) for node in twice for k in range(shared)]
    plain = naive.Plain(
        tuple(range(40)), sorted(set(edges), key=lambda edge: edge.ends),
        types=["passage" if node % 3 else "term" for node in range(40)],
    )  # fmt: skip
    graph = strategies.build(plain)
    around = naive.neighbourhoods(40, plain.edges)
    named = {"min_shared": 1, "threshold": 0.2, "cap": cap, "node_types": types}
    pairs = naive.discover(plain, **named)
    population = sum(1 for near in around.values() if near) - 2
    chances = [
        naive.tail(pair.shared, len(around[pair.source]), len(around[pair.target]), population)
        for pair in pairs
    ]
    tests = naive.unjoined(around, naive.typed(plain, types))
    sizes = set()
    for p, k in itertools.product(sorted(set(chances))[:6], range(1, 7)):
        for nudge in (Fraction(999, 1000), Fraction(1001, 1000)):
            rate = Fraction(float(p * tests / k * nudge))
            if rate < 1:
                kept = list(itertools.compress(pairs, naive.significant(chances, tests, rate)))
                got = hebbgraph.discover(
                    graph, max_false_discovery_rate=float(rate), **strategies.engine_names(named)
                )
                hold(plain, got, kept)
                sizes.add(len(kept))
    assert len(sizes) > 3, sizes


@usual
@given(strategies.any_graphs(), strategies.ranking_options, caps)
def test_everything_stands_at_a_rate_of_one(
    both: tuple[naive.Plain, Graph], options: dict[str, Any], cap: int | None
) -> None:
    """p ≤ 1·tests/tests for every test, also those not given (p = 1)."""
    named = strategies.engine_names(options | {"cap": cap})
    every = hebbgraph.discover(both[1], **named)
    kept = hebbgraph.discover(both[1], max_false_discovery_rate=1.0, **named)
    assert kept.to_arrow().equals(every.to_arrow())


def test_surprise_of_a_joined_pair_by_hand() -> None:
    """0 and 1 are joined, and share 2 of the others 2 … 6: each has 2 of 5, so 1 of 10 draws."""
    graph = Graph.from_edges([0, 0, 0, 1, 1, 4, 5], [1, 2, 3, 2, 3, 5, 6])
    scored = hebbgraph.discover(graph, pairs=[(0, 1)], rank_by="surprise")
    assert scored.rank[0] == pytest.approx(1.0, abs=1e-6)
    assert hebbgraph.explain(graph, 0, 1).surprise == pytest.approx(1.0, abs=1e-6)


surprises = st.lists(st.integers(0, 90).map(lambda k: 0.0123 + 0.137 * k), max_size=25)


@settings(max_examples=300, deadline=None)
@given(surprises, st.sampled_from((0, 1, 7, 500)), st.sampled_from((0.001, 0.05, 0.3, 0.99)))
def test_significant(surprise: list[float], more: int, rate: float) -> None:
    """As SciPy adjusts chances, of which those not given are 1; ties stand or fall together."""
    tests = len(surprise) + more
    got = significant(np.array(surprise), tests, rate).tolist()
    chance = np.append(10.0 ** -np.array(surprise), np.ones(more))
    adjusted = stats.false_discovery_control(chance) if tests else chance
    assert got == (adjusted[: len(surprise)] <= rate).tolist()
    exact = [Fraction(float(p)) for p in chance[: len(surprise)]]
    assert got == naive.significant(exact, tests, Fraction(rate))


def test_significant_at_the_ends() -> None:
    surprise = np.array([300.0, 0.0, 2.0])
    assert significant(surprise, 3, 0.0).tolist() == [False] * 3
    for tests in (3, 10**12):
        assert significant(surprise, tests, 1.0).tolist() == [True] * 3
    assert significant(surprise, 10**12, 0.01).tolist() == [True, False, False]
    assert significant(surprise[:0], 10**12, 0.5).tolist() == []
    assert significant(surprise[:0], 0, 0.5).tolist() == []


# -- order, blocks, threads ------------------------------------------------------------


@usual
@given(strategies.graphs(), strategies.ranking_options, caps, st.randoms(use_true_random=False))
def test_keys_of_nodes_do_not_matter(
    both: tuple[naive.Plain, Graph], options: dict[str, Any], cap: int | None, rng: random.Random
) -> None:
    """Ids given in another order get other keys, and the same pairs of ids come out."""
    plain, graph = both
    n = len(plain.ids)
    key = rng.sample(range(n), n)
    ids = [plain.ids[key.index(node)] for node in range(n)]
    edges = [
        dataclasses.replace(edge, source=key[edge.source], target=key[edge.target])
        for edge in plain.edges
    ]
    moved = strategies.build(naive.Plain(tuple(ids), edges, plain.directed))
    named = strategies.engine_names(options | {"cap": cap})
    assert by_ids(hebbgraph.discover(moved, **named)) == by_ids(hebbgraph.discover(graph, **named))


def by_ids(found: hebbgraph.Discovery) -> list[tuple[Any, ...]]:
    """Rows by the ids of their ends, smaller first, to the last bit."""
    rows = found.to_arrow().to_pylist()
    return sorted((*sorted((row.pop("source"), row.pop("target"))), *row.values()) for row in rows)


@pytest.mark.parametrize("rank_by", RANKINGS)
@pytest.mark.parametrize("cap", [2, None])
def test_names_of_nodes_do_not_matter(rank_by: Any, cap: int | None) -> None:
    around = strategies.skewed(400, 1600, 5)
    ends = [(u, v) for u in around for v in around[u] if u < v]
    width = len(str(len(around)))
    names = [f"n{node:0{width}}" for node in around]
    found = []
    for seed in range(3):
        rng = random.Random(seed)
        order = rng.sample(names, len(names))
        rows = [(names[u], names[v])[:: rng.choice((1, -1))] for u, v in ends]
        rng.shuffle(rows)
        graph = Graph.from_edges(
            [row[0] for row in rows], [row[1] for row in rows], node_ids=order
        )  # fmt: skip
        got = hebbgraph.discover(
            graph, rank_by=rank_by, max_new_edges_per_node=cap, confidence_threshold=0.3
        )
        found.append(by_ids(got))
    assert len(found[0]) > 100
    assert found[0] == found[1] == found[2]


@usual
@given(strategies.graphs(), strategies.ranking_options, caps, st.sampled_from((1, 2, 5)))
def test_blocks_and_wide_keys_do_not_matter(
    both: tuple[naive.Plain, Graph], options: dict[str, Any], cap: int | None, size: int
) -> None:
    plain, graph = both
    named = strategies.engine_names(options | {"cap": cap})
    whole = hebbgraph.discover(graph, **named).to_arrow()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discovery, "PAIRS_PER_BLOCK", size)
        assert hebbgraph.discover(graph, **named).to_arrow().equals(whole)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edgelist, "INT32_LIMIT", 0)
        wide = hebbgraph.discover(strategies.build(plain), **named)
    assert wide.source.dtype == np.int64
    assert wide.to_arrow().equals(whole)


def everything(threads: int) -> list[list[list[Any]]]:
    """What every kernel of discovery finds on a graph of many blocks, to the last bit."""
    numba.set_num_threads(threads)
    around = strategies.skewed(2500, 14_000, 9)
    ends = np.array([(u, v) for u in around for v in around[u] if u < v])
    graph = Graph.from_edges(ends[:, 0], ends[:, 1], node_ids=np.arange(len(around)))
    out = []
    for measure, rank_by in (
        ("overlap", "overlap_allocation"), ("cosine", "resource_allocation"),
        ("jaccard", "surprise"), ("resource_allocation", "confidence"),
    ):  # fmt: skip
        options: dict[str, Any] = {
            "min_shared_neighbors": 1, "confidence_threshold": 0.1, "measure": measure,
            "rank_by": rank_by,
        }  # fmt: skip
        best = hebbgraph.discover(graph, max_new_edges_per_node=2, **options)
        some = hebbgraph.discover(graph, nodes=range(0, 2500, 3), **options)
        every = hebbgraph.discover(graph, max_new_edges_per_node=None, **options)
        assert 500 < len(some) < len(every)
        for found in (best, some, every):
            columns = (found.source, found.target, found.shared, found.confidence, found.rank)
            out.append([column.tolist() for column in columns])
    return out


def test_the_number_of_threads_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One, as many as there are, and eight, which share the processors that there are."""
    monkeypatch.setattr(_jit, "SERIAL_BELOW", 0)
    try:
        one = everything(1)
        assert everything(min(2, numba.config.NUMBA_NUM_THREADS)) == one
    finally:
        numba.set_num_threads(1)
    result = subprocess.run(
        [sys.executable, __file__, str(tmp_path / "eight.json")],
        env=os.environ | {"NUMBA_NUM_THREADS": "8"}, capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert json.loads((tmp_path / "eight.json").read_text()) == one


if __name__ == "__main__":
    _jit.SERIAL_BELOW = 0
    Path(sys.argv[1]).write_text(json.dumps(everything(8)))
