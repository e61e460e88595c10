"""The log of episodes: append-only, from many processes, learned from exactly once."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

import hebbgraph
from hebbgraph import episode_log, schema, tables
from hebbgraph.cli.main import main
from hebbgraph.errors import InputError, NodeNotFoundError, StoreWriteError

SPAWN = multiprocessing.get_context("spawn")
NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)


def test_what_is_recorded_comes_back(store):
    store.record(["FastAPI", "Web", "FastAPI"], outcome=0.5, time=NOW, kind="search",
                 context={"query": "routes"}, id="first")  # fmt: skip
    store.record(["Django"])
    assert store.episodes().schema == schema.EPISODES
    first, second = store.episodes().to_pylist()
    assert first == {
        "seq": 0, "id": "first", "time": NOW, "outcome": 0.5, "kind": "search",
        "context": '{"query": "routes"}', "nodes": ["FastAPI", "Web"],
    }  # fmt: skip
    assert second["seq"] == 1
    assert second["time"] > datetime.now(UTC) - timedelta(minutes=1)
    assert store.current.seq == 0


def test_an_id_counts_once(store):
    for _ in range(3):
        store.record(["FastAPI", "Django"], outcome=1.0, id="x")
    assert store.record_many([{"nodes": ["Flask"], "id": "y"}] * 2) == 2
    assert [one["id"] for one in store.episodes().to_pylist()] == ["x", "y"]
    assert store.plastify().episodes_learned == 2
    store.record(["FastAPI", "Django"], outcome=1.0, id="x")
    assert store.plastify().episodes_learned == 0
    assert store.graph().use.access_count.max() == 1


def test_every_episode_is_learned_from_once(store):
    graph = store.graph()
    key = graph.key("FastAPI")
    for number in range(3):
        store.record(["FastAPI", "Python"], outcome=1.0)
        assert store.plastify().episodes_learned == 1
        assert store.graph().use.access_count[key] == number + 1
    assert not store.plastify().changed
    assert [one.episodes_seen for one in store.history()] == [0, 1, 2, 3]


def test_restore_forgets_and_learns_again(store):
    store.plastify()
    store.record(["FastAPI", "Python"], outcome=1.0)
    store.plastify()
    want = store.graph().to_arrow().drop_columns(["updated_at", "decayed_at"])
    store.restore(0)
    assert store.graph().use is None
    assert store.plastify().episodes_learned == 1
    assert store.graph().to_arrow().drop_columns(["updated_at", "decayed_at"]).equals(want)


def test_an_episode_leaves_the_window(store):
    """f falls again, and the weight with it, as that of a dated edge does."""
    store.record(["FastAPI", "Python"], time=NOW - timedelta(days=20))
    edge = (set(store.graph().incident("FastAPI")) & set(store.graph().incident("Python"))).pop()
    store.plastify(now=NOW, decay=False, discover=False)
    with_it = store.graph().co_occurrence_count[edge]
    store.plastify(now=NOW + timedelta(days=20), decay=False, discover=False)
    assert store.graph().co_occurrence_count[edge] == with_it - 1


def test_small_files_become_one(store, monkeypatch):
    monkeypatch.setattr(episode_log, "FRAGMENTS", 8)
    for number in range(20):
        store.record(["FastAPI"], id=str(number))
    assert [one["id"] for one in store.episodes().to_pylist()] == [str(k) for k in range(20)]
    assert [one["seq"] for one in store.episodes().to_pylist()] == list(range(20))
    files = len(list((store.path / "episodes.lance" / "data").iterdir()))
    store.compact()
    assert len(list((store.path / "episodes.lance" / "data").iterdir())) <= files
    assert store.plastify().episodes_learned == 20


def test_refused_batches_leave_nothing(store):
    with pytest.raises(NodeNotFoundError, match='episode 2: no node "Fast" among'):
        store.record_many([{"nodes": ["FastAPI"]}, {"nodes": ["Fast"]}])
    with pytest.raises(InputError, match="episode 1: no nodes"):
        store.record([])
    assert not (store.path / "episodes.lance").exists()
    assert store.episodes().num_rows == 0


def test_read_only_folder(store, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StoreWriteError, match="read-only; nothing was written"):
        store.record(["FastAPI"])


def test_other_tools_read_the_log(store):
    import lancedb

    store.record(["FastAPI", "Web"])
    assert lancedb.connect(str(store.path)).open_table("episodes").count_rows() == 1


@pytest.mark.parametrize("ids", [["a", "b"], [7, 9], None])
def test_ids_of_every_kind(tmp_path, ids):
    graph = hebbgraph.Graph.from_edges([0], [1])
    if ids is not None:
        graph = hebbgraph.Graph.from_edges([ids[0]], [ids[1]], node_ids=ids)
    store = hebbgraph.Store.create(tmp_path / "ids.lance", graph)
    store.record(graph.ids_of([0, 1]).to_pylist(), outcome=1.0)
    assert store.plastify().episodes_learned == 1
    assert store.graph().use.success_count.tolist() == [1, 1]


def test_a_bare_data_set_can_be_used(tmp_path):
    path = tmp_path / "edges.lance"
    tables.lance.write_dataset(pa.table({"source": ["a"], "target": ["b"]}), str(path))
    store = hebbgraph.open(path)
    store.record(["a", "b"], outcome=1.0)
    assert hebbgraph.open(path).plastify().episodes_learned == 1


# -- clocks -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (datetime(2025, 6, 1, 12), datetime(2025, 6, 1, 12, tzinfo=UTC)),
        (datetime(2025, 6, 1, 14, tzinfo=timezone(timedelta(hours=2))), NOW),
        ("2025-06-01T12:00:00Z", NOW),
        ("2025-06-01T21:00:00+09:00", NOW),
        (NOW.timestamp(), NOW),
        # The hour that daylight saving repeats: two moments, one wall clock.
        ("2025-10-26T02:30:00+02:00", datetime(2025, 10, 26, 0, 30, tzinfo=UTC)),
        ("2025-10-26T02:30:00+01:00", datetime(2025, 10, 26, 1, 30, tzinfo=UTC)),
    ],
)
def test_times_are_utc(store, given, stored):
    store.record(["FastAPI"], time=given)
    assert store.episodes()["time"][0].as_py() == stored


def test_future_and_disordered_times_run_no_clock_backwards(store):
    """A skewed recorder's node is as active as if used then; no earlier episode lowers it."""
    key = store.graph().key("FastAPI")
    future = NOW + timedelta(days=400)
    store.record(["FastAPI"], time=future)
    store.record(["FastAPI"], time=NOW - timedelta(days=400))
    store.plastify(now=NOW)
    use = store.graph().use
    micros = int(future.timestamp()) * 1_000_000
    assert use.activated_at[key] == micros
    assert use.activation[key] == 1.0
    assert use.activation_at(micros - 10**15, 1.0)[key] == 1.0


