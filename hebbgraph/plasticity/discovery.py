"""Discovery: links that nobody wrote down, from shared neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from hebbgraph_kernels import ranking, threads_for
from hebbgraph_kernels.best import best_partners
from hebbgraph_kernels.stream import qualifying_pairs

from hebbgraph import ids
from hebbgraph.errors import ParameterError
from hebbgraph.graph import Graph
from hebbgraph.plasticity.neighborhood import Neighborhood, observed_neighborhood
from hebbgraph.plasticity.parameters import DiscoveryParameters, RankBy

if TYPE_CHECKING:
    import pandas

TIERS = (
    (0.95, "functionally_equivalent"),
    (0.8, "strongly_related_to"),
    (0.0, "shares_context_with"),
)
"""Least confidence of each relation that discovery gives, highest first."""

TIER_NAMES = tuple(name for _, name in TIERS)
_RANKINGS = {
    "resource_allocation": ranking.RESOURCE_ALLOCATION,
    "confidence": ranking.CONFIDENCE,
    "surprise": ranking.SURPRISE,
}
PAIRS_PER_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False, repr=False)
class Discovery:
    """Pairs that discovery proposes, sorted by (source, target); arrays of one length.

    Attributes
    ----------
    source, target : int node keys, source < target
    shared : int32, |N(a) ∩ N(b)|
    confidence : float64, shared / (min(|N(a)|, |N(b)|) + shrinkage), in [0, 1]
    rank : float64, value of ``rank_by``: the higher the more telling
    tier : int8, position in :data:`TIER_NAMES`
    graph : the graph the keys belong to
    """

    source: npt.NDArray[Any]
    target: npt.NDArray[Any]
    shared: npt.NDArray[np.int32]
    confidence: npt.NDArray[np.float64]
    rank: npt.NDArray[np.float64]
    tier: npt.NDArray[np.int8]
    graph: Graph

    def __len__(self) -> int:
        return int(self.source.size)

    def __repr__(self) -> str:
        counts = np.bincount(self.tier, minlength=len(TIERS))
        tiers = ", ".join(
            f"{count:,} {name}" for count, name in zip(counts, TIER_NAMES, strict=True) if count
        )
        return f"Discovery({len(self):,} pairs{': ' if tiers else ''}{tiers})"

    @property
    def relation(self) -> npt.NDArray[np.str_]:
        """Relation of each pair by its tier."""
        return np.array(TIER_NAMES)[self.tier]

    def to_arrow(self) -> pa.Table:
        """Table with node *ids* and the columns relation, confidence, shared, rank."""
        return pa.table(
            {
                "source": self.graph.ids_of(self.source),
                "target": self.graph.ids_of(self.target),
                "relation": pa.DictionaryArray.from_arrays(
                    pa.array(self.tier), pa.array(TIER_NAMES)
                ),
                "confidence": self.confidence,
                "shared": self.shared,
                "rank": self.rank,
            }
        )

    def to_pandas(self) -> pandas.DataFrame:
        """:meth:`to_arrow` as a data frame."""
        return self.to_arrow().to_pandas()


def discover(
    graph: Graph,
    *,
    min_shared_neighbors: int = 2,
    confidence_threshold: float = 0.6,
    max_new_edges_per_node: int | None = 3,
    rank_by: RankBy = "resource_allocation",
    shrinkage: float = 0.0,
    node_types: Sequence[str] | None = None,
) -> Discovery:
    """Propose links between nodes that share neighbours and are not joined.

    confidence(a, b) = s / (min(|N(a)|, |N(b)|) + shrinkage) with s = |N(a) ∩ N(b)| over observed
    edges.  Exact, and the same whatever the order of nodes, edges or threads.

    Parameters
    ----------
    min_shared_neighbors : least s, ≥ 1
    confidence_threshold : least confidence, in [0, 1]
    max_new_edges_per_node : every node keeps this many best partners, and a pair stands when
        either end keeps it; None proposes every pair that qualifies
    rank_by : what is best: ``"resource_allocation"``, Σ 1/|N(c)| over shared c (Zhou, Lü and
        Zhang 2009); ``"confidence"``; ``"surprise"``, −log₁₀ of the hypergeometric tail.
        Ties: confidence, then shared, then smaller id
    shrinkage : ≥ 0, distrusts overlaps of small neighbourhoods
    node_types : both ends must be of one of these types; None allows all

    Raises
    ------
    ParameterError
        an option is outside its range, or no node has one of ``node_types``

    Examples
    --------
    >>> import hebbgraph
    >>> graph = hebbgraph.Graph.from_edges(
    ...     ["FastAPI", "FastAPI", "Django", "Django"], ["Python", "HTTP", "Python", "HTTP"]
    ... )
    >>> hebbgraph.discover(graph).to_arrow().select(["source", "target", "confidence"]).to_pylist()
    ... # doctest: +NORMALIZE_WHITESPACE
    [{'source': 'Django', 'target': 'FastAPI', 'confidence': 1.0},
     {'source': 'HTTP', 'target': 'Python', 'confidence': 1.0}]
    """
    options = DiscoveryParameters(
        min_shared_neighbors=min_shared_neighbors,
        confidence_threshold=confidence_threshold,
        max_new_edges_per_node=max_new_edges_per_node,
        rank_by=rank_by,
        shrinkage=shrinkage,
        node_types=None if node_types is None else tuple(
            [node_types] if isinstance(node_types, str) else node_types
        ),
    )  # fmt: skip
    with threads_for(graph.n_edges):
        return find(graph, observed_neighborhood(graph), options)


def find(graph: Graph, around: Neighborhood, options: DiscoveryParameters) -> Discovery:
    """:func:`discover` on neighbourhoods that are already known."""
    allowed = _allowed(graph, options.node_types)
    if options.max_new_edges_per_node is None:
        return _every_pair(graph, around, allowed, options)
    # More partners than other nodes cannot be had: the tables stay O(n·k).
    cap = max(1, min(options.max_new_edges_per_node, graph.n_nodes))
    nodes, shared, confidence, rank = best_partners(
        around.indptr,
        around.indices,
        cap=cap,
        allowed=allowed,
        place=ids.place(graph.node_ids, graph.n_nodes),
        min_shared=options.min_shared_neighbors,
        threshold=options.confidence_threshold,
        shrinkage=options.shrinkage,
        ranking=_RANKINGS[options.rank_by],
        population=population(around),
    )
    row, slot = np.nonzero(nodes >= 0)
    partner = nodes[row, slot].astype(np.int64)
    low, high = np.minimum(row, partner), np.maximum(row, partner)
    order = np.lexsort((high, low))
    fresh = np.ones(order.size, np.bool_)
    fresh[1:] = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
    kept = order[fresh]
    at = row[kept], slot[kept]
    return _discovery(
        graph, low[kept], high[kept], shared[at], confidence[at], rank[at]
    )  # fmt: skip


def _every_pair(
    graph: Graph,
    around: Neighborhood,
    allowed: npt.NDArray[np.bool_],
    options: DiscoveryParameters,
) -> Discovery:
    blocks = qualifying_pairs(
        around.indptr,
        around.indices,
        allowed=allowed,
        adjacent=False,
        min_shared=options.min_shared_neighbors,
        threshold=options.confidence_threshold,
        shrinkage=options.shrinkage,
        pairs_per_block=PAIRS_PER_BLOCK,
    )
    parts = [
        (np.minimum(left, right), np.maximum(left, right), shared, allocation)
        for left, right, shared, allocation in blocks
    ] or [(np.empty(0, np.int64),) * 4]
    source, target, shared, allocation = map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort((target, source))
    source, target = source[order].astype(np.int64), target[order].astype(np.int64)
    shared, allocation = shared[order].astype(np.int32), allocation[order].astype(np.float64)
    degree = around.degree
    smaller = np.minimum(degree[source], degree[target])
    confidence = shared / (smaller + options.shrinkage)
    if options.rank_by == "resource_allocation":
        rank = allocation
    elif options.rank_by == "confidence":
        rank = confidence
    else:
        rank = surprise(around, source, target, shared)
    return _discovery(graph, source, target, shared, confidence, rank)


def population(around: Neighborhood) -> int:
    """Nodes that a neighbour of a pair may be drawn from: all that have one, less the pair."""
    return max(int(np.count_nonzero(around.degree)) - 2, 0)


def surprise(
    around: Neighborhood,
    source: npt.NDArray[np.int64],
    target: npt.NDArray[np.int64],
    shared: npt.NDArray[np.int32],
) -> npt.NDArray[np.float64]:
    """−log₁₀ P(X ≥ shared) of pairs, X hypergeometric in :func:`population` nodes."""
    degree, drawn_from = around.degree, population(around)
    table = ranking.log_factorials(drawn_from)
    return ranking.surprise(shared, degree[source], degree[target], drawn_from, table)


def tier_of(confidence: npt.NDArray[np.float64]) -> npt.NDArray[np.int8]:
    """Position in :data:`TIERS` of each confidence: (p,) int8."""
    out = np.full(confidence.size, len(TIERS) - 1, np.int8)
    for position in range(len(TIERS) - 2, -1, -1):
        out[confidence >= TIERS[position][0]] = position
    return out


def _discovery(
    graph: Graph,
    source: npt.NDArray[np.int64],
    target: npt.NDArray[np.int64],
    shared: npt.NDArray[np.int32],
    confidence: npt.NDArray[np.float64],
    rank: npt.NDArray[np.float64],
) -> Discovery:
    key = graph.indices.dtype
    return Discovery(
        source=source.astype(key),
        target=target.astype(key),
        shared=shared,
        confidence=confidence.astype(np.float64),
        rank=rank.astype(np.float64),
        tier=tier_of(confidence),
        graph=graph,
    )


def _allowed(graph: Graph, node_types: tuple[str, ...] | None) -> npt.NDArray[np.bool_]:
    if node_types is None:
        return np.ones(graph.n_nodes, np.bool_)
    unknown = [name for name in node_types if name not in graph.type_names]
    if unknown:
        known = ", ".join(graph.type_names[:20]) or "none: the graph has no node types"
        raise ParameterError(f"node_types: no node is of type {unknown[0]!r}; there are {known}")
    codes = [graph.type_names.index(name) for name in node_types]
    return np.isin(graph.node_type if graph.node_type is not None else -1, codes)
