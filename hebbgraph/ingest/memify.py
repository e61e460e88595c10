"""Passages made ready for search: vectors, indexes, duplicates told."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import schema, text_tables
from hebbgraph.errors import ProviderError
from hebbgraph.graph import Graph
from hebbgraph.ingest import corpus, text_graph
from hebbgraph.ingest.reports import MemifyReport
from hebbgraph.providers.choice import embedder as chosen
from hebbgraph.providers.lsa import LsaEmbedder
from hebbgraph.providers.protocols import Embedder
from hebbgraph.snapshots import MEMORY, Snapshot
from hebbgraph.statements import restated, stated_nodes

if TYPE_CHECKING:
    from hebbgraph.store import Store

VECTOR_INDEX_FROM: Final = 50_000
"""Passages from which on an index over vectors pays: a scan of 100,000 takes a third of a second,
and every query waits for it; docs/memory.md has the figures."""
FOLDER: Final = "spaces"
"""Where a store keeps what the embedded default has learned, a file a space."""
_COMMITTED_EVERY: Final = 4096  # texts put to a model; a killed run keeps those before

Floats = npt.NDArray[np.float32]
Progress = Callable[[str], None]


def memify(
    store: Store, *, embedder: Embedder | None = None, progress: Progress | None = None
) -> MemifyReport:
    """Make the passages of a store ready for search; see :meth:`hebbgraph.Memory.memify`."""
    begun = time.perf_counter()
    tell = progress or (lambda _: None)
    first = parent = store.snapshot()
    model = embedder_of(store, parent, embedder)
    before = parent.memory.get("memified", {})
    base = store.graph()
    graph, orphans = _without_orphans(base)
    settled = (
        not orphans
        and before.get("finished", False)
        and before.get("version") == parent.versions.get("passages")
        and before.get("embedder") == model.name
    )
    if settled or "passages" not in parent.versions:
        figures = before.get("figures") or dict.fromkeys(
            ("passages", "duplicates"), 0
        ) | {"vector_index": None}  # fmt: skip
        return _report(parent, first, begun, embedder=before.get("embedder"), embedded=0,
                       orphans=0, **figures)  # fmt: skip
    rows = text_tables.read(store.path, parent, "passages")
    old = None
    if before.get("embedder") == model.name and text_tables.dimensions(store.path, parent):
        old = text_tables.vectors(store.path, parent).combine_chunks()
    texts = _texts(rows)
    if isinstance(model, LsaEmbedder):
        tell(f"learning words of {len(texts):,} passages")
        if model.update([text for text in texts if text.strip()]):
            old = None
        save(store.path, model)
    embedded = 0
    while True:
        vectors, made, finished = _embedded(
            texts, old, model, limit=None if isinstance(model, LsaEmbedder) else _COMMITTED_EVERY,
            embedded=embedded, begun=begun, tell=tell,
        )  # fmt: skip
        embedded += made
        snapshot, figures = _commit(
            store, parent, base, graph, rows, vectors, model, finished=finished, tell=tell
        )
        if finished:
            return _report(snapshot, first, begun, embedder=model.name if len(texts) else None,
                           embedded=embedded, orphans=orphans, **figures)  # fmt: skip
        parent, old, base = snapshot, vectors, store.graph()
        graph = base
        rows = text_tables.read(store.path, parent, "passages")
        old = text_tables.vectors(store.path, parent).combine_chunks()
        texts = _texts(rows)


def embedder_of(store: Store, snapshot: Snapshot, embedder: Embedder | None = None) -> Embedder:
    """The model that vectors of a snapshot come from, or are to come from.

    The one given, else the one that HEBBGRAPH_EMBEDDER or the configuration file names, else the
    embedded default.  The default is as it was saved with the store, where it has been fitted.
    """
    model = chosen() if embedder is None else embedder
    last = snapshot.memory.get("memified", {}).get("embedder")
    if isinstance(model, LsaEmbedder) and not model.n_texts and last:
        saved = _saved(space(store.path, last))
        if saved is not None and (saved.dimensions, saved.seed) == (model.dimensions, model.seed):
            return saved
    return model


def _saved(place: Path) -> LsaEmbedder | None:
    """The space of a file; None where there is no whole one, so that memify learns it again."""
    try:
        return LsaEmbedder.load(place)
    except ProviderError:
        return None


def space(store: Path, name: str) -> Path:
    """Where the space of that name is kept."""
    return store / FOLDER / f"{name.replace(':', '-')}.arrow"


def save(store: Path, model: LsaEmbedder) -> None:
    """Keep a space with the store, beside those that older snapshots name."""
    place = space(store, model.name)
    if _saved(place) is None:
        place.parent.mkdir(exist_ok=True)
        model.save(place)


def _texts(rows: pa.Table) -> list[str]:
    """What is embedded of each passage: its title, and its text."""
    pairs = zip(rows["title"].to_pylist(), rows["text"].to_pylist(), strict=True)
    return [f"{title}\n{text}" if title else text for title, text in pairs]


def _embedded(
    texts: list[str],
    old: pa.Array | None,
    model: Embedder,
    *,
    limit: int | None,
    embedded: int,
    begun: float,
    tell: Progress,
) -> tuple[pa.Array | None, int, bool]:
    """Vectors by row, how many are new, and whether none is missing."""
    missing = (
        np.arange(len(texts))
        if old is None
        else np.flatnonzero(old.is_null().to_numpy(zero_copy_only=False))
    )
    missing = np.array([row for row in missing.tolist() if texts[row].strip()], np.int64)
    some = missing if limit is None else missing[:limit]
    if not some.size:
        return old, 0, True
    tell(f"embedding {missing.size:,} passages")
    new = model.embed([texts[row] for row in some.tolist()])
    rate = (embedded + some.size) / (time.perf_counter() - begun)
    tell(f"embedding: {missing.size - some.size:,} passages to go, {rate:.0f}/s")
    if new.ndim != 2 or len(new) != some.size or not np.isfinite(new).all():
        raise ProviderError(
            f"{model.name}: expected a finite vector for each of {some.size} texts, "
            f"came {'NaN or infinity' if new.shape[:1] == some.shape else f'shape {new.shape}'}"
        )
    size = new.shape[1]
    added = pa.FixedSizeListArray.from_arrays(pa.array(new.ravel()), size)
    row = np.full(len(texts), -1, np.int64)
    parts = [added]
    if old is not None:
        kept = np.flatnonzero(old.is_valid().to_numpy(zero_copy_only=False))
        row[kept] = kept
        parts = [old.cast(added.type), added]
    row[some] = np.arange(some.size) + (0 if old is None else len(old))
    vectors = pa.concat_arrays(parts).take(pa.array(row, mask=row < 0))
    return vectors, int(some.size), some.size == missing.size


def _commit(
    store: Store,
    parent: Snapshot,
    base: Graph,
    graph: Graph,
    rows: pa.Table,
    vectors: pa.Array | None,
    model: Embedder,
    *,
    finished: bool,
    tell: Progress,
) -> tuple[Snapshot, dict[str, Any]]:
    kinds = schema.PASSAGES
    duplicate_of = _duplicates(rows)
    place = rows.schema.get_field_index("duplicate_of")
    rows = rows.set_column(place, "duplicate_of", duplicate_of)
    if vectors is not None:
        kinds = schema.with_vectors(vectors.type.list_size)
        rows = rows.append_column(schema.VECTOR, vectors)
    rows = rows.sort_by([("document", "ascending"), ("ordinal", "ascending")])
    indexed = finished and vectors is not None and rows.num_rows >= VECTOR_INDEX_FROM
    figures = {
        "passages": rows.num_rows,
        "duplicates": len(duplicate_of) - duplicate_of.null_count,
        "vector_index": text_tables.VECTOR_INDEX if indexed else None,
    }
    tell(f"writing {rows.num_rows:,} passages and their indexes")
    # The version is known once it is written, and stands in the row that commits it.
    made: dict[str, Any] = {"embedder": model.name, "figures": figures, "finished": finished}

    memory = {**parent.memory, "memified": made}
    if "pass_options" in memory:
        memory["pass_options"] = text_graph.pass_options(graph)

    def write() -> int:
        made["version"] = text_tables.write_indexed(
            store.path, rows, kinds, full_text=finished, vector=indexed
        )
        return int(made["version"])

    snapshot = store.commit(
        graph, base=base, parent=parent, operation="memify", figures=figures,
        parameters={"embedder": model.name, MEMORY: memory},
        others={"passages": write},
    )  # fmt: skip
    return snapshot, figures


def _duplicates(rows: pa.Table) -> pa.Array:
    """Key of the first passage of the same words, by document and place; null at that one."""
    key = rows["key"].to_numpy()
    order = pc.sort_indices(rows, [("document", "ascending"), ("ordinal", "ascending")]).to_numpy()
    text = rows["words"].combine_chunks().take(pa.array(order)).dictionary_encode()
    code = text.indices.to_numpy()
    _, first = np.unique(code, return_index=True)
    found = np.full(key.size, -1, np.int64)
    # Codes are given in order of appearance, so they count up from the first.
    found[order] = key[order[first]][code]
    return pa.array(found, mask=found == key)


def _without_orphans(base: Graph) -> tuple[Graph, int]:
    """The graph without entities that no passage mentions, and how many those are."""
    if not base.n_nodes or base.node_type is None:
        return base, 0
    entity = stated_nodes(base)
    for name in (text_graph.DOCUMENT, text_graph.PASSAGE):
        if name in base.type_names:
            entity &= base.node_type != base.type_names.index(name)
    if text_graph.MENTIONS in base.relation_names:
        code = base.relation_names.index(text_graph.MENTIONS)
        entity[base.target[base.relation == code]] = False
    if not entity.any():
        return base, 0
    empty = corpus.rows_of([], node_set=[], max_tokens=16, overlap=0)
    at = entity[base.source] | entity[base.target]
    graph = restated(base, text_graph.structure(*empty), nodes=entity, edges=at & ~base.is_inferred)
    return graph, int(np.count_nonzero(entity))


def _report(snapshot: Snapshot, first: Snapshot, begun: float, **figures: Any) -> MemifyReport:
    return MemifyReport(
        snapshot=snapshot.seq, changed=snapshot.id != first.id,
        seconds=time.perf_counter() - begun, **figures,
    )  # fmt: skip
