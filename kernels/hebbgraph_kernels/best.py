"""The best partners of every node, straight from the pruned join: O(n·k) memory."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import (
    block_cursor,
    exchange,
    fetch_add,
    njit,
    parallel_njit,
    thread_count,
)
from hebbgraph_kernels.csr import degree_order, relabel
from hebbgraph_kernels.join import qualifying
from hebbgraph_kernels.ranking import (
    SURPRISE,
    allocation_shares,
    hypergeometric_surprise,
    log_factorials,
)
from hebbgraph_kernels.ranking import allocation as allocation_of

_ROWS_PER_BLOCK = 32


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


@njit
def _offer(  # type: ignore[no-untyped-def]
    owner, rank, confidence, shared, node, held, locks, ranks, confidences, shares, nodes, place
):  # fmt: skip
    """Offer a partner to a node's table, which any thread may be writing."""
    cap = nodes.shape[1]
    # A full table only gets better, so a stale last entry can at worst cost a lock.
    if held[owner] == cap and rank < ranks[owner, cap - 1]:
        return
    while exchange(locks, owner, 1):
        pass
    held[owner] = _insert(
        rank, confidence, shared, node, held[owner],
        ranks[owner], confidences[owner], shares[owner], nodes[owner], place,
    )  # fmt: skip
    exchange(locks, owner, 0)


@parallel_njit
def _best(  # type: ignore[no-untyped-def]
    indptr, indices, allowed, place, min_shared, threshold, shrinkage, ranking,
    share_of, unit, population, log_factorial, cursor, threads,
    nodes, shares, confidences, ranks,
):  # fmt: skip
    n = indptr.size - 1
    held = np.zeros(n, np.int64)
    locks = np.zeros(n, np.int8)
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
                if not allowed[row]:
                    continue
                found = qualifying(
                    row, indptr, indices, share_of, min_shared, threshold, shrinkage,
                    shared, allocation, suffix, touched,
                )  # fmt: skip
                if found == 0:
                    continue
                smaller = indptr[row + 1] - indptr[row]
                for entry in range(indptr[row], indptr[row + 1]):
                    joined[indices[entry]] = 1
                for k in range(found):
                    node = touched[k]
                    s = shared[node]
                    amount = allocation[node]
                    shared[node] = 0
                    allocation[node] = 0
                    if joined[node] or not allowed[node]:
                        continue
                    confidence = s / (smaller + shrinkage)
                    if ranking == 0:
                        rank = allocation_of(amount, unit)
                    elif ranking == 1:
                        rank = confidence
                    else:
                        larger = indptr[node + 1] - indptr[node]
                        rank = hypergeometric_surprise(
                            s, smaller, larger, population, log_factorial
                        )
                    _offer(row, rank, confidence, s, node, held, locks,
                           ranks, confidences, shares, nodes, place)  # fmt: skip
                    _offer(node, rank, confidence, s, row, held, locks,
                           ranks, confidences, shares, nodes, place)  # fmt: skip
                for entry in range(indptr[row], indptr[row + 1]):
                    joined[indices[entry]] = 0


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
    ranking : one of the constants of :mod:`hebbgraph_kernels.ranking`
    population : nodes that a neighbour is drawn from, for ``SURPRISE``

    Returns
    -------
    nodes : (n, cap) like ``indices``, −1 where there are fewer partners
    shared : (n, cap) int32
    confidence, rank : (n, cap) float64
    """
    n = indptr.size - 1
    order, position = degree_order(indptr, indices)
    near_indptr, near = relabel(indptr, indices, order, position)
    nodes = np.full((n, cap), -1, indices.dtype)
    shared = np.zeros((n, cap), np.int32)
    confidence = np.zeros((n, cap), np.float64)
    rank = np.zeros((n, cap), np.float64)
    shares, unit = allocation_shares(near_indptr)
    table = log_factorials(population if ranking == SURPRISE else 0)
    _best(
        near_indptr, near, allowed[order], place[order], min_shared, threshold, shrinkage,
        ranking, shares, unit, population, table, block_cursor(), thread_count(),
        nodes, shared, confidence, rank,
    )  # fmt: skip
    named = np.where(nodes >= 0, order[nodes], nodes)[position]
    return named, shared[position], confidence[position], rank[position]
