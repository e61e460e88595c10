"""Support of every observed edge, from scratch or from what the last pass knew."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import support_update
from hebbgraph_kernels.search import places
from hebbgraph_kernels.support import edge_support, pair_support

from hebbgraph.graph import Graph
from hebbgraph.plasticity.neighborhood import Neighborhood

UNKNOWN = -1
"""Support of an edge that came after the last pass."""


def is_settled(graph: Graph) -> bool:
    """Whether the observed edges are those that the last pass saw."""
    return graph.support is not None and not (graph.support == UNKNOWN).any()


def updated_support(
    graph: Graph, known: npt.NDArray[np.int32], around: Neighborhood
) -> npt.NDArray[np.int32]:
    """|N(u) ∩ N(v)| of the observed edges, equal to counting it anew: (n_observed,) int32.

    Only the triangles that the new edges close are counted.

    Parameters
    ----------
    known : (n_observed,) int32 before, −1 at new edges
    around : neighbourhoods by all observed edges
    """
    indptr, indices = graph.observed
    new = np.flatnonzero(known == UNKNOWN)
    if not new.size:
        return known
    source = np.searchsorted(indptr, new, side="right") - 1
    low, high = np.minimum(source, indices[new]), np.maximum(source, indices[new])
    pair = np.unique(low * graph.n_nodes + high)
    low, high = pair // graph.n_nodes, pair % graph.n_nodes
    before = np.empty(pair.size, np.bool_)
    support_update.joined_before(indptr, indices, known, low, high, before)
    low, high = low[~before], high[~before]
    number = np.full(around.indices.size, -1, np.int32)
    for row, column in ((low, high), (high, low)):
        entry = np.empty(row.size, np.int64)
        places(around.indptr, around.indices, row, column, entry)
        number[entry] = np.arange(row.size, dtype=np.int32)
    change = np.zeros(around.indices.size, np.int32)
    support_update.count_new_triangles(around.indptr, around.indices, number, low, high, change)
    out = known.copy()
    moved = np.flatnonzero(change)
    left = np.searchsorted(around.indptr, moved, side="right") - 1
    support_update.add_to_edges(indptr, indices, left, around.indices[moved], change[moved], out)
    out[new] = pair_support(
        around.indptr, around.indices, source.astype(indices.dtype), indices[new]
    )
    return out


def whole_support(graph: Graph, around: Neighborhood) -> npt.NDArray[np.int32]:
    """|N(u) ∩ N(v)| of the observed edges: (n_observed,) int32."""
    counted: Any = edge_support(around.indptr, around.indices, *graph.observed)
    support: npt.NDArray[np.int32] = counted
    return support
