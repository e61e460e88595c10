"""A writer killed at any moment of a commit leaves the old snapshot or the new, whole."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import numpy as np

import hebbgraph

KILLS = 20
PURGES = 10

# Commits for ever, by turns rewriting learned columns and whole tables.  Every weight of the
# snapshot numbered s is 1 + s/8, so a mixture of two snapshots shows.
WRITER = """
import dataclasses, sys
import numpy as np
import hebbgraph
from hebbgraph.merge import merge
store = hebbgraph.open(sys.argv[1])
print("ready", flush=True)
while True:
    parent, base = store.snapshot(), store.graph()
    new = base
    if parent.seq % 2:
        extra = hebbgraph.Graph.from_edges([0], [1], relation=f"r{parent.seq}",
                                           node_ids=np.arange(base.n_nodes))
        new = merge(base, extra)
    weight = np.full(new.n_edges, 1 + (parent.seq + 1) / 8, np.float32)
    new = dataclasses.replace(new, weight=weight)
    store.commit(new, base=base, parent=parent, operation="turn", parameters={}, figures={})
"""


def test_sigkill_at_random_moments(tmp_path):
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 5_000, (2, 100_000))
    path = tmp_path / "data.lance"
    store = hebbgraph.Store.create(path, hebbgraph.Graph.from_edges(*edges))
    chance = random.Random(0)
    reached = 0
    for _ in range(KILLS):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0, 0.25))
        writer.kill()
        writer.wait()
        writer.stdout.close()
        history = store.history()
        assert [one.seq for one in history] == list(range(len(history)))
        assert len(history) - 1 >= reached
        reached = len(history) - 1
        for seq in range(max(0, reached - 2), reached + 1):
            graph = store.graph(seq)
            assert graph.n_edges == store.graph(0).n_edges + seq // 2
            assert set(graph.weight.tolist()) == {1 + seq / 8}
    assert reached > 0
    assert store.plastify(discover=False).changed
    store.compact()
    assert store.graph(reached).n_edges == store.graph(0).n_edges + reached // 2


PURGER = """
import sys
import hebbgraph
store = hebbgraph.open(sys.argv[1])
print("ready", flush=True)
store.forget([sys.argv[2]], purge=True)
"""


def test_sigkill_while_purging(tmp_path):
    """Before or after, never half: the node is whole, with its history, or no byte of it is left."""
    rng = np.random.default_rng(0)
    names = np.array([f"node-{key:05}-x" for key in range(4_000)])
    source, target = rng.integers(0, names.size, (2, 60_000))
    path = tmp_path / "data.lance"
    graph = hebbgraph.Graph.from_edges(names[source], names[target])
    store = hebbgraph.Store.create(path, graph)
    store.record_many([{"nodes": names[k : k + 3].tolist(), "outcome": 1.0} for k in range(500)])
    chance = random.Random(1)
    done = 0
    for name in names[: 5 * PURGES : 5].tolist():
        before = store.history()
        neighbors = store.graph().neighbors(name)
        purger = subprocess.Popen(
            [sys.executable, "-c", PURGER, str(path), name], stdout=subprocess.PIPE, text=True
        )
        assert purger.stdout is not None
        assert purger.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0, 1.5))
        purger.kill()
        purger.wait()
        purger.stdout.close()
        after = hebbgraph.open(path)
        if after.history() == before:
            assert after.graph().neighbors(name) == neighbors
            continue
        done += 1
        assert [one.seq for one in after.history()] == [before[-1].seq + 1]
        files = [file.read_bytes() for file in path.rglob("*") if file.is_file()]
        assert not any(name.encode() in content for content in files)
        left = after.graph()
        assert left.n_nodes == graph.n_nodes - done
        assert set(left.neighbors(neighbors[0])) <= set(graph.neighbors(neighbors[0])) - {name}
        assert after.episodes().num_rows == 500
    assert done > 0
    # A node gone between others leaves gaps in no table.
    assert store.plastify(discover=False).episodes_learned == 500
    store.compact()


RECORDER = """
import sys
import hebbgraph
store = hebbgraph.open(sys.argv[1])
for turn in range(5):
    store.record(["a", "b"], outcome=1.0, id=f"{sys.argv[2]}-{turn}")
"""
LEARNER = """
import sys
import hebbgraph
store = hebbgraph.open(sys.argv[1])
print("ready", flush=True)
while True:
    store.plastify(discover=False)
"""


def test_twenty_record_while_one_learns_and_is_killed(tmp_path):
    """20 concurrent reinforcements left a count of 1 where this was first done."""
    path = tmp_path / "data.lance"
    store = hebbgraph.Store.create(path, hebbgraph.Graph.from_edges(["a", "b"], ["b", "c"]))
    recorders = [
        subprocess.Popen([sys.executable, "-c", RECORDER, str(path), str(number)])
        for number in range(20)
    ]
    chance = random.Random(2)
    while any(one.poll() is None for one in recorders):
        learner = subprocess.Popen(
            [sys.executable, "-c", LEARNER, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert learner.stdout is not None
        learner.stdout.readline()
        time.sleep(chance.uniform(0, 1))
        learner.kill()
        learner.wait()
        learner.stdout.close()
    assert [one.returncode for one in recorders] == [0] * 20
    store.plastify(discover=False)
    graph = store.graph()
    assert store.episodes().num_rows == 100
    assert graph.use.access_count.tolist() == [100, 100, 0]
    assert graph.use.success_count.tolist() == [100, 100, 0]
    assert graph.co_occurrence_count.tolist() == [100, 0]
    assert store.current.episodes_seen == 100
