"""Arrays and matrices that nobody should pass: taken as what they mean, or refused in one line."""

from __future__ import annotations

import dataclasses
import datetime
import re
from typing import Any

import naive
import numpy as np
import pyarrow as pa
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix

import hebbgraph
from hebbgraph import structure
from hebbgraph.errors import InputError
from hebbgraph.graph import Graph
from hebbgraph.plasticity.neighborhood import observed_neighborhood

pytestmark = pytest.mark.usefixtures("one_thread")

usual = settings(max_examples=100, deadline=None)
HUGE = 2**64 - 1
NAN = float("nan")


def refused(message: str) -> Any:
    """The context in which one line that matches must come."""
    return pytest.raises(InputError, match=rf"\A(?=[^\n]*\Z).*{message}")


def hold_canonical(graph: Graph, edges: list[tuple[int, int, float]]) -> None:
    """Edges by (source, target), each once, and arrays that a kernel can trust."""
    n, m = graph.n_nodes, graph.n_edges
    assert graph.indptr.dtype == np.int64
    assert graph.indptr.shape == (n + 1,)
    assert graph.indptr[0] == 0
    assert graph.indptr[-1] == m
    assert (np.diff(graph.indptr) >= 0).all()
    assert graph.indices.dtype == np.int32
    assert graph.weight.dtype == np.float32
    for name in ("indices", "weight", "relation", "co_occurrence_count"):
        assert getattr(graph, name).shape == (m,)
        assert not getattr(graph, name).flags.writeable
    got = zip(graph.source.tolist(), graph.target.tolist(), graph.weight.tolist(), strict=True)
    assert list(got) == sorted((u, v, naive.stored(weight)) for u, v, weight in edges)
    around = naive.neighbourhoods(n, [naive.Edge(u, v) for u, v, _ in edges])
    found = observed_neighborhood(graph)
    assert [found.of(node).tolist() for node in around] == [
        sorted(near) for near in around.values()
    ]
    options = {"min_shared": 1, "threshold": 0.3}
    plain = naive.Plain(range(n), [naive.Edge(u, v) for u, v, _ in edges])
    pairs = hebbgraph.discover(graph, **strategies.engine_names(options))
    assert list(zip(pairs.source.tolist(), pairs.target.tolist(), strict=True)) == [
        (pair.source, pair.target) for pair in naive.discover(plain, **options)
    ]


def merged(rows: list[tuple[int, int, float]], directed: bool) -> list[tuple[int, int, float]]:
    """Without loops, each edge once with its largest weight."""
    heaviest: dict[tuple[int, int], float] = {}
    for u, v, weight in rows:
        ends = (u, v) if directed else (min(u, v), max(u, v))
        if u != v:
            heaviest[ends] = max(weight, heaviest.get(ends, weight))
    return [(u, v, weight) for (u, v), weight in heaviest.items()]


