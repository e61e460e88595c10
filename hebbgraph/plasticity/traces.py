"""Activity traces: how much something was used, on several time constants at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import traces as kernel

from hebbgraph import check
from hebbgraph.errors import InputError, ParameterError

DAY = 86_400_000_000
TIME_CONSTANTS = (1.0, 7.0, 30.0)


@dataclass(frozen=True)
class Traces:
    """Decaying counts of the events of n rows (pairs, edges or nodes).

    At an event at time t every trace of the row becomes trace_i·e^(−Δt/τ_i) + 1, and its clock t.
    Clocks never run backwards: an event dated before the clock counts as at the clock.  So the
    state after two batches is that after one, to the bit, and reading changes nothing.

    Attributes
    ----------
    trace : (n, k) float32, ≥ 0, as of the clock
    clock : (n,) int64, UTC microseconds of the latest event; the least int64 if there was none
    time_constants : (k,) days, > 0: τ, after which e⁻¹ is left (a half-life is τ·ln 2)

    Notes
    -----
    A sum of exponentials on time constants in geometric progression follows a power law of
    forgetting (Anderson and Tweney 1997), as ACT-R has it; see
    :mod:`hebbgraph.plasticity.base_level`.  Unlike that, it needs no list of past events.
    """

    trace: npt.NDArray[np.float32]
    clock: npt.NDArray[np.int64]
    time_constants: tuple[float, ...] = TIME_CONSTANTS

    @classmethod
    def none(cls, n: int, time_constants: Sequence[float] = TIME_CONSTANTS) -> Traces:
        """Rows that have seen no event."""
        checked = checked_constants(time_constants)
        trace = np.zeros((n, len(checked)), np.float32)
        return cls(trace, np.full(n, kernel.NEVER, np.int64), checked)

    def after(self, rows: npt.ArrayLike, times: npt.ArrayLike) -> Traces:
        """The traces after some more events.

        Parameters
        ----------
        rows : (n_events,) int, in [0, n)
        times : (n_events,) int64, UTC microseconds, in order

        Raises
        ------
        InputError
            the two differ in length, or a row is out of range

        Examples
        --------
        >>> traces = Traces.none(2, [1.0]).after([0, 0], [0, DAY])
        >>> [round(float(level), 3) for level in traces.trace[:, 0]]
        [1.368, 0.0]
        >>> [round(float(level), 3) for level in traces.at(2 * DAY)[:, 0]]
        [0.503, 0.0]
        """
        which, when = np.asarray(rows, np.int64), np.asarray(times, np.int64)
        if which.shape != when.shape or which.ndim != 1:
            raise InputError(
                f"events: expected as many rows as times, got {which.shape} and {when.shape}"
            )
        if which.size and not 0 <= which.min() <= which.max() < self.clock.size:
            odd = int(np.flatnonzero((which < 0) | (which >= self.clock.size))[0])
            raise InputError(
                f"event {odd}: expected a row in [0, {self.clock.size}), got {which[odd]}"
            )
        out = Traces(self.trace.copy(), self.clock.copy(), self.time_constants)
        kernel.apply(which, when, microseconds(self.time_constants), out.trace, out.clock)
        return out

    def at(self, now: int) -> npt.NDArray[np.float32]:
        """What is left at a time: (n, k) float32; a time before the clock reads as the clock."""
        out = np.empty_like(self.trace)
        kernel.read(self.trace, self.clock, now, microseconds(self.time_constants), out)
        return out


def checked_constants(time_constants: Sequence[float]) -> tuple[float, ...]:
    """Time constants in days, or an error that names them."""
    if isinstance(time_constants, str) or not isinstance(time_constants, Sequence):
        raise ParameterError(
            f"time_constants: expected a list of days such as [1, 7, 30], got {time_constants!r}"
        )
    if not time_constants:
        raise ParameterError("time_constants: expected at least one number of days, got none")
    return tuple(
        check.number("time_constants", days, 0, 3_650_000, open_low=True) for days in time_constants
    )


def microseconds(days: Sequence[float]) -> npt.NDArray[np.float64]:
    """Days as microseconds."""
    out: npt.NDArray[Any] = np.asarray(days, np.float64) * DAY
    return out
