"""Every table of a folder replaced at once.

New tables are written to a folder beside the old ones.  Its renaming is the decision: before it
nothing has changed, after it any process can finish, from wherever another was killed.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from hebbgraph.schema import TABLES

STAGED = ".replacement"
DECIDED = ".replacement-decided"
LIST = "tables.json"


def begin(path: Path) -> Path:
    """An empty folder for the new tables.  The caller holds the lock, here and below."""
    staged = path / STAGED
    staged.mkdir()
    return staged


def decide(path: Path) -> None:
    """Decide that the tables written stand in place of all others."""
    staged = path / STAGED
    written = [table for table in TABLES if _folder(staged, table).is_dir()]
    (staged / LIST).write_text(json.dumps(written))
    staged.rename(path / DECIDED)


def decided(path: Path) -> bool:
    """Whether a replacement is decided and not finished."""
    return (path / DECIDED).is_dir()


def finish(path: Path) -> None:
    """Finish what is decided, drop what is not; may be run again after any kill."""
    shutil.rmtree(path / STAGED, ignore_errors=True)
    new = path / DECIDED
    if not new.is_dir():
        return
    # The list goes last, so where it is gone all else is done.
    if (new / LIST).exists():
        written = json.loads((new / LIST).read_text())
        for table in TABLES:
            old, fresh = _folder(path, table), _folder(new, table)
            # A table that was written and is no longer there has been moved.
            if fresh.is_dir() or table not in written:
                shutil.rmtree(old, ignore_errors=True)
            if fresh.is_dir():
                fresh.rename(old)
        (new / LIST).unlink()
    new.rmdir()


def _folder(path: Path, table: str) -> Path:
    return path / f"{table}.lance"
