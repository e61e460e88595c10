"""What follows a node: features of every candidate, from what use has left.

*Near* features are those of nodes that something joins to the source, the context or the cue, all
nought for others; *far* ones belong to a node alone.
"""

from __future__ import annotations

import numpy as np

from hebbgraph_kernels._jit import njit
from hebbgraph_kernels.activity import is_live
from hebbgraph_kernels.traces import NEVER, remaining

BLUR = 100.0
"""Small values are compared as log(1 + BLUR·x): below 1/BLUR they count for little."""


@njit
def width(constants: int) -> tuple[int, int]:
    """Numbers of near and of far columns."""
    return 2 * (6 + constants) + 2 + 3 + 5 + 4, 4 + 2 * constants


@njit
def _traces(trace, clock, row, now, constants, out, first):  # type: ignore[no-untyped-def]
    for k in range(constants.size):
        left = trace[row, k] * remaining(now, clock[row], constants[k])
        out[first + k] = np.log(np.float32(1.0 + BLUR * left))


@njit
def _recency(clocks):  # type: ignore[no-untyped-def]
    """1 for the latest clock, 1/2 for the next …; equal clocks share the better place."""
    # ~x is −x − 1, which cannot overflow: NEVER comes last.
    order = np.argsort(~clocks, kind="mergesort")
    out = np.empty(clocks.size, np.float64)
    place = 0
    for k in range(order.size):
        if k and clocks[order[k]] < clocks[order[k - 1]]:
            place = k
        out[order[k]] = 1.0 / (1 + place)
    return out


@njit
def _touch(node, near, touched, mark):  # type: ignore[no-untyped-def]
    if not mark[node]:
        mark[node] = True
        touched[touched[-1]] = node
        touched[-1] += 1
        near[node, :] = 0


@njit
def _direction(use, entries, nodes, popularity, now, near, touched, mark, last, first):  # type: ignore[no-untyped-def]
    """Columns from ``first``: edge, used, count, share, recency, order of recency, traces."""
    clocks = np.empty(entries.size, np.int64)
    events = 0
    kinds = 1
    expected = 0.0
    for k in range(entries.size):
        entry = entries[k]
        clocks[k] = use.clock[entry]
        if is_live(use, entry):
            events += use.used[entry]
            kinds += use.used[entry] > 0
            expected += 1 + popularity[nodes[k]]
    recency = _recency(clocks)
    for k in range(entries.size):
        entry = entries[k]
        if not is_live(use, entry):
            continue
        node = nodes[k]
        _touch(node, near, touched, mark)
        out = near[node]
        out[first] = 1
        prior = kinds * (1 + popularity[node]) / expected
        out[first + 3] = np.log1p(BLUR * (use.used[entry] + prior) / (events + kinds))
        if use.used[entry]:
            last[node] = max(last[node], use.clock[entry])
            out[first + 1] = 1
            out[first + 2] = np.log1p(use.used[entry])
            out[first + 4] = recency[k]
            out[first + 5] = np.log(recency[k])
            _traces(use.trace, use.clock, entry, now, use.constants, out, first + 6)


@njit
def _shared(use, source, allocation, common, near, touched, mark):  # type: ignore[no-untyped-def]
    """Add Σ 1/|N(c)| and the number of the live neighbours c that a node shares with source."""
    for place in range(use.around_indptr[source], use.around_indptr[source + 1]):
        if not use.around_live[place]:
            continue
        middle = use.around_indices[place]
        share = np.float32(1.0 / use.degree[middle])
        for further in range(use.around_indptr[middle], use.around_indptr[middle + 1]):
            if use.around_live[further]:
                node = use.around_indices[further]
                _touch(node, near, touched, mark)
                allocation[node] += share
                common[node] += 1


@njit
def _episodes(use, earlier, share, near, touched, mark, order, together):  # type: ignore[no-untyped-def]
    """Add what came after a node, as a share, and what was active with it, as a cosine."""
    for entry in range(use.episode_indptr[earlier], use.episode_indptr[earlier + 1]):
        if use.together[entry] > 0:
            node = use.episode_indices[entry]
            _touch(node, near, touched, mark)
            if order >= 0:
                near[node, order] += share * use.after[entry] / (use.followed[earlier] + 1)
            near[node, together] += use.together[entry] / np.sqrt(
                (use.company[earlier] + 1) * (use.company[node] + 1)
            )


