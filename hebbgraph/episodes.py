"""Episodes: sets of nodes that were active together, as a user states them and as arrays."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import ids, schema
from hebbgraph.edgelist import index_dtype
from hebbgraph.errors import InputError, NodeNotFoundError
from hebbgraph.times import parse_times

Where = Callable[[int], str]
FIELDS = ("nodes", "outcome", "time", "kind", "context", "id")
ROWS = pa.schema([field for field in schema.EPISODES if field.name != "seq"])
BATCH = 1 << 17
"""Episodes that are taken in at once from an iterable."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Episodes:
    """Episodes in order of recording, in CSR form.

    Attributes
    ----------
    indptr : (n_episodes + 1,) int64
    nodes : (entries,) int32 or int64 keys, distinct within an episode
    time : (n_episodes,) int64 UTC microseconds
    outcome : (n_episodes,) float32, in [-1, 1]
    counted : (n_episodes,) bool, whether it is evidence of co-occurrence
    n_learned : the first so many were learned from by earlier passes
    """

    indptr: npt.NDArray[np.int64]
    nodes: npt.NDArray[Any]
    time: npt.NDArray[np.int64]
    outcome: npt.NDArray[np.float32]
    counted: npt.NDArray[np.bool_]
    n_learned: int = 0

    def __len__(self) -> int:
        return int(self.time.size)

    @classmethod
    def none(cls) -> Episodes:
        """No episodes."""
        return of_rows(ROWS.empty_table(), None, 0)

    def take(self, rows: npt.NDArray[np.int64], *, n_learned: int = 0) -> Episodes:
        """Some of the episodes, in the order given."""
        size = np.diff(self.indptr)[rows]
        indptr = np.concatenate(([0], np.cumsum(size)))
        entry = np.arange(indptr[-1]) - np.repeat(indptr[:-1] - self.indptr[rows], size)
        return Episodes(
            indptr=indptr,
            nodes=self.nodes[entry],
            time=self.time[rows],
            outcome=self.outcome[rows],
            counted=self.counted[rows],
            n_learned=n_learned,
        )

    @property
    def is_use(self) -> npt.NDArray[np.bool_]:
        """(n_episodes,) bool, all but corrections that say their nodes were wrong."""
        return self.counted | (self.outcome > 0)

    @property
    def new(self) -> Episodes:
        """Those not yet learned from."""
        return self.take(np.arange(self.n_learned, len(self)))


CORRECTION = "correction"
"""Kind of an episode that says a belief is wrong, or what is right in its place: no evidence of
co-occurrence."""


def of_rows(
    rows: pa.Table, known: pa.Array | None, n_nodes: int, *, n_learned: int = 0
) -> Episodes:
    """Episodes of a table with the columns of :data:`ROWS`; nodes that are gone are left out.

    Parameters
    ----------
    known : ids by key; None where ids are the keys
    """
    lists = _whole(rows["nodes"])
    keys = _keys(pc.list_flatten(lists), known, n_nodes)
    row = pc.list_parent_indices(lists).to_numpy()[keys >= 0]
    indptr = np.zeros(rows.num_rows + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=rows.num_rows), out=indptr[1:])
    corrects = pc.fill_null(pc.equal(_whole(rows["kind"]), CORRECTION), False)
    return Episodes(
        indptr=indptr,
        nodes=keys[keys >= 0].astype(index_dtype(n_nodes)),
        time=_whole(rows["time"]).cast(pa.int64()).to_numpy(),
        outcome=_whole(rows["outcome"]).to_numpy(),
        counted=~corrects.to_numpy(zero_copy_only=False),
        n_learned=n_learned,
    )


def at_episode(number: int) -> str:
    """How a message calls an episode, numbered from 0."""
    return f"episode {number + 1}"


