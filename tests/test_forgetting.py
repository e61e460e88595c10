"""Forgetting and correcting on request: loops, stores, and every byte."""

from __future__ import annotations

import fcntl
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import MOMENT, build, plains

import hebbgraph
from hebbgraph import replacement
from hebbgraph.errors import ConflictError, InputError, NodeNotFoundError, ParameterError
from hebbgraph.plasticity.mentions import without_source

Row = dict[str, Any]
SHOWN = ("source", "target", "relation", "weight", "properties")
SECRET = "Zaphod Beeblebrox 김철수"


def left(
    rows: list[Row], nodes: set[Any], edges: list[tuple[Any, Any]], directed: bool
) -> list[Row]:
    """Edges that stay, by the rules of :func:`hebbgraph.forget`, one by one."""

    def asked(row: Row) -> bool:
        forth, back = (row["source"], row["target"]), (row["target"], row["source"])
        return forth in edges or (back in edges and (not directed or bool(row["discovered_by"])))

    gone = [asked(row) or bool({row["source"], row["target"]} & nodes) for row in rows]
    near: dict[Any, set[Any]] = {}
    touched: set[Any] = set()
    for row, going in zip(rows, gone, strict=True):
        if row["discovered_by"]:
            continue
        if going:
            touched |= {row["source"], row["target"]}
        else:
            near.setdefault(row["source"], set()).add(row["target"])
            near.setdefault(row["target"], set()).add(row["source"])
    kept = []
    for row, going in zip(rows, gone, strict=True):
        a, b = row["source"], row["target"]
        orphaned = (
            row["discovered_by"] and not row["co_occurrence_count"] and row["weight"] >= 0
            and touched & {a, b} and not near.get(a, set()) & near.get(b, set())
        )  # fmt: skip
        if going or orphaned:
            continue
        text = row["properties"]
        if row["discovered_by"]:
            listed = [one for one in json.loads(text)["evidence"] if one not in nodes]
            text = json.dumps({"evidence": listed}, ensure_ascii=False)
        kept.append({name: row[name] for name in SHOWN} | {"properties": text})
    return kept


@st.composite
def inferred(draw: st.DrawFn) -> hebbgraph.Graph:
    """A graph with inferred edges of any evidence, used or not, inhibitory or not."""
    plain = draw(plains(max_nodes=8))
    graph = build(plain)
    n = len(plain.ids)
    rows = graph.to_arrow()
    joined = {frozenset(edge.ends) for edge in plain.edges}
    free = [(a, b) for a in range(n) for b in range(a + 1, n) if frozenset((a, b)) not in joined]
    made = draw(st.lists(st.sampled_from(free), unique=True, max_size=5)) if free else []
    more = [
        {
            "source": plain.ids[a], "target": plain.ids[b], "relation": "shares_context_with",
            "discovered_by": "shared_neighbors", "confidence": 0.7, "shared_neighbors": 2,
            "rank": 1.0, "weight": draw(st.sampled_from((1.0, 1.0, -0.5))),
            "co_occurrence_count": draw(st.sampled_from((0, 0, 3))),
            "properties": json.dumps(
                {"evidence": draw(st.lists(st.sampled_from(plain.ids), unique=True, max_size=3))},
                ensure_ascii=False),
        }
        for a, b in made
    ]  # fmt: skip
    kinds = pa.schema([field if field.name != "relation" else pa.field("relation", pa.string())
                       for field in rows.schema])  # fmt: skip
    nodes = pa.table({"id": graph.ids_of(np.arange(n))})
    return hebbgraph.Graph.from_arrow(
        pa.Table.from_pylist([*rows.to_pylist(), *more], schema=kinds), nodes=nodes,
        directed=plain.directed, ids="exact",
    )  # fmt: skip


def listed(graph: hebbgraph.Graph) -> list[Row]:
    return graph.to_arrow().to_pylist()


@given(inferred(), st.data())
@settings(deadline=None)
def test_forgetting_as_the_loop_has_it(graph, data):
    ids = graph.ids_of(np.arange(graph.n_nodes)).to_pylist()
    nodes = set(data.draw(st.lists(st.sampled_from(ids), max_size=len(ids) - 1)))
    rows = listed(graph)
    ends = [(row["source"], row["target"]) for row in rows]
    edges = data.draw(st.lists(st.sampled_from(ends), max_size=2)) if ends else []
    done = hebbgraph.forget(graph, nodes=nodes, edges=edges)
    want = left(rows, nodes, edges, graph.directed)
    got = [{name: row[name] for name in SHOWN} for row in listed(done.graph)]
    key = str
    assert sorted(got, key=key) == sorted(want, key=key)
    assert done.graph.ids_of(np.arange(done.graph.n_nodes)).to_pylist() == [
        one for one in ids if one not in nodes
    ]
    assert set(done.report.nodes) == nodes
    assert done.report.edges.num_rows == len(rows) - len(want)
    assert done.report.changed == bool(nodes or edges)
    for row in done.report.edges.to_pylist():
        hit = {row["source"], row["target"]} & nodes
        assert hit or row["because"] in ("asked for", "nothing that its ends shared is left")


