"""What nothing needs any more leaves the disk."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

from hebbgraph import derived, text_tables
from hebbgraph.ingest import memify, name_vectors
from hebbgraph.ingest.answers import Answers, content_hash
from hebbgraph.ingest.reports import PruneReport

if TYPE_CHECKING:
    from hebbgraph.store import Store


def prune(store: Store, *, keep: int | None = None) -> PruneReport:
    """Drop what nothing needs; see :meth:`hebbgraph.Memory.prune`."""
    begun = time.perf_counter()
    done = store.compact(keep=keep)
    parent = store.snapshot()
    freed = done["bytes_freed"]
    rows = text_tables.read(store.path, parent, "passages", ["title", "text"])
    hashes = [
        content_hash(title, text)
        for title, text in zip(rows["title"].to_pylist(), rows["text"].to_pylist(), strict=True)
    ]
    dropped = 0
    for answers in Answers.all(store.path):
        before = answers.path.stat().st_size
        dropped += answers.keep_only(hashes)
        freed += before - answers.path.stat().st_size
    kept = store.history()
    freed += derived.prune(store.path, kept)
    named = {
        memify.space(store.path, one.memory["memified"]["embedder"])
        for one in kept
        if "memified" in one.memory
    }
    spaces = store.path / memify.FOLDER
    for place in spaces.iterdir() if spaces.is_dir() else ():
        if place not in named:
            freed += place.stat().st_size
            place.unlink()
    if spaces.is_dir() and not any(spaces.iterdir()):
        shutil.rmtree(spaces)
    models = {one.memory.get("cognified", {}).get("similar_by") for one in store.history()}
    freed += name_vectors.keep_only(store.path, sorted(models - {None}))
    return PruneReport(
        snapshot=parent.seq, changed=False, seconds=time.perf_counter() - begun,
        snapshots=done["snapshots"], removed=done["removed"], bytes_freed=freed,
        answers_removed=dropped,
    )  # fmt: skip
