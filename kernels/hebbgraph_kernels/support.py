"""Edge support |N(u) ∩ N(v)|: the masked product A∘(A·Aᵀ)."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import block_cursor, fetch_add, njit, parallel_njit, thread_count
from hebbgraph_kernels.csr import orient, stretch
from hebbgraph_kernels.search import first_above, skip_to

_ROWS_PER_BLOCK = 64


@parallel_njit
def _oriented_support(out_indptr, heads, cursor, threads, support):  # type: ignore[no-untyped-def]
    n = out_indptr.size - 1
    for _thread in prange(threads):
        # One byte a node, so that it stays in cache, tells whether the row at hand leads there.
        leads = np.zeros(n, np.uint8)
        closed = np.zeros(n, np.int32)
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
                    leads[heads[entry]] = 1
                for entry in range(begin, end):
                    middle = heads[entry]
                    found = 0
                    for far in range(out_indptr[middle], out_indptr[middle + 1]):
                        node = heads[far]
                        if leads[node]:
                            found += 1
                            closed[node] += 1
                            fetch_add(support, far, 1)
                    closed[middle] += found
                for entry in range(begin, end):
                    node = heads[entry]
                    leads[node] = 0
                    if closed[node]:
                        fetch_add(support, entry, closed[node])
                        closed[node] = 0


@njit
def _both_ways(indptr, out_indptr, heads, support):  # type: ignore[no-untyped-def]
    """Support as it is, then that of the edges that point at each node, by ascending tail."""
    out = np.empty(2 * heads.size, support.dtype)
    out[: heads.size] = support
    cursor = heads.size + indptr[:-1] - out_indptr[:-1]
    for entry in range(heads.size):
        head = heads[entry]
        out[cursor[head]] = support[entry]
        cursor[head] += 1
    return out


@parallel_njit
def _gather(  # type: ignore[no-untyped-def]
    sym_indptr, sym_indices, leaves, out_indptr, both_ways, indptr, indices, threads, out
):  # fmt: skip
    """Support of each edge of a CSR, by walking its rows beside those of the adjacency.

    The neighbours that a node points at stand in its row in the order of its out-list, and those
    that point at it in the order of its in-list, so nothing need be searched for.
    """
    for thread in prange(threads):
        for source in range(*stretch(sym_indptr, thread, threads)):
            outgoing = out_indptr[source]
            incoming = both_ways.size // 2 + sym_indptr[source] - outgoing
            edge = indptr[source]
            stop = indptr[source + 1]
            for entry in range(sym_indptr[source], sym_indptr[source + 1]):
                if edge == stop:
                    break
                node = sym_indices[entry]
                kept = np.int64(leaves[entry])
                found = both_ways[kept * outgoing + (1 - kept) * incoming]
                outgoing += kept
                incoming += 1 - kept
                while edge < stop and indices[edge] < node:
                    out[edge] = -1
                    edge += 1
                while edge < stop and indices[edge] == node:
                    out[edge] = found
                    edge += 1
            for rest in range(edge, stop):
                out[rest] = -1


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
        CSR of the edges to count for, over the same nodes; rows sorted, parallel edges allowed

    Returns
    -------
    support : (m,) int32, ≥ 0; −1 where the edge is not in the adjacency
    """
    threads = thread_count()
    out_indptr, heads, leaves = orient(sym_indptr, sym_indices, threads)
    support = np.zeros(heads.size, np.int32)
    _oriented_support(out_indptr, heads, block_cursor(), threads, support)
    both_ways = _both_ways(sym_indptr, out_indptr, heads, support)
    out = np.empty(indices.size, np.int32)
    _gather(sym_indptr, sym_indices, leaves, out_indptr, both_ways, indptr, indices, threads, out)
    return out


@njit
def shared_between(indices, begin, end, other, stop, share):  # type: ignore[no-untyped-def]
    """Size of the intersection of two sorted stretches, and the sum of ``share`` over it.

    The stretches are [begin, end) and [other, stop) of ``indices``.
    """
    if end - begin > stop - other:
        begin, end, other, stop = other, stop, begin, end
    count = np.int64(0)
    amount = np.int64(0)
    for entry in range(begin, end):
        value = indices[entry]
        other = skip_to(indices, other, stop, value)
        if other == stop:
            break
        if indices[other] == value:
            count += 1
            if share.size:
                amount += share[value]
            other += 1
    return count, amount


@parallel_njit
def pair_overlap(
    sym_indptr: np.ndarray,
    sym_indices: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    share: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Shared neighbours of given pairs, by galloping through the longer list.

    Parameters
    ----------
    left, right : (p,) int
    share : (n,) int64, summed over the shared neighbours; may be (0,), then the sums are 0

    Returns
    -------
    shared : (p,) int32
    amount : (p,) int64
    """
    shared = np.empty(left.size, np.int32)
    amount = np.empty(left.size, np.int64)
    for pair in prange(left.size):
        a = left[pair]
        b = right[pair]
        shared[pair], amount[pair] = shared_between(
            sym_indices, sym_indptr[a], sym_indptr[a + 1], sym_indptr[b], sym_indptr[b + 1],
            share,
        )  # fmt: skip
    return shared, amount


def pair_support(
    sym_indptr: np.ndarray, sym_indices: np.ndarray, left: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """Number of shared neighbours of given pairs: (p,) int32."""
    nothing = np.empty(0, np.int64)
    return pair_overlap(sym_indptr, sym_indices, left, right, nothing)[0]


@parallel_njit
def are_joined(
    sym_indptr: np.ndarray, sym_indices: np.ndarray, left: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """Whether each of given pairs is joined: (p,) bool."""
    out = np.empty(left.size, np.bool_)
    for pair in prange(left.size):
        end = sym_indptr[left[pair] + 1]
        at = first_above(sym_indices, sym_indptr[left[pair]], end, right[pair] - 1)
        out[pair] = at < end and sym_indices[at] == right[pair]
    return out


@parallel_njit
def most_telling(
    sym_indptr: np.ndarray,
    sym_indices: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    place: np.ndarray,
    count: int,
) -> np.ndarray:
    """The shared neighbours of lowest degree of given pairs, ties by ``place``.

    Parameters
    ----------
    place : (n,) int
    count : how many of them, ≥ 1

    Returns
    -------
    out : (p, count) int64, best first; −1 where fewer are shared
    """
    out = np.full((left.size, count), -1, np.int64)
    for pair in prange(left.size):
        a = sym_indptr[left[pair]]
        b = sym_indptr[right[pair]]
        end_a = sym_indptr[left[pair] + 1]
        end_b = sym_indptr[right[pair] + 1]
        if end_a - a > end_b - b:
            a, end_a, b, end_b = b, end_b, a, end_a
        held = 0
        for entry in range(a, end_a):
            middle = sym_indices[entry]
            b = skip_to(sym_indices, b, end_b, middle)
            if b == end_b:
                break
            if sym_indices[b] != middle:
                continue
            degree = sym_indptr[middle + 1] - sym_indptr[middle]
            slot = held
            while slot > 0:
                other = out[pair, slot - 1]
                theirs = sym_indptr[other + 1] - sym_indptr[other]
                if theirs < degree or (theirs == degree and place[other] < place[middle]):
                    break
                if slot < count:
                    out[pair, slot] = other
                slot -= 1
            if slot < count:
                out[pair, slot] = middle
                held = min(held + 1, count)
    return out