def batches(items: Any, where: Where = at_episode) -> Iterator[tuple[pa.Table, Where]]:
    """What a user passes as episodes, as tables of :data:`ROWS`, each with how to call its rows.

    Parameters
    ----------
    items : iterable of mappings with the keys of :data:`FIELDS`, or an Arrow table, record batch
        or reader with those columns; ``nodes`` alone is required
    where : how a message calls an episode

    Raises
    ------
    InputError
        an episode has no nodes, an unknown field, an outcome outside [-1, 1], no readable time
    """
    first = 0
    for table in _as_tables(items, where):
        place = functools.partial(_shifted, where, first)
        yield _cleaned(table, place), place
        first += table.num_rows


def _shifted(where: Where, first: int, row: int) -> str:
    return where(first + row)


def rows_of(items: Any) -> pa.Table:
    """:func:`batches` as one table."""
    return pa.concat_tables([ROWS.empty_table(), *(table for table, _ in batches(items))])


def taken(items: Any | None, known: pa.Array | None, n_nodes: int) -> Episodes | None:
    """What a user passes as episodes, as arrays; None is none.

    Raises
    ------
    InputError, NodeNotFoundError
        as :func:`batches` and :func:`check_known`
    """
    if items is None or isinstance(items, Episodes):
        return items
    rows = rows_of(items)
    check_known(rows, known, n_nodes)
    return of_rows(rows, known, n_nodes)


def check_known(
    rows: pa.Table, known: pa.Array | None, n_nodes: int, where: Where = at_episode
) -> None:
    """Refuse episodes that hold a node that the graph does not.

    Raises
    ------
    NodeNotFoundError
        with the first such node and its episode
    """
    lists = _whole(rows["nodes"])
    flat = pc.list_flatten(lists)
    missing = np.flatnonzero(_keys(flat, known, n_nodes) < 0)
    if missing.size:
        node = flat[int(missing[0])].as_py()
        row = pc.list_parent_indices(lists)[int(missing[0])].as_py()
        raise NodeNotFoundError(
            f"{where(row)}: no node {ids.shown(node)} among {n_nodes:,}"
            f"{ids.suggestion(node, known, n_nodes)}; add it before its use is recorded"
        )


def _keys(flat: pa.Array, known: pa.Array | None, n_nodes: int) -> npt.NDArray[np.int64]:
    """Keys of ids given as text, −1 where there is no such node."""
    if known is None:
        digits = pc.match_substring_regex(flat, r"^(0|[1-9][0-9]{0,17})$")
        keys = pc.fill_null(pc.if_else(digits, flat, None).cast(pa.int64()), -1).to_numpy()
        return np.where(keys < n_nodes, keys, -1)
    encoded = flat.dictionary_encode()
    found = pc.index_in(encoded.dictionary, value_set=known.cast(pa.string()))
    key = pc.fill_null(found, -1).to_numpy().astype(np.int64)
    out: npt.NDArray[np.int64] = key[encoded.indices.to_numpy()]
    return out


def _as_tables(items: Any, where: Where) -> Iterator[pa.Table]:
    if isinstance(items, pa.RecordBatch | pa.Table):
        yield pa.table({name: items[name] for name in items.schema.names})
    elif isinstance(items, pa.RecordBatchReader):
        yield from (pa.Table.from_batches([batch]) for batch in items)
    elif isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise InputError(
            "episodes: expected an iterable of mappings such as "
            f'{{"nodes": ["a", "b"], "outcome": 1.0}}, got {type(items).__name__}'
        )
    else:
        rest, first = iter(items), 0
        while chunk := list(islice(rest, BATCH)):
            yield _of_mappings(chunk, functools.partial(_shifted, where, first))
            first += len(chunk)


