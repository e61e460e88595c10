"""Every rule, and the whole pass, against the plain loops of naive.py."""

from __future__ import annotations

import dataclasses
from typing import Any

import naive
import numpy as np
import pytest
import strategies
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

import hebbgraph
from hebbgraph.graph import Graph
from hebbgraph.plasticity import hebbian
from hebbgraph.plasticity.competition import compete
from hebbgraph.plasticity.cooccurrence import cooccurrence
from hebbgraph.plasticity.metrics import graph_score, node_metrics
from hebbgraph.plasticity.neighborhood import observed_neighborhood

pytestmark = pytest.mark.usefixtures("one_thread")

thorough = settings(max_examples=150, deadline=None)
caps = st.sampled_from((1, 2, 3, None))
node_types = st.sampled_from((None, None, None, ("person",), ("person", "개념")))
rates = st.sampled_from((0.0, 0.1, 1.0))
bounds = st.sampled_from(((0.1, 5.0), (0.0, 2.0), (1.0, 1.0)))


def known_types(plain: naive.Plain, wanted: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The wanted types that occur: the engine refuses others."""
    present = [name for name in wanted or () if plain.types and name in plain.types]
    return tuple(present) or None


@thorough
@given(strategies.any_graphs())
def test_neighbourhoods(both: tuple[naive.Plain, Graph]) -> None:
    plain, graph = both
    expected = naive.neighbourhoods(graph.n_nodes, plain.edges)
    around = observed_neighborhood(graph)
    assert [around.of(node).tolist() for node in expected] == [
        sorted(expected[v]) for v in expected
    ]
    assert graph.degree.tolist() == [len(expected[node]) for node in expected]


@thorough
@given(strategies.any_graphs(), st.sampled_from((0, 1, 30, 1000)))
def test_cooccurrence(both: tuple[naive.Plain, Graph], days: int) -> None:
    plain, graph = both
    since = strategies.NOW - days * naive.DAY
    got = cooccurrence(graph, observed_neighborhood(graph), since=since)
    assert got.tolist() == naive.cooccurrence(plain, since)


@thorough
@given(strategies.any_graphs(), st.data(), rates, bounds)
def test_strengthening(
    both: tuple[naive.Plain, Graph], data: st.DataObject, rate: float, bound: tuple[float, float]
) -> None:
    plain, graph = both
    m = graph.n_edges
    count = data.draw(st.lists(st.integers(0, 12), min_size=m, max_size=m))
    got = hebbian.rule(
        strategies.evidence(
            graph, np.array(count, np.int32), learning_rate=rate, min_weight=bound[0],
            max_weight=bound[1],
        )
    )  # fmt: skip
    expected = [
        naive.strengthened(edge.weight, edge.seen, f, rate=rate, low=bound[0], high=bound[1])
        for edge, f in zip(plain.edges, count, strict=True)
    ]
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
    assert got.dtype == np.float32


def _compete(graph: Graph, count: list[int], **options: Any) -> list[float]:
    weight = compete(
        graph, graph.weight, np.array(count, np.int32),
        observed_neighborhood(graph), competition_rate=options.pop("rate"),
        min_weight=options.pop("low"), **options,
    )  # fmt: skip
    return weight.tolist()


@settings(max_examples=200, deadline=None)
@given(
    strategies.any_graphs(),
    st.data(),
    st.sampled_from((0.0, 0.05, 1.0)),
    st.sampled_from((0.0, 0.1, 1.0)),
    st.sampled_from((0.01, 0.5, 0.7, 1.0)),
    st.sampled_from((1, 2)),
)
def test_competition_by_overlap(
    both: tuple[naive.Plain, Graph], data: st.DataObject, rate: float, low: float,
    threshold: float, min_shared: int,
) -> None:  # fmt: skip
    plain, graph = both
    m = graph.n_edges
    count = data.draw(st.lists(st.integers(0, 6), min_size=m, max_size=m))
    weights = data.draw(
        st.lists(st.sampled_from(strategies.LEARNED_WEIGHTS), min_size=m, max_size=m)
    )
    graph = dataclasses.replace(graph, weight=np.array(weights, np.float32))
    plain = strategies.describe(graph)
    got = _compete(
        graph, count, rate=rate, low=low, similarity_threshold=threshold,
        min_shared_neighbors=min_shared,
    )  # fmt: skip
    around = naive.neighbourhoods(graph.n_nodes, plain.edges)
    similar = naive.overlap_similar(around, threshold, min_shared)
    before = [edge.weight for edge in plain.edges]
    expected = naive.competed(plain, before, count, similar, rate=rate, low=low)
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@thorough
@given(strategies.any_graphs(), st.data(), st.sampled_from((0.5, 0.7, 1.0)))
def test_competition_by_a_given_matrix(
    both: tuple[naive.Plain, Graph], data: st.DataObject, threshold: float
) -> None:
    plain, graph = both
    n, m = graph.n_nodes, graph.n_edges
    count = data.draw(st.lists(st.integers(0, 6), min_size=m, max_size=m))
    node = st.integers(0, n - 1)
    value = st.sampled_from((-0.2, 0.3, 0.5, 0.7, 0.9, 1.0))
    drawn = data.draw(st.dictionaries(st.tuples(node, node), value, max_size=25))
    table = {pair: drawn[min(a, b), max(a, b)] for a, b in drawn if (min(a, b), max(a, b)) in drawn
             for pair in ((a, b), (b, a))}  # fmt: skip
    rows, columns = ([pair[side] for pair in table] for side in (0, 1))
    matrix = coo_array((list(table.values()), (rows, columns)), shape=(n, n), dtype=np.float64)
    got = _compete(
        graph, count, rate=0.5, low=0.1, similarity_threshold=threshold, min_shared_neighbors=2,
        similarity=matrix,
    )  # fmt: skip
    before = [edge.weight for edge in plain.edges]

    def similar(a: int, b: int) -> bool:
        return table.get((a, b), 0.0) >= threshold

    expected = naive.competed(plain, before, count, similar, rate=0.5, low=0.1)
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_a_similarity_of_another_shape_is_refused() -> None:
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2])
    with pytest.raises(hebbgraph.HebbGraphError, match=r"expected a sparse matrix of shape"):
        hebbgraph.plastify(graph, similarity=csr_array((2, 2)))


def test_duplicate_entries_of_a_similarity_add_up() -> None:
    """As everywhere in SciPy: 0.4 and 0.4 at one place are 0.8."""
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2], weight=[1.0, 2.0, 1.0])
    twice = coo_array(([0.4] * 4, ([1, 1, 2, 2], [2, 2, 1, 1])), shape=(3, 3))
    split, _ = hebbgraph.plastify(graph, similarity=twice)
    whole, _ = hebbgraph.plastify(graph, similarity=csr_array(twice.toarray()))
    assert whole.weight.tolist() == split.weight.tolist()
    assert whole.weight[0] == pytest.approx((1 + 0.1 * np.log(2)) * 0.95)


def hold_discovery(plain: naive.Plain, graph: Graph, options: dict[str, Any]) -> None:
    expected = naive.discover(plain, **options)
    got = hebbgraph.discover(graph, **strategies.engine_names(options))
    pairs = list(zip(got.source.tolist(), got.target.tolist(), strict=True))
    assert pairs == [(pair.source, pair.target) for pair in expected]
    assert got.shared.tolist() == [pair.shared for pair in expected]
    assert got.confidence.tolist() == [pair.confidence for pair in expected]
    assert got.relation.tolist() == [pair.relation for pair in expected]
    np.testing.assert_allclose(got.rank, [pair.rank for pair in expected], atol=1e-7)


@settings(max_examples=300, deadline=None)
@given(strategies.any_graphs(), strategies.ranking_options, caps, node_types)
def test_discovery(
    both: tuple[naive.Plain, Graph], options: dict[str, Any], cap: int | None, types: Any
) -> None:
    hold_discovery(*both, options | {"cap": cap, "node_types": known_types(both[0], types)})


def _from_pairs(pairs: list[tuple[Any, Any]]) -> tuple[naive.Plain, Graph]:
    graph = Graph.from_edges([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    return strategies.describe(graph), graph


def test_equal_sums_of_resource_allocation_tie() -> None:
    """1/3 + 1/6 = 1/4 + 1/4: neither sum is better, so confidence, shared and ids decide."""
    pairs = [
        (0, 1), (0, 7), (0, 4), (3, 4), (3, 7), (5, 7), (2, 3), (4, 5), (2, 6), (5, 6), (3, 6),
        (1, 3), (4, 7), (3, 5),
    ]  # fmt: skip
    hold_discovery(*_from_pairs(pairs), {"cap": 1})


def test_equal_chances_of_surprise_tie() -> None:
    """P(X ≥ 1; 1, 2) = P(X ≥ 2; 2, 3) among four nodes: confidence, shared and ids decide."""
    assert naive.tail(1, 1, 2, 4) == naive.tail(2, 2, 3, 4)
    pairs = [(3, 4), (1, 5), (2, 3), (0, 2), (0, 5), (1, 3), (3, 5)]
    hold_discovery(*_from_pairs(pairs), {"min_shared": 1, "cap": 1, "rank_by": "surprise"})


def test_a_pair_that_either_end_keeps_is_made() -> None:
    """The hub of many look-alikes keeps three of them, and all of them keep it."""
    pairs = [(f"leaf {k}", hub) for k in range(6) for hub in ("x", "y")]
    plain, graph = _from_pairs([*pairs, ("z", "x"), ("z", "y"), ("z", "w")])
    hold_discovery(plain, graph, {"cap": 1})
    hold_discovery(plain, graph, {"cap": 3})


@st.composite
def pass_options(draw: st.DrawFn) -> dict[str, Any]:
    """Options of a pass as :func:`naive.plastify` names them."""
    low, high = draw(bounds)
    return draw(strategies.ranking_options) | {
        "learning_rate": draw(rates),
        "competition_rate": draw(st.sampled_from((0.0, 0.05, 1.0))),
        "min_weight": low,
        "max_weight": high,
        "similarity_threshold": draw(st.sampled_from((0.3, 0.7, 1.0))),
        "cap": draw(caps),
    }


@settings(max_examples=250, deadline=None)
@given(
    strategies.any_graphs(),
    pass_options(),
    st.sampled_from((1, 30, 1000)),
    node_types,
    st.sampled_from((True, True, True, False)),
)
@example(
    (naive.Plain((0,), []), Graph.from_edges([], [], node_ids=np.arange(1))), {}, 30, None, True
)
def test_a_whole_pass(
    both: tuple[naive.Plain, Graph], options: dict[str, Any], days: int, types: Any, discover: bool
) -> None:
    plain, graph = both
    options = options | {"node_types": known_types(plain, types)}
    expected = naive.plastify(
        plain, now=strategies.NOW, window=days * naive.DAY, discovery=discover, **options
    )
    result, report = hebbgraph.plastify(
        graph, now=strategies.MOMENT, temporal_window=days, discover=discover,
        **strategies.engine_names(options),
    )  # fmt: skip
    hold_edges(result, expected)
    hold_report(plain, expected, report)
    assert report.changed == (result is not graph)
    assert report.associations == result.n_inferred
    if result.metrics is not None and report.changed:
        hold_metrics(result, strategies.describe(result), options.get("max_weight", 5.0))
        assert report.plasticity_score == pytest.approx(graph_score(result.metrics))


def hold_edges(result: Graph, expected: naive.Plain) -> None:
    got, wanted = (
        strategies.by_identity(plain) for plain in (strategies.describe(result), expected)
    )
    assert got.keys() == wanted.keys()
    for identity, edge in got.items():
        other = wanted[identity]
        assert (edge.seen, edge.time, edge.shared) == (other.seen, other.time, other.shared)
        assert edge.weight == pytest.approx(other.weight, rel=1e-5, abs=1e-6)
        assert edge.confidence == pytest.approx(other.confidence, rel=1e-12, nan_ok=True)
        assert edge.rank == pytest.approx(other.rank, abs=1e-7, nan_ok=True)


def hold_report(before: naive.Plain, after: naive.Plain, report: Any) -> None:
    old, new = (strategies.by_identity(plain) for plain in (before, after))
    same = [(old[k], new[k]) for k in old if k in new and not k[3]]
    assert report.processed_nodes == len(before.ids)
    assert report.updated_edges == sum(
        (a.weight, a.seen) != (b.weight, b.seen) for a, b in same
    )  # fmt: skip
    assert report.strengthened_edges == sum(b.weight > a.weight for a, b in same)
    assert report.weakened_edges == sum(b.weight < a.weight for a, b in same)
    made, gone = ({(k[0], k[1]) for k in one if k[3] and (k[0], k[1]) not in
                   {(j[0], j[1]) for j in two if j[3]}} for one, two in ((new, old), (old, new)))  # fmt: skip
    assert report.new_associations_discovered == len(made)
    assert report.withdrawn_associations == len(gone)
    assert report.nodes_with_new_associations == len({end for pair in made for end in pair})
    confidences = [edge.confidence for k, edge in new.items() if k[3] and (k[0], k[1]) in made]
    mean = sum(confidences) / len(confidences) if confidences else 0.0
    assert report.new_associations_avg_confidence == pytest.approx(mean)
    tiers: dict[str, int] = {}
    for k in new:
        if k[3]:
            tiers[k[2]] = tiers.get(k[2], 0) + 1
    assert report.associations_by_relation == tiers


def hold_metrics(graph: Graph, plain: naive.Plain, max_weight: float) -> None:
    got = node_metrics(graph, max_weight=max_weight, now=strategies.NOW)
    wanted = naive.node_metrics(plain, now=strategies.NOW, max_weight=max_weight)
    for item in dataclasses.fields(got):
        values = [getattr(node, item.name) for node in wanted]
        np.testing.assert_allclose(
            getattr(got, item.name), values, rtol=1e-5, atol=1e-6, err_msg=item.name
        )


@thorough
@given(strategies.any_graphs(), st.sampled_from((0.5, 5.0)))
def test_node_metrics(both: tuple[naive.Plain, Graph], max_weight: float) -> None:
    hold_metrics(both[1], both[0], max_weight)
