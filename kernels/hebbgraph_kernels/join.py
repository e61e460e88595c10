"""The pruned join: pairs whose neighbourhoods overlap, without visiting most wedges.

Nodes are relabelled by ascending degree, so that a row's first neighbours are
its rarest.  A pair that shares at least t of the |N(a)| neighbours of its
smaller end a must share one of the |N(a)| − t + 1 rarest (pigeonhole: the last
t − 1 alone cannot make up t).  So only those are expanded; what the common
neighbours add is counted per candidate, and a candidate is dropped as soon as
it cannot reach t.  Exact, for any threshold.

Prefix filtering is known from set-similarity joins (Chaudhuri, Ganti and
Kaushik 2006; Bayardo, Ma and Srikant 2007).
"""

from __future__ import annotations

import numpy as np

from hebbgraph_kernels._jit import njit

LOOK_UP_COST = 8
"""Steps of walking a list that looking one candidate up is worth."""
SEARCH_COST = 8
"""Steps of scanning a list that one binary search is worth."""


@njit
def least_shared(degree, min_shared, threshold, shrinkage):  # type: ignore[no-untyped-def]
    """Smallest s that qualifies where the smaller neighbourhood has ``degree`` nodes."""
    total = degree + shrinkage
    least = max(np.int64(min_shared), np.int64(np.ceil(threshold * total)))
    # The quotient decides, not the rounded product.
    while least > min_shared and (least - 1) / total >= threshold:
        least -= 1
    while least <= degree and least / total < threshold:
        least += 1
    return least


@njit
def qualifying(  # type: ignore[no-untyped-def]
    row, indptr, indices, share_of, min_shared, threshold, shrinkage,
    shared, allocation, suffix, touched,
):  # fmt: skip
    """Partners of ``row`` with a higher rank: their number; they lead ``touched``.

    ``shared`` and ``allocation`` hold the counts of those partners and are zero elsewhere;
    the caller clears them.  ``suffix`` is all zeros, before and after.
    """
    begin = indptr[row]
    end = indptr[row + 1]
    degree = end - begin
    least = least_shared(degree, min_shared, threshold, shrinkage)
    if least > degree:
        return 0
    split = end - least + 1
    found = 0
    for entry in range(begin, split):
        middle = indices[entry]
        share = share_of[middle]
        for far in range(indptr[middle + 1] - 1, indptr[middle] - 1, -1):
            node = indices[far]
            if node <= row:
                break
            if shared[node] == 0:
                touched[found] = node
                found += 1
            shared[node] += 1
            allocation[node] += share
    # The common neighbours: walk their lists while that is cheaper than looking each candidate
    # up, dropping candidates that have fallen behind.
    walked = 0
    while split < end and found > 0:
        middle = indices[split]
        first = _first_above(indices, indptr[middle], indptr[middle + 1], row)
        length = indptr[middle + 1] - first
        if length > LOOK_UP_COST * found:
            break
        share = share_of[middle]
        for far in range(first, indptr[middle + 1]):
            node = indices[far]
            if shared[node]:
                shared[node] += 1
                allocation[node] += share
        split += 1
        walked += length
        if walked > found:
            walked = 0
            found = _keep(touched, found, shared, allocation, least - (end - split))
    if split < end and found > 0:
        _look_up(
            row, split, indptr, indices, share_of, least,
            shared, allocation, suffix, touched, found,
        )  # fmt: skip
    return _keep(touched, found, shared, allocation, least)


@njit
def _first_above(indices, low, high, value):  # type: ignore[no-untyped-def]
    """First place in the sorted stretch [low, high) whose entry exceeds ``value``."""
    while low < high:
        centre = (low + high) >> 1
        if indices[centre] <= value:
            low = centre + 1
        else:
            high = centre
    return low


@njit
def _keep(touched, found, shared, allocation, least):  # type: ignore[no-untyped-def]
    """Drop candidates that count less than ``least``; returns how many remain."""
    kept = 0
    for k in range(found):
        node = touched[k]
        if shared[node] >= least:
            touched[kept] = node
            kept += 1
        else:
            shared[node] = 0
            allocation[node] = 0
    return kept


@njit
def _look_up(  # type: ignore[no-untyped-def]
    row, split, indptr, indices, share_of, least,
    shared, allocation, suffix, touched, found,
):  # fmt: skip
    """Count the neighbours of ``row`` from place ``split`` on in each candidate's list."""
    end = indptr[row + 1]
    rest = end - split
    lowest = indices[split]
    for entry in range(split, end):
        suffix[indices[entry]] = 1
    for k in range(found):
        node = touched[k]
        count = shared[node]
        if count + rest < least:
            continue
        amount = allocation[node]
        high = indptr[node + 1]
        low = _first_above(indices, indptr[node], high, lowest - 1)
        if high - low <= SEARCH_COST * rest:
            for far in range(low, high):
                other = indices[far]
                if suffix[other]:
                    count += 1
                    amount += share_of[other]
        else:
            left = rest
            for entry in range(end - 1, split - 1, -1):
                if count + left < least:
                    break
                left -= 1
                wanted = indices[entry]
                place = _first_above(indices, low, high, wanted - 1)
                if place < high and indices[place] == wanted:
                    count += 1
                    amount += share_of[wanted]
                high = place
        shared[node] = count
        allocation[node] = amount
    for entry in range(split, end):
        suffix[indices[entry]] = 0
