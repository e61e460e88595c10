"""What a store holds already, against an ontology that is to come."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from hebbgraph import text_tables
from hebbgraph.ingest.documents import Document
from hebbgraph.ingest.ontology.checking import Violation, edge_violation, node_violations, stated
from hebbgraph.ingest.ontology.ends import edge_name, kinds_of, linked_edges
from hebbgraph.ingest.ontology.model import Ontology
from hebbgraph.ingest.ontology.resources import resource_faults, stated_in
from hebbgraph.snapshots import Snapshot

if TYPE_CHECKING:
    from hebbgraph.graph import Graph
    from hebbgraph.store import Store


def faults(
    store: Store, snapshot: Snapshot, graph: Graph, ontology: Ontology
) -> tuple[Violation, ...]:
    """What of a snapshot an ontology does not allow.

    That is documents of a stated kind, links, and resources with their edges: all that is checked
    when it is added.
    """
    return (
        *_of_documents(store, snapshot, ontology),
        *_of_links(store, snapshot, graph, ontology),
        *resource_faults(ontology, graph, *stated_in(graph)),
    )


def document_name(id: str) -> str:
    """A document for a message."""
    return f'document "{id}"'


def _of_documents(store: Store, snapshot: Snapshot, ontology: Ontology) -> list[Violation]:
    names = ["id", "title", "text", "time", "tags", "source", "kind", "metadata"]
    marked = text_tables.read(store.path, snapshot, "documents", ["metadata"])["metadata"]
    at = pc.indices_nonzero(pc.match_substring(marked, '"kind": '))
    if not len(at):
        return []
    found = []
    for row in text_tables.read(store.path, snapshot, "documents", names).take(at).to_pylist():
        metadata = json.loads(row.pop("metadata"))
        # Else the kind was told by rule.
        if metadata.get("kind") == row["kind"]:
            document = Document(**{**row, "tags": tuple(row["tags"])}, metadata=metadata)
            found += node_violations(
                ontology, document.kind, stated(document), subject=document_name(document.id)
            )
    return found


def _of_links(
    store: Store, snapshot: Snapshot, graph: Graph, ontology: Ontology
) -> list[Violation]:
    at = linked_edges(graph)
    ends = np.unique(np.concatenate([graph.source[at], graph.target[at]]).astype(np.int64))
    kinds = kinds_of(store, snapshot, graph, ends, ontology)
    found = []
    for row in at.tolist():
        source, target = int(graph.source[row]), int(graph.target[row])
        relation = graph.relation_names[graph.relation[row]]
        name = edge_name(graph.id(source), relation, graph.id(target))
        found.append(edge_violation(ontology, relation, kinds[source], kinds[target], subject=name))
    return [one for one in found if one is not None]
