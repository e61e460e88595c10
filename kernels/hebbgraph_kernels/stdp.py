"""Spike-timing-dependent plasticity on episodes whose nodes stand in order."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import parallel_njit
from hebbgraph_kernels.csr import stretch
from hebbgraph_kernels.episodes import clear_row, place_row


@parallel_njit
def order_edges(
    indptr: np.ndarray,
    indices: np.ndarray,
    one_way: np.ndarray,
    by_node: np.ndarray,
    episode: np.ndarray,
    members: np.ndarray,
    member: np.ndarray,
    rise: float,
    fall: float,
    window: float,
    low: float,
    high: float,
    threads: int,
    weight: np.ndarray,
) -> None:
    """Add rise·e^{−lag/window} to edges along the order, take fall times it from those against.

    Episodes come in order of recording, and weights are rounded at every step.

    Parameters
    ----------
    indptr, indices : CSR of the edges, sorted within a row
    one_way : (n_edges,) bool, edges whose direction carries meaning; others stay
    by_node, episode : transpose of the episodes
    members, member : CSR of the episodes, nodes in order
    weight : (n_edges,) float32, updated; negative ones stay
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
                first, last = members[episode[k]], members[episode[k] + 1]
                own = first
                while member[own] != row:
                    own += 1
                for entry in range(first, last):
                    edge = place[member[entry]]
                    if edge < 0:
                        continue
                    lag = entry - own
                    by = np.exp(-abs(lag) / window)
                    while edge < end and indices[edge] == member[entry]:
                        before = np.float64(weight[edge])
                        if one_way[edge] and before >= 0.0:
                            if lag > 0:
                                weight[edge] = max(before, min(before + rise * by, high))
                            else:
                                weight[edge] = min(before, max(before - fall * by, low))
                        edge += 1
            clear_row(indices, begin, end, place)
