"""The ends of linked edges: what kinds of things they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import text_tables
from hebbgraph.ids import shown
from hebbgraph.ingest.ontology.model import Ontology
from hebbgraph.ingest.text_graph import DOCUMENT
from hebbgraph.snapshots import Snapshot
from hebbgraph.statements import ENTITY_MARK, LINK_MARK, begins

if TYPE_CHECKING:
    from hebbgraph.graph import Graph
    from hebbgraph.store import Store

RESOURCE_MARK: Final = '{"rdf": '
"""How the properties of a node begin that an RDF file states."""
CLASSES: Final = "classes"
"""Property of a resource that is of several classes: the names of them all."""
ENTITY: Final = "entity"

Ints = npt.NDArray[np.int64]


def linked_edges(graph: Graph) -> Ints:
    """Positions of the edges that were linked, ascending."""
    return np.flatnonzero(begins(graph.edge_properties, LINK_MARK, graph.n_edges))


def edge_name(source: str | int, relation: str, target: str | int) -> str:
    """An edge for a message."""
    return f"{shown(source)} —{relation}→ {shown(target)}"


def kinds_of(
    store: Store, snapshot: Snapshot, graph: Graph, keys: Ints, ontology: Ontology
) -> dict[int, tuple[str, ...]]:
    """What each node is, by its key: a document is that and of its kind, others are of their type.

    An entity found in text whose type the ontology does not know is an ``entity``; a resource of
    RDF is of all its classes; a node without a type is nothing.
    """
    out: dict[int, tuple[str, ...]] = {}
    nodes = graph.take_nodes(keys)
    types, properties = nodes["node_type"], nodes["node_properties"]
    codes = np.full(keys.size, -1) if types is None else types
    texts = [None] * keys.size if properties is None else properties.to_pylist()
    for key, code, text in zip(keys.tolist(), codes.tolist(), texts, strict=True):
        own = () if code < 0 else (graph.type_names[code],)
        if text is not None and text.startswith(ENTITY_MARK) and not {*own} & {*ontology.types}:
            own = (ENTITY,)
        elif text is not None and text.startswith(RESOURCE_MARK):
            own = tuple(json.loads(text).get(CLASSES, own))
        out[key] = own
    rows = text_tables.read(store.path, snapshot, "documents", ["key", "kind"])
    rows = rows.filter(pc.is_in(rows["key"], value_set=pa.array(keys, pa.int64())))
    for key, kind in zip(rows["key"].to_pylist(), rows["kind"].to_pylist(), strict=True):
        out[key] = (kind, DOCUMENT)
    return out
