"""The pruned join: pairs whose neighbourhoods overlap, without visiting most wedges.

A pair whose ends share at least t of the d middles of its smaller end must share one of the
d − t + 1 rarest (pigeonhole: the last t − 1 alone cannot make up t).  So only the lists of those
are walked.  What the common middles add is asked of a membership filter, which may say yes too
often but never no; a candidate is dropped as soon as it cannot reach t, and what is left is
counted exactly.  Every step only drops pairs that cannot qualify, so the result is exact.

Prefix filtering is known from set-similarity joins (Chaudhuri, Ganti and Kaushik 2006; Bayardo,
Ma and Srikant 2007).

Per candidate, ``seen`` holds what is known of it: for a short row the set of its middles that
they share, as bits; for a longer one their number.
"""

from __future__ import annotations

import numpy as np

from hebbgraph_kernels import measures
from hebbgraph_kernels._jit import count_ones, njit
from hebbgraph_kernels.membership import SHORT, bit_place, group_bit
from hebbgraph_kernels.search import first_above, skip_to

CHUNK = 1024
"""Candidates that are settled at once."""


@njit
def number_known(known, masked):  # type: ignore[no-untyped-def]
    """Number of shared middles, of a set of them as bits or already counted."""
    return count_ones(known) if masked else known


@njit
def plan(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, size, share, measure, min_shared, threshold, shrinkage, unit
):  # fmt: skip
    """How many of a row's middles to walk, and how many a partner must share at least.

    A partner is at least as large.  The second exceeds the row's degree where none can qualify.
    """
    begin = row_indptr[row]
    degree = row_indptr[row + 1] - begin
    need = measures.least_sum(measure, size[row], threshold, shrinkage, unit)
    if measure != measures.ALLOCATION:
        enough = max(np.int64(min_shared), np.int64(np.ceil(need)))
        return degree - enough + 1, enough
    # Shares fall with the place: the first ones are the fewest that can make up the need, and the
    # last ones are those that cannot make it up on their own.
    least = 0
    total = 0
    while least < degree and total < need:
        total += share[row_indices[begin + least]]
        least += 1
    if total < need:
        return 0, degree + 1
    if least < min_shared:
        least = min_shared
    prefix = degree
    rest = 0
    while prefix > 0:
        rest += share[row_indices[begin + prefix - 1]]
        if rest >= need:
            break
        prefix -= 1
    return min(prefix, degree - min_shared + 1), least


@njit
def candidates(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, list_indptr, list_indices, membership, signature,
    prefix, least, limit, seen, touched,
):  # fmt: skip
    """Partners beyond ``row`` and below ``limit`` that may share at least ``least`` middles.

    Parameters
    ----------
    seen : (r,) uint8 or int32 of zeros; holds what is known of the candidates afterwards
    touched : (r + 1,) int; the candidates lead it

    Returns
    -------
    found : number of candidates
    asked : place from which middles were only asked for, not walked
    """
    degree = row_indptr[row + 1] - row_indptr[row]
    if degree <= SHORT and signature.size:
        found = _walk_selectively(
            row, row_indptr, row_indices, list_indptr, list_indices, signature,
            prefix, least, limit, seen, touched,
        )  # fmt: skip
        asked = np.int64(1)
    else:
        found = _walk(
            row, row_indptr, row_indices, list_indptr, list_indices, prefix, limit, seen, touched
        )
        asked = np.int64(prefix)
    found = _ask(
        row, row_indptr, row_indices, list_indptr, membership, asked, least, seen, touched, found
    )
    return found, asked


@njit
def stretch_beyond(row, middle, list_indptr, list_indices, limit):  # type: ignore[no-untyped-def]
    """Where the rows beyond ``row`` and below ``limit`` stand in a list."""
    stop = list_indptr[middle + 1]
    low = first_above(list_indices, list_indptr[middle], stop, row)
    return low, first_above(list_indices, low, stop, limit - 1)


@njit
def _walk(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, list_indptr, list_indices, prefix, limit, seen, touched
):  # fmt: skip
    begin = row_indptr[row]
    masked = row_indptr[row + 1] - begin <= SHORT
    found = 0
    for place in range(prefix):
        low, high = stretch_beyond(
            row, row_indices[begin + place], list_indptr, list_indices, limit
        )
        step = 1 << place if masked else 1
        for entry in range(low, high):
            node = list_indices[entry]
            known = seen[node]
            touched[found] = node
            found += known == 0
            seen[node] = known + step
    return found


@njit
def _walk_selectively(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, list_indptr, list_indices, signature,
    prefix, least, limit, seen, touched,
):  # fmt: skip
    """:func:`_walk` past those whose signature lacks too many of the row's later groups."""
    begin = row_indptr[row]
    degree = row_indptr[row + 1] - begin
    found = 0
    for place in range(prefix):
        wanted = np.uint16(0)
        for later in range(begin + place + 1, begin + degree):
            wanted |= group_bit(row_indices[later])
        spare = degree - place - least
        low, high = stretch_beyond(
            row, row_indices[begin + place], list_indptr, list_indices, limit
        )
        for entry in range(low, high):
            if count_ones(np.uint16(wanted & ~signature[entry])) <= spare:
                node = list_indices[entry]
                if seen[node] == 0:
                    touched[found] = node
                    found += 1
                    seen[node] = 1 << place
    return found


