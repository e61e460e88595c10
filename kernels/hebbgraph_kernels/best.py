"""The best partners of every node, straight from the pruned join: O(n·k) memory."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels import measures
from hebbgraph_kernels._jit import (
    block_cursor,
    exchange,
    fetch_add,
    njit,
    parallel_njit,
    thread_count,
)
from hebbgraph_kernels.accumulation import count_and_sum
from hebbgraph_kernels.frame import frame
from hebbgraph_kernels.join import CHUNK, candidates, number_known, plan, settle, worths
from hebbgraph_kernels.membership import SHORT
from hebbgraph_kernels.ranking import (
    CONFIDENCE,
    OVERLAP_ALLOCATION,
    RESOURCE_ALLOCATION,
    SURPRISE,
    allocation,
    hypergeometric_surprise,
    log_factorials,
    overlap_allocation,
)

_ROWS_PER_BLOCK = 32
_FIRST = 8


@njit
def precedes(rank, value, shared, node, owner, k, ranks, values, shares, nodes, place):  # type: ignore[no-untyped-def]
    """Whether a candidate ranks before entry ``k`` of a table: rank, then the tie order."""
    if rank != ranks[owner, k]:
        return rank > ranks[owner, k]
    if value != values[owner, k]:
        return value > values[owner, k]
    if shared != shares[owner, k]:
        return shared > shares[owner, k]
    return place[node] < place[nodes[owner, k]]


@njit
def insert(rank, value, shared, node, owner, held, ranks, values, shares, nodes, place):  # type: ignore[no-untyped-def]
    """Put a candidate into the table of ``owner``, best first; whether it is good enough."""
    slot = held[owner]
    while slot > 0 and precedes(
        rank, value, shared, node, owner, slot - 1, ranks, values, shares, nodes, place
    ):
        slot -= 1
    width = nodes.shape[1]
    if slot == width:
        return False
    last = min(held[owner], width - 1)
    for k in range(last, slot, -1):
        ranks[owner, k] = ranks[owner, k - 1]
        values[owner, k] = values[owner, k - 1]
        shares[owner, k] = shares[owner, k - 1]
        nodes[owner, k] = nodes[owner, k - 1]
    ranks[owner, slot] = rank
    values[owner, slot] = value
    shares[owner, slot] = shared
    nodes[owner, slot] = node
    held[owner] = last + 1
    return True


@njit
def _offer(  # type: ignore[no-untyped-def]
    owner, rank, value, shared, partner, class_indptr, class_nodes,
    held, bar, locks, ranks, values, shares, nodes, place,
):  # fmt: skip
    """Offer a row's nodes to another row's table, which any thread may be writing.

    They are worth the same and come in tie order, so once one is not good enough the rest are not
    either.
    """
    while exchange(locks, owner, 1):
        pass
    for member in range(class_indptr[partner], class_indptr[partner + 1]):
        if not insert(
            rank, value, shared, class_nodes[member], owner,
            held, ranks, values, shares, nodes, place,
        ):  # fmt: skip
            break
    if held[owner] == nodes.shape[1]:
        bar[owner] = ranks[owner, nodes.shape[1] - 1]
    exchange(locks, owner, 0)


@njit
def rank_of(  # type: ignore[no-untyped-def]
    ranking, shared, amount, value, a, b, row_indptr, population, log_factorial, unit
):  # fmt: skip
    """What a pair of rows is ranked by."""
    if ranking == RESOURCE_ALLOCATION:
        return allocation(amount, unit)
    if ranking == CONFIDENCE:
        return value
    degree_a = row_indptr[a + 1] - row_indptr[a]
    degree_b = row_indptr[b + 1] - row_indptr[b]
    smaller = min(degree_a, degree_b)
    if ranking == OVERLAP_ALLOCATION:
        return overlap_allocation(allocation(amount, unit), shared, smaller, unit)
    return hypergeometric_surprise(
        shared, smaller, max(degree_a, degree_b), population, log_factorial
    )


@njit
def _may_enter(  # type: ignore[no-untyped-def]
    owner, rank, value, shared, node, locks, ranks, values, shares, nodes, place
):  # fmt: skip
    """Whether a partner worth at most as much as the last of a full table may still enter it."""
    last = nodes.shape[1] - 1
    while exchange(locks, owner, 1):
        pass
    enters = precedes(rank, value, shared, node, owner, last, ranks, values, shares, nodes, place)
    exchange(locks, owner, 0)
    return enters


@njit
def _promising(  # type: ignore[no-untyped-def]
    row, row_indptr, size, middle_of, class_indptr, class_nodes, ranking, measure, shrinkage, unit,
    log_factorial, worth, seen, touched, start, stop, joined, bar, locks,
    ranks, values, shares, nodes, place,
):  # fmt: skip
    """Of touched[start:stop] keep those not joined to the row that may enter a table; their end."""
    masked = row_indptr[row + 1] - row_indptr[row] <= SHORT
    own = class_nodes[class_indptr[row]]
    kept = start
    for k in range(start, stop):
        node = touched[k]
        known = np.int64(seen[node])
        shared = number_known(known, masked)
        value = measures.value(
            measure, shared, worth[known], size[row], size[node], shrinkage, unit
        )
        most = np.inf
        if ranking != SURPRISE:
            most = rank_of(
                ranking, shared, worth[known], value, row, node, row_indptr, 0, log_factorial, unit
            )
        other = class_nodes[class_indptr[node]]
        # Compared here, since to pass a dozen arrays to a function takes longer than all of it.
        enters = most > bar[row] or most > bar[node]
        if not enters and most == bar[row]:
            enters = _may_enter(
                row, most, value, shared, other, locks, ranks, values, shares, nodes, place
            )
        if not enters and most == bar[node]:
            enters = _may_enter(
                node, most, value, shared, own, locks, ranks, values, shares, nodes, place
            )
        if enters and not joined[middle_of[node]]:
            touched[kept] = node
            kept += 1
        else:
            seen[node] = 0
    return kept


@njit
def _row(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, list_indptr, list_indices, membership, signature,
    size, share, middle_of, class_indptr, class_nodes, place,
    prefix, least, limit, measure, min_shared, threshold, shrinkage, ranking, unit,
    population, log_factorial, seen, touched, worth, joined, counts, amounts,
    held, bar, locks, ranks, values, shares, nodes,
):  # fmt: skip
    found, asked = candidates(
        row, row_indptr, row_indices, list_indptr, list_indices, membership, signature,
        prefix, least, limit, seen, touched,
    )  # fmt: skip
    if found == 0:
        return
    worths(row, row_indptr, row_indices, share, worth)
    for entry in range(row_indptr[row], row_indptr[row + 1]):
        joined[row_indices[entry]] = 1
    # A first few fill the row's own table: by then most of the rest can be turned away unsettled.
    start = 0
    step = _FIRST
    while start < found:
        following = min(start + step, found)
        step = min(2 * step, CHUNK)
        stop = _promising(
            row, row_indptr, size, middle_of, class_indptr, class_nodes, ranking, measure,
            shrinkage, unit, log_factorial, worth, seen, touched, start, following, joined, bar,
            locks, ranks, values, shares, nodes, place,
        )  # fmt: skip
        if prefix > 1:
            touched[start:stop].sort()
        settle(
            row, row_indptr, row_indices, list_indptr, list_indices, membership, share,
            asked, worth,
            seen, touched, start, stop, counts, amounts,
        )  # fmt: skip
        for k in range(stop - start):
            node = touched[start + k]
            seen[node] = 0
            s = counts[k]
            value = measures.value(measure, s, amounts[k], size[row], size[node], shrinkage, unit)
            if s < min_shared or value < threshold:
                continue
            rank = rank_of(
                ranking, s, amounts[k], value, row, node, row_indptr, population,
                log_factorial, unit,
            )  # fmt: skip
            if rank >= bar[row]:
                _offer(row, rank, value, s, node, class_indptr, class_nodes, held, bar, locks,
                       ranks, values, shares, nodes, place)  # fmt: skip
            if rank >= bar[node]:
                _offer(node, rank, value, s, row, class_indptr, class_nodes, held, bar, locks,
                       ranks, values, shares, nodes, place)  # fmt: skip
        start = following
    for entry in range(row_indptr[row], row_indptr[row + 1]):
        joined[row_indices[entry]] = 0


@njit
def _whole_row(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, list_indptr, list_indices, size, share,
    middle_of, class_indptr, class_nodes, place, least, limit, measure, min_shared, threshold,
    shrinkage, ranking, unit, population, log_factorial, tally, touched, joined,
    held, bar, locks, ranks, values, shares, nodes,
):  # fmt: skip
    met = count_and_sum(
        row, row_indptr, row_indices, list_indptr, list_indices, share, limit, tally, touched
    )
    for entry in range(row_indptr[row], row_indptr[row + 1]):
        joined[row_indices[entry]] = 1
    for k in range(met):
        node = touched[k]
        s = tally[node, 0]
        amount = tally[node, 1]
        tally[node, 0] = 0
        tally[node, 1] = 0
        if s < least or joined[middle_of[node]]:
            continue
        value = measures.value(measure, s, amount, size[row], size[node], shrinkage, unit)
        if s < min_shared or value < threshold:
            continue
        rank = rank_of(
            ranking, s, amount, value, row, node, row_indptr, population, log_factorial, unit
        )
        if rank >= bar[row]:
            _offer(row, rank, value, s, node, class_indptr, class_nodes, held, bar, locks,
                   ranks, values, shares, nodes, place)  # fmt: skip
        if rank >= bar[node]:
            _offer(node, rank, value, s, row, class_indptr, class_nodes, held, bar, locks,
                   ranks, values, shares, nodes, place)  # fmt: skip
    for entry in range(row_indptr[row], row_indptr[row + 1]):
        joined[row_indices[entry]] = 0


@njit
def _twins(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, size, share, class_indptr, class_nodes, place, measure,
    min_shared, threshold, shrinkage, ranking, unit, population, log_factorial,
    held, bar, locks, ranks, values, shares, nodes,
):  # fmt: skip
    """Offer a row the nodes that it stands for: they share everything and are never joined."""
    degree = row_indptr[row + 1] - row_indptr[row]
    if class_indptr[row + 1] - class_indptr[row] < 2 or degree < min_shared:
        return
    amount = np.int64(0)
    for entry in range(row_indptr[row], row_indptr[row + 1]):
        amount += share[row_indices[entry]]
    value = measures.value(measure, degree, amount, size[row], size[row], shrinkage, unit)
    if value >= threshold:
        rank = rank_of(
            ranking, degree, amount, value, row, row, row_indptr, population, log_factorial, unit
        )
        if rank >= bar[row]:
            _offer(row, rank, value, degree, row, class_indptr, class_nodes, held, bar, locks,
                   ranks, values, shares, nodes, place)  # fmt: skip


@parallel_njit
def _best(  # type: ignore[no-untyped-def]
    row_indptr, row_indices, list_indptr, list_indices, membership, signature, whole,
    size, share, middle_of, class_indptr, class_nodes, place,
    measure, min_shared, threshold, shrinkage, ranking, unit, population, log_factorial,
    cursor, threads, nodes, shares, values, ranks,
):  # fmt: skip
    n_rows = size.size
    held = np.zeros(n_rows, np.int32)
    locks = np.zeros(n_rows, np.int8)
    bar = np.full(n_rows, -np.inf)
    widest = 0
    for row in range(n_rows):
        widest = max(widest, row_indptr[row + 1] - row_indptr[row])
    tallied = n_rows if whole.any() else 0
    for _thread in prange(threads):
        few = np.zeros(n_rows, np.uint8)
        many = np.zeros(n_rows if widest > 255 else 0, np.int32)
        touched = np.empty(n_rows + 1, list_indices.dtype)
        joined = np.zeros(share.size, np.uint8)
        worth = np.empty(max(1 << SHORT, widest + 1), np.int64)
        counts = np.empty(CHUNK, np.int32)
        amounts = np.empty(CHUNK, np.int64)
        tally = np.zeros((tallied, 2), np.int64)
        while True:
            block = fetch_add(cursor, 0, _ROWS_PER_BLOCK)
            if block >= n_rows:
                break
            for back in range(block, min(block + _ROWS_PER_BLOCK, n_rows)):
                row = n_rows - 1 - back
                _twins(
                    row, row_indptr, row_indices, size, share, class_indptr, class_nodes, place,
                    measure, min_shared, threshold, shrinkage, ranking, unit, population,
                    log_factorial, held, bar, locks, ranks, values, shares, nodes,
                )  # fmt: skip
                degree = row_indptr[row + 1] - row_indptr[row]
                prefix, least = plan(
                    row, row_indptr, row_indices, size, share,
                    measure, min_shared, threshold, shrinkage, unit,
                )  # fmt: skip
                if least > degree:
                    continue
                limit = measures.first_too_large(measure, row, size, threshold, shrinkage)
                if whole[row]:
                    _whole_row(
                        row, row_indptr, row_indices, list_indptr, list_indices, size, share,
                        middle_of, class_indptr, class_nodes, place, least, limit, measure,
                        min_shared, threshold, shrinkage, ranking, unit, population, log_factorial,
                        tally, touched, joined, held, bar, locks, ranks, values, shares, nodes,
                    )  # fmt: skip
                # Counts of at most 255 fit in a byte, and an array of bytes in cache.
                elif degree <= 255:
                    _row(
                        row, row_indptr, row_indices, list_indptr, list_indices, membership,
                        signature, size, share, middle_of, class_indptr, class_nodes, place,
                        prefix, least, limit, measure, min_shared, threshold, shrinkage, ranking,
                        unit, population, log_factorial, few, touched, worth, joined, counts,
                        amounts, held, bar, locks, ranks, values, shares, nodes,
                    )  # fmt: skip
                else:
                    _row(
                        row, row_indptr, row_indices, list_indptr, list_indices, membership,
                        signature, size, share, middle_of, class_indptr, class_nodes, place,
                        prefix, least, limit, measure, min_shared, threshold, shrinkage, ranking,
                        unit, population, log_factorial, many, touched, worth, joined, counts,
                        amounts, held, bar, locks, ranks, values, shares, nodes,
                    )  # fmt: skip


def best_partners(
    indptr: np.ndarray,
    indices: np.ndarray,
    *,
    cap: int,
    allowed: np.ndarray,
    place: np.ndarray,
    measure: int,
    min_shared: int,
    threshold: float,
    shrinkage: float,
    ranking: int,
    population: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The ``cap`` best non-adjacent partners of every node, best first.

    Parameters
    ----------
    indptr, indices : adjacency
    cap : partners kept a node, ≥ 1
    allowed : (n,) bool; both ends of a pair must be allowed
    place : (n,) int, position of a node in the order that breaks last ties
    measure : one of the constants of :mod:`hebbgraph_kernels.measures`
    min_shared, threshold, shrinkage : what qualifies: shared, value of the measure
    ranking : one of the constants of :mod:`hebbgraph_kernels.ranking`
    population : nodes that a neighbour is drawn from, for ``SURPRISE``

    Returns
    -------
    left : (p,) int, the node whose table the pair is in
    right : (p,) int
    shared : (p,) int32
    value, rank : (p,) float64
    """
    walked, unit = frame(
        indptr, indices, allowed=allowed, measure=measure, min_shared=min_shared,
        threshold=threshold, shrinkage=shrinkage, place=place,
    )  # fmt: skip
    n_rows = walked.size.size
    # A row that stands for several nodes keeps one more, since each is among its own partners.
    width = cap + int(walked.class_nodes.size > n_rows)
    nodes = np.full((n_rows, width), -1, indices.dtype)
    shared = np.zeros((n_rows, width), np.int32)
    value = np.zeros((n_rows, width), np.float64)
    rank = np.zeros((n_rows, width), np.float64)
    table = log_factorials(population if ranking == SURPRISE else 0)
    if n_rows:
        _best(
            *walked, place, measure, min_shared, threshold, shrinkage, ranking, unit, population,
            table, block_cursor(), thread_count(), nodes, shared, value, rank,
        )  # fmt: skip
    class_indptr, class_nodes = walked.class_indptr, walked.class_nodes
    del walked
    return _expanded(class_indptr, class_nodes, cap, nodes, shared, value, rank)


def _expanded(
    class_indptr: np.ndarray,
    class_nodes: np.ndarray,
    cap: int,
    nodes: np.ndarray,
    shared: np.ndarray,
    value: np.ndarray,
    rank: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The table of each row as pairs of each node that it stands for."""
    sizes = np.diff(class_indptr)
    if class_nodes.size == sizes.size:
        at = np.nonzero(nodes >= 0)
        return class_nodes[at[0]], nodes[at], shared[at], value[at], rank[at]
    row = np.repeat(np.arange(sizes.size), sizes)
    held = nodes[row]
    other = (held >= 0) & (held != class_nodes[:, None])
    member, slot = np.nonzero(other & (np.cumsum(other, axis=1) <= cap))
    at = row[member], slot
    return class_nodes[member], nodes[at], shared[at], value[at], rank[at]
