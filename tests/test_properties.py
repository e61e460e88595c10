"""What a pass promises beyond its numbers: order, threads, batches, purity."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import naive
import numba
import numpy as np
import pyarrow as pa
import pytest
import strategies
from hebbgraph_kernels import _jit
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import hebbgraph
from hebbgraph import edgelist
from hebbgraph.graph import Graph
from hebbgraph.merge import merge
from hebbgraph.plasticity import competition, discovery

pytestmark = pytest.mark.usefixtures("one_thread", "compiled")

usual = settings(max_examples=100, deadline=None)
LOOSE = {"min_shared_neighbors": 1, "confidence_threshold": 0.3}
rankings = st.sampled_from(("resource_allocation", "confidence", "surprise"))


def plastify(graph: Graph, **options: Any) -> tuple[Graph, hebbgraph.PlasticityReport]:
    return hebbgraph.plastify(graph, now=strategies.MOMENT, **options)


def edges_by_id(graph: Graph) -> dict[Any, tuple[Any, ...]]:
    """Edges by ids; an inferred or undirected one by its two ends in id order."""
    plain = strategies.describe(graph)
    out = {}
    for edge in plain.edges:
        ends = plain.ids[edge.source], plain.ids[edge.target]
        if edge.inferred or not graph.directed:
            ends = min(ends), max(ends)  # type: ignore[type-var]
        out[ends, edge.relation, edge.inferred] = (
            edge.seen, edge.time, edge.shared, pytest.approx(edge.weight, rel=1e-5),
            pytest.approx(edge.confidence, nan_ok=True), pytest.approx(edge.rank, abs=1e-7, nan_ok=True),
        )  # fmt: skip
    return out


def inferred_by_id(graph: Graph) -> dict[Any, tuple[Any, ...]]:
    return {key: value[2:3] + value[4:] for key, value in edges_by_id(graph).items() if key[2]}


def identical(first: Graph, second: Graph) -> bool:
    """Equal in every array, bit for bit."""
    return strategies.describe(first).ids == strategies.describe(second).ids and all(
        (a is None and b is None) or np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        for name in (
            "indptr", "indices", "weight", "relation", "co_occurrence_count", "time",
            "updated_at", "inferred", "confidence", "shared_neighbors", "rank",
        )
        for a, b in [(getattr(first, name), getattr(second, name))]
    )  # fmt: skip


# -- order, threads, blocks, dtypes ---------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(strategies.graphs(), st.randoms(use_true_random=False), st.sampled_from((1, 2, 3)), rankings)
def test_the_order_of_nodes_and_rows_does_not_matter(
    both: tuple[naive.Plain, Graph], rng: random.Random, cap: int, rank_by: str
) -> None:
    plain, graph = both
    n = len(plain.ids)
    key = rng.sample(range(n), n)
    ids, types = [None] * n, [None] * n
    for node in range(n):
        ids[key[node]] = plain.ids[node]  # type: ignore[call-overload]
        types[key[node]] = plain.types[node] if plain.types else None  # type: ignore[call-overload]
    moved = naive.Plain(
        ids=tuple(ids),  # type: ignore[arg-type]
        edges=[
            dataclasses.replace(edge, source=key[edge.source], target=key[edge.target])
            for edge in plain.edges
        ],
        directed=plain.directed,
        types=types if plain.types else None,
    )
    rows = rng.sample(range(len(plain.edges)), len(plain.edges))
    other = strategies.build(moved, order=rows)
    options = LOOSE | {"max_new_edges_per_node": cap, "rank_by": rank_by}
    first, second = plastify(graph, **options)[0], plastify(other, **options)[0]
    assert edges_by_id(first) == edges_by_id(second)


def large_graph(directed: bool) -> Graph:
    """Thousands of rows, so that every kernel works in many blocks."""
    rng = np.random.default_rng(7)
    n, m = 4000, 20_000
    source = (n * rng.random(m) ** 3).astype(np.int64)
    return Graph.from_edges(
        source, rng.integers(0, n, m), weight=rng.integers(1, 4, m).astype(float),
        node_ids=np.arange(n), directed=directed,
    )  # fmt: skip


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("rank_by", ["resource_allocation", "surprise"])
def test_the_number_of_threads_does_not_matter(
    directed: bool, rank_by: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_jit, "SERIAL_BELOW", 0)
    graph = large_graph(directed)
    options = {"confidence_threshold": 0.2, "rank_by": rank_by, "similarity_threshold": 0.2}
    one, report = plastify(graph, **options)
    every_pair = hebbgraph.discover(graph, max_new_edges_per_node=None).to_arrow()
    assert report.weakened_edges > 0
    assert report.associations > 0
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    try:
        assert identical(plastify(graph, **options)[0], one)
        again = hebbgraph.discover(graph, max_new_edges_per_node=None).to_arrow()
        assert again.equals(every_pair)
    finally:
        numba.set_num_threads(1)


@usual
@given(strategies.any_graphs(), st.sampled_from((1, 2, 5)), rankings)
def test_the_size_of_blocks_does_not_matter(
    both: tuple[naive.Plain, Graph], size: int, rank_by: Any
) -> None:
    graph = both[1]
    options = LOOSE | {"rank_by": rank_by, "max_new_edges_per_node": None}
    whole = plastify(graph, **options)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(competition, "PAIRS_PER_BLOCK", size)
        patch.setattr(discovery, "PAIRS_PER_BLOCK", size)
        assert identical(plastify(graph, **options)[0], whole)


@usual
@given(strategies.graphs(), st.sampled_from((1, None)), rankings)
def test_wide_keys_change_nothing(
    both: tuple[naive.Plain, Graph], cap: int | None, rank_by: Any
) -> None:
    plain, graph = both
    options = LOOSE | {"max_new_edges_per_node": cap, "rank_by": rank_by}
    narrow = plastify(graph, **options)[0]
    assert narrow.indices.dtype == np.int32
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edgelist, "INT32_LIMIT", 0)
        wide = plastify(strategies.build(plain), **options)[0]
        assert wide.indices.dtype == np.int64
        assert wide.source.dtype == np.int64
    assert identical(narrow, wide)


# -- learning once ---------------------------------------------------------------------


@usual
@given(strategies.any_graphs(), rankings, st.sampled_from((1, 3, None)))
def test_a_second_pass_finds_nothing_new(
    both: tuple[naive.Plain, Graph], rank_by: Any, cap: int | None
) -> None:
    options = LOOSE | {"rank_by": rank_by, "max_new_edges_per_node": cap}
    first, _ = plastify(both[1], **options)
    second, report = plastify(first, **options)
    assert second is first
    assert not report.changed
    assert (report.updated_edges, report.strengthened_edges, report.weakened_edges) == (0, 0, 0)
    assert (report.new_associations_discovered, report.withdrawn_associations) == (0, 0)


Row = tuple[str, str, str]


def graph_of(rows: list[Row], directed: bool) -> Graph:
    source, target, relation = ([row[side] for row in rows] for side in (0, 1, 2))
    return Graph.from_edges(
        pa.array(source, pa.string()), pa.array(target, pa.string()), relation=relation,
        directed=directed,
    )  # fmt: skip


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[list[Row]], bool]:
    """Up to ten batches of new edges between named nodes."""
    directed = draw(st.booleans())
    pairs = draw(strategies.pair_lists(draw(st.integers(2, 12))))
    if not directed:
        pairs = list(dict.fromkeys((min(pair), max(pair)) for pair in pairs))
    names = draw(st.permutations(strategies.NAMES))
    relation = st.sampled_from(strategies.RELATIONS)
    rows = [(names[u], names[v], draw(relation)) for u, v in draw(st.permutations(pairs))]
    number = draw(st.sampled_from((1, 2, 3, 10)))
    return [part for part in (rows[k::number] for k in range(number)) if part], directed


GROWING_OVERLAP = [
    [("a", "b", "knows"), ("a", "c", "knows")], [("d", "b", "knows")], [("d", "c", "knows")],
]  # fmt: skip
"""b and c share first a, then d as well, at the same confidence."""


@settings(max_examples=200, deadline=None)
@given(batches(), st.sampled_from((1, 2, None)), rankings)
@example((GROWING_OVERLAP, True), None, "confidence")
def test_ten_batches_learn_what_one_does(
    batched: tuple[list[list[Row]], bool], cap: int | None, rank_by: Any
) -> None:
    parts, directed = batched
    options = LOOSE | {
        "competition_rate": 0, "max_new_edges_per_node": cap, "rank_by": rank_by,
    }  # fmt: skip
    whole, _ = plastify(graph_of([row for part in parts for row in part], directed), **options)
    grown = graph_of([], directed)
    for part in parts:
        grown, _ = plastify(merge(grown, graph_of(part, directed)), **options)
    assert edges_by_id(grown) == edges_by_id(whole)
    assert inferred_by_id(grown) == inferred_by_id(whole)
    observed = ~grown.is_inferred
    learned = 1 + 0.1 * np.log1p(grown.co_occurrence_count[observed])
    np.testing.assert_allclose(grown.weight[observed], learned, atol=1e-5)


@usual
@given(strategies.learned_graphs(), rankings, st.sampled_from((1, 3, None)))
def test_inferred_edges_are_a_function_of_the_observed_ones(
    both: tuple[naive.Plain, Graph], rank_by: Any, cap: int | None
) -> None:
    graph = both[1]
    # What use has reinforced or made inhibitory stays.
    graph = dataclasses.replace(
        graph,
        co_occurrence_count=np.where(graph.is_inferred, 0, graph.co_occurrence_count),
        weight=np.where(graph.is_inferred, np.abs(graph.weight), graph.weight),
    )
    options = LOOSE | {"rank_by": rank_by, "max_new_edges_per_node": cap}
    bare = graph.take_edges(np.flatnonzero(~graph.is_inferred))
    again, fresh = plastify(graph, **options)[0], plastify(bare, **options)[0]
    assert inferred_by_id(again) == inferred_by_id(fresh)


SQUARE: list[Row] = [("a", "x", "r"), ("a", "y", "r"), ("b", "x", "r"), ("b", "y", "r")]


def test_an_inferred_edge_that_no_longer_qualifies_is_withdrawn() -> None:
    graph, _ = plastify(graph_of(SQUARE, True))
    assert graph.n_inferred == 2
    fewer = graph.take_edges(np.flatnonzero(graph.is_inferred | (graph.source != graph.key("b"))))
    result, report = plastify(fewer)
    assert (result.n_inferred, report.withdrawn_associations) == (0, 2)
    assert result.relation_names == ("r",)


def test_an_inferred_edge_that_use_reinforced_is_kept() -> None:
    graph, _ = plastify(graph_of(SQUARE, True))
    used = np.where(graph.is_inferred & (graph.source == graph.key("a")), 2, 0).astype(np.int32)
    graph = dataclasses.replace(graph, co_occurrence_count=used)
    result, report = plastify(
        graph.take_edges(np.flatnonzero(graph.is_inferred | (graph.source != graph.key("b"))))
    )
    assert report.withdrawn_associations == 1
    kept = np.flatnonzero(result.is_inferred)
    assert result.ids_of(result.source[kept]).to_pylist() == ["a"]
    assert result.co_occurrence_count[kept].tolist() == [2]


def test_an_inferred_edge_that_data_states_becomes_observed() -> None:
    graph, _ = plastify(graph_of(SQUARE, True))
    stated = graph_of([("a", "b", "functionally_equivalent")], True)
    result = merge(graph, stated)
    edge = next(k for k in result.incident("a") if result.indices[k] == result.key("b"))
    assert not result.is_inferred[edge]
    assert result.confidence is not None
    assert result.rank is not None
    assert result.shared_neighbors is not None
    assert np.isnan(result.confidence[edge])
    assert np.isnan(result.rank[edge])
    assert result.shared_neighbors[edge] == 0
    assert result.to_arrow()["confidence"][int(edge)].as_py() is None


@usual
@given(strategies.any_graphs(), st.data())
def test_inhibitory_weights_survive(both: tuple[naive.Plain, Graph], data: st.DataObject) -> None:
    """A negative edge is moved by evidence alone, never by a floor or by competition."""
    graph = both[1]
    m = graph.n_edges
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=m, max_size=m)), np.bool_)
    weight = np.where(chosen, np.float32(-2.0), graph.weight)
    graph = dataclasses.replace(graph, weight=weight)
    result, _ = plastify(graph, learning_rate=0.0, competition_rate=0.5, discover=False)
    assert (result.weight[chosen] == -2.0).all()
    result, _ = plastify(graph, competition_rate=0.5, discover=False)
    delta = 0.1 * (
        np.log1p(result.co_occurrence_count[chosen]) - np.log1p(graph.co_occurrence_count[chosen])
    )
    np.testing.assert_allclose(result.weight[chosen], -2.0 + np.maximum(delta, 0), rtol=1e-6)


# -- purity ----------------------------------------------------------------------------


def arrays_of(graph: Graph) -> dict[str, np.ndarray]:
    names = (item.name for item in dataclasses.fields(graph))
    return {name: value for name in names if isinstance(value := getattr(graph, name), np.ndarray)}


@usual
@given(strategies.any_graphs())
def test_a_pass_leaves_its_input_alone(both: tuple[naive.Plain, Graph]) -> None:
    graph = both[1]
    before = {name: values.copy() for name, values in arrays_of(graph).items()}
    result, _ = plastify(graph, **LOOSE)
    for one in (graph, result):
        for name, values in arrays_of(one).items():
            assert not values.flags.writeable, name
    after = arrays_of(graph)
    assert after.keys() == before.keys()
    for name, values in before.items():
        np.testing.assert_array_equal(after[name], values, err_msg=name)


def test_a_pass_leaves_a_given_similarity_alone() -> None:
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2], weight=[1.0, 2.0, 1.0])
    dense = np.array([[0, 0.2, 0.9], [0.2, 0, 0.8], [0.9, 0.8, 0]])
    similarity = csr_array(dense)
    result, report = plastify(graph, similarity=similarity)
    assert report.weakened_edges == 0
    assert result.weight[0] < 1 + 0.1 * np.log(2)
    np.testing.assert_array_equal(similarity.toarray(), dense)


@usual
@given(strategies.any_graphs())
def test_both_ways_of_finding_losers_agree(both: tuple[naive.Plain, Graph]) -> None:
    """Few rivalries are settled one by one, many by the join over all pairs of targets."""
    results = []
    for number in (0, 2**62):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(competition._Contest, "rivalries", lambda _, number=number: number)
            learned, _ = plastify(both[1], similarity_threshold=0.3, discover=False)
        results.append(learned.weight.tolist())
    assert results[0] == results[1]
