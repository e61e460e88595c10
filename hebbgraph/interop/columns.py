"""Values of a column as the type that its role asks for."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph.errors import InputError
from hebbgraph.times import Where, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def plain(column: Any) -> Any:
    """Return `column` as a ChunkedArray, without dictionaries and with one kind of text."""
    if isinstance(column, pa.Array):
        column = pa.chunked_array([column])
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_large_string(column.type) or column.type == pa.string_view():
        column = column.cast(pa.string())
    return column


def is_json(kind: Any) -> bool:
    """Tell whether each value of a column of this type is JSON text of its own."""
    return isinstance(kind, pa.JsonType)


def values_of(column: Any) -> list[Any]:
    """Return the Python values of `column`, JSON parsed."""
    if not is_json(column.type):
        return list(column.to_pylist())
    texts = (text for chunk in column.chunks for text in chunk.storage.to_pylist())
    return [None if text is None else json.loads(text) for text in texts]


def as_ids(columns: Sequence[Any], roles: Sequence[str], where: Where) -> list[Any]:
    """Return every column as int64 if all are wholly integer, else every column as string.

    Text counts as integer only as an integer is written: no sign but minus, no leading zeros.

    Raises
    ------
    InputError
        a value is neither text nor a whole number
    """
    texts_or_ints = [
        _text_or_int(plain(column), role, where)
        for column, role in zip(columns, roles, strict=True)
    ]
    integers = []
    for column in texts_or_ints:
        converted = integers_from_text(column) if pa.types.is_string(column.type) else column
        if converted is None:
            return [other.cast(pa.string()) for other in texts_or_ints]
        integers.append(converted)
    return integers


def _text_or_int(column: Any, role: str, where: Where) -> Any:
    kind = column.type
    if pa.types.is_string(kind):
        return column
    if pa.types.is_null(kind):
        return column.cast(pa.string())
    if pa.types.is_integer(kind):
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            return column.cast(pa.string())
    if pa.types.is_floating(kind):
        # pandas turns a column of integers into floats as soon as one is missing.
        try:
            missing = pa.scalar(None, kind)
            return pc.if_else(pc.is_nan(column), missing, column).cast(pa.int64())
        except pa.ArrowInvalid:
            pass
    texts: list[str | None] = []
    for row, value in enumerate(values_of(column)):
        whole = isinstance(value, float) and value.is_integer()
        if value is None or (isinstance(value, float) and math.isnan(value)):
            texts.append(None)
        elif isinstance(value, str):
            texts.append(value)
        elif whole or (isinstance(value, int) and not isinstance(value, bool)):
            texts.append(str(int(value)))
        else:
            raise InputError(
                f"{where(row)}: {role} {quoted(_shown(value))} is neither text nor a whole number"
            )
    return pa.chunked_array([pa.array(texts, pa.string())])


def integers_from_text(column: Any) -> Any:
    """Read (n,) string as int64, or return None if any value is not written as an integer is."""
    chunks = []
    for chunk in column.chunks:
        try:
            numbers = chunk.cast(pa.int64())
        except pa.ArrowInvalid:
            return None
        # The cast alone would take "007", "-0" and "0x10".
        if not pc.all(pc.equal(numbers.cast(pa.string()), chunk)).as_py():
            return None
        chunks.append(numbers)
    return pa.chunked_array(chunks, pa.int64())


def as_text(column: Any, role: str, where: Where) -> Any:
    """Return `column` as string; numbers as written, anything nested as JSON.

    Raises
    ------
    InputError
        the type has no text
    """
    column = plain(column)
    if is_json(column.type):
        texts = [
            value if value is None or isinstance(value, str) else _shown(value)
            for value in values_of(column)
        ]
        return pa.chunked_array([pa.array(texts, pa.string())])
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(f"{where(0)}: {role} is of type {column.type}, expected text") from None


def as_floats(column: Any, role: str, where: Where) -> Any:
    """Return `column` as float64, null and NaN kept; InputError at a value that is no number."""
    return _numbers(column, pa.float64(), _float, role, "a number", where)


def as_int32(column: Any, role: str, where: Where) -> Any:
    """Return `column` as int32; InputError at a value that is no whole number of 32 bits."""
    return _numbers(column, pa.int32(), _int32, role, "a whole number of 32 bits", where)


def _numbers(
    column: Any, kind: Any, parse: Callable[[Any], Any], role: str, noun: str, where: Where
) -> Any:
    column = plain(column)
    castable = (
        pa.types.is_integer(column.type)
        or pa.types.is_floating(column.type)
        or pa.types.is_string(column.type)
        or pa.types.is_null(column.type)
    )
    if castable:
        try:
            return column.cast(kind)
        except pa.ArrowInvalid:
            pass
    numbers = []
    for row, value in enumerate(values_of(column)):
        try:
            numbers.append(None if value is None else parse(value))
        except (ValueError, TypeError, OverflowError):
            shown = quoted(_shown(value))
            raise InputError(f"{where(row)}: {role} {shown} is not {noun}") from None
    return pa.chunked_array([pa.array(numbers, kind)])


def _float(value: Any) -> float:
    if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
        raise ValueError
    return float(value)


def _int32(value: Any) -> int | None:
    number = _float(value)
    if math.isnan(number):
        return None
    if not number.is_integer() or not -(2**31) <= number < 2**31:
        raise ValueError
    return int(number)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def as_properties(columns: Mapping[str, Any]) -> Any:
    """Write one JSON object a row: (n,) string. Missing values are left out.

    Text stays text unless the whole column is written as numbers are.
    """
    pythonic = {name: _property_values(plain(column)) for name, column in columns.items()}
    objects = []
    for row in zip(*pythonic.values(), strict=True):
        pairs = zip(pythonic, row, strict=True)
        present = {key: value for key, value in pairs if not _is_missing(value)}
        objects.append(json.dumps(present, ensure_ascii=False, default=_json_scalar))
    return pa.chunked_array([pa.array(objects, pa.string())])


def _property_values(column: Any) -> list[Any]:
    if not pa.types.is_string(column.type):
        return [_finite_or_text(value) for value in values_of(column)]
    integers = integers_from_text(column)
    if integers is not None:
        return list(integers.to_pylist())
    texts = column.to_pylist()
    try:
        floats = [None if text is None else float(text) for text in texts]
    except ValueError:
        return list(texts)
    # "1.10" is more likely a version than a number.
    same = all(
        number is None
        or (math.isfinite(number) and text in (str(number), str(number).removesuffix(".0")))
        for text, number in zip(texts, floats, strict=True)
    )
    return floats if same else list(texts)


def _finite_or_text(value: Any) -> Any:
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _json_scalar(value: Any) -> str:
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)
