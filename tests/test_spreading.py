"""Spreading activation against dense algebra and against every path of small graphs."""

from __future__ import annotations

import dataclasses
import itertools
import math
import threading

import naive_spreading
import numpy as np
import pyarrow as pa
import pytest
import strategies
from hebbgraph_kernels import push
from hypothesis import given, settings
from hypothesis import strategies as st

import hebbgraph
from hebbgraph.errors import NodeNotFoundError, ParameterError
from hebbgraph.graph import Graph
from hebbgraph.retrieval.flow import KIND_FACTORS
from hebbgraph.retrieval.spreading import Activation, Spreading

usual = settings(max_examples=100, deadline=None)
FACTORS = {"knows": 0.4, "문맥": 2.0}
ROUNDING = 1e-6
"""Weights are held as float32, relative."""


@st.composite
def signed_graphs(draw, **options):
    """A graph some of whose edges inhibit, and its description."""
    _, graph = draw(strategies.graphs(**options))
    m = graph.n_edges
    weight = draw(st.lists(st.sampled_from(strategies.LEARNED_WEIGHTS), min_size=m, max_size=m))
    graph = dataclasses.replace(graph, weight=np.array(weight, np.float32))
    return strategies.describe(graph), graph


@st.composite
def queries(draw, graphs=None):
    """A description, its graph, and the weights of seeds by key, some above zero."""
    plain, graph = draw(signed_graphs() if graphs is None else graphs)
    n = len(plain.ids)
    weight = draw(st.lists(st.sampled_from((0.0, 0.0, 0.5, 1.0, 3.0)), min_size=n, max_size=n))
    weight[draw(st.integers(0, n - 1))] += 1.0
    return plain, graph, weight


options = st.fixed_dictionaries(
    {
        "damping": st.sampled_from((0.01, 0.5, 0.85, 0.99)),
        "depth": st.sampled_from((None, None, 0, 1, 2, 3, 9)),
        "direction": st.sampled_from(("both", "both", "out", "in")),
    }
)
epsilons = st.sampled_from((1e-9, 1e-4, 1e-2, 0.1, 1.0))


def spread(graph: Graph, weight, *, k=None, **given) -> Activation:
    seeds = np.arange(graph.n_nodes), np.array(weight, np.float64)
    return Spreading(graph, **{"kind_factors": FACTORS, **given}).from_(seeds, k)


def everywhere(graph: Graph, found: Activation) -> np.ndarray:
    """Activation by key, 0 where nothing came."""
    out = np.zeros(graph.n_nodes)
    out[found.keys] = found.activation
    return out


def exact(plain, weight, *, damping=0.85, depth=None, direction="both"):
    weights = naive_spreading.dense(plain, FACTORS, direction)
    return weights, naive_spreading.activation(weights, weight, damping=damping, depth=depth)


# -- exactness ----------------------------------------------------------------


@given(queries(), options, epsilons, st.sampled_from((None, None, 1, 2, 4)))
@usual
def test_error_stays_within_the_bound(query, given_options, epsilon, k):
    plain, graph, weight = query
    found = spread(graph, weight, k=k, epsilon=epsilon, **given_options)
    weights, right = exact(plain, weight, **given_options)
    total = sum(weight)
    error = np.abs(everywhere(graph, found) - right)
    assert (error[found.keys] <= found.bound + ROUNDING * total).all()
    assert np.isfinite(found.activation).all()
    assert np.isfinite(found.bound).all()
    if k is not None:
        return
    if given_options["direction"] == "both" or not plain.directed:
        assert (error <= epsilon * weights.strength * total + ROUNDING * total).all()


@given(queries(strategies.learned_graphs()), options)
@usual
@pytest.mark.usefixtures("compiled")
def test_inferred_edges_go_both_ways(query, given_options):
    plain, graph, weight = query
    found = spread(graph, weight, epsilon=1e-9, **given_options)
    _, right = exact(plain, weight, **given_options)
    assert everywhere(graph, found) == pytest.approx(right, abs=2e-6 * sum(weight) * graph.n_nodes)


@given(queries(strategies.graphs()), options, epsilons)
@usual
def test_nothing_is_lost_where_nothing_inhibits(query, given_options, epsilon):
    _, graph, weight = query
    found = spread(graph, weight, epsilon=epsilon, **given_options)
    assert (found.activation > 0).all()
    total = found.activation.sum() + found.undelivered
    if given_options["depth"] is None:
        assert total == pytest.approx(sum(weight), rel=1e-12)
    else:
        assert total <= sum(weight) * (1 + 1e-12)