# -- edges -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (np.array([1.0, 0.0]), r"^source: expected ids that are text or integers, got double"),
        (np.array([1, NAN]), r"text or integers, got double"),
        (np.array([1, 0], np.float16), r"text or integers, got halffloat"),
        (np.array([True, False]), r"text or integers, got bool"),
        (np.array([b"a", b"b"]), r"text or integers, got binary"),
        (np.array(["2020", "2021"], "M8[us]"), r"text or integers, got timestamp"),
        (np.array([1, 2], "m8[s]"), r"text or integers, got duration"),
        (np.array([HUGE, 0], np.uint64), r"expected integers below 2\^63, got uint64"),
        (np.array([2**70, 0], object), r"all integers below 2\^63, got a mixture"),
        (np.array([1, "a"], object), r"all text or all integers .* got a mixture"),
        (np.array([1, 2.5], object), r"text or integers, got double"),
        (np.array([None, 0], object), r"^row 1: source is empty"),
        (np.ma.array([1, 0], mask=[False, True]), r"^row 2: source is empty"),
        (np.array([[1], [0]]), r"got a mixture \(only handle 1-dimensional"),
        (np.array(1), r"got a mixture"),
        (np.array([-1, 0]), r"^row 1: source -1 is negative"),
        (np.array([0, -(2**63)]), r"^row 2: source -9223372036854775808 is negative"),
        (np.array([0, 2**40]), r"^node key 1099511627776 with only 2 edges"),
        (np.array([0, 2**63 - 1]), r"^node key 9223372036854775807 with only 2 edges"),
        (np.array([0, 1, 2]), r"source and target of one length, got 3 and 2"),
        (np.array([], np.int64), r"source and target of one length, got 0 and 2"),
        (5, r"got a mixture"), (None, r"got a mixture"), ([[1], [2]], r"text or integers, got list"),
        ([datetime.date(2020, 1, 1)] * 2, r"text or integers, got date32"),
    ],
)  # fmt: skip
def test_ids_that_are_refused(source: Any, message: str) -> None:
    with refused(message):
        Graph.from_edges(source, [3, 2])
    with refused(message.replace("source -", "target -").replace("source is", "target is")
                 .replace("^source", "^target").replace("3 and 2", "2 and 3")
                 .replace("0 and 2", "2 and 0")):  # fmt: skip
        Graph.from_edges([3, 2], source)


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "O"])
def test_integers_of_any_width_are_keys(kind: str) -> None:
    source, target = np.array([2, 0, 2, 1]), np.array([1, 2, 0, 1])
    graph = Graph.from_edges(source.astype(kind), target.astype(kind))
    assert graph.self_loops == 1
    hold_canonical(graph, [(0, 2, 1.0), (2, 0, 1.0), (2, 1, 1.0)])
    strided = Graph.from_edges(
        np.repeat(source, 3).astype(kind)[::3], target[::-1].astype(kind)[::-1]
    )
    hold_canonical(strided, [(0, 2, 1.0), (2, 0, 1.0), (2, 1, 1.0)])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, NAN], r"^row 2: weight nan is not a finite number of at least 0"),
        ([np.inf, 1], r"^row 1: weight inf is not"), ([-np.inf, 1], r"^row 1: weight -inf is not"),
        ([1, -1e-9], r"^row 2: weight -1e-09 is not"), ([1, 1e300], r"^row 2: weight 1e\+300 is not"),
        ([1, None], r"^row 2: weight nan is not"), (NAN, r"^row 1: weight nan is not"),
        (pa.array([1.0, None]), r"^row 2: weight nan is not .* \(an empty cell\)"),
        ([1, 2, 3], r"^weight: expected one number, or one for each of 2 edges"),
        ([], r"^weight: expected one number, or one for each of 2 edges"),
        ([[1], [2]], r"^weight: expected one number"), ([[1, 2]], r"^weight: expected one number"),
        (["a", "b"], r"^weight: expected one number"), ({1, 2}, r"^weight: expected one number"),
        (np.zeros(2, "i4,i4"), r"^weight: expected one number"),
        (object(), r"^weight: expected one number"),
    ],
)  # fmt: skip
def test_weights_that_are_refused(weight: Any, message: str) -> None:
    with refused(message):
        Graph.from_edges([0, 1], [1, 2], weight=weight)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([0, 1, 1], r'^row 3: node id "1" stands there and at row 2'),
        ([0, 1], r'^row 2: target "2" is not among the 2 node ids'),
        ([0.0, 1.0, 2.0], r"^node_ids: expected ids that are text or integers, got double"),
        ([0, 1, None], r"^row 3: node_ids is empty"),
        (np.array([0, 1, HUGE], np.uint64), r"^node_ids: expected integers below 2\^63"),
        (["x", "y"], r"^node key 2 is beyond the 2 node_ids"), (np.int64(3), r"^node_ids: expected"),
    ],
)  # fmt: skip
def test_node_ids_that_are_refused(nodes: Any, message: str) -> None:
    with refused(message):
        Graph.from_edges([0, 1], [1, 2], node_ids=nodes)


