"""Graph: construction, access, conversion."""

from __future__ import annotations

from datetime import UTC, datetime

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import random_array

from hebbgraph import Graph, edgelist
from hebbgraph.errors import HebbGraphError, InputError, NodeNotFoundError


def test_edges_stand_in_csr_order():
    graph = Graph.from_edges(["b", "a", "a"], ["c", "c", "b"])
    assert graph.ids_of(graph.source).to_pylist() == ["a", "a", "b"]
    assert graph.ids_of(graph.target).to_pylist() == ["b", "c", "c"]
    assert graph.indptr.tolist() == [0, 2, 3, 3]
    assert graph.weight.tolist() == [1, 1, 1]


def test_integers_are_keys():
    graph = Graph.from_edges([0, 5], [5, 2])
    assert graph.n_nodes == 6
    assert graph.node_ids is None
    assert graph.neighbors(5) == [0, 2]


def test_integers_with_node_ids_are_looked_up():
    graph = Graph.from_edges([10, 30], [30, 20], node_ids=[30, 20, 10])
    assert graph.source.tolist() == [0, 2]
    assert graph.id(0) == 30


def test_integer_keys_into_text_ids():
    graph = Graph.from_edges([0, 1], [1, 2], node_ids=["x", "y", "z"])
    assert graph.neighbors("y") == ["x", "z"]


def test_ids_beyond_32_bits_go_through_arrow():
    big = 2**40
    graph = Graph.from_arrow(pa.table({"source": [big, 7], "target": [7, big + 1]}))
    assert graph.n_nodes == 3
    assert graph.neighbors(7) == [big, big + 1]
    with pytest.raises(InputError, match="integers are node keys"):
        Graph.from_edges([big], [7])


def test_duplicates_keep_largest_weight_and_latest_time():
    early, late = datetime(2020, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)
    graph = Graph.from_edges(
        ["a", "a", "a"], ["b", "b", "b"], weight=[1, 3, 2], time=[late, early, None]
    )
    assert graph.n_edges == 1
    assert graph.duplicates == 2
    assert graph.weight[0] == 3
    assert graph.to_arrow()["time"][0].as_py() == late


def test_self_loops_are_dropped_and_counted():
    graph = Graph.from_edges(["a", "a"], ["a", "b"])
    assert (graph.n_edges, graph.self_loops) == (1, 1)


def test_undirected_edges_are_one():
    graph = Graph.from_edges(["a", "b"], ["b", "a"], directed=False)
    assert (graph.n_edges, graph.duplicates) == (1, 1)


def test_relation_is_part_of_identity():
    graph = Graph.from_edges(["a", "a"], ["b", "b"], relation=["x", "y"])
    assert graph.n_edges == 2
    assert graph.degree.tolist() == [1, 1]


def test_int64_indices_from_the_limit_on(monkeypatch):
    monkeypatch.setattr(edgelist, "INT32_LIMIT", 2)
    assert Graph.from_edges([0, 1], [1, 2]).indices.dtype == np.int64
    assert Graph.from_edges([0], [1]).indices.dtype == np.int32


def test_sorting_is_exact_where_a_combined_key_would_overflow():
    n = 2**40
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, n, 200), rng.integers(0, n, 200)
    relation = rng.integers(0, 5, 200).astype(np.int32)
    got = edgelist.canonicalise(source, target, relation, n_nodes=n, n_relations=5, directed=True)
    want = sorted(zip(source.tolist(), target.tolist(), relation.tolist(), strict=True))
    assert list(zip(got.source, got.target, got.relation, strict=True)) == want


def test_arrays_are_frozen(web):
    with pytest.raises(ValueError, match="read-only"):
        web.weight[0] = 2


def test_columns_are_not_copied():
    weight = np.arange(1, 5, dtype=np.float32)
    graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], weight=weight)
    column = graph.to_arrow()["weight"].chunk(0)
    assert column.buffers()[1].address == graph.weight.__array_interface__["data"][0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", None], ["b", "c"]), "row 2: source is empty"),
        ((["a"], ["b", "c"]), "one length, got 1 and 2"),
        ((["a", 1], ["b", "c"]), "all text or all integers"),
        (([1.5], [2.5]), "text or integers, got double"),
        (([-1], [2]), "row 1: source -1 is negative"),
    ],
)
def test_bad_ids(arguments, message):
    with pytest.raises(InputError, match=message):
        Graph.from_edges(*arguments)


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), -0.5, 1e300])
def test_bad_weights(weight):
    with pytest.raises(InputError, match="row 2: weight .* is not a finite number of at least 0"):
        Graph.from_edges(["a", "b"], ["b", "c"], weight=[1, weight])


def test_null_relation():
    with pytest.raises(InputError, match="row 2: relation is empty"):
        Graph.from_edges(["a", "b"], ["b", "c"], relation=["x", None])


def test_unknown_id_among_node_ids():
    with pytest.raises(InputError, match='row 1: target "z" is not among the 2 node ids'):
        Graph.from_edges(["a"], ["z"], node_ids=["a", "b"])
    with pytest.raises(InputError, match='row 2: node id "a" stands there and at row 1'):
        Graph.from_edges(["a"], ["a"], node_ids=["a", "a"])


COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


@pytest.mark.parametrize("other", [DECOMPOSED, COMPOSED + " ", " " + COMPOSED, COMPOSED + "\u00a0"])
def test_confusable_ids(other):
    source, target = [COMPOSED, other], ["x", "x"]
    with pytest.raises(InputError, match=r"row 1\) and .* \(row 2\) differ only in Unicode"):
        Graph.from_edges(source, target)
    assert Graph.from_edges(source, target, ids="exact").n_nodes == 3
    merged = Graph.from_edges(source, target, ids="normalize")
    assert merged.ids_of([0, 1]).to_pylist() == [COMPOSED, "x"]
    assert merged.duplicates == 1


def test_korean_emoji_and_very_long_ids():
    names = ["김철수", "🧠", "x" * 100_000]
    graph = Graph.from_edges(names[:2], names[1:])
    assert set(graph.neighbors("🧠")) == {"김철수", names[2]}
    with pytest.raises(NodeNotFoundError, match='no node "y{40}…" among 3'):
        graph.key("y" * 100_000)


def test_unknown_node_suggests(web):
    with pytest.raises(NodeNotFoundError, match='did you mean "Django"'):
        web.neighbors("django")
    with pytest.raises(NodeNotFoundError, match="the integers 0 to 1"):
        Graph.from_edges([0], [1]).key("x")


def test_neighbors_and_degree(web):
    assert web.neighbors("Python") == ["Django", "FastAPI", "Flask", "HTTP"]
    assert web.degree[web.key("Python")] == 4


def test_subgraph_keeps_columns(web):
    part = web.subgraph(["FastAPI", "HTTP", "Web"])
    rows = part.to_arrow().select(["source", "target", "relation"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        ("FastAPI", "HTTP", "speaks"), ("FastAPI", "Web", "serves"), ("HTTP", "Web", "on"),
    ]  # fmt: skip


def test_repr_is_readable(web):
    assert repr(web) == "Graph(6 nodes, 9 edges, 5 relations, directed)"
    assert "<table>" in web._repr_html_()
    assert repr(Graph.from_edges([], [])) == "Graph(0 nodes, 0 edges, directed)"


def test_scipy_round_trip():
    matrix = random_array((30, 30), density=0.1, rng=np.random.default_rng(0), format="csr")
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    graph = Graph.from_scipy(matrix)
    assert graph.n_nodes == 30
    assert abs(graph.to_scipy() - matrix.astype(np.float32)).max() == 0
    with pytest.raises(InputError, match="square"):
        Graph.from_scipy(matrix[:5])


def test_scipy_adds_up_parallel_edges():
    graph = Graph.from_edges(["a", "a"], ["b", "b"], relation=["x", "y"], weight=[1, 2])
    assert graph.to_scipy()[0, 1] == 3
    assert graph.weight.tolist() == [1, 2]


@pytest.mark.parametrize(
    "original",
    [nx.karate_club_graph(), nx.gnp_random_graph(20, 0.2, seed=1, directed=True), nx.Graph()],
)
def test_networkx_round_trip(original):
    graph = Graph.from_networkx(original)
    again = graph.to_networkx()
    assert set(again.nodes) == set(original.nodes)
    assert {frozenset(edge) for edge in again.edges} == {frozenset(edge) for edge in original.edges}
    assert again.is_directed() == original.is_directed()


def test_networkx_multigraph_keeps_relations_types_and_times():
    original = nx.MultiDiGraph()
    original.add_node("a", type="person")
    original.add_edge("a", "b", relation="knows", weight=2.0)
    original.add_edge("a", "b", relation="likes", time="2024-01-02T00:00:00Z")
    graph = Graph.from_networkx(original)
    assert graph.n_edges == 2
    again = graph.to_networkx()
    assert again["a"]["b"]["knows"]["weight"] == 2.0
    assert again["a"]["b"]["likes"]["time"] == datetime(2024, 1, 2, tzinfo=UTC)
    assert again.nodes["a"]["type"] == "person"


def test_arrow_round_trip_of_a_learned_graph(web):
    import hebbgraph

    learned, _ = hebbgraph.plastify(web)
    again = Graph.from_arrow(learned.to_arrow(), nodes=learned.nodes_to_arrow())
    assert again.to_arrow().equals(learned.to_arrow())
    assert hebbgraph.plastify(again)[1].changed is False


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Graph.from_edges(["\ud800"], ["b"]), "all text or all integers"),
        (lambda: Graph.from_edges(None, None), "source: expected ids"),
        (lambda: Graph.from_edges([""], ["b"]), "row 1: source is empty"),
        (lambda: Graph.from_arrow([1, 2]), "expected a table with named columns"),
        (lambda: Graph.from_scipy(np.ones((2, 2))), "expected a real SciPy sparse matrix"),
        (lambda: Graph.from_edges(["a"], ["b"]).neighbors(["a"]), "no node"),
    ],
)
def test_arguments_of_the_wrong_kind(make, message):
    with pytest.raises(HebbGraphError, match=message):
        make()


def test_a_data_frame_is_a_table():
    frame = pd.DataFrame({"source": [10, 20], "target": [20, 30]})
    assert Graph.from_arrow(frame).neighbors(20) == [10, 30]
