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

from hebbgraph import check
from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph
from hebbgraph.ingest import facts
from hebbgraph.ingest.text_graph import SUPERSEDES

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
class Catalogue:
    """What is known of each passage, in the order of a corpus.

    Attributes
    ----------
    times : (n,) int64 UTC microseconds, smallest int64 where undated
    kinds : (n,) of the documents
    tags, node_sets : (n,) of the documents
    first : (n,) int64, the first passage of the same words; itself where no other has them
    between : the documents, and what joins them
    newer, older : (m,) int64, passages of which one states what closed a fact of the other
    superseded_at : (m,) int64 UTC microseconds, when the newer was said
    dated : the edges that say from when they hold
    """

    times: Ints
    kinds: Sequence[str]
    tags: Sequence[Sequence[str]]
    node_sets: Sequence[Sequence[str]]
    first: Ints
    between: Between
    newer: Ints
    older: Ints
    superseded_at: Ints
    dated: Graph

    def superseded(self, moment: datetime) -> tuple[Ints, Ints]:
        """Newer and older passages of facts that had been closed by a moment."""
        by_then = self.superseded_at <= check.microseconds("as_of", moment)
        return self.newer[by_then], self.older[by_then]

    def holds(self, moment: datetime) -> Callable[[Triplet], bool]:
        """Whether a fact, by name, held at a moment; one that no date is known of did."""
        when = check.microseconds("as_of", moment)

        def held(fact: Triplet) -> bool:
            known = self._intervals.get(fact)
            return known is None or any(begin <= when < end for begin, end in known)

        return held

    @cached_property
    def _intervals(self) -> dict[Triplet, list[tuple[int, int]]]:
        edge, begin, end = facts.intervals(self.dated)
        found: dict[Triplet, list[tuple[int, int]]] = {}
        for fact, *interval in zip(
            _named(self.dated, edge), begin.tolist(), end.tolist(), strict=True
        ):
            found.setdefault(fact, []).append((interval[0], interval[1]))
        return found

    @cached_property
    def rows_by(self) -> Mapping[str, Mapping[str, Ints]]:
        """Rows of passages by name, of each of ``kind``, ``tags`` and ``node_set``."""
        columns = {
            "kind": [(one,) for one in self.kinds], "tags": self.tags, "node_set": self.node_sets,
        }  # fmt: skip
        return {name: _rows_by(column) for name, column in columns.items()}


def _rows_by(column: Sequence[Sequence[str]]) -> dict[str, Ints]:
    found: dict[str, list[int]] = {}
    for row, own in enumerate(column):
        for name in dict.fromkeys(own):
            found.setdefault(name, []).append(row)
    return {name: np.array(rows, np.int64) for name, rows in found.items()}


def catalogue(graph: Graph, documents: pa.Table, passages: pa.Table, document: Ints) -> Catalogue:
    """Read tables and a graph of one snapshot.

    Parameters
    ----------
    documents : columns ``key`` and ``kind``, rows in the order of a corpus
    passages : columns ``key``, ``time``, ``kind``, ``tags``, ``node_set`` and ``duplicate_of``,
        likewise
    document : (n,) row of each passage's document
    """
    keys = passages["key"].to_numpy()
    row = np.full(graph.n_nodes, -1, np.int64)
    row[keys] = np.arange(keys.size)
    duplicate = passages["duplicate_of"].fill_null(-1).to_numpy()
    first = np.where(duplicate >= 0, row[duplicate], -1)
    newer, older, when = _supersedes(graph, row)
    return Catalogue(
        times=passages["time"].cast("int64").fill_null(UNDATED).to_numpy(),
        kinds=passages["kind"].to_pylist(),
        tags=_lists(passages["tags"]),
        node_sets=_lists(passages["node_set"]),
        first=np.where(first >= 0, first, np.arange(keys.size)),
        between=_between(graph, documents, keys, document),
        newer=newer,
        older=older,
        superseded_at=when,
        dated=facts.dated(graph),
    )


def _lists(column: Any) -> list[list[str]]:
    return [one or [] for one in column.to_pylist()]


def _between(graph: Graph, documents: pa.Table, keys: Ints, document: Ints) -> Between:
    whose = np.full(graph.n_nodes, -1, np.int64)
    whose[documents["key"].to_numpy()] = np.arange(documents.num_rows)
    whose[keys] = document
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
        kinds=documents["kind"].to_pylist(), source=source[kept], target=target[kept],
        relation=relation[kept], names=tuple(names), weight=weight[order][kept],
    )  # fmt: skip


def _supersedes(graph: Graph, row: Ints) -> tuple[Ints, Ints, Ints]:
    if SUPERSEDES not in graph.relation_names or graph.time is None:
        nothing = np.zeros(0, np.int64)
        return nothing, nothing, nothing
    chosen = graph.relation == graph.relation_names.index(SUPERSEDES)
    newer, older = row[graph.source[chosen]], row[graph.target[chosen]]
    both = (newer >= 0) & (older >= 0)
    return newer[both], older[both], graph.time[chosen][both]


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