keys = st.integers(0, 12) | st.sampled_from((-1, -(2**63), 2**31 - 1, 2**31, 2**32 + 1, 2**63 - 1))
any_weight = st.sampled_from((1.0, 0.0, 0.5, 3.0, 1e38, -0.5, NAN, float("inf"), 1e39))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from((0.0, 0.5, 3.0)))),
    st.lists(st.tuples(keys, keys, any_weight), max_size=2),
    st.booleans(),
    st.booleans(),
)
def test_rows_of_any_integers_and_weights(
    good: list[Any], odd: list[Any], named: bool, directed: bool
) -> None:
    """What is out of range is refused; of what is taken nothing is lost and nothing made up."""
    rows = good + odd
    n = 10 if named else max((max(u, v) for u, v, _ in rows), default=-1) + 1
    fine = all(
        0 <= u < n and 0 <= v < n and 0 <= weight < 1e39 for u, v, weight in rows
    ) and n < 10_000  # fmt: skip
    columns = [np.array([row[side] for row in rows], kind) for side, kind in enumerate("qqd")]
    before = [column.copy() for column in columns]

    def made() -> Graph:
        return Graph.from_edges(
            *columns[:2], weight=columns[2], directed=directed,
            node_ids=np.arange(n) if named else None,
        )  # fmt: skip

    if not fine:
        with refused(r"(row \d+|node key \d+)"):
            made()
        return
    graph = made()
    assert graph.n_nodes == n
    for column, old in zip(columns, before, strict=True):
        np.testing.assert_array_equal(column, old)
        column[...] = 1  # what the caller does to it now is no concern of the graph's
    edges = merged(rows, directed)
    hold_canonical(graph, edges)
    assert graph.self_loops == sum(1 for u, v, _ in rows if u == v)
    assert graph.duplicates == len(rows) - graph.self_loops - len(edges)


# -- matrices --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "dok", "lil"])
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint64, np.float32, np.float64, "g"])
def test_matrices_of_any_format(kind: str, dtype: Any) -> None:
    dense = np.array([[1, 2, 0, 0], [0, 0, 0, 3], [4, 0, 0, 1], [0, 0, 0, 0]]).astype(dtype)
    matrix = csr_array(dense).asformat(kind)
    edges = [(0, 1, 2), (1, 3, 3), (2, 0, 4), (2, 3, 1)]
    if dtype is np.bool_:
        edges = [(u, v, 1) for u, v, _ in edges]
    hold_canonical(Graph.from_scipy(matrix), edges)
    assert (matrix.toarray() == dense).all()


@pytest.mark.parametrize("kind", [csr_array, csr_matrix, csc_array])
@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_unsorted_columns_are_sorted(kind: Any, width: Any) -> None:
    indptr, indices = np.array([0, 3, 3, 5, 5], width), np.array([3, 1, 2, 3, 0], width)
    matrix = kind((np.array([3.0, 1.0, 2.0, 5.0, 4.0]), indices, indptr), shape=(4, 4))
    edges = [(0, 1, 1.0), (0, 2, 2.0), (0, 3, 3.0), (2, 0, 4.0), (2, 3, 5.0)]
    if kind is csc_array:
        edges = [(v, u, weight) for u, v, weight in edges]
    graph = Graph.from_scipy(matrix)
    matrix.data[:] = 9
    matrix.indices[:] = 0
    hold_canonical(graph, edges)


def test_stored_zeros_are_edges_and_the_diagonal_is_not() -> None:
    matrix = csr_array((np.array([0.0, 7.0, 0.0]), [1, 1, 0], [0, 1, 2, 3]), shape=(3, 3))
    graph = Graph.from_scipy(matrix)
    assert graph.self_loops == 1
    hold_canonical(graph, [(0, 1, 0.0), (2, 0, 0.0)])


@pytest.mark.parametrize("n", [0, 1, 5])
def test_matrices_of_nothing(n: int) -> None:
    graph = Graph.from_scipy(csr_array((n, n)))
    assert graph.n_nodes == n
    hold_canonical(graph, [])


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(3), r"expected a real SciPy sparse matrix, got ndarray"),
        (csr_array(1j * np.eye(3)), r"expected a real SciPy sparse matrix, got csr_array"),
        (csr_array((3, 4)), r"expected a square matrix, got \(3, 4\)"),
        (csr_array(np.array([[0, NAN], [0, 0]])), r"^row 1: weight nan is not a finite"),
        (csr_array(np.array([[0, np.inf], [0, 0]])), r"^row 1: weight inf is not a finite"),
        (csr_array(np.array([[0, 1], [-1, 0]])), r"^row 2: weight -1\.0 is not a finite"),
        (csr_array(np.array([[0, 1e300], [0, 0]])), r"^row 1: weight 1e\+300 is not a finite"),
    ],
)
def test_matrices_that_are_refused(matrix: Any, message: str) -> None:
    with refused(message):
        Graph.from_scipy(matrix)