def test_a_smaller_epsilon_comes_nearer():
    rng = np.random.default_rng(2)
    graph = Graph.from_edges(rng.integers(0, 200, 900), (200 * rng.random(900) ** 3).astype(int))
    weight = [1.0] + [0.0] * (graph.n_nodes - 1)
    _, right = exact(strategies.describe(graph), weight)
    error, undelivered = [], []
    for epsilon in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
        found = spread(graph, weight, epsilon=epsilon)
        error.append(np.abs(everywhere(graph, found) - right).max())
        undelivered.append(found.undelivered)
    assert error == sorted(error, reverse=True)
    assert error[-1] < 1e-5
    assert (np.diff(undelivered) <= 1e-15).all()


def test_a_limit_of_depth_that_is_never_reached_changes_nothing(web):
    without = Spreading(web, epsilon=1e-9).from_({"Flask": 1.0})
    deep = Spreading(web, epsilon=1e-9, depth=10**30).from_({"Flask": 1.0})
    assert deep.keys.tolist() == without.keys.tolist()
    assert deep.activation == pytest.approx(without.activation, abs=1e-6)


# -- what does not matter -----------------------------------------------------


@given(queries(), options, epsilons, st.randoms(use_true_random=False))
@usual
def test_the_order_of_nodes_changes_nothing(query, given_options, epsilon, rng):
    plain, _, weight = query
    plain = dataclasses.replace(plain, ids=[f"{one}/{k}" for k, one in enumerate(plain.ids)])
    order = rng.sample(range(len(plain.ids)), len(plain.ids))
    results = []
    for one, by_key in (
        (plain, weight),
        (naive_spreading.renumbered(plain, order), [weight[node] for node in order]),
    ):
        rows = sorted(one.edges, key=lambda edge: (edge.source, edge.target, edge.relation))
        graph = Graph.from_edges(
            [one.ids[edge.source] for edge in rows], [one.ids[edge.target] for edge in rows],
            relation=[edge.relation for edge in rows], node_ids=pa.array(one.ids, pa.string()),
            directed=one.directed,
        )  # fmt: skip
        identity = {
            (graph.source[k], graph.target[k], graph.relation_names[graph.relation[k]]): k
            for k in range(graph.n_edges)
        }
        signed = np.ones(graph.n_edges, np.float32)
        for edge in rows:
            ends = (edge.source, edge.target)
            ends = ends if one.directed else (min(ends), max(ends))
            signed[identity[(*ends, edge.relation)]] = edge.weight
        found = spread(dataclasses.replace(graph, weight=signed), by_key, epsilon=epsilon,
                       **given_options)  # fmt: skip
        results.append((graph.ids_of(found.keys).to_pylist(), found))
    (ids, one), (other_ids, other) = results
    assert ids == other_ids
    assert one.activation.tolist() == other.activation.tolist()
    assert one.pushes == other.pushes


@given(queries(), options, st.sampled_from((0.25, 8.0, 1e12)))
@usual
def test_activation_is_linear_in_the_seeds_scale(query, given_options, factor):
    _, graph, weight = query
    one = spread(graph, weight, epsilon=1e-3, **given_options)
    other = spread(graph, np.array(weight) * factor, epsilon=1e-3, **given_options)
    assert one.keys.tolist() == other.keys.tolist()
    assert other.activation == pytest.approx(one.activation * factor, rel=1e-12)
    assert other.bound == pytest.approx(one.bound * factor, rel=1e-12)


@given(queries(), options, st.sampled_from((0.25, 8.0)))
@usual
def test_the_scale_of_weights_does_not_matter(query, given_options, factor):
    _, graph, weight = query
    scaled = dataclasses.replace(graph, weight=graph.weight * np.float32(factor))
    one = spread(graph, weight, epsilon=1e-2, **given_options)
    other = spread(scaled, weight, epsilon=1e-2, **given_options)
    assert one.keys.tolist() == other.keys.tolist()
    assert other.activation == pytest.approx(one.activation, rel=1e-9, abs=1e-15)


@given(queries(), options, epsilons, st.integers(1, 9))
@usual
def test_the_best_are_the_head_of_all(query, given_options, epsilon, k):
    _, graph, weight = query
    every = spread(graph, weight, epsilon=epsilon, **given_options)
    best = spread(graph, weight, k=k, epsilon=epsilon, **given_options)
    if given_options["depth"] is not None:
        assert best.keys.tolist() == every.keys[:k].tolist()
        assert best.activation.tolist() == every.activation[:k].tolist()
    assert len(best) == min(k, len(every))
    assert (np.diff(best.activation) <= 0).all()
    assert (np.diff(every.activation) <= 0).all()
    place = hebbgraph.ids.place(graph.node_ids, graph.n_nodes)[every.keys]
    equal = np.diff(every.activation) == 0
    assert (np.diff(place)[equal] > 0).all()
    assert np.unique(every.keys).size == every.keys.size


