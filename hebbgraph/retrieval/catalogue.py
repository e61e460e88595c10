"""What a store says of passages and documents beside their text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import check
from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph
from hebbgraph.ingest import facts
from hebbgraph.ingest.text_graph import SUPERSEDES
from hebbgraph.rowwise import Values, several

Ints = npt.NDArray[np.int64]
Triplet = tuple[str, str, str]
"""Subject, predicate and object, by name."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Between:
    """Documents by kind, and the observed edges between them or their passages.

    Attributes
    ----------
    kinds : (d,) of documents
    source, target : (m,) int64, rows of documents, distinct ones
    relation : (m,) int64, position in ``names``
    names : of the relations, ascending
    weight : (m,) float32; edges stand by source, target, relation, the heaviest of equals first
    """

    kinds: Sequence[str]
    source: Ints
    target: Ints
    relation: Ints
    names: tuple[str, ...]
    weight: npt.NDArray[np.float32]

    def at(self, documents: Sequence[int]) -> list[tuple[int, int, str, float]]:
        """Source, target, relation and weight of the edges at some documents."""
        wanted = np.zeros(len(self.kinds), np.bool_)
        wanted[list(documents)] = True
        rows = np.flatnonzero(wanted[self.source] | wanted[self.target])
        columns = (self.source, self.target, self.relation, self.weight)
        return [
            (source, target, self.names[relation], weight)
            for source, target, relation, weight in zip(
                *(column[rows].tolist() for column in columns), strict=True
            )
        ]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Past:
    """What facts were when.

    Attributes
    ----------
    newer, older : (m,) int64, passages of which one states what closed a fact of the other
    superseded_at : (m,) int64 UTC microseconds, when the newer was said
    dated : the edges that say from when they hold
    """

    newer: Ints
    older: Ints
    superseded_at: Ints
    dated: Graph

    @cached_property
    def intervals(self) -> dict[Triplet, list[tuple[int, int]]]:
        """Of facts by name, from when and until when they held."""
        edge, begin, end = facts.intervals(self.dated)
        found: dict[Triplet, list[tuple[int, int]]] = {}
        for fact, *interval in zip(
            _named(self.dated, edge), begin.tolist(), end.tolist(), strict=True
        ):
            found.setdefault(fact, []).append((interval[0], interval[1]))
        return found


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Catalogue:
    """What is known of each passage, in the order of a corpus.

    Attributes
    ----------
    times : (n,) int64 UTC microseconds, smallest int64 where undated
    kinds : (n,) of the documents
    tags, node_sets : (n,) of the documents
    first : (n,) int64, the first passage of the same words; itself where no other has them
    joined : gives the documents and what joins them, read when an intent first asks
    told : gives what facts were when, read when a search first asks
    """

    times: Ints
    kinds: Sequence[str]
    tags: Sequence[Sequence[str]]
    node_sets: Sequence[Sequence[str]]
    first: Ints
    joined: Callable[[], Between]
    told: Callable[[], Past]

    @cached_property
    def between(self) -> Between:
        """The documents, and what joins them."""
        return self.joined()

    @cached_property
    def past(self) -> Past:
        """What facts were when."""
        return self.told()

    def superseded(self, moment: datetime) -> tuple[Ints, Ints]:
        """Newer and older passages of facts that had been closed by a moment."""
        by_then = self.past.superseded_at <= check.microseconds("as_of", moment)
        return self.past.newer[by_then], self.past.older[by_then]

    def holds(self, moment: datetime) -> Callable[[Triplet], bool]:
        """Whether a fact, by name, held at a moment; one that no date is known of did."""
        when = check.microseconds("as_of", moment)
        intervals = self.past.intervals

        def held(fact: Triplet) -> bool:
            known = intervals.get(fact)
            return known is None or any(begin <= when < end for begin, end in known)

        return held

    @cached_property
    def rows_by(self) -> Mapping[str, Mapping[str, Ints]]:
        """Rows of passages by name, of each of ``kind``, ``tags`` and ``node_set``."""
        columns = {
            "kind": [(one,) for one in self.kinds], "tags": self.tags, "node_set": self.node_sets,
        }  # fmt: skip
        return {name: _rows_by(column) for name, column in columns.items()}


