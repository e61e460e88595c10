"""Edges held out, what SciPy says of the pairs of the rest, and which of them were held out.

Graphs are undirected and simple.  Edges are ``(m, 2)`` int64, smaller node first, sorted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.machine import DATA
from bench.rmat import Ints, read_pairs

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
ROWS_PER_BLOCK = 1000
EXACT = 2.0**36
"""Sums of fractions are rounded to 1/EXACT, so that equal ones come out equal."""


def read(name: str) -> tuple[int, Ints] | None:
    """Number of nodes and edges of a data set, direction dropped; None where it is not here."""
    path = DATA / name / "edges.tsv"
    if not path.exists():
        return None
    nodes, key = np.unique(np.concatenate(read_pairs(path)), return_inverse=True)
    source, target = key.reshape(2, -1)
    low, high = np.minimum(source, target), np.maximum(source, target)
    pair = np.unique((low * nodes.size + high)[low != high])
    return nodes.size, np.column_stack(np.divmod(pair, nodes.size))


def split(edges: Ints, seed: int, share: float = 0.1) -> tuple[Ints, Ints]:
    """The edges left, and a share of them held out at random."""
    order = np.random.default_rng(seed).permutation(len(edges))
    size = round(share * len(edges))
    return edges[np.sort(order[size:])], edges[np.sort(order[:size])]


def adjacency(n_nodes: int, edges: Ints) -> Any:
    """Symmetric SciPy CSR of ones, float64."""
    from scipy.sparse import csr_array

    source, target = np.concatenate((edges, edges[:, ::-1])).T
    return csr_array((np.ones(source.size), (source, target)), shape=(n_nodes, n_nodes))


def is_in(pairs: Ints, others: Ints, n_nodes: int) -> Mask:
    """Which pairs are among others; (p, 2) each, smaller node first."""
    keys = [one[:, 0].astype(np.int64) * n_nodes + one[:, 1] for one in (pairs, others)]
    found: Mask = np.isin(keys[0], keys[1])
    return found


@dataclass(frozen=True)
class Pairs:
    """Pairs of nodes and what they share; arrays of one length.

    Attributes
    ----------
    source, target : int, nodes
    shared : float64, common neighbours
    adamic_adar, allocation : float64, Σ 1/ln|N(c)| and Σ 1/|N(c)| over them
    smaller, larger : float64, the two degrees
    """

    source: Ints
    target: Ints
    shared: Floats
    adamic_adar: Floats
    allocation: Floats
    smaller: Floats
    larger: Floats

    @property
    def confidence(self) -> Floats:
        """Shared neighbours by the smaller degree; 0 where that is 0."""
        return self.shared / np.maximum(self.smaller, 1)

    @property
    def jaccard(self) -> Floats:
        """Shared neighbours by all neighbours; 0 where there are none."""
        return self.shared / np.maximum(self.smaller + self.larger - self.shared, 1)

    @property
    def overlap_allocation(self) -> Floats:
        """Allocation, as far as the smaller neighbourhood is shared."""
        return self.allocation * self.shared / (self.shared + self.smaller + 4)


def _shares(degree: Floats) -> tuple[Floats, Floats]:
    """What a common neighbour counts in Adamic-Adar, and in resource allocation."""
    return 1 / np.log(np.maximum(degree, 2)), 1 / np.maximum(degree, 1)


def _pairs(source: Ints, target: Ints, sums: tuple[Floats, Floats, Floats], deg: Floats) -> Pairs:
    shared, adamic_adar, allocation = sums
    return Pairs(
        source=source,
        target=target,
        shared=shared,
        adamic_adar=np.rint(adamic_adar * EXACT) / EXACT,
        allocation=np.rint(allocation * EXACT) / EXACT,
        smaller=np.minimum(deg[source], deg[target]),
        larger=np.maximum(deg[source], deg[target]),
    )


def unjoined_pairs(n_nodes: int, edges: Ints) -> Pairs:
    """Every pair that shares a neighbour and is not joined, sorted by (source, target)."""
    matrix = adjacency(n_nodes, edges)
    degree = matrix.sum(axis=0)
    rights = [matrix, *(matrix * share[:, None] for share in _shares(degree))]
    parts = []
    for start in range(0, n_nodes, ROWS_PER_BLOCK):
        block = matrix[start : start + ROWS_PER_BLOCK]
        products = [block @ right[:, start:] for right in rights]
        for product in products:
            product.sort_indices()
        rows = np.repeat(np.arange(block.shape[0]), np.diff(products[0].indptr))
        columns = products[0].indices
        joined = block[:, start:].toarray().astype(np.bool_)
        kept = np.flatnonzero((columns > rows) & ~joined[rows, columns])
        parts.append(
            (rows[kept] + start, columns[kept] + start, *(one.data[kept] for one in products))
        )
    source, target, *sums = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _pairs(source.astype(np.int32), target.astype(np.int32), (sums[0], sums[1], sums[2]),
                  degree)  # fmt: skip


def given_pairs(n_nodes: int, edges: Ints, lists: dict[str, Ints]) -> dict[str, Pairs]:
    """Lists of given pairs by way of dense matrices: for thousands of nodes at most."""
    dense = adjacency(n_nodes, edges).toarray().astype(np.float32)
    degree = dense.sum(axis=0, dtype=np.float64)
    products = [dense @ dense]
    products += [dense @ (dense * share[:, None].astype(np.float32)) for share in _shares(degree)]
    found = {}
    for name, pairs in lists.items():
        source, target = pairs.T
        shared, adamic_adar, allocation = (
            one[source, target].astype(np.float64) for one in products
        )
        found[name] = _pairs(source, target, (shared, adamic_adar, allocation), degree)
    return found


def best(count: int, *keys: Floats) -> Ints:
    """Places of the best by the first key, ties by the next ones, then by place; highest first."""
    first = keys[0]
    places = np.arange(first.size)
    if first.size > count:
        places = np.flatnonzero(first >= np.partition(first, first.size - count)[-count])
    order = np.lexsort([-key[places] for key in reversed(keys)])
    chosen: Ints = places[order][:count]
    return chosen


def hits_at(positives: Floats, negatives: Floats, k: int = 20) -> float:
    """OGB's Hits@k in per cent: positives strictly above the k-th best negative."""
    return 100 * float((positives > np.partition(negatives, -k)[-k]).mean())


def mcnemar(won: int, lost: int) -> float:
    """Chance of a difference so large if each that differs were a fair coin: two-sided, exact."""
    n = won + lost
    tail = sum(math.comb(n, k) for k in range(max(won, lost), n + 1))
    return min(1.0, float(2 * tail / 2**n))
