"""Years that a query says, and what falls into them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check

_YEAR: Final = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(s)?(?!\d)")
UNDATED: Final = np.iinfo(np.int64).min


def period_of(query: str) -> tuple[int, int] | None:
    """First and last year that a query says; None where it says none.

    Examples
    --------
    >>> period_of("films of the 1950s"), period_of("between 2019 and 2021"), period_of("tea")
    ((1950, 1959), (2019, 2021), None)
    """
    years = [(int(year), int(year) + (9 if decade else 0)) for year, decade in _YEAR.findall(query)]
    return (min(a for a, _ in years), max(b for _, b in years)) if years else None


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
        for year in sorted({int(year) for year, _ in _YEAR.findall(text)})
    ]
    found = np.array(said, np.int64).reshape(-1, 2)
    return Years(found[:, 0].astype(np.int32), found[:, 1].astype(np.int16))


def within(
    years: Years, updated: npt.NDArray[np.int64] | None, period: tuple[int, int], *, size: int
) -> npt.NDArray[np.bool_]:
    """Which passages are of a period: dated in it, or undated and saying a year of it.

    Parameters
    ----------
    updated : (size,) UTC microseconds, smallest int64 where undated; None where all are
    period : first and last year
    size : number of passages
    """
    first, last = period
    begin, end = (
        check.microseconds("period", datetime(year, 1, 1, tzinfo=UTC)) for year in (first, last + 1)
    )
    says = np.zeros(size, np.bool_)
    says[years.passage[(years.year >= first) & (years.year <= last)]] = True
    if updated is None:
        return says
    return np.where(updated == UNDATED, says, (updated >= begin) & (updated < end))
