"""Node ids: from what a user has (text or integers) to dense keys and back."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import casting
from hebbgraph.errors import InputError, NodeNotFoundError

SHOWN = 40
"""Characters of an id that a message shows."""


def shown(value: object) -> str:
    """An id for a message: quoted, escaped where invisible, cut where long."""
    text = str(value)
    cut = text if len(text) <= SHOWN else text[:SHOWN] + "…"
    visible = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in cut)
    return f'"{visible}"'


def key(node: str | int, known: pa.Array | None, n_nodes: int) -> int:
    """Key of a node id; ``known`` holds ids by key, None where ids are the keys.

    Raises
    ------
    NodeNotFoundError
        no node has that id
    """
    if known is None:
        text = str(node)
        # No key has twenty digits, and int() refuses thousands.
        found = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
        if 0 <= found < n_nodes:
            return found
    else:
        try:
            found = pc.index(known, pa.scalar(node).cast(known.type)).as_py()
        except (ValueError, TypeError, NotImplementedError, OverflowError, pa.ArrowException):
            found = -1
        if found >= 0:
            return int(found)
    raise NodeNotFoundError(
        f"no node {shown(node)} among {n_nodes:,}{suggestion(node, known, n_nodes)}"
    )


def suggestion(wanted: object, known: pa.Array | None, n_nodes: int) -> str:
    """What a message adds for an id that is not known: near ones, or what ids look like."""
    if known is None:
        return f"; ids are the integers 0 to {n_nodes - 1}"
    if not pa.types.is_string(known.type):
        return ""
    # Half a surrogate pair is in no id, and Arrow cannot look for it.
    pattern = str(wanted)[:200].encode("utf-8", "replace").decode()
    near = known.filter(pc.match_substring(known, pattern=pattern, ignore_case=True))
    if not len(near):
        return ""
    nearest = np.argsort(pc.utf8_length(near).to_numpy(), kind="stable")[:3]
    return "; did you mean " + ", ".join(map(shown, near.take(pa.array(nearest)).to_pylist())) + "?"


def escaped(value: object) -> str:
    """An id for a message in ASCII, so that look-alikes can be told apart."""
    return ascii(str(value)[:SHOWN])


def confusion(one: str, other: str) -> InputError:
    """The error for two ids that :func:`normalise` makes the same."""
    return InputError(
        f"ids {one} and {other} differ only in Unicode normalisation or blanks; "
        "merge them with --ids normalize (ids='normalize') or keep them apart with --ids exact"
    )


def as_ids(values: Any, *, name: str, where: Callable[[int], str]) -> pa.Array:
    """Ids as one Arrow array of ``string`` or ``int64`` without nulls.

    Raises
    ------
    InputError
        an id is null, or is neither text nor an integer of 64 bits
    """
    try:
        array = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
    except casting.REFUSALS as error:
        raise InputError(
            f"{name}: expected ids that are all text or all integers below 2^63, got a mixture "
            f"({casting.brief(error)}); convert them to text"
        ) from None
    if not isinstance(array, pa.Array | pa.ChunkedArray):
        raise InputError(f"{name}: expected ids that are text or integers, got {array!r}")
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        if isinstance(array, pa.ChunkedArray):
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if array.null_count:
        row = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
        raise InputError(
            f"{where(row)}: {name} is empty, expected an id; fill it in or drop the row"
        )
    if pa.types.is_integer(array.type):
        try:
            return array.cast(pa.int64())
        except pa.ArrowInvalid:
            raise InputError(
                f"{name}: expected integers below 2^63, got {array.type} beyond it; "
                "convert them to text"
            ) from None
    if pa.types.is_large_string(array.type) or pa.types.is_string_view(array.type):
        array = array.cast(pa.string())
    if pa.types.is_string(array.type):
        blank = pc.index(array, "").as_py()
        if blank >= 0:
            raise InputError(
                f"{where(blank)}: {name} is empty, expected an id; fill it in or drop the row"
            )
        return array
    if len(array) == 0:
        return array.cast(pa.string())
    raise InputError(f"{name}: expected ids that are text or integers, got {array.type}")


def unify(arrays: Sequence[pa.Array]) -> list[pa.Array]:
    """Arrays of ids with one type: text as soon as one of them is text."""
    kinds = {array.type for array in arrays}
    return list(arrays) if len(kinds) <= 1 else [array.cast(pa.string()) for array in arrays]


def sort_order(ids: pa.Array) -> npt.NDArray[np.int64]:
    """Positions of ``ids`` in ascending order: integers by value, text by code point."""
    order: npt.NDArray[np.int64] = pc.sort_indices(ids).to_numpy().astype(np.int64)
    return order


def is_sorted(ids: pa.Array) -> bool:
    """Whether ``ids`` ascend strictly."""
    return len(ids) < 2 or bool(pc.all(pc.less(ids[:-1], ids[1:])).as_py())


def place(ids: pa.Array | None, n_nodes: int) -> npt.NDArray[np.int64]:
    """Position of each key in id order, (n_nodes,) int64: what breaks last ties."""
    if ids is None or is_sorted(ids):
        return np.arange(n_nodes)
    out = np.empty(n_nodes, np.int64)
    out[sort_order(ids)] = np.arange(n_nodes)
    return out


def distinct(arrays: Sequence[pa.Array]) -> pa.Array:
    """Every id in ``arrays`` once, ascending."""
    ids = pc.unique(pa.chunked_array(list(arrays)))
    return ids.take(pa.array(sort_order(ids)))


def look_up(
    values: pa.Array, ids: pa.Array, *, name: str, where: Callable[[int], str]
) -> npt.NDArray[np.int64]:
    """Key of every id in ``values``: (len(values),) int64.

    Raises
    ------
    InputError
        a value is not among ``ids``
    """
    values, ids = unify([values, ids])
    keys = pc.index_in(values, value_set=ids)
    if keys.null_count:
        row = int(np.flatnonzero(keys.is_null().to_numpy(zero_copy_only=False))[0])
        raise InputError(
            f"{where(row)}: {name} {shown(values[row])} is not among the {len(ids):,} node ids; "
            "add it to them"
        )
    found: npt.NDArray[np.int64] = keys.to_numpy().astype(np.int64)
    return found


def check_unique(ids: pa.Array, *, where: Callable[[int], str]) -> None:
    """Refuse an id that stands twice."""
    counts = pc.value_counts(ids)
    if len(counts) == len(ids):
        return
    counted = counts.field("counts").to_numpy()
    twice = counts.field("values")[int(np.flatnonzero(counted > 1)[0])]
    rows = np.flatnonzero(pc.equal(ids, twice).to_numpy(zero_copy_only=False))
    raise InputError(
        f"{where(int(rows[1]))}: node id {shown(twice)} stands there and at "
        f"{where(int(rows[0]))}, expected once; drop one"
    )


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def normalise(ids: pa.Array) -> pa.Array:
    """Ids in Unicode form NFC, without blanks at the ends or doubled inside."""
    if not pa.types.is_string(ids.type):
        return ids
    tidy = pc.and_(
        pc.string_is_ascii(ids), pc.invert(pc.match_substring_regex(ids, r"^\s|\s$|\s\s|[^\S ]"))
    )
    if pc.all(tidy).as_py():
        return ids
    return pa.array([_plain(text) for text in ids.to_pylist()], pa.string())


def confusable(ids: pa.Array) -> tuple[Any, Any] | None:
    """Two different ids that :func:`normalise` makes the same, if there are any."""
    plain = normalise(ids)
    if plain is ids or len(pc.unique(plain)) == len(ids):
        return None
    first: dict[str, int] = {}
    for row, text in enumerate(plain.to_pylist()):
        if text in first:
            return ids[first[text]].as_py(), ids[row].as_py()
        first[text] = row
    return None


def first_row(columns: Sequence[pa.Array], wanted: Any) -> int:
    """First row at which ``wanted`` stands in any of several aligned columns."""
    found = (pc.index(column, pa.scalar(wanted, column.type)).as_py() for column in columns)
    return min(int(row) for row in found if row >= 0)