@njit
def near_features(use, source, now, context, cue, fading, near, touched, mark):  # type: ignore[no-untyped-def]
    """Fill the near rows of one question; return how many of the touched are direct partners.

    near : (n, P) float32, rows of touched nodes are set
    touched : (n + 1,) int64, its last entry is how many; direct partners come first
    mark : (n,) bool, which nodes are touched
    """
    for k in range(touched[-1]):
        mark[touched[k]] = False
    touched[-1] = 0
    n = use.degree.size
    last = np.full(n, NEVER, np.int64)
    allocation = np.zeros(n, np.float32)
    common = np.zeros(n, np.float32)
    one = 6 + use.constants.size
    start, stop = use.indptr[source], use.indptr[source + 1]
    _direction(
        use, np.arange(start, stop), use.indices[start:stop], use.received, now,
        near, touched, mark, last, 0,
    )  # fmt: skip
    start, stop = use.in_indptr[source], use.in_indptr[source + 1]
    _direction(
        use, use.in_entry[start:stop], use.in_rows[start:stop], use.given, now,
        near, touched, mark, last, one,
    )  # fmt: skip
    direct = touched[-1]
    either = 2 * one
    recency = _recency(last[touched[:direct]])
    for k in range(direct):
        if last[touched[k]] != NEVER:
            near[touched[k], either] = recency[k]
            near[touched[k], either + 1] = np.log(recency[k])

    shared = either + 2
    _shared(use, source, allocation, common, near, touched, mark)
    for k in range(touched[-1]):
        node = touched[k]
        near[node, shared] = np.sqrt(allocation[node])
        near[node, shared + 1] = np.log1p(common[node])
        if k < direct:
            # log1p(f) of the learned weight w₀ + η·log1p(f), f = support + times used together.
            times = np.expm1(near[node, 2]) + np.expm1(near[node, one + 2])
            near[node, shared + 2] = np.log1p(common[node] + times)

    path = shared + 3
    steps = np.log1p(context.size)
    share = 1.0
    for k in range(context.size - 1, -1, -1):
        earlier = context[k]
        _touch(earlier, near, touched, mark)
        near[earlier, path] = 1
        _episodes(use, earlier, share, near, touched, mark, path + 2, path + 3)
        if earlier != source:
            for entry in range(use.indptr[earlier], use.indptr[earlier + 1]):
                if is_live(use, entry):
                    _touch(use.indices[entry], near, touched, mark)
                    near[use.indices[entry], path + 1] += 1
        share *= fading

    sought = path + 5
    if cue.size:
        allocation[:] = 0
        for goal in cue:
            _touch(goal, near, touched, mark)
            near[goal, sought] = 1
            for place in range(use.in_indptr[goal], use.in_indptr[goal + 1]):
                if is_live(use, use.in_entry[place]):
                    _touch(use.in_rows[place], near, touched, mark)
                    near[use.in_rows[place], sought + 1] += 1
            _shared(use, goal, allocation, common, near, touched, mark)
            _episodes(use, goal, 0.0, near, touched, mark, -1, sought + 3)
    for k in range(touched[-1]):
        row = near[touched[k]]
        row[path + 1] = np.log1p(row[path + 1])
        row[path + 2] = np.log1p(BLUR * row[path + 2])
        row[path + 3] = np.log1p(BLUR * row[path + 3])
        row[path + 4] = row[3] * steps
        if cue.size:
            row[sought + 2] = np.sqrt(allocation[touched[k]])
            row[sought + 3] = np.log1p(BLUR * row[sought + 3])
    return direct


@njit
def far_features(use, now, node, steps, out):  # type: ignore[no-untyped-def]
    """Columns of one node, whatever the source: in-degree, popularity, and their traces."""
    k = use.constants.size
    out[0] = np.log(np.float32(1 + use.in_degree[node]))
    out[1] = out[0] * steps
    out[2] = np.log(np.float32(1 + use.received[node]))
    _traces(use.received_trace, use.received_clock, node, now, use.constants, out, 3)
    out[3 + k] = np.log(np.float32(1 + use.given[node]))
    _traces(use.given_trace, use.given_clock, node, now, use.constants, out, 4 + k)


@njit
def is_candidate(use, source, node, near, mark, edges_only):  # type: ignore[no-untyped-def]
    """Any node known so far but the source; ``edges_only``: that the source has a live pair to."""
    if node == source:
        return False
    if edges_only:
        return mark[node] and near[node, 0] > 0
    return use.degree[node] > 0
