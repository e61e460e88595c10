"""Edge lists in canonical form: dense keys, sorted, one row an identity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import casting, ids
from hebbgraph.errors import InputError

IdPolicy = Literal["strict", "normalize", "exact"]
INT32_LIMIT = 2**31 - 1
UNDATED = np.iinfo(np.int64).min
DEFAULT_RELATION = "related"


def at_row(row: int) -> str:
    """How a message calls row ``row`` (from 0) of data that has no file."""
    return f"row {row + 1}"


def index_dtype(n_nodes: int) -> type[np.int32] | type[np.int64]:
    """int32 while every key fits, then int64."""
    return np.int32 if n_nodes <= INT32_LIMIT else np.int64


@dataclass(frozen=True)
class CanonicalEdges:
    """Rows to keep, sorted by (source, target, relation).

    Attributes
    ----------
    source, target : (m,) int64 keys
    relation : (m,) int32 codes
    row : (m,) int64, first input row of each edge
    group : (m,) int64 offsets into ``order`` where each edge's input rows begin
    order : (kept rows,) int64, input rows grouped by edge
    duplicates, self_loops : input rows merged, and dropped
    """

    source: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    relation: npt.NDArray[np.int32]
    row: npt.NDArray[np.int64]
    group: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]
    duplicates: int
    self_loops: int

    def latest(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Largest value among the input rows of each edge."""
        if not self.duplicates:
            return values[self.order]
        out: npt.NDArray[Any] = np.maximum.reduceat(values[self.order], self.group)
        return out


def canonicalise(
    source: npt.NDArray[np.int64],
    target: npt.NDArray[np.int64],
    relation: npt.NDArray[np.int32] | None,
    *,
    n_nodes: int,
    n_relations: int,
    directed: bool,
) -> CanonicalEdges:
    """Sort, drop self-loops and find duplicates.

    An undirected edge is kept once, from its smaller to its larger key.
    """
    kept = source != target
    self_loops = source.size - int(np.count_nonzero(kept))
    rows = np.flatnonzero(kept) if self_loops else None
    if rows is not None:
        source, target = source[rows], target[rows]
        relation = relation[rows] if relation is not None else None
    if not directed:
        source, target = np.minimum(source, target), np.maximum(source, target)
    order, fresh = _sort(source, target, relation, n_nodes, n_relations)
    group = np.flatnonzero(fresh)
    head = order[group]
    first = np.minimum.reduceat(order, group) if group.size < order.size and group.size else head
    return CanonicalEdges(
        source=source[head],
        target=target[head],
        relation=relation[head] if relation is not None else np.zeros(head.size, np.int32),
        row=first if rows is None else rows[first],
        group=group,
        order=order if rows is None else rows[order],
        duplicates=order.size - group.size,
        self_loops=self_loops,
    )


