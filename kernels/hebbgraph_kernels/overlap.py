"""Shared-neighbour pairs by row accumulation over A·Aᵀ, without forming it.

One row of the product at a time is summed into an array as long as the graph
has nodes; rows are independent, so threads draw blocks of them.  Resource
allocation is summed in fixed point: integers add up to the same whatever the
order, so results do not depend on node order, threads or block size.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import block_cursor, fetch_add, njit, parallel_njit, thread_count

RESOURCE_ALLOCATION = 0
CONFIDENCE = 1
SURPRISE = 2

_ROWS_PER_BLOCK = 32


def allocation_shares(indptr: np.ndarray) -> tuple[np.ndarray, float]:
    """1/|N(c)| of every node in fixed point, and the value of one unit.

    The unit is the finest at which no sum of shares can overflow int64: a sum
    has at most the largest degree's number of terms, each at most 1.
    """
    degree = np.diff(indptr).astype(np.int64)
    largest = max(int(degree.max(initial=1)), 1)
    bits = min(52, 62 - largest.bit_length())
    shares = np.left_shift(np.int64(1), bits) // np.maximum(degree, 1)
    return shares, 2.0**-bits


def log_factorials(count: int) -> np.ndarray:
    """ln(0!) … ln(count!) as (count + 1,) float64."""
    out = np.zeros(count + 1)
    np.cumsum(np.log(np.arange(1, count + 1, dtype=np.float64)), out=out[1:])
    return out


@njit
def hypergeometric_surprise(shared, smaller, larger, population, log_factorial):  # type: ignore[no-untyped-def]
    """−log₁₀ P(X ≥ shared), X hypergeometric: ``larger`` draws, ``smaller`` marked.

    Starts from the logarithm of the first term and adds the rest relative to
    it, so neither huge nor tiny probabilities under- or overflow.
    """
    rest = population - smaller - larger
    if shared <= max(0, -rest):
        return 0.0
    lf = log_factorial
    first = (
        lf[smaller] - lf[shared] - lf[smaller - shared]
        + lf[population - smaller] - lf[larger - shared] - lf[rest + shared]
        - lf[population] + lf[larger] + lf[population - larger]
    )  # fmt: skip
    term = 1.0
    total = 1.0
    for x in range(shared, smaller):
        term *= (smaller - x) * np.float64(larger - x) / ((x + 1.0) * (rest + x + 1.0))
        total += term
        if term < 1e-17 * total:
            break
    return max(0.0, -(first + np.log(total)) / np.log(10.0))


@njit
def _accumulate(row, indptr, indices, shares, shared, allocation, touched):  # type: ignore[no-untyped-def]
    """Row of A·Aᵀ into ``shared`` and ``allocation``; returns how many were touched."""
    count = 0
    for entry in range(indptr[row], indptr[row + 1]):
        middle = indices[entry]
        share = shares[middle]
        for far in range(indptr[middle], indptr[middle + 1]):
            node = indices[far]
            if shared[node] == 0:
                touched[count] = node
                count += 1
            shared[node] += 1
            allocation[node] += share
    return count


@njit
def _precedes(  # type: ignore[no-untyped-def]
    rank, confidence, shared, node, k, ranks, confidences, shares, nodes, place
):  # fmt: skip
    """Whether a candidate ranks before entry ``k`` of a table: rank, then the tie order."""
    if rank != ranks[k]:
        return rank > ranks[k]
    if confidence != confidences[k]:
        return confidence > confidences[k]
    if shared != shares[k]:
        return shared > shares[k]
    return place[node] < place[nodes[k]]


@njit
def _insert(  # type: ignore[no-untyped-def]
    rank, confidence, shared, node, held, ranks, confidences, shares, nodes, place
):  # fmt: skip
    """Put a candidate into a table of ``held`` entries, best first; returns how many it has now."""
    slot = held
    while slot > 0 and _precedes(
        rank, confidence, shared, node, slot - 1, ranks, confidences, shares, nodes, place
    ):
        slot -= 1
    if slot == nodes.size:
        return held
    last = min(held, nodes.size - 1)
    for k in range(last, slot, -1):
        ranks[k] = ranks[k - 1]
        confidences[k] = confidences[k - 1]
        shares[k] = shares[k - 1]
        nodes[k] = nodes[k - 1]
    ranks[slot] = rank
    confidences[slot] = confidence
    shares[slot] = shared
    nodes[slot] = node
    return last + 1


@parallel_njit
def _best(  # type: ignore[no-untyped-def]
    indptr, indices, allowed, place, min_shared, threshold, shrinkage, ranking,
    share_of, unit, population, log_factorial, cursor, threads,
    nodes, shares, confidences, ranks,
):  # fmt: skip
    n = indptr.size - 1
    for _thread in prange(threads):
        shared = np.zeros(n, np.int32)
        allocation = np.zeros(n, np.int64)
        touched = np.empty(n, indices.dtype)
        while True:
            block = fetch_add(cursor, 0, _ROWS_PER_BLOCK)
            if block >= n:
                break
            for row in range(block, min(block + _ROWS_PER_BLOCK, n)):
                degree = indptr[row + 1] - indptr[row]
                if degree < min_shared or not allowed[row]:
                    continue
                count = _accumulate(row, indptr, indices, share_of, shared, allocation, touched)
                shared[row] = 0
                allocation[row] = 0
                for entry in range(indptr[row], indptr[row + 1]):
                    shared[indices[entry]] = 0
                    allocation[indices[entry]] = 0
                held = 0
                for k in range(count):
                    node = touched[k]
                    s = shared[node]
                    amount = allocation[node]
                    shared[node] = 0
                    allocation[node] = 0
                    if s < min_shared or not allowed[node]:
                        continue
                    other = indptr[node + 1] - indptr[node]
                    confidence = s / (min(degree, other) + shrinkage)
                    if confidence < threshold:
                        continue
                    if ranking == 0:
                        rank = amount * unit
                    elif ranking == 1:
                        rank = confidence
                    else:
                        rank = hypergeometric_surprise(
                            s, min(degree, other), max(degree, other), population, log_factorial
                        )
                    held = _insert(
                        rank, confidence, s, node, held,
                        ranks[row], confidences[row], shares[row], nodes[row], place,
                    )  # fmt: skip


def best_partners(
    indptr: np.ndarray,
    indices: np.ndarray,
    *,
    cap: int,
    allowed: np.ndarray,
    place: np.ndarray,
    min_shared: int,
    threshold: float,
    shrinkage: float,
    ranking: int,
    population: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The ``cap`` best non-adjacent partners of every node, best first.

    Parameters
    ----------
    indptr, indices : adjacency
    cap : partners kept a node, ≥ 1
    allowed : (n,) bool; both ends of a pair must be allowed
    place : (n,) int, position of a node in the order that breaks last ties
    min_shared, threshold, shrinkage : what qualifies, s / (min degree + shrinkage)
    ranking : one of this module's three constants
    population : nodes that a neighbour is drawn from, for ``SURPRISE``

    Returns
    -------
    nodes : (n, cap) like ``indices``, −1 where there are fewer partners
    shared : (n, cap) int32
    confidence, rank : (n, cap) float64
    """
    n = indptr.size - 1
    nodes = np.full((n, cap), -1, indices.dtype)
    shared = np.zeros((n, cap), np.int32)
    confidence = np.zeros((n, cap), np.float64)
    rank = np.zeros((n, cap), np.float64)
    shares, unit = allocation_shares(indptr)
    table = log_factorials(population if ranking == SURPRISE else 0)
    _best(
        indptr, indices, allowed, place, min_shared, threshold, shrinkage, ranking,
        shares, unit, population, table, block_cursor(), thread_count(),
        nodes, shared, confidence, rank,
    )  # fmt: skip
    return nodes, shared, confidence, rank


