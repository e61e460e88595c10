"""Edge support |N(u) ∩ N(v)|: the masked product A∘(A·Aᵀ)."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import block_cursor, fetch_add, njit, parallel_njit, thread_count
from hebbgraph_kernels.csr import degree_order, orient

_ROWS_PER_BLOCK = 64


@parallel_njit
def _oriented_support(out_indptr, heads, cursor, threads, support):  # type: ignore[no-untyped-def]
    n = out_indptr.size - 1
    widest = 0
    for row in range(n):
        widest = max(widest, out_indptr[row + 1] - out_indptr[row])
    for _thread in prange(threads):
        # slot[w] is one more than the place of w in the row at hand, else 0.
        slot = np.zeros(n, np.int32)
        own = np.zeros(widest + 1, np.int32)
        while True:
            block = fetch_add(cursor, 0, _ROWS_PER_BLOCK)
            if block >= n:
                break
            for row in range(block, min(block + _ROWS_PER_BLOCK, n)):
                begin = out_indptr[row]
                end = out_indptr[row + 1]
                if end - begin < 2:
                    continue
                for entry in range(begin, end):
                    slot[heads[entry]] = entry - begin + 1
                for entry in range(begin, end - 1):
                    middle = heads[entry]
                    found = 0
                    for far in range(out_indptr[middle], out_indptr[middle + 1]):
                        place = slot[heads[far]]
                        if place:
                            found += 1
                            own[place] += 1
                            fetch_add(support, far, 1)
                    own[entry - begin + 1] += found
                for entry in range(begin, end):
                    slot[heads[entry]] = 0
                    count = own[entry - begin + 1]
                    if count:
                        fetch_add(support, entry, count)
                        own[entry - begin + 1] = 0


@parallel_njit
def _gather(indptr, indices, rank, out_indptr, heads, support, out):  # type: ignore[no-untyped-def]
    for source in prange(indptr.size - 1):
        for edge in range(indptr[source], indptr[source + 1]):
            low = rank[source]
            high = rank[indices[edge]]
            if low > high:
                low, high = high, low
            begin = out_indptr[low]
            end = out_indptr[low + 1]
            while begin < end:
                middle = (begin + end) // 2
                if heads[middle] < high:
                    begin = middle + 1
                else:
                    end = middle
            if begin < out_indptr[low + 1] and heads[begin] == high:
                out[edge] = support[begin]
            else:
                out[edge] = -1


def edge_support(
    sym_indptr: np.ndarray, sym_indices: np.ndarray, indptr: np.ndarray, indices: np.ndarray
) -> np.ndarray:
    """Shared neighbours of the two ends of every edge.

    Each triangle is found once, from its lowest-degree corner (the "forward"
    algorithm of Schank and Wagner, 2005): O(m^1.5) steps whatever the hubs.

    Parameters
    ----------
    sym_indptr, sym_indices
        adjacency in which shared neighbours are counted
    indptr, indices
        CSR of the edges to count for; rows as in the adjacency, sorted or not

    Returns
    -------
    support : (m,) int32, ≥ 0; −1 where the edge is not in the adjacency
    """
    order, rank = degree_order(sym_indptr, sym_indices)
    out_indptr, heads = orient(sym_indptr, sym_indices, order, rank)
    support = np.zeros(heads.size, np.int32)
    _oriented_support(out_indptr, heads, block_cursor(), thread_count(), support)
    out = np.empty(indices.size, np.int32)
    _gather(indptr, indices, rank, out_indptr, heads, support, out)
    return out


@njit
def _count_shared(first, second):  # type: ignore[no-untyped-def]
    """Size of the intersection of two sorted lists."""
    if first.size > second.size:
        first, second = second, first
    count = 0
    if first.size * 16 < second.size:
        begin = 0
        for value in first:
            begin += np.searchsorted(second[begin:], value)
            if begin == second.size:
                break
            count += second[begin] == value
        return count
    i = 0
    j = 0
    while i < first.size and j < second.size:
        a = first[i]
        b = second[j]
        count += a == b
        i += a <= b
        j += b <= a
    return count


@parallel_njit
def pair_support(
    sym_indptr: np.ndarray, sym_indices: np.ndarray, left: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """Shared neighbours of given pairs: (p,) int32, by merging or galloping."""
    out = np.empty(left.size, np.int32)
    for pair in prange(left.size):
        a = left[pair]
        b = right[pair]
        out[pair] = _count_shared(
            sym_indices[sym_indptr[a] : sym_indptr[a + 1]],
            sym_indices[sym_indptr[b] : sym_indptr[b + 1]],
        )
    return out