@given(inferred())
@settings(deadline=None, max_examples=20)
def test_forgetting_nothing_changes_nothing(graph):
    done = hebbgraph.forget(graph)
    assert done.graph is graph
    assert not done.report.changed


def test_a_source_goes_with_what_only_it_said():
    graph = hebbgraph.Graph.from_arrow(
        {"source": ["a", "b", "c", "d"], "target": ["b", "c", "d", "a"],
         "properties": ['{"source": "x.md"}', '{"source": ["x.md", "y.md"]}', None,
                        '{"source": "x.md", "page": 3}']},
        nodes=pa.table({"id": ["a", "lone"], "properties": ['{"source": "y.md"}',
                                                            '{"sources": ["x.md"]}']}),
    )  # fmt: skip
    report = hebbgraph.forget(graph, source="x.md").report
    assert report.nodes == ("lone",)
    assert report.edges.select(["source", "target"]).to_pylist() == [
        {"source": "a", "target": "b"}, {"source": "d", "target": "a"}
    ]  # fmt: skip
    assert (report.sources, report.left_bare) == (1, 0)
    left = hebbgraph.forget(graph, source="x.md").graph
    assert [row["properties"] for row in listed(left)] == ['{"source": ["y.md"]}', None]
    # "x" is the beginning of a name, no source.
    assert not hebbgraph.forget(graph, source="x").report.changed
    alone = hebbgraph.Graph.from_arrow(
        {"source": ["a", "c"], "target": ["b", "d"], "properties": ['{"source": "x"}', None]}
    )
    assert hebbgraph.forget(alone, source="x").report.nodes == ("a", "b")


def test_sources_are_read_however_json_spells_them():
    name = 'a "quoted" 문서'
    texts = [json.dumps({"source": name}), json.dumps({"source": name}, ensure_ascii=False),
             json.dumps({"source": [name, "b"], "sources": ["c"]}), name, "[1]", None]  # fmt: skip
    found = without_source(pa.array(texts, pa.string()), len(texts), name)
    assert found.alone.tolist() == [True, True, False, False, False, False]
    assert found.shared == 1
    assert json.loads(found.text[2].as_py()) == {"source": ["b"], "sources": ["c"]}


def test_a_time_span_goes_and_undated_edges_stay():
    days = [MOMENT - timedelta(days=day) for day in (9, 5, 1)]
    graph = hebbgraph.Graph.from_edges(
        ["a", "b", "c", "d"], ["b", "c", "d", "a"], time=[*days, None]
    )
    report = hebbgraph.forget(graph, after=days[1], before=days[2]).report
    assert report.edges.select(["source", "target"]).to_pylist() == [{"source": "b", "target": "c"}]
    assert report.nodes == ()
    assert hebbgraph.forget(graph, before=days[2]).report.nodes == ("b",)
    assert hebbgraph.forget(graph, after=days[0]).report.nodes == ("b", "c")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"nodes": ["zed"]}, NodeNotFoundError, 'no node "zed"'),
        ({"edges": [("a", "c")]}, InputError, 'no edge from "a" to "c"'),
        ({"edges": [("a", "b", "likes")]}, InputError, "of that relation"),
        ({"edges": ["ab"]}, InputError, r"expected \(source, target\)"),
        ({"nodes": ["a", "b", "c"]}, InputError, "nothing would be left"),
        ({"after": MOMENT, "before": MOMENT}, ParameterError, "earlier than before"),
        ({"after": datetime(2025, 1, 1)}, ParameterError, "with a time zone"),
    ],
)
def test_what_cannot_be_forgotten(options, error, message):
    graph = hebbgraph.Graph.from_edges(["a", "b"], ["b", "c"])
    with pytest.raises(error, match=message):
        hebbgraph.forget(graph, **options)


# -- in a store ---------------------------------------------------------------


