"""Joining graphs: new edges beside learned ones, types beside nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import casting, edgelist, ids
from hebbgraph.columns import EDGE_ARRAYS, NodeMetrics, row_pointers
from hebbgraph.edgelist import UNDATED, IdPolicy
from hebbgraph.errors import InputError
from hebbgraph.graph import Graph
from hebbgraph.node_use import NEW, TIMES, NodeUse
from hebbgraph.times import parse_times

DEFAULTS = {
    "time": UNDATED,
    "updated_at": UNDATED,
    "decayed_at": UNDATED,
    "support": -1,
    "inferred": False,
    "confidence": np.nan,
    "shared_neighbors": 0,
    "rank": np.nan,
}


def merge(base: Graph, new: Graph, *, replace: bool = False) -> Graph:
    """The union of two graphs; what ``base`` has learned is kept.

    Nodes of ``base`` keep their keys, those only in ``new`` follow.  An edge in both keeps the
    weight and counters of ``base`` and takes the latest time; an inferred edge that ``new``
    states becomes observed.

    Parameters
    ----------
    replace : withdraw observed edges of ``base`` that ``new`` does not hold

    Raises
    ------
    InputError
        one graph is directed and the other is not
    """
    if base.directed != new.directed:
        kinds = ["directed" if graph.directed else "undirected" for graph in (base, new)]
        raise InputError(
            f"the store holds a {kinds[0]} graph, the new edges are {kinds[1]}; "
            f"import them with --{kinds[0]}"
        )
    known, new_key = _union_of_nodes(base, new)
    n_nodes = base.n_nodes + int(np.count_nonzero(new_key >= base.n_nodes))
    names, code = _union_of_names(base.relation_names, new.relation_names)
    relation, names = edgelist.tidy_relations(
        np.concatenate((base.relation, code[new.relation])).astype(np.int32), names
    )
    unseen = dataclasses.replace(new, support=None)
    joined = {name: _joined(base, unseen, name) for name in EDGE_ARRAYS if name != "relation"}
    if new.node_type is not None:
        joined["support"] = None
    edges = edgelist.canonicalise(
        np.concatenate((base.source, new_key[new.source])).astype(np.int64),
        np.concatenate((base.indices, new_key[new.indices])).astype(np.int64),
        relation,
        n_nodes=n_nodes,
        n_relations=len(names),
        directed=base.directed,
    )
    columns: dict[str, Any] = {name: None if values is None else values[edges.row]
               for name, values in joined.items()}  # fmt: skip
    if joined["time"] is not None:
        columns["time"] = edges.latest(joined["time"])
    if joined["inferred"] is not None:
        columns["inferred"] = ~edges.latest(~joined["inferred"])
        if joined["support"] is not None:
            columns["support"][joined["inferred"][edges.row] & ~columns["inferred"]] = -1
        for name in ("confidence", "shared_neighbors", "rank"):
            columns[name][~columns["inferred"]] = DEFAULTS[name]
    properties = _joined_text(base.edge_properties, base.n_edges, new.edge_properties, new.n_edges)
    merged = dataclasses.replace(
        base,
        indptr=row_pointers(edges.source, n_nodes),
        indices=edges.target.astype(edgelist.index_dtype(n_nodes)),
        relation=edges.relation,
        relation_names=names,
        edge_properties=None if properties is None else properties.take(pa.array(edges.row)),
        node_ids=known,
        metrics=None,
        duplicates=new.duplicates,
        self_loops=new.self_loops,
        **_merged_nodes(base, new, new_key, n_nodes),
        **columns,
    )
    if replace:
        stated = edges.latest(np.repeat((False, True), (base.n_edges, new.n_edges)))
        merged = merged.take_edges(np.flatnonzero(stated | merged.is_inferred))
    return merged


def with_edges(
    graph: Graph,
    source: npt.NDArray[np.int64],
    target: npt.NDArray[np.int64],
    *,
    weight: float,
    relation: str = edgelist.DEFAULT_RELATION,
) -> tuple[Graph, npt.NDArray[np.bool_]]:
    """``graph`` with further observed, undated edges between pairs that none joins yet.

    Parameters
    ----------
    source, target : (k,) keys, pairs distinct, sorted by source, then target

    Returns
    -------
    graph : Graph
    old : (n_edges,) bool, which of its edges were there before
    """
    place = np.empty(source.size, np.int64)
    # Compiled kernels take half a second to load, which who only reads a store need not wait for.
    from hebbgraph_kernels.search import places

    places(graph.indptr, graph.indices, source, target, place)
    names = graph.relation_names + (() if relation in graph.relation_names else (relation,))
    fresh: dict[str, Any] = {
        "weight": weight, "co_occurrence_count": 0, "relation": names.index(relation), **DEFAULTS
    }  # fmt: skip
    columns: dict[str, Any] = {
        name: None if values is None else np.insert(values, place, fresh[name])
        for name in EDGE_ARRAYS
        for values in [getattr(graph, name)]
    }
    columns["relation"], names = edgelist.tidy_relations(columns["relation"], names)
    old = np.insert(np.ones(graph.n_edges, np.bool_), place, False)
    text = graph.edge_properties
    if text is not None:
        row = np.where(old, np.cumsum(old) - 1, graph.n_edges)
        text = pa.concat_arrays([text, pa.nulls(1, pa.string())]).take(pa.array(row))
    grown = dataclasses.replace(
        graph,
        indptr=graph.indptr + np.searchsorted(source, np.arange(graph.n_nodes + 1)),
        indices=np.insert(graph.indices, place, target.astype(graph.indices.dtype)),
        relation_names=names,
        edge_properties=text,
        **columns,
    )
    return grown, old


def with_nodes(
    graph: Graph, nodes: pa.Table, *, id_policy: IdPolicy, where: Callable[[int], str]
) -> Graph:
    """``graph`` with types and properties from a table with a column ``id``.

    Raises
    ------
    InputError
        an id is null, stands twice, or is confusable with another
    """
    nodes = casting.table_of(nodes, "nodes")
    if "id" not in nodes.column_names:
        raise InputError(f'nodes: no column "id" among {", ".join(nodes.column_names)}')
    listed = ids.as_ids(nodes.column("id"), name="id", where=where)
    if id_policy == "normalize":
        listed = ids.normalise(listed)
    ids.check_unique(listed, where=where)
    empty = Graph.from_edges(pa.array([], listed.type), pa.array([], listed.type), node_ids=listed,
                             directed=graph.directed)  # fmt: skip
    types = nodes.column("type") if "type" in nodes.column_names else None
    if types is not None and types.null_count < len(types):
        named = casting.cast(types, pa.string(), "type", "the name of a type", where)
        encoded = named.combine_chunks().dictionary_encode()
        encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
        codes = pc.fill_null(encoded.indices, -1).to_numpy().astype(np.int32)
        names = tuple(encoded.dictionary.to_pylist())
        empty = dataclasses.replace(empty, node_type=codes, type_names=names)
    if "properties" in nodes.column_names and nodes["properties"].null_count < len(nodes):
        said = casting.cast(nodes["properties"], pa.string(), "properties", "text", where)
        text = pa.concat_arrays([*said.chunks])
        empty = dataclasses.replace(empty, node_properties=text)
    merged = merge(graph, empty)
    if id_policy == "strict" and merged.node_ids is not None:
        pair = ids.confusable(merged.node_ids)
        if pair is not None:
            raise ids.confusion(*map(ids.escaped, pair))
    metrics = use = None
    measures = [item.name for item in dataclasses.fields(NodeMetrics)]
    if merged.n_nodes == len(nodes):
        row = np.empty(len(nodes), np.int64)
        row[
            ids.look_up(listed, merged.ids_of(np.arange(merged.n_nodes)), name="id", where=where)
        ] = np.arange(len(nodes))
        if set(measures) <= set(nodes.column_names):
            kinds = (pa.float32(), pa.int64(), pa.int32(), pa.float32(), pa.float32())
            metrics = NodeMetrics(**{
                name: casting.cast(nodes[name], kind, name, "a number", where).to_numpy()[row]
                for name, kind in zip(measures, kinds, strict=True)
            })  # fmt: skip
        if set(NEW) - set(TIMES) <= set(nodes.column_names):
            use = _stated_use(nodes, where).take(row)
    return dataclasses.replace(
        merged, duplicates=graph.duplicates, self_loops=graph.self_loops, metrics=metrics, use=use
    )


def _stated_use(nodes: pa.Table, where: Callable[[int], str]) -> NodeUse:
    """Use as a table of nodes states it, whatever a file made of its numbers and times."""
    return NodeUse.of_columns(pa.table({
        name: parse_times(nodes[name], name=name, where=where)
        if name in TIMES
        else casting.cast(nodes[name], pa.from_numpy_dtype(value.dtype), name, "a number", where)
        for name, value in NEW.items()
        if name in nodes.column_names
    }))  # fmt: skip


def _union_of_nodes(base: Graph, new: Graph) -> tuple[pa.Array | None, npt.NDArray[np.int64]]:
    """Ids of the union, and the key there of every node of ``new``."""
    if base.node_ids is None and new.node_ids is None:
        return None, np.arange(new.n_nodes)
    known, others = ids.unify([base.ids_of(np.arange(base.n_nodes)),
                               new.ids_of(np.arange(new.n_nodes))])  # fmt: skip
    found = pc.index_in(others, value_set=known)
    fresh = others.filter(found.is_null())
    fresh = fresh.take(pa.array(ids.sort_order(fresh)))
    union = pa.concat_arrays([known, fresh])
    return union, pc.index_in(others, value_set=union).to_numpy().astype(np.int64)


def _union_of_names(
    base: tuple[str, ...], new: tuple[str, ...]
) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    names = base + tuple(sorted(set(new) - set(base)))
    return names, np.array([names.index(name) for name in new], np.int32)


def _joined(base: Graph, new: Graph, name: str) -> npt.NDArray[Any] | None:
    parts = [getattr(graph, name) for graph in (base, new)]
    present = [part for part in parts if part is not None]
    if not present:
        return None
    filled = [
        np.full(graph.n_edges, DEFAULTS[name], present[0].dtype) if part is None else part
        for graph, part in zip((base, new), parts, strict=True)
    ]
    return np.concatenate(filled)


def _joined_text(
    first: pa.Array | None, first_rows: int, second: pa.Array | None, second_rows: int
) -> pa.Array | None:
    if first is None and second is None:
        return None
    return pa.concat_arrays(
        [
            pa.nulls(rows, pa.string()) if text is None else text
            for text, rows in ((first, first_rows), (second, second_rows))
        ]
    )


def _merged_nodes(
    base: Graph, new: Graph, new_key: npt.NDArray[np.int64], n_nodes: int
) -> dict[str, Any]:
    """Types and properties: those that ``new`` states replace those of ``base``; use is kept."""
    out: dict[str, Any] = {}
    if base.use is not None:
        fresh = np.full(n_nodes - base.n_nodes, -1)
        out["use"] = base.use.take(np.concatenate((np.arange(base.n_nodes), fresh)))
    if base.node_type is not None or new.node_type is not None:
        names, code = _union_of_names(base.type_names, new.type_names)
        types = np.full(n_nodes, -1, np.int32)
        if base.node_type is not None:
            types[: base.n_nodes] = base.node_type
        if new.node_type is not None:
            stated = np.flatnonzero(new.node_type >= 0)
            types[new_key[stated]] = code[new.node_type[stated]]
        out |= {"node_type": types, "type_names": names}
    text = _joined_text(base.node_properties, base.n_nodes, new.node_properties, new.n_nodes)
    if text is not None:
        row = np.full(n_nodes, -1, np.int64)
        row[: base.n_nodes] = np.arange(base.n_nodes)
        said = (
            np.flatnonzero(new.node_properties.is_valid().to_numpy(zero_copy_only=False))
            if new.node_properties is not None
            else np.empty(0, np.int64)
        )
        row[new_key[said]] = base.n_nodes + said
        out["node_properties"] = text.take(pa.array(row, mask=row < 0))
    return out
