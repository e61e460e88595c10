"""Times that a query says, and what falls into them.

Understood, in English and Korean: years (2021, 2021년), decades (1950s, 1950년대), months
(2021-03, 2021/03, March 2021, Mar. 2021, 2021년 3월), days (2021-03-05, 2021.3.5, 5 March 2021,
March 5, 2021, 2021년 3월 5일), months of one year (March to May 2021, 2021년 3월부터 5월); today,
yesterday, this and last week, month and year, the last n days, weeks, months or years, n of them
ago (오늘, 어제, 이번 주, 지난주, 이번 달, 지난달, 올해, 작년, 최근 3일, 3일 전); since, from,
after, before, until and through ahead of one of these, 이후, 부터, 이전, 전 and 까지 behind it.
Several make one span, from the first to the last.  All is UTC; weeks begin on Monday.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.edgelist import UNDATED
from hebbgraph.rowwise import several

Period = tuple[datetime, datetime]
"""First moment, and the first one after."""

_ALWAYS: Final = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_NAME: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_ANY_YEAR: Final = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(s)?(?!\d)")
_YEAR: Final = r"(?:1[0-9]{3}|20[0-9]{2})"
_MONTH: Final = r"(?:0?[1-9]|1[0-2])(?![0-9])"
_DAY: Final = r"(?:0?[1-9]|[12][0-9]|3[01])(?![0-9])"
_TH: Final = r"(?:st|nd|rd|th)?"
_TO: Final = r"\s*(?:to|and|until|through|till|[-–~])\s*"
# The first that fits at a place is taken, so the longer stand before their beginnings.
_SAID: Final = re.compile(
    rf"""(?<![0-9a-z])(?:
    (?P<y0>{_YEAR})(?P<sign>[-/.])(?P<m0>{_MONTH})(?P=sign)(?P<d0>{_DAY})
  | (?P<y1>{_YEAR})[년年]\s*(?P<m1>{_MONTH})[월月]\s*(?P<d1>{_DAY})[일日]
  | (?P<d2>[0-9]{{1,2}}){_TH}\s+(?:of\s+)?(?P<m2>{_NAME}),?\s+(?P<y2>{_YEAR})
  | (?P<m3>{_NAME})\s+(?P<d3>[0-9]{{1,2}}){_TH},?\s+(?P<y3>{_YEAR})
  | (?:from\s+)?(?P<m4>{_NAME}){_TO}(?P<n4>{_NAME}),?\s+(?:of\s+)?(?P<y4>{_YEAR})
  | (?P<y5>{_YEAR})[년年]\s*(?P<m5>{_MONTH})[월月]?\s*(?:부터|에서|[-–~])\s*
    (?P<n5>{_MONTH})[월月](?:까지)?
  | (?P<y6>{_YEAR})[년年]\s*(?P<m6>{_MONTH})[월月]
  | (?P<m7>{_NAME}),?\s+(?:of\s+)?(?P<y7>{_YEAR})
  | (?P<y8>{_YEAR})[-/](?P<m8>0[1-9]|1[0-2])
  | (?P<ten>(?:1[0-9]{{2}}|20[0-9])0)(?:s|년대)
  | (?P<y9>{_YEAR})[년年]?
    )(?![0-9])""",
    re.VERBOSE | re.IGNORECASE,
)
_UNIT: Final = r"(days?|weeks?|months?|years?|일|주일?|개월|달|년)"
_RELATIVE: Final = (
    (re.compile(r"\btoday\b|오늘", re.I), "day", 0),
    (re.compile(r"\byesterday\b|어제", re.I), "day", 1),
    (re.compile(r"\bthis week\b|이번\s?주", re.I), "week", 0),
    (re.compile(r"\b(?:last|previous|past) week\b|(?:지난|저번)\s?주", re.I), "week", 1),
    (re.compile(r"\bthis month\b|이번\s?달|이달", re.I), "month", 0),
    (re.compile(r"\b(?:last|previous|past) month\b|(?:지난|저번)\s?달", re.I), "month", 1),
    (re.compile(r"\bthis year\b|올해|금년", re.I), "year", 0),
    (re.compile(r"\b(?:last|previous|past) year\b|작년|지난\s?해", re.I), "year", 1),
)
_JEON: Final = "전(?=에|의|까지|[^가-힣]|$)"  # 전체 is "all", not "before"
_AGO: Final = re.compile(rf"(?<![0-9])([0-9]{{1,3}})\s?{_UNIT}(?:\s+ago\b|\s?{_JEON})", re.I)
_LATEST: Final = re.compile(
    rf"(?:\b(?:last|past)\s+|(?:최근|지난)\s?)([0-9]{{1,3}})\s?{_UNIT}", re.I
)
_BEFORE: Final = re.compile(r"\b(since|from|after|before|until|till|through)\s+(?:the\s+)?$", re.I)
_LONGEST: Final = len("through   the   ")  # of what _BEFORE finds
_AFTER: Final = re.compile(rf"\s?(이후|부터|이전|까지|{_JEON})")
_OPEN: Final = {
    "since": (0, None), "from": (0, None), "이후": (0, None), "부터": (0, None), "after": (1, None),
    "before": (None, 0), "이전": (None, 0), "전": (None, 0),
    "until": (None, 1), "till": (None, 1), "through": (None, 1), "까지": (None, 1),
}  # fmt: skip
"""Which end of a period begins and which ends what a word beside it makes open."""


def calendar(year: int, month: int = 0, day: int = 0) -> Period:
    """A year, or its month, or a day of that.

    Raises
    ------
    ValueError, OverflowError
        there is no such day
    """
    begin = datetime(year, month or 1, day or 1, tzinfo=UTC)
    if day:
        return begin, begin + timedelta(days=1)
    months = year * 12 + (month or 12)
    return begin, datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)


def period_of(query: str, now: datetime) -> Period | None:
    """The span of the times that a query says; None where it says none.

    Parameters
    ----------
    now : aware, from which relative times count

    Examples
    --------
    >>> now = datetime(2021, 3, 10, tzinfo=UTC)
    >>> for text in ("films of the 1950s", "March 2021", "지난주", "tea"):
    ...     found = period_of(text, now)
    ...     print(found and " ".join(str(one.date()) for one in found))
    1950-01-01 1960-01-01
    2021-03-01 2021-04-01
    2021-03-01 2021-03-08
    None
    """
    text = unicodedata.normalize("NFKC", query)
    said = [*_absolute(text), *_relative(text, now.astimezone(UTC))]
    begins, ends = [], []
    for start, stop, period in said:
        before = _BEFORE.search(text[max(start - _LONGEST, 0) : start])
        after = _AFTER.match(text, stop)
        word = before[1].casefold() if before else after[1] if after else ""
        begin, end = _OPEN.get(word, (0, 1))
        begins += [] if begin is None else [period[begin]]
        ends += [] if end is None else [period[end]]
    if not said:
        return None
    return min(begins, default=_ALWAYS[0]), max(ends, default=_ALWAYS[1])


def _absolute(text: str) -> Iterator[tuple[int, int, Period]]:
    """Where a text says a date, and which."""
    for match in _SAID.finditer(text):
        found = {name[0]: value for name, value in match.groupdict().items() if value}
        if "t" in found:
            first = int(found["t"])
            yield match.start(), match.end(), (calendar(first)[0], calendar(first + 9)[1])
            continue
        year, month = int(found["y"]), _month(found.get("m", ""))
        try:
            period = calendar(year, month, int(found.get("d", 0)))
        except (ValueError, OverflowError):
            period = calendar(year, month)
        if "n" in found:
            period = period[0], max(period[1], calendar(year, _month(found["n"]))[1])
        yield match.start(), match.end(), period


def _month(said: str) -> int:
    if not said or said.isdigit():
        return int(said or 0)
    return _MONTHS.index(said[:3].casefold()) + 1


def _relative(text: str, now: datetime) -> Iterator[tuple[int, int, Period]]:
    for pattern, unit, back in _RELATIVE:
        for match in pattern.finditer(text):
            yield match.start(), match.end(), _unit_before(now, unit, back)
    for match in _AGO.finditer(text):
        # "전" is part of what was found: it does not make the period open.
        yield match.start(), match.end(), _unit_before(now, _unit(match[2]), int(match[1]))
    for match in _LATEST.finditer(text):
        begin = _unit_before(now, "day", 0)[1]
        unit, number = _unit(match[2]), int(match[1])
        if unit in ("day", "week"):
            begin -= timedelta(days=number * (7 if unit == "week" else 1))
        else:
            back = number * (12 if unit == "year" else 1)
            months = max(begin.year * 12 + begin.month - 1 - back, 12)
            day = min(begin.day, (calendar(months // 12, months % 12 + 1)[1] - timedelta(1)).day)
            begin = datetime(months // 12, months % 12 + 1, day, tzinfo=UTC)
        yield match.start(), match.end(), (begin, _unit_before(now, "day", 0)[1])


def _unit(word: str) -> str:
    korean = {
        "일": "day",
        "주": "week",
        "주일": "week",
        "개월": "month",
        "달": "month",
        "년": "year",
    }
    return korean.get(word) or word.casefold().rstrip("s")


def _unit_before(now: datetime, unit: str, back: int) -> Period:
    """The day, week, month or year so many before that of a moment."""
    if unit in ("day", "week"):
        day = datetime(now.year, now.month, now.day, tzinfo=UTC)
        begin = day - timedelta(days=back if unit == "day" else day.weekday() + 7 * back)
        return begin, begin + timedelta(days=1 if unit == "day" else 7)
    if unit == "year":
        return calendar(max(now.year - back, 1))
    months = max(now.year * 12 + now.month - 1 - back, 12)
    return calendar(months // 12, months % 12 + 1)


@dataclass(frozen=True, eq=False, repr=False)
class Years:
    """Years that passages say.

    Attributes
    ----------
    passage : (m,) int32, ascending
    year : (m,) int16, in [1000, 2099]; each pair once
    """

    passage: npt.NDArray[np.int32]
    year: npt.NDArray[np.int16]


def years_of(texts: Iterable[str]) -> Years:
    """The years that each of some texts says, ascending."""
    said = [
        (row, year)
        for row, text in enumerate(texts)
        for year in sorted({int(year) for year, _ in _ANY_YEAR.findall(text)})
    ]
    found = np.array(said, np.int64).reshape(-1, 2)
    return Years(found[:, 0].astype(np.int32), found[:, 1].astype(np.int16))


def within(
    years: Years,
    texts: Sequence[str],
    times: npt.NDArray[np.int64] | None,
    period: Period,
    allowed: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.bool_]:
    """Which passages are of a period: dated in it, or undated and saying a date inside it.

    Parameters
    ----------
    years : that the texts say
    times : (n,) UTC microseconds, smallest int64 where undated; None where all are
    allowed : (n,) bool, passages that are looked at; all where None
    """
    begin, end = (check.microseconds("period", one) for one in period)
    dated = np.full(len(texts), UNDATED) if times is None else times
    looked_at = np.ones(len(texts), np.bool_) if allowed is None else allowed
    inside = looked_at & (dated >= begin) & (dated < end)
    says = np.zeros(len(texts), np.bool_)
    says[years.passage[(years.year >= period[0].year) & (years.year <= period[1].year)]] = True
    rows = np.flatnonzero(looked_at & (dated == UNDATED) & says).tolist()
    for row, text in zip(rows, several(texts, rows), strict=True):
        inside[row] = any(
            period[0] <= one[0] and one[1] <= period[1] for _, _, one in _absolute(text)
        )
    return inside
