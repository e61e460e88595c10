"""Community detection by libraries: each takes a symmetric SciPy CSR and returns labels by seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.machine import THREADS
from bench.rmat import Ints

ITERATIONS = 2
"""Of those that take a number; igraph's and leidenalg's default."""
Method = Callable[[int], Ints]
"""From a seed to (n_nodes,) labels."""


def graspologic_leiden(matrix: Any) -> Method:
    from graspologic_native import leiden_csr

    indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)

    def run(seed: int) -> Ints:
        _, found = leiden_csr(
            indptr, indices, matrix.data, matrix.shape[0], seed=seed, iterations=ITERATIONS
        )
        return np.fromiter(map(found.__getitem__, range(matrix.shape[0])), np.int64)

    return run


def scikit_network_leiden(matrix: Any) -> Method:
    from sknetwork.clustering import Leiden

    return _scikit_network(Leiden, matrix)


def scikit_network_louvain(matrix: Any) -> Method:
    from sknetwork.clustering import Louvain

    return _scikit_network(Louvain, matrix)


def _scikit_network(kind: Any, matrix: Any) -> Method:
    from scipy.sparse import csr_matrix

    plain = csr_matrix(matrix)

    def run(seed: int) -> Ints:
        # Seeds count for nothing unless nodes are shuffled.
        made = kind(
            shuffle_nodes=True, random_state=seed, return_probs=False, return_aggregate=False
        )
        return np.asarray(made.fit_predict(plain), np.int64)

    return run


def _igraph(matrix: Any) -> tuple[Any, list[float]]:
    import igraph
    from scipy.sparse import triu

    upper = triu(matrix).tocoo()
    pairs = np.column_stack(upper.coords)
    return igraph.Graph(n=matrix.shape[0], edges=pairs), upper.data.tolist()


def igraph_leiden(matrix: Any) -> Method:
    import random

    graph, weight = _igraph(matrix)

    def run(seed: int) -> Ints:
        random.seed(seed)
        found = graph.community_leiden("modularity", weights=weight, n_iterations=ITERATIONS)
        return np.array(found.membership)

    return run


def leidenalg_leiden(matrix: Any) -> Method:
    import leidenalg

    graph, weight = _igraph(matrix)

    def run(seed: int) -> Ints:
        found = leidenalg.find_partition(
            graph,
            leidenalg.ModularityVertexPartition,
            weights=weight,
            n_iterations=ITERATIONS,
            seed=seed,
        )
        return np.array(found.membership)

    return run


def networkit_leiden(matrix: Any) -> Method:
    from networkit.community import ParallelLeiden

    return _networkit(lambda graph: ParallelLeiden(graph, randomize=True), matrix)


def networkit_plm(matrix: Any) -> Method:
    from networkit.community import PLM

    return _networkit(lambda graph: PLM(graph, refine=True, par="balanced"), matrix)


def _networkit(kind: Callable[[Any], Any], matrix: Any) -> Method:
    import networkit
    from scipy.sparse import triu

    networkit.setNumberOfThreads(THREADS)
    upper = triu(matrix).tocoo()
    ends = tuple(one.astype(np.uint64) for one in upper.coords)
    graph = networkit.GraphFromCoo((upper.data, ends), n=matrix.shape[0], weighted=True)

    def run(seed: int) -> Ints:
        networkit.setSeed(seed, useThreadId=False)
        made = kind(graph)
        made.run()
        return np.asarray(made.getPartition().getVector(), np.int64)

    return run


METHODS = {
    "graspologic-native Leiden": (graspologic_leiden, "graspologic-native", "MIT"),
    "scikit-network Leiden": (scikit_network_leiden, "scikit-network", "BSD-3"),
    "scikit-network Louvain": (scikit_network_louvain, "scikit-network", "BSD-3"),
    "igraph Leiden": (igraph_leiden, "igraph", "GPL-2"),
    "leidenalg Leiden": (leidenalg_leiden, "leidenalg", "GPL-3"),
    "networkit ParallelLeiden": (networkit_leiden, "networkit", "MIT"),
    "networkit PLM": (networkit_plm, "networkit", "MIT"),
}
