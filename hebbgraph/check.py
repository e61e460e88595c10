"""Ranges of options, checked once at the edge of the API."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hebbgraph.errors import ParameterError


def number(
    name: str,
    value: float,
    low: float,
    high: float = math.inf,
    *,
    open_low: bool = False,
) -> float:
    """``value`` if it lies in [low, high], or (low, high] if ``open_low``."""
    bracket = "(" if open_low else "["
    ceiling = "∞)" if math.isinf(high) else f"{high:g}]"
    wanted = f"expected a number in {bracket}{low:g}, {ceiling}"
    if isinstance(value, bool) or (not isinstance(value, int | float) and not _is_number(value)):
        raise ParameterError(f"{name}: {wanted}, got {value!r}")
    inside = (value > low if open_low else value >= low) and value <= high
    try:
        found = float(value)
    except OverflowError:
        inside = False
    if not inside or math.isinf(found):
        raise ParameterError(f"{name}: {wanted}, got {value!r}")
    return found


def _is_number(value: object) -> bool:
    return getattr(value, "shape", None) == () and hasattr(value, "__float__")


def integer(name: str, value: int, low: int, high: int | None = None) -> int:
    """``value`` if it is a whole number in [low, high]."""
    ceiling = "∞)" if high is None else f"{high}]"
    if (
        isinstance(value, bool)
        or not hasattr(value, "__index__")
        or value < low
        or (high is not None and value > high)
    ):
        raise ParameterError(f"{name}: expected a whole number in [{low}, {ceiling}, got {value!r}")
    return int(value)


def choice(name: str, value: str, allowed: Sequence[str]) -> str:
    """``value`` if it is one of ``allowed``."""
    if value not in allowed:
        raise ParameterError(f"{name}: expected one of {', '.join(allowed)}, got {value!r}")
    return value


def duration(name: str, value: timedelta | float) -> timedelta:
    """A positive ``timedelta``; a bare number is days."""
    if not isinstance(value, timedelta):
        number(name, value, 0, 3_650_000, open_low=True)
        value = timedelta(days=float(value))
    if value <= timedelta(0):
        raise ParameterError(f"{name}: expected a duration above 0 days, got {value}")
    return value


def microseconds(name: str, moment: datetime | None) -> int:
    """UTC microseconds since 1970 of an aware datetime; None is now."""
    if moment is None:
        moment = datetime.now(UTC)
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        raise ParameterError(f"{name}: expected a datetime with a time zone, got {moment!r}")
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