@parallel_njit
def _rows(  # type: ignore[no-untyped-def]
    indptr, indices, wanted, allowed, upper, adjacent, min_shared, threshold, shrinkage,
    share_of, cursor, last, threads, first, offsets, counts, nodes, shares, amounts,
):  # fmt: skip
    n = indptr.size - 1
    filling = nodes.size > 0
    for _thread in prange(threads):
        shared = np.zeros(n, np.int32)
        allocation = np.zeros(n, np.int64)
        touched = np.empty(n, indices.dtype)
        while True:
            block = fetch_add(cursor, 0, _ROWS_PER_BLOCK)
            if block >= last:
                break
            for row in range(block, min(block + _ROWS_PER_BLOCK, last)):
                degree = indptr[row + 1] - indptr[row]
                if degree < min_shared or not wanted[row]:
                    continue
                count = _accumulate(row, indptr, indices, share_of, shared, allocation, touched)
                shared[row] = 0
                allocation[row] = 0
                if not adjacent:
                    for entry in range(indptr[row], indptr[row + 1]):
                        shared[indices[entry]] = 0
                        allocation[indices[entry]] = 0
                found = 0
                begin = offsets[row - first] if filling else 0
                for k in range(count):
                    node = touched[k]
                    s = shared[node]
                    amount = allocation[node]
                    shared[node] = 0
                    allocation[node] = 0
                    if s < min_shared or not allowed[node] or (upper and node < row):
                        continue
                    other = indptr[node + 1] - indptr[node]
                    if s / (min(degree, other) + shrinkage) < threshold:
                        continue
                    if filling:
                        nodes[begin + found] = node
                        shares[begin + found] = s
                        amounts[begin + found] = amount
                    found += 1
                if filling:
                    order = np.argsort(nodes[begin : begin + found])
                    nodes[begin : begin + found] = nodes[begin : begin + found][order]
                    shares[begin : begin + found] = shares[begin : begin + found][order]
                    amounts[begin : begin + found] = amounts[begin : begin + found][order]
                else:
                    counts[row] = found


