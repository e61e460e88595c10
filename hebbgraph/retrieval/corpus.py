"""What search reads: passages, their text index and vectors, and what joins them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hebbgraph.errors import InputError
from hebbgraph.graph import Graph
from hebbgraph.ingest import text_graph
from hebbgraph.ingest.rules.titles import base_title
from hebbgraph.retrieval.bm25 import TextIndex, text_index
from hebbgraph.retrieval.joins import Joins, Statements, both_ways, joined, joins
from hebbgraph.retrieval.naming import Names, names_of
from hebbgraph.retrieval.periods import Years, years_of
from hebbgraph.rowwise import Values, several
from hebbgraph.statements import ENTITY_MARK, NODE_MARK

if TYPE_CHECKING:
    from hebbgraph.ingest.documents import Document
    from hebbgraph.ingest.extraction import Extraction
    from hebbgraph.ingest.passages import Passage

__all__ = ["Corpus", "Joins", "NodeNames", "Texts", "corpus", "corpus_of", "joins", "node_names"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Texts:
    """Documents and passages as search reads them.

    Passages are rows 0, 1, …; those of one document stand together, in the order of documents.

    Attributes
    ----------
    document_ids, titles : (d,)
    document_keys : (d,) int64, node of each document
    document_kinds : (d,) what each is, empty where nothing tells
    passage_ids, texts : (n,)
    passage_keys : (n,) int64, node of each passage
    document : (n,) int64, row of the document of each passage
    text : of titles and texts
    years : that the texts say
    title_names : rows of documents by what their titles call them
    """

    document_ids: Sequence[str]
    titles: Sequence[str]
    document_keys: Ints
    document_kinds: Sequence[str]
    passage_ids: Sequence[str]
    texts: Sequence[str]
    passage_keys: Ints
    document: Ints
    text: TextIndex
    years: Years
    title_names: Names


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NodeNames:
    """What nodes are called.

    Attributes
    ----------
    name : (n_nodes,) Arrow strings, null at documents and passages
    keys : nodes by their names and aliases
    """

    name: Any
    keys: Names


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Corpus:
    """Everything that a search reads, unchanging; texts may lie on disk.

    Passages are rows 0, 1, …; those of one document stand together.

    Attributes
    ----------
    passage_ids, texts : (n,)
    document : (n,) int64, row of the document of each passage
    document_ids, titles : (d,)
    text : of titles and texts
    years : that the texts say
    vectors : (n, dimensions) float32 of length 1, or None
    links : passage to documents whose titles it says, or that it links to
    mentions, mentioned_in : passage to entities and back
    relations : entity to entities, what is stated of both, or what use or discovery has joined;
        both ways
    associations : passage to passages, what learning joined; both ways
    entity_names : (e,)
    statements : what is stated of entities, and by which passages
    title_names, entities : names that a query may say, of documents and of entities
    first : (d + 1,) int64, the first passage of each document
    told : (d,) int64, passages with a link to each document
    """

    passage_ids: Sequence[str]
    texts: Sequence[str]
    document: Ints
    document_ids: Sequence[str]
    titles: Sequence[str]
    text: TextIndex
    years: Years
    vectors: Floats | None
    links: Joins
    mentions: Joins
    mentioned_in: Joins
    relations: Joins
    associations: Joins
    entity_names: Sequence[str]
    statements: Statements
    title_names: Names
    entities: Names
    first: Ints = field(init=False)
    told: Ints = field(init=False)

    def __post_init__(self) -> None:
        n_documents = len(self.document_ids)
        if (np.diff(self.document) < 0).any():
            raise InputError("document: expected each document's passages together, in its order")
        first = np.searchsorted(self.document, np.arange(n_documents + 1)).astype(np.int64)
        object.__setattr__(self, "first", first)
        told = np.bincount(self.links.target, minlength=n_documents).astype(np.int64)
        object.__setattr__(self, "told", told)

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Passage id to row."""
        return {name: row for row, name in enumerate(self.passage_ids)}

    def __len__(self) -> int:
        return len(self.passage_ids)

    def __repr__(self) -> str:
        return (
            f"Corpus({len(self):,} passages, {len(self.document_ids):,} documents, "
            f"{len(self.entity_names):,} entities)"
        )

    def learned(self, source: Any, target: Any, weight: Any) -> Corpus:
        """The corpus with these associations of passages, in place of those it has.

        Parameters
        ----------
        source, target : (m,) rows of passages, each pair once
        weight : (m,) numbers; below 0 keeps the two apart
        """
        both = both_ways(
            np.asarray(source, np.int64), np.asarray(target, np.int64), weight, n_rows=len(self)
        )
        return replace(self, associations=both)

    def stated(self, row: int) -> list[tuple[str, str, str]]:
        """Subject, predicate and object, names all three, of what a passage states."""
        said = self.statements.of(self.passage_ids[row], self.mentions.of(row)[0])
        ends = [entity for one, _, other in said for entity in (one, other)]
        names = iter(several(self.entity_names, ends))
        return [(next(names), predicate, next(names)) for _, predicate, _ in said]


