"""Clusters of nodes, and the table they are kept in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hebbgraph import graph_tables, ids, schema, tables
from hebbgraph.errors import InputError
from hebbgraph.snapshots import Snapshot

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NONE = -1


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Clusters:
    """Groups of strongly connected nodes; no node is in two.

    Clusters stand by size, the largest first.

    Attributes
    ----------
    label : (n_nodes,) int64, id of each node's cluster, −1 where it is in none
    id : (n_clusters,) int64, ≥ 0; stays with a cluster from pass to pass
    name : (n_clusters,) ids of the most central members, joined by commas
    center : (n_clusters,) int64, key of the most central member: the one with most weight to others
    size : (n_clusters,) int64, number of members
    cohesion : (n_clusters,) float64 in (0, 1], share of the members' weight that stays inside
    stability : (n_clusters,) float64 in [0, 1], mean best Jaccard overlap with what other seeds
        found
    next_id : the first id that no cluster has ever had
    node_ids : (n_nodes,) Arrow ids by key; None where ids are the keys
    """

    label: Ints
    id: Ints
    name: tuple[str, ...]
    center: Ints
    size: Ints
    cohesion: Floats
    stability: Floats
    next_id: int
    node_ids: pa.Array | None = None

    def __len__(self) -> int:
        return int(self.id.size)

    def __repr__(self) -> str:
        inside = int(np.count_nonzero(self.label != NONE))
        return f"Clusters({len(self):,} of {inside:,} among {self.label.size:,} nodes)"

    def of(self, node: str | int) -> int | None:
        """Id of the cluster that a node is in; None if it is in none.

        Raises
        ------
        NodeNotFoundError
            no node has that id
        """
        label = int(self.label[ids.key(node, self.node_ids, self.label.size)])
        return None if label == NONE else label

    def keys(self, cluster: int) -> Ints:
        """Keys of the members of a cluster, ascending.

        Raises
        ------
        InputError
            no cluster has that id
        """
        row = self._row.get(cluster)
        if row is None:
            raise InputError(f"no cluster {cluster!r} among {len(self):,}; see `Clusters.id`")
        indptr, members = self._members
        return members[indptr[row] : indptr[row + 1]]

    def members(self, cluster: int) -> list[str | int]:
        """Ids of the members of a cluster, by key."""
        found: list[str | int] = self._ids(self.keys(cluster)).to_pylist()
        return found

    @cached_property
    def _row(self) -> dict[int, int]:
        return {int(one): row for row, one in enumerate(self.id)}

    @cached_property
    def _members(self) -> tuple[Ints, Ints]:
        """CSR of keys by row: ``(indptr, keys)``."""
        inside = np.flatnonzero(self.label != NONE)
        order = np.argsort(self.id)
        row = order[np.searchsorted(self.id, self.label[inside], sorter=order)]
        return np.append(0, np.cumsum(self.size)), inside[np.argsort(row, kind="stable")]

    def _ids(self, keys: Ints) -> pa.Array:
        return pa.array(keys) if self.node_ids is None else self.node_ids.take(pa.array(keys))

    def to_dicts(self) -> list[dict[str, Any]]:
        """One JSON-ready mapping a cluster, with ids of nodes in place of keys."""
        centers = self._ids(self.center).to_pylist()
        return [
            {
                "id": int(self.id[row]), "name": self.name[row], "center": centers[row],
                "size": int(self.size[row]), "cohesion": float(self.cohesion[row]),
                "stability": float(self.stability[row]),
                "members": self.members(int(self.id[row])),
            }
            for row in range(len(self))
        ]  # fmt: skip

    def same(self, other: Clusters) -> bool:
        """Whether both would be stored alike."""
        return bool(self.to_arrow().equals(other.to_arrow()))

    def figures(self) -> dict[str, Any]:
        """The report of finding them; JSON-ready."""
        weight = self.size / max(self.size.sum(), 1)
        return {
            "clusters": len(self),
            "clustered_nodes": int(self.size.sum()),
            "nodes": int(self.label.size),
            "mean_cohesion": float((weight * self.cohesion).sum()),
            "mean_stability": float((weight * self.stability).sum()),
        }

    def to_arrow(self) -> pa.Table:
        """The table ``clusters``: one row a cluster, nodes by their keys."""
        indptr, members = self._members
        return pa.table(
            {
                "id": self.id, "name": pa.array(self.name, pa.string()), "center": self.center,
                "size": self.size, "cohesion": self.cohesion, "stability": self.stability,
                "members": pa.ListArray.from_arrays(pa.array(indptr, pa.int32()), members),
            }
        ).cast(schema.CLUSTERS)  # fmt: skip


def read(path: Path, snapshot: Snapshot) -> Clusters:
    """The clusters that a snapshot names, none if it names no such table."""
    version = snapshot.versions.get("clusters")
    rows = (
        schema.CLUSTERS.empty_table()
        if version is None
        else tables.read(path, "clusters", version, schema.CLUSTERS.names)
    )
    node_ids, n_nodes = graph_tables.read_node_ids(path, snapshot)
    members = rows["members"].combine_chunks()
    label = np.full(n_nodes, NONE, np.int64)
    number, size = rows["id"].to_numpy(), rows["size"].to_numpy()
    label[members.flatten().to_numpy()] = np.repeat(number, size)
    return Clusters(
        label=label, id=number, name=tuple(rows["name"].to_pylist()),
        center=rows["center"].to_numpy(), size=size, cohesion=rows["cohesion"].to_numpy(),
        stability=rows["stability"].to_numpy(), next_id=snapshot.next_cluster, node_ids=node_ids,
    )  # fmt: skip
