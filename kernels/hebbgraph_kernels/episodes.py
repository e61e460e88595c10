"""Episodes on a graph: EᵀE masked to edges, outcomes pair by pair, use of nodes.

Episodes are a CSR matrix E, one row an episode, columns distinct nodes, rows in order of recording.
``by_node, episode`` is its transpose.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import njit, parallel_njit
from hebbgraph_kernels.csr import stretch


@njit
def place_row(indices, begin, end, place):  # type: ignore[no-untyped-def]
    """Write where the edges to each target begin; they stand in order of target."""
    for edge in range(end - 1, begin - 1, -1):
        place[indices[edge]] = edge


@njit
def clear_row(indices, begin, end, place):  # type: ignore[no-untyped-def]
    """Forget where the edges to each target begin."""
    for edge in range(begin, end):
        place[indices[edge]] = -1


@parallel_njit
def co_activation(
    indptr: np.ndarray,
    indices: np.ndarray,
    by_node: np.ndarray,
    episode: np.ndarray,
    members: np.ndarray,
    member: np.ndarray,
    threads: int,
    out: np.ndarray,
) -> None:
    """Number of episodes that hold both ends of each edge: A∘(EᵀE).

    A row is done by one thread, which keeps where its edges stand in an array over all nodes: a
    member of an episode is then one lookup, so that the cost is Σ|e|² and the entries of A in the
    rows of nodes that are used.

    Parameters
    ----------
    indptr, indices : CSR of the edges, sorted within a row
    by_node, episode : transpose of E
    members, member : E
    out : (n_edges,) int32, zeros on entry
    """
    n = indptr.size - 1
    for thread in prange(threads):
        place = np.full(n, -1, np.int64)
        for row in range(*stretch(by_node, thread, threads)):
            begin, end = indptr[row], indptr[row + 1]
            if begin == end or by_node[row] == by_node[row + 1]:
                continue
            place_row(indices, begin, end, place)
            for k in range(by_node[row], by_node[row + 1]):
                for entry in range(members[episode[k]], members[episode[k] + 1]):
                    edge = place[member[entry]]
                    if edge >= 0:
                        out[edge] += 1
            for edge in range(begin + 1, end):
                if indices[edge] == indices[edge - 1]:
                    out[edge] = out[edge - 1]
            clear_row(indices, begin, end, place)


@parallel_njit
def reinforce(
    indptr: np.ndarray,
    indices: np.ndarray,
    by_node: np.ndarray,
    episode: np.ndarray,
    members: np.ndarray,
    member: np.ndarray,
    change: np.ndarray,
    low: float,
    high: float,
    threads: int,
    alive: np.ndarray,
    weight: np.ndarray,
) -> None:
    """Add each episode's change to the weight of every edge inside it, in order of recording.

    A rise stops at ``high`` and a fall at ``low``; a weight already beyond a bound is not pulled
    back over it.  An edge that is not alive comes to life by its first rise, and misses the falls
    before.  Weights are rounded at every step, so that batches of episodes end where one would.

    Parameters
    ----------
    change : (n_episodes,) float64
    alive : (n_edges,) bool, updated
    weight : (n_edges,) float32, updated
    """
    n = indptr.size - 1
    for thread in prange(threads):
        place = np.full(n, -1, np.int64)
        for row in range(*stretch(by_node, thread, threads)):
            begin, end = indptr[row], indptr[row + 1]
            if begin == end or by_node[row] == by_node[row + 1]:
                continue
            place_row(indices, begin, end, place)
            for k in range(by_node[row], by_node[row + 1]):
                by = change[episode[k]]
                if by == 0.0:
                    continue
                for entry in range(members[episode[k]], members[episode[k] + 1]):
                    edge = place[member[entry]]
                    if edge < 0:
                        continue
                    while edge < end and indices[edge] == member[entry]:
                        before = np.float64(weight[edge])
                        if by > 0.0:
                            alive[edge] = True
                            weight[edge] = max(before, min(before + by, high))
                        elif alive[edge]:
                            weight[edge] = min(before, max(before + by, low))
                        edge += 1
            clear_row(indices, begin, end, place)


@njit
def pairs_within(members: np.ndarray, member: np.ndarray, n: int, out: np.ndarray) -> int:
    """Every pair a < b inside an episode as a·n + b; returns how many.

    ``out`` holds Σ|e|(|e|−1)/2 int64.
    """
    found = 0
    for e in range(members.size - 1):
        for i in range(members[e], members[e + 1]):
            for j in range(i + 1, members[e + 1]):
                a, b = member[i], member[j]
                out[found] = np.int64(min(a, b)) * n + max(a, b)
                found += 1
    return found


@njit
def use_nodes(
    members: np.ndarray,
    member: np.ndarray,
    time: np.ndarray,
    outcome: np.ndarray,
    gain: float,
    time_constant: float,
    undated: int,
    created_at: np.ndarray,
    access: np.ndarray,
    success: np.ndarray,
    failure: np.ndarray,
    activation: np.ndarray,
    activated_at: np.ndarray,
    mean_access: np.ndarray,
) -> None:
    """Count and lift the nodes of every episode, in order of recording.

    A node's activation fades up to the episode, a·e^{−Δt/τ}, then a ← a + (1−a)·gain.  An episode
    dated before the node's last use counts as at that moment: clocks never run backwards.

    Parameters
    ----------
    time : (n_episodes,) int64 µs; ``time_constant`` likewise
    created_at : (n,) int64 µs, updated: where it is ``undated``, the node's first use
    access, success, failure : (n,) int32, updated
    activation : (n,) float32, updated, rounded at every use
    activated_at : (n,) int64, updated
    mean_access : (n_episodes,) float64, filled: access counts of its nodes before it, their mean
    """
    for e in range(members.size - 1):
        total = 0.0
        for entry in range(members[e], members[e + 1]):
            node = member[entry]
            total += access[node]
            access[node] += 1
            if outcome[e] > 0:
                success[node] += 1
            elif outcome[e] < 0:
                failure[node] += 1
            if created_at[node] == undated:
                created_at[node] = time[e]
            idle = time[e] - max(activated_at[node], created_at[node])
            level = np.float64(activation[node])
            if idle > 0:
                level *= np.exp(-idle / time_constant)
            activation[node] = level + (1.0 - level) * gain
            activated_at[node] = max(activated_at[node], time[e])
        mean_access[e] = total / max(members[e + 1] - members[e], 1)