@given(queries(strategies.graphs()), st.sampled_from((0.5, 0.85)), epsilons, st.integers(1, 6))
@usual
def test_the_last_of_the_best_are_told_apart_by_one_exact_step(query, damping, epsilon, k):
    plain, graph, weight = query
    total = sum(weight)
    every = spread(graph, weight, epsilon=epsilon, damping=damping)
    right = naive_spreading.settled(
        naive_spreading.dense(plain, FACTORS), np.array(weight) / total,
        everywhere(graph, every) / total, every.undelivered / total, k,
        damping=damping, epsilon=epsilon, close=push.CLOSE,
    )  # fmt: skip
    best = spread(graph, weight, k=k, epsilon=epsilon, damping=damping)
    assert best.activation / total == pytest.approx(right[best.keys], rel=1e-5)
    assert best.activation / total == pytest.approx(-np.sort(-right)[: len(best)], rel=1e-5)


@given(signed_graphs(), st.data())
@usual
def test_a_query_leaves_nothing_behind(drawn, data):
    _, graph = drawn
    n = graph.n_nodes
    once = Spreading(graph, epsilon=1e-3, depth=data.draw(st.sampled_from((None, 2))))
    first = once.from_({graph.id(0): 1.0}, k=None)
    once.from_({graph.id(data.draw(st.integers(0, n - 1))): 2.0})
    again = once.from_({graph.id(0): 1.0}, k=None)
    assert again.keys.tolist() == first.keys.tolist()
    assert again.activation.tolist() == first.activation.tolist()


# -- shapes -------------------------------------------------------------------


def test_seeds_that_are_none(web):
    spreading = Spreading(web)
    for seeds in ({}, {"Flask": 0.0}, ([], []), (np.array([1]), np.array([0.0]))):
        found = spreading.from_(seeds)
        assert (len(found), found.pushes, found.undelivered) == (0, 0, 0.0)


def test_a_graph_without_edges_keeps_activation_where_it_is():
    graph = Graph.from_edges([], [], node_ids=["b", "a"])
    found = Spreading(graph).from_({"b": 2.0, "a": 2.0})
    assert graph.ids_of(found.keys).to_pylist() == ["a", "b"]
    assert found.activation.tolist() == [2.0, 2.0]
    assert found.bound.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("depth", [None, 0, 1, 5])
def test_an_isolated_seed_keeps_all(depth):
    graph = Graph.from_edges(["a"], ["b"], node_ids=["a", "b", "alone"])
    found = Spreading(graph, depth=depth).from_({"alone": 3.0})
    assert graph.ids_of(found.keys).to_pylist() == ["alone"]
    assert found.activation.tolist() == [3.0]


def test_where_all_edges_inhibit_the_seed_keeps_all_and_takes_from_the_rest():
    graph = Graph.from_edges(["a", "a", "b"], ["b", "c", "c"])
    graph = dataclasses.replace(graph, weight=np.array([-1, -2, -2], np.float32))
    found = Spreading(graph).from_({"a": 1.0})
    assert graph.ids_of(found.keys).to_pylist() == ["a", "b", "c"]
    assert found.activation == pytest.approx([1.0, -0.85 / 3, -0.85 * 2 / 3])


def test_edges_without_weight_and_kinds_without_factor_carry_nothing():
    graph = Graph.from_edges(
        ["a", "a", "a"], ["b", "c", "d"], weight=[0.0, 1.0, 1.0],
        relation=["knows", "knows", "hides"],
    )  # fmt: skip
    found = Spreading(graph, kind_factors={"hides": 0}).from_({"a": 1.0})
    assert graph.ids_of(found.keys).to_pylist() == ["a", "c"]


def test_parallel_edges_add_up():
    several = Graph.from_edges(
        ["a", "a", "b", "a"], ["b", "b", "a", "c"], relation=["r", "s", "r", "r"]
    )
    one = Graph.from_edges(["a", "a"], ["b", "c"], weight=[3.0, 1.0])
    found, same = (Spreading(graph, kind_factors={}).from_({"c": 1.0}) for graph in (several, one))
    assert found.activation == pytest.approx(same.activation, rel=1e-4)