# -- many processes -----------------------------------------------------------


def _record(path: str, number: int, times: int) -> None:
    store = hebbgraph.open(path)
    for turn in range(times):
        if turn % 2:
            store.record(["FastAPI", "Python"], id=f"{number}-{turn}")
        else:
            store.record_many([{"nodes": ["FastAPI", "Python"], "id": f"{number}-{turn}"}])


def _plastify(path: str, turns: int) -> None:
    store = hebbgraph.open(path)
    for _ in range(turns):
        store.plastify(discover=False)


def test_twenty_writers_lose_nothing(store):
    """While one learns and another is killed: each episode is there and learned from once."""
    path = str(store.path)
    writers = [SPAWN.Process(target=_record, args=(path, n, 5)) for n in range(20)]
    learner = SPAWN.Process(target=_plastify, args=(path, 4))
    victim = SPAWN.Process(target=_record, args=(path, 99, 10_000))
    for process in (victim, learner, *writers):
        process.start()
    while store.episodes().num_rows < 3:
        time.sleep(0.05)
    os.kill(victim.pid, signal.SIGKILL)
    for process in (victim, learner, *writers):
        process.join(120)
    assert [process.exitcode for process in (learner, *writers)] == [0] * 21
    rows = store.episodes().to_pylist()
    assert [one["seq"] for one in rows] == list(range(len(rows)))
    ids = [one["id"] for one in rows]
    assert {f"{n}-{turn}" for n in range(20) for turn in range(5)} <= {*ids}
    store.plastify(discover=False)
    graph = store.graph()
    assert graph.use.access_count[graph.key("Python")] == len(rows)
    assert store.current.episodes_seen == len(rows)