@njit
def _ask(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, list_indptr, membership, asked, least, seen, touched, found
):  # fmt: skip
    """Ask the filters for the middles from place ``asked`` on; keep who may reach ``least``."""
    begin = row_indptr[row]
    degree = row_indptr[row + 1] - begin
    masked = degree <= SHORT
    for place in range(asked, degree):
        if found == 0:
            break
        middle = row_indices[begin + place]
        start = list_indptr[middle]
        length = list_indptr[middle + 1] - start
        need = least - (degree - place - 1)
        kept = 0
        for k in range(found):
            node = touched[k]
            hit = _says_yes(membership, start, length, node)
            known = np.int64(seen[node])
            if masked:
                known |= hit << place
            else:
                known += hit
            keeps = number_known(known, masked) >= need
            touched[kept] = node
            kept += keeps
            seen[node] = known if keeps else 0
        found = kept
    return found


@njit
def worths(row, row_indptr, row_indices, share_of, worth):  # type: ignore[no-untyped-def]
    """Most that the shares of a row's middles add up to, by what is known of a candidate.

    Exact for a short row, where the set of middles is known.

    Parameters
    ----------
    worth : (max(2**SHORT, largest degree + 1),) int64, written
    """
    begin = row_indptr[row]
    degree = row_indptr[row + 1] - begin
    worth[0] = 0
    if degree <= SHORT:
        for place in range(degree):
            share = share_of[row_indices[begin + place]]
            for known in range(1 << place):
                worth[known + (1 << place)] = worth[known] + share
    else:
        for place in range(degree):
            worth[place + 1] = worth[place] + share_of[row_indices[begin + place]]


@njit
def settle(  # type: ignore[no-untyped-def]
    row, row_indptr, row_indices, list_indptr, list_indices, membership, share, asked, worth,
    seen, touched, start, stop, counts, amounts,
):  # fmt: skip
    """Exact number of shared middles, and the sum of their shares, of some candidates.

    Parameters
    ----------
    share : (n,) int64, or (0,) where sums are not wanted: then none is written
    touched : candidates of :func:`candidates`; those in [start, stop) are meant, ascending
    counts, amounts : (≥ stop − start,) int32 and int64, written
    """
    begin = row_indptr[row]
    degree = row_indptr[row + 1] - begin
    if degree > SHORT and share.size:
        counts[: stop - start] = 0
        amounts[: stop - start] = 0
        for place in range(degree):
            middle = row_indices[begin + place]
            _count(
                list_indices, list_indptr[middle], list_indptr[middle + 1], share[middle],
                touched, start, stop, counts, amounts,
            )  # fmt: skip
        return
    if degree > SHORT:
        for k in range(start, stop):
            counts[k - start] = seen[touched[k]]
        for place in range(asked, degree):
            middle = row_indices[begin + place]
            _correct(
                list_indices, list_indptr[middle], list_indptr[middle + 1], membership,
                touched, start, stop, counts,
            )  # fmt: skip
        return
    for place in range(asked, degree):
        middle = row_indices[begin + place]
        _confirm(
            list_indices, list_indptr[middle], list_indptr[middle + 1], 1 << place,
            seen, touched, start, stop,
        )  # fmt: skip
    for k in range(start, stop):
        known = np.int64(seen[touched[k]])
        counts[k - start] = count_ones(known)
        if share.size:
            amounts[k - start] = worth[known]


@njit
def _says_yes(membership, begin, length, node):  # type: ignore[no-untyped-def]
    """1 if the filter of a list has the bit of a row, else 0."""
    bit = bit_place(node, length)
    return np.int64(membership[begin + (bit >> 3)] >> (bit & 7)) & 1


@njit
def _correct(rows, low, end, membership, touched, start, stop, counts):  # type: ignore[no-untyped-def]
    """Take back what the filter of a list, rows[low:end], said of those that are not in it."""
    begin = low
    for k in range(start, stop):
        node = touched[k]
        low = skip_to(rows, low, end, node)
        if low == end or rows[low] != node:
            counts[k - start] -= _says_yes(membership, begin, end - begin, node)


@njit
def _confirm(rows, low, end, bit, seen, touched, start, stop):  # type: ignore[no-untyped-def]
    """Take a middle's bit from the candidates that are not in its list, rows[low:end]."""
    for k in range(start, stop):
        node = touched[k]
        known = np.int64(seen[node])
        if known & bit:
            low = skip_to(rows, low, end, node)
            if low == end or rows[low] != node:
                seen[node] = known ^ bit


@njit
def _count(rows, low, end, share, touched, start, stop, counts, amounts):  # type: ignore[no-untyped-def]
    """Count a middle for the candidates that are in its list, rows[low:end]."""
    for k in range(start, stop):
        node = touched[k]
        low = skip_to(rows, low, end, node)
        if low == end:
            break
        if rows[low] == node:
            counts[k - start] += 1
            amounts[k - start] += share
            low += 1
