"""Which cluster of one state is which cluster of a later one."""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph.cluster_tables import NONE, Clusters, Floats, Ints


def carry_ids(found: Clusters, previous: Clusters | None) -> Clusters:
    """Give clusters the ids of the earlier ones that they continue.

    A cluster continues an earlier one if their Jaccard overlap |A ∩ B| / |A ∪ B| is at least ½.
    Clusters of one state are disjoint, so two can claim the same only where both overlaps are
    exactly ½, and no other assignment has a greater sum:

    * *split*: the part of at least half keeps the id; of two halves the one with the old center;
    * *merge*: the whole keeps the id of the earlier cluster that is at least half of it; of two
      halves the smaller id;
    * all others get new ids, the largest first, from ``previous.next_id`` on.  No id is given
      twice, not even one whose cluster is gone.

    Nodes are the same if their ids are.
    """
    if previous is None:
        return found
    before = _labels_now(previous, found)
    label = found.label
    new, old, shared = _overlaps(label, before)
    union = found.size[new] + previous.size[old] - shared
    close = 2 * shared >= union
    new, old, overlap = new[close], old[close], (shared / union)[close]
    home = _labels_at_centers(previous, found)[old] == new
    number = np.full(len(found), NONE, np.int64)
    taken = set()
    for pair in np.lexsort((new, previous.id[old], ~home, -overlap)):
        if number[new[pair]] == NONE and old[pair] not in taken:
            number[new[pair]] = previous.id[old[pair]]
            taken.add(old[pair])
    fresh = np.flatnonzero(number == NONE)
    number[fresh] = previous.next_id + np.arange(fresh.size)
    return dataclasses.replace(
        found,
        id=number,
        label=np.append(number, NONE)[label],
        next_id=previous.next_id + fresh.size,
    )


def best_overlap(label: Ints, size: Ints, other: Ints) -> Floats:
    """The largest Jaccard overlap of each cluster with a community of another partition.

    Parameters
    ----------
    label, other : (n_nodes,) int64, −1 where a node is in none
    size : (n_clusters,) of the clusters of ``label``
    """
    mine, theirs, shared = _overlaps(label, other)
    sizes = np.bincount(other[other != NONE], minlength=1)
    out = np.zeros(size.size)
    np.maximum.at(out, mine, shared / (size[mine] + sizes[theirs] - shared))
    return out


def _overlaps(one: Ints, other: Ints) -> tuple[Ints, Ints, Ints]:
    """Pairs of labels that share nodes, and how many."""
    both = (one != NONE) & (other != NONE)
    width = int(other.max(initial=0)) + 1
    pair, shared = np.unique(one[both] * width + other[both], return_counts=True)
    return pair // width, pair % width, shared


def _labels_now(previous: Clusters, found: Clusters) -> Ints:
    """Row of the earlier cluster of every node of the later state."""
    order = np.argsort(previous.id)
    row = np.full(previous.label.size, NONE, np.int64)
    inside = previous.label != NONE
    row[inside] = order[np.searchsorted(previous.id, previous.label[inside], sorter=order)]
    return np.append(row, NONE)[_positions(found, previous)]


def _labels_at_centers(previous: Clusters, found: Clusters) -> Ints:
    """Later cluster of every earlier center; −1 where it is in none or gone."""
    where = _positions(previous, found)
    return np.append(found.label, NONE)[where[previous.center]]


def _positions(of: Clusters, among: Clusters) -> Ints:
    """Key of every node of one state in another; −1 where it is not there."""
    n, known = of.label.size, among.label.size
    out = np.full(n, NONE, np.int64)
    if of.node_ids is None and among.node_ids is None:
        same = min(n, known)
    else:
        mine, theirs = _texts(of), _texts(among)
        same = min(n, known)
        if not mine.slice(0, same).equals(theirs.slice(0, same)):
            out[:] = pc.fill_null(pc.index_in(mine, theirs), NONE).to_numpy()
            return out
    out[:same] = np.arange(same)
    return out


def _texts(state: Clusters) -> pa.Array:
    known = pa.array(np.arange(state.label.size)) if state.node_ids is None else state.node_ids
    return known.cast(pa.string())
