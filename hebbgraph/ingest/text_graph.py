"""What a corpus states as a graph: documents, passages, entities and the edges between them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import edgelist
from hebbgraph.columns import row_pointers
from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph
from hebbgraph.ingest import facts, json_columns
from hebbgraph.ingest.extraction import Extraction, grouped
from hebbgraph.ingest.rules.relations import TOGETHER
from hebbgraph.statements import EDGE_MARK, LINK_MARK, begins

DOCUMENT: Final = "document"
PASSAGE: Final = "passage"
PART_OF: Final = "part_of"
MENTIONS: Final = "mentions"
LINKS: Final = "links"
ABOUT: Final = "about"
SUPERSEDES: Final = "supersedes"
SIMILAR: Final = "similar_to"

Ints = npt.NDArray[np.int64]
_JSON: Final = json_columns.ENCODE


@dataclass(frozen=True, kw_only=True)
class Edges:
    """Edges between rows of nodes, each (source, target, relation) once.

    Attributes
    ----------
    source, target : (m,) int64
    relation : (m,) int32, position in ``names``
    names : of the relations
    evidence : (m,) int64, how many places say so
    weight : (m,) float32
    time : (m,) int64 UTC microseconds, the latest of the places; ``UNDATED`` without
    more : row to further properties
    """

    source: Ints
    target: Ints
    relation: npt.NDArray[np.int32]
    names: tuple[str, ...]
    evidence: Ints
    weight: npt.NDArray[np.float32]
    time: Ints
    more: Mapping[int, Mapping[str, Any]]


def edges_of(
    source: Ints,
    target: Ints,
    relation: str,
    *,
    evidence: Ints | None = None,
    weight: npt.NDArray[np.float32] | None = None,
    time: Ints | None = None,
) -> Edges:
    """Edges of one relation, of weight 1, said once and undated unless told otherwise."""
    n = source.size
    return Edges(
        source=source, target=target, relation=np.zeros(n, np.int32), names=(relation,),
        evidence=np.ones(n, np.int64) if evidence is None else evidence,
        weight=np.ones(n, np.float32) if weight is None else weight,
        time=np.full(n, UNDATED) if time is None else time, more={},
    )  # fmt: skip


def structure(documents: pa.Table, passages: pa.Table) -> Graph:
    """Documents, passages, and which is part of which.

    Parameters
    ----------
    documents, passages : columns of :data:`hebbgraph.schema.TABLES`, each passage's document there
    """
    return graph_of(nodes_of(documents, passages), [part_of(documents, passages)])


def nodes_of(documents: pa.Table, passages: pa.Table) -> pa.Table:
    """Nodes of documents, then of passages: id, type, properties."""
    return pa.concat_tables([_named(documents, DOCUMENT), _named(passages, PASSAGE)])


def _named(rows: pa.Table, kind: str) -> pa.Table:
    begin = f'{{"text": "{kind}", "title": '
    titles = json_columns.strings(_whole(rows["title"]))
    return _nodes(
        _whole(rows["id"]), [kind] * rows.num_rows, json_columns.joined(begin, titles, "}")
    )


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _nodes(ids: Any, types: Any, properties: Any) -> pa.Table:
    columns = {"id": ids, "type": types, "properties": properties}
    return pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})


def part_of(documents: pa.Table, passages: pa.Table) -> Edges:
    """Each passage is part of its document; dated as it."""
    size = documents.num_rows
    return edges_of(
        size + np.arange(passages.num_rows), document_rows(documents, passages), PART_OF,
        time=microseconds(passages["time"]),
    )  # fmt: skip


def about(found: Extraction, first_entity: int) -> Edges:
    """Each document is about the entity that its title names.

    Parameters
    ----------
    first_entity : its row among the nodes, documents being the first of them
    """
    titled = np.flatnonzero(found.title_entities >= 0)
    return edges_of(titled, first_entity + found.title_entities[titled], ABOUT)


def document_rows(documents: pa.Table, passages: pa.Table) -> Ints:
    """Row of each passage's document."""
    ids = documents["id"].combine_chunks()
    found: Ints = pc.index_in(passages["document"], value_set=ids).to_numpy().astype(np.int64)
    return found


