"""Every qualifying pair, in blocks of bounded size, from the pruned join."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import prange

from hebbgraph_kernels import measures
from hebbgraph_kernels._jit import block_cursor, fetch_add, njit, parallel_njit, thread_count
from hebbgraph_kernels.accumulation import count, count_and_sum, take
from hebbgraph_kernels.frame import frame
from hebbgraph_kernels.join import candidates, plan, settle, worths
from hebbgraph_kernels.membership import SHORT
from hebbgraph_kernels.ranking import allocation

_ROWS_PER_BLOCK = 32


@njit
def _prune(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, list_indptr, list_indices, membership, signature, share,
    prefix, least, limit, seen, touched, worth, counts, amounts,
):  # fmt: skip
    """Candidates of a row with what they share, by the pruned road; ``seen`` is cleared."""
    found, asked = candidates(
        row, row_indptr, row_indices, list_indptr, list_indices, membership, signature,
        prefix, least, limit, seen, touched,
    )  # fmt: skip
    if found == 0:
        return found
    if share.size:
        worths(row, row_indptr, row_indices, share, worth)
    if prefix > 1:
        touched[:found].sort()
    settle(
        row, row_indptr, row_indices, list_indptr, list_indices, membership, share, asked, worth,
        seen, touched, 0, found, counts, amounts,
    )  # fmt: skip
    for k in range(found):
        seen[touched[k]] = 0
    return found


@njit
def _find(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, list_indptr, list_indices, membership, signature, share,
    whole, prefix, least, limit, seen, touched, worth, tally, counts, amounts,
):  # fmt: skip
    """Partners that may qualify, with what they share, to ``touched``, ``counts``, ``amounts``."""
    if not whole:
        return _prune(
            row, row_indptr, row_indices, list_indptr, list_indices, membership, signature, share,
            prefix, least, limit, seen, touched, worth, counts, amounts,
        )  # fmt: skip
    if share.size == 0:
        return count(
            row, row_indptr, row_indices, list_indptr, list_indices, least, limit, seen, touched,
            counts,
        )  # fmt: skip
    met = count_and_sum(
        row, row_indptr, row_indices, list_indptr, list_indices, share, limit, tally, touched
    )
    return take(least, tally, touched, met, counts, amounts)


@njit
def _emit(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, size, middle_of, node_of, found, adjacent, measure, min_shared,
    threshold, shrinkage, unit, touched, joined, counts, amounts, used, written,
    left, right, shares, sums, values,
):  # fmt: skip
    """Append a row's pairs to the buffers; False, and nothing appended, if there is no room."""
    if found == 0:
        return True
    if not adjacent:
        for entry in range(row_indptr[row], row_indptr[row + 1]):
            joined[row_indices[entry]] = 1
    kept = 0
    for k in range(found):
        node = touched[k]
        if counts[k] < min_shared or joined[middle_of[node]]:
            continue
        value = measures.value(
            measure, counts[k], amounts[k], size[row], size[node], shrinkage, unit
        )
        if value >= threshold:
            touched[kept] = node
            counts[kept] = counts[k]
            amounts[kept] = amounts[k]
            kept += 1
    if not adjacent:
        for entry in range(row_indptr[row], row_indptr[row + 1]):
            joined[row_indices[entry]] = 0
    # What has been taken only grows: after one row without room there is none for any other, so
    # what is written has no holes.
    begin = fetch_add(used, 0, kept)
    if begin + kept > left.size:
        return False
    fetch_add(written, 0, kept)
    for k in range(kept):
        node = touched[k]
        left[begin + k] = node_of[row]
        right[begin + k] = node_of[node]
        shares[begin + k] = counts[k]
        values[begin + k] = measures.value(
            measure, counts[k], amounts[k], size[row], size[node], shrinkage, unit
        )
        if sums.size:
            sums[begin + k] = allocation(amounts[k], unit)
    return True


