"""Edges that someone states between nodes that are there."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import check, tables
from hebbgraph.edgelist import DEFAULT_RELATION, UNDATED
from hebbgraph.errors import InputError, NodeNotFoundError
from hebbgraph.graph import Graph
from hebbgraph.ids import shown
from hebbgraph.ingest.ontology import listed, rdf_documents
from hebbgraph.ingest.ontology.checking import edge_violation, refuse
from hebbgraph.ingest.ontology.ends import edge_name, kinds_of, linked_edges
from hebbgraph.ingest.ontology.kept import ontology_of
from hebbgraph.ingest.reports import LinkReport
from hebbgraph.merge import merge
from hebbgraph.snapshots import MEMORY

if TYPE_CHECKING:
    from hebbgraph.store import Store

_KEYS: Final = ("source", "target", "relation", "weight", "properties")
_MARKED: Final = {"linked": True}
_JSON: Final = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, kw_only=True)
class Link:
    """One edge to be: ends by key, weight and properties where they are given."""

    source: int
    target: int
    relation: str
    weight: float | None
    properties: dict[str, Any]
    name: str


def link(store: Store, links: Iterable[Mapping[str, Any]]) -> LinkReport:
    """State edges; see :meth:`hebbgraph.Memory.link_many`."""
    begun = time.perf_counter()
    if tables.is_dataset(store.path):
        raise InputError(f"{store.path}: is a plain Lance data set; append the edges to it")
    parent, base = store.snapshot(), store.graph()
    asked = [_read(base, one, f"link {number}") for number, one in enumerate(links)]
    ontology = ontology_of(parent)
    ends = np.unique(np.array([(one.source, one.target) for one in asked], np.int64))
    kinds = kinds_of(store, parent, base, ends, ontology)
    faults = [
        edge_violation(
            ontology, one.relation, kinds[one.source], kinds[one.target], subject=one.name
        )
        for one in asked
    ]
    refuse((one for one in faults if one is not None), done="nothing was linked")
    # Of several that state one edge the last says how heavy it is and what it says.
    last = list({_identity(base, one): one for one in asked}.values())
    linked, added, updated = with_links(base, last)
    snapshot = parent
    if added or updated:
        snapshot = store.commit(
            linked, base=base, parent=parent, operation="link",
            parameters={"edges": [one.name for one in last[:100]]},
            figures={"added": added, "updated": updated},
        )  # fmt: skip
    return LinkReport(
        snapshot=snapshot.seq, changed=snapshot.id != parent.id,
        seconds=time.perf_counter() - begun, added=added, updated=updated,
        unchanged=len(last) - added - updated, removed=0,
    )  # fmt: skip


def unlink(store: Store, source: str | int, target: str | int, relation: str) -> LinkReport:
    """Take back an edge that was linked; see :meth:`hebbgraph.Memory.unlink`."""
    begun = time.perf_counter()
    parent, base = store.snapshot(), store.graph()
    wanted = _read(base, {"source": source, "target": target, "relation": relation}, "unlink")
    row = _row(base, wanted)
    if row is None or row not in linked_edges(base):
        raise InputError(
            f"unlink: {wanted.name} was not linked; what documents state goes with them"
        )
    left = base.take_edges(np.delete(np.arange(base.n_edges), row))
    left = rdf_documents.stated_again(store, parent, left)
    memory = dict(parent.memory)
    if "cognified" in memory:
        # Text may state the edge too: only stating all anew tells.
        memory["cognified"] = {**memory["cognified"], "corpus": None}
    snapshot = store.commit(
        left, base=base, parent=parent, operation="unlink",
        parameters={"edge": wanted.name} | ({MEMORY: memory} if memory else {}),
        figures={"removed": 1},
    )  # fmt: skip
    return LinkReport(
        snapshot=snapshot.seq, changed=True, seconds=time.perf_counter() - begun,
        added=0, updated=0, unchanged=0, removed=1,
    )  # fmt: skip


def with_links(base: Graph, links: Sequence[Link]) -> tuple[Graph, int, int]:
    """A graph with edges stated in it.

    An edge that is there keeps its weight if it has learned or none is given, and takes the
    properties given beside its own.

    Parameters
    ----------
    links : distinct edges

    Returns
    -------
    graph, how many edges are new, how many of the others are not as they were
    """
    before = [_row(base, one) for one in links]
    fresh = [one for one, row in zip(links, before, strict=True) if row is None]
    graph = base
    if fresh:
        ends = [base.ids_of([getattr(one, name) for one in fresh]) for name in ("source", "target")]
        new = Graph.from_edges(
            *ends, relation=[one.relation for one in fresh], node_ids=base.node_ids,
            directed=base.directed, ids="exact",
        )  # fmt: skip
        graph = merge(base, new)
    rows = np.array([_row(graph, one) for one in links], np.int64)
    texts = pa.nulls(graph.n_edges, pa.string())
    texts = texts if graph.edge_properties is None else graph.edge_properties
    weight = graph.weight.copy()
    said: dict[int, str] = {}
    updated = 0
    for row, one, held in zip(rows.tolist(), links, before, strict=True):
        own = texts[row].as_py()
        kept = {} if held is None or own is None else json.loads(own)
        said[row] = _JSON(_MARKED | kept | one.properties | _MARKED)
        given = 1.0 if one.weight is None and held is None else one.weight
        if given is not None and not _has_learned(graph, row):
            weight[row] = given
        as_it_was = said[row] == own and weight[row] == graph.weight[row]
        updated += int(held is not None and not as_it_was)
    marked = np.zeros(graph.n_edges, np.bool_)
    marked[rows] = True
    values = pa.array([said[row] for row in sorted(said)], pa.string())
    texts = pc.replace_with_mask(texts, pa.array(marked), values)
    return dataclasses.replace(graph, weight=weight, edge_properties=texts), len(fresh), updated


def _read(graph: Graph, entry: Any, where: str) -> Link:
    if not isinstance(entry, Mapping):
        raise InputError(f"{where}: expected a mapping with source and target, came {entry!r}")
    for key in entry:
        if key not in _KEYS:
            raise InputError(f"{where}: no key {listed.one(str(key), _KEYS)}")
    if "source" not in entry or "target" not in entry:
        raise InputError(f"{where}: expected source and target, came {', '.join(entry)}")
    source, target = _key(graph, entry["source"]), _key(graph, entry["target"])
    if source == target:
        raise InputError(f"{where}: {shown(entry['source'])} cannot be linked to itself")
    relation = entry.get("relation") or DEFAULT_RELATION
    if not isinstance(relation, str):
        raise InputError(f"{where}: relation: expected a name, came {relation!r}")
    weight = entry.get("weight")
    properties = entry.get("properties") or {}
    try:
        json.dumps(properties, allow_nan=False)
        if not isinstance(properties, Mapping):
            raise TypeError
    except (TypeError, ValueError):
        raise InputError(
            f"{where}: properties: expected a mapping that JSON can hold, came {properties!r}"
        ) from None
    return Link(
        source=source, target=target, relation=relation,
        weight=None if weight is None else check.number(f"{where}: weight", weight, 0),
        properties=dict(properties), name=edge_name(entry["source"], relation, entry["target"]),
    )  # fmt: skip


def _key(graph: Graph, node: str | int) -> int:
    """The key of a node that is there; what was removed is not, though its id is still known."""
    key = graph.key(node)
    is_typed = graph.node_type is not None and graph.node_type[key] >= 0
    says = graph.node_properties is not None and graph.node_properties[key].is_valid
    archived = graph.use is not None and graph.use.archived_at[key] != UNDATED
    if not (is_typed or says or archived or graph.incident(node).size):
        raise NodeNotFoundError(f"no node {shown(node)}: it was removed; add it again first")
    return key


def _identity(graph: Graph, one: Link) -> tuple[int, int, str]:
    source, target = one.source, one.target
    if not graph.directed and source > target:
        source, target = target, source
    return source, target, one.relation


def _row(graph: Graph, one: Link) -> int | None:
    """Position of an observed edge."""
    source, target, relation = _identity(graph, one)
    if relation not in graph.relation_names:
        return None
    first, last = graph.indptr[source], graph.indptr[source + 1]
    code = graph.relation_names.index(relation)
    found = (graph.indices[first:last] == target) & (graph.relation[first:last] == code)
    at = first + np.flatnonzero(found & ~graph.is_inferred[first:last])
    return int(at[0]) if at.size else None


def _has_learned(graph: Graph, row: int) -> bool:
    moved = [
        times is not None and times[row] != UNDATED
        for times in (graph.updated_at, graph.decayed_at)
    ]
    return bool(graph.co_occurrence_count[row] > 0) or any(moved)
