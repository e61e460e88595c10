"""What text states in a graph: stated anew, with what was learned on it kept."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph
from hebbgraph.merge import merge

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

EDGE_MARK: Final = '{"text_evidence": '
"""How the properties of an edge begin that text states."""
NODE_MARK: Final = '{"text": '
"""How the properties of a node begin that text states."""
LINK_MARK: Final = '{"linked": true'
"""How the properties of an edge begin that someone stated by hand."""
ENTITY_MARK: Final = '{"text": "entity"'
"""How the properties of an entity begin that text states."""


def stated_edges(graph: Graph) -> Bools:
    """(n_edges,) bool, which edges text states."""
    return begins(graph.edge_properties, EDGE_MARK, graph.n_edges)


def stated_nodes(graph: Graph) -> Bools:
    """(n_nodes,) bool, which nodes text states."""
    return begins(graph.node_properties, NODE_MARK, graph.n_nodes)


def begins(texts: pa.Array | None, mark: str, size: int) -> Bools:
    """(size,) bool, which properties begin with a mark."""
    if texts is None:
        return np.zeros(size, np.bool_)
    found: Bools = pc.fill_null(pc.starts_with(texts, mark), False).to_numpy(zero_copy_only=False)
    return found


def restated(base: Graph, new: Graph, *, nodes: Bools, edges: Bools) -> Graph:
    """``base`` with ``new`` in place of some of its nodes and edges.

    An edge that is stated again keeps its weight, if it has learned, and its counters; its time and
    properties are those of ``new``.  A node that is not stated again keeps its key and loses type,
    properties and edges; one that was an entity keeps the observed edges that text did not state.
    Nodes of ``base`` that text did not state keep their own type and properties.

    Parameters
    ----------
    new : what text states, every node with a type and properties
    nodes : (n_nodes,) bool, of ``base``: they go unless ``new`` states them
    edges : (n_edges,) bool, of ``base``: likewise; observed

    Raises
    ------
    InputError
        ``base`` is undirected
    """
    place = pc.index_in(new.node_ids, value_set=base.ids_of(np.arange(base.n_nodes)))
    key = pc.fill_null(place, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    known = key[key >= 0]
    gone = nodes.copy()
    gone[known] = False
    new, matched = _with_learned(base, new, key, edges | base.is_inferred)
    entity = begins(base.node_properties, ENTITY_MARK, base.n_nodes)
    at_gone = gone[base.source] | gone[base.target]
    lost = at_gone & (base.is_inferred | (gone & ~entity)[base.source] |
                      (gone & ~entity)[base.target])  # fmt: skip
    kept = base.take_edges(np.flatnonzero(~(edges | matched | lost)))
    merged = merge(kept, _without_foreign(base, new, key, stated_nodes(base) | nodes))
    if not gone.any():
        return merged
    all_gone = np.zeros(merged.n_nodes, np.bool_)
    all_gone[: base.n_nodes] = gone
    assert merged.node_type is not None
    return dataclasses.replace(
        merged,
        node_type=np.where(all_gone, np.int32(-1), merged.node_type),
        node_properties=pc.if_else(
            pa.array(all_gone), pa.scalar(None, pa.string()), merged.node_properties
        ),
    )


def _with_learned(base: Graph, new: Graph, key: Ints, among: Bools) -> tuple[Graph, Bools]:
    """``new`` with what its edges learned in ``base``, and which of those ``among`` it states."""
    old = np.flatnonzero(among)
    matched = np.zeros(base.n_edges, np.bool_)
    if not old.size or not new.n_edges:
        return new, matched
    fresh = np.where(key >= 0, key, base.n_nodes + np.arange(key.size))
    size = base.n_nodes + key.size
    names = sorted({*base.relation_names, *new.relation_names})
    code = {name: number for number, name in enumerate(names)}
    pairs = np.concatenate([
        base.source[old].astype(np.int64) * size + base.target[old],
        fresh[new.source] * size + fresh[new.target],
    ])  # fmt: skip
    if size**2 * len(names) >= 1 << 63:
        _, pairs = np.unique(pairs, return_inverse=True)
    relations = [
        np.array([code[name] for name in graph.relation_names], np.int64)[graph.relation]
        for graph in (base, new)
    ]
    pairs *= len(names)
    here, there = np.split(pairs, [old.size])
    here += relations[0][old]
    there += relations[1]
    place = np.argsort(there)
    found = np.minimum(np.searchsorted(there, here, sorter=place), there.size - 1)
    held = there[place[found]] == here
    matched[old[held]] = True
    # An inferred edge may stand beside an observed one of the same identity, which comes first.
    row = np.flatnonzero(held)
    row = row[np.argsort(base.is_inferred[old[row]], kind="stable")]
    there, first = np.unique(place[found[row]], return_index=True)
    at = old[row[first]]
    columns: dict[str, Any] = {}
    learned = base.co_occurrence_count[at] > 0
    for name in ("updated_at", "decayed_at"):
        values = getattr(base, name)
        if values is not None:
            columns[name] = np.full(new.n_edges, UNDATED)
            columns[name][there] = values[at]
            learned |= values[at] != UNDATED
    count = np.zeros(new.n_edges, np.int32)
    count[there] = base.co_occurrence_count[at]
    weight = new.weight.copy()
    weight[there[learned]] = base.weight[at[learned]]
    stated = dataclasses.replace(new, weight=weight, co_occurrence_count=count, **columns)
    return stated, matched


def _without_foreign(base: Graph, new: Graph, key: Ints, own: Bools) -> Graph:
    """``new`` silent on nodes of ``base`` that are described, and not by text or the like."""
    described = np.zeros(base.n_nodes, np.bool_)
    if base.node_type is not None:
        described |= base.node_type >= 0
    if base.node_properties is not None:
        described |= base.node_properties.is_valid().to_numpy(zero_copy_only=False)
    foreign = (key >= 0) & (described & ~own)[key] if base.n_nodes else key < -1
    if not foreign.any():
        return new
    assert new.node_type is not None
    return dataclasses.replace(
        new,
        node_type=np.where(foreign, np.int32(-1), new.node_type),
        node_properties=pc.if_else(
            pa.array(foreign), pa.scalar(None, pa.string()), new.node_properties
        ),
    )
