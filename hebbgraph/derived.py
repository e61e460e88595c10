"""What is made of a snapshot's tables and kept beside them, mapped into memory by readers."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import lance
import numpy as np
import pyarrow as pa

from hebbgraph import schema, tables
from hebbgraph.snapshots import Snapshot

FOLDER: Final = "indexes"
SOURCES: Final = {
    "text": ("documents", "passages"), "vectors": ("passages",), "names": ("nodes",),
}  # fmt: skip
"""Kinds of file, and the tables whose columns written once each is made of."""
_FORMAT: Final = 2
_ABANDONED: Final = 3600
"""Seconds after which an unfinished file is no longer being written."""


def place(path: Path, snapshot: Snapshot, kind: str) -> Path:
    """Where a file made of the tables of a snapshot is kept.

    Its name is a hash of the names of the data files that hold those tables.  Lance draws them at
    random and writes each once, so they stand for what is in them: a snapshot that is restored
    finds what was made of it before.
    """
    digest = blake2b(digest_size=12)
    for table in SOURCES[kind]:
        version = snapshot.versions.get(table)
        for name in () if version is None else _data_files(path, table, version):
            digest.update(f"{table}/{name}\n".encode())
    return path / FOLDER / f"{kind}-{_FORMAT}-{digest.hexdigest()}.arrow"


def _data_files(path: Path, table: str, version: int) -> list[str]:
    """Names of the files behind a version, those that a pass rewrites left out."""
    with tables.readable(path, table):
        dataset = lance.dataset(tables.folder(path, table), version=version)
        learned = schema.LEARNED.get(table, ())
        passing = {one.id() for one in dataset.lance_schema.fields() if one.name() in learned}
        found = []
        for fragment in dataset.get_fragments():
            found += [one.path for one in fragment.data_files() if not passing >= {*one.fields}]
            found.append(f"{fragment.fragment_id} {fragment.deletion_file()}")
    return found


def save(place: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays as one Arrow file, whole or not at all.

    Parameters
    ----------
    arrays : NumPy or Arrow arrays of one dimension, of any lengths

    Raises
    ------
    OSError
        the folder cannot be written
    """
    columns = {}
    for name, given in arrays.items():
        values = pa.array(given) if isinstance(given, np.ndarray) else given
        ends = pa.array([0, len(values)], pa.int64())
        columns[name] = pa.LargeListArray.from_arrays(ends, values)
    table = pa.table(columns)
    place.parent.mkdir(exist_ok=True)
    unfinished = place.with_name(f"{uuid4().hex}.part")
    try:
        with pa.OSFile(str(unfinished), "wb") as file, pa.ipc.new_file(file, table.schema) as to:
            to.write_table(table)
        _to_disk(unfinished)
        unfinished.replace(place)
        _to_disk(place.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def _to_disk(place: Path) -> None:
    number = os.open(place, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def load(place: Path) -> dict[str, Any] | None:
    """Arrow arrays that `save` wrote, mapped from the file; None where there is no whole one."""
    try:
        with pa.memory_map(str(place)) as file:
            table = pa.ipc.open_file(file).read_all()
    except (OSError, pa.ArrowException):
        return None
    return {name: table[name].chunk(0).flatten() for name in table.column_names}


def latest(path: Path, kind: str) -> dict[str, Any] | None:
    """The newest file of a kind, whichever snapshot it was made for; None where there is none."""
    places = (path / FOLDER).glob(f"{kind}-{_FORMAT}-*.arrow")
    newest = sorted(places, key=lambda one: one.stat().st_mtime_ns)
    return load(newest[-1]) if newest else None


def prune(path: Path, snapshots: Iterable[Snapshot]) -> int:
    """Delete what none of these snapshots needs; returns the bytes freed."""
    folder = path / FOLDER
    if not folder.is_dir():
        return 0
    needed = {place(path, one, kind) for one in snapshots for kind in SOURCES}
    freed = 0
    for file in folder.iterdir():
        at_work = file.suffix == ".part" and time.time() - file.stat().st_mtime < _ABANDONED
        if file not in needed and not at_work:
            freed += file.stat().st_size
            file.unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()  # only where it is empty
    return freed
