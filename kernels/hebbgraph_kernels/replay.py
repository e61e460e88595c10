"""Events asked in turn: what was expected before each, then the event is learned from."""

from __future__ import annotations

import numpy as np

from hebbgraph_kernels._jit import njit
from hebbgraph_kernels.activity import Arrays, observe_one
from hebbgraph_kernels.prediction import far_features, is_candidate, near_features, width


@njit
def score_all(
    use: Arrays,
    source: int,
    now: int,
    context: np.ndarray,
    cue: np.ndarray,
    fading: float,
    edges_only: bool,
    weight: np.ndarray,
    near: np.ndarray,
    touched: np.ndarray,
    mark: np.ndarray,
    nodes: np.ndarray,
    score: np.ndarray,
) -> int:
    """Scores of all candidates by several mixes; returns how many there are.

    weight : (P + Q, mixes) float32; nodes : (n,) int64, the candidates; score : (n, mixes)
    """
    p, q = width(use.constants.size)
    mixes = weight.shape[1]
    steps = np.log1p(context.size)
    far = np.empty(q, np.float32)
    near_features(use, source, now, context, cue, fading, near, touched, mark)
    size = 0
    for node in range(use.degree.size):
        if not is_candidate(use, source, node, near, mark, edges_only):
            continue
        nodes[size] = node
        size += 1
        far_features(use, now, node, steps, far)
        for mix in range(mixes):
            score[node, mix] = 0
        for column in range(q):
            for mix in range(mixes):
                score[node, mix] += far[column] * weight[p + column, mix]
        if mark[node]:
            for column in range(p):
                if near[node, column] != 0:
                    for mix in range(mixes):
                        score[node, mix] += near[node, column] * weight[column, mix]
    return size


@njit
def ranks(
    use: Arrays,
    source: np.ndarray,
    target: np.ndarray,
    time: np.ndarray,
    context_indptr: np.ndarray,
    context: np.ndarray,
    cue_indptr: np.ndarray,
    cue: np.ndarray,
    fading: float,
    asked: np.ndarray,
    learn: bool,
    edges_only: bool,
    weight: np.ndarray,
    out: np.ndarray,
) -> None:
    """Rank of the target of each asked event: 1 + those above + half of those equal.

    out : (asked events, mixes) float64; infinite where the target is no candidate
    """
    n = use.degree.size
    near = np.zeros((n, width(use.constants.size)[0]), np.float32)
    touched = np.zeros(n + 1, np.int64)
    mark = np.zeros(n, np.bool_)
    nodes = np.empty(n, np.int64)
    score = np.zeros((n, weight.shape[1]), np.float32)
    row = 0
    for event in range(source.size):
        path = context[context_indptr[event] : context_indptr[event + 1]]
        goal = target[event]
        if asked[event]:
            size = score_all(
                use, source[event], time[event], path,
                cue[cue_indptr[event] : cue_indptr[event + 1]], fading, edges_only, weight,
                near, touched, mark, nodes, score,
            )  # fmt: skip
            known = is_candidate(use, source[event], goal, near, mark, edges_only)
            for mix in range(weight.shape[1]):
                above = 0
                equal = -1
                for k in range(size):
                    above += score[nodes[k], mix] > score[goal, mix]
                    equal += score[nodes[k], mix] == score[goal, mix]
                out[row, mix] = 1 + above + equal / 2 if known else np.inf
            row += 1
        if learn:
            observe_one(use, source[event], goal, time[event], path, fading)


@njit
def choices(
    use: Arrays,
    source: np.ndarray,
    target: np.ndarray,
    time: np.ndarray,
    context_indptr: np.ndarray,
    context: np.ndarray,
    cue_indptr: np.ndarray,
    cue: np.ndarray,
    fading: float,
    asked: np.ndarray,
    learn: bool,
    edges_only: bool,
    drawn: np.ndarray,
    rows: np.ndarray,
    offset: np.ndarray,
    first: np.ndarray,
) -> int:
    """What each asked event was chosen from: its target, all direct partners, a sample of others.

    Others are drawn in proportion to 1 + events received and carry −log(expected number) as
    offset, so that the sum over the sample estimates that over all.

    Parameters
    ----------
    drawn : (asked events, s) float64, in [0, 1)
    rows : (room, P + Q) float32; offset : (room,) float32
    first : (asked events + 1,) int64, where the rows of each event begin, its target in front

    Returns
    -------
    the number of events whose rows had room
    """
    n = use.degree.size
    p, _ = width(use.constants.size)
    near = np.zeros((n, p), np.float32)
    touched = np.zeros(n + 1, np.int64)
    mark = np.zeros(n, np.bool_)
    is_direct = np.zeros(n, np.bool_)
    cumulated = np.zeros(n, np.float64)
    chosen = np.empty(n + drawn.shape[1] + 1, np.int64)
    extra = np.zeros(chosen.size, np.float32)
    question = -1
    kept = 0
    first[0] = 0
    for event in range(source.size):
        path = context[context_indptr[event] : context_indptr[event + 1]]
        start = source[event]
        goal = target[event]
        question += asked[event]
        if asked[event]:
            direct = near_features(
                use, start, time[event], path, cue[cue_indptr[event] : cue_indptr[event + 1]],
                fading, near, touched, mark,
            )  # fmt: skip
            if is_candidate(use, start, goal, near, mark, edges_only):
                chosen[0] = goal
                size = 1
                for k in range(direct):
                    node = touched[k]
                    is_direct[node] = True
                    if node != goal and is_candidate(use, start, node, near, mark, edges_only):
                        chosen[size] = node
                        extra[size] = 0
                        size += 1
                total = 0.0
                if not edges_only:
                    for node in range(n):
                        if use.degree[node] > 0:
                            total += 1 + use.received[node]
                        cumulated[node] = total
                    for k in range(drawn.shape[1]):
                        at = drawn[question, k] * total
                        node = np.searchsorted(cumulated, at, side="right")
                        if node != goal and node != start and not is_direct[node]:
                            chosen[size] = node
                            number = drawn.shape[1] * (1 + use.received[node]) / total
                            extra[size] = -np.log(number)
                            size += 1
                for k in range(direct):
                    is_direct[touched[k]] = False
                if first[kept] + size > rows.shape[0]:
                    return kept
                for k in range(size):
                    row = rows[first[kept] + k]
                    row[:p] = 0
                    if mark[chosen[k]]:
                        row[:p] = near[chosen[k]]
                    far_features(use, time[event], chosen[k], np.log1p(path.size), row[p:])
                    offset[first[kept] + k] = extra[k]
                first[kept + 1] = first[kept] + size
                kept += 1
        if learn:
            observe_one(use, start, goal, time[event], path, fading)
    return kept
