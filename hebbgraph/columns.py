"""Columns of a graph: from what a user passes to aligned arrays, and to Arrow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import edgelist
from hebbgraph.edgelist import UNDATED, IdPolicy
from hebbgraph.errors import InputError
from hebbgraph.schema import TIME
from hebbgraph.times import parse_times

Ints = npt.NDArray[Any]
DISCOVERED_BY = "shared_neighbors"


@dataclass(frozen=True, kw_only=True)
class NodeMetrics:
    """What a pass measured at every node; arrays of length n_nodes.

    Attributes
    ----------
    average_edge_weight : float32, mean weight of incident edges, 0 where there are none
    edge_count : int64, incident edges, observed and inferred
    connection_diversity : int32, distinct relations among them
    activation_level : float32, mean(w)/w_max·exp(−Δt/τ)
    plasticity_score : float32, activation·(1 + average_edge_weight/10) + min(diversity/10, 0.5)
    """

    average_edge_weight: npt.NDArray[np.float32]
    edge_count: npt.NDArray[np.int64]
    connection_diversity: npt.NDArray[np.int32]
    activation_level: npt.NDArray[np.float32]
    plasticity_score: npt.NDArray[np.float32]


EDGE_ARRAYS = (
    "weight", "relation", "co_occurrence_count", "time", "updated_at",
    "decayed_at", "inferred", "confidence", "shared_neighbors", "rank",
)  # fmt: skip


def row_pointers(source: Ints, n_nodes: int) -> npt.NDArray[np.int64]:
    """CSR ``indptr`` of edges sorted by source: (n_nodes + 1,) int64."""
    out = np.zeros(n_nodes + 1, np.int64)
    np.cumsum(np.bincount(source, minlength=n_nodes), out=out[1:])
    return out


def time_column(values: npt.NDArray[np.int64] | None, rows: int) -> pa.Array:
    """Microseconds as an Arrow timestamp column; undated is null."""
    if values is None:
        return pa.nulls(rows, TIME)
    return pa.array(values, mask=values == UNDATED).cast(TIME)


def time_values(column: Any) -> npt.NDArray[np.int64] | None:
    """Inverse of :func:`time_column`; None where every value is null."""
    if column.null_count == len(column):
        return None
    values: npt.NDArray[np.int64] = pc.fill_null(column.cast(pa.int64()), UNDATED).to_numpy()
    return values


def inferred_column(
    values: npt.NDArray[Any] | None, inferred: npt.NDArray[np.bool_], kind: pa.DataType
) -> pa.Array:
    """A column that only inferred edges have; null at observed ones."""
    if values is None:
        return pa.nulls(inferred.size, kind)
    return pa.array(values, kind, mask=~inferred)


def build(
    columns: Mapping[str, Any],
    *,
    node_ids: Any | None,
    integers_are_keys: bool,
    directed: bool,
    ids: IdPolicy,
    where: Callable[[int], str],
) -> dict[str, Any]:
    """Arguments of :class:`~hebbgraph.graph.Graph` from columns as a user passes them."""
    source, target, known, n_nodes = edgelist.keys_of(
        columns["source"], columns["target"], node_ids=node_ids,
        integers_are_keys=integers_are_keys, id_policy=ids, where=where,
    )  # fmt: skip
    rows = source.size
    codes, names = edgelist.relation_codes(columns.get("relation"), rows, where=where)
    learned = "co_occurrence_count" in columns
    weight = edgelist.weights(
        columns.get("weight"), rows, lowest=-2.0 if learned else 0.0, where=where
    )
    edges = edgelist.canonicalise(
        source, target, codes, n_nodes=n_nodes, n_relations=len(names), directed=directed
    )
    time = _times(columns.get("time"), "time", rows, where)
    extra = _learned_columns(columns, edges.row, where) if learned else {}
    properties = columns.get("properties")
    return dict(
        indptr=row_pointers(edges.source, n_nodes),
        indices=edges.target.astype(edgelist.index_dtype(n_nodes)),
        weight=edges.latest(weight),
        relation=edges.relation,
        relation_names=names,
        time=None if time is None else edges.latest(time),
        edge_properties=None if properties is None else _properties(properties, edges),
        node_ids=known,
        directed=directed,
        duplicates=edges.duplicates,
        self_loops=edges.self_loops,
        **{"co_occurrence_count": np.zeros(edges.source.size, np.int32), **extra},
    )


def _times(
    values: Any | None, name: str, rows: int, where: Callable[[int], str]
) -> npt.NDArray[np.int64] | None:
    if values is None:
        return None
    if isinstance(values, pa.Array | pa.ChunkedArray):
        column = values
    else:
        try:
            column = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise InputError(
                f"{name}: expected datetimes, ISO 8601 text or epoch numbers of one kind, got a "
                f"mixture ({str(error).splitlines()[0]})"
            ) from None
    if len(column) != rows:
        raise InputError(f"expected a {name} for each of {rows:,} edges, got {len(column):,}")
    return time_values(parse_times(column, name=name, where=where))


def _properties(column: Any, edges: edgelist.CanonicalEdges) -> pa.Array | None:
    """Of merged rows the one whose text sorts first, whatever the order of rows."""
    if not edges.duplicates:
        return _strings(column, edges.row)
    text = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    place = np.empty(len(text), np.int64)
    place[pc.sort_indices(text).to_numpy()] = np.arange(len(text))
    first = np.minimum.reduceat(place[edges.order], edges.group) if edges.group.size else edges.row
    row = np.empty_like(place)
    row[place] = np.arange(place.size)
    return _strings(column, row[first])


def _strings(column: Any, rows: npt.NDArray[np.int64]) -> pa.Array | None:
    if column.null_count == len(column):
        return None
    taken = column.take(pa.array(rows)).cast(pa.string())
    return pa.concat_arrays(taken.chunks) if isinstance(taken, pa.ChunkedArray) else taken


def _learned_columns(
    columns: Mapping[str, Any], rows: npt.NDArray[np.int64], where: Callable[[int], str]
) -> dict[str, Any]:
    """Edge arrays of an exported table, which carry what earlier passes learned."""

    def numbers(name: str, kind: pa.DataType, default: float) -> npt.NDArray[Any]:
        column = columns.get(name)
        if column is None:
            return np.full(rows.size, default, kind.to_pandas_dtype())
        values: npt.NDArray[Any] = pc.fill_null(column.cast(kind), default).to_numpy()
        return values[rows]

    out: dict[str, Any] = {"co_occurrence_count": numbers("co_occurrence_count", pa.int32(), 0)}
    for name in ("updated_at", "decayed_at"):
        times = _times(columns.get(name), name, len(columns["source"]), where)
        out[name] = None if times is None else times[rows]
    found_by = columns.get("discovered_by")
    if found_by is not None and found_by.null_count < len(found_by):
        inferred = pc.is_valid(found_by).to_numpy(zero_copy_only=False)[rows]
        out |= {
            "inferred": inferred,
            "confidence": numbers("confidence", pa.float64(), np.nan),
            "shared_neighbors": numbers("shared_neighbors", pa.int32(), 0),
            "rank": numbers("rank", pa.float64(), np.nan),
        }
    return out
