"""The archive: edges that left a graph with all they had learned, and their way back.

It is a :class:`~hebbgraph.graph.Graph` of those edges over the same nodes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from hebbgraph import check, edgelist
from hebbgraph.edgelist import UNDATED
from hebbgraph.errors import InputError
from hebbgraph.graph import Graph
from hebbgraph.ids import shown
from hebbgraph.merge import merge

Mask = npt.NDArray[np.bool_]


def empty(graph: Graph) -> Graph:
    """An archive without edges."""
    return keep_edges(graph, np.zeros(graph.n_edges, np.bool_))


def keep_edges(graph: Graph, kept: Mask) -> Graph:
    """``graph`` with some of its edges, (n_edges,) bool; the same object if those are all.

    Metrics are those of a pass, which has yet to see it.
    """
    if kept.all():
        return graph
    left = graph.take_edges(np.flatnonzero(kept))
    relation, names = edgelist.tidy_relations(left.relation, left.relation_names)
    return dataclasses.replace(left, relation=relation, relation_names=names, metrics=None)


def joined(first: Graph, second: Graph) -> Graph:
    """Edges of two graphs over the nodes of ``second``; what both hold is as in ``first``."""
    if not first.n_edges:
        return second
    both = merge(first, second) if second.n_edges else first
    nodes = ("node_ids", "node_type", "type_names", "node_properties", "use")
    return dataclasses.replace(both, **{name: getattr(second, name) for name in nodes})


def at(graph: Graph, nodes: Mask) -> Mask:
    """(n_edges,) bool, which edges touch one of some nodes, (n_nodes,) bool."""
    return nodes[graph.source] | nodes[graph.indices]


def put_away(graph: Graph, archive: Graph, nodes: Mask) -> tuple[Graph, Graph]:
    """Move the edges at some nodes, (n_nodes,) bool, from the graph to the archive."""
    leaving = at(graph, nodes)
    # What was counted among edges that leave says nothing once some of them come back.
    left = dataclasses.replace(keep_edges(graph, leaving), support=None)
    return keep_edges(graph, ~leaving), joined(left, archive) if leaving.any() else archive


def bring_back(graph: Graph, archive: Graph) -> tuple[Graph, Graph]:
    """Move the edges of which neither end is archived back to the graph."""
    assert graph.use is not None
    coming = ~at(archive, graph.use.archived)
    if not coming.any():
        return graph, archive
    kept = joined(keep_edges(archive, coming), graph)
    return kept, keep_edges(archive, ~coming)


def unarchive(
    graph: Graph, archive: Graph, nodes: Iterable[str | int], *, now: object = None
) -> tuple[Graph, Graph]:
    """Bring nodes back from the archive, with all that they and their edges had learned.

    An edge comes back when both its ends are there.  The clock of :func:`hebbgraph.consolidate`
    starts again for them.

    Parameters
    ----------
    archive : as in ``ConsolidationReport.archive``
    nodes : ids
    now : moment from which their clock runs, with a time zone; the clock by default

    Returns
    -------
    graph, archive : Graph

    Raises
    ------
    NodeNotFoundError, InputError
        the graph has no such node, or it is not in the archive
    """
    moment = check.microseconds("now", now)  # type: ignore[arg-type]
    keys = np.array([graph.key(node) for node in nodes], np.int64)
    away = np.zeros(graph.n_nodes, np.bool_) if graph.use is None else graph.use.archived
    if not away[keys].all():
        node = graph.id(int(keys[np.argmin(away[keys])]))
        raise InputError(f"node {shown(node)} is not in the archive; `consolidate` lists what is")
    if not keys.size:
        return graph, archive
    assert graph.use is not None
    archived_at, created_at = graph.use.archived_at.copy(), graph.use.created_at.copy()
    archived_at[keys], created_at[keys] = UNDATED, moment
    use = dataclasses.replace(graph.use, archived_at=archived_at, created_at=created_at)
    return bring_back(dataclasses.replace(graph, use=use), archive)
