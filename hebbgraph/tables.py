"""One Lance table at a time: write, rewrite columns, read, clean."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import lance
import pyarrow as pa
from lance.file import LanceFileWriter
from lance.fragment import DataFile, FragmentMetadata

from hebbgraph import schema
from hebbgraph.errors import HebbGraphError, StoreError

os.environ.setdefault("LANCE_LOG", "error")


ROWS_PER_BATCH = 1 << 20
"""Lance's default of 8,192 makes reading a long table five times slower."""
FILE_VERSION = "2.1"


def folder(path: Path, table: str) -> str:
    """Where the table lives, so that ``lancedb.connect(path)`` finds it."""
    return str(path / f"{table}.lance")


def write(path: Path, table: str, rows: pa.Table, *, kinds: pa.Schema | None = None) -> int:
    """Write all rows as a new version, in one commit; returns the version.

    The learned columns go to a data file of their own, so that :func:`replace_columns` can later
    write them alone.

    Parameters
    ----------
    kinds : schema, where it is not that of :mod:`hebbgraph.schema`
    """
    target = folder(path, table)
    kinds = schema.TABLES[table] if kinds is None else kinds
    rows = rows.cast(kinds)
    if not rows.num_rows or table not in schema.LEARNED:
        return int(lance.write_dataset(rows, target, mode="overwrite").version)
    number = {name: position for position, name in enumerate(kinds.names)}
    files = []
    for part in (schema.observed(table), schema.learned(table)):
        fields = [number[name] for name in part.names]
        files.append(_data_file(target, rows.select(part.names), fields))
    fragment = FragmentMetadata(id=0, files=files, physical_rows=rows.num_rows)
    latest_version = lance.dataset(target).version if is_dataset(Path(target)) else None
    return _commit(target, lance.LanceOperation.Overwrite(kinds, [fragment]), latest_version)


def replace_columns(path: Path, table: str, version: int, columns: pa.Table) -> int:
    """Rewrite the learned columns of a version, row for row; returns the new version.

    Falls back to writing the whole table where the version was not laid out by :func:`write`.
    """
    target = folder(path, table)
    dataset = at_version(target, version)
    columns = columns.cast(schema.learned(table))
    fragments = dataset.get_fragments()
    files = fragments[0].data_files() if len(fragments) == 1 else []
    if len(files) != 2 or len(files[1].fields) != columns.num_columns:
        kept = read(path, table, version, schema.observed(table).names)
        whole = dict(zip(kept.column_names, kept.columns, strict=True))
        whole |= dict(zip(columns.column_names, columns.columns, strict=True))
        return write(
            path, table, pa.table({name: whole[name] for name in schema.TABLES[table].names})
        )
    new = _data_file(target, columns, files[1].fields)
    group = lance.LanceOperation.DataReplacementGroup(fragments[0].fragment_id, new)
    return _commit(target, lance.LanceOperation.DataReplacement([group]), dataset.version)


def _data_file(target: str, rows: pa.Table, fields: Sequence[int]) -> DataFile:
    """Write rows to a file inside the table's folder, not yet part of any version."""
    name = f"{uuid4().hex}.lance"
    data = os.path.join(target, "data")
    os.makedirs(data, exist_ok=True)
    full = os.path.join(data, name)
    with LanceFileWriter(full, schema=rows.schema, version=FILE_VERSION) as out:
        for batch in rows.to_batches(max_chunksize=ROWS_PER_BATCH):
            out.write_batch(batch)
    major, minor = (int(part) for part in FILE_VERSION.split("."))
    return DataFile(
        path=name,
        fields=list(fields),
        column_indices=list(range(len(fields))),
        file_major_version=major,
        file_minor_version=minor,
        file_size_bytes=os.path.getsize(full),
    )


def _commit(target: str, operation: Any, read_version: int | None = None) -> int:
    """Commit once; losing a race raises."""
    done = lance.LanceDataset.commit(target, operation, read_version=read_version, max_retries=0)
    return int(done.version)


def make_latest(path: Path, table: str, version: int) -> int:
    """Make a version the newest one; returns the number it has now."""
    return int(at_version(folder(path, table), version).version)


