"""Co-occurrence: how often the two ends of an edge appear together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels.support import edge_support, pair_support

from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph
from hebbgraph.plasticity.neighborhood import Neighborhood, neighborhood


def cooccurrence(
    graph: Graph,
    everything: Neighborhood,
    *,
    since: int,
    together: npt.NDArray[np.int32] | None = None,
) -> npt.NDArray[np.int32]:
    """F of every edge: (n_edges,) int32, ≥ 0.

    f(u, v) is the support |N(u) ∩ N(v)| by observed edges inside the temporal window, and the
    episodes in it that hold both; undated edges are always inside.  Inferred edges are no
    evidence: they add to no support, and their own count is that of use alone.

    Parameters
    ----------
    everything : neighbourhoods by all observed edges
    together : (n_edges,) episodes that hold both ends; None is not known: what use the inferred
        edges have learned from stays
    since : UTC microseconds at which the window opens

    Notes
    -----
    This is the masked product A∘(A·Aᵀ), see :mod:`hebbgraph_kernels.support`.
    """
    indptr, indices = graph.observed
    inside = _inside(graph, since)
    if inside is None:
        counts = edge_support(everything.indptr, everything.indices, indptr, indices)
    else:
        before = np.concatenate(([0], np.cumsum(inside)))
        recent = neighborhood(before[indptr], indices[inside])
        counts = edge_support(recent.indptr, recent.indices, indptr, indices)
        outside = np.flatnonzero(counts < 0)
        source = np.searchsorted(indptr, outside, side="right") - 1
        counts[outside] = pair_support(
            recent.indptr, recent.indices, source.astype(indices.dtype), indices[outside]
        )
    if graph.inferred is None:
        return counts if together is None else counts + together
    if together is None:
        out = graph.co_occurrence_count.copy()
        out[~graph.inferred] = counts
    else:
        out = together.copy()
        out[~graph.inferred] += counts
    return out


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
