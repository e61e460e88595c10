"""Who hears whom: edges as the inputs of the nodes at which they end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbgraph.columns import row_pointers
from hebbgraph.episodes import Episodes
from hebbgraph.graph import Graph


@dataclass(frozen=True, eq=False)
class Synapses:
    """Inputs of some nodes, in CSR form; rows of other nodes are empty.

    Attributes
    ----------
    indptr : (n_nodes + 1,) int64, by the node that hears
    speaker : (synapses,) int, ascending within a row
    edge : (synapses,) int64, position in ``edges``
    edges : (k,) int64, position in the graph, ascending
    """

    indptr: npt.NDArray[np.int64]
    speaker: npt.NDArray[Any]
    edge: npt.NDArray[np.int64]
    edges: npt.NDArray[np.int64]


def both_ways(graph: Graph) -> npt.NDArray[np.bool_]:
    """(n_edges,) bool, edges whose direction carries no meaning."""
    return graph.is_inferred if graph.directed else np.ones(graph.n_edges, np.bool_)


def synapses(graph: Graph, episodes: Episodes) -> Synapses:
    """Inputs of the nodes that the episodes hold.

    The target of an edge hears its source; over an edge that is read both ways the source hears
    the target too.
    """
    hears = np.zeros(graph.n_nodes, np.bool_)
    hears[episodes.nodes] = True
    along = np.flatnonzero(hears[graph.indices])
    against = np.flatnonzero(hears[graph.source] & both_ways(graph))
    edge = np.concatenate((along, against))
    hearer = np.concatenate((graph.indices[along], graph.source[against]))
    speaker = np.concatenate((graph.source[along], graph.indices[against]))
    order = np.lexsort((edge, speaker, hearer))
    edges, place = np.unique(edge[order], return_inverse=True)
    return Synapses(row_pointers(hearer, graph.n_nodes), speaker[order], place, edges)
