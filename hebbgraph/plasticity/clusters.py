"""Clusters: communities of the graph that learning has left strongly connected."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbgraph import check, ids
from hebbgraph.cluster_tables import NONE, Clusters, Floats, Ints
from hebbgraph.errors import ParameterError
from hebbgraph.graph import Graph
from hebbgraph.plasticity import lineage

if TYPE_CHECKING:
    import scipy.sparse

SEEDS = (0, 1, 2, 3, 4)
ITERATIONS = 3
NAMED_BY = 3
"""Members that make a cluster's name."""


@dataclass(frozen=True, kw_only=True)
class ClusterParameters:
    """Options of :func:`clusters`."""

    weight_threshold: float = 1.0
    min_cluster_size: int = 3
    resolution: float = 1.0
    seeds: tuple[int, ...] = SEEDS

    def __post_init__(self) -> None:
        check.number("weight_threshold", self.weight_threshold, 0)
        check.integer("min_cluster_size", self.min_cluster_size, 2)
        check.number("resolution", self.resolution, 0, open_low=True)
        for seed in self.seeds:
            check.integer("seeds", seed, 0, 2**63 - 1)
        if len(set(self.seeds)) < max(len(self.seeds), 2):
            raise ParameterError(
                f"seeds: expected two or more different whole numbers, got {list(self.seeds)}"
            )


def clusters(
    graph: Graph,
    *,
    weight_threshold: float = 1.0,
    min_cluster_size: int = 3,
    resolution: float = 1.0,
    seeds: Sequence[int] = SEEDS,
    previous: Clusters | None = None,
) -> Clusters:
    """Group strongly connected nodes.

    The Leiden method (Traag, Waltman and van Eck 2019, by graspologic-native) maximises weighted
    modularity on the strong graph, see :func:`strong_ties`, once from each seed; the best of the
    partitions is taken, the first of equals.  Its communities of at least ``min_cluster_size``
    nodes are the clusters.

    The same graph and options give the same clusters, whatever the order of nodes and edges and
    the number of threads: nodes are put in the order of their ids first.

    Parameters
    ----------
    weight_threshold : in [0, ∞); edges above it are strong.  1.0 is the weight of a new edge:
        what learning strengthened counts
    min_cluster_size : ≥ 2
    resolution : in (0, ∞); above 1 more and smaller clusters
    seeds : two or more whole numbers ≥ 0
    previous : clusters of an earlier state, whose ids are kept, see
        :func:`hebbgraph.plasticity.lineage.carry_ids`

    Raises
    ------
    ParameterError
        an option is outside its range

    Examples
    --------
    >>> import itertools, hebbgraph
    >>> pairs = [pair for group in ("abcd", "wxyz") for pair in itertools.combinations(group, 2)]
    >>> source, target = zip(*pairs, ("a", "w"))
    >>> found = hebbgraph.clusters(hebbgraph.Graph.from_edges(source, target, weight=2))
    >>> found
    Clusters(2 of 8 among 8 nodes)
    >>> found.members(found.of("x"))
    ['w', 'x', 'y', 'z']
    >>> found.name, found.cohesion.round(3).tolist()
    (('a, b, c', 'w, x, y'), [0.923, 0.923])
    """
    options = ClusterParameters(
        weight_threshold=weight_threshold, min_cluster_size=min_cluster_size,
        resolution=resolution, seeds=tuple(seeds) if isinstance(seeds, Sequence) else (seeds,),
    )  # fmt: skip
    place = ids.place(graph.node_ids, graph.n_nodes)
    key = np.empty_like(place)
    key[place] = np.arange(place.size)
    ties = strong_ties(graph, options.weight_threshold, place)
    strong = np.flatnonzero(np.diff(ties.indptr))
    runs = _partitions(ties[strong][:, strong], options.resolution, options.seeds)
    runs.sort(key=lambda run: -run.quality)  # stable: of equals the first seed's
    label, *others = (_spread(run.label, strong, graph.n_nodes) for run in runs)
    label = _by_size(label, options.min_cluster_size)
    size = np.bincount(label[label != NONE])
    inner, cohesion = _cohesion(ties, label, size.size)
    # Members by cluster, the most central first; of equals the first in id order.
    order = np.lexsort((-inner, label))[np.count_nonzero(label == NONE) :]
    first = np.cumsum(size) - size
    stability = [lineage.best_overlap(label, size, other) for other in others]
    names = graph.ids_of(key[order[_heads(first, size)]]).to_pylist()
    return lineage.carry_ids(
        Clusters(
            label=label[place],
            id=np.arange(size.size),
            name=_names(names, np.minimum(size, NAMED_BY)),
            center=key[order[first]],
            size=size,
            cohesion=cohesion,
            stability=np.mean(stability, axis=0) if size.size else np.empty(0),
            next_id=size.size,
            node_ids=graph.node_ids,
        ),
        previous,
    )