def microseconds(times: pa.ChunkedArray) -> Ints:
    """Times as UTC microseconds, ``UNDATED`` where there is none."""
    values: Ints = pc.fill_null(times.cast(pa.int64()), UNDATED).to_numpy()
    return values


def entity_nodes(found: Extraction, taken: pa.Array) -> pa.Table:
    """Nodes of entities; ids are their keys, marked where a document or passage has that id."""
    keys, names, aliases, types, significance = (
        _whole(found.entities[name]) for name in ("key", "name", "aliases", "type", "significance")
    )
    clash = pc.is_in(keys, value_set=taken)
    ids = pc.if_else(clash, json_columns.joined(keys, " (entity)"), keys)
    others = json_columns.joined(', "aliases": ', json_columns.lists(aliases))
    levels = significance.dictionary_encode()
    rounded = pa.array([_JSON(round(one, 3)) for one in levels.dictionary.to_pylist()], pa.string())
    properties = json_columns.joined(
        '{"text": "entity", "name": ', json_columns.strings(names),
        pc.if_else(pc.greater(pc.list_value_length(aliases), 0), others, ""),
        ', "count": ', _whole(found.entities["count"]).cast(pa.string()),
        ', "documents": ', _whole(found.entities["documents"]).cast(pa.string()),
        ', "significance": ', rounded.take(levels.indices),
        pc.if_else(_whole(found.entities["hub"]), ', "hub": true', ""), "}",
    )  # fmt: skip
    return _nodes(ids, types, properties)


def pass_options(graph: Graph) -> dict[str, Any]:
    """What passes over a graph made of text do by default: they join no document or passage.

    A passage and an entity share neighbours and are no association.  Where nodes of no type have
    edges, which `node_types` cannot name, all may be joined; links alone, which outlive an entity
    that is no longer found, are no reason.
    """
    types = graph.node_type
    if types is None:
        return {}
    untyped = (types[graph.source] < 0) | (types[graph.target] < 0)
    if bool((untyped & ~begins(graph.edge_properties, LINK_MARK, graph.n_edges)).any()):
        return {}
    used = {graph.type_names[code] for code in np.unique(types[types >= 0]).tolist()}
    listed = sorted(used - {DOCUMENT, PASSAGE})
    return {"node_types": listed} if listed else {}


def extracted_edges(
    found: Extraction, documents: pa.Table, passages: pa.Table, *, functional: Collection[str] = ()
) -> list[Edges]:
    """Edges between rows of documents, then passages, then entities.

    Relations that only say that two things stand in one sentence are left out: that both are
    mentioned by one passage says it already.

    Parameters
    ----------
    functional : relations of which a subject has one object at a time

    Returns
    -------
    mentions, links, relations, supersedes
    """
    n_documents = documents.num_rows
    time = microseconds(passages["time"])
    passage, entity = _ints(found.mentions, "passage"), _ints(found.mentions, "entity")
    mentions = edges_of(
        n_documents + passage, n_documents + passages.num_rows + entity, MENTIONS,
        evidence=_ints(found.mentions, "count"), time=time[passage],
    )  # fmt: skip
    passage, document = _ints(found.links, "passage"), _ints(found.links, "document")
    place, group = distinct(passage, document)
    links = edges_of(
        n_documents + passage[place], document[place], LINKS, time=time[passage[place]],
        evidence=_sums(group, _ints(found.links, "count"), place.size),
    )  # fmt: skip
    stated = _relations(found, n_documents, passages["id"], time, functional)
    return [mentions, links, *stated]