# -- the command line ---------------------------------------------------------


@pytest.fixture
def run(store):
    def call(*arguments: str, code: int = 0, stdin: str | None = None) -> str:
        result = CliRunner().invoke(main, [*arguments], input=stdin)
        assert result.exit_code == code, result.output
        return result.output

    return call


def test_record_a_file(run, store, tmp_path):
    lines = [{"nodes": ["FastAPI", "Web"], "outcome": 1, "time": "2025-06-01T12:00Z", "id": 7},
             {"nodes": ["Django"]}]  # fmt: skip
    file = tmp_path / "uses.jsonl"
    file.write_text("\n\n".join(map(json.dumps, lines)))
    assert "2 episodes recorded" in run("record", str(store.path), str(file))
    assert store.episodes()["id"].to_pylist() == ["7", None]
    assert json.loads(run("record", str(store.path), "-", "--json", stdin='{"nodes": ["Web"]}\n')) == {
        "store": str(store.path), "recorded": 1
    }  # fmt: skip
    assert "episodes learned from" in run("plastify", str(store.path))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"nodes": ["Web"]}\n\n{"nodes": ["Webb"]}', 'uses.jsonl line 3: no node "Webb"'),
        ('{"nodes": ["Web"]}\n{"nodes": [', "uses.jsonl line 2: expected one JSON object a line"),
        ('\n["Web"]', "uses.jsonl line 2: expected one JSON object a line, got"),
        ('{"nodes": ["Web"], "outcome": 3}', "uses.jsonl line 1: outcome 3.0 is no number"),
        ('{"node": ["Web"]}', 'uses.jsonl line 1: expected a mapping with "nodes"'),
    ],
)
def test_odd_lines_are_named(run, store, tmp_path, lines, message):
    file = tmp_path / "uses.jsonl"
    file.write_text(lines)
    output = run("record", str(store.path), str(file), code=1)
    assert output.count("\n") == 1
    assert message in output
    assert store.episodes().num_rows == 0


def test_record_no_file(run, store):
    assert "nowhere.jsonl: no such file" in run("record", str(store.path), "nowhere.jsonl", code=1)


def test_decay(run, store):
    path = str(store.path)
    assert "0 edges faded: snapshot 1" in run("decay", path)
    assert "0 edges faded: nothing written" in run("decay", path)
    store.decay(now=datetime.now(UTC) + timedelta(days=365))
    assert "9 edges faded" in run("history", path)
    both = run("decay", path, "--half-life", "3", "--time-constant", "4", code=2)
    assert "say the same" in both


def test_history_tells_every_operation(run, store):
    store.plastify()
    graph = store.graph()
    chosen = {"options": {"rank_by": "confidence", "shrinkage": 2.0}, "tiers": []}
    store.commit(graph, base=graph, parent=store.current, operation="tune",
                 parameters={"tuned": chosen}, figures={})  # fmt: skip
    store.restore(0)
    told = run("history", str(store.path))
    assert "discovery chosen: rank_by confidence, shrinkage 2.0" in told
    assert "back to snapshot 0" in told


def test_memory_records(store):
    memory = hebbgraph.Memory(Path(store.path))
    memory.record(["Web"], outcome=1.0)
    assert memory.record_many([{"nodes": ["Web"]}]) == 1
    assert memory.plastify().episodes_learned == 2
