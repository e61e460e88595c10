"""Columns of every odd kind: taken as what they say, or refused in one line that names them."""

from __future__ import annotations

import datetime
import decimal
import itertools
import re
from typing import Any

import numpy as np
import pandas
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbgraph.errors import InputError
from hebbgraph.graph import Graph

NAN = float("nan")
DAY = datetime.date(2020, 1, 1)

ODD: dict[str, Any] = {
    "nothing": None, "one": 5, "one text": "ab", "bytes": b"ab", "object": object(), "set": {1, 2},
    "mapping": {0: 1, 1: 2}, "number twice": [1, 2], "text": ["1", "2"], "words": ["a", "b"],
    "mixed": [1, "a"], "floats": [0.5, 1.5], "not a number": [NAN, 1.0], "nan and text": [NAN, "a"],
    "none": [None, None], "half none": [None, "a"], "lists": [[1], [2]], "deep": [[[1]], [[2]]],
    "ragged": [[1], [2, 3]], "mappings": [{"a": 1}, {"b": 2}], "tuples": [(1, 2), (3, 4)],
    "objects": [object(), object()], "types": [int, str], "complex": [1j, 2], "dates": [DAY, DAY],
    "times": [datetime.time(1), datetime.time(2)], "spans": [datetime.timedelta(1)] * 2,
    "decimals": [decimal.Decimal("1.5"), decimal.Decimal(2)], "huge": [2**70, 1],
    "endless": [decimal.Decimal("Infinity"), decimal.Decimal("NaN")], "low": [-(2**63), 1],
    "surrogates": ["\ud800", "b"], "controls": ["\x00", "\n\r\u2028"], "empty": [], "three": [1, 2, 3],
    "generator": (k for k in (1, 2)), "range": range(2), "bools": [True, False],
    "bad bytes": [b"\xff", b"b"], "one in a list": [2.0],
    "array 0-d": np.array(1), "array 2-d": np.array([[1], [2]]), "array of one": np.array([2.0]),
    "array complex": np.array([1j, 2]), "array time": np.array(["2020", "2021"], "M8[us]"),
    "array of years": np.array(["2020", "2021"], "M8[Y]"), "array span": np.array([1, 2], "m8[s]"),
    "array record": np.zeros(2, "i4,i4"), "array void": np.zeros(2, "V4"),
    "array long": np.array([1, 2], np.longdouble), "array half": np.array([1, 2], np.float16),
    "array bytes": np.array([b"1", b"b"]), "array text": np.array(["1", "b"]),
    "array objects": np.array([1, "a"], object), "array nested": np.array([[1], [2, 3]], object),
    "masked": np.ma.array([1.0, 5.0], mask=[False, True]), "masked ids": np.ma.array([1, 2], mask=[1, 0]),
    "negative": np.array([-5, 1]), "large": np.array([2**40, 1]), "unsigned": np.array([2**64 - 1, 1], np.uint64),
    "series": pandas.Series([1, 2]), "series of NA": pandas.Series([1, None], dtype="Int64"),
    "series of kinds": pandas.Series(["a", "b"], dtype="category"), "frame": pandas.DataFrame({"a": [1, 2]}),
    "arrow lists": pa.array([[1.0], [2.0]]), "arrow structs": pa.array([{"a": 1}, {"a": 2}]),
    "arrow nulls": pa.nulls(2), "arrow bytes": pa.array([b"\xff", b"a"]), "arrow one": pa.array([2.0]),
    "arrow decimals": pa.array([decimal.Decimal("1.5"), decimal.Decimal(2)]),
    "arrow dates": pa.array([DAY, DAY]), "arrow spans": pa.array([1, 2], pa.duration("s")),
    "arrow times": pa.array([1, 2], pa.timestamp("ns")), "arrow months": pa.array([(1, 2, 3)] * 2, pa.month_day_nano_interval()),
    "arrow kinds": pa.array(["a", "b"]).dictionary_encode(), "arrow int kinds": pa.array([7, 8]).dictionary_encode(),
    "arrow null kind": pa.DictionaryArray.from_arrays([0, 1], ["a", None]),
    "arrow views": pa.array(["a", "b"], pa.string_view()), "arrow large": pa.array(["a", "b"], pa.large_string()),
    "arrow pieces": pa.chunked_array([["a"], ["b"]]), "arrow no pieces": pa.chunked_array([], pa.string()),
    "arrow scalar": pa.scalar(1), "arrow table": pa.table({"a": [1, 2]}), "arrow runs": pa.RunEndEncodedArray.from_arrays([2], ["a"]),
    "arrow union": pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]),
    "arrow extension": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"a" * 16, b"b" * 16], pa.binary(16))),
}  # fmt: skip

EDGE_COLUMNS = ("source", "target", "weight", "relation", "time")
TABLE_COLUMNS = (
    *EDGE_COLUMNS, "properties", "co_occurrence_count", "updated_at", "discovered_by",
    "confidence", "shared_neighbors", "rank",
)  # fmt: skip
NODE_COLUMNS = (
    "id", "type", "properties", "average_edge_weight", "edge_count", "connection_diversity",
    "activation_level", "plasticity_score",
)  # fmt: skip


