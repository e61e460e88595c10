"""A million episodes recorded and learned from; passes over the little that is new."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import hebbgraph
from bench import machine, rmat
from bench.machine import SEED, against, figure

NODES, EDGES, EPISODES, MEMBERS = 1_000_000, 10_000_000, 1_000_000, 5
SCALE, SHARE = 18, 0.01
RECORDED_IN, APPLIED_IN, WHOLE = 30.0, 10.0, 0.1


def walks(graph: hebbgraph.Graph, rng: np.random.Generator) -> np.ndarray:
    """A node and four of its targets, (EPISODES, MEMBERS) int64."""
    start = rng.integers(0, NODES, EPISODES)
    degree = np.maximum(np.diff(graph.indptr)[start], 1)
    steps = [start]
    for _ in range(MEMBERS - 1):
        edge = graph.indptr[start] + (rng.random(EPISODES) * degree).astype(np.int64)
        steps.append(graph.indices[np.minimum(edge, graph.n_edges - 1)])
    return np.stack(steps, axis=1)


def mappings(nodes: np.ndarray) -> Iterator[dict[str, Any]]:
    """As a program would pass them; every tenth succeeded."""
    for number, members in enumerate(nodes.tolist()):
        yield {"nodes": members, "outcome": 0.5 if number % 10 == 0 else 0.0}


def million(folder: Path) -> None:
    """Record and apply a million episodes on a graph of ten million edges."""
    rng = np.random.default_rng(SEED)
    source, target = rng.integers(0, NODES, (2, EDGES))
    graph = hebbgraph.Graph.from_edges(source, target, node_ids=np.arange(NODES))
    store = hebbgraph.Store.create(folder / "million.lance", graph)
    nodes = walks(graph, rng)
    store.record([0])
    store.plastify(dry_run=True, discover=False)
    started = time.perf_counter()
    store.record_many(mappings(nodes))
    recorded = time.perf_counter() - started
    started = time.perf_counter()
    report = store.plastify(discover=False)
    whole = time.perf_counter() - started
    use = sum(report.seconds[name] for name in ("use", "decay", "strengthening"))
    machine.table(
        ("", "s", ""),
        [
            ("record_many, Python mappings", figure(recorded),
             f"target {RECORDED_IN:g} s: {against(recorded, RECORDED_IN)}"),
            ("use, decay and strengthening", figure(use),
             f"target {APPLIED_IN:g} s: {against(use, APPLIED_IN)}"),
            ("the whole pass without discovery, reading and commit", figure(whole), ""),
            *((f"  {name}", figure(seconds), "") for name, seconds in report.seconds.items()),
        ],
    )  # fmt: skip


def little(folder: Path) -> None:
    """A pass after one in a hundred edges was used, or is new."""
    rng = np.random.default_rng(SEED)
    source, target = rmat.rmat(SCALE)
    pair = np.unique(
        np.minimum(source, target)[source != target] * (1 << SCALE)
        + np.maximum(source, target)[source != target]
    )
    source, target = pair >> SCALE, pair & ((1 << SCALE) - 1)
    new = rng.random(pair.size) < SHARE
    ids = np.arange(1 << SCALE)

    def graph(part: np.ndarray) -> hebbgraph.Graph:
        return hebbgraph.Graph.from_edges(source[part], target[part], node_ids=ids, directed=False)

    store = hebbgraph.Store.create(folder / "little.lance", graph(~new))
    rows = []

    def pass_over(name: str) -> None:
        store.plastify(dry_run=True)
        started = time.perf_counter()
        report = store.plastify()
        seconds = time.perf_counter() - started
        share = 1.0 if not rows else seconds / float(rows[0][1])
        slowest = sorted(report.seconds.items(), key=lambda one: -one[1])[:3]
        rows.append((name, f"{seconds:.3g}", f"{share:.0%}",
                     ", ".join(f"{phase} {took:.2g}" for phase, took in slowest)))  # fmt: skip

    pass_over("whole")
    edge = rng.integers(0, store.graph().n_edges, int(SHARE * pair.size))
    known = store.graph()
    store.record_many({"nodes": [int(known.source[one]), int(known.indices[one])]} for one in edge)
    pass_over("1 % of the edges used")
    store.add(graph(new))
    pass_over("1 % of the edges new")
    machine.table((f"pass on RMAT {SCALE}", "s", f"target {WHOLE:.0%}", "slowest phases"), rows)


def main() -> int:
    machine.heading(
        f"{EPISODES:,} episodes of {MEMBERS} nodes on {NODES:,} nodes and {EDGES:,} edges",
        "numpy", "numba", "pyarrow", "pylance", warm_up="one dry run before each pass",
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="hebbgraph-bench-") as name:
        million(Path(name))
        print()
        little(Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
