"""Activity traces: decaying counts of events, on several time constants at once."""

from __future__ import annotations

import numpy as np

from hebbgraph_kernels._jit import njit

NEVER = np.iinfo(np.int64).min
"""Clock of a row that has seen no event."""


@njit
def apply_one(row, time, constants, trace, clock):  # type: ignore[no-untyped-def]
    """One event: the row decays to the event's time, then every trace gains 1."""
    if clock[row] == NEVER:
        clock[row] = time
        trace[row, :] = 1
        return
    elapsed = max(time - clock[row], 0)
    for k in range(constants.size):
        trace[row, k] = trace[row, k] * np.exp(-elapsed / constants[k]) + 1.0
    clock[row] += elapsed


@njit
def apply(
    rows: np.ndarray, times: np.ndarray, constants: np.ndarray, trace: np.ndarray, clock: np.ndarray
) -> None:
    """Apply events in the order given, in place.

    Parameters
    ----------
    rows : (n_events,) int, the row that each event strengthens
    times : (n_events,) int64, microseconds; before the row's clock counts as at the clock
    constants : (k,) float64, microseconds, > 0
    trace : (n, k) float32
    clock : (n,) int64, microseconds; ``NEVER`` before the first event
    """
    for event in range(rows.size):
        apply_one(rows[event], times[event], constants, trace, clock)


@njit
def remaining(now, clock, constant):  # type: ignore[no-untyped-def]
    """Share of a trace that is left at ``now``: e^(−Δt/τ), 1 where the clock is ahead."""
    if clock == NEVER:
        return np.float32(0)
    return np.exp(np.float32(-max(now - clock, 0) / constant))


@njit
def read(
    trace: np.ndarray, clock: np.ndarray, now: int, constants: np.ndarray, out: np.ndarray
) -> None:
    """Traces as they stand at ``now``: out (n, k) float32."""
    for row in range(clock.size):
        for k in range(constants.size):
            out[row, k] = trace[row, k] * remaining(now, clock[row], constants[k])