def count_rows(
    indptr: np.ndarray,
    indices: np.ndarray,
    *,
    wanted: np.ndarray,
    allowed: np.ndarray,
    upper: bool,
    adjacent: bool,
    min_shared: int,
    threshold: float,
    shrinkage: float,
) -> np.ndarray:
    """Number of qualifying partners of every node: (n,) int64.

    Parameters
    ----------
    wanted : (n,) bool; rows to look at, the others count 0
    allowed : (n,) bool; nodes that may be partners
    upper : count only partners with a larger key, so that a pair counts once
    adjacent : whether nodes that are already joined count as partners
    """
    n = indptr.size - 1
    shares = np.zeros(n, np.int64)
    counts = np.zeros(n, np.int64)
    nothing = np.empty(0, np.int64)
    _rows(
        indptr, indices, wanted, allowed, upper, adjacent, min_shared, threshold, shrinkage,
        shares, block_cursor(), n, thread_count(), 0, nothing, counts,
        np.empty(0, indices.dtype), np.empty(0, np.int32), nothing,
    )  # fmt: skip
    return counts


def fill_rows(
    indptr: np.ndarray,
    indices: np.ndarray,
    counts: np.ndarray,
    first: int,
    last: int,
    *,
    wanted: np.ndarray,
    allowed: np.ndarray,
    upper: bool,
    adjacent: bool,
    min_shared: int,
    threshold: float,
    shrinkage: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The partners that :func:`count_rows` counted, of nodes ``first`` to ``last``.

    Returns
    -------
    row_indptr : (last − first + 1,) int64
    nodes : (p,) like ``indices``, ascending within a row
    shared : (p,) int32
    allocation : (p,) float64, Σ 1/|N(c)| over the shared neighbours c
    """
    row_indptr = np.zeros(last - first + 1, np.int64)
    np.cumsum(counts[first:last], out=row_indptr[1:])
    size = int(row_indptr[-1])
    nodes = np.empty(size, indices.dtype)
    shared = np.empty(size, np.int32)
    amounts = np.empty(size, np.int64)
    shares, unit = allocation_shares(indptr)
    if size:
        cursor = block_cursor()
        cursor[0] = first
        _rows(
            indptr, indices, wanted, allowed, upper, adjacent, min_shared, threshold, shrinkage,
            shares, cursor, last, thread_count(), first, row_indptr, counts,
            nodes, shared, amounts,
        )  # fmt: skip
    return row_indptr, nodes, shared, amounts * unit


@parallel_njit
def surprise(
    shared: np.ndarray,
    degree_left: np.ndarray,
    degree_right: np.ndarray,
    population: int,
    log_factorial: np.ndarray,
) -> np.ndarray:
    """:func:`hypergeometric_surprise` of many pairs: (p,) float64."""
    out = np.empty(shared.size, np.float64)
    for pair in prange(shared.size):
        smaller = min(degree_left[pair], degree_right[pair])
        larger = max(degree_left[pair], degree_right[pair])
        out[pair] = hypergeometric_surprise(
            shared[pair], smaller, larger, population, log_factorial
        )
    return out
