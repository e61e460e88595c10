"""Store: snapshots, commits, history, diff, restore, compact, and who else can read it."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import lance
import lancedb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from conftest import tree

import hebbgraph
from hebbgraph import schema, tables
from hebbgraph.errors import (
    ConflictError,
    InputError,
    SchemaVersionError,
    SnapshotNotFoundError,
    StoreError,
    StoreNotFoundError,
    StoreWriteError,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PAIRS = [("Django", "FastAPI"), ("Python", "Web")]


def test_graph_comes_back_whole(store, web):
    assert store.graph().to_arrow().equals(web.to_arrow())


def test_every_column_comes_back(tmp_path):
    edges = pa.table(
        {
            "source": ["a", "a", "b"], "target": ["b", "c", "c"], "relation": ["x", "y", "x"],
            "weight": [0.5, 2.0, 3.0], "time": [NOW, None, NOW], "properties": ['{"k":1}', None, None],
        }
    )  # fmt: skip
    nodes = pa.table(
        {"id": ["a", "b", "lonely"], "type": ["T", None, "U"], "properties": [None, "{}", None]}
    )
    graph = hebbgraph.Graph.from_arrow(edges, nodes=nodes)
    store = hebbgraph.Store.create(tmp_path / "s.lance", graph)
    store.plastify(now=NOW)
    again = store.graph()
    assert again.to_arrow()["properties"].to_pylist().count('{"k":1}') == 1
    listed = again.nodes_to_arrow().select(["id", "type", "properties"]).to_pylist()
    assert listed == [
        {"id": "a", "type": "T", "properties": None},
        {"id": "b", "type": None, "properties": "{}"},
        {"id": "c", "type": None, "properties": None},
        {"id": "lonely", "type": "U", "properties": None},
    ]
    assert again.metrics.edge_count.tolist() == [2, 2, 2, 0]
    assert again.to_arrow()["time"].null_count == 1


@pytest.mark.parametrize("ids", [["a", "b"], [5, 2**40], [0, 1]])
def test_ids_keep_their_type(tmp_path, ids):
    edges = pa.table({"source": ids, "target": ids[::-1]})
    store = hebbgraph.Store.create(tmp_path / "s.lance", hebbgraph.Graph.from_arrow(edges))
    assert store.graph().neighbors(ids[0]) == [ids[1]]


def test_second_pass_writes_nothing(store):
    first = store.plastify()
    before = tree(store.path)
    second = store.plastify()
    assert (first.changed, second.changed) == (True, False)
    assert second.snapshot == first.snapshot == 1
    assert tree(store.path) == before


def test_learning_rewrites_learned_columns_alone(store):
    store.plastify(discover=False)
    fragments = lance.dataset(tables.folder(store.path, "edges")).get_fragments()
    first = lance.dataset(tables.folder(store.path, "edges"), version=1).get_fragments()
    files = [[file.path for file in fragment.data_files()] for fragment in (first[0], fragments[0])]
    assert files[0][0] == files[1][0]
    assert files[0][1] != files[1][1]


def test_columns_fall_back_to_a_whole_table(store):
    target = tables.folder(store.path, "edges")
    lance.dataset(target).optimize.compact_files()
    whole = lance.dataset(target).to_table()
    version = int(lance.write_dataset(whole, target, mode="overwrite").version)
    moved = whole.select(schema.LEARNED["edges"])
    moved = moved.set_column(0, "weight", pa.array(np.full(len(moved), 2, np.float32)))
    new = tables.replace_columns(store.path, "edges", version, moved)
    again = tables.read(store.path, "edges", new, schema.EDGES.names)
    assert again["weight"].to_pylist() == [2.0] * len(moved)
    assert again.drop_columns(["weight"]).equals(whole.drop_columns(["weight"]))


def test_dry_run_writes_nothing(store):
    before = tree(store.path)
    report = store.plastify(dry_run=True)
    assert report.new_associations_discovered == 2
    assert report.snapshot is None
    assert tree(store.path) == before


def test_restore_then_plastify_is_the_same_snapshot(store):
    store.plastify(now=NOW)
    learned = store.graph()
    assert store.restore(0).operation == "restore"
    assert store.graph().n_inferred == 0
    store.plastify(now=NOW)
    assert store.graph().to_arrow().equals(learned.to_arrow())
    assert [one.operation for one in store.history()] == [
        "import", "plastify", "restore", "plastify",
    ]  # fmt: skip


def test_any_snapshot_can_be_read(store, web):
    store.plastify()
    assert store.graph(0).to_arrow().equals(web.to_arrow())
    assert store.graph(-1).n_inferred == store.graph(1).n_inferred == 2
    with pytest.raises(SnapshotNotFoundError, match="no snapshot 7; there are 0 to 1"):
        store.graph(7)


def test_diff_names_what_moved(store):
    store.plastify()
    diff = store.diff()
    added = diff.added.to_pylist()
    assert [(edge["source"], edge["target"]) for edge in added] == PAIRS
    assert added[0]["discovered_by"] == "shared_neighbors"
    assert diff.strengthened.num_rows > 0
    assert all(
        edge["weight_after"] > edge["weight_before"] for edge in diff.strengthened.to_pylist()
    )
    back = store.diff(1, 0)
    assert back.withdrawn.num_rows == diff.added.num_rows
    assert back.weakened.num_rows == diff.strengthened.num_rows
    assert json.loads(json.dumps(diff.to_dict()))["counts"]["added"] == 2


def test_diff_needs_two_snapshots(store):
    with pytest.raises(SnapshotNotFoundError, match="expected two snapshots"):
        store.diff()


def test_add_merges_and_keeps_what_was_learned(store):
    store.plastify()
    weight = dict(_weights(store))
    more = hebbgraph.Graph.from_edges(
        ["Flask", "Flask"], ["HTTP", "Python"], relation=["speaks", "uses"]
    )
    snapshot = store.add(more)
    assert snapshot.figures["new_edges"] == 1
    assert {edge: value for edge, value in _weights(store) if edge in weight} == weight
    assert store.add(more).seq == snapshot.seq


def _weights(store):
    for row in store.graph().to_arrow().to_pylist():
        yield (row["source"], row["target"], row["relation"]), row["weight"]


def test_add_refuses_another_directedness(store):
    other = hebbgraph.Graph.from_edges(["a"], ["b"], directed=False)
    with pytest.raises(InputError, match="holds a directed graph, the new edges are undirected"):
        store.add(other)


def test_compact_keeps_what_snapshots_name(store):
    store.plastify()
    store.plastify(max_new_edges_per_node=1, confidence_threshold=1.0, min_shared_neighbors=3)
    store.restore(0)
    graphs = [store.graph(one.seq).to_arrow() for one in store.history()]
    done = store.compact()
    assert done["removed"] == 0
    assert [store.graph(one.seq).to_arrow() for one in store.history()] == graphs
    done = store.compact(keep=1)
    assert done["snapshots"] == 1
    assert done["bytes_freed"] > 0
    assert store.graph().to_arrow() == graphs[-1]
    with pytest.raises(SnapshotNotFoundError, match="no snapshot 0"):
        store.graph(0)
    store.plastify()
    assert store.graph().n_inferred == 2


def test_other_tools_read_the_same_tables(store):
    store.plastify()
    want = sorted(store.graph().weight.tolist())
    table = lancedb.connect(str(store.path)).open_table("edges")
    assert sorted(table.to_arrow()["weight"].to_pylist()) == want
    edges = lance.dataset(tables.folder(store.path, "edges"))
    nodes = lance.dataset(tables.folder(store.path, "nodes"))
    assert edges.count_rows() == len(want)
    named = duckdb.sql(
        "select a.id, b.id from edges join nodes a on source = a.key join nodes b on target = b.key "
        "where discovered_by is not null"
    ).fetchall()
    assert sorted(named) == PAIRS
    frame = pl.scan_pyarrow_dataset(edges).select("weight").collect()
    assert sorted(frame["weight"].to_list()) == want
    del nodes


def test_restored_tables_are_the_newest_for_other_tools(store):
    store.plastify()
    store.restore(0)
    assert lancedb.connect(str(store.path)).open_table("edges").count_rows() == 9


def test_stale_parent_is_refused(store):
    parent, base = store.snapshot(), store.graph()
    store.plastify()
    before = tree(store.path)
    with pytest.raises(ConflictError, match="another writer committed snapshot 1"):
        store.commit(base, base=base, parent=parent, operation="x", parameters={}, figures={})
    assert tree(store.path) == before


def _bump(path: str, results: multiprocessing.Queue) -> None:
    store = hebbgraph.open(path)
    done = 0
    for _ in range(4):
        parent, base = store.snapshot(), store.graph()
        more = dataclasses.replace(base, weight=base.weight + np.float32(0.125))
        try:
            store.commit(
                more, base=base, parent=parent, operation="bump", parameters={}, figures={}
            )
            done += 1
        except ConflictError:
            continue
    results.put(done)


def test_two_writers_lose_nothing(store):
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    writers = [context.Process(target=_bump, args=(str(store.path), results)) for _ in range(2)]
    for writer in writers:
        writer.start()
    done = sum(results.get(timeout=120) for _ in writers)
    for writer in writers:
        writer.join()
    history = store.history()
    assert [one.seq for one in history] == list(range(done + 1))
    assert store.graph().weight.tolist() == [1 + 0.125 * done] * 9


def test_create_refuses_what_stands_there(store, web):
    with pytest.raises(StoreWriteError, match="something stands there already"):
        hebbgraph.Store.create(store.path, web)


def test_create_leaves_nothing_behind_when_it_fails(tmp_path):
    with pytest.raises(InputError, match="at least one node"):
        hebbgraph.Store.create(tmp_path / "s.lance", hebbgraph.Graph.from_edges([], []))
    assert list(tmp_path.iterdir()) == []


def test_missing_and_foreign_folders(tmp_path):
    with pytest.raises(StoreNotFoundError, match="no such store"):
        hebbgraph.open(tmp_path / "nothing.lance")
    with pytest.raises(StoreError, match="got a folder without either"):
        hebbgraph.open(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="got a file without either"):
        hebbgraph.open(tmp_path / "file")


def test_newer_schema_is_refused(store):
    rows = tables.latest(store.path, "snapshots")
    newer = pa.array([schema.SCHEMA_VERSION + 1], pa.int32())
    position = rows.schema.get_field_index("schema_version")
    tables.write(store.path, "snapshots", rows.set_column(position, "schema_version", newer))
    with pytest.raises(
        SchemaVersionError, match="written with schema 3, this release reads up to 2"
    ):
        hebbgraph.open(store.path)


def test_damaged_snapshots_are_named(store):
    shutil.rmtree(store.path / "snapshots.lance" / "_versions")
    with pytest.raises(StoreError, match="table of snapshots cannot be read"):
        hebbgraph.open(store.path)


@pytest.fixture
def full_disk(tmp_path):
    """A file system of two megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], capture_output=True
    )
    if made.returncode:
        pytest.skip("mounting a small file system needs root")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_full_disk_leaves_the_store_as_it_was(full_disk, web):
    store = hebbgraph.Store.create(full_disk / "data.lance", web)
    before = tree(store.path)
    rng = np.random.default_rng(0)
    many = rng.integers(0, 2**60, (2, 200_000))
    big = hebbgraph.Graph.from_arrow(
        pa.table({"source": many[0].astype(str), "target": many[1].astype(str)})
    )
    with pytest.raises(StoreWriteError, match="disk is full; the store is as it was"):
        store.add(big)
    assert tree(store.path) == before
    assert store.plastify().changed


