"""Time columns of any kind, as UTC microseconds.

A missing time (null, NaN, empty text) means *undated* and stays null. An epoch number whose unit
is not given is judged by its magnitude: below 1e11 it counts seconds (until the year 5138), below
1e14 milliseconds, below 1e17 microseconds, else nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph.errors import InputError, ParameterError

UTC_MICROSECONDS: Final[Any] = pa.timestamp("us", tz="UTC")
UNITS: Final = ("s", "ms", "us", "ns")

_MICROSECONDS_IN: Final = {"d": 86_400_000_000, "s": 1_000_000, "ms": 1_000, "us": 1}
_UNIT_BOUNDS: Final = (1e11, 1e14, 1e17)
_UNIT_WORDS: Final = ("seconds", "milliseconds", "microseconds", "nanoseconds")
_INT64_MAX: Final = 2**63 - 1
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_NUMBER: Final = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_DATE: Final = r"^([0-9]{4}-|[0-9]{8}[Tt ])"
_ZONED: Final = r"[Tt ].*([zZ]|[+-][0-9]{2}(:?[0-9]{2})?)$"

# Below this many values, a Python loop costs less than another failed cast.
_LOOP_LENGTH: Final = 512

Where = Callable[[int], str]


def parse_times(
    column: pa.Array | pa.ChunkedArray, *, name: str, where: Where, unit: str | None = None
) -> pa.Array:
    """Return `column` as times in UTC.

    Parameters
    ----------
    column : (n,) timestamps (zoned, or naive and then taken as UTC), dates, integers or floats
        (epoch numbers), or text (all ISO 8601 with a zone, all without, or all epoch numbers)
    name : what messages call the column
    where : maps a 0-based row to the text that names it, such as ``edges.csv line 812``
    unit : of epoch numbers: one of "s", "ms", "us", "ns"; None infers it

    Returns
    -------
    times : (n,) timestamp[us, UTC], null where undated; what is finer than a microsecond is cut off

    Raises
    ------
    InputError
        a value is no time, is out of range, or differs in kind from its column
    ParameterError
        `unit` is none of the four
    """
    if unit is not None and unit not in UNITS:
        raise ParameterError(f'time unit "{unit}" is none of s, ms, us, ns')
    values = _one_array(column)
    kind = values.type
    if pa.types.is_null(kind):
        return pa.nulls(len(values), UTC_MICROSECONDS)
    if pa.types.is_timestamp(kind):
        micros = _scaled(values.cast(pa.int64()), kind.unit, name, where)
    elif pa.types.is_date32(kind):
        micros = _scaled(values.cast(pa.int32()).cast(pa.int64()), "d", name, where)
    elif pa.types.is_date64(kind):
        micros = _scaled(values.cast(pa.int64()), "ms", name, where)
    elif pa.types.is_integer(kind):
        micros = _from_integers(values, unit, name, where)
    elif pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        micros = _from_floats(values.cast(pa.float64(), safe=False), unit, name, where)
    elif pa.types.is_large_string(kind):
        micros = _from_text(values, unit, name, where)
    else:
        row = _first(values.is_valid())
        raise InputError(
            f"{where(max(row, 0))}: {name} is of type {kind}, "
            "expected times, ISO 8601 text or epoch numbers"
        )
    return micros.cast(pa.timestamp("us")).cast(UTC_MICROSECONDS)


def quoted(value: object) -> str:
    """Put `value` between quotes, as one short line for a message."""
    text = " ".join(str(value).split())
    return f'"{text[:60]}…"' if len(text) > 61 else f'"{text}"'


def _one_array(column: Any) -> Any:
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_string(kind) or kind == pa.string_view():
        # 32-bit offsets would overflow when the chunks are joined.
        column = column.cast(pa.large_string())
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks()
    return column


def _first(mask: Any) -> int:
    """Return the first row where a boolean array is true, or -1."""
    return int(pc.index(mask, pa.scalar(True)).as_py())


def _out_of_range(row: int, value: object, name: str, where: Where) -> InputError:
    return InputError(
        f"{where(row)}: {name} {value} is out of range, "
        "expected a time that 64 bits of microseconds can hold; check the unit (--time-unit)"
    )


def _scaled(ticks: Any, unit: str, name: str, where: Where) -> Any:
    """Turn `ticks` ((n,) int64 in `unit`) into microseconds."""
    if unit == "ns":
        return pc.divide(ticks, 1000)
    factor = _MICROSECONDS_IN[unit]
    if factor == 1:
        return ticks
    limit = _INT64_MAX // factor
    ends = pc.min_max(ticks).as_py()
    if ends["min"] is not None and (ends["min"] < -limit or ends["max"] > limit):
        row = _first(pc.or_(pc.less(ticks, -limit), pc.greater(ticks, limit)))
        raise _out_of_range(row, ticks[row], name, where)
    return pc.multiply(ticks, factor)


def _from_integers(values: Any, unit: str | None, name: str, where: Where) -> Any:
    if pa.types.is_uint64(values.type):
        row = _first(pc.greater(values, pa.scalar(_INT64_MAX, pa.uint64())))
        if row >= 0:
            raise _out_of_range(row, values[row], name, where)
    ticks = values.cast(pa.int64())
    if unit is None:
        unit = _inferred_unit(ticks.cast(pa.float64(), safe=False), values, name, where)
    return _scaled(ticks, unit, name, where)


def _from_floats(values: Any, unit: str | None, name: str, where: Where) -> Any:
    values = pc.if_else(pc.is_nan(values), pa.scalar(None, pa.float64()), values)
    row = _first(pc.is_inf(values))
    if row >= 0:
        raise _out_of_range(row, values[row], name, where)
    if unit is None:
        unit = _inferred_unit(values, values, name, where)
    micros = pc.divide(values, 1e3) if unit == "ns" else pc.multiply(values, _MICROSECONDS_IN[unit])
    row = _first(pc.greater_equal(pc.abs(micros), float(2**63)))
    if row >= 0:
        raise _out_of_range(row, values[row], name, where)
    return pc.round(micros).cast(pa.int64())


def _inferred_unit(values: Any, shown: Any, name: str, where: Where) -> str:
    """Find the unit that the magnitudes of `values` ((n,) float64) agree on; 0 fits any."""
    sizes = pc.abs(values)
    sizes = pc.if_else(pc.equal(sizes, 0.0), pa.scalar(None, pa.float64()), sizes)
    ends = pc.min_max(sizes).as_py()
    if ends["min"] is None:
        return UNITS[0]
    low, high = np.searchsorted(_UNIT_BOUNDS, [ends["min"], ends["max"]], side="right")
    if low == high:
        return UNITS[int(low)]
    rows = np.flatnonzero(sizes.is_valid().to_numpy(zero_copy_only=False))
    units = np.searchsorted(_UNIT_BOUNDS, sizes.drop_null().to_numpy(), side="right")
    counts = np.bincount(units, minlength=4)
    usual = int(units[0]) if counts[units[0]] == counts.max() else int(counts.argmax())
    odd = int(np.flatnonzero(units != usual)[0])
    row = int(rows[odd])
    raise InputError(
        f"{where(row)}: {name} {shown[row]} looks like {_UNIT_WORDS[int(units[odd])]} while the "
        f"others look like {_UNIT_WORDS[usual]}; pass --time-unit (s, ms, us or ns)"
    )


def _from_text(values: Any, unit: str | None, name: str, where: Where) -> Any:
    """Read (n,) large_string as microseconds; the usual shapes take one cast."""
    text = pc.utf8_trim_whitespace(values)
    text = pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.large_string()), text)
    # Arrow casts "0x10" to an integer, which is no epoch number here.
    if not pc.any(pc.match_substring(text, "x", ignore_case=True)).as_py():
        ticks = _cast_or_none(text, pa.int64())
        if ticks is not None:
            return _from_integers(ticks, unit, name, where)
    for kind in (pa.timestamp("us"), UTC_MICROSECONDS):
        times = _cast_or_none(text, kind)
        if times is not None:
            return times.cast(pa.int64())
    return _from_mixed_text(text, unit, name, where)


def _cast_or_none(values: Any, kind: Any) -> Any:
    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        return None


def _from_mixed_text(text: Any, unit: str | None, name: str, where: Where) -> Any:
    number = pc.match_substring_regex(text, _NUMBER)
    dated = pc.match_substring_regex(text, _DATE)
    row = _first(pc.invert(pc.or_(number, dated)))
    if row >= 0:
        raise _not_a_time(row, text[row], name, where)
    zoned = pc.and_(dated, pc.match_substring_regex(text, _ZONED))
    naive = pc.and_not(dated, zoned)
    _refuse_mixture((number, dated), ("an epoch number", "ISO 8601"), text, name, where)
    _refuse_mixture((zoned, naive), ("a time with a zone", "without zone"), text, name, where)
    if pc.any(number).as_py():
        return _from_floats(text.cast(pa.float64()), unit, name, where)
    has_zone = bool(pc.any(zoned).as_py())
    chunks = _iso_chunks(text, _arrow_spelling(text), 0, has_zone, name, where)
    return pa.chunked_array(chunks, pa.int64()).combine_chunks()


def _refuse_mixture(
    masks: tuple[Any, Any], words: tuple[str, str], text: Any, name: str, where: Where
) -> None:
    counts = [int(pc.sum(mask).as_py() or 0) for mask in masks]
    if not all(counts):
        return
    firsts = [_first(mask) for mask in masks]
    # Of two equally frequent kinds, the one that appears later is the odd one.
    odd = min((0, 1), key=lambda kind: (counts[kind], -firsts[kind]))
    row = firsts[odd]
    raise InputError(
        f"{where(row)}: {name} {quoted(text[row])} is {words[odd]} while others are "
        f"{words[1 - odd]}; write all times of the column alike"
    )


def _not_a_time(row: int, value: object, name: str, where: Where) -> InputError:
    return InputError(
        f"{where(row)}: {name} {quoted(value)} is neither ISO 8601 nor an epoch number"
    )


def _arrow_spelling(text: Any) -> Any:
    """Spell ISO 8601 as Arrow casts it: six digits of fraction, no space before a zone."""
    text = pc.replace_substring_regex(text, r"([0-9]),([0-9])", r"\1.\2")
    text = pc.replace_substring_regex(text, r"(\.[0-9]{6})[0-9]+", r"\1")
    text = pc.replace_substring_regex(text, r" ([zZ]|[+-][0-9:]+)$", r"\1")
    return pc.utf8_upper(text)


def _iso_chunks(
    text: Any, spelled: Any, offset: int, zoned: bool, name: str, where: Where
) -> list[Any]:
    """Read each part as microseconds; parts that Arrow refuses are halved, then read one by one."""
    times = _cast_or_none(spelled, UTC_MICROSECONDS if zoned else pa.timestamp("us"))
    if times is not None:
        return [times.cast(pa.int64())]
    if len(text) <= _LOOP_LENGTH:
        return [_iso_loop(text, spelled, offset, name, where)]
    half = len(text) // 2
    left = _iso_chunks(text[:half], spelled[:half], offset, zoned, name, where)
    return left + _iso_chunks(text[half:], spelled[half:], offset + half, zoned, name, where)


def _iso_loop(text: Any, spelled: Any, offset: int, name: str, where: Where) -> Any:
    micros: list[int | None] = []
    for index, value in enumerate(spelled.to_pylist()):
        if value is None:
            micros.append(None)
            continue
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            raise _not_a_time(offset + index, text[index], name, where) from None
        if time.tzinfo is None:
            time = time.replace(tzinfo=UTC)
        micros.append((time - _EPOCH) // timedelta(microseconds=1))
    return pa.array(micros, pa.int64())
