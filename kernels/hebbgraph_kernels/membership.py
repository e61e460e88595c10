"""Cheap tests of "is this row in that list?" that are never wrong when they say no.

* The *membership filter* gives every list as many bytes as it has rows and sets one bit for each
  row, at a place taken from its hash: a hit is right in nine of ten cases, and the bits of one
  list lie together (a Bloom filter with one hash function, after Bloom 1970).
* A *signature* stands beside each entry of a list: which of 16 groups of middles the row has
  after this one.  It is read in passing and turns most candidates of short rows away unseen.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import njit, parallel_njit

SHORT = 8
"""Rows of at most this many middles remember *which* they share, not only how many."""

_HASH = np.uint64(2654435761)
_FEW = 8


@njit
def bit_place(row, length):  # type: ignore[no-untyped-def]
    """Bit of ``row`` in the filter of a list of ``length`` rows (Fibonacci hashing)."""
    mixed = np.uint64(row) * _HASH & np.uint64(0xFFFFFFFF)
    return np.int64((mixed * np.uint64(8 * length)) >> np.uint64(32))


@njit
def group_bit(middle):  # type: ignore[no-untyped-def]
    """Group of a middle, as one bit of a signature."""
    return np.uint16(1 << (middle & 15))


@parallel_njit
def membership_filter(list_indptr: np.ndarray, list_indices: np.ndarray) -> np.ndarray:
    """One byte an entry: (m,) uint8; the filter of a list begins where the list does."""
    out = np.zeros(list_indices.size, np.uint8)
    for middle in prange(list_indptr.size - 1):
        begin = list_indptr[middle]
        length = list_indptr[middle + 1] - begin
        for entry in range(begin, begin + length):
            place = bit_place(list_indices[entry], length)
            out[begin + (place >> 3)] |= np.uint8(1 << (place & 7))
    return out


@njit
def tell_apart(
    row_indptr: np.ndarray, row_indices: np.ndarray, list_indptr: np.ndarray
) -> bool:  # fmt: skip
    """Whether signatures pay: whether most entries that short rows visit have few middles left.

    An entry is visited by the short rows that stand before it in its list.
    """
    short_before = np.zeros(list_indptr.size - 1, np.int64)
    visits = 0
    sparse = 0
    for row in range(row_indptr.size - 1):
        begin = row_indptr[row]
        end = row_indptr[row + 1]
        for entry in range(begin, end):
            seen = short_before[row_indices[entry]]
            visits += seen
            if end - entry - 1 <= _FEW:
                sparse += seen
        if end - begin <= SHORT:
            for entry in range(begin, end):
                short_before[row_indices[entry]] += 1
    return 2 * sparse > visits


@njit
def signatures(
    row_indptr: np.ndarray, row_indices: np.ndarray, list_indptr: np.ndarray
) -> np.ndarray:
    """For each entry of each list, the groups of the middles that its row has after that list.

    Returns
    -------
    out : (m,) uint16, aligned with the lists
    """
    out = np.empty(row_indices.size, np.uint16)
    cursor = list_indptr[:-1].copy()
    for row in range(row_indptr.size - 1):
        groups = np.uint16(0)
        for entry in range(row_indptr[row + 1] - 1, row_indptr[row] - 1, -1):
            middle = row_indices[entry]
            out[cursor[middle]] = groups
            cursor[middle] += 1
            groups |= group_bit(middle)
    return out
