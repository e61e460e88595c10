"""The history of single nodes over ten snapshots of a million edges, beside reading the graphs."""

from __future__ import annotations

import dataclasses
import sys
import tempfile
from pathlib import Path

import numpy as np

import hebbgraph
from bench import machine
from bench.machine import SEED, against, figure

NODES, EDGES, SNAPSHOTS, LOOKED_AT = 100_000, 1_000_000, 10, 10
TARGET = 1.0


def build(path: Path) -> hebbgraph.Store:
    """Text ids, and every weight moved at every snapshot."""
    rng = np.random.default_rng(SEED)
    names = np.array([f"node {key}" for key in range(NODES)])
    source, target = rng.integers(0, NODES, (2, EDGES))
    graph = hebbgraph.Graph.from_edges(names[source], names[target])
    store = hebbgraph.Store.create(path, graph)
    for _ in range(SNAPSHOTS - 1):
        base = store.graph()
        moved = base.weight + rng.uniform(-0.05, 0.1, base.n_edges).astype(np.float32)
        store.commit(
            dataclasses.replace(base, weight=moved), base=base, parent=store.snapshot(),
            operation="bench", parameters={}, figures={},
        )  # fmt: skip
    return store


def main() -> int:
    machine.heading(
        f"History of a node: {SNAPSHOTS} snapshots of {EDGES:,} edges", "numpy", "pyarrow",
        "pylance", warm_up=f"one warm-up, then {LOOKED_AT} nodes, median; the graphs twice",
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="hebbgraph-bench-") as name:
        store = build(Path(name) / "data.lance")
        nodes = (f"node {key}" for key in range(10**9))
        ours = machine.measure(
            {"history_of": lambda: store.history_of(next(nodes))}, repeats=LOOKED_AT
        )["history_of"]
        whole = machine.measure(
            {"graphs": lambda: [store.graph(one).n_edges for one in range(SNAPSHOTS)]}, repeats=2
        )["graphs"]
    machine.table(
        ("", "median s", "fastest–slowest", "MiB", ""),
        [
            ("history_of one node", figure(ours.median), ours.spread,
             figure(ours.peak_mib or 0), f"target {TARGET:g} s: {against(ours.median, TARGET)}"),
            ("every snapshot's graph", figure(whole.median), whole.spread,
             figure(whole.peak_mib or 0), ""),
        ],
    )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
