"""The best partners of given nodes: their rows of A·Aᵀ, and no others.

Both smaller and larger partners are wanted here, so every wedge from the node is seen: cheap for
one node and for few, while :mod:`hebbgraph_kernels.best` is the way for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from hebbgraph_kernels import measures
from hebbgraph_kernels._jit import block_cursor, fetch_add, njit, parallel_njit, thread_count
from hebbgraph_kernels.best import insert, rank_of


class Scratch(NamedTuple):
    """Arrays of zeros that a lookup uses and clears, so that it costs no pass over all nodes.

    Attributes
    ----------
    shared : (n,) int32
    amount : (n,) int64
    joined : (n,) uint8
    touched : (n,) int
    """

    shared: np.ndarray
    amount: np.ndarray
    joined: np.ndarray
    touched: np.ndarray

    @classmethod
    def of(cls, n: int, dtype: np.dtype) -> Scratch:
        """Scratch for a graph of ``n`` nodes."""
        return cls(
            np.zeros(n, np.int32), np.zeros(n, np.int64), np.zeros(n, np.uint8), np.empty(n, dtype)
        )


@njit
def _accumulate(node, indptr, indices, share, shared, amount, joined, touched):  # type: ignore[no-untyped-def]
    """A node's row of A·Aᵀ into ``shared`` and ``amount``; how many it touches.

    Marks the node and its neighbours in ``joined``.
    """
    joined[node] = 1
    found = 0
    for entry in range(indptr[node], indptr[node + 1]):
        middle = indices[entry]
        joined[middle] = 1
        for far in range(indptr[middle], indptr[middle + 1]):
            other = indices[far]
            if shared[other] == 0:
                touched[found] = other
                found += 1
            shared[other] += 1
            amount[other] += share[middle]
    return found


@njit
def _take(  # type: ignore[no-untyped-def]
    node, other, allowed, size, unit, measure, min_shared, threshold, shrinkage,
    shared, amount, joined,
):  # fmt: skip
    """Shared neighbours, sum of shares and value of a pair, cleared; value −1 if it is none."""
    s = shared[other]
    total = amount[other]
    shared[other] = 0
    amount[other] = 0
    value = -1.0
    if s >= min_shared and allowed[other] and not joined[other]:
        value = measures.value(measure, s, total, size[node], size[other], shrinkage, unit)
        if value < threshold:
            value = -1.0
    return s, total, value


@njit
def _forget(node, indptr, indices, joined):  # type: ignore[no-untyped-def]
    joined[node] = 0
    for entry in range(indptr[node], indptr[node + 1]):
        joined[indices[entry]] = 0


@njit
def look_up(  # type: ignore[no-untyped-def]
    node, row, indptr, indices, allowed, place, size, share, unit,
    measure, min_shared, threshold, shrinkage, ranking, population, log_factorial,
    shared, amount, joined, touched, held, nodes, shares, values, ranks,
):  # fmt: skip
    """Fill row ``row`` of the tables with the best partners of ``node``.

    The arguments are those of :func:`hebbgraph_kernels.best.best_partners`, a :class:`Scratch`,
    and tables with room for as many partners as they have columns.
    """
    held[row] = 0
    if not allowed[node]:
        return
    found = _accumulate(node, indptr, indices, share, shared, amount, joined, touched)
    for k in range(found):
        other = touched[k]
        s, total, value = _take(
            node, other, allowed, size, unit, measure, min_shared, threshold, shrinkage,
            shared, amount, joined,
        )  # fmt: skip
        if value < 0:
            continue
        rank = rank_of(
            ranking, s, total, value, node, other, indptr, population, log_factorial, unit
        )
        insert(rank, value, s, other, row, held, ranks, values, shares, nodes, place)
    _forget(node, indptr, indices, joined)


@parallel_njit
def _look_up_all(  # type: ignore[no-untyped-def]
    wanted, indptr, indices, allowed, place, size, share, unit,
    measure, min_shared, threshold, shrinkage, ranking, population, log_factorial,
    cursor, threads, held, nodes, shares, values, ranks,
):  # fmt: skip
    n = indptr.size - 1
    for _thread in prange(threads):
        shared = np.zeros(n, np.int32)
        amount = np.zeros(n, np.int64)
        joined = np.zeros(n, np.uint8)
        touched = np.empty(n, indices.dtype)
        while True:
            row = fetch_add(cursor, 0, 1)
            if row >= wanted.size:
                break
            look_up(
                wanted[row], row, indptr, indices, allowed, place, size, share, unit,
                measure, min_shared, threshold, shrinkage, ranking, population, log_factorial,
                shared, amount, joined, touched, held, nodes, shares, values, ranks,
            )  # fmt: skip


def partners_of(
    wanted: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    *,
    cap: int,
    allowed: np.ndarray,
    place: np.ndarray,
    size: np.ndarray,
    share: np.ndarray,
    unit: float,
    measure: int,
    min_shared: int,
    threshold: float,
    shrinkage: float,
    ranking: int,
    population: int,
    log_factorial: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What :func:`hebbgraph_kernels.best.best_partners` returns, for the tables of some nodes.

    Parameters
    ----------
    wanted : (k,) int, distinct nodes
    size : (n,) int64, degrees, or sums of shares where the measure counts in those
    share, unit : see :func:`hebbgraph_kernels.ranking.allocation_shares`
    """
    held = np.zeros(wanted.size, np.int32)
    nodes = np.full((wanted.size, cap), -1, indices.dtype)
    shared = np.zeros((wanted.size, cap), np.int32)
    value = np.zeros((wanted.size, cap), np.float64)
    rank = np.zeros((wanted.size, cap), np.float64)
    _look_up_all(
        wanted, indptr, indices, allowed, place, size, share, unit, measure, min_shared, threshold,
        shrinkage, ranking, population, log_factorial, block_cursor(), thread_count(),
        held, nodes, shared, value, rank,
    )  # fmt: skip
    at = np.nonzero(nodes >= 0)
    return wanted[at[0]], nodes[at], shared[at], value[at], rank[at]