def test_full_disk_leaves_no_new_store(full_disk):
    rng = np.random.default_rng(0)
    many = rng.integers(0, 2**60, (2, 200_000)).astype(str)
    big = hebbgraph.Graph.from_arrow(pa.table({"source": many[0], "target": many[1]}))
    with pytest.raises(StoreWriteError, match="disk is full"):
        hebbgraph.Store.create(full_disk / "data.lance", big)
    assert list(full_disk.iterdir()) == []


def test_read_only_folder(store, monkeypatch):
    before = tree(store.path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StoreWriteError, match="read-only; nothing was written"):
        store.plastify()
    assert tree(store.path) == before


# -- a plain Lance data set of edges ------------------------------------------


@pytest.fixture
def bare(tmp_path) -> Path:
    path = tmp_path / "edges.lance"
    rows = {"src": ["a", "a", "b", "b"], "dst": ["x", "y", "x", "y"], "w": [1.0, 2.0, 1.0, 1.0]}
    lance.write_dataset(pa.table(rows), str(path))
    return path


def test_bare_data_set_is_read_in_place(bare):
    before = tree(bare)
    store = hebbgraph.open(bare)
    assert store.history() == []
    assert store.graph().n_edges == 4
    assert store.plastify(dry_run=True).new_associations_discovered == 2
    assert tree(bare) == before