def _relations(
    found: Extraction,
    n_documents: int,
    passage_ids: pa.ChunkedArray,
    time: Ints,
    functional: Collection[str],
) -> tuple[Edges, Edges]:
    said = found.relations.filter(pc.not_equal(found.relations["predicate"], TOGETHER))
    names = sorted(set(said["predicate"].to_pylist()))
    code = pc.index_in(said["predicate"], value_set=pa.array(names, pa.string()))
    predicate = code.to_numpy().astype(np.int64)
    passage = _ints(said, "passage")
    subject, object_ = _ints(said, "subject"), _ints(said, "object")
    place, group = distinct(subject, object_, predicate)
    latest = np.full(place.size, UNDATED)
    np.maximum.at(latest, group, time[passage])
    more, newer, older = facts.validity(
        group, subject[place], predicate[place], time=time[passage], passage=passage,
        functional=[number for number, name in enumerate(names) if name in functional],
    )  # fmt: skip
    told = _tellers(group, passage, passage_ids)
    more = {own: {"passages": by} | more.get(own, {}) for own, by in enumerate(told)}
    first_entity = n_documents + time.size
    relations = Edges(
        source=first_entity + subject[place], target=first_entity + object_[place],
        relation=predicate[place].astype(np.int32), names=tuple(names),
        evidence=_sums(group, _ints(said, "count"), place.size),
        weight=np.ones(place.size, np.float32), time=latest, more=more,
    )  # fmt: skip
    supersedes = edges_of(n_documents + newer, n_documents + older, SUPERSEDES, time=time[newer])
    return relations, supersedes


def _tellers(group: Ints, passage: Ints, ids: pa.ChunkedArray) -> list[list[str]]:
    """Ids of the passages that state each fact, in their order."""
    order = np.lexsort((passage, group))
    listed = ids.take(pa.array(passage[order])).to_pylist()
    ends = np.cumsum(np.bincount(group)).tolist() if group.size else []
    return [listed[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def _ints(table: pa.Table, name: str) -> Ints:
    values: Ints = table[name].to_numpy().astype(np.int64)
    return values


def _sums(group: Ints, values: Ints, size: int) -> Ints:
    sums = np.zeros(size, np.int64)
    np.add.at(sums, group, values)
    return sums


def distinct(*keys: Ints) -> tuple[Ints, Ints]:
    """The first row of every distinct combination, in order of the keys, and each row's group."""
    place, count = grouped(*keys)
    order = np.lexsort(keys[::-1])
    group = np.empty(order.size, np.int64)
    group[order] = np.repeat(np.arange(place.size), count)
    return place, group


def graph_of(nodes: pa.Table, groups: Sequence[Edges]) -> Graph:
    """A graph of nodes with types and properties, and of edges between their rows.

    Weights stand as given; `EDGE_MARK` begins the properties of every edge.
    """
    names = sorted({name for one in groups for name in one.names})
    relation = np.concatenate([
        np.array([names.index(name) for name in one.names] or [0], np.int32)[one.relation]
        for one in groups
    ])  # fmt: skip
    time = np.concatenate([one.time for one in groups])
    n_nodes = nodes.num_rows
    edges = edgelist.canonicalise(
        np.concatenate([one.source for one in groups]).astype(np.int64),
        np.concatenate([one.target for one in groups]).astype(np.int64),
        relation, n_nodes=n_nodes, n_relations=len(names), directed=True,
    )  # fmt: skip
    row = edges.row
    relation, names_used = edgelist.tidy_relations(edges.relation, tuple(names))
    types = nodes["type"].combine_chunks().dictionary_encode()
    return Graph(
        indptr=row_pointers(edges.source, n_nodes),
        indices=edges.target.astype(edgelist.index_dtype(n_nodes)),
        weight=np.concatenate([one.weight for one in groups]).astype(np.float32)[row],
        relation=relation,
        relation_names=names_used,
        co_occurrence_count=np.zeros(row.size, np.int32),
        time=None if (time == UNDATED).all() else time[row],
        edge_properties=pa.concat_arrays([_properties(one) for one in groups]).take(pa.array(row)),
        node_ids=nodes["id"].combine_chunks(),
        node_type=types.indices.to_numpy().astype(np.int32),
        type_names=tuple(types.dictionary.to_pylist()),
        node_properties=nodes["properties"].combine_chunks(),
    )


def _properties(edges: Edges) -> pa.Array:
    counts, row = np.unique(edges.evidence, return_inverse=True)
    texts = pa.array([f"{EDGE_MARK}{count}}}" for count in counts.tolist()], pa.string())
    column = texts.take(pa.array(row))
    if not edges.more:
        return column
    listed = column.to_pylist()
    for place, more in edges.more.items():
        said = _JSON(more)
        listed[place] = f"{listed[place][:-1]}, {said[1:]}"
    return pa.array(listed, pa.string())