def holding(path: Path, text: str) -> list[str]:
    """Files below a folder that hold a text, as UTF-8 or as JSON escapes it."""
    forms = {text.encode(), json.dumps(text)[1:-1].encode()}
    return [str(file.relative_to(path)) for file in path.rglob("*")
            if file.is_file() and any(form in file.read_bytes() for form in forms)]  # fmt: skip


@pytest.fixture
def lived(tmp_path: Path) -> hebbgraph.Store:
    """A store that names a secret wherever it can."""
    graph = hebbgraph.Graph.from_arrow(
        {"source": ["a", "a", "b", "b", SECRET, SECRET, "d"],
         "target": ["x", SECRET, "x", SECRET, "c", "x", "e"],
         "relation": ["knows"] * 4 + ["is hidden in", "knows", "knows"],
         "properties": [None, '{"page": "hush-hush"}', None, None, '{"page": "hush-hush"}',
                        None, None]},
        nodes=pa.table({"id": [SECRET, "d"], "type": ["president", "place"],
                        "properties": ['{"heads": "two-heads"}', '{"size": 1}']}),
    )  # fmt: skip
    store = hebbgraph.Store.create(tmp_path / "data.lance", graph, parameters={"file": SECRET})
    store.record([SECRET, "a"], time=MOMENT, context=f"who is {SECRET}?", outcome=1)
    store.record(["a", "b"], time=MOMENT, context={"asked": SECRET}, id="kept")
    store.record([SECRET], time=MOMENT, context="two-heads")
    store.record(["d", "e"], time=MOMENT, context="plain")
    store.plastify(now=MOMENT, min_shared_neighbors=1, confidence_threshold=0.3)
    assert any(SECRET in (row["properties"] or "") for row in listed(store.graph()))
    store.consolidate(now=MOMENT)
    store.consolidate(now=MOMENT + timedelta(days=4))
    store.unarchive(["a", "b", "x", SECRET], now=MOMENT + timedelta(days=4))
    return store


def test_forgetting_is_a_snapshot_that_restore_undoes(lived):
    before = lived.current.seq
    rows = listed(lived.graph())
    dry = lived.forget([SECRET], dry_run=True)
    assert lived.current.seq == before
    report = lived.forget([SECRET])
    assert {**dry.to_dict(), "snapshot": report.snapshot} == report.to_dict()
    assert (report.nodes, report.episodes, report.episodes_gone) == ((SECRET,), 2, 1)
    assert report.archived_edges == 1
    graph = lived.graph()
    with pytest.raises(NodeNotFoundError):
        graph.key(SECRET)
    assert all(
        SECRET not in str(row) for row in [*listed(graph), *lived.episodes().to_pylist()][:-3]
    )
    assert [row["nodes"] for row in lived.episodes().to_pylist()] == [["a"], ["a", "b"], ["d", "e"]]
    diff = lived.diff()
    assert (diff.added.num_rows, diff.strengthened.num_rows, diff.weakened.num_rows) == (0, 0, 0)
    assert diff.withdrawn.num_rows == report.edges.num_rows
    lived.unarchive(["d", "e"])
    assert lived.graph().neighbors("d") == ["e"]
    lived.restore(before)
    assert lived.forget(edges=[("d", "e")]).archived_edges == 1
    lived.restore(before)
    assert listed(lived.graph()) == rows
    assert lived.episodes().num_rows == 4
    lived.unarchive(["c"])
    assert set(lived.graph().neighbors(SECRET)) >= {"a", "b", "c", "x"}


def test_what_is_forgotten_teaches_nothing_when_its_name_comes_back(tmp_path):
    graph = hebbgraph.Graph.from_edges(["a", "b"], ["b", "c"])
    store = hebbgraph.Store.create(tmp_path / "s.lance", graph)
    for _ in range(5):
        store.record(["a", "b"], time=MOMENT, outcome=1)
    store.forget(["a"])
    store.add(graph)
    report = store.plastify(now=MOMENT, discover=False)
    learned = store.graph()
    edge = learned.incident("a")
    assert learned.weight[edge].tolist() == [1.0]
    assert learned.co_occurrence_count[edge].tolist() == [0]
    assert learned.use.access_count[learned.key("a")] == 0
    assert learned.use.access_count[learned.key("b")] == 5
    assert report.episodes_learned == 5
    store.record(["a", "b"], time=MOMENT)
    store.plastify(now=MOMENT, discover=False)
    assert store.graph().co_occurrence_count[store.graph().incident("a")].tolist() == [1]