def test_bare_data_set_is_adopted_by_a_pass(bare):
    own = tree(bare)
    store = hebbgraph.open(bare)
    assert store.plastify().snapshot == 1
    assert {name: content for name, content in tree(bare).items() if name in own} == own
    assert sorted(lancedb.connect(str(bare)).list_tables().tables) == [
        "edges",
        "nodes",
        "snapshots",
    ]
    assert lance.dataset(str(bare)).count_rows() == 4
    assert hebbgraph.open(bare).plastify().changed is False


def test_bare_data_set_survives_its_owner(bare):
    """Children live on when the data set around them is appended to, overwritten, cleaned."""
    store = hebbgraph.open(bare)
    store.plastify()
    more = pa.table({"src": ["c", "c"], "dst": ["x", "y"], "w": [1.0, 1.0]})
    lance.write_dataset(more, str(bare), mode="append")
    report = store.plastify()
    assert report.new_associations_discovered == 2
    lance.write_dataset(more, str(bare), mode="overwrite")
    owner = lance.dataset(str(bare))
    owner.optimize.compact_files()
    owner.cleanup_old_versions(older_than=hebbgraph.tables.timedelta(0), delete_unverified=True)
    report = store.plastify()
    assert report.withdrawn_associations == 4
    assert store.graph().n_edges - store.graph().n_inferred == 2
    assert [one.operation for one in store.history()][:2] == ["import", "plastify"]