@usual
@given(
    st.data(), st.integers(1, 8), st.sampled_from((csr_array, csc_array, coo_array)), st.booleans()
)
def test_matrices_of_any_entries(data: st.DataObject, n: int, kind: Any, directed: bool) -> None:
    """Rows in any order, with the diagonal and with numbers that are no weights."""
    node = st.integers(0, n - 1)
    weight = st.sampled_from((1.0, 0.0, 0.5, 3.0)) | any_weight
    entries = data.draw(st.dictionaries(st.tuples(node, node), weight, max_size=14))
    ends = np.array(list(entries), np.int64).reshape(-1, 2)
    values = np.array(list(entries.values()), np.float64)
    if kind is coo_array:
        matrix = coo_array((values, (ends[:, 0], ends[:, 1])), shape=(n, n))
    else:
        major, minor = (0, 1) if kind is csr_array else (1, 0)
        order = np.argsort(ends[:, major], kind="stable")
        indptr = np.searchsorted(ends[order, major], np.arange(n + 1))
        matrix = kind((values[order], ends[order, minor], indptr), shape=(n, n))
    if not all(0 <= value < 1e39 for value in entries.values()):
        with refused(r"row \d+: weight [^ ]+ is not a finite number of at least 0"):
            Graph.from_scipy(matrix, directed=directed)
        return
    graph = Graph.from_scipy(matrix, directed=directed)
    assert graph.n_nodes == n
    hold_canonical(graph, merged([(*pair, w) for pair, w in entries.items()], directed))
    if directed:
        dense = np.zeros((n, n), np.float32)
        for (u, v), value in entries.items():
            dense[u, v] = value if u != v else 0
        assert (graph.to_scipy().toarray() == dense).all()


def test_a_message_is_one_line_whatever_the_data() -> None:
    with refused(r"got a mixture") as caught:
        Graph.from_edges(np.array([1, "a\nb\r\n" * 9], object), [1, 2])
    assert re.search(r"[\r\n]", str(caught.value)) is None


# -- arrays given directly -------------------------------------------------------------


def bare(pointers: Any, targets: Any, **columns: Any) -> Graph:
    """A graph straight from arrays, with what is not given as it should be."""
    m = len(targets)
    given: dict[str, Any] = {
        "indptr": np.array(pointers), "indices": np.array(targets, np.int32),
        "weight": np.ones(m, np.float32), "relation": np.zeros(m, np.int32),
        "relation_names": ("r", "s"), "co_occurrence_count": np.zeros(m, np.int32),
    }  # fmt: skip
    return Graph(**given | columns)


@pytest.mark.parametrize(
    ("indptr", "indices", "message"),
    [
        ([0, 1, 1, 1], [7], "^indices: expected node keys from 0 below 3, got 7 at position 0"),
        ([0, 1, 1, 1], [-1], "^indices: expected node keys from 0 below 3, got -1"),
        ([0, 2, 1, 3], [1, 2, 0], "^indptr: expected numbers ascending from 0 to .* 3, got 0 … 3"),
        ([1, 2, 2, 2], [1, 2], "^indptr: expected numbers ascending"),
        ([0, 1, 1, 1], [1, 2], "^indptr: expected numbers ascending"),
        ([0, 1, 1, 10**6], [1], "^indptr: expected numbers ascending"),
        ([0, -5, 1, 1], [1], "^indptr: expected numbers ascending"),
        ([0, 2, 4, 4], [2, 1, 2, 0], "^indices: expected the edges of a node by target.* position 1"),
        ([0, 0, 2, 4], [0, 2, 1, 0], "^indices: expected the edges of a node by target.* position 3"),
        ([0, 2, 2, 2], [1, 1], r"^indices: expected each \(source, target, relation\) once"),
        ([0, 1, 1, 1], [0], "^indices: expected no loop, got one at node 0"),
        ([0.0, 1, 1, 1], [1], "^indptr: expected a flat array of int64, got float64"),
        ([[0, 1]], [0], r"^indptr: expected a flat array of int64, got int64 of shape \(1, 2\)"),
    ],
)  # fmt: skip
def test_bad_rows_are_refused(indptr: Any, indices: Any, message: str) -> None:
    with refused(message):
        bare(indptr, indices)


