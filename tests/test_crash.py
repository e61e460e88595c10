"""A writer killed at any moment of a commit leaves the old snapshot or the new, whole."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import numpy as np

import hebbgraph

KILLS = 20

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
