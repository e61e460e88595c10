"""Writing to a folder so that a failure leaves it byte for byte as it was."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hebbgraph import replacement
from hebbgraph.errors import ConflictError, HebbGraphError, StoreWriteError
from hebbgraph.schema import TABLES

try:
    import fcntl
except ImportError:  # Windows: the compare-and-swap on `snapshots` alone guards the commit
    fcntl = None  # type: ignore[assignment]


HINT = "latest_version_hint.json"


@contextmanager
def lock(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the folder's lock; what a killed writer had begun to replace is ended first.

    The lock is the operating system's and ends with the process, so a killed writer leaves
    nothing to clear away.

    Raises
    ------
    StoreWriteError
        the folder cannot be written
    ConflictError
        another writer holds it, unless ``wait``
    """
    if not os.access(path, os.W_OK):
        raise StoreWriteError(f"{path}: the folder is read-only; nothing was written")
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if fcntl is not None:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                raise ConflictError(
                    f"{path}: another writer is at work; run it again when that has ended"
                ) from None
        replacement.finish(path)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A folder to write tables to that then stand in place of all in ``path``, or none does.

    Raises
    ------
    ConflictError
        another writer holds the lock
    StoreWriteError
        the folder cannot be written
    """
    with lock(path, wait=False):
        staged = replacement.begin(path)
        try:
            yield staged
            replacement.decide(path)
        except BaseException as error:
            shutil.rmtree(staged, ignore_errors=True)
            if isinstance(error, HebbGraphError) or not isinstance(error, Exception):
                raise
            raise explained(path, error) from error
        replacement.finish(path)


def settle(path: Path) -> None:
    """End what a killed writer had begun to replace."""
    if replacement.decided(path):
        with lock(path):
            pass


@contextmanager
def transaction(path: Path, tables: Iterable[str] = tuple(TABLES)) -> Iterator[None]:
    """Hold the folder's lock; on failure remove every file of ``tables`` that came into being.

    Readers are never locked out.

    Raises
    ------
    StoreWriteError
        the folder cannot be written: no room, no permission
    """
    with lock(path):
        before = _files(path, tables)
        try:
            yield
        except BaseException as error:
            if fcntl is not None:
                _put_back(path, tables, before)
            if isinstance(error, HebbGraphError) or not isinstance(error, Exception):
                raise
            raise explained(path, error) from error


def _files(path: Path, names: Iterable[str]) -> dict[str, bytes | None]:
    """Every file and folder of the tables, with the content of the kind that Lance rewrites.

    What else is in the folder may be another program's, as the files of an adopted data set are.
    """
    found: dict[str, bytes | None] = {}
    tables = [os.walk(path / f"{table}.lance") for table in names]
    for folder, _, files in itertools.chain.from_iterable(tables):
        found[folder] = None
        for name in files:
            full = os.path.join(folder, name)
            found[full] = Path(full).read_bytes() if name == HINT else None
    return found


def _put_back(path: Path, tables: Iterable[str], before: dict[str, bytes | None]) -> None:
    for full in sorted(set(_files(path, tables)) - set(before), key=len, reverse=True):
        if os.path.isdir(full):
            shutil.rmtree(full, ignore_errors=True)
        else:
            os.unlink(full)
    for full, content in before.items():
        if content is not None and Path(full).read_bytes() != content:
            Path(full).write_bytes(content)


def explained(path: Path, error: Exception) -> Exception:
    """A failed write as an error of ours, where its cause is known."""
    text = str(error)
    number = getattr(error, "errno", None)
    if number == errno.ENOSPC or "No space left" in text or "os error 28" in text:
        return StoreWriteError(
            f"{path}: the disk is full; the store is as it was, make room and run it again"
        )
    if number in (errno.EACCES, errno.EROFS) or "ermission denied" in text or "ead-only" in text:
        return StoreWriteError(
            f"{path}: the folder is read-only or not yours; the store is as it was"
        )
    if "ommit conflict" in text or "concurrent" in text:
        return ConflictError(f"{path}: another writer was at work; run it again")
    if isinstance(error, OSError):
        return StoreWriteError(f"{path}: cannot be written ({text.splitlines()[0][:160]})")
    return error
