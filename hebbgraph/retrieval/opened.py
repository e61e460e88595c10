"""A memory opened for search: its texts, what was found in them, and what use has taught."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import check, text_tables
from hebbgraph.graph import Graph
from hebbgraph.ingest.cognify import found_in
from hebbgraph.ingest.memify import embedder_of
from hebbgraph.node_use import NodeUse
from hebbgraph.plasticity.metrics import TIME_CONSTANT_US
from hebbgraph.providers.protocols import Embedder
from hebbgraph.retrieval.catalogue import Catalogue, catalogue
from hebbgraph.retrieval.corpus import Corpus, corpus
from hebbgraph.retrieval.learned import taught
from hebbgraph.retrieval.resonance import Vitals
from hebbgraph.store import Store

STATED = ("links", "part_of", "mentions", "supersedes")
"""Relations of passages that text states; others come from use."""


@dataclass(frozen=True, eq=False, repr=False)
class Opened:
    """What a search of one snapshot reads.

    Attributes
    ----------
    snapshot : its number
    corpus : passages and what joins them, learned associations included
    catalogue : what is known of passages and documents beside their text
    use : of each passage
    embedder : of queries, None where passages have no vectors
    """

    snapshot: int
    corpus: Corpus
    catalogue: Catalogue
    use: NodeUse
    embedder: Embedder | None

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


def opened(store: Store) -> Opened:
    """The newest snapshot of a memory, ready for search."""
    snapshot = store.snapshot()
    held, found = found_in(store, snapshot)
    columns = ("key", "time", "kind", "tags", "node_set", "duplicate_of", "id")
    rows = text_tables.read(store.path, snapshot, "passages", columns)
    # Rows stand as they came, passages by document.
    ids = pa.array([one.id for one in held.passages], pa.string())
    order = pc.index_in(ids, value_set=rows["id"].combine_chunks())
    rows = rows.take(order)
    listed = text_tables.read(store.path, snapshot, "documents", ("key", "kind", "id"))
    listed = listed.sort_by("id")  # as the corpus has them
    vectors = _vectors(store, snapshot, order)
    keys = rows["key"].to_numpy()
    graph = store.graph(snapshot.seq)
    made = taught(
        corpus(held.documents, held.passages, found, vectors=vectors), graph, keys, without=STATED
    )
    return Opened(
        snapshot=snapshot.seq,
        corpus=made,
        catalogue=catalogue(graph, listed, rows, made.document),
        use=_use(graph, keys),
        embedder=None if vectors is None else embedder_of(store, snapshot),
    )


def _use(graph: Graph, keys: npt.NDArray[np.int64]) -> NodeUse:
    return NodeUse.none(keys.size) if graph.use is None else graph.use.take(keys)


def _vectors(store: Store, snapshot: Any, order: pa.Array) -> npt.NDArray[np.float32] | None:
    """Vectors of length 1, a blank passage's of length 0; None unless memify has made them."""
    size = text_tables.dimensions(store.path, snapshot)
    if size is None:
        return None
    column = text_tables.vectors(store.path, snapshot).combine_chunks().take(order)
    out = np.zeros((len(order), size), np.float32)
    present = column.is_valid().to_numpy(zero_copy_only=False)
    flat = column.drop_null().flatten().to_numpy().reshape(-1, size)
    length = np.linalg.norm(flat, axis=1, keepdims=True)
    out[present] = flat / np.where(length > 0, length, 1)
    return out
