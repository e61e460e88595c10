"""Co-occurrence: how often the two ends of an edge appear together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels.support import edge_support, pair_support

from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph
from hebbgraph.plasticity.neighborhood import Neighborhood, neighborhood
from hebbgraph.plasticity.support import updated_support, whole_support

Counts = npt.NDArray[np.int32]


def cooccurrence(
    graph: Graph, everything: Neighborhood, *, since: int, together: Counts | None = None
) -> tuple[Counts, Counts]:
    """F of every edge, and its support.

    f(u, v) is the support |N(u) ∩ N(v)| by observed edges inside the temporal window, and the
    episodes in it that hold both; undated edges are always inside.  Inferred edges are no
    evidence: they add to no support, and their own count is that of use alone.

    Parameters
    ----------
    everything : neighbourhoods by all observed edges
    since : UTC microseconds at which the window opens
    together : (n_edges,) episodes that hold both ends; None is not known: what use the inferred
        edges have learned from stays

    Returns
    -------
    count : (n_edges,) int32, ≥ 0
    support : (n_edges,) int32, ≥ 0, 0 at inferred edges

    Notes
    -----
    This is the masked product A∘(A·Aᵀ), see :mod:`hebbgraph_kernels.support`.
    """
    observed = ~graph.is_inferred
    support = np.zeros(graph.n_edges, np.int32)
    support[observed] = _support(graph, everything, since, observed)
    if together is not None:
        return support + together, support
    if graph.inferred is None:
        return support, support
    return np.where(observed, support, graph.co_occurrence_count), support


def _support(
    graph: Graph, everything: Neighborhood, since: int, observed: npt.NDArray[np.bool_]
) -> Counts:
    inside = _inside(graph, since)
    if inside is not None:
        return _recent_support(graph, inside)
    # Which dated edges were in the window last time is not known.
    if graph.time is None and graph.support is not None:
        return updated_support(graph, graph.support[observed], everything)
    return whole_support(graph, everything)


def _recent_support(graph: Graph, inside: npt.NDArray[np.bool_]) -> Counts:
    indptr, indices = graph.observed
    before = np.concatenate(([0], np.cumsum(inside)))
    recent = neighborhood(before[indptr], indices[inside])
    counts: Counts = edge_support(recent.indptr, recent.indices, indptr, indices)
    outside = np.flatnonzero(counts < 0)
    source = np.searchsorted(indptr, outside, side="right") - 1
    counts[outside] = pair_support(
        recent.indptr, recent.indices, source.astype(indices.dtype), indices[outside]
    )
    return counts


def outside_window(graph: Graph, since: int) -> int:
    """Number of observed edges that are dated before ``since``."""
    inside = _inside(graph, since)
    return 0 if inside is None else int(np.count_nonzero(~inside))


def _inside(graph: Graph, since: int) -> npt.NDArray[np.bool_] | None:
    """Which observed edges lie in the window; None if all do."""
    if graph.time is None:
        return None
    time = graph.time if graph.inferred is None else graph.time[~graph.inferred]
    inside = (time >= since) | (time == UNDATED)
    return None if inside.all() else inside