def _sort(
    source: npt.NDArray[np.int64],
    target: npt.NDArray[np.int64],
    relation: npt.NDArray[np.int32] | None,
    n_nodes: int,
    n_relations: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Sorting permutation, and where a new identity begins in it."""
    several = n_relations if relation is not None else 1
    if n_nodes**2 * max(several, 1) < 2**63:
        key = source * n_nodes + target
        if relation is not None and several > 1:
            key *= several
            key += relation
        ascending = key.size < 2 or bool(np.all(key[1:] >= key[:-1]))
        order = np.arange(key.size) if ascending else np.argsort(key)
        key = key[order]
        fresh = np.ones(key.size, np.bool_)
        np.not_equal(key[1:], key[:-1], out=fresh[1:])
        return order, fresh
    codes = relation if relation is not None else np.zeros(source.size, np.int32)
    order = np.lexsort((codes, target, source))
    fresh = np.zeros(order.size, np.bool_)
    fresh[:1] = True
    for column in (source, target, codes):
        ordered = column[order]
        fresh[1:] |= ordered[1:] != ordered[:-1]
    return order, fresh


def keys_of(
    source: Any,
    target: Any,
    *,
    node_ids: Any | None,
    integers_are_keys: bool,
    id_policy: IdPolicy,
    where: Callable[[int], str] = at_row,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], pa.Array | None, int]:
    """Map the two id columns to keys.

    Returns
    -------
    source, target : (rows,) int64
    node_ids : ids by key, or None where ids are the keys
    n_nodes : int

    Raises
    ------
    InputError
        an id is null, unknown, negative where it is a key, or two ids differ only in
        Unicode normalisation or blanks and ``id_policy`` is ``"strict"``
    """
    tail = ids.as_ids(source, name="source", where=where)
    head = ids.as_ids(target, name="target", where=where)
    if len(tail) != len(head):
        raise InputError(
            f"expected source and target of one length, got {len(tail):,} and {len(head):,}"
        )
    tail, head = ids.unify([tail, head])
    integers = pa.types.is_integer(tail.type)
    if node_ids is None and integers and integers_are_keys:
        return _as_keys(tail, head, where)
    if node_ids is None:
        tail, head, known = _name_nodes(tail, head, id_policy, where)
    else:
        known = ids.as_ids(node_ids, name="node_ids", where=at_row)
        ids.check_unique(known, where=at_row)
        if integers and pa.types.is_string(known.type):
            source_key, target_key, _, n_nodes = _as_keys(tail, head, where)
            if n_nodes > len(known):
                raise InputError(
                    f"node key {n_nodes - 1} is beyond the {len(known):,} node_ids; "
                    "expected keys from 0 below their number"
                )
            return source_key, target_key, known, len(known)
    source_key = ids.look_up(tail, known, name="source", where=where)
    target_key = ids.look_up(head, known, name="target", where=where)
    n_nodes = len(known)
    return source_key, target_key, None if _are_keys(known) else known, n_nodes


def _as_keys(
    tail: pa.Array, head: pa.Array, where: Callable[[int], str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], None, int]:
    source, target = tail.to_numpy(), head.to_numpy()
    for name, column in (("source", source), ("target", target)):
        if column.size and column.min() < 0:
            row = int(np.argmax(column < 0))
            raise InputError(
                f"{where(row)}: {name} {column[row]} is negative, expected node keys from 0; "
                "pass node_ids, or use from_arrow for arbitrary integer ids"
            )
    n_nodes = int(max(source.max(initial=-1), target.max(initial=-1))) + 1
    if n_nodes > 64 * (2 * source.size + 1024):
        raise InputError(
            f"node key {n_nodes - 1} with only {source.size:,} edges: integers are node keys "
            "0 … n−1 here; pass node_ids, or use from_arrow for arbitrary integer ids"
        )
    return source, target, None, n_nodes


def _name_nodes(
    tail: pa.Array, head: pa.Array, policy: IdPolicy, where: Callable[[int], str]
) -> tuple[pa.Array, pa.Array, pa.Array]:
    if policy == "normalize":
        tail, head = ids.normalise(tail), ids.normalise(head)
    known = ids.distinct([tail, head])
    if policy == "strict":
        pair = ids.confusable(known)
        if pair is not None:
            first, second = sorted((ids.first_row([tail, head], one), one) for one in pair)
            raise ids.confusion(
                f"{ids.escaped(first[1])} ({where(first[0])})",
                f"{ids.escaped(second[1])} ({where(second[0])})",
            )
    return tail, head, known


def _are_keys(known: pa.Array) -> bool:
    if not pa.types.is_integer(known.type) or not len(known):
        return False
    values = known.to_numpy()
    return bool(values[0] == 0 and values[-1] == len(values) - 1 and ids.is_sorted(known))


def relation_codes(
    relation: Any | None, rows: int, *, where: Callable[[int], str] = at_row
) -> tuple[npt.NDArray[np.int32] | None, tuple[str, ...]]:
    """Codes and names of a relation column, names ascending.

    ``relation`` is None (all edges ``related``), one name for all, or a column.

    Raises
    ------
    InputError
        a relation is null or not text
    """
    if relation is None or isinstance(relation, str):
        return None, (relation or DEFAULT_RELATION,) if rows else ()
    wanted = "one name, or a name for each edge"
    column = casting.column_of(relation, "relation", wanted)
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], pa.string())
    if len(column) != rows:
        raise InputError(f"expected a relation for each of {rows:,} edges, got {len(column):,}")
    if pa.types.is_dictionary(column.type) and (
        column.dictionary.null_count or not pa.types.is_string(column.type.value_type)
    ):
        column = column.dictionary_decode()
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise InputError(
            f"{where(row)}: relation is empty, expected a name; fill it in or leave the column out"
        )
    if not pa.types.is_dictionary(column.type):
        if not rows:
            return None, ()
        column = casting.cast(column, pa.string(), "relation", wanted, where).dictionary_encode()
    names = column.dictionary
    order = ids.sort_order(names)
    code = np.empty(len(names), np.int32)
    code[order] = np.arange(len(names), dtype=np.int32)
    return code[column.indices.to_numpy()], tuple(names.take(pa.array(order)).to_pylist())


def tidy_relations(
    codes: npt.NDArray[np.int32], names: tuple[str, ...]
) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """The same relations with the names in use only, ascending: the one canonical form."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(names)))
    kept = sorted({names[code] for code in used})
    if tuple(kept) == names:
        return codes, names
    new = np.zeros(len(names), np.int32)
    new[used] = [kept.index(names[code]) for code in used]
    return new[codes], tuple(kept)


def weights(
    weight: Any | None,
    rows: int,
    *,
    lowest: float = 0.0,
    where: Callable[[int], str] = at_row,
) -> npt.NDArray[np.float32]:
    """Weights as (rows,) float32; 1.0 where none are given.

    Raises
    ------
    InputError
        a weight is missing, not finite, or below ``lowest``
    """
    if weight is None:
        return np.ones(rows, np.float32)
    values, missing = _numbers(weight, rows)
    good = (np.abs(values) <= np.finfo(np.float32).max) & (values >= lowest)
    if not good.all():
        row = int(np.argmin(good))
        raise InputError(
            f"{where(row)}: weight {values[row]} is not a finite number of at least {lowest:g}"
            f"{' (an empty cell)' if missing[row] else ''}; correct it or drop the row"
        )
    return values.astype(np.float32)


def _numbers(weight: Any, rows: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Weights as (rows,) float64, not a number where missing; and where they are missing."""
    wanted = f"weight: expected one number, or one for each of {rows:,} edges"
    try:
        if isinstance(weight, pa.Array | pa.ChunkedArray):
            missing = np.asarray(weight.is_null())
            values = pc.fill_null(weight.cast(pa.float64()), np.nan).to_numpy()
        else:
            held = weight if isinstance(weight, np.ndarray) else np.asarray(weight)
            if held.dtype.kind not in "biufOU":
                raise InputError(f"{wanted}, got {held.dtype}")
            missing = np.ma.getmaskarray(held)
            values = np.ma.filled(held.astype(np.float64), np.nan)
    except InputError:
        raise
    except casting.REFUSALS as error:
        raise InputError(f"{wanted} ({casting.brief(error)})") from None
    if values.shape not in ((), (rows,)):
        raise InputError(f"{wanted}, got an array of shape {values.shape}")
    return np.broadcast_to(values, (rows,)), np.broadcast_to(missing, (rows,))
