"""Steps that need a process of their own, so that the measuring process stays small.

``small NODES EDGES REPEATS`` prints seconds of passes in memory; ``demo PATH`` makes a store of
the demo graph; ``store KIND PATH`` one of 10 M edges; ``values STORE FOLDER`` saves the columns
that a pass wrote.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from bench.machine import SEED
from bench.rmat import directed, rmat

EDGES, NODES = 10_000_000, 1_000_000
RMAT_SCALE, RMAT_EDGE_FACTOR = 20, 10


def small(nodes: str, edges: str, repeats: str) -> None:
    import hebbgraph

    rng = np.random.default_rng(SEED)
    pairs = [(u, v) for u in range(int(nodes)) for v in range(int(nodes)) if u != v]
    chosen = rng.choice(len(pairs), int(edges), replace=False)
    source, target = np.array(pairs)[chosen].T
    graph = hebbgraph.Graph.from_edges(source, target, node_ids=np.arange(int(nodes)))
    for _ in range(3):
        hebbgraph.plastify(graph)
    for _ in range(int(repeats)):
        started = time.perf_counter()
        hebbgraph.plastify(graph)
        print(time.perf_counter() - started)


def demo(path: str) -> None:
    from hebbgraph.demo import demo_graph
    from hebbgraph.store import Store

    Store.create(path, demo_graph())


def store(kind: str, path: str) -> None:
    from hebbgraph.graph import Graph
    from hebbgraph.store import Store

    if kind == "uniform":
        rng = np.random.default_rng(SEED)
        source, target = rng.integers(NODES, size=(2, EDGES))
    else:
        source, target = directed(*rmat(RMAT_SCALE, RMAT_EDGE_FACTOR), 1 << RMAT_SCALE)
    graph = Graph.from_edges(source, target)
    Store.create(path, graph)
    print(f"{graph.n_nodes:,} nodes, {graph.n_edges:,} edges")


def values(path: str, folder: str) -> None:
    """As NumPy files, which another process can map without reading them first."""
    from hebbgraph import schema, tables
    from hebbgraph.store import Store

    versions = Store(path).snapshot().versions
    for table, names in schema.LEARNED.items():
        rows = tables.read(Path(path), table, versions[table], names)
        for name in names:
            column = rows[name].combine_chunks()
            valid = np.asarray(column.is_valid())
            plain = column.cast("int64") if name == "updated_at" else column
            np.save(Path(folder) / f"{table}.{name}.npy", plain.fill_null(0).to_numpy())
            if name == "updated_at":
                np.save(Path(folder) / f"{table}.{name}.null.npy", ~valid)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
