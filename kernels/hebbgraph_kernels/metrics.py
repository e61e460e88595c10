"""Per-node sums over incident edges, and histograms of edge arrays."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import block_cursor, fetch_add, parallel_njit, thread_count

_ROWS_PER_BLOCK = 1024


@parallel_njit
def _incident(indptr, in_indptr, in_entry, weight, relation, relations, cursor, threads,  # type: ignore[no-untyped-def]
              total, count, diversity):  # fmt: skip
    n = indptr.size - 1
    for _thread in prange(threads):
        met = np.full(relations, -1, np.int64)
        while True:
            block = fetch_add(cursor, 0, _ROWS_PER_BLOCK)
            if block >= n:
                break
            for node in range(block, min(block + _ROWS_PER_BLOCK, n)):
                kinds = 0
                outgoing = indptr[node + 1] - indptr[node]
                incident = outgoing + in_indptr[node + 1] - in_indptr[node]
                sum_of_weights = 0.0
                for k in range(incident):
                    if k < outgoing:
                        edge = indptr[node] + k
                    else:
                        edge = in_entry[in_indptr[node] + k - outgoing]
                    sum_of_weights += weight[edge]
                    code = relation[edge]
                    if met[code] != node:
                        met[code] = node
                        kinds += 1
                total[node] = sum_of_weights
                count[node] = incident
                diversity[node] = kinds


def incident_sums(
    indptr: np.ndarray,
    in_indptr: np.ndarray,
    in_entry: np.ndarray,
    weight: np.ndarray,
    relation: np.ndarray,
    relations: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum of weights, number of edges and distinct relations at every node.

    An edge counts at both of its ends.

    Returns
    -------
    total : (n,) float64
    count : (n,) int64
    diversity : (n,) int32
    """
    n = indptr.size - 1
    total = np.empty(n, np.float64)
    count = np.empty(n, np.int64)
    diversity = np.empty(n, np.int32)
    _incident(
        indptr, in_indptr, in_entry, weight, relation, max(relations, 1),
        block_cursor(), thread_count(), total, count, diversity,
    )  # fmt: skip
    return total, count, diversity


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
