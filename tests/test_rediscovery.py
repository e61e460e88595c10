"""Discovery after changes is the same as discovery from nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import hebbgraph
from hebbgraph.errors import InputError, ParameterError
from hebbgraph.graph import Graph
from hebbgraph.plasticity import discovery, rediscovery
from hebbgraph.plasticity.discovery import Discovery

COLUMNS = ("source", "target", "shared", "confidence", "rank", "tier")


def made(edges: set[tuple[int, int]], nodes: int) -> Graph:
    pairs = sorted(edges)
    return Graph.from_edges(
        np.array([a for a, _ in pairs], np.int64), np.array([b for _, b in pairs], np.int64),
        node_ids=np.arange(nodes),
    )  # fmt: skip


def same(got: Discovery, expected: Discovery) -> None:
    for name in COLUMNS:
        assert np.array_equal(getattr(got, name), getattr(expected, name)), name


@st.composite
def histories(draw: st.DrawFn) -> tuple[int, list[set[tuple[int, int]]]]:
    """Edge sets, each a few additions and removals away from the one before."""
    n = draw(st.integers(4, 14))
    end = st.integers(0, n - 1)
    edge = st.tuples(end, end).filter(lambda ends: ends[0] < ends[1])
    edges = draw(st.sets(edge, max_size=3 * n))
    steps = [edges]
    for _ in range(draw(st.integers(1, 4))):
        removed = draw(st.sets(st.sampled_from(sorted(edges)), max_size=3)) if edges else set()
        edges = (edges - removed) | draw(st.sets(edge, max_size=3))
        steps.append(edges)
    return n, steps


@pytest.mark.usefixtures("one_thread")
@settings(max_examples=150, deadline=None)
@given(histories(), strategies.ranking_options, st.sampled_from((1, 2, 3, None)))
def test_equal_to_a_whole_discovery(
    history: tuple[int, list[set[tuple[int, int]]]], options: dict[str, Any], cap: int | None
) -> None:
    n, steps = history
    named = strategies.engine_names(options) | {"max_new_edges_per_node": cap}
    before = made(steps[0], n)
    found = hebbgraph.discover(before, **named)
    with pytest.MonkeyPatch.context() as patch:
        # Small graphs would otherwise all be discovered anew.
        patch.setattr(rediscovery, "WORTH_IT", 10**9)
        for edges in steps[1:]:
            graph = made(edges, n)
            got = hebbgraph.rediscover(graph, before=before, found=found, **named)
            same(got, hebbgraph.discover(graph, **named))
            before, found = graph, got


@pytest.mark.parametrize("rank_by", ["overlap_allocation", "confidence", "surprise"])
def test_new_nodes_and_a_larger_graph(rank_by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rediscovery, "WORTH_IT", 10**9)
    rng = np.random.default_rng(0)
    source = (300 * rng.random(2500) ** 2).astype(np.int64)
    target = rng.integers(0, 300, 2500)
    before = Graph.from_edges(source[:-20], target[:-20], node_ids=np.arange(300))
    after = Graph.from_edges(
        np.append(source, [300, 300]), np.append(target, [1, 2]), node_ids=np.arange(301)
    )
    options = {"rank_by": rank_by, "confidence_threshold": 0.2}
    found = hebbgraph.discover(before, **options)
    got = hebbgraph.rediscover(after, before=before, found=found, **options)
    same(got, hebbgraph.discover(after, **options))


def test_little_is_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    source, target = rng.integers(0, 3000, (2, 9000))
    before = Graph.from_edges(source, target, node_ids=np.arange(3000))
    after = Graph.from_edges(np.append(source, 5), np.append(target, 9), node_ids=np.arange(3000))
    found = hebbgraph.discover(before)
    looked_up = []
    pairs_of = discovery.pairs_of
    monkeypatch.setattr(
        discovery, "pairs_of",
        lambda nodes, *rest, **options: looked_up.append(nodes.size) or pairs_of(
            nodes, *rest, **options
        ),
    )  # fmt: skip
    monkeypatch.setattr(rediscovery, "find", None)
    same(hebbgraph.rediscover(after, before=before, found=found), hebbgraph.discover(after))
    assert 2 <= looked_up[0] < 60


def test_another_graph_is_refused() -> None:
    graph = Graph.from_edges(["a", "b"], ["x", "x"])
    other = Graph.from_edges(["c", "b"], ["x", "x"])
    found = hebbgraph.discover(graph)
    with pytest.raises(InputError, match="begins with the 3 nodes of the one before"):
        hebbgraph.rediscover(other, before=graph, found=found)


def test_a_discovery_of_something_else_is_refused() -> None:
    graph = Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
    other = Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "a"])
    twin = Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
    found = hebbgraph.discover(graph)
    same(hebbgraph.rediscover(other, before=twin, found=found), hebbgraph.discover(other))
    with pytest.raises(InputError, match=r"^found: expected a discovery on the graph before"):
        hebbgraph.rediscover(graph, before=other, found=found)
    parts = (
        hebbgraph.discover(graph, nodes=["a"]), hebbgraph.discover(graph, pairs=[("a", "b")]),
        found.take(np.array([0])),
    )  # fmt: skip
    for part in parts:
        with pytest.raises(InputError, match=r"^found: expected a whole discovery, got one of"):
            hebbgraph.rediscover(graph, before=graph, found=part)


def test_types_of_nodes_are_part_of_what_was_before() -> None:
    plain = Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
    typed = [
        plain.with_nodes(pa.table({"id": ["a", "b", "x", "y"], "type": list(types)}))
        for types in ("ppqq", "qqpp")
    ]
    found = hebbgraph.discover(typed[0], node_types=["p"])
    with pytest.raises(InputError, match=r"^found: expected a discovery on the graph before"):
        hebbgraph.rediscover(typed[1], before=typed[1], found=found, node_types=["p"])


@pytest.mark.parametrize(
    "options",
    [
        {"confidence_threshold": 0.5}, {"rank_by": "confidence"}, {"max_new_edges_per_node": None},
        {"max_false_discovery_rate": 0.1}, {"nodes": ["a"]}, {"luck": 1},
    ],
)  # fmt: skip
def test_other_options_than_before_are_refused(options: dict[str, Any]) -> None:
    graph = Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
    found = hebbgraph.discover(graph)
    with pytest.raises(ParameterError, match=rf"^{next(iter(options))}: expected [^\n]*$"):
        hebbgraph.rediscover(graph, before=graph, found=found, **options)
    again = hebbgraph.rediscover(graph, before=graph, found=found)
    same(hebbgraph.rediscover(graph, before=graph, found=again), found)
