"""Competition: of a node's edges to similar targets, the weaker fade."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels.competition import mark_losers
from hebbgraph_kernels.stream import qualifying_pairs

from hebbgraph.columns import row_pointers
from hebbgraph.errors import InputError
from hebbgraph.graph import Graph
from hebbgraph.plasticity.neighborhood import Edges, Neighborhood

Ints = npt.NDArray[Any]
Pairs = tuple[Ints, Ints]
PAIRS_PER_BLOCK = 1 << 22


def compete(
    graph: Graph,
    edges: Edges,
    weight: npt.NDArray[np.float32],
    count: npt.NDArray[np.int32],
    around: Neighborhood,
    *,
    competition_rate: float,
    min_weight: float,
    similarity_threshold: float,
    min_shared_neighbors: int,
    similarity: Any | None = None,
) -> npt.NDArray[np.float32]:
    """Weights after competition: (n_edges,) float32.

    An observed edge u→v *lost* if u has a heavier observed edge to a v′ similar to v.  Where this
    pass brought new evidence at u (an edge of u co-occurs more than before), losers become
    max(w·(1 − ρ), w_min).  In an undirected graph an edge is judged at both ends, and falls once.
    All edges are judged by the weights that came in, so their order does not matter.

    Parameters
    ----------
    edges : the graph's edges with their transpose
    weight : (n_edges,) float32 after strengthening
    count : (n_edges,) int32, co-occurrence now
    around : neighbourhoods by observed edges
    similarity : (n_nodes, n_nodes) SciPy sparse matrix, an entry counting both ways, or None
        for the overlap
        |N(v) ∩ N(v′)| / min(|N(v)|, |N(v′)|) with at least ``min_shared_neighbors`` shared
        (one is always shared: u itself)

    Raises
    ------
    InputError
        ``similarity`` has another shape
    """
    if similarity is not None and similarity.shape != (graph.n_nodes, graph.n_nodes):
        raise InputError(
            f"similarity: expected a sparse matrix of shape ({graph.n_nodes}, {graph.n_nodes}), "
            f"got {similarity.shape}"
        )
    fresh = (count > graph.co_occurrence_count) & ~graph.is_inferred
    if competition_rate == 0 or not fresh.any():
        return weight
    sides, edge = _sides(graph, edges)
    tail = np.repeat(np.arange(graph.n_nodes), np.diff(sides.indptr))
    active = np.zeros(graph.n_nodes, np.bool_)
    active[tail[fresh[edge]]] = True
    # An inferred edge is no rival; an edge at its node's top weight cannot lose, and one at the
    # floor or inhibitory has nothing to lose.
    standing = np.where(graph.is_inferred, np.float32(-np.inf), weight)[edge]
    best = np.full(graph.n_nodes, -np.inf, np.float32)
    np.maximum.at(best, tail, standing)
    may_lose = active[tail] & (standing < best[tail]) & (standing > min_weight)
    if not may_lose.any():
        return weight
    target = np.zeros(graph.n_nodes, np.bool_)
    target[sides.indices[active[tail]]] = True
    pairs = (
        _overlapping(around, target, similarity_threshold, min_shared_neighbors)
        if similarity is None
        else _given(similarity, similarity_threshold)
    )
    lost = np.zeros(edge.size, np.bool_)
    for left, right in pairs:
        mark_losers(
            sides.in_indptr, sides.in_rows, sides.in_entry, standing, active, left, right, lost
        )
    losers = np.unique(edge[lost & may_lose])
    out = weight.copy()
    out[losers] = np.maximum(weight[losers] * (1 - competition_rate), min_weight)
    return out


def _sides(graph: Graph, edges: Edges) -> tuple[Edges, npt.NDArray[np.int64]]:
    """CSR of the edges as each node has them, and the edge behind every entry.

    A node's edges are its outgoing ones; in an undirected graph all that touch it, so that an
    edge is judged at both of its ends.
    """
    numbers = np.arange(graph.n_edges)
    if graph.directed:
        return edges, numbers
    tail = np.concatenate((graph.source, graph.indices))
    head = np.concatenate((graph.indices, graph.source))
    order = np.lexsort((head, tail))
    both = Edges.of(row_pointers(tail, graph.n_nodes), np.ascontiguousarray(head[order]))
    return both, np.concatenate((numbers, numbers))[order]


def _overlapping(
    around: Neighborhood, target: npt.NDArray[np.bool_], threshold: float, min_shared: int
) -> Iterator[Pairs]:
    """Pairs of targets by overlap, in blocks, so that twins by the thousand cost no memory."""
    for left, right, _, _ in qualifying_pairs(
        around.indptr, around.indices, allowed=target, adjacent=True, min_shared=min_shared,
        threshold=threshold, shrinkage=0.0, pairs_per_block=PAIRS_PER_BLOCK,
    ):  # fmt: skip
        yield left, right


def _given(similarity: Any, threshold: float) -> Iterator[Pairs]:
    from scipy.sparse import csr_array

    # Entries at one place add up, as everywhere in SciPy.
    matrix = csr_array(similarity)
    if matrix is similarity and not matrix.has_canonical_format:
        matrix = matrix.copy()
    matrix.sum_duplicates()
    entries = matrix.tocoo()
    kept = (entries.data >= threshold) & (entries.row != entries.col)
    yield entries.row[kept].astype(np.int64), entries.col[kept].astype(np.int64)
