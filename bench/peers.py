"""Edge support by other libraries.

Each function takes a symmetric CSR and returns a task to be timed, and a function that turns what
the task returned into the support of every CSR entry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.machine import THREADS
from bench.rmat import Ints

Prepared = tuple[Callable[[], Any], Callable[[Any], Ints]]


def networkit(indptr: Ints, indices: Ints) -> Prepared:
    """TriangleEdgeScore, one score for each undirected edge."""
    import networkit

    networkit.setNumberOfThreads(THREADS)
    rows = _rows(indptr)
    upper = rows < indices
    graph = networkit.GraphFromCoo(
        (rows[upper].astype(np.uint64), indices[upper].astype(np.uint64)), n=indptr.size - 1
    )
    graph.sortEdges()
    graph.indexEdges()
    place = np.empty(graph.upperEdgeIdBound(), np.int64)
    pairs: list[tuple[int, int, int]] = []
    graph.forEdges(lambda u, v, _weight, edge: pairs.append((u, v, edge)))
    ends = np.array(pairs, np.int64)
    low, high = np.minimum(ends[:, 0], ends[:, 1]), np.maximum(ends[:, 0], ends[:, 1])
    number = undirected_numbers(indptr, indices)
    place[ends[:, 2]] = np.searchsorted(
        (rows * (indptr.size - 1) + indices)[upper], low * (indptr.size - 1) + high
    )

    def task() -> Any:
        scorer = networkit.sparsification.TriangleEdgeScore(graph)
        scorer.run()
        return scorer

    def counts(scorer: Any) -> Ints:
        by_edge = np.empty(place.size, np.int64)
        by_edge[place] = np.asarray(scorer.scores(), np.int64)
        return by_edge[number]

    return task, counts


def graphblas(indptr: Ints, indices: Ints) -> Prepared:
    """Masked product with the semiring plus_pair."""
    import graphblas
    from graphblas import Matrix, semiring

    graphblas.ss.config["nthreads"] = THREADS
    n = indptr.size - 1
    adjacency = Matrix.from_csr(indptr, indices.astype(np.int64), np.int32(1), ncols=n)
    adjacency.wait()

    def task() -> Any:
        out = Matrix("INT32", n, n)
        out(adjacency.S) << semiring.plus_pair(adjacency @ adjacency.T)
        out.wait()
        return out

    def counts(out: Any) -> Ints:
        rows, columns, values = out.to_coo()
        whole = np.zeros(indices.size, np.int64)
        keys = _rows(indptr) * n + indices
        whole[np.searchsorted(keys, rows.astype(np.int64) * n + columns.astype(np.int64))] = values
        return whole

    return task, counts


def igraph(indptr: Ints, indices: Ints) -> Prepared:
    """list_triangles; its edges are counted outside of the time."""
    import igraph

    rows = _rows(indptr)
    upper = rows < indices
    graph = igraph.Graph(
        n=indptr.size - 1, edges=np.column_stack((rows[upper], indices[upper])), directed=False
    )
    number = undirected_numbers(indptr, indices)
    keys = (rows * (indptr.size - 1) + indices)[upper]

    def counts(listed: list[tuple[int, int, int]]) -> Ints:
        corners = np.sort(np.array(listed, np.int64).reshape(-1, 3), axis=1)
        sides = [corners[:, a] * (indptr.size - 1) + corners[:, b]
                 for a, b in ((0, 1), (0, 2), (1, 2))]  # fmt: skip
        found = np.searchsorted(keys, np.concatenate(sides))
        return np.bincount(found, minlength=keys.size)[number]

    return graph.list_triangles, counts


def _rows(indptr: Ints) -> Ints:
    return np.repeat(np.arange(indptr.size - 1), np.diff(indptr))


def undirected_numbers(indptr: Ints, indices: Ints) -> Ints:
    """Number of the undirected edge behind each entry, in the order of entries above."""
    rows = _rows(indptr)
    n = indptr.size - 1
    keys = np.minimum(rows, indices) * n + np.maximum(rows, indices)
    return np.searchsorted((rows * n + indices)[rows < indices], keys)


PEERS: dict[str, Callable[[Ints, Ints], Prepared]] = {
    "networkit": networkit,
    "graphblas": graphblas,
    "igraph": igraph,
}