def corpus_of(
    graph: Graph,
    texts: Texts,
    names: NodeNames,
    *,
    properties: Sequence[str | None],
    vectors: Floats | None,
) -> Corpus:
    """Make a graph of text, with what it has learned, ready for search.

    Parameters
    ----------
    properties : of the graph's edges
    vectors : (n, dimensions) float32 of length 1, one a passage, or None
    """
    found = joined(
        graph, document_keys=texts.document_keys, passage_keys=texts.passage_keys,
        document=texts.document, properties=properties,
    )  # fmt: skip
    return Corpus(
        passage_ids=texts.passage_ids,
        texts=texts.texts,
        document=texts.document,
        document_ids=texts.document_ids,
        titles=texts.titles,
        text=texts.text,
        years=texts.years,
        vectors=vectors,
        links=found.links,
        mentions=found.mentions,
        mentioned_in=found.mentioned_in,
        relations=found.relations,
        associations=found.associations,
        entity_names=Values(names.name, found.entity_keys),
        statements=found.statements,
        title_names=texts.title_names,
        entities=replace(names.keys, row=found.entity_row),
    )


def corpus(
    documents: Sequence[Document],
    passages: Sequence[Passage],
    found: Extraction,
    *,
    vectors: npt.NDArray[np.float32] | None = None,
    links: Any | None = None,
) -> Corpus:
    """Make passages and what was found in them ready for search.

    Parameters
    ----------
    documents, passages, found : as :func:`hebbgraph.ingest.rules.extract.extract` takes and makes
        them, the passages in the order of the documents
    vectors : (n, dimensions) float32 of length 1, one a passage
    links : more links of the schema ``LINKS``, as of another extraction

    Raises
    ------
    InputError
        passages are not in the order of documents, or there are more or fewer vectors
    """
    n = len(passages)
    if vectors is not None and len(vectors) != n:
        raise InputError(f"vectors: expected {n:,}, one a passage, got {len(vectors):,}")
    if links is not None:
        found = replace(found, links=pa.concat_tables([found.links, links]))
    titles = [one.title for one in documents]
    row = {one.id: number for number, one in enumerate(documents)}
    document = np.fromiter((row[one.document] for one in passages), np.int64, n)
    listed = pa.table({
        "id": pa.array([one.id for one in documents], pa.string()),
        "title": pa.array(titles, pa.string()),
    })  # fmt: skip
    cut = pa.table({
        "id": pa.array([one.id for one in passages], pa.string()),
        "title": pa.array([titles[at] for at in document.tolist()], pa.string()),
        "time": pa.nulls(n, pa.timestamp("us", tz="UTC")),
    })  # fmt: skip
    nodes = text_graph.nodes_of(listed, cut)
    nodes = pa.concat_tables([nodes, text_graph.entity_nodes(found, nodes["id"].combine_chunks())])
    edges = text_graph.extracted_edges(found, listed, cut)
    edges.append(text_graph.about(found, len(documents) + n))
    graph = text_graph.graph_of(nodes, edges)
    assert graph.edge_properties is not None
    texts = Texts(
        document_ids=[one.id for one in documents], titles=titles,
        document_keys=np.arange(len(documents)),
        document_kinds=[one.kind for one in documents], passage_ids=[one.id for one in passages],
        texts=[one.text for one in passages], passage_keys=len(documents) + np.arange(n),
        document=document, text=titled_index(titles, document, [one.text for one in passages]),
        years=years_of(one.text for one in passages), title_names=title_names(titles),
    )  # fmt: skip
    return corpus_of(
        graph, texts, node_names(nodes["id"], nodes["properties"]),
        properties=Values(graph.edge_properties), vectors=vectors,
    )  # fmt: skip


def titled_index(titles: Sequence[str], document: Ints, texts: Iterable[str]) -> TextIndex:
    """Index of passages under the titles of their documents."""
    return text_index((titles[at], text) for at, text in zip(document.tolist(), texts, strict=True))


def title_names(titles: Sequence[str]) -> Names:
    """Rows of documents by their titles, whole and without what stands in brackets at the end."""
    shortened = [base_title(title) for title in titles]
    return names_of(
        pair for own in (titles, shortened) for pair in zip(own, range(len(own)), strict=True)
    )


def node_names(ids: pa.ChunkedArray, properties: pa.ChunkedArray) -> NodeNames:
    """Names of nodes: what text calls an entity and its aliases; the id of other nodes.

    Parameters
    ----------
    ids, properties : (n_nodes,) strings
    """
    names: list[str | None] = []
    pairs: list[tuple[str, int]] = []
    for key, (id_, said) in enumerate(zip(ids.to_pylist(), properties.to_pylist(), strict=True)):
        told = said or ""
        if told.startswith(NODE_MARK) and not told.startswith(ENTITY_MARK):
            names.append(None)
            continue
        own = json.loads(told) if told.startswith(ENTITY_MARK) else {"name": id_}
        names.append(own["name"])
        pairs += [(name, key) for name in (own["name"], *own.get("aliases", ()))]
    return NodeNames(name=pa.array(names, pa.large_string()), keys=names_of(pairs))
