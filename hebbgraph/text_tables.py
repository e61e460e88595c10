"""The tables ``documents`` and ``passages`` of one snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import lance
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import schema, tables
from hebbgraph.rowwise import Rowwise
from hebbgraph.schema import VECTOR
from hebbgraph.snapshots import Snapshot

REWRITTEN: Final = 0.25
"""Share of rows from which on a table is written whole: its indexes then cover it anew."""
VECTOR_INDEX: Final = "IVF_SQ"
"""Recall .962 at its defaults and a tenth of the build time of others of that recall."""
_AT_ONCE: Final = 10_000  # keys in one predicate


def read(
    path: Path, snapshot: Snapshot, table: str, columns: Sequence[str] | None = None
) -> pa.Table:
    """Some columns, or all of the schema, of the table that a snapshot names; empty without one."""
    wanted = schema.TABLES[table].names if columns is None else columns
    version = snapshot.versions.get(table)
    if version is None:
        return pa.table({
            name: pa.array([], schema.TABLES[table].field(name).type) for name in wanted
        })  # fmt: skip
    return tables.read(path, table, version, wanted)


class Column(Rowwise):
    """A column of the table that a snapshot names, read from disk row by row.

    Parameters
    ----------
    rows : (n,) rows of the table that count, in this order; all where None
    """

    def __init__(
        self,
        path: Path,
        snapshot: Snapshot,
        table: str,
        name: str,
        rows: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self.path, self.table, self.name, self.rows = path, table, name, rows
        with tables.readable(path, table):
            self._dataset = lance.dataset(
                tables.folder(path, table), version=snapshot.versions[table]
            )
            self._size = self._dataset.count_rows() if rows is None else rows.size

    def __len__(self) -> int:
        return self._size

    def several(self, rows: Sequence[int]) -> list[Any]:
        """Values of some rows, in the order asked."""
        chosen, place = np.unique(np.asarray(rows, np.int64), return_inverse=True)
        if not chosen.size:
            return []
        if self.rows is not None:
            chosen = self.rows[chosen]
        with tables.readable(self.path, self.table):
            found = self._dataset.take(chosen.tolist(), columns=[self.name])[self.name]
        values: list[Any] = found.combine_chunks().take(pa.array(place)).to_pylist()
        return values


def dimensions(path: Path, snapshot: Snapshot) -> int | None:
    """Length of the vectors of passages; None where they have none."""
    version = snapshot.versions.get("passages")
    if version is None:
        return None
    with tables.readable(path, "passages"):
        known = lance.dataset(tables.folder(path, "passages"), version=version).schema
    return known.field(VECTOR).type.list_size if VECTOR in known.names else None


def vectors(path: Path, snapshot: Snapshot) -> pa.ChunkedArray:
    """The column of vectors, in row order; only where `dimensions` is not None."""
    with tables.readable(path, "passages"):
        dataset = lance.dataset(
            tables.folder(path, "passages"), version=snapshot.versions["passages"]
        )
        return dataset.to_table(
            columns=[VECTOR], batch_size=tables.ROWS_PER_BATCH, scan_in_order=True
        )[VECTOR]


def replace_rows(
    path: Path, table: str, snapshot: Snapshot, *, removed: npt.NDArray[np.int64], added: pa.Table
) -> int:
    """A version without the rows of some keys and with others at its end; returns its number.

    Where little changes the indexes go on to serve the rows that stay.  A table of an older schema
    is written whole, with null in columns that it lacked.
    """
    version = snapshot.versions.get(table)
    size = dimensions(path, snapshot) if table == "passages" else None
    kinds = schema.TABLES[table] if size is None else schema.with_vectors(size)
    added = _fitted(added, kinds)
    if version is None:
        return tables.write(path, table, added)
    target = tables.folder(path, table)
    dataset = tables.at_version(target, version)
    n_rows = dataset.count_rows()
    older = not set(kinds.names) <= set(dataset.schema.names)
    if older or max(removed.size, added.num_rows) > REWRITTEN * n_rows:
        rows = dataset.to_table(scan_in_order=True)
        kept = rows.filter(pc.invert(pc.is_in(rows["key"], value_set=pa.array(removed))))
        whole = pa.concat_tables([_fitted(kept, kinds), added])
        return tables.write(path, table, whole, kinds=kinds)
    for first in range(0, removed.size, _AT_ONCE):
        some = ", ".join(map(str, removed[first : first + _AT_ONCE].tolist()))
        dataset.delete(f"key IN ({some})")
    if added.num_rows:
        dataset = lance.write_dataset(added, target, mode="append")
    return int(lance.dataset(target).version)


def _fitted(rows: pa.Table, kinds: pa.Schema) -> pa.Table:
    missing = [field for field in kinds if field.name not in rows.column_names]
    for field in missing:
        rows = rows.append_column(field.name, pa.nulls(rows.num_rows, field.type))
    return rows.select(kinds.names).cast(kinds)


def write_indexed(
    path: Path, rows: pa.Table, kinds: pa.Schema, *, full_text: bool, vector: bool
) -> int:
    """Write all passages with indexes over words and vectors; returns the version.

    Words are split at blanks alone, as `hebbgraph.providers.words` has made them: what Lance's own
    tokenizers do to words over 40 bytes, to particles and to case is not wanted twice.
    """
    version = tables.write(path, "passages", rows, kinds=kinds)
    if not rows.num_rows or not (full_text or vector):
        return version
    dataset = lance.dataset(tables.folder(path, "passages"), version=version)
    if full_text:
        dataset.create_scalar_index(
            "words", "INVERTED", base_tokenizer="whitespace", stem=False, lower_case=False,
            remove_stop_words=False, ascii_folding=False, max_token_length=None,
            with_position=False,
        )  # fmt: skip
    if vector:
        dataset = lance.dataset(tables.folder(path, "passages"))
        dataset.create_index(VECTOR, VECTOR_INDEX, metric="cosine")
    return int(lance.dataset(tables.folder(path, "passages")).version)