def strong_ties(graph: Graph, threshold: float, place: Ints) -> scipy.sparse.csr_array[Any, Any]:
    """How strongly each pair of nodes is tied: symmetric (n_nodes, n_nodes) float64 CSR.

    A pair's tie is the sum of its edges' weights, either direction and every relation, over edges
    above the threshold and inhibitory ones; what is not above the threshold in sum is no tie.  So
    a negative weight joins nothing, and takes from what else joins its ends.

    Parameters
    ----------
    threshold : ≥ 0
    place : (n_nodes,) int64, row of each key
    """
    from scipy.sparse import csr_array

    kept = (graph.weight > threshold) | (graph.weight < 0)
    source, target = place[graph.source[kept]], place[graph.indices[kept]]
    ends = (np.minimum(source, target), np.maximum(source, target))
    half = csr_array(
        (graph.weight[kept].astype(np.float64), ends), shape=(graph.n_nodes, graph.n_nodes)
    )
    half.sum_duplicates()
    half.data[half.data <= threshold] = 0
    half.eliminate_zeros()
    ties = csr_array(half + half.T)
    ties.sort_indices()
    return ties


@dataclass(frozen=True)
class _Partition:
    """A community for every node that has a tie, and the modularity of it all."""

    label: Ints
    quality: float


def _partitions(
    ties: scipy.sparse.csr_array[Any, Any], resolution: float, seeds: Sequence[int]
) -> list[_Partition]:
    from graspologic_native import leiden_csr

    n_nodes = ties.shape[0]
    if not n_nodes:
        return [_Partition(np.empty(0, np.int64), 0.0) for _ in seeds]
    indptr, indices = ties.indptr.astype(np.int64), ties.indices.astype(np.int32)

    def run(seed: int) -> _Partition:
        quality, found = leiden_csr(
            indptr,
            indices,
            ties.data,
            n_nodes,
            resolution=resolution,
            seed=seed,
            iterations=ITERATIONS,
        )
        label = np.empty(n_nodes, np.int64)
        label[np.fromiter(found.keys(), np.int64)] = np.fromiter(found.values(), np.int64)
        return _Partition(label, quality)

    with ThreadPoolExecutor(min(len(seeds), os.cpu_count() or 1)) as threads:
        return list(threads.map(run, seeds))


def _spread(label: Ints, nodes: Ints, n_nodes: int) -> Ints:
    """Labels of some nodes as labels of all."""
    out = np.full(n_nodes, NONE, np.int64)
    out[nodes] = label
    return out


def _by_size(label: Ints, least: int) -> Ints:
    """Communities numbered by size, the largest first, of equals the one of the first node."""
    inside = np.flatnonzero(label != NONE)
    size = np.bincount(label[inside])
    first = np.full(size.size, label.size)
    np.minimum.at(first, label[inside], inside)
    order = np.lexsort((first, -size))
    order = order[size[order] >= least]
    number = np.full(size.size + 1, NONE)
    number[order] = np.arange(order.size)
    out: Ints = number[label]  # −1 takes the last
    return out


def _cohesion(
    ties: scipy.sparse.csr_array[Any, Any], label: Ints, count: int
) -> tuple[Floats, Floats]:
    """Each node's weight to its own cluster, and each cluster's share of weight inside."""
    source = np.repeat(np.arange(label.size), np.diff(ties.indptr))
    own = np.where(label[source] == label[ties.indices], ties.data, 0.0)
    inner: Floats = np.bincount(source, own, label.size).astype(np.float64)
    outer = np.bincount(source, ties.data, label.size)
    inside = label != NONE
    within = np.bincount(label[inside], inner[inside], count)
    share: Floats = within / np.bincount(label[inside], outer[inside], count)
    return inner, share


def _heads(first: Ints, size: Ints) -> Ints:
    """Positions of the first members of every cluster."""
    taken = np.minimum(size, NAMED_BY)
    end = np.cumsum(taken)
    out: Ints = np.arange(taken.sum()) + np.repeat(first - end + taken, taken)
    return out


def _names(members: list[str | int], taken: Ints) -> tuple[str, ...]:
    ends = np.cumsum(taken)
    return tuple(
        ", ".join(map(str, members[end - count : end]))
        for end, count in zip(ends, taken, strict=True)
    )