def test_default_factors():
    names = ["caused", "related", "contradicts", "unheard of"]
    graph = Graph.from_edges(["a"] * 4, ["p", "q", "r", "s"], relation=names)
    found = Spreading(graph, epsilon=1e-9).from_({"a": 1.0}, k=None)
    share = everywhere(graph, found)
    factor = np.array([KIND_FACTORS.get(name, 1.0) for name in names])
    leaves = np.array([share[graph.key(leaf)] for leaf in "pqrs"])
    assert leaves / leaves.sum() == pytest.approx(factor / factor.sum(), rel=1e-6)


def test_a_hub_is_not_pushed_for_a_trifle():
    leaves = 50_000
    ends = np.arange(2, leaves + 2)
    graph = Graph.from_edges(
        np.concatenate(([0, 0], np.ones(leaves, np.int64))),
        np.concatenate(([1, leaves + 2], ends)),
    )
    from_below = Spreading(graph, epsilon=1e-4).from_({0: 1.0}, k=None)
    assert len(from_below) == 3  # the hub's share is below ε times its strength
    at_hub = Spreading(graph, epsilon=1e-4).from_({1: 1.0}, k=3)
    assert at_hub.keys[0] == 1
    assert at_hub.pushes < 10


def test_work_is_bounded_by_epsilon_and_not_by_the_graph():
    rng = np.random.default_rng(0)
    pushed = []
    for n in (2_000, 20_000):
        graph = Graph.from_edges(rng.integers(0, n, 8 * n), rng.integers(0, n, 8 * n))
        found = Spreading(graph, epsilon=1e-3).from_({0: 1.0})
        pushed.append(found.pushes)
    least = 1 / (0.15 * 1e-3)  # Σ of strengths pushed, Andersen, Chung and Lang, lemma 2
    assert max(pushed) < least / 4


def test_extreme_weights_and_seeds_stay_finite():
    graph = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 4], weight=[1e-40, 3e38, 1e-45, 1.0])
    for seeds in ({0: 1e-320, 1: 1e300}, {0: 1e-300}, dict.fromkeys(range(3), 5e307)):
        for depth in (None, 3):
            found = Spreading(graph, depth=depth, kind_factors={}).from_(seeds, k=None)
            assert np.isfinite(found.activation).all()
            assert np.isfinite(found.bound).all()
            assert len(found) <= 5


def test_threads_may_share_one():
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(rng.integers(0, 500, 3000), rng.integers(0, 500, 3000))
    shared = Spreading(graph)
    right = [Spreading(graph).from_({k: 1.0}).keys.tolist() for k in range(8)]
    got: dict[int, list[int]] = {}

    def ask(node: int) -> None:
        for _ in range(20):
            got[node] = shared.from_({node: 1.0}).keys.tolist()

    threads = [threading.Thread(target=ask, args=(node,)) for node in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert [got[k] for k in range(8)] == right


# -- seeds and options --------------------------------------------------------


def test_ids_and_keys_mean_the_same(web):
    spreading = Spreading(web)
    by_id = spreading.from_({"Flask": 1.0, "HTTP": 2.0})
    keys = [web.key("HTTP"), web.key("Flask"), web.key("HTTP")]
    by_key = spreading.from_((keys, [1.0, 1.0, 1.0]))
    assert by_id.keys.tolist() == by_key.keys.tolist()
    assert by_id.activation.tolist() == by_key.activation.tolist()


@given(signed_graphs())
@usual
def test_every_id_is_found(drawn):
    plain, graph = drawn
    spreading = Spreading(graph)
    for key, node in enumerate(plain.ids):
        assert spreading.from_({node: 1.0}, k=None).keys.tolist().count(key) == 1
        assert spreading.flow.key_of[spreading._row(node)] == key


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ({"Flaks": 1.0}, r'no node "Flaks"'),
        ({"flask": 1.0}, r'no node "flask" among 6; did you mean "Flask"'),
        ({7: 1.0}, r'no node "7"'),
        ({None: 1.0}, r'no node "None"'),
        (([6], [1.0]), r"no node with key 6 among 6"),
        (([-1], [1.0]), r"no node with key -1 among 6"),
    ],
)
def test_unknown_seeds(web, seeds, message):
    with pytest.raises(NodeNotFoundError, match=message):
        Spreading(web).from_(seeds)


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ({"Flask": -1.0}, r"seeds: expected a number in \[0, ∞\), got -1.0"),
        ({"Flask": math.nan}, r"seeds: expected a number in \[0, ∞\), got nan"),
        ({"Flask": math.inf}, r"seeds: expected a number"),
        ({"Flask": 1e308, "HTTP": 1e308}, r"seeds: expected weights with a finite sum"),
        (([0], [math.nan]), r"seeds: expected finite weights ≥ 0"),
        (([0], [-1.0]), r"seeds: expected finite weights ≥ 0"),
        (([0, 1], [1.0]), r"seeds: expected as many weights as keys"),
        (([0.5], [1.0]), r"seeds: expected whole numbers as keys"),
    ],
)
def test_seeds_that_cannot_be_taken(web, seeds, message):
    with pytest.raises(ParameterError, match=message):
        Spreading(web).from_(seeds)