def _rows_by(column: Sequence[Sequence[str]]) -> dict[str, Ints]:
    found: dict[str, list[int]] = {}
    for row, own in enumerate(several(column, range(len(column)))):
        for name in dict.fromkeys(own):
            found.setdefault(name, []).append(row)
    return {name: np.array(rows, np.int64) for name, rows in found.items()}


def catalogue(
    graph: Graph,
    whole: Callable[[], Graph],
    passages: pa.Table,
    *,
    order: Ints,
    document: Ints,
    passage_keys: Ints,
    document_keys: Ints,
    kinds: Sequence[str],
) -> Catalogue:
    """Read tables and a graph of one snapshot.

    Parameters
    ----------
    graph : nodes, edges and weights
    whole : gives it with times and properties
    passages : columns ``time``, ``kind``, ``tags``, ``node_set`` and ``duplicate_of``
    order : (n,) rows of it, in the order of a corpus
    document : (n,) row of each passage's document
    passage_keys, document_keys : nodes
    kinds : of documents
    """
    row = np.full(graph.n_nodes, -1, np.int64)
    row[passage_keys] = np.arange(order.size)
    duplicate = passages["duplicate_of"].fill_null(-1).to_numpy()[order]
    first = np.where(duplicate >= 0, row[duplicate], -1)
    return Catalogue(
        times=passages["time"].cast("int64").fill_null(UNDATED).to_numpy()[order],
        kinds=Values(passages["kind"], order),
        tags=Values(_filled(passages["tags"]), order),
        node_sets=Values(_filled(passages["node_set"]), order),
        first=np.where(first >= 0, first, np.arange(order.size)),
        joined=lambda: _between(graph, document_keys, kinds, passage_keys, document),
        told=lambda: _past(whole(), row),
    )


def _filled(column: Any) -> Any:
    """A column of lists, empty ones in place of null."""
    return pc.coalesce(column, pa.scalar([], column.type)) if column.null_count else column


def _between(
    graph: Graph, document_keys: Ints, kinds: Sequence[str], passage_keys: Ints, document: Ints
) -> Between:
    whose = np.full(graph.n_nodes, -1, np.int64)
    whose[document_keys] = np.arange(document_keys.size)
    whose[passage_keys] = document
    source, target = whose[graph.source], whose[graph.target]
    chosen = (source >= 0) & (target >= 0) & (source != target) & ~graph.is_inferred
    source, target, weight = source[chosen], target[chosen], graph.weight[chosen]
    names = sorted(graph.relation_names)
    code = np.array([names.index(name) for name in graph.relation_names], np.int64)
    relation = code[graph.relation[chosen]] if names else np.zeros(0, np.int64)
    order = np.lexsort((-weight, relation, target, source))
    source, target, relation = source[order], target[order], relation[order]
    kept = np.ones(order.size, np.bool_)
    for column in (source, target, relation):
        kept[1:] &= column[1:] == column[:-1]
    kept[1:] = ~kept[1:]
    return Between(
        kinds=kinds, source=source[kept], target=target[kept],
        relation=relation[kept], names=tuple(names), weight=weight[order][kept],
    )  # fmt: skip


def _past(graph: Graph, row: Ints) -> Past:
    newer = older = when = np.zeros(0, np.int64)
    if SUPERSEDES in graph.relation_names and graph.time is not None:
        chosen = graph.relation == graph.relation_names.index(SUPERSEDES)
        newer, older = row[graph.source[chosen]], row[graph.target[chosen]]
        both = (newer >= 0) & (older >= 0)
        newer, older, when = newer[both], older[both], graph.time[chosen][both]
    return Past(newer=newer, older=older, superseded_at=when, dated=facts.dated(graph))


def _named(graph: Graph, edges: Ints) -> list[Triplet]:
    """Subject, predicate and object of some edges between entities, by name."""
    if not edges.size or graph.node_properties is None:
        return []
    ends = []
    for column in (graph.source[edges], graph.target[edges]):
        told = graph.node_properties.take(pa.array(column)).to_pylist()
        ends.append([json.loads(one or "{}").get("name", "") for one in told])
    predicates = [graph.relation_names[code] for code in graph.relation[edges].tolist()]
    return list(zip(ends[0], predicates, ends[1], strict=True))
