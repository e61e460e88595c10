"""Where a search looks: sets, kinds, tags and times, told before anything is ranked."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.edgelist import UNDATED
from hebbgraph.errors import ParameterError
from hebbgraph.retrieval.catalogue import Catalogue
from hebbgraph.retrieval.periods import calendar

Bools = npt.NDArray[np.bool_]
Names = str | Collection[str] | None
Moment = datetime | str | None

_PART_OF_DATE: Final = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_WORDS: Final = {"node_set": "node set", "kind": "kind", "tags": "tag"}
_MOST_NAMED: Final = 12
_INSTANT: Final = timedelta(microseconds=1)
_LAST_DAY: Final = (9999, 12, 31)


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What passages must be to be found; None and an empty collection leave all.

    Attributes
    ----------
    node_set, kind, tags : a name or several, of which a passage's document must have one
    since, until : moments, both included; passages without a date are left out where one is given
    as_of : moment after which passages are not known yet; those without a date are

    A moment is a datetime with a time zone or ISO 8601 text, UTC where that says no zone.  A text
    may name a year, a month or a day: ``since`` begins with it, the others end with it.
    """

    node_set: Names = None
    kind: Names = None
    tags: Names = None
    since: Moment = None
    until: Moment = None
    as_of: Moment = None


def moment(name: str, value: Moment, *, last: bool) -> datetime | None:
    """A moment as it was given, aware; of a year, month or day its last or its first.

    Raises
    ------
    ParameterError
        it is no aware datetime and no such text

    Examples
    --------
    >>> str(moment("until", "2021-02", last=True))
    '2021-02-28 23:59:59.999999+00:00'
    """
    if not isinstance(value, str):
        if value is not None:
            check.microseconds(name, value)
        return value
    part = _PART_OF_DATE.fullmatch(value.strip())
    try:
        if part is None:
            found = datetime.fromisoformat(value.strip())
            return found if found.tzinfo else found.replace(tzinfo=UTC)
        year, month, day = (int(one or 0) for one in part.groups())
        if not last:
            return datetime(year, month or 1, day or 1, tzinfo=UTC)
        if (year, month or 12, day or 31) == _LAST_DAY:
            return datetime.max.replace(tzinfo=UTC)  # calendar() would say what comes after
        return calendar(year, month, day)[1] - _INSTANT
    except (ValueError, OverflowError):
        raise ParameterError(
            f"{name}: expected ISO 8601 such as 2021, 2021-03, 2021-03-05 or 2021-03-05T12:00Z, "
            f"got {value!r}"
        ) from None


def allowed(known: Catalogue, filters: Filters) -> tuple[Bools, Bools, str]:
    """Passages that pass all filters.

    Returns
    -------
    inside : (n,) bool, those that do
    once : (n,) bool, of them each text once
    note : what is unknown, and what there is

    Raises
    ------
    ParameterError
        a name is no text, a moment cannot be read, or ``since`` lies after ``until``
    """
    inside = np.ones(known.first.size, np.bool_)
    notes: list[str] = []
    for name, word in _WORDS.items():
        wanted = _names(name, getattr(filters, name))
        if wanted:
            held = known.rows_by[name]
            own = np.zeros(inside.size, np.bool_)
            for one in wanted & held.keys():
                own[held[one]] = True
            inside &= own
            notes += _unknown(word, wanted, held)
    inside &= _in_time(known, filters, notes)
    if inside.size and not inside.any() and not notes:
        notes.append("no passage passes all filters together")
    return inside, _once(inside, known.first), "; ".join(notes)


def _names(name: str, value: Names) -> frozenset[str]:
    listed = (value,) if isinstance(value, str) else value
    if listed is None:
        return frozenset()
    if not isinstance(listed, Iterable) or not all(isinstance(one, str) for one in listed):
        raise ParameterError(f"{name}: expected a name or names, got {value!r}")
    return frozenset(listed)


def _unknown(
    word: str, wanted: frozenset[str], held: Mapping[str, npt.NDArray[np.int64]]
) -> list[str]:
    """A note on the names that no passage has; the commonest of those there are."""
    missing = sorted(wanted - held.keys())
    if not missing:
        return []
    listed = sorted(held, key=lambda one: (-held[one].size, one))
    there = ", ".join(listed[:_MOST_NAMED]) + (" …" if len(listed) > _MOST_NAMED else "")
    told = f"there are {there}" if listed else "there are none"
    return [f"nothing has the {word} {', '.join(map(repr, missing))}; {told}"]


def _in_time(known: Catalogue, filters: Filters, notes: list[str]) -> Bools:
    since, until, as_of = (
        None if at is None else check.microseconds(name, at)
        for name, at in (
            ("since", moment("since", filters.since, last=False)),
            ("until", moment("until", filters.until, last=True)),
            ("as_of", moment("as_of", filters.as_of, last=True)),
        )
    )
    if since is not None and until is not None and since > until:
        raise ParameterError(
            f"since: expected a moment before until, got {filters.since} and {filters.until}"
        )
    dated = known.times != UNDATED
    inside = np.ones(dated.size, np.bool_)
    if since is not None or until is not None:
        inside &= dated
        if dated.size and not dated.any():
            notes.append("no passage has a date")
    if since is not None:
        inside &= known.times >= since
    for last in (until, as_of):
        if last is not None:
            inside &= known.times <= last
    return inside


def _once(inside: Bools, first: npt.NDArray[np.int64]) -> Bools:
    """Of passages of the same words one that is inside: the first of all, else the next."""
    original = first == np.arange(first.size)
    out: Bools = inside & original
    others = np.flatnonzero(inside & ~original)
    others = others[~inside[first[others]]]
    _, place = np.unique(first[others], return_index=True)
    out[others[place]] = True
    return out
