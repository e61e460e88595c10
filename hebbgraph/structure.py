"""Arrays that a graph is given, checked before anything trusts them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hebbgraph.errors import InputError

if TYPE_CHECKING:
    from hebbgraph.graph import Graph

BLOCK = 1 << 18
"""Edges looked at together: what is worked out about them stays in cache."""

KINDS = {
    "weight": "float32", "relation": "int32", "co_occurrence_count": "int32", "time": "int64",
    "updated_at": "int64", "decayed_at": "int64", "support": "int32", "inferred": "bool",
    "confidence": "float64", "shared_neighbors": "int32", "rank": "float64",
}  # fmt: skip
"""Element type of every edge array."""


def check_shapes(graph: Graph) -> None:
    """Refuse arrays of another type or length than the graph's, and counts below 0.

    Raises
    ------
    InputError
        naming the array
    """
    _check_array("indptr", graph.indptr, ("int64",))
    if not graph.indptr.size:
        raise InputError("indptr: expected the number of nodes and one more, got no element")
    _check_array("indices", graph.indices, ("int32", "int64"))
    edges, nodes = graph.indices.size, graph.indptr.size - 1
    for name, kind in KINDS.items():
        values = getattr(graph, name)
        if values is not None or name in ("weight", "relation", "co_occurrence_count"):
            _check_array(name, values, (kind,), f"for each of {edges:,} edges", edges)
    if edges and graph.co_occurrence_count.min() < 0:
        at = int(np.argmin(graph.co_occurrence_count))
        raise InputError(
            f"co_occurrence_count: expected numbers of at least 0, got "
            f"{graph.co_occurrence_count[at]} at position {at}"
        )
    if graph.node_type is not None:
        each = f"for each of {nodes:,} nodes"
        _check_array("node_type", graph.node_type, ("int32",), each, nodes)
        _check_codes("node_type", graph.node_type, -1, len(graph.type_names))
    if graph.use is not None and graph.use.tier.size != nodes:
        raise InputError(
            f"use: expected one for each of {nodes:,} nodes, got {graph.use.tier.size:,}"
        )
    for name, length, things in (
        ("edge_properties", edges, "edges"), ("node_ids", nodes, "nodes"),
        ("node_properties", nodes, "nodes"),
    ):  # fmt: skip
        column = getattr(graph, name)
        if column is None:
            continue
        if not isinstance(column, pa.Array):
            raise InputError(f"{name}: expected an Arrow array, got {type(column).__name__}")
        if len(column) != length:
            raise InputError(
                f"{name}: expected one for each of {length:,} {things}, got {len(column):,}"
            )


def _check_array(
    name: str, values: Any, kinds: tuple[str, ...], each: str = "", length: int | None = None
) -> None:
    wanted = f"{name}: expected a flat array of {' or '.join(kinds)}"
    if not isinstance(values, np.ndarray) or np.ma.isMaskedArray(values):
        raise InputError(f"{wanted}, got {type(values).__name__}")
    if values.ndim != 1 or values.dtype.name not in kinds:
        raise InputError(f"{wanted}, got {values.dtype} of shape {values.shape}")
    if length is not None and values.size != length:
        raise InputError(f"{name}: expected one {each}, got {values.size:,}")


def _check_codes(name: str, codes: npt.NDArray[Any], low: int, high: int) -> None:
    if codes.size and (codes.min() < low or codes.max() >= high):
        at = int(np.argmax((codes < low) | (codes >= high)))
        raise InputError(
            f"{name}: expected codes from {low} below {high}, got {codes[at]} at position {at}"
        )


def check_rows(graph: Graph) -> None:
    """Refuse anything but canonical CSR: one pass over the edges, in blocks.

    Pointers ascend from 0 to the number of edges; the edges of a node ascend by target, then
    relation; none is a loop, and none stands twice (an observed and an inferred one may).

    Raises
    ------
    InputError
        naming the position of the first edge that is wrong
    """
    indptr, indices = graph.indptr, graph.indices
    nodes, edges = indptr.size - 1, indices.size
    if indptr[0] != 0 or indptr[-1] != edges or bool(np.any(indptr[1:] < indptr[:-1])):
        raise InputError(
            f"indptr: expected numbers ascending from 0 to the number of edges, {edges:,}, "
            f"got {indptr[0]} … {indptr[-1]}"
        )
    if edges and (indices.min() < 0 or indices.max() >= nodes):
        at = int(np.argmax((indices < 0) | (indices >= nodes)))
        raise InputError(
            f"indices: expected node keys from 0 below {nodes:,}, got {indices[at]} "
            f"at position {at}"
        )
    _check_codes("relation", graph.relation, 0, len(graph.relation_names))
    for low in range(0, edges, BLOCK):
        # One edge more, to stand beside the first of the next block.
        _check_block(graph, low, min(low + BLOCK + 1, edges))


def _check_block(graph: Graph, low: int, high: int) -> None:
    indptr, indices = graph.indptr, graph.indices
    first = int(np.searchsorted(indptr, low, side="right")) - 1
    last = int(np.searchsorted(indptr, high, side="left"))
    ends = np.clip(indptr[first : last + 1], low, high)
    source = np.repeat(np.arange(first, last, dtype=indices.dtype), np.diff(ends))
    target = indices[low:high]
    loop = source == target
    if loop.any():
        at = low + int(np.argmax(loop))
        raise InputError(f"indices: expected no loop, got one at node {indices[at]}; drop it")
    # Few targets are no larger than the one before: in a sound graph, those that begin a row.
    here = np.flatnonzero(target[1:] <= target[:-1])
    here = here[source[here] == source[here + 1]]
    if not here.size:
        return
    here += low
    there = here + 1
    if np.any(indices[there] < indices[here]):
        raise _out_of_order(int(there[np.argmax(indices[there] < indices[here])]))
    relation, inferred = graph.relation, graph.inferred
    if np.any(relation[there] < relation[here]):
        raise _out_of_order(int(there[np.argmax(relation[there] < relation[here])]))
    twice = relation[there] == relation[here]
    if inferred is not None:
        twice &= inferred[there] == inferred[here]
    if twice.any():
        raise InputError(
            "indices: expected each (source, target, relation) once, got that at position "
            f"{there[np.argmax(twice)]} again; Graph.from_edges merges them"
        )


def _out_of_order(position: int) -> InputError:
    return InputError(
        f"indices: expected the edges of a node by target, then relation, got position {position} "
        "out of order; Graph.from_edges sorts them"
    )
