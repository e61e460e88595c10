"""How one node and its edges moved from snapshot to snapshot."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hebbgraph import graph_tables, ids, tables
from hebbgraph.snapshots import Snapshot

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_EDGE_COLUMNS = ("source", "target", "relation", "discovered_by", "weight")


@dataclass(frozen=True, kw_only=True, eq=False)
class EdgeHistory:
    """One edge at the node.

    Attributes
    ----------
    source, target, relation : its identity
    inferred : whether discovery made it
    weight : (n_snapshots,) float64, NaN where the edge was not there or cannot be read
    """

    source: str | int
    target: str | int
    relation: str
    inferred: bool
    weight: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class NodeHistory:
    """A node over the snapshots of a store, oldest first.

    Attributes
    ----------
    node : its id
    snapshots : (n_snapshots,) int64, their numbers
    created_at : (n_snapshots,) when they were committed, UTC
    readable : (n_snapshots,) bool, False where the snapshot's tables are gone
    present : (n_snapshots,) bool, whether the node was there; False where not readable
    activation : (n_snapshots,) float64, the pass's ``activation_level``; NaN where the node was
        not there or not yet measured
    mean_weight : (n_snapshots,) float64, mean weight of incident edges; NaN where there were none
    edge_count : (n_snapshots,) int64, incident edges, observed and inferred
    edges : the strongest edges by their last known weight, strongest first
    edges_seen : how many edges the node ever had
    """

    node: str | int
    snapshots: Ints
    created_at: tuple[datetime, ...]
    readable: Bools
    present: Bools
    activation: Floats
    mean_weight: Floats
    edge_count: Ints
    edges: tuple[EdgeHistory, ...]
    edges_seen: int

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; null where an array has NaN."""
        return {
            "node": self.node,
            "snapshots": self.snapshots.tolist(),
            "created_at": [moment.isoformat() for moment in self.created_at],
            "readable": self.readable.tolist(),
            "present": self.present.tolist(),
            "activation": _nullable(self.activation),
            "mean_weight": _nullable(self.mean_weight),
            "edge_count": self.edge_count.tolist(),
            "edges_seen": self.edges_seen,
            "edges": [
                {
                    "source": edge.source, "target": edge.target, "relation": edge.relation,
                    "inferred": edge.inferred, "weight": _nullable(edge.weight),
                }
                for edge in self.edges
            ],
        }  # fmt: skip


def read(path: Path, history: Sequence[Snapshot], node: str | int, limit: int) -> NodeHistory:
    """The history of a node; of its edges, the ``limit`` strongest.

    Of every snapshot only the rows at the node are read, and of versions that snapshots share,
    once.  Snapshots before nodes were last forgotten are not readable: their keys are others.

    Raises
    ------
    NodeNotFoundError
        the newest snapshot has no such node
    """
    newest = history[-1]
    key = _key(path, newest, node)
    nodes = _each(
        path, history, "nodes",
        lambda version: tables.select(path, "nodes", version, ["activation_level"], f"key = {key}"),
    )  # fmt: skip
    edges = _each(
        path, history, "edges",
        lambda version: tables.select(
            path, "edges", version, _EDGE_COLUMNS, f"source = {key} or target = {key}"
        ),
    )  # fmt: skip
    readable = np.array([one is not None and other is not None for one, other in zip(nodes, edges,
                         strict=True)])  # fmt: skip
    present = np.array([bool(rows is not None and rows.num_rows) for rows in nodes]) & readable
    activation = np.full(len(history), np.nan)
    weights = np.full((len(history), 2), np.nan)  # mean, count
    seen: dict[tuple[int, int, str], Floats] = {}
    inferred: dict[tuple[int, int, str], bool] = {}
    for at, (rows, around) in enumerate(zip(nodes, edges, strict=True)):
        if rows is not None and rows.num_rows:
            level = rows["activation_level"][0].as_py()
            activation[at] = np.nan if level is None else level
        if around is None:
            continue
        weight = around["weight"].to_numpy()
        weights[at] = weight.mean(dtype=np.float64) if weight.size else np.nan, weight.size
        for row in around.to_pylist():
            edge = (row["source"], row["target"], row["relation"])
            seen.setdefault(edge, np.full(len(history), np.nan))[at] = row["weight"]
            inferred[edge] = row["discovered_by"] is not None
    strongest = sorted(seen, key=lambda edge: (-_last(seen[edge]), edge))[:limit]
    names = _names(path, newest, {end for edge in strongest for end in edge[:2]} | {key})
    return NodeHistory(
        node=names[key],
        snapshots=np.array([one.seq for one in history], np.int64),
        created_at=tuple(one.created_at for one in history),
        readable=readable,
        present=present,
        activation=activation,
        mean_weight=weights[:, 0],
        edge_count=np.nan_to_num(weights[:, 1]).astype(np.int64),
        edges=tuple(
            EdgeHistory(
                source=names[edge[0]], target=names[edge[1]], relation=edge[2],
                inferred=inferred[edge], weight=seen[edge],
            )
            for edge in strongest
        ),
        edges_seen=len(seen),
    )  # fmt: skip


def _each(
    path: Path, history: Sequence[Snapshot], table: str, rows: Callable[[int], pa.Table]
) -> list[pa.Table | None]:
    """What each snapshot's version of a table gives; None where the version is gone."""
    there = tables.versions(path, table)
    moved = max((at for at, one in enumerate(history) if one.operation == "forget"), default=0)
    wanted = {one.versions[table] for one in history[moved:]} & there
    found = {version: rows(version) for version in sorted(wanted)}
    return [
        found.get(one.versions[table]) if at >= moved else None for at, one in enumerate(history)
    ]


def _key(path: Path, snapshot: Snapshot, node: str | int) -> int:
    """Key of a node; ids are read whole only for one that is not found."""
    if snapshot.reading.id_type != "key":
        text = str(node).replace("'", "''")
        version = snapshot.versions["nodes"]
        found = tables.select(path, "nodes", version, ["key"], f"id = '{text}'")
        if found.num_rows:
            return int(found["key"][0].as_py())
    return ids.key(node, *graph_tables.read_node_ids(path, snapshot))


def _names(path: Path, snapshot: Snapshot, keys: set[int]) -> dict[int, str | int]:
    if snapshot.reading.id_type == "key":
        return {key: key for key in keys}
    listed = ", ".join(map(str, sorted(keys)))
    rows = tables.select(
        path, "nodes", snapshot.versions["nodes"], ["key", "id"], f"key in ({listed})"
    )
    integers = snapshot.reading.id_type == "int64"
    return {
        row["key"]: int(row["id"]) if integers else row["id"] for row in rows.to_pylist()
    }  # fmt: skip


def _last(values: Floats) -> float:
    """The last known value."""
    return float(values[~np.isnan(values)][-1])


def _nullable(values: Floats) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]
