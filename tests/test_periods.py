"""Times that a query says."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import hebbgraph
from hebbgraph.cli.main import main
from hebbgraph.edgelist import UNDATED
from hebbgraph.retrieval.periods import calendar, period_of, within, years_of

NOW = datetime(2021, 3, 10, 15, tzinfo=UTC)  # a Wednesday
EARLIEST, LATEST = date(1, 1, 1), date(9999, 12, 31)


def span(query, now=NOW):
    found = period_of(query, now)
    return found and tuple(one.date() for one in found)


@pytest.mark.parametrize(
    ("query", "first", "end"),
    [
        ("in 1850", "1850-01-01", "1851-01-01"),
        ("films of the 1950s", "1950-01-01", "1960-01-01"),
        ("1950년대 영화", "1950-01-01", "1960-01-01"),
        ("between 2019 and 2021", "2019-01-01", "2022-01-01"),
        ("2010-2012", "2010-01-01", "2013-01-01"),
        ("season 2019-20", "2019-01-01", "2020-01-01"),
        ("March 2021", "2021-03-01", "2021-04-01"),
        ("MAR. of 2021", "2021-03-01", "2021-04-01"),
        ("december, 2020", "2020-12-01", "2021-01-01"),
        ("2021-03", "2021-03-01", "2021-04-01"),
        ("2021/03", "2021-03-01", "2021-04-01"),
        ("2021년 3월에", "2021-03-01", "2021-04-01"),
        ("2021年3月", "2021-03-01", "2021-04-01"),
        ("２０２１년 ３월", "2021-03-01", "2021-04-01"),
        ("2021-03-05", "2021-03-05", "2021-03-06"),
        ("2021.3.5", "2021-03-05", "2021-03-06"),
        ("5 March 2021", "2021-03-05", "2021-03-06"),
        ("the 1st of March, 2021", "2021-03-01", "2021-03-02"),
        ("March 5, 2021", "2021-03-05", "2021-03-06"),
        ("2021년 3월 5일에", "2021-03-05", "2021-03-06"),
        ("2021-02-30", "2021-02-01", "2021-03-01"),
        ("March to May 2021", "2021-03-01", "2021-06-01"),
        ("from March to May 2021", "2021-03-01", "2021-06-01"),
        ("between March and May 2021", "2021-03-01", "2021-06-01"),
        ("2021년 3월부터 5월까지", "2021-03-01", "2021-06-01"),
        ("from March 2020 to May 2021", "2020-03-01", "2021-06-01"),
        ("2021-03-01..2021-03-15", "2021-03-01", "2021-03-16"),
        ("today", "2021-03-10", "2021-03-11"),
        ("어제 회의", "2021-03-09", "2021-03-10"),
        ("this week", "2021-03-08", "2021-03-15"),
        ("last week", "2021-03-01", "2021-03-08"),
        ("지난주 회의", "2021-03-01", "2021-03-08"),
        ("last month", "2021-02-01", "2021-03-01"),
        ("지난 달", "2021-02-01", "2021-03-01"),
        ("last year", "2020-01-01", "2021-01-01"),
        ("작년", "2020-01-01", "2021-01-01"),
        ("올해", "2021-01-01", "2022-01-01"),
        ("the last 3 days", "2021-03-08", "2021-03-11"),
        ("past 2 months", "2021-01-11", "2021-03-11"),
        ("최근 2주", "2021-02-25", "2021-03-11"),
        ("3일 전", "2021-03-07", "2021-03-08"),
        ("2 years ago", "2019-01-01", "2020-01-01"),
        ("2020년 전체 매출", "2020-01-01", "2021-01-01"),
        ("after 2019 and before 2022", "2020-01-01", "2022-01-01"),
    ],
)  # fmt: skip
def test_a_query_says_a_time(query, first, end):
    assert span(query) == (date.fromisoformat(first), date.fromisoformat(end))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("since 2019", (date(2019, 1, 1), LATEST)),
        ("2019년 이후", (date(2019, 1, 1), LATEST)),
        ("2019년 3월부터", (date(2019, 3, 1), LATEST)),
        ("after March 2021", (date(2021, 4, 1), LATEST)),
        ("before 2020", (EARLIEST, date(2020, 1, 1))),
        ("2020년 이전", (EARLIEST, date(2020, 1, 1))),
        ("2020년 전에", (EARLIEST, date(2020, 1, 1))),
        ("until June 2020", (EARLIEST, date(2020, 7, 1))),
        ("2020년까지", (EARLIEST, date(2021, 1, 1))),
    ],
)
def test_a_time_can_be_open(query, expected):
    assert span(query) == expected


@pytest.mark.parametrize(
    "query", ["", "tea", "in may", "march on", "version 12021", "item 20210", "ISO 8601", "x2021y",
              "1" * 100_000, "last 3 " * 9_000, "march " * 9_000, "from " * 9_000]
)  # fmt: skip
def test_other_texts_say_none(query):
    assert period_of(query, NOW) is None


def test_long_queries_take_no_longer_than_they_are():
    assert span("2021 " * 20_000) == (date(2021, 1, 1), date(2022, 1, 1))


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 1)), st.text(max_size=30))
def test_any_text_at_any_time_is_read(now, text):
    for query in (text, "last week, 999 years ago, the last 999 months, 지난달, 1999 " + text):
        found = period_of(query, now.replace(tzinfo=UTC))
        assert found is None or all(one.tzinfo is UTC for one in found)


def test_relative_times_are_those_of_utc():
    east = timezone(timedelta(hours=9))
    assert span("today", datetime(2021, 3, 11, 1, tzinfo=east)) == (
        date(2021, 3, 10), date(2021, 3, 11)
    )  # fmt: skip


@given(st.dates(date(1000, 1, 1), date(2099, 12, 31)))
def test_every_spelling_of_a_day_is_that_day(day):
    month = day.strftime("%B")
    spelled = [
        f"{day:%Y-%m-%d}", f"{day.year}/{day.month}/{day.day}", f"{day.day} {month} {day.year}",
        f"{month[:3]} {day.day}, {day.year}", f"{day.year}년 {day.month}월 {day.day}일",
    ]  # fmt: skip
    for one in spelled:
        assert span(f"on {one}") == (day, day + timedelta(days=1))
    assert calendar(day.year, day.month, day.day)[0].date() == day


def test_undated_texts_are_of_the_times_that_they_say():
    texts = ["In 2021.", "In March 2021.", "On 5 March 2021.", "Since April 2021.", "Tea.", "x"]
    years = years_of(texts)
    times = np.array([UNDATED] * 5 + [int(NOW.timestamp() * 1e6)])
    march = period_of("March 2021", NOW)
    assert within(years, texts, times, march).tolist() == [False, True, True, False, False, True]
    assert within(years, texts, None, march).tolist() == [False, True, True, False, False, False]
    only = np.array([True, True, False, True, True, False])
    assert within(years, texts, times, march, only).tolist() == [
        False,
        True,
        False,
        False,
        False,
        False,
    ]


def test_through_a_memory_and_the_command(tmp_path):
    memory = hebbgraph.Memory(tmp_path / "data.lance")
    memory.add([
        {"id": "feb", "time": "2021-02-27", "text": "Standup notes of the team."},
        {"id": "mar", "time": "2021-03-03", "text": "Standup notes of the team, again."},
        {"id": "said", "text": "Standup notes of 4 March 2021."},
    ])  # fmt: skip

    def ids(query):
        return {hit.document_id for hit in memory.search(query, search_type="temporal", now=NOW)}

    assert ids("standup notes of March 2021") == {"mar", "said"}
    assert ids("지난주 standup") == {"mar", "said"}
    assert ids("standup before March 2021") == {"feb"}
    assert ids("standup 1999") == set()
    assert "no time" in memory.find("standup", search_type="temporal").note
    shown = CliRunner().invoke(main, ["search", str(memory.store.path), "standup in Feb 2021",
                                      "--type", "temporal"])  # fmt: skip
    assert "feb#0" in shown.output
    assert "mar#0" not in shown.output