def test_a_span_of_episodes_counts_no_more(tmp_path):
    graph = hebbgraph.Graph.from_edges(["a", "b"], ["b", "c"])
    store = hebbgraph.Store.create(tmp_path / "s.lance", graph)
    for day in range(4):
        store.record(["a", "b"], time=MOMENT - timedelta(days=day))
    store.plastify(now=MOMENT, discover=False)
    report = store.forget(after=MOMENT - timedelta(days=1), before=MOMENT + timedelta(days=1))
    assert (report.episodes_gone, report.edges.num_rows, report.nodes) == (2, 0, ())
    assert store.episodes().num_rows == 2
    store.plastify(now=MOMENT, discover=False)
    assert store.graph().co_occurrence_count.tolist() == [2, 0]


@pytest.mark.parametrize("first", [False, True], ids=["at once", "forgotten before"])
def test_a_purge_leaves_no_byte(lived, first):
    assert holding(lived.path, SECRET)
    if first:
        lived.forget([SECRET])
        assert holding(lived.path, SECRET)
    kept = [row for row in listed(lived.graph()) if SECRET not in {row["source"], row["target"]}]
    number = lived.current.seq
    report = lived.forget([SECRET], purge=True)
    for text in (SECRET, "two-heads", "hush-hush", "president", "is hidden in", "Beeblebrox"):
        assert holding(lived.path, text) == [], text
    assert report.snapshots_gone == number + 1
    assert [one.seq for one in lived.history()] == [number + 1]
    got = listed(hebbgraph.open(lived.path).graph())
    names = ("source", "target", "relation", "weight", "co_occurrence_count")
    assert [[row[name] for name in names] for row in got] == [
        [row[name] for name in names] for row in kept
    ]
    episodes = lived.episodes().to_pylist()
    assert [(row["nodes"], row["context"]) for row in episodes] == [
        (["a"], None), (["a", "b"], None), (["d", "e"], "plain")
    ]  # fmt: skip
    lived.restore(lived.current.seq)
    lived.compact(keep=1)
    assert holding(lived.path, SECRET) == []
    lived.unarchive(["d", "e"])
    assert lived.graph().neighbors("d") == ["e"]
    lived.record(["d", "e"], time=MOMENT)
    assert lived.plastify(now=MOMENT, discover=False).episodes_learned == 1
    with pytest.raises(NodeNotFoundError):
        lived.forget([SECRET], purge=True)


def test_purging_what_is_not_there_keeps_the_history(lived):
    seqs = [one.seq for one in lived.history()]
    assert not lived.forget(source="nothing.md", purge=True).changed
    with pytest.raises(NodeNotFoundError, match='"zed"'):
        lived.forget(["zed"], purge=True)
    dry = lived.forget([SECRET], purge=True, dry_run=True)
    assert dry.snapshots_gone == len(seqs)
    assert [one.seq for one in lived.history()] == seqs


def test_integer_keys_become_ids(tmp_path):
    graph = hebbgraph.Graph.from_edges([0, 1, 2], [1, 2, 3])
    store = hebbgraph.Store.create(tmp_path / "s.lance", graph)
    store.record([0, 3], time=MOMENT, context="4 of 13")
    assert store.forget([1], purge=True).nodes == (1,)
    left = store.graph()
    assert left.ids_of(np.arange(3)).to_pylist() == [0, 2, 3]
    assert left.neighbors(2) == [3]
    store.plastify(now=MOMENT)
    assert store.graph().use.access_count.tolist() == [1, 0, 1]
    assert store.episodes()["context"].to_pylist() == ["4 of 13"]


