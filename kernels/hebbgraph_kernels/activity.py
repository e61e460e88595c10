"""The state that use leaves behind, and what one event does to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbgraph_kernels._jit import njit
from hebbgraph_kernels.search import skip_to
from hebbgraph_kernels.traces import apply_one


class Arrays(NamedTuple):
    """A state: n nodes, m directed pairs, k time constants.

    A pair is *live* if a graph has it as an edge or it was used at least once: the table may hold
    pairs that are still to come.
    """

    indptr: np.ndarray  # (n + 1,) int64; pairs sorted by (source, target)
    indices: np.ndarray  # (m,) int32
    in_indptr: np.ndarray  # (n + 1,) int64; the transpose
    in_rows: np.ndarray  # (m,) int32
    in_entry: np.ndarray  # (m,) int64
    observed: np.ndarray  # (m,) bool, an edge of the graph
    used: np.ndarray  # (m,) int64, events
    trace: np.ndarray  # (m, k) float32
    clock: np.ndarray  # (m,) int64, microseconds
    around_indptr: np.ndarray  # (n + 1,) int64; pairs without direction
    around_indices: np.ndarray  # int32
    around_live: np.ndarray  # bool
    degree: np.ndarray  # (n,) int64, live neighbours
    in_degree: np.ndarray  # (n,) int64, live pairs that end here
    given: np.ndarray  # (n,) int64, events as source
    given_trace: np.ndarray  # (n, k) float32
    given_clock: np.ndarray  # (n,) int64
    received: np.ndarray  # (n,) int64, events as target
    received_trace: np.ndarray
    received_clock: np.ndarray
    episode_indptr: np.ndarray  # (n + 1,) int64; pairs met in an episode, both directions
    episode_indices: np.ndarray  # int32
    after: np.ndarray  # float32, how often the second came after the first, by distance
    followed: np.ndarray  # (n,) float64, sums of the rows of ``after``
    together: np.ndarray  # float32, how often both, in either order
    company: np.ndarray  # (n,) float64, sums of the rows of ``together``
    constants: np.ndarray  # (k,) float64, microseconds


@njit
def find(indptr, indices, row, column):  # type: ignore[no-untyped-def]
    """Entry of (row, column), or −1."""
    entry = skip_to(indices, indptr[row], indptr[row + 1], column)
    if entry < indptr[row + 1] and indices[entry] == column:
        return entry
    return -1


@njit
def is_live(use, entry):  # type: ignore[no-untyped-def]
    """Whether a pair is an edge or was used."""
    return use.observed[entry] or use.used[entry] > 0


@njit
def observe_one(use, source, target, time, context, fading):  # type: ignore[no-untyped-def]
    """One event, in place; ``context`` are nodes of its episode so far, oldest first."""
    entry = find(use.indptr, use.indices, source, target)
    if not is_live(use, entry):
        use.in_degree[target] += 1
        there = find(use.around_indptr, use.around_indices, source, target)
        if not use.around_live[there]:
            use.around_live[there] = True
            use.around_live[find(use.around_indptr, use.around_indices, target, source)] = True
            use.degree[source] += 1
            use.degree[target] += 1
    use.used[entry] += 1
    use.given[source] += 1
    use.received[target] += 1
    apply_one(entry, time, use.constants, use.trace, use.clock)
    apply_one(source, time, use.constants, use.given_trace, use.given_clock)
    apply_one(target, time, use.constants, use.received_trace, use.received_clock)
    share = 1.0
    for k in range(context.size - 1, -1, -1):
        earlier = context[k]
        if earlier != target:
            there = find(use.episode_indptr, use.episode_indices, earlier, target)
            use.after[there] += share
            use.followed[earlier] += share
            use.together[there] += 1
            use.together[find(use.episode_indptr, use.episode_indices, target, earlier)] += 1
            use.company[earlier] += 1
            use.company[target] += 1
        share *= fading


@njit
def observe(
    use: Arrays,
    source: np.ndarray,
    target: np.ndarray,
    time: np.ndarray,
    context_indptr: np.ndarray,
    context: np.ndarray,
    fading: float,
) -> None:
    """Apply events in the order given, in place; the tables must hold their pairs."""
    for event in range(source.size):
        observe_one(
            use, source[event], target[event], time[event],
            context[context_indptr[event] : context_indptr[event + 1]], fading,
        )  # fmt: skip
