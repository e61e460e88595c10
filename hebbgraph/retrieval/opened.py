"""A memory opened for search: its texts, what was found in them, and what use has taught."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import check, graph_tables, text_tables
from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph
from hebbgraph.ingest.memify import embedder_of
from hebbgraph.node_use import TIME_CONSTANT_US, NodeUse
from hebbgraph.providers.protocols import Embedder
from hebbgraph.retrieval.corpus import Corpus, corpus_of
from hebbgraph.retrieval.kept import names_of_nodes, texts_of, vectors_of
from hebbgraph.retrieval.resonance import Vitals
from hebbgraph.rowwise import Values
from hebbgraph.store import Store

_UNREAD: Final = (
    "id", "type", "properties", "time", "updated_at", "decayed_at", "support",
)  # fmt: skip
"""Columns of nodes and edges that no search looks at."""


@dataclass(frozen=True, eq=False, repr=False)
class Opened:
    """What a search of one snapshot reads.

    Attributes
    ----------
    snapshot : its number
    corpus : passages and what joins them, learned associations included
    use : of each passage
    updated : (n,) int64 UTC microseconds, smallest int64 where undated
    tags, node_sets : of each passage
    original : (n,) bool, False at a passage whose text another holds
    embedder : of queries, None where passages have no vectors
    """

    snapshot: int
    corpus: Corpus
    use: NodeUse
    updated: npt.NDArray[np.int64]
    tags: Values
    node_sets: Values
    original: npt.NDArray[np.bool_]
    embedder: Embedder | None

    def vitals(self, now: datetime | None) -> Vitals:
        """What is known of the passages beside their text, at a moment."""
        moment = check.microseconds("now", now)
        return Vitals(
            success=self.use.success_count,
            failure=self.use.failure_count,
            access=self.use.access_count,
            updated=self.updated,
            vitality=self.use.activation_at(moment, TIME_CONSTANT_US).astype(np.float32),
            tags=self.tags,
        )

    def allowed(self, node_set: str | Collection[str] | None) -> npt.NDArray[np.bool_]:
        """(n,) bool, passages of any of the sets named, each text once."""
        if node_set is None:
            return self.original
        wanted = {node_set} if isinstance(node_set, str) else {*node_set}
        held = self.node_sets.array
        inside = np.zeros(len(held), np.bool_)
        named = pc.is_in(held.flatten(), value_set=pa.array(sorted(wanted), pa.string()))
        inside[pc.list_parent_indices(held).filter(named).to_numpy()] = True
        return self.original & inside[self.node_sets.rows]

    def vector(self, query: str) -> npt.NDArray[np.float32] | None:
        """The query in the space of the passages, of length 1; None where they have no vectors."""
        if self.embedder is None or not query.strip():
            return None
        found = self.embedder.embed([query])[0]
        length = float(np.linalg.norm(found))
        return found / np.float32(length) if length else None


def opened(store: Store) -> Opened:
    """The newest snapshot of a memory, ready for search."""
    snapshot = store.snapshot()
    texts, order = texts_of(store, snapshot)
    graph = graph_tables.read(store.path, snapshot, without=_UNREAD)
    vectors = vectors_of(store, snapshot)
    corpus = corpus_of(
        graph, texts, names_of_nodes(store, snapshot), vectors=vectors,
        properties=text_tables.Column(store.path, snapshot, "edges", "properties"),
    )  # fmt: skip
    columns = ("time", "tags", "node_set", "duplicate_of")
    rows = text_tables.read(store.path, snapshot, "passages", columns)
    times = rows["time"].cast("int64").fill_null(UNDATED)
    return Opened(
        snapshot=snapshot.seq,
        corpus=corpus,
        use=_use(graph, texts.passage_keys),
        updated=times.to_numpy()[order],
        tags=Values(_filled(rows["tags"]), order),
        node_sets=Values(_filled(rows["node_set"]), order),
        original=rows["duplicate_of"].is_null().to_numpy()[order],
        embedder=None if vectors is None else embedder_of(store, snapshot),
    )


def _use(graph: Graph, keys: npt.NDArray[np.int64]) -> NodeUse:
    return NodeUse.none(keys.size) if graph.use is None else graph.use.take(keys)


def _filled(column: Any) -> Any:
    """A column of lists, empty ones in place of null."""
    nothing = pa.scalar([], column.type)
    return pc.coalesce(column, nothing) if column.null_count else column