def at_version(target: str, version: int) -> Any:
    """A version as the latest one, so that it can be written upon.

    A crash or a lost race leaves later versions that no snapshot names.
    """
    dataset = lance.dataset(target)
    if dataset.version != version:
        dataset = lance.dataset(target, version=version)
        dataset.restore()  # type: ignore[no-untyped-call]
        dataset = lance.dataset(target)
    return dataset


def read(path: Path, table: str, version: int, columns: Sequence[str]) -> pa.Table:
    """Some columns of a version, in row order; null where an older release did not know one."""
    with readable(path, table):
        dataset = lance.dataset(folder(path, table), version=version)
        present = [name for name in columns if name in dataset.schema.names]
        rows = dataset.to_table(columns=present, batch_size=ROWS_PER_BATCH, scan_in_order=True)
    for place, name in enumerate(columns):
        if name not in present:
            missing = pa.nulls(rows.num_rows, schema.TABLES[table].field(name).type)
            rows = rows.add_column(place, name, missing)
    return rows


def select(
    path: Path, table: str, version: int, columns: Sequence[str], predicate: str
) -> pa.Table:
    """Some columns of the rows of a version that an SQL predicate names, in row order."""
    with readable(path, table):
        dataset = lance.dataset(folder(path, table), version=version)
        return dataset.to_table(columns=list(columns), filter=predicate, scan_in_order=True)


def versions(path: Path, table: str) -> set[int]:
    """The versions that are still there."""
    with readable(path, table):
        return {int(one["version"]) for one in lance.dataset(folder(path, table)).versions()}


def state(path: Path, table: str) -> tuple[Any, ...]:
    """What differs after every write to the table, found without opening it.

    Lance gives each version a file of its own.  Nothing where there is no such table.
    """
    folder_of_versions = Path(folder(path, table)) / "_versions"
    if not folder_of_versions.is_dir():
        return ()
    with readable(path, table):
        told = folder_of_versions.stat()
        return told.st_ino, told.st_mtime_ns, *sorted(os.listdir(folder_of_versions))


@contextmanager
def readable(path: Path, table: str) -> Iterator[None]:
    """Turn what Lance raises for a damaged table into one line."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(error, HebbGraphError):
            raise
        reason = (str(error).splitlines() or [""])[0][:120]
        raise StoreError(
            f"{path}: its table of {table} cannot be read ({reason}); "
            "restore the folder from a copy"
        ) from error


def latest(path: Path, table: str) -> pa.Table:
    """All rows of the newest version."""
    with readable(path, table):
        return lance.dataset(folder(path, table)).to_table()


def insert_once(path: Path, table: str, key: str, row: pa.Table) -> None:
    """Insert a row unless its key is taken: a compare-and-swap among racing writers.

    ``key`` must be marked as unenforced primary key; a plain append would let two writers in.
    A table that an older release made is given the columns it lacks, null in its rows.
    """
    dataset = lance.dataset(folder(path, table))
    missing = [field for field in row.schema if field.name not in dataset.schema.names]
    if missing:
        dataset.add_columns(pa.schema(missing))
    dataset.merge_insert(key).when_not_matched_insert_all().execute(row)


def delete_rows(path: Path, table: str, predicate: str) -> None:
    """Delete the rows that an SQL predicate names."""
    lance.dataset(folder(path, table)).delete(predicate)


def keep_versions(path: Path, table: str, versions: set[int]) -> int:
    """Delete every version but these and the newest; returns the bytes freed."""
    dataset = lance.dataset(folder(path, table))
    tags = dataset.tags.list()
    for name in tags:
        if name.startswith("hebbgraph-") and tags[name]["version"] not in versions:
            dataset.tags.delete(name)
    for version in versions:
        if f"hebbgraph-{version}" not in tags:
            dataset.tags.create(f"hebbgraph-{version}", version)
    stats = dataset.cleanup_old_versions(
        older_than=timedelta(0), delete_unverified=True, error_if_tagged_old_versions=False
    )
    return int(stats.bytes_removed)


def is_dataset(path: Path) -> bool:
    """Whether the folder is itself a Lance data set."""
    return (path / "_versions").is_dir()