@pytest.mark.parametrize("block", [1, 2, 3])
def test_rows_are_checked_across_blocks(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure, "BLOCK", block)
    good = [0, 3, 3, 5, 6], [1, 2, 3, 0, 1, 2]
    assert bare(*good).n_edges == 6
    for at in range(5):
        wrong = list(good[1])
        wrong[at], wrong[at + 1] = wrong[at + 1], wrong[at]
        with refused("^indices: expected"):
            bare(good[0], wrong)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"indptr": np.array([])}, "^indptr: expected a flat array of int64, got float64"),
        ({"indptr": np.empty(0, np.int64)}, "^indptr: expected the number of nodes and one more"),
        ({"indptr": [0, 1, 1]}, "^indptr: expected a flat array of int64, got list"),
        ({"indices": np.array([1.0])}, "^indices: expected a flat array of int32 or int64"),
        ({"indices": np.array([2**64 - 1], np.uint64)}, "^indices: .* got uint64"),
        ({"indices": np.ma.array([1], "i4", mask=[True])}, "^indices: .* got MaskedArray"),
        ({"weight": np.ones(1)}, "^weight: expected a flat array of float32, got float64"),
        ({"weight": np.ones(2, np.float32)}, "^weight: expected one for each of 1 edges, got 2"),
        ({"weight": None}, "^weight: expected a flat array of float32, got NoneType"),
        ({"relation": np.array([2], np.int32)}, "^relation: expected codes from 0 below 2, got 2"),
        ({"relation": np.array([-1], np.int32)}, "^relation: expected codes from 0 below 2"),
        ({"relation": np.zeros(0, np.int32)}, "^relation: expected one for each of 1 edges, got 0"),
        ({"co_occurrence_count": np.zeros(3, np.int32)}, "^co_occurrence_count: .* got 3"),
        ({"co_occurrence_count": np.full(1, -1, np.int32)}, "^co_occurrence_count: .* got -1"),
        ({"time": np.zeros(1, "M8[us]")}, "^time: expected a flat array of int64"),
        ({"inferred": np.zeros(1, np.int8)}, "^inferred: expected a flat array of bool"),
        ({"node_type": np.zeros(2, np.int32)}, "^node_type: expected codes from -1 below 0"),
        ({"node_type": np.zeros(3, np.int32)}, "^node_type: expected one for each of 2 nodes"),
        ({"node_ids": pa.array(["a"])}, "^node_ids: expected one for each of 2 nodes, got 1"),
        ({"node_ids": ["a", "b"]}, "^node_ids: expected an Arrow array, got list"),
        ({"edge_properties": pa.nulls(2)}, "^edge_properties: expected one for each of 1 edges"),
    ],
)  # fmt: skip
def test_bad_columns_are_refused(columns: dict[str, Any], message: str) -> None:
    with refused(message):
        bare([0, 1, 1], [1], **columns)


def test_parallel_edges_and_a_link_that_was_written_down_since() -> None:
    both = np.array([False, True])
    assert bare([0, 2, 2], [1, 1], relation=np.array([0, 1], np.int32)).n_edges == 2
    assert bare([0, 2, 2], [1, 1], inferred=both).n_edges == 2
    with refused("^indices: expected each"):
        bare([0, 2, 2], [1, 1], inferred=~both & both)
    with refused("^indices: expected the edges of a node by target, then relation"):
        bare([0, 2, 2], [1, 1], relation=np.array([1, 0], np.int32))


def test_replacing_a_column_does_not_look_at_the_rows_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    monkeypatch.setattr(structure, "check_rows", None)
    heavier = dataclasses.replace(graph, weight=np.full(2, 2, np.float32))
    assert dataclasses.replace(heavier, time=np.zeros(2, np.int64)).weight.tolist() == [2, 2]
    with refused("^weight: expected one for each of 2 edges, got 3"):
        dataclasses.replace(graph, weight=np.ones(3, np.float32))
    with pytest.raises(TypeError):
        dataclasses.replace(graph, indices=graph.indices.copy())


@usual
@given(strategies.graphs(), st.data())
def test_any_change_of_rows_is_noticed(both: Any, data: st.DataObject) -> None:
    graph = both[1]
    if not graph.n_edges:
        return
    position = data.draw(st.integers(0, graph.n_edges - 1))
    indices = graph.indices.copy()
    indices[position] = data.draw(st.integers(-2, graph.n_nodes + 1))
    edges = list(zip(graph.source.tolist(), indices.tolist(), graph.relation.tolist(), strict=True))
    fine = (
        0 <= indices[position] < graph.n_nodes
        and edges == sorted(set(edges))
        and all(u != v for u, v, _ in edges)
    )
    if fine:
        assert dataclasses.replace(graph, indices=indices).n_edges == len(edges)
        return
    with refused("^indices: expected"):
        dataclasses.replace(graph, indices=indices)
