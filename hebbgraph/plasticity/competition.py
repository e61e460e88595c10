"""Competition: of a node's edges to similar targets, the weaker fade."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import csr, measures
from hebbgraph_kernels.competition import mark_losers
from hebbgraph_kernels.stream import qualifying_pairs
from hebbgraph_kernels.support import pair_support

from hebbgraph.columns import row_pointers
from hebbgraph.errors import InputError
from hebbgraph.graph import Graph
from hebbgraph.plasticity.neighborhood import Neighborhood

Ints = npt.NDArray[Any]
Pairs = tuple[Ints, Ints]
PAIRS_PER_BLOCK = 1 << 22


def compete(
    graph: Graph,
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
    fresh = np.flatnonzero((count > graph.co_occurrence_count) & ~graph.is_inferred)
    if competition_rate == 0 or not fresh.size:
        return weight
    contest = _contest(graph, weight, fresh, min_weight)
    if not contest.may_lose.any():
        return weight
    if similarity is not None:
        lost = _lost_to(contest, _given(similarity, similarity_threshold))
    elif contest.rivalries() <= around.indices.size:
        lost = _lost_directly(contest, around, similarity_threshold, min_shared_neighbors)
    else:
        pairs = _overlapping(contest, around, similarity_threshold, min_shared_neighbors)
        lost = _lost_to(contest, pairs)
    losers = np.unique(contest.edge[lost])
    out = weight.copy()
    out[losers] = np.maximum(weight[losers] * (1 - competition_rate), min_weight)
    return out


@dataclass(frozen=True)
class _Contest:
    """Observed edges as the nodes with new evidence have them, sorted by (tail, head).

    Attributes
    ----------
    tail, head, edge : (c,) int, node, neighbour, and the edge's place in the graph
    weight : (c,) float32
    group : (c,) int, where the tail's edges begin
    size : (c,) int, how many the tail has
    may_lose : (c,) bool, the tail has a heavier edge, and there is something to lose
    n_nodes : of the graph
    """

    tail: Ints
    head: Ints
    edge: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float32]
    group: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    may_lose: npt.NDArray[np.bool_]
    n_nodes: int

    def rivalries(self) -> int:
        """Pairs of an edge that may lose and another of the same node."""
        return int(self.size[self.may_lose].sum())


def _contest(
    graph: Graph,
    weight: npt.NDArray[np.float32],
    fresh: npt.NDArray[np.int64],
    min_weight: float,
) -> _Contest:
    """The edges that compete.

    A node's edges are its outgoing ones; in an undirected graph all that touch it, so that an
    edge is judged at both of its ends.
    """
    active = np.zeros(graph.n_nodes, np.bool_)
    active[np.searchsorted(graph.indptr, fresh, side="right") - 1] = True
    if not graph.directed:
        active[graph.indices[fresh]] = True
    competes = np.repeat(active, np.diff(graph.indptr)) & ~graph.is_inferred
    edge = np.flatnonzero(competes)
    tail = np.searchsorted(graph.indptr, edge, side="right") - 1
    head = graph.indices[edge]
    if not graph.directed:
        _, source, other = csr.transpose_entries(graph.indptr, graph.indices, graph.n_nodes)
        taken = active[graph.indices[other]] & ~graph.is_inferred[other]
        other = other[taken]
        tail = np.concatenate((tail, graph.indices[other]))
        head = np.concatenate((head, source[taken]))
        edge = np.concatenate((edge, other))
        # Both halves are in order already: a stable sort merges them.
        order = np.argsort(tail * np.int64(graph.n_nodes) + head, kind="stable")
        tail, head, edge = tail[order], head[order], edge[order]
    starts = np.flatnonzero(np.diff(tail, prepend=-1))
    sizes = np.diff(starts, append=tail.size)
    standing = weight[edge]
    best = np.repeat(np.maximum.reduceat(standing, starts), sizes)
    return _Contest(
        tail=tail,
        head=head.astype(graph.indices.dtype, copy=False),
        edge=edge,
        weight=standing,
        group=np.repeat(starts, sizes),
        size=np.repeat(sizes, sizes),
        may_lose=(standing < best) & (standing > min_weight),
        n_nodes=graph.n_nodes,
    )


def _lost_directly(
    contest: _Contest, around: Neighborhood, threshold: float, min_shared: int
) -> npt.NDArray[np.bool_]:
    """Every loser's rivals compared with it one by one: the way where there are few."""
    able = np.flatnonzero(contest.may_lose)
    size = contest.size[able]
    loser = np.repeat(able, size)
    rival = np.arange(loser.size) - np.repeat(np.cumsum(size) - size, size) + contest.group[loser]
    heavier = contest.weight[rival] > contest.weight[loser]
    heavier &= contest.head[rival] != contest.head[loser]
    loser, rival = loser[heavier], rival[heavier]
    left, right = contest.head[loser], contest.head[rival]
    shared = pair_support(around.indptr, around.indices, left, right)
    smaller = np.minimum(around.degree[left], around.degree[right])
    similar = (shared >= min_shared) & (shared / smaller >= threshold)
    lost = np.zeros(contest.edge.size, np.bool_)
    lost[loser[similar]] = True
    return lost


def _lost_to(contest: _Contest, pairs: Iterator[Pairs]) -> npt.NDArray[np.bool_]:
    """Every pair of similar nodes compared at the nodes that have an edge to both."""
    transposed = csr.transpose_entries(
        row_pointers(contest.tail, contest.n_nodes), contest.head, contest.n_nodes
    )
    lost = np.zeros(contest.edge.size, np.bool_)
    for left, right in pairs:
        mark_losers(*transposed, contest.weight, left, right, lost)
    return lost & contest.may_lose


def _overlapping(
    contest: _Contest, around: Neighborhood, threshold: float, min_shared: int
) -> Iterator[Pairs]:
    """Pairs of targets by overlap, in blocks, so that twins by the thousand cost no memory."""
    target = np.zeros(contest.n_nodes, np.bool_)
    target[contest.head] = True
    for left, right, *_ in qualifying_pairs(
        around.indptr, around.indices, allowed=target, adjacent=True, measure=measures.OVERLAP,
        min_shared=min_shared, threshold=threshold, shrinkage=0.0, pairs_per_block=PAIRS_PER_BLOCK,
        sums=False,
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