@pytest.mark.parametrize(
    ("given_options", "message"),
    [
        ({"damping": 0}, r"damping: expected a number in \[0.01, 0.99\], got 0"),
        ({"damping": 1.0}, r"damping: expected a number in \[0.01, 0.99\], got 1.0"),
        ({"damping": math.nan}, r"damping: expected a number"),
        ({"epsilon": 0}, r"epsilon: expected a number in \[1e-12, 1\], got 0"),
        ({"epsilon": 2}, r"epsilon: expected a number in \[1e-12, 1\], got 2"),
        ({"depth": -1}, r"depth: expected a whole number in \[0, ∞\), got -1"),
        ({"depth": 1.5}, r"depth: expected a whole number"),
        ({"direction": "up"}, r"direction: expected one of both, out, in, got 'up'"),
        ({"kind_factors": {"uses": -1}}, r"kind_factors\['uses'\]: expected a number in \[0, ∞\)"),
        ({"kind_factors": {"uses": 1e300}}, r"kind_factors: expected weights times factors"),
    ],
)
def test_options_outside_their_range(web, given_options, message):
    with pytest.raises(ParameterError, match=message):
        Spreading(web, **given_options)


@pytest.mark.parametrize("k", [0, -1, 2.5])
def test_k_outside_its_range(web, k):
    with pytest.raises(ParameterError, match="k: expected a whole number"):
        Spreading(web).from_({"Flask": 1.0}, k=k)


# -- paths --------------------------------------------------------------------


@given(queries(signed_graphs(max_nodes=7)), options)
@usual
def test_paths_are_the_strongest(query, given_options):
    plain, graph, weight = query
    d, depth = given_options["damping"], given_options["depth"]
    weights = naive_spreading.dense(plain, FACTORS, given_options["direction"])
    spreading = Spreading(graph, kind_factors=FACTORS, **given_options)
    found = spreading.paths((range(graph.n_nodes), weight), plain.ids)
    for node, path in enumerate(found):
        right = naive_spreading.strongest(weights, weight, node, damping=d, depth=depth)
        if path is None:
            assert right == 0
            continue
        assert path.activation == pytest.approx(right, rel=1e-5)
        keys = [plain.ids.index(one) for one in path.nodes]
        assert keys[-1] == node
        assert depth is None or len(path.edges) <= depth
        assert naive_spreading.along(weights, weight, keys, damping=d) == pytest.approx(
            right, rel=1e-5
        )
        for edge, ends in zip(path.edges, itertools.pairwise(keys), strict=True):
            assert {int(graph.source[edge]), int(graph.target[edge])} == set(ends)
            assert graph.weight[edge] > 0


@given(queries(signed_graphs(max_nodes=7)), st.data())
@usual
def test_paths_do_not_depend_on_what_else_is_asked(query, data):
    plain, graph, weight = query
    spreading = Spreading(graph, depth=data.draw(st.sampled_from((None, 2))))
    seeds = range(graph.n_nodes), weight
    every = spreading.paths(seeds, plain.ids)
    one = data.draw(st.integers(0, len(plain.ids) - 1))
    assert spreading.paths(seeds, [plain.ids[one]]) == [every[one]]


def test_of_equal_paths_the_shortest_then_the_first():
    graph = Graph.from_edges(["s", "s", "x", "y"], ["x", "y", "t", "t"])
    (path,) = Spreading(graph).paths({"s": 1.0}, ["t"])
    assert path is not None
    assert path.nodes == ("s", "x", "t")
    assert path.activation == pytest.approx(0.15 * (0.85 / 2) ** 2)


def test_a_path_names_the_edge_that_carries_most():
    graph = Graph.from_edges(
        ["a", "a", "b"], ["b", "b", "a"], relation=["related", "caused", "related"],
        weight=[2.0, 1.0, 1.5],
    )  # fmt: skip
    (path,) = Spreading(graph).paths({"b": 1.0}, ["a"])
    assert path is not None
    assert graph.relation_names[graph.relation[path.edges[0]]] == "caused"


def test_paths_of_unknown_nodes(web):
    with pytest.raises(NodeNotFoundError, match='no node "Ruby"'):
        Spreading(web).paths({"Flask": 1.0}, ["Ruby"])
