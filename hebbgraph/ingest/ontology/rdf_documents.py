"""Documents of RDF, and what they state together in the graph of a store."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import text_tables
from hebbgraph.graph import Graph
from hebbgraph.ingest.corpus import rows_of
from hebbgraph.ingest.ontology import checking, resources
from hebbgraph.ingest.ontology.kept import ontology_of
from hebbgraph.snapshots import Snapshot

if TYPE_CHECKING:
    from hebbgraph.store import Store

KEPT: Final = "rdf"
"""Where the formats of RDF documents stand in what a snapshot says of its memory, by their ids."""


def restated(
    store: Store,
    parent: Snapshot,
    graph: Graph,
    new: tuple[pa.Table, pa.Table],
    gone: Collection[str],
    syntaxes: Mapping[str, str],
) -> tuple[Graph, dict[str, str]]:
    """A graph with what all RDF documents state after a change, and their formats.

    What they state is a function of them all: blank nodes aside, two may speak of one resource.

    Parameters
    ----------
    new : rows of the documents that are new or changed, and of their passages
    gone : ids of documents that are not as they were
    syntaxes : of those in `new` that are RDF

    Raises
    ------
    OntologyError
        a resource of a class that the ontology knows is not what it says of it
    """
    before: dict[str, str] = parent.memory.get(KEPT, {})
    rdf = {one: name for one, name in before.items() if one not in gone} | dict(syntaxes)
    changed = [*gone, *new[0]["id"].to_pylist()]
    if not _states_anew(graph, before, rdf, changed):
        return graph, rdf
    whole, stated = _stated(store, parent, graph, rdf, new, gone)
    if syntaxes:
        fresh = resources.not_in(graph, stated)
        faults = resources.resource_faults(ontology_of(parent), stated, *fresh)
        checking.refuse(faults, done=checking.NOTHING_ADDED)
    return whole, rdf


def stated_again(store: Store, parent: Snapshot, graph: Graph) -> Graph:
    """A graph with all that the RDF documents of a snapshot state, whatever it has lost of that."""
    rdf: dict[str, str] = parent.memory.get(KEPT, {})
    empty = rows_of([], node_set=[], max_tokens=16, overlap=0)
    return _stated(store, parent, graph, rdf, empty, ())[0] if rdf else graph


def _stated(
    store: Store,
    parent: Snapshot,
    graph: Graph,
    rdf: Mapping[str, str],
    new: tuple[pa.Table, pa.Table],
    gone: Collection[str],
) -> tuple[Graph, Graph]:
    """The graph, and what the documents state by themselves."""
    files: dict[str, tuple[str, str]] = {}
    wanted = pa.array(list(rdf), pa.string())
    # A changed document comes before the one that it takes the place of.
    for rows in (new[0], text_tables.read(store.path, parent, "documents", ["id", "text"])):
        some = rows.filter(pc.is_in(rows["id"], value_set=wanted))
        for own, text in zip(some["id"].to_pylist(), some["text"].to_pylist(), strict=True):
            files.setdefault(own, (rdf[own], text))
    return resources.with_resources(graph, files, _taken(store, parent, new, gone))


def _states_anew(
    graph: Graph, before: Mapping[str, str], rdf: Mapping[str, str], changed: list[str]
) -> bool:
    """Whether RDF documents change, or others take or leave the id of a resource."""
    if not before and not rdf:
        return False
    if before != rdf or not rdf.keys().isdisjoint(changed):
        return True
    taken = [one for id_ in changed for one in (id_, id_ + resources.SUFFIX)]
    ids = graph.ids_of(resources.stated_in(graph)[0])
    return bool(pc.any(pc.is_in(ids, value_set=pa.array(taken, pa.string()))).as_py())


def _taken(
    store: Store, parent: Snapshot, new: tuple[pa.Table, pa.Table], gone: Collection[str]
) -> pa.Array:
    """Ids of documents and passages after a change."""
    away = pa.array(list(gone), pa.string())
    found = []
    for table, column, rows in zip(("documents", "passages"), ("id", "document"), new, strict=True):
        held = text_tables.read(store.path, parent, table, list(dict.fromkeys(["id", column])))
        held = held.filter(pc.invert(pc.is_in(held[column], value_set=away)))
        found += [*held["id"].chunks, *rows["id"].chunks]
    return pa.chunked_array(found, pa.string()).combine_chunks()
