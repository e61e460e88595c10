"""Vectors of names by a model, made once and kept with the store."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hebbgraph.providers.lsa import LsaEmbedder
from hebbgraph.providers.protocols import Embedder

FOLDER: Final = "name_vectors"
"""Where a store keeps them: a folder a model, a file for every so many names asked together."""
_ASKED_TOGETHER: Final = 4096  # a killed run keeps those before
_MOST_FILES: Final = 8

Floats = npt.NDArray[np.float32]


def vectors_of(
    store: Path,
    names: Sequence[str],
    embedder: Embedder,
    *,
    progress: Callable[[str], None] | None = None,
) -> Floats:
    """One vector a name; only names that the model has not seen are put to it.

    What is kept is what these names need.  The embedded default keeps nothing, as it waits for no
    server.

    Parameters
    ----------
    store : its folder
    names : distinct

    Returns
    -------
    (len(names), d) float32
    """
    tell = progress or (lambda _: None)
    if isinstance(embedder, LsaEmbedder):
        tell(f"embedding {len(names):,} entities")
        return embedder.embed(list(names))
    folder = store / FOLDER / hashlib.sha256(embedder.name.encode()).hexdigest()[:16]
    known = _read(folder)
    missing = [name for name in names if name not in known]
    for first in range(0, len(missing), _ASKED_TOGETHER):
        tell(f"embedding {len(missing):,} entities, {first:,} done")
        some = missing[first : first + _ASKED_TOGETHER]
        vectors = embedder.embed(some)
        if known and vectors.shape[1] != next(iter(known.values())).size:
            # Another length under the same name: the model is another one.
            shutil.rmtree(folder)
            return vectors_of(store, names, embedder, progress=progress)
        made = dict(zip(some, vectors, strict=True))
        _write(folder / f"{len(known)}.arrow", made)
        known |= made
    found = np.stack([known[name] for name in names])
    if len(known) > len(names) or len([*folder.glob("*.arrow")]) > _MOST_FILES:
        whole = folder / "whole.arrow"
        _write(whole, dict(zip(names, found, strict=True)))
        for place in folder.iterdir():
            if place != whole:
                place.unlink()
    return found


def keep_only(store: Path, models: Sequence[str]) -> int:
    """Drop what all other models made; returns the bytes freed."""
    kept = {hashlib.sha256(name.encode()).hexdigest()[:16] for name in models}
    freed = 0
    folders = (store / FOLDER).iterdir() if (store / FOLDER).is_dir() else ()
    for folder in folders:
        if folder.name not in kept:
            freed += sum(place.stat().st_size for place in folder.iterdir())
            shutil.rmtree(folder)
    return freed


def _read(folder: Path) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for place in sorted(folder.glob("*.arrow")):
        try:
            table = pa.ipc.open_file(place).read_all()
        except (OSError, pa.ArrowException):
            continue  # damaged: its names are put to the model again
        if not table.num_rows:
            continue
        column = table["vector"].combine_chunks()
        vectors = column.flatten().to_numpy().reshape(len(column), -1)
        known |= zip(table["name"].to_pylist(), vectors, strict=True)
    return known


def _write(place: Path, vectors: Mapping[str, Floats]) -> None:
    """Whole or not at all."""
    place.parent.mkdir(parents=True, exist_ok=True)
    table = np.stack(list(vectors.values()))
    column = pa.FixedSizeListArray.from_arrays(pa.array(table.ravel()), table.shape[1])
    rows = pa.table({"name": pa.array(list(vectors), pa.string()), "vector": column})
    unfinished = place.with_name(place.name + ".part")
    with pa.OSFile(str(unfinished), "wb") as file, pa.ipc.new_file(file, rows.schema) as out:
        out.write_table(rows)
    unfinished.replace(place)
