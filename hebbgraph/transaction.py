"""Writing to a folder so that a failure leaves it byte for byte as it was."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hebbgraph.errors import ConflictError, HebbGraphError, StoreWriteError

try:
    import fcntl
except ImportError:  # Windows: the compare-and-swap on `snapshots` alone guards the commit
    fcntl = None  # type: ignore[assignment]


@contextmanager
def transaction(path: Path) -> Iterator[None]:
    """Hold the folder's lock; on failure remove every file that came into being.

    Readers are never locked out.  The lock is the operating system's and ends
    with the process, so a killed writer leaves nothing to clear away.

    Raises
    ------
    StoreWriteError
        the folder cannot be written: no room, no permission
    """
    if not os.access(path, os.W_OK):
        raise StoreWriteError(f"{path}: the folder is read-only; nothing was written")
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        before = _files(path)
        try:
            yield
        except BaseException as error:
            if fcntl is not None:
                _remove_new(path, before)
            if isinstance(error, HebbGraphError) or not isinstance(error, Exception):
                raise
            raise explained(path, error) from error
    finally:
        os.close(descriptor)


def _files(path: Path) -> dict[str, tuple[int, int]]:
    """Every file and folder below, with size and time for files."""
    found = {}
    for folder, _, names in os.walk(path):
        found[folder] = (0, 0)
        for name in names:
            full = os.path.join(folder, name)
            status = os.stat(full)
            found[full] = (status.st_size, status.st_mtime_ns)
    return found


def _remove_new(path: Path, before: dict[str, tuple[int, int]]) -> None:
    for full in sorted(set(_files(path)) - set(before), key=len, reverse=True):
        if os.path.isdir(full):
            shutil.rmtree(full, ignore_errors=True)
        else:
            os.unlink(full)


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
