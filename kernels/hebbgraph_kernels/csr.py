"""Building blocks on CSR: transpose, symmetrise, order by degree."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import njit, parallel_njit


@njit
def _column_pointers(indices, columns):  # type: ignore[no-untyped-def]
    out = np.zeros(columns + 1, np.int64)
    for entry in range(indices.size):
        out[indices[entry] + 1] += 1
    for column in range(columns):
        out[column + 1] += out[column]
    return out


@njit
def transpose(
    indptr: np.ndarray, indices: np.ndarray, columns: int
) -> tuple[np.ndarray, np.ndarray]:
    """Transpose the pattern of a CSR matrix.

    Parameters
    ----------
    indptr : (rows + 1,) int
    indices : (m,) int, in [0, columns)

    Returns
    -------
    in_indptr : (columns + 1,) int64
    in_rows : (m,) like ``indices``, ascending within a column
    """
    in_indptr = _column_pointers(indices, columns)
    in_rows = np.empty(indices.size, indices.dtype)
    cursor = in_indptr[:-1].copy()
    for row in range(indptr.size - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            column = indices[entry]
            in_rows[cursor[column]] = row
            cursor[column] += 1
    return in_indptr, in_rows


@njit
def transpose_entries(
    indptr: np.ndarray, indices: np.ndarray, columns: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """:func:`transpose`, and where each entry came from: (m,) int64 places in ``indices``."""
    in_indptr = _column_pointers(indices, columns)
    in_rows = np.empty(indices.size, indices.dtype)
    in_entry = np.empty(indices.size, np.int64)
    cursor = in_indptr[:-1].copy()
    for row in range(indptr.size - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            column = indices[entry]
            slot = cursor[column]
            cursor[column] = slot + 1
            in_rows[slot] = row
            in_entry[slot] = entry
    return in_indptr, in_rows, in_entry


@njit
def _merge_row(out_row, in_row, row, into):  # type: ignore[no-untyped-def]
    """Union of two sorted lists without ``row``; written to ``into`` if it has room."""
    i = 0
    j = 0
    count = 0
    previous = -1
    while i < out_row.size or j < in_row.size:
        if j == in_row.size or (i < out_row.size and out_row[i] <= in_row[j]):
            node = out_row[i]
            i += 1
        else:
            node = in_row[j]
            j += 1
        if node != previous and node != row:
            if into.size:
                into[count] = node
            count += 1
        previous = node
    return count


@parallel_njit
def symmetrise(
    indptr: np.ndarray, indices: np.ndarray, in_indptr: np.ndarray, in_rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Adjacency of the undirected simple graph under a directed multigraph.

    Rows of both the matrix and its transpose must be sorted; duplicates and the
    diagonal may be present and are left out of the result.
    """
    n = indptr.size - 1
    sym_indptr = np.zeros(n + 1, indptr.dtype)
    nothing = np.empty(0, indices.dtype)
    for row in prange(n):
        sym_indptr[row + 1] = _merge_row(
            indices[indptr[row] : indptr[row + 1]],
            in_rows[in_indptr[row] : in_indptr[row + 1]],
            row,
            nothing,
        )
    for row in range(n):
        sym_indptr[row + 1] += sym_indptr[row]
    sym_indices = np.empty(sym_indptr[n], indices.dtype)
    for row in prange(n):
        if sym_indptr[row + 1] > sym_indptr[row]:
            _merge_row(
                indices[indptr[row] : indptr[row + 1]],
                in_rows[in_indptr[row] : in_indptr[row + 1]],
                row,
                sym_indices[sym_indptr[row] : sym_indptr[row + 1]],
            )
    return sym_indptr, sym_indices


@njit
def degree_order(indptr: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Order nodes by ascending degree, ties by node, with a counting sort.

    Returns
    -------
    order : (n,) like ``indices``; ``order[r]`` is the node of rank r
    rank : (n,) like ``indices``; the inverse permutation
    """
    n = indptr.size - 1
    largest = 0
    for node in range(n):
        largest = max(largest, indptr[node + 1] - indptr[node])
    start = np.zeros(largest + 2, np.int64)
    for node in range(n):
        start[indptr[node + 1] - indptr[node] + 1] += 1
    for degree in range(largest + 1):
        start[degree + 1] += start[degree]
    order = np.empty(n, indices.dtype)
    rank = np.empty(n, indices.dtype)
    for node in range(n):
        degree = indptr[node + 1] - indptr[node]
        position = start[degree]
        start[degree] = position + 1
        order[position] = node
        rank[node] = position
    return order, rank


@njit
def relabel(
    indptr: np.ndarray, indices: np.ndarray, order: np.ndarray, rank: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same adjacency with nodes renamed by rank, rows sorted.

    Rows are read in their new order and written as columns, so they come out sorted.
    """
    n = indptr.size - 1
    out_indptr = np.zeros(n + 1, np.int64)
    for position in range(n):
        node = order[position]
        out_indptr[position + 1] = out_indptr[position] + indptr[node + 1] - indptr[node]
    cursor = out_indptr[:-1].copy()
    out = np.empty_like(indices)
    for position in range(n):
        node = order[position]
        for entry in range(indptr[node], indptr[node + 1]):
            row = rank[indices[entry]]
            out[cursor[row]] = position
            cursor[row] += 1
    return out_indptr, out


@njit
def stretch(indptr: np.ndarray, thread: int, threads: int) -> tuple[int, int]:
    """First row of a thread, and of the next: stretches with about as many entries each."""
    n = indptr.size - 1
    first = np.searchsorted(indptr, indptr[n] * thread // threads)
    last = np.searchsorted(indptr, indptr[n] * (thread + 1) // threads)
    return (0 if thread == 0 else first), (n if thread == threads - 1 else last)


@parallel_njit
def orient(
    indptr: np.ndarray, indices: np.ndarray, threads: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Keep each edge once, from its end of lower degree to the other; ties by node.

    A node of the oriented graph has at most sqrt(2m) successors, however large the hubs.

    Returns
    -------
    out_indptr : (n + 1,) int64
    heads : (m / 2,) like ``indices``, sorted within a row
    leaves : (m,) bool, which entries are kept
    """
    n = indptr.size - 1
    out_indptr = np.zeros(n + 1, np.int64)
    leaves = np.empty(indices.size, np.bool_)
    for thread in prange(threads):
        for node in range(*stretch(indptr, thread, threads)):
            count = 0
            own = indptr[node + 1] - indptr[node]
            for entry in range(indptr[node], indptr[node + 1]):
                head = indices[entry]
                theirs = indptr[head + 1] - indptr[head]
                leaves[entry] = (theirs > own) | ((theirs == own) & (head > node))
                count += leaves[entry]
            out_indptr[node + 1] = count
    for node in range(n):
        out_indptr[node + 1] += out_indptr[node]
    heads = np.empty(out_indptr[n], indices.dtype)
    for thread in prange(threads):
        for node in range(*stretch(indptr, thread, threads)):
            slot = out_indptr[node]
            # Written whether it stays or not: a branch would be mispredicted half of the time.
            for entry in range(indptr[node], indptr[node + 1]):
                if slot == out_indptr[node + 1]:
                    break
                heads[slot] = indices[entry]
                slot += leaves[entry]
    return out_indptr, heads, leaves
