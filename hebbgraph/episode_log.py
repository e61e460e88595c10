"""The table of episodes: an append-only log that many processes write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import lance
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import schema, tables
from hebbgraph.transaction import transaction

TABLE = "episodes"
FRAGMENTS = 256
"""Appends after which small files are made one; until then a record costs one small file."""
KEPT = timedelta(minutes=5)
"""How long a version that compaction replaced stays for whoever is reading it."""


def append(path: Path, batches: Iterable[pa.Table], *, seen: int) -> int:
    """Append rows, numbered on; returns how many.

    Safe from many processes at once: each batch is one append under the folder's lock.  A batch is
    recorded whole or not at all.

    Parameters
    ----------
    batches : tables with the columns of :data:`hebbgraph.episodes.ROWS`
    seen : lowest number to give
    """
    target = tables.folder(path, TABLE)
    number = 0
    for rows in batches:
        if not rows.num_rows:
            continue
        with transaction(path, (TABLE,)):
            before = _opened(path)
            first = max(seen, _next_seq(before))
            seq = pa.array(np.arange(first, first + rows.num_rows))
            numbered = rows.add_column(0, "seq", seq).cast(schema.EPISODES)
            mode = "create" if before is None else "append"
            dataset = lance.write_dataset(numbered, target, mode=mode)
            if len(dataset.get_fragments()) >= FRAGMENTS:
                dataset.optimize.compact_files()
                dataset.cleanup_old_versions(older_than=KEPT)
        number += rows.num_rows
    return number


def _opened(path: Path) -> lance.LanceDataset | None:
    place = Path(tables.folder(path, TABLE))
    with tables.readable(path, TABLE):
        return lance.dataset(str(place)) if tables.is_dataset(place) else None


def _next_seq(dataset: lance.LanceDataset | None) -> int:
    """One more than the largest number: rows ascend, so the last fragment holds it."""
    fragments = [] if dataset is None else dataset.get_fragments()
    for fragment in reversed(fragments):
        last = fragment.to_table(columns=["seq"])["seq"]
        if len(last):
            return int(pc.max(last).as_py()) + 1
    return 0


def next_seq(path: Path) -> int:
    """Number that the next episode would get; 0 where none was ever recorded."""
    return _next_seq(_opened(path))


def read(path: Path, *, seen: int = 0, since: int | None = None) -> tuple[pa.Table, int, int]:
    """Episodes by order of recording; of those with one id only the first.

    Parameters
    ----------
    seen : episodes from this ``seq`` on are new
    since : leave out what is not new and happened before, UTC microseconds; None leaves out none

    Returns
    -------
    rows : the table
    learned : how many of them are not new; they stand first
    next : one more than the largest ``seq``, or ``seen`` if that is more
    """
    dataset = _opened(path)
    if dataset is None:
        return schema.EPISODES.empty_table(), 0, seen
    with tables.readable(path, TABLE):
        short = dataset.to_table(columns=["seq", "id", "time"], scan_in_order=True)
        seq = short["seq"].to_numpy()
        wanted = _first_of_id(short["id"])
        if since is not None:
            wanted &= (seq >= seen) | (short["time"].cast(pa.int64()).to_numpy() >= since)
        if wanted.all():
            rows = dataset.to_table(scan_in_order=True)
        else:
            rows = dataset.take(np.flatnonzero(wanted).tolist())
    learned = int(np.count_nonzero(wanted & (seq < seen)))
    return rows, learned, max(seen, int(seq.max(initial=-1)) + 1)


def without(rows: pa.Table, forgotten: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Episodes without the nodes that are forgotten; what is left of one may be no node.

    Parameters
    ----------
    forgotten : each speaks of the episodes with a ``seq`` below ``before_seq``: of the ids in
        ``nodes``, and of all nodes where the time lies in ``span``, [from, to) in UTC
        microseconds or None
    """
    lists = _whole(rows["nodes"])
    flat, row = pc.list_flatten(lists), pc.list_parent_indices(lists).to_numpy()
    seq, time = rows["seq"].to_numpy(), rows["time"].cast(pa.int64()).to_numpy()
    gone = np.zeros(len(flat), np.bool_)
    for entry in forgotten:
        early = seq < entry["before_seq"]
        if entry["nodes"]:
            named = pc.is_in(flat, pa.array(entry["nodes"], pa.string()))
            gone |= early[row] & named.to_numpy(zero_copy_only=False)
        if entry["span"] is not None:
            first, last = entry["span"]
            gone |= (early & (time >= first) & (time < last))[row]
    if not gone.any():
        return rows
    size = np.bincount(row[~gone], minlength=rows.num_rows)
    offsets = np.concatenate(([0], np.cumsum(size))).astype(np.int32)
    left = pa.ListArray.from_arrays(pa.array(offsets), flat.filter(pa.array(~gone)))
    place = rows.schema.get_field_index("nodes")
    return rows.set_column(place, rows.schema.field("nodes"), left)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays([*column.chunks, pa.array([], column.type)])


def _first_of_id(column: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Which rows have no id, or are the first with theirs."""
    if column.null_count == len(column):
        return np.ones(len(column), np.bool_)
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    code = pc.fill_null(encoded.indices, -1).to_numpy()
    out: npt.NDArray[np.bool_] = code < 0
    out[np.unique(code, return_index=True)[1]] = True
    return out
