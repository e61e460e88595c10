"""What changed between two graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import ids
from hebbgraph.columns import DISCOVERED_BY
from hebbgraph.graph import Graph

KINDS = ("added", "withdrawn", "strengthened", "weakened")


@dataclass(frozen=True)
class SnapshotDiff:
    """Edges that differ from snapshot ``old`` to snapshot ``new``.

    Each is an Arrow table with columns source, target, relation, discovered_by, weight_before
    and weight_after (null where the edge was not there).
    """

    old: int
    new: int
    added: pa.Table
    withdrawn: pa.Table
    strengthened: pa.Table
    weakened: pa.Table

    def __repr__(self) -> str:
        counts = ", ".join(f"{getattr(self, kind).num_rows:,} {kind}" for kind in KINDS)
        return f"SnapshotDiff({self.old} → {self.new}: {counts})"

    def to_dict(self, limit: int | None = None) -> dict[str, Any]:
        """Counts, and the first ``limit`` edges of each kind; JSON-ready."""
        out: dict[str, Any] = {"old": self.old, "new": self.new}
        out["counts"] = {kind: getattr(self, kind).num_rows for kind in KINDS}
        for kind in KINDS:
            table = getattr(self, kind)
            out[kind] = (table if limit is None else table.slice(0, limit)).to_pylist()
        return out


def compare(before: Graph, after: Graph, *, old: int, new: int) -> SnapshotDiff:
    """Compare the edges of two snapshots by (source, target, relation)."""
    names = sorted({*before.relation_names, *after.relation_names})
    key, size = _keys_after(before, after)
    _, in_before, in_after = np.intersect1d(
        _identities(before, names, size, key),
        _identities(after, names, size),
        assume_unique=True,
        return_indices=True,
    )
    gone = np.setdiff1d(np.arange(before.n_edges), in_before, assume_unique=True)
    came = np.setdiff1d(np.arange(after.n_edges), in_after, assume_unique=True)
    change = after.weight[in_after].astype(np.float64) - before.weight[in_before]
    rose, fell = change > 0, change < 0
    return SnapshotDiff(
        old=old,
        new=new,
        added=_table(after, came, None, after.weight[came]),
        withdrawn=_table(before, gone, before.weight[gone], None),
        strengthened=_moved(before, after, in_before[rose], in_after[rose], -change[rose]),
        weakened=_moved(before, after, in_before[fell], in_after[fell], change[fell]),
    )


def _keys_after(before: Graph, after: Graph) -> tuple[npt.NDArray[np.int64] | None, int]:
    """Keys in ``after`` of the nodes of ``before``, and the number of nodes of both together.

    None where keys are the same, as they are unless nodes were forgotten.
    """
    size = max(before.n_nodes, after.n_nodes)
    if before.node_ids is None and after.node_ids is None:
        return None, size
    old, new = ids.unify([graph.ids_of(np.arange(graph.n_nodes)) for graph in (before, after)])
    shared = min(len(old), len(new))
    if old[:shared].equals(new[:shared]):
        return None, size
    key = pc.fill_null(pc.index_in(old, value_set=new), -1).to_numpy().astype(np.int64)
    gone = np.flatnonzero(key < 0)
    key[gone] = after.n_nodes + np.arange(gone.size)
    return key, after.n_nodes + gone.size


def _identities(
    graph: Graph, names: list[str], n_nodes: int, key: npt.NDArray[np.int64] | None = None
) -> npt.NDArray[Any]:
    """One sortable value an edge; exact for any number of nodes.

    ``key`` renames the nodes.
    """
    source, target = graph.source, graph.indices
    if key is not None:
        source, target = key[source], key[target]
    code = np.array([names.index(name) for name in graph.relation_names], np.int64)
    relation = code[graph.relation] if graph.n_edges else np.empty(0, np.int64)
    if n_nodes**2 * max(len(names), 1) < 2**63:
        pair = source.astype(np.int64) * n_nodes + target
        out: npt.NDArray[Any] = pair * max(len(names), 1) + relation
        return out
    parts = np.stack((source, target, relation), axis=1).astype(">i8")
    return parts.view("V24").ravel()


def _moved(
    before: Graph,
    after: Graph,
    old_edges: npt.NDArray[np.int64],
    new_edges: npt.NDArray[np.int64],
    by: npt.NDArray[np.float64],
) -> pa.Table:
    """Edges by how far they moved, most first."""
    order = np.argsort(by, kind="stable")
    old_edges, new_edges = old_edges[order], new_edges[order]
    return _table(after, new_edges, before.weight[old_edges], after.weight[new_edges])


def _table(
    graph: Graph,
    edges: npt.NDArray[np.int64],
    before: npt.NDArray[np.float32] | None,
    after: npt.NDArray[np.float32] | None,
) -> pa.Table:
    names = pa.array(graph.relation_names, pa.string())
    inferred = graph.is_inferred[edges]
    rows = pa.table(
        {
            "source": graph.ids_of(graph.source[edges]),
            "target": graph.ids_of(graph.indices[edges]),
            "relation": names.take(pa.array(graph.relation[edges])),
            "discovered_by": pc.if_else(
                pa.array(inferred), DISCOVERED_BY, pa.scalar(None, pa.string())
            ),
        }
    )
    for name, values in (("weight_before", before), ("weight_after", after)):
        column = pa.nulls(edges.size, pa.float32()) if values is None else pa.array(values)
        rows = rows.append_column(name, column)
    return rows
