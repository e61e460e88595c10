"""What joins passages, documents and entities, taken from a graph."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hebbgraph.graph import Graph
from hebbgraph.ingest.text_graph import ABOUT, LINKS, MENTIONS, PART_OF, SUPERSEDES
from hebbgraph.retrieval.counting import stable_order
from hebbgraph.rowwise import several

STATED: Final = (LINKS, PART_OF, MENTIONS, SUPERSEDES)
"""Relations of passages that text states; others come from use."""
_MOST_BEARERS: Final = 8  # a title of more documents than this tells none of them

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Joins:
    """A weighted relation between two kinds of rows, read by its first.

    Attributes
    ----------
    indptr : (n + 1,) int64
    target : (m,) int64, ascending within a row
    weight : (m,) float32; below 0 where failures were learned
    """

    indptr: Ints
    target: Ints
    weight: Floats

    def of(self, row: int) -> tuple[Ints, Floats]:
        """Targets of a row and their weights."""
        begin, end = self.indptr[row], self.indptr[row + 1]
        return self.target[begin:end], self.weight[begin:end]


def joins(source: Any, target: Any, weight: Any | None = None, *, n_rows: int) -> Joins:
    """Pairs as `Joins`; a pair given twice has the sum of its weights.

    Parameters
    ----------
    source, target : (m,) integers in [0, 2³¹), the first below ``n_rows``
    weight : (m,) numbers; 1 where None
    """
    source, target = np.asarray(source, np.int64), np.asarray(target, np.int64)
    weight = np.ones(source.size, np.float32) if weight is None else np.asarray(weight)
    pair = source << 31 | target
    if (pair[1:] <= pair[:-1]).any():
        # Targets most often ascend within a source already.
        order = stable_order(source)
        if (pair[order[1:]] < pair[order[:-1]]).any():
            order = np.argsort(pair, kind="stable")
        pair, weight = pair[order], weight[order]
        first = np.ones(pair.size, np.bool_)
        first[1:] = pair[1:] != pair[:-1]
        if not first.all():
            begin = np.flatnonzero(first)
            pair, weight = pair[begin], np.add.reduceat(weight.astype(np.float64), begin)
    counts = np.bincount(pair >> 31, minlength=n_rows)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Joins(indptr, pair & ((1 << 31) - 1), weight.astype(np.float32, copy=False))


def transposed(one: Joins, *, n_rows: int) -> Joins:
    """The relation read by its second, of ``n_rows``."""
    order = stable_order(one.target)
    source = np.repeat(np.arange(one.indptr.size - 1), np.diff(one.indptr))
    ends = np.cumsum(np.bincount(one.target, minlength=n_rows))
    indptr = np.concatenate([[0], ends]).astype(np.int64)
    return Joins(indptr, source[order], one.weight[order])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Statements:
    """What passages state of two entities, by subject.

    Attributes
    ----------
    indptr : (n_entities + 1,) int64
    object : (s,) int64, ascending within a subject
    predicate : (s,) int32, position in ``names``
    names : of predicates
    edge : (s,) int64, position in the graph
    properties : (n_edges,) of the graph's edges, JSON or None
    """

    indptr: Ints
    object: Ints
    predicate: npt.NDArray[np.int32]
    names: Sequence[str]
    edge: Ints
    properties: Sequence[str | None]

    def of(self, passage: str, entities: Ints) -> list[tuple[int, str, int]]:
        """Subject, predicate and object of what a passage states.

        Parameters
        ----------
        passage : its id
        entities : that it mentions, ascending
        """
        rows = [
            begin + np.flatnonzero(np.isin(self.object[begin:end], entities))
            for begin, end in zip(self.indptr[entities], self.indptr[entities + 1], strict=True)
            if begin < end
        ]
        among = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        if not among.size:
            return []
        told = several(self.properties, self.edge[among].tolist())
        subject = np.searchsorted(self.indptr, among, "right") - 1
        return [
            (one, self.names[predicate], other)
            for one, predicate, other, text in zip(
                subject.tolist(), self.predicate[among].tolist(), self.object[among].tolist(),
                told, strict=True,
            )
            if text and passage in json.loads(text).get("passages", ())
        ]  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Joined:
    """What :func:`joined` finds in a graph.

    Attributes
    ----------
    entity_keys : (e,) int64, nodes of entities: all with an edge that are no document or passage
    entity_row : (n_nodes,) int64, row of an entity; −1 at other nodes
    links, mentions, mentioned_in, relations, associations, statements : as of
        :class:`hebbgraph.retrieval.corpus.Corpus`
    """

    entity_keys: Ints
    entity_row: Ints
    links: Joins
    mentions: Joins
    mentioned_in: Joins
    relations: Joins
    associations: Joins
    statements: Statements


def joined(
    graph: Graph,
    *,
    document_keys: Ints,
    passage_keys: Ints,
    document: Ints,
    properties: Sequence[str | None],
) -> Joined:
    """Take apart the edges of a graph of text, with the weights they have learned.

    A passage leads to the documents it links to, and to those whose title names an entity that it
    mentions, with the weight of the mention.

    Parameters
    ----------
    document_keys, passage_keys : node of each document and passage
    document : (n,) int64, row of the document of each passage
    properties : of the edges
    """
    n = passage_keys.size
    source, target = graph.source, graph.indices
    document_row = _row_of(document_keys, graph.n_nodes)
    passage_row = _row_of(passage_keys, graph.n_nodes)
    entity = np.zeros(graph.n_nodes, np.bool_)
    entity[source] = entity[target] = True
    entity &= (document_row < 0) & (passage_row < 0)
    entity_keys = np.flatnonzero(entity)
    entity_row = _row_of(entity_keys, graph.n_nodes)

    def among(relation: str, ends: Ints, others: Ints) -> tuple[Ints, Ints, Floats]:
        code = _code(graph, relation)
        edges = np.flatnonzero(graph.relation == code)
        one, other = ends[source[edges]], others[target[edges]]
        kept = (one >= 0) & (other >= 0)
        return one[kept], other[kept], graph.weight[edges[kept]]

    passage, mentioned, weight = among(MENTIONS, passage_row, entity_row)
    mentions = joins(passage, mentioned, weight, n_rows=n)
    told = among(LINKS, passage_row, document_row)
    titled, entity_named, _ = among(ABOUT, document_row, entity_row)
    bearers = joins(entity_named, titled, n_rows=entity_keys.size)
    named = _named(mentions, bearers, document)
    between = np.flatnonzero(entity[source] & entity[target])
    one, other = entity_row[source[between]], entity_row[target[between]]
    weight = graph.weight[between]
    return Joined(
        entity_keys=entity_keys,
        entity_row=entity_row,
        links=_first_of(told, named, n),
        mentions=mentions,
        mentioned_in=transposed(mentions, n_rows=entity_keys.size),
        relations=both_ways(one, other, weight, n_rows=entity_keys.size),
        associations=both_ways(*made_by_use(graph, passage_row, without=STATED), n_rows=n),
        statements=_statements(graph, between, one, other, properties, entity_keys.size),
    )


def both_ways(source: Ints, target: Ints, weight: Any, *, n_rows: int) -> Joins:
    """Pairs of rows of one kind as `Joins`, each read from both ends."""
    return joins(
        np.concatenate([source, target]), np.concatenate([target, source]),
        np.concatenate([weight, weight]), n_rows=n_rows,
    )  # fmt: skip


def made_by_use(
    graph: Graph, row: Ints, *, without: Collection[str], inferred: bool = False
) -> tuple[Ints, Ints, Floats]:
    """Edges between some nodes that use has made: ends as rows, and weights.

    Parameters
    ----------
    row : (n_nodes,) int64, row of each of the nodes; −1 at others
    without : relations that stand for something else
    inferred : whether edges found by discovery count too
    """
    counts = np.array([name not in without for name in graph.relation_names], np.bool_)
    chosen = counts[graph.relation]
    if graph.inferred is not None and not inferred:
        chosen &= ~graph.inferred
    edges = np.flatnonzero(chosen)
    source, target = row[graph.source[edges]], row[graph.indices[edges]]
    kept = (source >= 0) & (target >= 0)
    return source[kept], target[kept], graph.weight[edges[kept]]


def _row_of(keys: Ints, n_nodes: int) -> Ints:
    row = np.full(n_nodes, -1, np.int64)
    row[keys] = np.arange(keys.size)
    return row


def _code(graph: Graph, relation: str) -> int:
    return graph.relation_names.index(relation) if relation in graph.relation_names else -1


def _named(mentions: Joins, bearers: Joins, document: Ints) -> tuple[Ints, Ints, Floats]:
    """Passages, the documents whose titles name what they mention, and weights of the mentions."""
    count = np.diff(bearers.indptr)
    count = np.where(count <= _MOST_BEARERS, count, 0)[mentions.target]
    rows = np.flatnonzero(count)
    count = count[rows]
    passage = np.repeat(np.arange(document.size), np.diff(mentions.indptr))[rows]
    nth = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    source = np.repeat(passage, count)
    begin = bearers.indptr[mentions.target[rows]]
    target = bearers.target[np.repeat(begin, count) + nth]
    other = document[source] != target
    return source[other], target[other], np.repeat(mentions.weight[rows], count)[other]


def _first_of(
    told: tuple[Ints, Ints, Floats], named: tuple[Ints, Ints, Floats], n_rows: int
) -> Joins:
    """Every pair once: with the weight of the link that is told, else the highest."""
    source, target = (np.concatenate([told[at], named[at]]) for at in (0, 1))
    weight = np.concatenate([told[2], named[2]])
    later = np.arange(source.size) >= told[0].size
    order = np.lexsort((-weight, later, target, source))
    source, target, weight = source[order], target[order], weight[order]
    first = np.ones(source.size, np.bool_)
    first[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    return joins(source[first], target[first], weight[first], n_rows=n_rows)


def _statements(
    graph: Graph,
    edges: Ints,
    subject: Ints,
    object_: Ints,
    properties: Sequence[str | None],
    n_entities: int,
) -> Statements:
    observed = ~graph.is_inferred[edges]
    edges, subject, object_ = edges[observed], subject[observed], object_[observed]
    ends = np.cumsum(np.bincount(subject, minlength=n_entities))
    return Statements(
        indptr=np.concatenate([[0], ends]).astype(np.int64), object=object_,
        predicate=graph.relation[edges], names=graph.relation_names, edge=edges,
        properties=properties,
    )  # fmt: skip
