"""Classes, individuals and relations of RDF files as nodes and edges of the graph."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph.graph import Graph
from hebbgraph.ids import shown
from hebbgraph.ingest import text_graph
from hebbgraph.ingest.ontologies import (
    OWL,
    RDF,
    RDFS,
    SKOS,
    SUBCLASS,
    TYPE,
    XSD,
    Triple,
    local_name,
    resources_of,
    triples_of,
)
from hebbgraph.ingest.ontology.checking import (
    Violation,
    edge_violation,
    node_violations,
    with_types,
)
from hebbgraph.ingest.ontology.ends import CLASSES, RESOURCE_MARK, edge_name
from hebbgraph.ingest.ontology.model import Ontology
from hebbgraph.statements import EDGE_MARK, begins, restated

CLASS: Final = "class"
RESOURCE: Final = "resource"
"""Types of classes, and of individuals that are of no class."""
SUFFIX: Final = " (resource)"
"""Ends the id of a resource that a document or passage has too."""
_EDGE_MARK: Final = '{"rdf_evidence": '
_VOCABULARY: Final = (OWL, RDF, RDFS, SKOS, XSD)
_CLASSES: Final = frozenset((f"{OWL}Class", f"{RDFS}Class"))
_NAMED: Final = frozenset(f"{SKOS}{name}" for name in ("Concept", "ConceptScheme", "Collection"))
"""Classes of a vocabulary, which are no nodes: all concepts would be neighbours of one."""
_THINGS: Final = frozenset((
    *_CLASSES, *_NAMED, f"{OWL}NamedIndividual", f"{OWL}Thing", f"{RDFS}Resource",
))  # fmt: skip
_OWN: Final = ("rdf", "name", "description", CLASSES)
Ints = npt.NDArray[np.int64]
_JSON: Final = json.JSONEncoder(ensure_ascii=False).encode


def with_resources(
    graph: Graph, files: Mapping[str, tuple[str, str]], taken: pa.Array
) -> tuple[Graph, Graph]:
    """A graph with what RDF files state, in place of what such files stated before.

    Parameters
    ----------
    files : id of each document to the name of its format and its text
    taken : ids of documents and passages

    Returns
    -------
    that graph, and the one that the files make by themselves
    """
    every: list[Triple] = []
    for name, (syntax, text) in sorted(files.items()):
        every += triples_of(text.encode(), syntax, name, blank=f"_:{name}/")
    new = _graph_of(_content(every), taken)
    masks = np.zeros(graph.n_nodes, np.bool_), np.zeros(graph.n_edges, np.bool_)
    for mask, at in zip(masks, stated_in(graph), strict=True):
        mask[at] = True
    return restated(graph, new, nodes=masks[0], edges=masks[1]), new


def stated_in(graph: Graph) -> tuple[Ints, Ints]:
    """Positions of the nodes, and of the edges, that RDF files stated."""
    nodes = begins(graph.node_properties, RESOURCE_MARK, graph.n_nodes)
    edges = begins(graph.edge_properties, _EDGE_MARK, graph.n_edges)
    return np.flatnonzero(nodes), np.flatnonzero(edges)


def not_in(base: Graph, new: Graph) -> tuple[Ints, Ints]:
    """Positions of the nodes, and of the edges, of ``new`` that ``base`` has not word for word."""
    at = stated_in(base)
    before = {*_node_rows(base, at[0])}, {*_edge_rows(base, at[1])}
    every = (
        _node_rows(new, np.arange(new.n_nodes)),
        _edge_rows(new, np.arange(new.n_edges)),
    )
    nodes, edges = (
        np.array([place for place, row in enumerate(rows) if row not in known], np.int64)
        for rows, known in zip(every, before, strict=True)
    )
    return nodes, edges


def _node_rows(graph: Graph, at: Ints) -> list[tuple[Any, ...]]:
    if not at.size:
        return []
    taken = graph.take_nodes(at)
    # A node that something else described first keeps what that said.
    names = [graph.type_names[code] if code >= 0 else "" for code in taken["node_type"].tolist()]
    texts = taken["node_properties"].to_pylist()
    return list(zip(taken["node_ids"].to_pylist(), names, texts, strict=True))


def _edge_rows(graph: Graph, at: Ints) -> list[tuple[Any, ...]]:
    names = [graph.relation_names[code] for code in graph.relation[at].tolist()]
    ends = (graph.ids_of(end[at]).to_pylist() for end in (graph.source, graph.target))
    return list(zip(*ends, names, strict=True))


def resource_faults(ontology: Ontology, graph: Graph, nodes: Ints, edges: Ints) -> list[Violation]:
    """What resources break that are of classes which the ontology knows.

    Parameters
    ----------
    nodes, edges : positions of those looked at, as RDF files stated them
    """
    found: list[Violation] = []
    for id_, kind, text in _node_rows(graph, nodes):
        said = json.loads(text)
        for own in _known(ontology, said, kind):
            found += node_violations(
                ontology, own, with_types(ontology, own, said), subject=f"resource {shown(id_)}"
            )
    ends = np.unique(np.concatenate([graph.source[edges], graph.target[edges]]).astype(np.int64))
    kinds = {
        id_: _known(ontology, json.loads(text or "{}"), kind)
        for id_, kind, text in _node_rows(graph, ends)
    }
    for source, target, relation in _edge_rows(graph, edges):
        if kinds[source] and kinds[target]:
            fault = edge_violation(
                ontology, relation, kinds[source], kinds[target],
                subject=edge_name(source, relation, target),
            )  # fmt: skip
            found += [] if fault is None else [fault]
    return found


def _known(ontology: Ontology, said: Mapping[str, Any], kind: str) -> list[str]:
    return [one for one in said.get(CLASSES, [kind]) if one in ontology.types]


def _content(triples: Iterable[Triple]) -> list[Triple]:
    """Triples on classes and individuals: without headers, properties, restrictions and lists."""
    listed = list(triples)
    types: dict[str, set[str]] = {}
    for one in listed:
        if one.predicate == TYPE:
            types.setdefault(one.subject, set()).add(one.object)
    structure = {
        subject
        for subject, kinds in types.items()
        if any(kind.startswith(_VOCABULARY) and kind not in _THINGS for kind in kinds)
        or (subject.startswith("_:") and kinds & _CLASSES)
    }
    structure |= {one.subject for one in listed if one.predicate.startswith(f"{RDF}first")}
    return [one for one in listed if not {one.subject, one.object} & structure]


def _graph_of(triples: list[Triple], taken: pa.Array) -> Graph:
    found = resources_of(triples)
    rows = [row for row in found.nodes.to_pylist() if not row["id"].startswith(_VOCABULARY)]
    names = {row["id"]: row["name"] for row in rows}
    kinds: dict[str, set[str]] = {}
    classes: set[str] = set()
    for one in triples:
        if one.predicate == SUBCLASS:
            classes |= {one.subject, one.object}
        elif one.predicate == TYPE and one.object in _CLASSES:
            classes.add(one.subject)
        elif one.predicate == TYPE and one.object in names:
            classes.add(one.object)
            kinds.setdefault(one.subject, set()).add(names[one.object])
        elif one.predicate == TYPE and one.object in _NAMED:
            kinds.setdefault(one.subject, set()).add(local_name(one.object))
    ids = pa.array(list(names), pa.string())
    clash = pc.is_in(ids, value_set=taken)
    nodes = {
        "id": pc.if_else(clash, pc.binary_join_element_wise(ids, SUFFIX, ""), ids),
        "type": pa.array(
            [
                CLASS if id_ in classes else min(kinds.get(id_, ()), default=RESOURCE)
                for id_ in names
            ],
            pa.string(),
        ),
        "properties": pa.array(
            [_properties(row, sorted(kinds.get(row["id"], ()))) for row in rows], pa.string()
        ),
    }
    made = text_graph.graph_of(pa.table(nodes), [_edges_of(found.edges, ids)])
    marked = pc.replace_substring(made.edge_properties, EDGE_MARK, _EDGE_MARK, max_replacements=1)
    return dataclasses.replace(made, edge_properties=marked)


def _properties(row: Mapping[str, Any], classes: list[str]) -> str:
    said: dict[str, Any] = {"rdf": RESOURCE, "name": row["name"]}
    if row["description"]:
        said["description"] = row["description"]
    if len(classes) > 1:
        said[CLASSES] = classes
    literals: dict[str, str] = {}
    for key, text in row["properties"]:
        own = f"{key}_" if key in _OWN else key
        # Predicates of several vocabularies may end alike.
        literals[own] = f"{literals[own]}; {text}" if own in literals else text
    return _JSON(said | literals)


def _edges_of(edges: pa.Table, ids: pa.Array) -> text_graph.Edges:
    ends = [pc.index_in(edges[name], value_set=ids) for name in ("source", "target")]
    kept = pc.and_(ends[0].is_valid(), ends[1].is_valid())
    source, target = (end.filter(kept).to_numpy().astype(np.int64) for end in ends)
    relation = edges["relation"].filter(kept).combine_chunks().dictionary_encode()
    return dataclasses.replace(
        text_graph.edges_of(source, target, ""),
        relation=relation.indices.to_numpy().astype(np.int32),
        names=tuple(relation.dictionary.to_pylist()),
    )