def test_bare_data_set_without_recognisable_columns(tmp_path):
    path = tmp_path / "odd.lance"
    lance.write_dataset(pa.table({"p": ["a"], "q": ["b"]}), str(path))
    with pytest.raises(InputError, match="expected a source and a target column, found 'p', 'q'"):
        hebbgraph.open(path).graph()
    assert hebbgraph.open(path, source="p", target="q").graph().n_edges == 1


def test_bare_data_set_survives_compaction_of_its_history(bare):
    store = hebbgraph.open(bare)
    store.plastify()
    store.compact(keep=1)
    assert store.plastify().changed is False
    more = pa.table({"src": ["c", "c"], "dst": ["x", "y"], "w": [1.0, 1.0]})
    lance.write_dataset(more, str(bare), mode="append")
    assert store.plastify().new_associations_discovered == 2


def test_restored_data_set_takes_its_rows_in_again(bare):
    store = hebbgraph.open(bare)
    store.plastify()
    more = pa.table({"src": ["c", "c"], "dst": ["x", "y"], "w": [1.0, 1.0]})
    lance.write_dataset(more, str(bare), mode="append")
    store.plastify()
    learned = store.graph().to_arrow()
    store.restore(0)
    store.plastify()
    again = store.graph().to_arrow()
    assert again.drop_columns(["updated_at"]).equals(learned.drop_columns(["updated_at"]))


def test_bare_data_set_takes_edges_by_its_own_rows_alone(bare, web):
    hebbgraph.open(bare).plastify()
    with pytest.raises(InputError, match="append the edges to it"):
        hebbgraph.open(bare).add(web)


def test_rollback_leaves_other_programs_files_alone(bare, monkeypatch):
    """A row that its owner appends to the data set while a commit fails is not lost."""
    store = hebbgraph.open(bare)
    store.plastify()
    lance.write_dataset(
        pa.table({"src": ["c"], "dst": ["x"], "w": [1.0]}), str(bare), mode="append"
    )

    def fail(*_, **__):
        lance.write_dataset(
            pa.table({"src": ["d"], "dst": ["x"], "w": [1.0]}), str(bare), mode="append"
        )
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tables, "insert_once", fail)
    with pytest.raises(StoreWriteError, match="disk is full"):
        store.plastify()
    assert lance.dataset(str(bare)).count_rows() == 6


@pytest.mark.parametrize("table", ["nodes", "edges", "snapshots"])
@pytest.mark.parametrize("part", ["data", "_versions"])
def test_damaged_tables_are_named(store, table, part):
    store.plastify()
    for file in (store.path / f"{table}.lance" / part).iterdir():
        file.write_bytes(file.read_bytes()[:7])
    with pytest.raises(StoreError, match=f"its table of {table} cannot be read"):
        hebbgraph.open(store.path).graph()


@pytest.mark.parametrize("path", ["s3://bucket/x.lance", "a\0b"])
def test_paths_that_are_no_folder_here(path, web):
    with pytest.raises(StoreError, match="expected a folder on this machine"):
        hebbgraph.Store.create(path, web)


def test_paths_too_long(web):
    with pytest.raises(StoreError, match="not a usable path"):
        hebbgraph.Store.create("x" * 300, web)


def test_snapshots_are_numbers(store):
    for wrong in ("x", None, True):
        with pytest.raises(hebbgraph.HebbGraphError, match="expected a whole number"):
            store.restore(wrong)
    with pytest.raises(SnapshotNotFoundError, match="expected a whole number, got 'x'"):
        store.graph("x")


def test_dry_run_sees_a_data_sets_new_rows(bare):
    store = hebbgraph.open(bare)
    store.plastify()
    more = pa.table({"src": ["c", "c"], "dst": ["x", "y"], "w": [1.0, 1.0]})
    lance.write_dataset(more, str(bare), mode="append")
    before = tree(bare)
    assert store.plastify(dry_run=True).new_associations_discovered == 2
    assert tree(bare) == before


def test_two_first_passes_do_not_both_adopt(bare, monkeypatch):
    late = hebbgraph.open(bare)
    read = hebbgraph.commits.adopt.read

    def overtaken(*arguments, **columns):
        monkeypatch.setattr(hebbgraph.commits.adopt, "read", read)
        hebbgraph.open(bare).plastify()
        return read(*arguments, **columns)

    monkeypatch.setattr(hebbgraph.commits.adopt, "read", overtaken)
    with pytest.raises(ConflictError, match="another writer took it in first"):
        late.plastify()
    assert [one.operation for one in late.history()] == ["import", "plastify"]
