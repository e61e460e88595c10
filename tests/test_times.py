"""Time columns of every kind become UTC microseconds, or one line says why not."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hebbgraph.errors import InputError, ParameterError
from hebbgraph.times import parse_times

MOMENT = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
SECONDS = int(MOMENT.timestamp())


def where(row: int) -> str:
    return f"edges.csv line {row + 2}"


def parse(values: Any, unit: str | None = None) -> list[datetime | None]:
    column = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
    times = parse_times(column, name="time", where=where, unit=unit)
    assert isinstance(times, pa.Array)
    assert times.type == pa.timestamp("us", tz="UTC")
    return list(times.to_pylist())


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_naive_timestamps_are_utc(unit: str) -> None:
    naive = MOMENT.replace(tzinfo=None)
    assert parse(pa.array([naive, None], pa.timestamp(unit))) == [MOMENT, None]


def test_zoned_timestamps_are_converted() -> None:
    seoul = MOMENT.astimezone(timezone(timedelta(hours=9)))
    assert parse(pa.array([seoul], pa.timestamp("ms", tz="Asia/Seoul"))) == [MOMENT]


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64()])
def test_dates(kind: Any) -> None:
    column = pa.array([date(2024, 1, 2), None, date(1950, 5, 6)], kind)
    expected = [datetime(2024, 1, 2, tzinfo=UTC), None, datetime(1950, 5, 6, tzinfo=UTC)]
    assert parse(column) == expected


@pytest.mark.parametrize("factor", [1, 10**3, 10**6, 10**9])
def test_the_unit_of_epoch_numbers_follows_from_their_size(factor: int) -> None:
    assert parse([SECONDS * factor, None]) == [MOMENT, None]
    assert parse([str(SECONDS * factor), None]) == [MOMENT, None]


@pytest.mark.parametrize(
    ("unit", "factor"), [("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)]
)
def test_a_given_unit_wins_over_the_size(unit: str, factor: int) -> None:
    expected = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=7)
    assert parse([7 * factor], unit) == [expected]
    assert parse([7.0 * factor], unit) == [expected]
    assert parse([str(7 * factor)], unit) == [expected]


def test_small_integer_types_and_dictionaries() -> None:
    assert parse(pa.array([SECONDS], pa.uint32())) == [MOMENT]
    assert parse(pa.array(["2024-01-02T03:04:05Z"]).dictionary_encode()) == [MOMENT]
    assert parse(pa.chunked_array([["2024-01-02 03:04:05"], [None]])) == [MOMENT, None]
    assert parse(pa.array(["2024-01-02 03:04:05"], pa.string_view())) == [MOMENT]


def test_zero_fits_every_unit() -> None:
    assert parse([0, SECONDS * 1000])[1] == MOMENT


def test_floats_keep_fractions_and_nan_is_undated() -> None:
    assert parse([SECONDS + 0.25, float("nan")]) == [MOMENT + timedelta(seconds=0.25), None]
    assert parse([f"{SECONDS}.25", str(SECONDS)])[0] == MOMENT + timedelta(seconds=0.25)
    assert parse([Decimal(SECONDS)]) == [MOMENT]


def test_negative_epoch_numbers_lie_before_1970() -> None:
    assert parse([-86_400]) == [datetime(1969, 12, 31, tzinfo=UTC)]


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-02 03:04:05",
        "2024-01-02T03:04:05",
        "2024-01-02T03:04:05Z",
        "2024-01-02t03:04:05z",
        "2024-01-02T12:04:05+09:00",
        "2024-01-02T12:04:05+0900",
        "2024-01-02 12:04:05 +09:00",
        "2024-01-02 12:04:05+09",
        "2024-01-01T22:04:05-05:00",
        "20240102T030405Z",
        " 2024-01-02 03:04:05 ",
    ],
)
def test_iso_text(text: str) -> None:
    assert parse([text]) == [MOMENT]
    assert parse([None, text, text]) == [None, MOMENT, MOMENT]


def test_iso_fractions_dates_and_minutes() -> None:
    fraction = MOMENT + timedelta(microseconds=123_456)
    texts = [
        "2024-01-02T03:04:05.123456",
        "2024-01-02T03:04:05.123456789",
        "2024-01-02 03:04:05,123456",
        "2024-01-02",
        "2024-01-02 03:04",
        "",
    ]
    day = datetime(2024, 1, 2, tzinfo=UTC)
    assert parse(texts) == [fraction] * 3 + [day, day + timedelta(hours=3, minutes=4), None]


def test_one_odd_spelling_among_thousands_is_read() -> None:
    texts = ["2024-01-02 03:04:05"] * 3000
    texts[1700] = "20240102T030405"
    assert set(parse(texts)) == {MOMENT}


@pytest.mark.parametrize("column", [[None, None], [], ["", None]])
def test_all_undated(column: list[Any]) -> None:
    kind = pa.string() if "" in column else pa.null()
    assert parse(pa.array(column, kind)) == [None] * len(column)


@pytest.mark.parametrize("text", ["yesterday", "2024-02-30", "2024-13-01", "0x10", "NaT", "nan"])
def test_text_that_is_no_time(text: str) -> None:
    expected = f'^edges.csv line 3: time "{text}" is neither ISO 8601 nor an epoch number$'
    with pytest.raises(InputError, match=expected):
        parse(["2024-01-02", text, "2024-01-03"])


def test_the_row_is_right_deep_in_a_column() -> None:
    texts = ["2024-01-02 03:04:05"] * 5000
    texts[4321] = "2024-02-30"
    with pytest.raises(InputError, match=r'line 4323: time "2024-02-30" is neither'):
        parse(texts)


def test_messages_stay_on_one_short_line() -> None:
    with pytest.raises(InputError, match=r'^edges.csv line 2: time "a b+…" is neither[^\n]*$'):
        parse(["a\n" + "b" * 500])


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["2024-01-02", "2024-01-02T00:00Z", "2024-01-03"], r"line 3: time .* with a zone while"),
        (["2024-01-02T00:00Z", "2024-01-02T00:00Z", "2024-01-03"], r"line 4: time .* without zone"),
        (["2024-01-02", "2024-01-02T00:00Z"], r"line 3: time .* with a zone while"),
        (["2024-01-02", "17", "2024-01-03"], r'line 3: time "17" is an epoch number while'),
        (["17", "18", "2024-01-03"], r'line 4: time "2024-01-03" is ISO 8601 while others are an'),
    ],
)
def test_mixtures_name_the_first_of_the_minority(texts: list[str], expected: str) -> None:
    with pytest.raises(InputError, match=expected + r"[^\n]*write all times of the column alike$"):
        parse(texts)


@pytest.mark.parametrize("as_text", [False, True])
def test_units_that_differ(as_text: bool) -> None:
    values: list[Any] = [SECONDS, None, SECONDS * 1000, SECONDS]
    if as_text:
        values = [None if value is None else str(value) for value in values]
    expected = (
        rf"line 4: time {SECONDS}000 looks like milliseconds while the others look like seconds; "
        r"pass --time-unit"
    )
    with pytest.raises(InputError, match=expected):
        parse(values)
    with pytest.raises(InputError, match=r"line 2: time \d+ looks like seconds"):
        parse([SECONDS, SECONDS * 1000, SECONDS * 1000])


@pytest.mark.parametrize(
    ("column", "unit"),
    [
        (pa.array([0, 2**62]), "s"),
        (pa.array([0, -(2**63)]), "ms"),
        (pa.array([0, 2**64 - 1], pa.uint64()), None),
        (pa.array([0.0, 1e300]), None),
        (pa.array([0.0, float("inf")]), "s"),
        (pa.array(["0", "99999999999999999999"]), "us"),
        (pa.array([0, 2**60], pa.timestamp("s")), None),
        (pa.array([0, 2**31 - 1], pa.int32()).cast(pa.date32()), None),
    ],
)
def test_out_of_range(column: Any, unit: str | None) -> None:
    with pytest.raises(InputError, match=r"^edges.csv line 3: time \S+ is out of range, [^\n]+$"):
        parse(column, unit)


@pytest.mark.parametrize(
    "column", [pa.array([None, True]), pa.array([None, 1], pa.time32("s")), pa.array([None, [1]])]
)
def test_types_that_are_no_times(column: Any) -> None:
    with pytest.raises(InputError, match=r"line 3: time is of type .*, expected times"):
        parse(column)


def test_an_unknown_unit() -> None:
    with pytest.raises(ParameterError, match=r'time unit "h" is none of s, ms, us, ns'):
        parse([1], "h")


def test_agrees_with_datetime_on_random_moments() -> None:
    rng = np.random.default_rng(0)
    micros = rng.integers(-(10**15), 3 * 10**15, 500)
    moments = [datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(m)) for m in micros]
    assert parse([moment.isoformat() for moment in moments]) == moments
    assert parse([moment.replace(tzinfo=None).isoformat(" ") for moment in moments]) == moments
    assert parse(micros, "us") == moments
