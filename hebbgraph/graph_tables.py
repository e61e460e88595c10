"""Between a graph and the tables of one snapshot."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import edgelist, schema, tables
from hebbgraph.columns import EDGE_ARRAYS, NodeMetrics, row_pointers, time_column, time_values
from hebbgraph.graph import Graph
from hebbgraph.node_use import NEW, NodeUse
from hebbgraph.snapshots import Reading, Snapshot

_OPTIONAL = {
    "time": "time",
    "discovered_by": "inferred",
    "confidence": "confidence",
    "shared_neighbors": "shared_neighbors",
    "rank": "rank",
    "properties": "edge_properties",
    "updated_at": "updated_at",
    "decayed_at": "decayed_at",
    "support": "support",
}
"""Nullable edge columns and the graph's attribute that is None where they hold nothing."""
MEASURES = tuple(item.name for item in dataclasses.fields(NodeMetrics))


def reading(graph: Graph) -> Reading:
    """How this graph is to be read back."""
    known = graph.node_ids
    kind = "key" if known is None else "int64" if pa.types.is_integer(known.type) else "string"
    empty = [name for name, attribute in _OPTIONAL.items() if getattr(graph, attribute) is None]
    return Reading(graph.directed, kind, tuple(empty))


# -- writing ------------------------------------------------------------------


def write_all(path: Path, graph: Graph, archive: Graph | None = None) -> dict[str, int]:
    """Write every table; returns their versions."""
    versions = {
        "nodes": tables.write(path, "nodes", _nodes(graph)),
        "edges": tables.write(path, "edges", graph.to_arrow(keys=True)),
    }
    if archive is not None and archive.n_edges:
        versions["archive"] = tables.write(path, "archive", archive.to_arrow(keys=True))
    return versions


def write(
    path: Path, graph: Graph, *, base: Graph, parent: Snapshot, archive: Graph | None = None
) -> dict[str, int]:
    """Write what differs from ``base``, the graph of ``parent``; returns the versions.

    ``archive`` is written if given; where nodes are gone, it and all else that names keys is.
    """
    if graph.n_nodes < base.n_nodes:
        return write_all(path, graph, archive)
    versions = dict(parent.versions)
    if archive is not None:
        versions["archive"] = tables.write(path, "archive", archive.to_arrow(keys=True))
    if not _same_edges(graph, base):
        versions["edges"] = tables.write(path, "edges", graph.to_arrow(keys=True))
    elif any(getattr(graph, name) is not getattr(base, name) for name in schema.LEARNED["edges"]):
        versions["edges"] = tables.replace_columns(
            path, "edges", versions["edges"], _learned_edge_columns(graph)
        )
    if not _same_nodes(graph, base):
        versions["nodes"] = tables.write(path, "nodes", _nodes(graph))
    elif graph.metrics is not base.metrics or graph.use is not base.use:
        versions["nodes"] = tables.replace_columns(
            path, "nodes", versions["nodes"], _learned_node_columns(graph)
        )
    return versions


def _same_edges(graph: Graph, base: Graph) -> bool:
    """Whether only learned columns can differ: everything else is the very same array."""
    fixed = [name for name in EDGE_ARRAYS if name not in schema.LEARNED["edges"]]
    return all(
        getattr(graph, name) is getattr(base, name)
        for name in ("indices", "edge_properties", "relation_names", *fixed)
    )


def _same_nodes(graph: Graph, base: Graph) -> bool:
    names = ("node_ids", "node_type", "type_names", "node_properties")
    return graph.n_nodes == base.n_nodes and all(
        getattr(graph, name) is getattr(base, name) for name in names
    )


def _learned_edge_columns(graph: Graph) -> pa.Table:
    return pa.table(
        {
            "weight": graph.weight,
            "co_occurrence_count": graph.co_occurrence_count,
            "updated_at": time_column(graph.updated_at, graph.n_edges),
            "decayed_at": time_column(graph.decayed_at, graph.n_edges),
            "support": pa.nulls(graph.n_edges, pa.int32())
            if graph.support is None
            else graph.support,
        }
    )


def _learned_node_columns(graph: Graph) -> pa.Table:
    known = {} if graph.use is None else graph.use.columns()
    if graph.metrics is not None:
        known |= {name: pa.array(getattr(graph.metrics, name)) for name in MEASURES}
    return pa.table({
        field.name: known.get(field.name, pa.nulls(graph.n_nodes, field.type))
        for field in schema.learned("nodes")
    })  # fmt: skip


def _nodes(graph: Graph) -> pa.Table:
    named = graph.nodes_to_arrow()
    key = pa.array(np.arange(graph.n_nodes, dtype=np.int64))
    columns = [key, named["id"].cast(pa.string()), named["type"], named["properties"]]
    learned = _learned_node_columns(graph)
    return pa.table(
        [*columns, *learned.columns],
        names=["key", "id", "type", "properties", *learned.column_names],
    )


def same(base: Graph, graph: Graph) -> bool:
    """Whether two graphs would be stored alike."""
    if (base.n_nodes, base.n_edges) != (graph.n_nodes, graph.n_edges):
        return False
    return bool(
        base.to_arrow().equals(graph.to_arrow()) and _plain_nodes(base).equals(_plain_nodes(graph))
    )


