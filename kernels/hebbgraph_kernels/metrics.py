"""Per-node sums over incident edges, and histograms of edge arrays."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import njit, parallel_njit, thread_count


@njit
def incident_sums(
    indptr: np.ndarray, indices: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sum of weights and number of edges at every node; an edge counts at both of its ends.

    Returns
    -------
    total : (n,) float64
    count : (n,) int64
    """
    n = indptr.size - 1
    # Sum and count side by side: a neighbour costs one cache miss, not two.
    both = np.zeros((n, 2), np.float64)
    for node in range(n):
        own = 0.0
        for edge in range(indptr[node], indptr[node + 1]):
            own += weight[edge]
            head = indices[edge]
            both[head, 0] += weight[edge]
            both[head, 1] += 1.0
        both[node, 0] += own
        both[node, 1] += indptr[node + 1] - indptr[node]
    return both[:, 0].copy(), both[:, 1].astype(np.int64)


@njit
def relation_diversity(
    indptr: np.ndarray, indices: np.ndarray, relation: np.ndarray, relations: int
) -> np.ndarray:
    """Distinct relations of the edges at every node: (n,) int32.

    Relations are taken 64 at a time, a bit each.
    """
    n = indptr.size - 1
    out = np.zeros(n, np.int32)
    seen = np.zeros(n, np.uint64)
    for first in range(0, relations, 64):
        seen[:] = 0
        for node in range(n):
            own = np.uint64(0)
            for edge in range(indptr[node], indptr[node + 1]):
                code = relation[edge] - first
                if 0 <= code < 64:
                    bit = np.uint64(1) << np.uint64(code)
                    own |= bit
                    seen[indices[edge]] |= bit
            seen[node] |= own
        for node in range(n):
            bits = seen[node]
            while bits:
                bits &= bits - np.uint64(1)
                out[node] += 1
    return out


@parallel_njit
def _histogram(values, low, width, bins, threads):  # type: ignore[no-untyped-def]
    counts = np.zeros((threads, bins), np.int64)
    for thread in prange(threads):
        for k in range(thread * values.size // threads, (thread + 1) * values.size // threads):
            place = np.int64((values[k] - low) / width)
            counts[thread, min(max(place, 0), bins - 1)] += 1
    return counts.sum(axis=0)


def histogram(values: np.ndarray, low: float, width: float, bins: int) -> np.ndarray:
    """Counts of ``values`` in ``bins`` bins from ``low``: (bins,) int64.

    The first and last bins also take what lies beyond them.
    """
    counts: np.ndarray = _histogram(values, low, width, bins, thread_count())
    return counts
