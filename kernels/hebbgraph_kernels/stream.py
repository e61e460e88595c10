"""Every qualifying pair, in blocks of bounded size, from the pruned join."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import block_cursor, fetch_add, parallel_njit, thread_count
from hebbgraph_kernels.csr import degree_order, relabel
from hebbgraph_kernels.join import qualifying
from hebbgraph_kernels.ranking import allocation_shares

_ROWS_PER_BLOCK = 32


@parallel_njit
def _collect(  # type: ignore[no-untyped-def]
    indptr, indices, pending, allowed, adjacent, min_shared, threshold, shrinkage, share_of,
    cursor, used, threads, left, right, shares, amounts,
):  # fmt: skip
    """Fill the buffers from the pending rows; a row that finds no room stays pending."""
    n = indptr.size - 1
    for _thread in prange(threads):
        shared = np.zeros(n, np.int32)
        allocation = np.zeros(n, np.int64)
        suffix = np.zeros(n, np.uint8)
        joined = np.zeros(n, np.uint8)
        touched = np.empty(n, indices.dtype)
        while True:
            block = fetch_add(cursor, 0, _ROWS_PER_BLOCK)
            if block >= n:
                break
            for row in range(block, min(block + _ROWS_PER_BLOCK, n)):
                # Once the buffer is full, further rows would be joined in vain (read atomically: a
                # plain load may be moved out of the loop).
                if not pending[row] or fetch_add(used, 0, 0) >= left.size:
                    continue
                found = qualifying(
                    row, indptr, indices, share_of, min_shared, threshold, shrinkage,
                    shared, allocation, suffix, touched,
                )  # fmt: skip
                if not adjacent:
                    for entry in range(indptr[row], indptr[row + 1]):
                        joined[indices[entry]] = 1
                kept = 0
                for k in range(found):
                    node = touched[k]
                    if allowed[node] and not joined[node]:
                        touched[k] = touched[kept]
                        touched[kept] = node
                        kept += 1
                if not adjacent:
                    for entry in range(indptr[row], indptr[row + 1]):
                        joined[indices[entry]] = 0
                begin = fetch_add(used, 0, kept)
                fits = begin + kept <= left.size
                if fits:
                    pending[row] = False
                for k in range(found):
                    node = touched[k]
                    if fits and k < kept:
                        left[begin + k] = row
                        right[begin + k] = node
                        shares[begin + k] = shared[node]
                        amounts[begin + k] = allocation[node]
                    shared[node] = 0
                    allocation[node] = 0
                if not fits:
                    for k in range(begin, min(begin + kept, left.size)):
                        left[k] = -1


def qualifying_pairs(
    indptr: np.ndarray,
    indices: np.ndarray,
    *,
    allowed: np.ndarray,
    adjacent: bool,
    min_shared: int,
    threshold: float,
    shrinkage: float,
    pairs_per_block: int,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Blocks of all pairs that qualify, each pair once, in no particular order.

    Parameters
    ----------
    indptr, indices : adjacency
    allowed : (n,) bool; both ends of a pair must be allowed
    adjacent : whether nodes that are already joined make a pair
    min_shared, threshold, shrinkage : what qualifies, s / (min degree + shrinkage)
    pairs_per_block : most pairs in a block, or the number of nodes if that is more

    Yields
    ------
    left, right : (p,) like ``indices``
    shared : (p,) int32
    allocation : (p,) float64, Σ 1/|N(c)| over the shared neighbours c
    """
    n = indptr.size - 1
    order, position = degree_order(indptr, indices)
    near_indptr, near = relabel(indptr, indices, order, position)
    share_of, unit = allocation_shares(near_indptr)
    ranked_allowed = allowed[order]
    pending = ranked_allowed & (np.diff(near_indptr) >= min_shared)
    size = max(pairs_per_block, n, 1)
    left, right = np.empty(size, indices.dtype), np.empty(size, indices.dtype)
    shared, amounts = np.empty(size, np.int32), np.empty(size, np.int64)
    while pending.any():
        cursor, used = block_cursor(), block_cursor()
        cursor[0] = int(np.argmax(pending))
        _collect(
            near_indptr, near, pending, ranked_allowed, adjacent, min_shared, threshold,
            shrinkage, share_of, cursor, used, thread_count(), left, right, shared, amounts,
        )  # fmt: skip
        filled = min(int(used[0]), size)
        good = np.flatnonzero(left[:filled] >= 0)
        fraction = ((amounts[good] + 512) >> 10) * (1024 * unit)
        yield order[left[good]], order[right[good]], shared[good], fraction