def _of_mappings(items: list[Any], where: Where) -> pa.Table:
    for row, item in enumerate(items):
        if not isinstance(item, Mapping) or "nodes" not in item:
            raise InputError(
                f'{where(row)}: expected a mapping with "nodes", got {ids.shown(item)}'
            )
        if isinstance(item["nodes"], str | bytes) or not isinstance(item["nodes"], Iterable):
            raise InputError(
                f"{where(row)}: nodes: expected a list of node ids, got {ids.shown(item['nodes'])}"
            )
    columns = {"nodes": [[_id(node) for node in item["nodes"]] for item in items]}
    for name in {name for item in items for name in item} - {"nodes"}:
        columns[name] = [item.get(name) for item in items]
    for name, values in columns.items():
        if name == "context":
            columns[name] = [_text(value) for value in values]
    out = {}
    for name, values in columns.items():
        try:
            out[name] = pa.array(values)
        except (pa.ArrowException, OverflowError, ValueError, TypeError) as error:
            raise InputError(
                f"{where(0)} to {where(len(items) - 1)}: {name}: expected values of one kind "
                f"({str(error).splitlines()[0]})"
            ) from None
    return pa.table(out)


def _id(node: Any) -> Any:
    return node if isinstance(node, bool) or not hasattr(node, "__index__") else str(int(node))


def _text(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else json.dumps(value, default=str)


def _cleaned(table: pa.Table, where: Where) -> pa.Table:
    unknown = sorted(map(str, set(table.column_names) - set(FIELDS)))
    if unknown or "nodes" not in table.column_names:
        said = f"unknown field {unknown[0]!r}" if unknown else "no field 'nodes'"
        raise InputError(f"episodes: {said}; expected {', '.join(FIELDS)}")
    columns = {name: _whole(table[name]) for name in table.column_names}
    now = pa.scalar(datetime.now(UTC), schema.TIME)
    nulls = pa.nulls(table.num_rows)
    times = parse_times(columns.get("time", nulls), name="time", where=where)
    out = {
        "time": pc.fill_null(times, now),
        "outcome": _outcomes(columns.get("outcome", nulls), where),
        "nodes": _distinct(columns["nodes"], where),
    }
    for name in ("id", "kind", "context"):
        out[name] = _strings(columns.get(name, nulls), name, where)
    return pa.table([out[name] for name in ROWS.names], schema=ROWS)


def _outcomes(column: pa.Array, where: Where) -> pa.Array:
    try:
        values = pc.fill_null(column.cast(pa.float64()), 0.0).to_numpy()
    except pa.ArrowException as error:
        raise InputError(
            f"outcome: expected numbers in [-1, 1] ({str(error).splitlines()[0]})"
        ) from None
    good = np.abs(values) <= 1
    if not good.all():
        row = int(np.argmin(good))
        raise InputError(f"{where(row)}: outcome {values[row]} is no number in [-1, 1]")
    return pa.array(values.astype(np.float32))


def _strings(column: pa.Array, name: str, where: Where) -> pa.Array:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if not (text or pa.types.is_null(kind) or pa.types.is_integer(kind)):
        raise InputError(f"{where(0)}: {name}: expected text, got {kind}")
    return column.cast(pa.string())


def _distinct(lists: pa.Array, where: Where) -> pa.Array:
    """Lists of ids as text, each id once, where it first stands."""
    kind = lists.type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)) or not (
        pa.types.is_string(kind.value_type)
        or pa.types.is_large_string(kind.value_type)
        or pa.types.is_integer(kind.value_type)
        or pa.types.is_null(kind.value_type)
    ):
        raise InputError(f"nodes: expected lists of node ids, text or integers, got {kind}")
    length = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    if not length.all():
        raise InputError(f"{where(int(np.argmin(length)))}: no nodes, expected at least one id")
    flat = pc.list_flatten(lists).cast(pa.string())
    row = np.repeat(np.arange(len(lists)), length)
    if flat.null_count:
        at = int(row[np.argmax(flat.is_null().to_numpy(zero_copy_only=False))])
        raise InputError(f"{where(at)}: a node is null, expected its id")
    encoded = flat.dictionary_encode()
    code = encoded.indices.to_numpy().astype(np.int64)
    _, kept = np.unique(row * (len(encoded.dictionary) + 1) + code, return_index=True)
    if kept.size < code.size:
        kept.sort()
        flat, row = flat.take(pa.array(kept)), row[kept]
    offsets = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(lists)))))
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), flat)


def _whole(column: Any) -> Any:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = pa.concat_arrays(column.chunks)
    return column