@parallel_njit
def _rows(  # type: ignore[no-untyped-def]
    wanted, start, indptr, indices, allowed, size, share, unit,
    measure, min_shared, threshold, shrinkage, ranking, population, log_factorial,
    cursor, threads, partner, shares, values, ranks,
):  # fmt: skip
    """Partners of each wanted node to where it starts; only their numbers if there is no room."""
    n = indptr.size - 1
    numbers = np.zeros(wanted.size, np.int64)
    for _thread in prange(threads):
        shared = np.zeros(n, np.int32)
        amount = np.zeros(n, np.int64)
        joined = np.zeros(n, np.uint8)
        touched = np.empty(n, indices.dtype)
        while True:
            row = fetch_add(cursor, 0, 1)
            if row >= wanted.size:
                break
            node = wanted[row]
            if not allowed[node]:
                continue
            found = _accumulate(node, indptr, indices, share, shared, amount, joined, touched)
            number = 0
            for k in range(found):
                other = touched[k]
                s, total, value = _take(
                    node, other, allowed, size, unit, measure, min_shared, threshold, shrinkage,
                    shared, amount, joined,
                )  # fmt: skip
                if value < 0:
                    continue
                if partner.size:
                    at = start[row] + number
                    partner[at] = other
                    shares[at] = s
                    values[at] = value
                    ranks[at] = rank_of(
                        ranking, s, total, value, node, other, indptr, population,
                        log_factorial, unit,
                    )  # fmt: skip
                number += 1
            numbers[row] = number
            _forget(node, indptr, indices, joined)
    return numbers


def pairs_of(
    wanted: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    *,
    allowed: np.ndarray,
    size: np.ndarray,
    share: np.ndarray,
    unit: float,
    measure: int,
    min_shared: int,
    threshold: float,
    shrinkage: float,
    ranking: int,
    population: int,
    log_factorial: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Every pair that qualifies and has one of the wanted nodes as its left end.

    A pair of two wanted nodes comes twice.  Arguments and results are those of
    :func:`partners_of`.
    """

    def fill(start: np.ndarray, *out: np.ndarray) -> np.ndarray:
        numbers: np.ndarray = _rows(
            wanted, start, indptr, indices, allowed, size, share, unit, measure, min_shared,
            threshold, shrinkage, ranking, population, log_factorial, block_cursor(),
            thread_count(), *out,
        )  # fmt: skip
        return numbers

    def room(count: int) -> tuple[np.ndarray, ...]:
        return (
            np.empty(count, indices.dtype),
            np.empty(count, np.int32),
            np.empty(count, np.float64),
            np.empty(count, np.float64),
        )

    numbers = fill(np.empty(0, np.int64), *room(0))
    out = room(int(numbers.sum()))
    if out[0].size:
        fill(np.cumsum(numbers) - numbers, *out)
    partner, shared, value, rank = out
    return np.repeat(wanted, numbers), partner, shared, value, rank


@parallel_njit
def changed_rows(
    old_indptr: np.ndarray, old_indices: np.ndarray, indptr: np.ndarray, indices: np.ndarray
) -> np.ndarray:
    """Which rows of a CSR differ from those of an older one: (n,) bool; rows it lacks are empty."""
    n = indptr.size - 1
    out = np.zeros(n, np.bool_)
    for row in prange(n):
        begin = indptr[row]
        size = indptr[row + 1] - begin
        if row >= old_indptr.size - 1:
            out[row] = size > 0
            continue
        other = old_indptr[row]
        differs = size != old_indptr[row + 1] - other
        if not differs:
            for offset in range(size):
                if indices[begin + offset] != old_indices[other + offset]:
                    differs = True
                    break
        out[row] = differs
    return out