def _plain_nodes(graph: Graph) -> pa.Table:
    return _nodes(dataclasses.replace(graph, metrics=None)).cast(
        pa.schema([field.with_type(pa.string()) if field.name == "type" else field
                   for field in schema.NODES])
    )  # fmt: skip


# -- reading ------------------------------------------------------------------


def read(path: Path, snapshot: Snapshot, *, without: Collection[str] = ()) -> Graph:
    """The graph of a snapshot.

    Parameters
    ----------
    without : columns that may be null and are not needed: ``id``, ``properties``, …
    """
    how = snapshot.reading
    nodes = _read_nodes(path, snapshot, without)
    n_nodes = nodes.pop("n_nodes")
    left_out = {*how.empty_columns, *without}
    wanted = [name for name in schema.EDGES.names if name not in left_out]
    rows = tables.read(path, "edges", snapshot.versions["edges"], wanted)
    return Graph(directed=how.directed, **_edges(rows, n_nodes), **nodes)


def read_archive(path: Path, snapshot: Snapshot, graph: Graph) -> Graph:
    """The archived edges of a snapshot, of which ``graph`` is the graph."""
    version = snapshot.versions.get("archive")
    names = schema.ARCHIVE.names
    empty = schema.ARCHIVE.empty_table()
    rows = empty if version is None else tables.read(path, "archive", version, names)
    filled = rows.drop_columns(
        [name for name in _OPTIONAL if rows[name].null_count == rows.num_rows]
    )
    absent = {attribute: None for name, attribute in _OPTIONAL.items()
              if name not in filled.column_names}  # fmt: skip
    columns = absent | _edges(filled, graph.n_nodes)
    return dataclasses.replace(graph, metrics=None, **columns)


def _edges(rows: pa.Table, n_nodes: int) -> dict[str, Any]:
    """Edge columns of a graph, those of :data:`_OPTIONAL` where ``rows`` has them."""
    wanted = rows.column_names
    relation, names = _codes(rows["relation"])
    optional: dict[str, Any] = {
        name: time_values(rows[name])
        for name in ("time", "updated_at", "decayed_at")
        if name in wanted
    }
    if "support" in wanted and rows["support"].null_count < rows.num_rows:
        optional["support"] = rows["support"].to_numpy()
    if "discovered_by" in wanted:
        found_by = rows["discovered_by"]
        optional["inferred"] = pc.is_valid(found_by).to_numpy()
        for name, default in (("confidence", np.nan), ("rank", np.nan), ("shared_neighbors", 0)):
            optional[name] = pc.fill_null(rows[name], default).to_numpy()
    if "properties" in wanted:
        optional["edge_properties"] = _whole(rows["properties"])
    return {
        "indptr": row_pointers(rows["source"].to_numpy(), n_nodes),
        "indices": rows["target"].to_numpy().astype(edgelist.index_dtype(n_nodes)),
        "weight": rows["weight"].to_numpy(),
        "relation": relation,
        "relation_names": names,
        "co_occurrence_count": rows["co_occurrence_count"].to_numpy(),
        **optional,
    }


def read_ids(path: Path, snapshot: Snapshot) -> tuple[pa.Array | None, int]:
    """Ids by key, None where ids are the keys, and the number of nodes of a snapshot."""
    keyed = snapshot.reading.id_type == "key"
    rows = tables.read(path, "nodes", snapshot.versions["nodes"], ["key" if keyed else "id"])
    return None if keyed else _whole(rows["id"]), rows.num_rows


def _read_nodes(path: Path, snapshot: Snapshot, without: Collection[str]) -> dict[str, Any]:
    version = snapshot.versions["nodes"]
    kind = snapshot.reading.id_type
    left_out = {*without, "id"} if kind == "key" else {*without}
    named = [name for name in ("id", "type", "properties") if name not in left_out]
    rows = tables.read(path, "nodes", version, [*named, *schema.LEARNED["nodes"]])
    out: dict[str, Any] = {"n_nodes": rows.num_rows}
    if "id" in named:
        out["node_ids"] = _whole(rows["id"]).cast(pa.string() if kind == "string" else pa.int64())
    if "type" in named and rows["type"].null_count < rows.num_rows:
        out["node_type"], out["type_names"] = _codes(rows["type"])
    if "properties" in named and rows["properties"].null_count < rows.num_rows:
        out["node_properties"] = _whole(rows["properties"])
    if rows["edge_count"].null_count < rows.num_rows:
        out["metrics"] = NodeMetrics(**{name: rows[name].to_numpy() for name in MEASURES})
    if rows["tier"].null_count < rows.num_rows:
        out["use"] = NodeUse.of_columns(rows.select(list(NEW)))
    return out


def read_node_ids(path: Path, snapshot: Snapshot) -> tuple[pa.Array | None, int]:
    """Ids by key as a graph holds them, None where ids are the keys, and the number of nodes."""
    known, n_nodes = read_ids(path, snapshot)
    if known is not None and snapshot.reading.id_type == "int64":
        known = known.cast(pa.int64())
    return known, n_nodes


def _codes(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """Codes (−1 for null) and names of a dictionary column."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = _whole(column.unify_dictionaries())
    codes = pc.fill_null(whole.indices, -1) if whole.null_count else whole.indices
    return codes.to_numpy().astype(np.int32, copy=False), tuple(whole.dictionary.to_pylist())


def _whole(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
