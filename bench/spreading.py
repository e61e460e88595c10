"""Spreading activation beside personalised PageRank by libraries: latency, recall, memory."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import hebbgraph
from bench import machine
from bench.machine import SEED, figure
from bench.rmat import Ints, directed, rmat
from bench.spreading_peers import LOCAL, PEERS, transition
from hebbgraph.retrieval.spreading import EPSILON, Spreading

NODES, EDGES = 1_000_000, 10_000_000
TOP = 20
EPSILONS = (1e-4, 1e-5, 3e-6, 1e-6)
EXACT = 1e-12


def uniform(nodes: int, edges: int) -> tuple[Ints, Ints]:
    """Ends drawn at random."""
    rng = np.random.default_rng(SEED)
    return directed(*rng.integers(0, nodes, (2, edges)), nodes)


def learned(source: Ints, target: Ints, nodes: int) -> hebbgraph.Graph:
    """Weights as strengthening leaves them: 1 + 0.1·ln(1 + f), f from Zipf's law."""
    rng = np.random.default_rng(SEED)
    count = np.minimum(rng.zipf(1.7, source.size), 10**6)
    return hebbgraph.Graph.from_edges(
        source, target, weight=1 + 0.1 * np.log1p(count), node_ids=np.arange(nodes)
    )


def queries(degree: Ints, count: int) -> dict[str, list[Ints]]:
    """Seeds of equal weight, by kind."""
    rng = np.random.default_rng(SEED + 1)
    some = np.flatnonzero(degree)
    hubs = np.argsort(-degree, kind="stable")[:1000]
    return {
        "1 at random": [rng.choice(some, 1) for _ in range(count)],
        "10 at random": [rng.choice(some, 10, replace=False) for _ in range(count)],
        "1 hub": [rng.choice(hubs, 1) for _ in range(count)],
        "10 hubs": [rng.choice(hubs, 10, replace=False) for _ in range(count)],
        "the largest hub": [hubs[:1]],
    }


def exact(step: Any, seeds: list[Ints]) -> Any:
    """(n_nodes, queries) scores by power iteration until no sum changes by over 1e-12."""
    restart = np.zeros((step.shape[0], len(seeds)))
    for column, one in enumerate(seeds):
        restart[one, column] = 0.15 / one.size
    score = restart
    while True:
        after = restart + step @ score
        if np.abs(after - score).sum(axis=0).max() <= EXACT:
            return after
        score = after


def recall(keys: Ints, right: Any) -> float:
    """Share of the best that is found; of equals any will do."""
    least = np.partition(right, -TOP)[-TOP]
    return float(np.count_nonzero(right[keys] >= least * (1 - 1e-9))) / TOP


def timed(task: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = task()
    return time.perf_counter() - started, result


def run(title: str, graph: hebbgraph.Graph, count: int, checked: int, peers: bool) -> None:
    from scipy.sparse import csr_array

    prepared = machine.measure({"prepare": lambda: Spreading(graph)}, repeats=0)["prepare"]
    spreading = prepared.result
    flow = spreading.flow.excitatory
    matrix = csr_array((flow.weight, flow.indices, flow.indptr), shape=(graph.n_nodes,) * 2)
    matrix = matrix.astype(np.float64)
    asked = queries(np.diff(flow.indptr), count)
    step = transition(matrix)
    right = {kind: exact(step, seeds[:checked]) for kind, seeds in asked.items()}
    print(
        f"**{title}**: {graph.n_nodes:,} nodes, {graph.n_edges:,} edges; prepared in "
        f"{figure(prepared.median)} s, {figure(prepared.peak_mib or 0)} MiB\n"
    )
    rows, chosen = [], {}
    for epsilon in EPSILONS:
        spreading.epsilon = epsilon
        for kind, seeds in asked.items():
            found = [timed(lambda one=one: spreading.from_((one, np.ones(one.size)), TOP))
                     for one in seeds]  # fmt: skip
            seconds = np.array([took for took, _ in found]) * 1e3
            hit = np.mean(
                [
                    recall(answer.keys, right[kind][:, at])
                    for at, (_, answer) in enumerate(found[:checked])
                ]
            )
            chosen[epsilon, kind] = float(np.median(seconds))
            rows.append(
                (
                    f"{epsilon:g}",
                    kind,
                    figure(chosen[epsilon, kind]),
                    figure(float(np.quantile(seconds, 0.99))),
                    f"{hit:.3f}",
                    f"{np.mean([answer.pushes for _, answer in found]):,.0f}",
                )
            )
    machine.table(("ε", "seeds", "p50 ms", "p99 ms", f"recall@{TOP}", "pushes"), rows)
    if peers:
        beside(matrix, asked["1 at random"][0], right["1 at random"][:, 0],
               chosen[EPSILON, "1 at random"])  # fmt: skip


def beside(matrix: Any, seeds: Ints, right: Any, ours: float) -> None:
    """Each library on one query."""
    rows = []
    for name, make in (PEERS | LOCAL).items():
        preparing, query = timed(lambda make=make: make(matrix))
        took, score = timed(lambda query=query: query(seeds))
        best = np.argsort(-score, kind="stable")[:TOP]
        rows.append((name, figure(preparing), figure(took * 1e3),
                     f"{took * 1e3 / ours:,.1f}", f"{recall(best, right):.2f}"))  # fmt: skip
    machine.table(("", "preparing s", "ms", "times ours", f"recall@{TOP}"), rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.spreading")
    parser.add_argument("--queries", type=int, default=200, help="of each kind")
    parser.add_argument("--checked", type=int, default=10, help="of each kind, for recall")
    parser.add_argument("--only", choices=("rmat", "uniform"), help="one of the graphs")
    parser.add_argument("--no-peers", action="store_true")
    given = parser.parse_args()
    machine.heading(
        "Spreading activation", "numba", "scipy", "igraph", "networkit", "scikit-network",
        warm_up="one query of a small graph before; peers once, on the first query",
    )  # fmt: skip
    Spreading(hebbgraph.Graph.from_edges([0], [1])).from_({0: 1.0})
    if given.only != "uniform":
        source, target = directed(*rmat(20, 10), 1 << 20)
        graph = learned(source, target, 1 << 20)
        run("RMAT 20, edge factor 10", graph, given.queries, given.checked, not given.no_peers)
    if given.only != "rmat":
        graph = learned(*uniform(NODES, EDGES), NODES)
        run("uniform", graph, given.queries, given.checked, not given.no_peers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