@parallel_njit
def _collect(  # type: ignore[no-untyped-def]
    row_indptr, row_indices, list_indptr, list_indices, membership, signature, whole, size, share,
    middle_of, node_of, pending, adjacent, measure, min_shared, threshold, shrinkage, unit,
    cursor, used, written, threads, left, right, shares, sums, values,
):  # fmt: skip
    """Fill the buffers from the pending rows; a row that finds no room stays pending."""
    n_rows = size.size
    widest = 0
    summed = False
    for row in range(n_rows):
        widest = max(widest, row_indptr[row + 1] - row_indptr[row])
        summed |= whole[row] and share.size > 0
    for _thread in prange(threads):
        few = np.zeros(n_rows, np.uint8)
        many = np.zeros(n_rows if widest > 255 else 0, np.int32)
        touched = np.empty(n_rows + 1, list_indices.dtype)
        joined = np.zeros(list_indptr.size - 1, np.uint8)
        worth = np.empty(max(1 << SHORT, widest + 1), np.int64)
        counts = np.empty(n_rows, np.int32)
        amounts = np.zeros(n_rows, np.int64)
        tally = np.zeros((n_rows if summed else 0, 2), np.int64)
        while True:
            block = fetch_add(cursor, 0, _ROWS_PER_BLOCK)
            if block >= n_rows:
                break
            for row in range(block, min(block + _ROWS_PER_BLOCK, n_rows)):
                # Once the buffer is full, further rows would be joined in vain (read atomically: a
                # plain load may be moved out of the loop).
                if not pending[row] or fetch_add(used, 0, 0) >= left.size:
                    continue
                degree = row_indptr[row + 1] - row_indptr[row]
                prefix, least = plan(
                    row, row_indptr, row_indices, size, share,
                    measure, min_shared, threshold, shrinkage, unit,
                )  # fmt: skip
                if least > degree:
                    pending[row] = False
                    continue
                limit = measures.first_too_large(measure, row, size, threshold, shrinkage)
                # Counts of at most 255 fit in a byte, and an array of bytes in cache.
                if degree <= 255:
                    found = _find(
                        row, row_indptr, row_indices, list_indptr, list_indices, membership,
                        signature, share, whole[row], prefix, least, limit,
                        few, touched, worth, tally, counts, amounts,
                    )  # fmt: skip
                else:
                    found = _find(
                        row, row_indptr, row_indices, list_indptr, list_indices, membership,
                        signature, share, whole[row], prefix, least, limit,
                        many, touched, worth, tally, counts, amounts,
                    )  # fmt: skip
                pending[row] = not _emit(
                    row, row_indptr, row_indices, size, middle_of, node_of, found, adjacent,
                    measure, min_shared, threshold, shrinkage, unit, touched, joined, counts,
                    amounts, used, written, left, right, shares, sums, values,
                )  # fmt: skip


def qualifying_pairs(
    indptr: np.ndarray,
    indices: np.ndarray,
    *,
    allowed: np.ndarray,
    adjacent: bool,
    measure: int,
    min_shared: int,
    threshold: float,
    shrinkage: float,
    pairs_per_block: int,
    sums: bool = True,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Blocks of all pairs that qualify, each pair once, in no particular order.

    Parameters
    ----------
    indptr, indices : adjacency
    allowed : (n,) bool; both ends of a pair must be allowed
    adjacent : whether nodes that are already joined make a pair
    measure, min_shared, threshold, shrinkage : what qualifies,
        see :func:`hebbgraph_kernels.best.best_partners`
    sums : whether Σ 1/|N(c)| is wanted; without it the last array is empty
    pairs_per_block : most pairs in a block, or the number of nodes if that is more

    Yields
    ------
    left, right : (p,) like ``indices``
    shared : (p,) int32
    value : (p,) float64, of the measure
    allocation : (p,) float64, Σ 1/|N(c)| over the shared neighbours c
    """
    walked, unit = frame(
        indptr, indices, allowed=allowed, measure=measure, min_shared=min_shared,
        threshold=threshold, shrinkage=shrinkage, place=None,
    )  # fmt: skip
    n_rows = walked.size.size
    share = walked.share if sums or measure == measures.ALLOCATION else np.empty(0, np.int64)
    pending = np.diff(walked.row_indptr) >= min_shared
    size = max(pairs_per_block, n_rows, 1)
    while pending.any():
        cursor, used, written = block_cursor(), block_cursor(), block_cursor()
        cursor[0] = int(np.argmax(pending))
        left, right = np.empty(size, indices.dtype), np.empty(size, indices.dtype)
        shared, value = np.empty(size, np.int32), np.empty(size, np.float64)
        allocated = np.empty(size if sums else 0, np.float64)
        _collect(
            *walked[:8], share, walked.middle_of, walked.class_nodes, pending, adjacent, measure,
            min_shared, threshold, shrinkage, unit, cursor, used, written, thread_count(),
            left, right, shared, allocated, value,
        )  # fmt: skip
        filled = int(written[0])
        yield left[:filled], right[:filled], shared[:filled], value[:filled], allocated[:filled]
