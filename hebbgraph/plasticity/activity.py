"""What use leaves behind: events, and the state they make.

An event is "target came after source"; an ordered episode is a row of such events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import activity as kernel
from hebbgraph_kernels import csr
from hebbgraph_kernels.traces import NEVER

from hebbgraph.errors import InputError
from hebbgraph.plasticity.traces import checked_constants, microseconds

TIME_CONSTANTS = (1 / 24, 1.0, 7.0, 30.0)
"""An hour, a day, a week, a month: for prediction the last hour matters too."""

FADING = 0.5
"""What a step back in an episode counts, against the step after it."""

Ints = npt.NDArray[Any]


@dataclass(frozen=True)
class Events:
    """Uses in order of time.

    Attributes
    ----------
    source, target : (n,) int32, node keys, never equal
    time : (n,) int64, UTC microseconds
    context_indptr, context : CSR of (n + 1,) int64 and int32: nodes of the same episode up to and
        with the source, oldest first, each once; empty where there is no episode
    cue_indptr, cue : the same for nodes that are sought, such as those a question names
    """

    source: Ints
    target: Ints
    time: Ints
    context_indptr: Ints
    context: Ints
    cue_indptr: Ints
    cue: Ints

    @classmethod
    def of(
        cls,
        source: npt.ArrayLike,
        target: npt.ArrayLike,
        time: npt.ArrayLike,
        *,
        context: Sequence[Sequence[int]] | None = None,
        cue: Sequence[Sequence[int]] | None = None,
    ) -> Events:
        """Events from columns.

        Raises
        ------
        InputError
            the columns differ in length, a key is negative, or an event goes from a node to itself
        """
        start, end = np.asarray(source, np.int32), np.asarray(target, np.int32)
        when = np.asarray(time, np.int64)
        lengths = {start.size, end.size, when.size}
        lengths |= {len(column) for column in (context, cue) if column is not None}
        if len(lengths) > 1:
            raise InputError(f"events: expected columns of one length, got {sorted(lengths)}")
        wrong = np.flatnonzero((start == end) | (start < 0) | (end < 0))
        if wrong.size:
            at = int(wrong[0])
            raise InputError(
                f"event {at}: expected two different nodes ≥ 0, got {start[at]} and {end[at]}"
            )
        return cls(start, end, when, *_ragged(context, start.size), *_ragged(cue, start.size))

    def __len__(self) -> int:
        return int(self.source.size)

    def part(self, first: int, last: int) -> Events:
        """The events [first, last)."""
        pieces = []
        for indptr, values in (
            (self.context_indptr, self.context),
            (self.cue_indptr, self.cue),
        ):
            some = indptr[first : last + 1]
            pieces += [some - some[0], values[some[0] : some[-1]]]
        columns = (column[first:last] for column in (self.source, self.target, self.time))
        return Events(*columns, *pieces)


def follow(
    episodes: Sequence[Sequence[int]],
    times: npt.ArrayLike,
    *,
    cues: Sequence[Sequence[int]] | None = None,
) -> Events:
    """Events of episodes whose nodes are in order: each node comes after the one before it.

    Parameters
    ----------
    episodes : node keys of each, in order; a node that repeats at once is one
    times : (episodes,) int64, UTC microseconds, ascending
    cues : nodes that each episode sought

    Examples
    --------
    >>> events = follow([[3, 1, 2]], [0])
    >>> events.source.tolist(), events.target.tolist(), events.context.tolist()
    ([3, 1], [1, 2], [3, 3, 1])
    """
    when = np.asarray(times, np.int64)
    source, target, time, context, cue = [], [], [], [], []
    for episode, nodes in enumerate(episodes):
        path: list[int] = []
        for node in nodes:
            if path and node != path[-1]:
                source.append(path[-1])
                target.append(node)
                time.append(when[episode])
                context.append(path.copy())
                cue.append(cues[episode] if cues is not None else ())
            path = [one for one in path if one != node] + [node]
    return Events.of(source, target, time, context=context, cue=cue)


@dataclass(frozen=True)
class Use:
    """Counts, traces and associations after some events; made by :func:`unused`.

    Attributes
    ----------
    arrays : see :class:`hebbgraph_kernels.activity.Arrays`
    time_constants : (k,) days
    """

    arrays: kernel.Arrays
    time_constants: tuple[float, ...] = TIME_CONSTANTS

    @property
    def n_nodes(self) -> int:
        """Number of nodes, used or not."""
        return int(self.arrays.degree.size)

    def after(self, events: Events) -> Use:
        """The state after some more events, which are later than those before."""
        out = self.ready_for(events)
        kernel.observe(
            out.arrays, events.source, events.target, events.time,
            events.context_indptr, events.context, FADING,
        )  # fmt: skip
        return out

    def ready_for(self, events: Events) -> Use:
        """A copy whose tables have room for the pairs of events, which are not applied."""
        n, old = self.n_nodes, self.arrays
        for name in ("source", "target", "context", "cue"):
            keys = getattr(events, name)
            if keys.size and not 0 <= keys.min() <= keys.max() < n:
                raise InputError(f"events: expected {name} in [0, {n}), got {keys.max()}")
        had = _keys(old.indptr, old.indices)
        keys = np.union1d(had, events.source.astype(np.int64) * n + events.target)
        place = np.searchsorted(keys, had)
        at = np.repeat(events.target, np.diff(events.context_indptr)).astype(np.int64)
        both = events.context.astype(np.int64) * n + at
        both = np.concatenate((both, at * n + events.context))
        had_both = _keys(old.episode_indptr, old.episode_indices)
        episode_keys = np.union1d(had_both, both)
        episode_place = np.searchsorted(episode_keys, had_both)
        observed, used, clock = (
            _spread(values, place, keys.size, fill)
            for values, fill in ((old.observed, False), (old.used, 0), (old.clock, NEVER))
        )
        tables = _tables(n, keys, observed | (used > 0))
        indptr, indices = _csr(n, episode_keys)
        return Use(
            old._replace(
                **tables,
                observed=observed, used=used, clock=clock,
                trace=_spread(old.trace, place, keys.size, 0),
                episode_indptr=indptr, episode_indices=indices,
                after=_spread(old.after, episode_place, episode_keys.size, 0),
                together=_spread(old.together, episode_place, episode_keys.size, 0),
                **{
                    name: getattr(old, name).copy()
                    for name in (
                        "given", "given_trace", "given_clock", "received", "received_trace",
                        "received_clock", "followed", "company",
                    )
                },
            ),
            self.time_constants,
        )  # fmt: skip


def unused(
    n_nodes: int,
    edges: tuple[npt.ArrayLike, npt.ArrayLike] = ((), ()),
    *,
    time_constants: Sequence[float] = TIME_CONSTANTS,
) -> Use:
    """A graph that has not been used: its edges, no events.

    Parameters
    ----------
    edges : sources and targets, (m,) int in [0, n_nodes); duplicates and self-loops are left out
    time_constants : (k,) days
    """
    constants = checked_constants(time_constants)
    k, n = len(constants), n_nodes
    source, target = (np.asarray(side, np.int64) for side in edges)
    if source.size and not 0 <= min(source.min(), target.min()) <= max(
        source.max(), target.max()
    ) < n:  # fmt: skip
        raise InputError(
            f"edges: expected node keys in [0, {n}), got {max(source.max(), target.max())}"
        )
    keys = np.unique((source * n + target)[source != target])
    node_count, node_trace, node_clock = (
        np.zeros(n, np.int64), np.zeros((n, k), np.float32), np.full(n, NEVER, np.int64),
    )  # fmt: skip
    tables = _tables(n, keys, np.ones(keys.size, np.bool_))
    arrays = kernel.Arrays(
        **tables,
        observed=np.ones(keys.size, np.bool_), used=np.zeros(keys.size, np.int64),
        trace=np.zeros((keys.size, k), np.float32), clock=np.full(keys.size, NEVER, np.int64),
        given=node_count, given_trace=node_trace, given_clock=node_clock,
        received=node_count.copy(), received_trace=node_trace.copy(),
        received_clock=node_clock.copy(),
        episode_indptr=np.zeros(n + 1, np.int64), episode_indices=np.zeros(0, np.int32),
        after=np.zeros(0, np.float32), followed=np.zeros(n), together=np.zeros(0, np.float32),
        company=np.zeros(n), constants=microseconds(constants),
    )  # fmt: skip
    return Use(arrays, constants)


def _ragged(lists: Sequence[Sequence[int]] | None, n: int) -> tuple[Ints, Ints]:
    if lists is None:
        return np.zeros(n + 1, np.int64), np.zeros(0, np.int32)
    indptr = np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64)
    flat = [node for one in lists for node in one]
    return indptr, np.array(flat, np.int32)


def _keys(indptr: Ints, indices: Ints) -> Ints:
    n = indptr.size - 1
    keys: Ints = np.repeat(np.arange(n), np.diff(indptr)) * n + indices
    return keys


def _csr(n: int, keys: Ints) -> tuple[Ints, Ints]:
    """CSR of sorted, distinct keys row·n + column."""
    indptr = np.concatenate(([0], np.cumsum(np.bincount(keys // n, minlength=n))))
    return indptr.astype(np.int64), (keys % n).astype(np.int32)


def _tables(n: int, keys: Ints, live: npt.NDArray[np.bool_]) -> dict[str, Ints]:
    """The index of the pairs in three orders, and the degrees that the live ones make."""
    indptr, indices = _csr(n, keys)
    in_indptr, in_rows, in_entry = csr.transpose_entries(indptr, indices, n)
    mirrored = keys % n * n + keys // n
    around = np.union1d(keys, mirrored)
    around_indptr, around_indices = _csr(n, around)
    around_live = np.isin(around, np.concatenate((keys[live], mirrored[live])))
    return {
        "indptr": indptr, "indices": indices,
        "in_indptr": in_indptr, "in_rows": in_rows, "in_entry": in_entry,
        "around_indptr": around_indptr, "around_indices": around_indices,
        "around_live": around_live,
        "degree": np.bincount(around[around_live] // n, minlength=n).astype(np.int64),
        "in_degree": np.bincount(keys[live] % n, minlength=n).astype(np.int64),
    }  # fmt: skip


def _spread(values: Ints, place: Ints, size: int, fill: Any) -> Ints:
    out = np.full((size, *values.shape[1:]), fill, values.dtype)
    out[place] = values
    return out
