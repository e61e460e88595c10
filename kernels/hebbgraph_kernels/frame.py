"""What a join walks: rows in order of size, and for every middle the list of rows that have it.

A *row* is a node that may be joined, or one that stands for several twins.  A *middle* is a node
as a shared neighbour, named by its rank in ascending degree, so that a row's first middles are
its rarest.  Where every node is a row, rows are ranks too and both sides are the same arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbgraph_kernels import accumulation, measures, twins
from hebbgraph_kernels._jit import njit, threads_for
from hebbgraph_kernels.accumulation import whole_rows
from hebbgraph_kernels.csr import degree_order, relabel, transpose
from hebbgraph_kernels.membership import membership_filter, signatures, tell_apart
from hebbgraph_kernels.ranking import allocation_shares


class Frame(NamedTuple):
    """Arrays of a join over r rows and n middles with m entries.

    Attributes
    ----------
    row_indptr, row_indices : (r + 1,) int64, (m,) int; middles of each row, ascending
    list_indptr, list_indices : (n + 1,) int64, (m,) int; rows of each middle, ascending
    membership : (m,) uint8, see :func:`hebbgraph_kernels.membership.membership_filter`; (0,) where
        every row is counted whole
    signature : (m,) uint16 aligned with the lists, or (0,) where it would not pay
    whole : (r,) bool, see :func:`hebbgraph_kernels.accumulation.whole_rows`
    size : (r,) int64, ascending; degree, or sum of shares
    share : (n,) int64, 1/degree of each middle in fixed point
    middle_of : (r,) int, the row's own name as a middle
    class_indptr, class_nodes : (r + 1,) int64, (p,) int; the nodes a row stands for, in tie order
    """

    row_indptr: np.ndarray
    row_indices: np.ndarray
    list_indptr: np.ndarray
    list_indices: np.ndarray
    membership: np.ndarray
    signature: np.ndarray
    whole: np.ndarray
    size: np.ndarray
    share: np.ndarray
    middle_of: np.ndarray
    class_indptr: np.ndarray
    class_nodes: np.ndarray


def frame(
    indptr: np.ndarray,
    indices: np.ndarray,
    *,
    allowed: np.ndarray,
    measure: int,
    min_shared: int,
    threshold: float,
    shrinkage: float,
    place: np.ndarray | None,
) -> tuple[Frame, float]:
    """Frame of an adjacency, and the value of one unit of its shares.

    Parameters
    ----------
    indptr, indices : adjacency
    allowed : (n,) bool, nodes that may be joined
    measure : one of the constants of :mod:`hebbgraph_kernels.measures`
    min_shared, threshold, shrinkage : what qualifies; nodes with a degree below the first are in no
        pair
    place : (n,) int, position of a node in the tie order; twins are one row where there are many.
        None makes every node a row of its own
    """
    n = indptr.size - 1
    order, rank = degree_order(indptr, indices)
    indptr, indices = relabel(indptr, indices, order, rank)
    share, unit = allocation_shares(indptr)
    degree = np.diff(indptr)
    size = sums_of_shares(indptr, indices, share) if measure == measures.ALLOCATION else degree
    usable = allowed[order] & (degree >= min_shared)
    classes = None
    if place is not None:
        fingerprint = twins.fingerprints(indptr, indices)
        if twins.twin_pairs(fingerprint, usable) > indices.size:
            classes = _classes(indptr, indices, fingerprint, usable, place[order])
        del fingerprint
    if classes is None and measure != measures.ALLOCATION and bool(allowed.all()):
        rows = lists = indptr, indices
        class_indptr = np.arange(n + 1)
        members = first = np.arange(n, dtype=indices.dtype)
    else:
        class_indptr, members = _by_size(*(classes or _singles(usable, indices.dtype)), size)
        first = members[class_indptr[:-1]]
        size = size[first]
        rows = _take(indptr, indices, first)
        lists = transpose(*rows, n)
    whole = whole_rows(
        *rows, lists[0], size, share, measure, min_shared, threshold, shrinkage, unit,
        accumulation.price(lists[0].size - 1),
    )  # fmt: skip
    membership = np.empty(0, np.uint8)
    if not whole.all():
        # An entry is a few instructions here: to wake a second thread pays later than elsewhere.
        with threads_for(lists[1].size // 8):
            membership = membership_filter(*lists)
    return (
        Frame(
            *rows,
            *lists,
            membership=membership,
            signature=(
                signatures(*rows, lists[0])
                if membership.size and tell_apart(*rows, lists[0])
                else np.empty(0, np.uint16)
            ),
            whole=whole,
            size=size,
            share=share,
            middle_of=first,
            class_indptr=class_indptr,
            class_nodes=order[members],
        ),
        unit,
    )


@njit
def sums_of_shares(indptr: np.ndarray, indices: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Σ 1/|N(c)| over each neighbourhood, in fixed point: (n,) int64."""
    out = np.zeros(indptr.size - 1, np.int64)
    for node in range(indptr.size - 1):
        for entry in range(indptr[node], indptr[node + 1]):
            out[node] += share[indices[entry]]
    return out


def _singles(usable: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Each usable node as a class of its own."""
    nodes = np.flatnonzero(usable).astype(dtype)
    return np.arange(nodes.size + 1), nodes


def _classes(
    indptr: np.ndarray,
    indices: np.ndarray,
    fingerprint: np.ndarray,
    usable: np.ndarray,
    place: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Usable nodes grouped by neighbourhood, in tie order within a class."""
    nodes = np.flatnonzero(usable)
    nodes = nodes[np.lexsort((place[nodes], fingerprint[nodes]))].astype(indices.dtype)
    starts = np.flatnonzero(~twins.same_as_previous(indptr, indices, nodes))
    return np.append(starts, nodes.size), nodes


def _by_size(
    class_indptr: np.ndarray, members: np.ndarray, size: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Classes in ascending order of their size, ties by their first member."""
    first = members[class_indptr[:-1]]
    order = np.lexsort((first, size[first]))
    return _take(class_indptr, members, order)


def _take(
    indptr: np.ndarray, indices: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Some rows of a CSR, in the order given."""
    length = np.diff(indptr)[rows]
    out_indptr = np.concatenate(([0], np.cumsum(length)))
    entry = np.arange(out_indptr[-1]) + np.repeat(indptr[rows] - out_indptr[:-1], length)
    return out_indptr, indices[entry]
