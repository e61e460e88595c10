"""A memory opened for search: its texts, what was found in them, and what use has taught."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check, graph_tables, text_tables
from hebbgraph.graph import Graph
from hebbgraph.ingest.memify import embedder_of
from hebbgraph.node_use import TIME_CONSTANT_US, NodeUse
from hebbgraph.providers.protocols import Embedder
from hebbgraph.retrieval.catalogue import Catalogue, catalogue
from hebbgraph.retrieval.corpus import Corpus, corpus_of
from hebbgraph.retrieval.kept import names_of_nodes, texts_of, vectors_of
from hebbgraph.retrieval.resonance import Vitals
from hebbgraph.snapshots import Snapshot
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
    catalogue : what is known of passages and documents beside their text
    use : of each passage
    embedder : of queries, None where passages have no vectors or another model made them
    note : which model that is, if it is not at hand
    """

    snapshot: int
    corpus: Corpus
    catalogue: Catalogue
    use: NodeUse
    embedder: Embedder | None
    note: str = ""

    def vitals(self, now: datetime | None) -> Vitals:
        """What is known of the passages beside their text, at a moment."""
        moment = check.microseconds("now", now)
        return Vitals(
            success=self.use.success_count,
            failure=self.use.failure_count,
            access=self.use.access_count,
            updated=self.catalogue.times,
            vitality=self.use.activation_at(moment, TIME_CONSTANT_US).astype(np.float32),
            tags=self.catalogue.tags,
        )

    def vector(self, query: str) -> npt.NDArray[np.float32] | None:
        """The query in the space of the passages, of length 1; None where they have no vectors."""
        if self.embedder is None or not query.strip():
            return None
        found = self.embedder.embed([query])[0]
        length = float(np.linalg.norm(found))
        return found / np.float32(length) if length else None


def opened(store: Store, embedder: Embedder | None = None) -> Opened:
    """The newest snapshot of a memory, ready for search.

    Parameters
    ----------
    embedder : of queries, if it is the one that made the vectors; else the one that is named
    """
    snapshot = store.snapshot()
    texts, order = texts_of(store, snapshot)
    graph = graph_tables.read(store.path, snapshot, without=_UNREAD)
    vectors = vectors_of(store, snapshot)
    corpus = corpus_of(
        graph, texts, names_of_nodes(store, snapshot), vectors=vectors,
        properties=text_tables.Column(store.path, snapshot, "edges", "properties"),
    )  # fmt: skip
    columns = ("time", "kind", "tags", "node_set", "duplicate_of")
    rows = text_tables.read(store.path, snapshot, "passages", columns)
    model, note = (None, "") if vectors is None else _of_queries(store, snapshot, embedder)
    return Opened(
        snapshot=snapshot.seq,
        corpus=corpus,
        catalogue=catalogue(
            graph, lambda: store.graph(snapshot.seq), rows, order=order, document=texts.document,
            passage_keys=texts.passage_keys, document_keys=texts.document_keys,
            kinds=texts.document_kinds,
        ),
        use=_use(graph, texts.passage_keys),
        embedder=model,
        note=note,
    )  # fmt: skip


def _of_queries(
    store: Store, snapshot: Snapshot, given: Embedder | None
) -> tuple[Embedder | None, str]:
    """The model that made the vectors, or a note; a query by another would be near to anything."""
    made = snapshot.memory["memified"]["embedder"]
    model = given if given is not None and given.name == made else embedder_of(store, snapshot)
    if model.name == made:
        return model, ""
    return None, (
        f"vectors are those of {made}, which is not at hand, so queries go without; "
        "name it in HEBBGRAPH_EMBEDDER, or memify again"
    )


def _use(graph: Graph, keys: npt.NDArray[np.int64]) -> NodeUse:
    return NodeUse.none(keys.size) if graph.use is None else graph.use.take(keys)