def taken_or_refused(make: Any) -> str | None:
    """The message in which it was refused, one line; None where it was taken."""
    try:
        graph = make()
    except InputError as error:
        said = str(error)
    else:
        said = ""
    if said:
        assert re.search(r"[\r\n]", said) is None
        return said
    assert isinstance(graph, Graph)
    assert graph.weight.dtype == np.float32
    assert graph.co_occurrence_count.min(initial=0) >= 0
    return None


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.filterwarnings("error::numpy.exceptions.ComplexWarning")
def test_edges(kind: str) -> None:
    for name in EDGE_COLUMNS:
        columns: dict[str, Any] = {"source": [0, 1], "target": [1, 2], name: ODD[kind]}
        said = taken_or_refused(lambda columns=columns: Graph.from_edges(**columns))
        assert said is None or name in said or "node" in said or "ids" in said, said
    taken_or_refused(lambda: Graph.from_edges([0, 1], [1, 2], node_ids=ODD[kind]))


@pytest.mark.parametrize("kind", ODD)
def test_tables(kind: str) -> None:
    usual: dict[str, Any] = {
        "source": ["a", "b"], "target": ["b", "c"], "co_occurrence_count": [1, 2],
        "discovered_by": [None, "shared_neighbors"],
    }  # fmt: skip
    for name in TABLE_COLUMNS:
        made = usual | {name: ODD[kind]}
        said = taken_or_refused(lambda made=made: Graph.from_arrow(made))
        assert said is None or name in said or "edges: expected a table" in said, said
    taken_or_refused(lambda: Graph.from_arrow(ODD[kind]))
    metrics = {measure: [1, 1] for measure in NODE_COLUMNS[3:]}
    for name in NODE_COLUMNS:
        made = {"id": ["a", "b"], "type": ["x", None], **metrics, name: ODD[kind]}
        graph = Graph.from_edges(["a"], ["b"])
        said = taken_or_refused(lambda made=made, graph=graph: graph.with_nodes(made))
        assert said is None or name in said or "nodes: expected a table" in said, said


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_combination(data: st.DataObject) -> None:
    kinds = st.sampled_from([kind for kind in ODD if kind != "generator"])
    columns = {
        name: ODD[data.draw(kinds)] for name in data.draw(st.sets(st.sampled_from(TABLE_COLUMNS)))
    }
    usual = {"source": [0, 1], "target": [1, 2]}
    taken_or_refused(lambda: Graph.from_arrow(usual | columns))
    few = {name: columns[name] for name in EDGE_COLUMNS if name in columns}
    taken_or_refused(lambda: Graph.from_edges(**usual | few))


@pytest.mark.parametrize(
    "kind",
    [
        "array complex", "complex", "array time", "array span", "array of one", "one in a list",
        "arrow one", "arrow lists", "masked", "array bytes", "arrow times", "lists", "three",
    ],
)  # fmt: skip
def test_what_is_no_weight(kind: str) -> None:
    with pytest.raises(InputError, match=r"weight"):
        Graph.from_edges([0, 1], [1, 2], weight=ODD[kind])


def test_a_masked_weight_is_an_empty_cell() -> None:
    with pytest.raises(InputError, match=r"^row 2: weight nan is not .* \(an empty cell\)"):
        Graph.from_edges([0, 1], [1, 2], weight=ODD["masked"])
    whole = np.ma.array([1.0, 5.0], mask=False)
    assert Graph.from_edges([0, 1], [1, 2], weight=whole).weight.tolist() == [1, 5]


@pytest.mark.parametrize(
    "kind", ["mixed", "one", "nan and text", "array complex", "array 2-d", "lists"]
)
def test_what_is_no_relation(kind: str) -> None:
    with pytest.raises(InputError, match=r"^relation: expected one name, or a name for each edge"):
        Graph.from_edges([0, 1], [1, 2], relation=ODD[kind])


@pytest.mark.parametrize(
    ("count", "message"),
    [
        ([1, -5], r"^row 2: co_occurrence_count -5 is not a whole number of at least 0"),
        ([1, 2**40], r"^row 2: co_occurrence_count is not a whole number .* of int32 \("),
        (["1", "x"], r"^row 2: co_occurrence_count is not a whole number"),
        ([1.0, 1.5], r"^row 2: co_occurrence_count is not a whole number"),
        ([[1], [2]], r"^co_occurrence_count: expected a whole number .*, got list<item: int64>$"),
    ],
)  # fmt: skip
def test_what_is_no_count(count: Any, message: str) -> None:
    for name in ("co_occurrence_count", "shared_neighbors"):
        columns = {
            "source": [1, 2], "target": [2, 3], "co_occurrence_count": [1, 1],
            "discovered_by": ["x", "x"], name: count,
        }  # fmt: skip
        with pytest.raises(InputError, match=message.replace("co_occurrence_count", name)):
            Graph.from_arrow(columns)


def test_the_row_that_cannot_be_had_is_named() -> None:
    for bad in itertools.product((0, 1, 4, 8, 9), repeat=2):
        counts = ["x" if row in bad else "1" for row in range(10)]
        with pytest.raises(InputError, match=rf"^row {min(bad) + 1}: co_occurrence_count"):
            Graph.from_arrow(
                {"source": range(10), "target": range(1, 11), "co_occurrence_count": counts}
            )


def test_tables_whose_names_say_too_little() -> None:
    twice = pa.Table.from_arrays(
        [pa.array([1]), pa.array([2]), pa.array([3])], ["source", "target", "target"]
    )
    with pytest.raises(InputError, match=r'^edges: expected distinct .*, got "target" twice'):
        Graph.from_arrow(twice)
    with pytest.raises(InputError, match=r'^nodes: no column "id" among name$'):
        Graph.from_edges(["a"], ["b"]).with_nodes(pa.table({"name": ["a"]}))