def test_a_purge_refuses_while_another_writes(lived):
    held = os.open(lived.path, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    before = lived.history()
    try:
        with pytest.raises(ConflictError, match="another writer is at work"):
            lived.forget([SECRET], purge=True)
    finally:
        os.close(held)
    assert lived.history() == before
    assert lived.forget([SECRET], purge=True).changed


def test_a_purge_that_fails_leaves_the_store_as_it_was(lived, monkeypatch):
    before = [listed(lived.graph(one.seq)) for one in lived.history()]

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(replacement, "decide", full)
    with pytest.raises(hebbgraph.HebbGraphError, match="the disk is full"):
        lived.forget([SECRET], purge=True)
    assert [listed(lived.graph(one.seq)) for one in lived.history()] == before
    assert not list(lived.path.glob(".repl*"))


@pytest.mark.parametrize("steps", range(9))
def test_a_decided_purge_is_ended_by_whoever_comes_next(lived, monkeypatch, steps):
    """Killed after so many of the renamings and deletions that end it."""
    count = 0

    class Killed(BaseException):
        pass

    def limited(real):
        def call(*arguments, **options):
            nonlocal count
            if (lived.path / replacement.DECIDED).is_dir():
                count += 1
                if count > steps:
                    raise Killed
            return real(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(replacement.shutil, "rmtree", limited(replacement.shutil.rmtree))
        patch.setattr(Path, "rename", limited(Path.rename))
        with pytest.raises(Killed):
            lived.forget([SECRET], purge=True)
    again = hebbgraph.open(lived.path)
    assert len(again.history()) == 1
    assert again.graph().n_edges
    assert holding(lived.path, SECRET) == []
    assert not list(lived.path.glob(".repl*"))
    assert again.episodes().num_rows == 3


def test_a_plain_data_set_is_not_forgotten_from(tmp_path):
    import lance

    path = tmp_path / "edges.lance"
    lance.write_dataset(pa.table({"source": ["a", "b"], "target": ["b", "c"]}), str(path))
    with pytest.raises(InputError, match="delete the rows there"):
        hebbgraph.open(path).forget(["a"])


def test_asking_for_nothing(lived):
    with pytest.raises(ParameterError, match="expected nodes, edges, a source or a time span"):
        lived.forget()


# -- correcting ---------------------------------------------------------------


def ranked(graph: hebbgraph.Graph, cue: str) -> list[Any]:
    """Neighbours of the cue by weight: one step of spreading."""
    edges = graph.incident(cue)
    ends = np.where(
        graph.indices[edges] == graph.key(cue), graph.source[edges], graph.indices[edges]
    )
    return [graph.id(int(key)) for key in ends[np.argsort(-graph.weight[edges], kind="stable")]]


@pytest.mark.parametrize("known", [True, False], ids=["the right one is known", "it is new"])
def test_ten_corrections_and_the_right_answer_comes_first(tmp_path, known):
    """Even against a belief as firm as one can be."""
    graph = hebbgraph.Graph.from_edges(
        ["capital of Australia", "Sydney", "Sydney", "Opera", "Canberra"],
        ["Sydney", "Opera", "Harbour", "Harbour", "Parliament"],
    )
    if known:
        graph = hebbgraph.Graph.from_edges(
            ["capital of Australia", "capital of Australia", "Sydney", "Sydney", "Opera"],
            ["Sydney", "Canberra", "Opera", "Harbour", "Harbour"],
        )
    store = hebbgraph.Store.create(tmp_path / "s.lance", graph)
    cue, wrong, right = "capital of Australia", "Sydney", "Canberra"
    store.record_many(
        [{"nodes": [cue, wrong], "outcome": 1, "time": MOMENT}] * 200
        + [{"nodes": [wrong, "Opera", "Harbour"], "outcome": 1, "time": MOMENT}] * 5
    )
    store.plastify(now=MOMENT, discover=False)
    before = store.graph()
    assert ranked(before, cue)[0] == wrong
    assert before.weight.max() == 5.0
    inside = {"Sydney", "Opera", "Harbour"}

    def cluster(graph: hebbgraph.Graph) -> list[float]:
        return [row["weight"] for row in listed(graph) if {row["source"], row["target"]} <= inside]

    for _ in range(10):
        assert store.correct([wrong], right=[right], cue=[cue], time=MOMENT) == 2
    store.plastify(now=MOMENT, discover=False)
    after = store.graph()
    assert ranked(after, cue)[0] == right
    assert all(new <= old for new, old in zip(cluster(after), cluster(before), strict=True))
    assert len(cluster(after)) == 3
    one = after.key(wrong)
    assert after.use.activation[one] == before.use.activation[one]
    assert after.use.access_count[one] == before.use.access_count[one]
    assert after.use.failure_count[one] == 10
    assert after.co_occurrence_count.max() == before.co_occurrence_count.max()


def test_without_a_cue_what_is_wrong_is_that_they_belong_together(tmp_path):
    graph = hebbgraph.Graph.from_edges(["a", "b", "c"], ["b", "c", "a"])
    store = hebbgraph.Store.create(tmp_path / "s.lance", graph)
    assert store.correct(["a", "b"], time=MOMENT) == 1
    store.plastify(now=MOMENT, discover=False, learning_rate=0)
    assert [row["weight"] for row in listed(store.graph())] == [0.5, 1.0, 1.0]
    for arguments in ({"right": ["a"]}, {"cue": ["a"]}):
        with pytest.raises(InputError, match="stands on two sides"):
            store.correct(["a"], **arguments)
    with pytest.raises(NodeNotFoundError):
        store.correct(["zed"], time=datetime.now(UTC))
