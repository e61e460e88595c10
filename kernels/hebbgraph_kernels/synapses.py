"""Learning where a node's response matters: Oja and BCM, episode by episode.

A node hears over synapses: CSR rows by hearer, ``speaker`` and ``edge`` aligned.  An edge that is
read both ways is two synapses with one weight; so rows share weights, responses hang on all
episodes before, and episodes are gone through one after the other by one thread.  The cost is that
of the rows of the nodes of each episode.
"""

from __future__ import annotations

import numpy as np

from hebbgraph_kernels._jit import njit


@njit
def _respond(indptr, speaker, edge, weight, node, inside):  # type: ignore[no-untyped-def]
    """Sum of the weights above 0 from those inside the episode, and how many synapses they are."""
    total = 0.0
    number = 0
    for slot in range(indptr[node], indptr[node + 1]):
        if inside[speaker[slot]] and weight[edge[slot]] >= 0.0:
            total += weight[edge[slot]]
            number += 1
    return total, number


@njit
def _within(before, after, low, high):  # type: ignore[no-untyped-def]
    if after > before:
        return min(after, max(before, high))
    return max(after, min(before, low))


@njit
def oja(
    indptr: np.ndarray,
    speaker: np.ndarray,
    edge: np.ndarray,
    members: np.ndarray,
    member: np.ndarray,
    rate: float,
    low: float,
    high: float,
    weight: np.ndarray,
) -> None:
    """W ← (w + η·Σ y·x)/(1 + η·Σ y²) over the ends that hear; rounded at every episode.

    Parameters
    ----------
    indptr, speaker, edge : synapses by hearer
    members, member : CSR of the episodes, in order of recording
    weight : (n_edges,) float32, updated; negative ones stay and are not heard
    """
    inside = np.zeros(indptr.size - 1, np.bool_)
    gain = np.zeros(weight.size)
    loss = np.zeros(weight.size)
    for e in range(members.size - 1):
        inside[member[members[e] : members[e + 1]]] = True
        for entry in range(members[e], members[e + 1]):
            node = member[entry]
            level, _ = _respond(indptr, speaker, edge, weight, node, inside)
            if level == 0.0:
                continue
            for slot in range(indptr[node], indptr[node + 1]):
                loss[edge[slot]] += level * level
                if inside[speaker[slot]]:
                    gain[edge[slot]] += level
        for entry in range(members[e], members[e + 1]):
            node = member[entry]
            for slot in range(indptr[node], indptr[node + 1]):
                at = edge[slot]
                # The second synapse of one edge finds nothing left to do.
                if loss[at] > 0.0:
                    before = np.float64(weight[at])
                    if before >= 0.0:
                        after = (before + rate * gain[at]) / (1.0 + rate * loss[at])
                        weight[at] = _within(before, after, low, high)
                    gain[at] = loss[at] = 0.0
        inside[member[members[e] : members[e + 1]]] = False


@njit
def bcm(
    indptr: np.ndarray,
    speaker: np.ndarray,
    edge: np.ndarray,
    members: np.ndarray,
    member: np.ndarray,
    n_learned: int,
    rate: float,
    memory: float,
    low: float,
    high: float,
    weight: np.ndarray,
) -> None:
    """Δw = η·Σ y·(y − θ)/(θ·k) over the ends that hear, from episode ``n_learned`` on.

    θ starts at a node's first y² and follows, θ ← θ + (y² − θ)/memory; k counts its active
    synapses.

    Parameters
    ----------
    indptr, speaker, edge : synapses by hearer
    members, member : CSR of the episodes, in order of recording
    weight : (n_edges,) float32, updated; negative ones stay and are not heard
    """
    n = indptr.size - 1
    inside = np.zeros(n, np.bool_)
    threshold = np.zeros(n)
    change = np.zeros(weight.size)
    for e in range(members.size - 1):
        inside[member[members[e] : members[e + 1]]] = True
        for entry in range(members[e], members[e + 1]):
            node = member[entry]
            level, number = _respond(indptr, speaker, edge, weight, node, inside)
            square = level * level
            if threshold[node] > 0.0:
                threshold[node] += (square - threshold[node]) / memory
            else:
                threshold[node] = square
            if e < n_learned or level == 0.0:
                continue
            by = level * (level - threshold[node]) / (threshold[node] * number)
            for slot in range(indptr[node], indptr[node + 1]):
                if inside[speaker[slot]]:
                    change[edge[slot]] += by
        for entry in range(members[e], members[e + 1]):
            node = member[entry]
            for slot in range(indptr[node], indptr[node + 1]):
                at = edge[slot]
                if change[at] != 0.0:
                    before = np.float64(weight[at])
                    if before >= 0.0:
                        weight[at] = _within(before, before + rate * change[at], low, high)
                    change[at] = 0.0
        inside[member[members[e] : members[e + 1]]] = False
