"""Personalised PageRank by libraries: each takes a symmetric SciPy CSR, and then seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.machine import THREADS
from bench.rmat import Ints

DAMPING = 0.85
ENOUGH = 1e-6
"""L1 change or tolerance at which the libraries stop: a good deal coarser than they can."""
Query = Callable[[Ints], Any]
"""From seeds of equal weight to a score of every node."""


def transition(matrix: Any) -> Any:
    """d·Wᵀ·diag(1/s) as float64 CSR; W is symmetric."""
    from scipy.sparse import csr_array

    strength = np.asarray(matrix.sum(axis=1)).ravel()
    scale = np.divide(DAMPING, strength, where=strength > 0, out=np.zeros(strength.size))
    return csr_array((matrix.data * scale[matrix.indices], matrix.indices, matrix.indptr),
                     shape=matrix.shape)  # fmt: skip


def power_iteration(step: Any, seeds: Ints, tolerance: float) -> Any:
    """Until an iteration changes no more than ``tolerance`` in sum."""
    restart = np.zeros(step.shape[0])
    restart[seeds] = (1 - DAMPING) / seeds.size
    score = restart
    while True:
        after = restart + step @ score
        if np.abs(after - score).sum() <= tolerance:
            return after
        score = after


def scipy(matrix: Any) -> Query:
    step = transition(matrix)
    return lambda seeds: power_iteration(step, seeds, ENOUGH)


def scikit_network(matrix: Any) -> Query:
    """By power iteration: its push divides by zero where a node has no edge."""
    from scipy.sparse import csr_matrix
    from sknetwork.ranking import PageRank

    plain = csr_matrix(matrix)

    def run(seeds: Ints) -> Any:
        made = PageRank(damping_factor=DAMPING, solver="piteration", n_iter=100, tol=ENOUGH)
        return made.fit_predict(plain, weights=dict.fromkeys(seeds.tolist(), 1.0))

    return run


def igraph(matrix: Any) -> Query:
    import igraph
    from scipy.sparse import triu

    upper = triu(matrix).tocoo()
    graph = igraph.Graph(n=matrix.shape[0], edges=np.column_stack(upper.coords))
    weight = upper.data.tolist()

    def run(seeds: Ints) -> Any:
        return np.array(
            graph.personalized_pagerank(
                damping=DAMPING, reset_vertices=seeds.tolist(), weights=weight
            )
        )

    return run


def networkit(matrix: Any) -> Query:
    """Its approximate push from one seed; it knows no weights and no second seed."""
    import networkit
    from scipy.sparse import triu

    networkit.setNumberOfThreads(THREADS)
    upper = triu(matrix).tocoo()
    ends = tuple(one.astype(np.uint64) for one in upper.coords)
    graph = networkit.GraphFromCoo(ends, n=matrix.shape[0])

    def run(seeds: Ints) -> Any:
        # Its alpha is the restart of a lazy walk: a/(2 − a) of one that is not, 0.15.
        push = networkit.scd.ApproximatePageRank(graph, (1 - DAMPING) / (1 + DAMPING), 1e-6)
        found = push.run(int(seeds[0]))
        out = np.zeros(matrix.shape[0])
        for node, score in found:
            out[node] = score
        return out

    return run


PEERS: dict[str, Callable[[Any], Query]] = {
    "SciPy power iteration": scipy,
    "scikit-network power iteration": scikit_network,
    "igraph PRPACK": igraph,
}
LOCAL = {"networkit ApproximatePageRank, unweighted": networkit}
