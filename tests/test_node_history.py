"""The history of one node: against whole graphs, in the terminal, as a plot."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import sys
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path

import lance
import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

import hebbgraph
from hebbgraph import tables
from hebbgraph.cli.main import main
from hebbgraph.cli.node_history import show_node_history
from hebbgraph.errors import (
    MissingPackageError,
    NodeNotFoundError,
    ParameterError,
    SnapshotNotFoundError,
)

PNG = b"\x89PNG\r\n\x1a\n"


def commit(store, **changes):
    parent, base = store.snapshot(), store.graph()
    store.commit(
        dataclasses.replace(base, **changes), base=base, parent=parent,
        operation="turn", parameters={}, figures={},
    )  # fmt: skip


@pytest.fixture
def lived(store):
    """A store that learned, lost weight, gained a node, went back, and was learned again."""
    store.plastify(now=datetime(2026, 1, 1, tzinfo=UTC))
    commit(store, weight=store.graph().weight * np.float32(0.5) - np.float32(0.75))
    store.add(
        hebbgraph.Graph.from_edges(["O'Brien 김", "Python"], ["Python", "HTTP"], relation="knows")
    )
    store.restore(0)
    store.plastify(now=datetime(2026, 1, 3, tzinfo=UTC), discover=False)
    store.add(hebbgraph.Graph.from_edges(["O'Brien 김"], ["Python"], relation="knows", weight=3))
    return store


def naive_history(store, node):
    """From the whole graph of every snapshot: activation, mean, count, and edges with weights."""
    courses: dict[tuple, list[float]] = {}
    out = []
    history = store.history()
    for at, snapshot in enumerate(history):
        graph = store.graph(snapshot.seq)
        try:
            key = graph.key(node)
        except NodeNotFoundError:
            out.append((math.nan, math.nan, 0))
            continue
        rows = [
            row for row in graph.to_arrow().to_pylist() if node in (row["source"], row["target"])
        ]
        for row in rows:
            identity = (row["source"], row["target"], row["relation"])
            courses.setdefault(identity, [math.nan] * len(history))[at] = row["weight"]
        metrics = graph.metrics
        level = math.nan if metrics is None else float(metrics.activation_level[key])
        weights = [row["weight"] for row in rows]
        out.append((level, sum(weights) / len(weights) if weights else math.nan, len(weights)))
    return out, courses


@pytest.mark.parametrize("node", ["Python", "FastAPI", "O'Brien 김", "Flask"])
def test_history_is_what_whole_graphs_say(lived, node):
    found = lived.history_of(node, limit=100)
    states, courses = naive_history(lived, node)
    assert found.node == node
    assert found.snapshots.tolist() == [one.seq for one in lived.history()]
    assert found.created_at == tuple(one.created_at for one in lived.history())
    assert found.readable.all()
    activation, mean, count = zip(*states, strict=True)
    np.testing.assert_allclose(found.activation, activation)
    np.testing.assert_allclose(found.mean_weight, mean, rtol=1e-6)
    assert found.edge_count.tolist() == list(count)
    assert found.edges_seen == len(courses)
    mine = {(edge.source, edge.target, edge.relation): edge.weight for edge in found.edges}
    assert set(mine) == set(courses)
    for identity, course in courses.items():
        np.testing.assert_array_equal(mine[identity], course)


def test_what_was_not_there_is_missing(lived):
    found = lived.history_of("O'Brien 김")
    assert found.present.tolist() == [False, False, False, True, False, False, True]
    assert np.isnan(found.edges[0].weight).tolist() == (~found.present).tolist()
    assert found.edges[0].weight[[3, 6]].tolist() == [1, 3]
    inferred = [edge for edge in lived.history_of("FastAPI").edges if edge.inferred]
    assert np.isnan(inferred[0].weight).tolist() == [True, False, False, False, True, True, True]


def test_strongest_edges_come_first(lived):
    found = lived.history_of("Python", limit=2)
    assert found.edges_seen > len(found.edges) == 2
    assert found.edges[0].weight[-1] == 3
    assert lived.history_of("Python", limit=0).edges == ()


def test_gone_tables_are_missing(lived):
    """Another program cleaned the folder of what only older snapshots name."""
    whole = lived.history_of("Python", limit=100)
    edges = lance.dataset(tables.folder(lived.path, "edges"))
    edges.cleanup_old_versions(older_than=timedelta(0), delete_unverified=True)
    found = lived.history_of("Python", limit=100)
    there = tables.versions(lived.path, "edges")
    want = [one.versions["edges"] in there for one in lived.history()]
    assert found.readable.tolist() == want
    assert 0 < sum(want) < len(want)
    assert np.isnan(found.mean_weight).tolist() == (~found.readable).tolist()
    assert found.mean_weight[found.readable].tolist() == whole.mean_weight[want].tolist()
    assert "? tables gone" in drawn(found)


def test_after_compaction_the_kept_snapshots_remain(lived):
    before = lived.history_of("Python").mean_weight
    lived.compact(keep=3)
    found = lived.history_of("Python")
    assert found.readable.all()
    assert found.mean_weight.tolist() == before[-3:].tolist()


@pytest.mark.parametrize("ids", [None, [7, -3, 2**40]])
def test_ids_that_are_integers(tmp_path, ids):
    keys = [0, 1, 2] if ids is None else ids
    graph = hebbgraph.Graph.from_edges(keys[:2], keys[1:], node_ids=ids)
    store = hebbgraph.Store.create(tmp_path / "s.lance", graph)
    for wanted in (keys[1], str(keys[1])):
        found = store.history_of(wanted)
        assert found.node == keys[1]
        assert {(edge.source, edge.target) for edge in found.edges} == {
            (keys[0], keys[1]), (keys[1], keys[2]),
        }  # fmt: skip


def test_unknown_nodes_and_empty_histories(lived, tmp_path):
    with pytest.raises(NodeNotFoundError, match='no node "Pytho" among 7; did you mean "Python"'):
        lived.history_of("Pytho")
    with pytest.raises(NodeNotFoundError, match="no node"):
        lived.history_of("' or 1=1 --")
    with pytest.raises(ParameterError, match="limit: expected a whole number"):
        lived.history_of("Python", limit=-1)
    lance.write_dataset(
        hebbgraph.Graph.from_edges(["a"], ["b"]).to_arrow().select(["source", "target"]),
        str(tmp_path / "bare.lance"),
    )
    with pytest.raises(SnapshotNotFoundError, match="there are none"):
        hebbgraph.open(tmp_path / "bare.lance").history_of("a")


def test_result_is_frozen_and_json(lived):
    found = lived.history_of("FastAPI")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.node = "x"
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["activation"][0] is None
    assert document["edge_count"] == found.edge_count.tolist()
    assert len(document["edges"]) == len(found.edges)


# -- in the terminal ----------------------------------------------------------


def drawn(found, width=80):
    console = Console(width=width, record=True, file=io.StringIO())
    show_node_history(console, found)
    return console.export_text()


def course(text, name):
    line = next(line for line in text.splitlines() if line.startswith(name))
    return line[len(name) :].split()


def test_marks_say_what_the_numbers_say(lived):
    text = drawn(lived.history_of("O'Brien 김"))
    assert course(text, "edges") == ["···▅··▅", "1", "1", "1", "1"]
    assert course(text, "→ Python (knows)") == ["···▁··█", "1.000", "3.000", "1.000", "3.000"]
    assert course(text, "activation") == ["·······", "–", "–", "–", "–"]
    assert "▁ 1.000, █ 3.000" in text
    assert "· not there, or not measured" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_many_snapshots_fit(store, width):
    for step in range(40):
        commit(store, weight=np.full(9, 1 + step / 40, np.float32))
    text = drawn(store.history_of("Python"), width)
    assert max(map(len, text.splitlines())) <= width
    marks, first, last, *_ = course(text, "mean weight")
    assert (first, last) == ("1.000", "1.975")
    assert marks == "".join(sorted(marks))  # rises, as the weights do
    assert ("a mark is up to" in text) == (len(marks) < 41)


@pytest.fixture
def run(lived, monkeypatch):
    monkeypatch.chdir(lived.path.parent)

    def call(*arguments, code=0):
        result = CliRunner().invoke(main, ["history", "data.lance", *arguments])
        assert result.exit_code == code, result.output
        return result

    return call


def test_command(run):
    assert "→ HTTP (does)" in run("--node", "Python").output
    document = json.loads(run("--node", "Python", "--json", "--limit", "1").stdout)
    assert (document["store"], len(document["edges"])) == ("data.lance", 1)
    assert run("--node", "Python", "--quiet").output == ""
    assert "Error: no node" in run("--node", "nobody", code=1).output
    assert "--png goes with --node" in run("--png", "x.png", code=2).output
    assert "plastify" in run().output


def test_png(run):
    pytest.importorskip("matplotlib")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "drawn → x.png" in run("--node", "O'Brien 김", "--png", "x.png").output
    assert Path("x.png").read_bytes().startswith(PNG)
    assert Path("x.png").stat().st_size > 10_000


def test_png_without_matplotlib(run, lived, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("--node", "Python", "--png", "x.png", code=1)
    assert result.output.count("\n") == 1
    assert "plots need matplotlib" in result.output
    assert "pip install 'hebbgraph[plots]'" in result.output
    assert not Path("x.png").exists()
    from hebbgraph.plots import node_history_png

    with pytest.raises(MissingPackageError, match="plots need matplotlib"):
        node_history_png(lived.history_of("Python"), "x.png")


def test_png_where_nothing_can_be_written(run):
    pytest.importorskip("matplotlib")
    result = run("--node", "Python", "--png", "nowhere/x.png", code=1)
    assert "nowhere/x.png: No such file" in result.output


def test_history_begins_anew_where_keys_moved(store):
    """What is forgotten moves the keys of those behind it."""
    store.plastify()
    before = store.history_of("Web")
    assert before.readable.all()
    first = store.graph().id(0)
    store.forget([first])
    after = store.history_of("Web")
    assert after.readable.tolist() == [False, False, True]
    assert {edge.source for edge in after.edges} | {edge.target for edge in after.edges} == {
        "Web", *store.graph().neighbors("Web")
    }  # fmt: skip
