"""Traces and base-level activation against their equations, event by event."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbgraph.errors import InputError, ParameterError
from hebbgraph.plasticity.base_level import approximate_base_level, base_level
from hebbgraph.plasticity.traces import DAY, Traces

ROWS = 3
CONSTANTS = (1.0, 7.0, 30.0)
fast = settings(max_examples=80, deadline=None)
moments = st.integers(-40 * DAY, 40 * DAY)
event_lists = st.lists(st.tuples(st.integers(0, ROWS - 1), moments), max_size=12)

Uses = list[tuple[int, int]]


def naive_traces(events: Uses, now: int) -> list[list[float]]:
    """Each event decays what is there to its own time and adds one; clocks never run back."""
    out = []
    for row in range(ROWS):
        clock: int | None = None
        trace = [0.0] * len(CONSTANTS)
        for time in [time for which, time in events if which == row]:
            moved = time if clock is None else max(clock, time)
            past = 0 if clock is None else moved - clock
            trace = [
                value * math.exp(-past / (tau * DAY)) + 1
                for value, tau in zip(trace, CONSTANTS, strict=True)
            ]
            clock = moved
        left = 0 if clock is None else max(now - clock, 0)
        out.append(
            [
                value * math.exp(-left / (tau * DAY))
                for value, tau in zip(trace, CONSTANTS, strict=True)
            ]
        )
    return out


def traces_of(events: Uses, before: Traces | None = None) -> Traces:
    start = Traces.none(ROWS, CONSTANTS) if before is None else before
    return start.after([row for row, _ in events], [time for _, time in events])


@fast
@given(event_lists, moments)
def test_traces_follow_their_equation(events: Uses, now: int) -> None:
    got = traces_of(events).at(now)
    np.testing.assert_allclose(got, naive_traces(events, now), rtol=1e-5, atol=1e-6)
    assert got.dtype == np.float32


@fast
@given(event_lists, st.integers(0, 12))
def test_batches_do_not_matter(events: Uses, cut: int) -> None:
    once = traces_of(events)
    twice = traces_of(events[cut:], traces_of(events[:cut]))
    assert once.trace.tobytes() == twice.trace.tobytes()
    assert once.clock.tolist() == twice.clock.tolist()


@fast
@given(event_lists, st.integers(0, 30 * DAY), st.integers(0, 30 * DAY))
def test_decay_to_one_time_and_then_another_is_decay_to_the_other(
    events: Uses, first: int, second: int
) -> None:
    latest = max((time for _, time in events), default=0)
    traces = traces_of(events)
    between = traces.at(latest + first).astype(np.float64)
    then = between * np.exp(-second / (np.array(CONSTANTS) * DAY))
    np.testing.assert_allclose(traces.at(latest + first + second), then, rtol=1e-5, atol=1e-7)


@fast
@given(event_lists)
def test_what_is_read_changes_nothing(events: Uses) -> None:
    traces = traces_of(events)
    before = traces.trace.tobytes(), traces.clock.tobytes()
    traces.at(10**16)
    traces.after([0], [10**16])
    assert (traces.trace.tobytes(), traces.clock.tobytes()) == before


def test_an_event_of_a_slow_clock_counts_as_now() -> None:
    late = traces_of([(0, 10 * DAY), (0, 3 * DAY)])
    assert late.clock[0] == 10 * DAY
    assert late.trace[0].tolist() == [2.0, 2.0, 2.0]
    assert late.at(4 * DAY)[0].tolist() == [2.0, 2.0, 2.0]


def test_order_of_rows_does_not_matter() -> None:
    events = [(0, 5), (1, DAY), (0, 2 * DAY), (2, 3 * DAY)]
    assert traces_of(events).trace.tolist() == traces_of(sorted(events)).trace.tolist()


@pytest.mark.parametrize(
    ("rows", "times", "message"),
    [
        ([0, 1], [1], "as many rows as times"),
        ([0, 3], [1, 2], r"event 1: expected a row in \[0, 3\), got 3"),
        ([-1], [1], r"event 0: expected a row in \[0, 3\), got -1"),
    ],
)
def test_wrong_events(rows: list[int], times: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Traces.none(ROWS).after(rows, times)


@pytest.mark.parametrize("constants", [[], [0.0], [-1.0], [math.nan], "7", 7])
def test_wrong_constants(constants: Any) -> None:
    with pytest.raises(ParameterError, match="time_constants: expected"):
        Traces.none(1, constants)


# --- base-level activation ---

times_of_rows = st.lists(st.lists(st.integers(0, 10**13), max_size=6), min_size=1, max_size=4)
decays = st.sampled_from((0.2, 0.5, 0.9))


def naive_base_level(times: list[int], now: int, decay: float) -> float:
    total = sum(max((now - time) / 1e6, 1.0) ** -decay for time in times)
    return math.log(total) if total else -math.inf


@fast
@given(times_of_rows, st.integers(0, 2 * 10**13), decays)
def test_base_level_follows_its_equation(rows: list[list[int]], now: int, decay: float) -> None:
    indptr = np.cumsum([0, *(len(row) for row in rows)])
    times = np.array([time for row in rows for time in row], np.int64)
    got = base_level(indptr, times, now, decay=decay)
    expected = [naive_base_level(row, now, decay) for row in rows]
    np.testing.assert_allclose(got, expected, rtol=1e-9)


@fast
@given(times_of_rows, decays)
def test_the_approximation_is_exact_while_it_keeps_all(rows: list[list[int]], decay: float) -> None:
    now = 2 * 10**13
    recent = np.zeros((len(rows), 6), np.int64)
    for k, row in enumerate(rows):
        recent[k, : len(row)] = sorted(row, reverse=True)
    count = np.array([len(row) for row in rows])
    first = np.array([min(row, default=0) for row in rows])
    got = approximate_base_level(recent, count, first, now, decay=decay)
    expected = [naive_base_level(row, now, decay) for row in rows]
    np.testing.assert_allclose(got, expected, rtol=1e-9)


@pytest.mark.parametrize("decay", [0.3, 0.5, 0.8])
def test_the_approximation_is_close_for_regular_use(decay: float) -> None:
    times = np.arange(100) * 3_600_000_000
    now = 101 * 3_600_000_000
    latest = times[::-1][None, :10].copy()
    got = approximate_base_level(latest, np.array([100]), times[:1], now, decay=decay)
    assert got[0] == pytest.approx(naive_base_level(times.tolist(), now, decay), abs=0.02)


def test_the_approximation_of_a_burst() -> None:
    # All at one moment: nothing is spread, and nothing is divided by nought.
    burst = np.full((1, 2), 5_000_000)
    got = approximate_base_level(burst, np.array([7]), np.array([5_000_000]), 9_000_000)
    assert got[0] == pytest.approx(math.log(7 * 4**-0.5))


def test_wrong_decay_and_wrong_rows() -> None:
    with pytest.raises(ParameterError, match="decay: expected a number"):
        base_level(np.array([0]), np.array([], np.int64), 0, decay=0)
    with pytest.raises(InputError, match="indptr: expected to end at 1 times, got 2"):
        base_level(np.array([0, 2]), np.array([1]), 5)
