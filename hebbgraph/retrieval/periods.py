"""Years that a query says, and what falls into them."""

from __future__ import annotations

import re
from collections.abc import Sequence
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


def within(
    texts: Sequence[str], updated: npt.NDArray[np.int64] | None, period: tuple[int, int]
) -> npt.NDArray[np.bool_]:
    """Which passages are of a period: dated in it, or undated and saying a year of it.

    Parameters
    ----------
    updated : (n,) UTC microseconds, smallest int64 where undated; None where all are
    period : first and last year
    """
    first, last = period
    begin, end = (
        check.microseconds("period", datetime(year, 1, 1, tzinfo=UTC)) for year in (first, last + 1)
    )
    dated = np.full(len(texts), UNDATED) if updated is None else updated
    inside = (dated >= begin) & (dated < end)
    for row in np.flatnonzero(dated == UNDATED).tolist():
        inside[row] = any(first <= int(year) <= last for year, _ in _YEAR.findall(texts[row]))
    return inside
