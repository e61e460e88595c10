"""Discovery: links that nobody wrote down, from shared neighbours."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from hebbgraph_kernels import threads_for
from hebbgraph_kernels.best import best_partners
from hebbgraph_kernels.lookup import pairs_of, partners_of
from hebbgraph_kernels.stream import qualifying_pairs

from hebbgraph import ids
from hebbgraph.errors import ParameterError
from hebbgraph.graph import Graph
from hebbgraph.plasticity.neighborhood import Neighborhood, observed_neighborhood
from hebbgraph.plasticity.parameters import DiscoveryParameters, Measure, RankBy
from hebbgraph.plasticity.scoring import RANKINGS, Scoring
from hebbgraph.plasticity.significance import significant

if TYPE_CHECKING:
    import pandas

TIERS = (
    (0.95, "functionally_equivalent"),
    (0.8, "strongly_related_to"),
    (0.0, "shares_context_with"),
)
"""Least confidence of each relation that discovery gives, highest first."""

TIER_NAMES = tuple(name for _, name in TIERS)
PAIRS_PER_BLOCK = 1 << 21


@dataclass(frozen=True, eq=False, repr=False)
class Discovery:
    """Pairs that discovery proposes, sorted by (source, target); arrays of one length.

    Attributes
    ----------
    source, target : int node keys, source < target
    shared : int32, |N(a) ∩ N(b)|
    confidence : float64, value of the measure, in [0, 1]
    rank : float64, value of ``rank_by``: the higher the more telling
    tier : int8, position in :data:`TIER_NAMES`
    graph : the graph the keys belong to
    options : of a whole discovery; None for that of some nodes, of given pairs, or a part of one
    """

    source: npt.NDArray[Any]
    target: npt.NDArray[Any]
    shared: npt.NDArray[np.int32]
    confidence: npt.NDArray[np.float64]
    rank: npt.NDArray[np.float64]
    tier: npt.NDArray[np.int8]
    graph: Graph
    options: DiscoveryParameters | None = None

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

    def take(self, places: npt.NDArray[Any]) -> Discovery:
        """Some of the pairs, by position or as a mask."""
        names = ("source", "target", "shared", "confidence", "rank", "tier")
        return dataclasses.replace(
            self, options=None, **{name: getattr(self, name)[places] for name in names}
        )

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
    rank_by: RankBy = "overlap_allocation",
    shrinkage: float = 0.0,
    node_types: Sequence[str] | None = None,
    measure: Measure = "overlap",
    max_false_discovery_rate: float | None = None,
    nodes: Iterable[str | int] | None = None,
    pairs: Iterable[tuple[str | int, str | int]] | None = None,
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
    rank_by : what is best: ``"resource_allocation"``, RA = Σ 1/|N(c)| over shared c (Zhou, Lü and
        Zhang 2009); ``"overlap_allocation"``, RA·s/(s + A + 4) with A the smaller degree;
        ``"confidence"``; ``"surprise"``, −log₁₀ of the hypergeometric tail.
        Ties: confidence, then shared, then smaller id
    shrinkage : ≥ 0, distrusts overlaps of small neighbourhoods
    node_types : both ends must be of one of these types; None allows all
    measure : what confidence is, with A ≤ B the two degrees and k the shrinkage: ``"overlap"``
        s/(A + k), ``"jaccard"`` s/(A + B − s + k), ``"dice"`` s/((A + B)/2 + k), ``"cosine"``
        s/(√(AB) + k), or ``"resource_allocation"``, the overlap with neighbours worth 1/|N(c)|
    max_false_discovery_rate : of the pairs that are proposed, keep those whose overlap is more
        than chance at this rate (Benjamini and Hochberg 1995, over all pairs that are not joined)
    nodes : only pairs that one of these nodes keeps
    pairs : score these pairs instead, whether they qualify or not; by surprise, neither of two
        nodes that are joined counts as the other's neighbour

    Raises
    ------
    ParameterError
        an option is outside its range, no node has one of ``node_types``, both ``nodes`` and
        ``pairs`` are given, or ``pairs`` and an option that would leave some of them out
    NodeNotFoundError
        ``nodes`` or ``pairs`` name a node that is not there

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
        node_types=node_types,  # type: ignore[arg-type]
        measure=measure,
        max_false_discovery_rate=max_false_discovery_rate,
    )
    if nodes is not None and pairs is not None:
        raise ParameterError("discover: expected nodes or pairs, got both")
    for name in ("node_types", "max_false_discovery_rate"):
        if pairs is not None and getattr(options, name) is not None:
            raise ParameterError(
                f"{name}: expected none beside pairs=, which scores all that it is given; "
                "leave it out, or choose among the scored pairs"
            )
    keys = None if nodes is None else _keys(graph, nodes)
    ends = None if pairs is None else _ends(graph, pairs)
    with threads_for(graph.n_edges):
        around = observed_neighborhood(graph)
        if ends is not None:
            return _given(graph, Scoring(around, options), ends)
        return find(graph, around, options, keys)


def find(
    graph: Graph,
    around: Neighborhood,
    options: DiscoveryParameters,
    nodes: npt.NDArray[Any] | None = None,
) -> Discovery:
    """:func:`discover` on neighbourhoods that are already known, for all nodes or some."""
    scoring = Scoring(around, options)
    if options.max_new_edges_per_node is not None:
        found = symmetric(graph, *tables(graph, scoring, nodes))
    elif nodes is None:
        found = _every_pair(graph, scoring)
    else:
        found = symmetric(graph, *pairs_at(graph, scoring, nodes))
    if options.max_false_discovery_rate is not None:
        kept = significant(
            scoring.surprise(found.source, found.target, found.shared),
            _unjoined(around, allowed(graph, options.node_types)),
            options.max_false_discovery_rate,
        )
        found = found.take(kept)
    return dataclasses.replace(found, options=options if nodes is None else None)


Tables = tuple[
    npt.NDArray[Any],
    npt.NDArray[Any],
    npt.NDArray[np.int32],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
]


def tables(graph: Graph, scoring: Scoring, nodes: npt.NDArray[Any] | None = None) -> Tables:
    """Owner, partner, shared, confidence, rank of every entry of the nodes' tables.

    There must be a cap; without one, see :func:`pairs_at`.
    """
    around, options = scoring.around, scoring.options
    assert options.max_new_edges_per_node is not None
    common: dict[str, Any] = {
        # More partners than other nodes cannot be had.
        "cap": max(1, min(options.max_new_edges_per_node, graph.n_nodes)),
        "allowed": allowed(graph, options.node_types),
        "place": ids.place(graph.node_ids, graph.n_nodes),
        "ranking": RANKINGS[options.rank_by],
        "population": scoring.population,
        **scoring.kernel_options(),
    }
    if nodes is None:
        return best_partners(around.indptr, around.indices, **common)
    share, unit = scoring.shares
    return partners_of(
        nodes, around.indptr, around.indices, size=scoring.size, share=share, unit=unit,
        log_factorial=scoring.log_factorials, **common,
    )  # fmt: skip


def pairs_at(graph: Graph, scoring: Scoring, nodes: npt.NDArray[Any]) -> Tables:
    """Every qualifying pair with one of ``nodes`` on its left, whatever the cap.

    A pair of two of them comes twice.
    """
    share, unit = scoring.shares
    return pairs_of(
        nodes, scoring.around.indptr, scoring.around.indices,
        allowed=allowed(graph, scoring.options.node_types), size=scoring.size, share=share,
        unit=unit, ranking=RANKINGS[scoring.options.rank_by], population=scoring.population,
        log_factorial=scoring.log_factorials, **scoring.kernel_options(),
    )  # fmt: skip


def discover_batches(graph: Graph, **options: Any) -> pa.RecordBatchReader:
    """Every pair that qualifies, as a stream of Arrow batches: never all of them in memory.

    The columns are those of :meth:`Discovery.to_arrow`; the order is none in particular.  The
    reader goes straight to ``lance.write_dataset``, ``pyarrow.dataset.write_dataset`` or a DuckDB
    query.

    Parameters
    ----------
    options : as in :func:`discover`; a cap, ``nodes``, ``pairs`` and a false discovery rate have
        no meaning here and are refused

    Raises
    ------
    ParameterError
        an option is outside its range, unknown, or has no meaning here

    Examples
    --------
    >>> import hebbgraph
    >>> graph = hebbgraph.Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
    >>> hebbgraph.discover_batches(graph).read_all().num_rows
    2
    """
    for name in ("max_new_edges_per_node", "nodes", "pairs", "max_false_discovery_rate"):
        if options.pop(name, None) is not None:
            raise ParameterError(
                f"{name}: expected none in discover_batches, which streams every pair that "
                "qualifies; leave it out, or call discover"
            )
    stated = DiscoveryParameters.stated(**options, max_new_edges_per_node=None)
    allowed(graph, stated.node_types)
    scoring = Scoring(observed_neighborhood(graph), stated)
    keys, counts = np.empty(0, np.int64), np.empty(0, np.int32)
    numbers = np.empty(0, np.float64)
    schema = discovery(graph, keys, keys, counts, numbers, numbers).to_arrow().schema
    blocks = (batch for block in batches(graph, scoring) for batch in block.to_arrow().to_batches())
    return pa.RecordBatchReader.from_batches(schema, blocks)


def batches(graph: Graph, scoring: Scoring) -> Iterator[Discovery]:
    """Every pair that qualifies, whatever the cap, in blocks of bounded size and no order."""
    options = scoring.options
    for left, right, shared, value, allocation in qualifying_pairs(
        scoring.around.indptr,
        scoring.around.indices,
        allowed=allowed(graph, options.node_types),
        adjacent=False,
        pairs_per_block=PAIRS_PER_BLOCK,
        sums=options.rank_by in ("overlap_allocation", "resource_allocation"),
        **scoring.kernel_options(),
    ):
        source, target = np.minimum(left, right), np.maximum(left, right)
        rank = scoring.rank(source, target, shared, value, allocation)
        yield discovery(graph, source, target, shared, value, rank)


def _every_pair(graph: Graph, scoring: Scoring) -> Discovery:
    parts = list(batches(graph, scoring))
    names = ("source", "target", "shared", "confidence", "rank")
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts] or [np.empty(0, np.int64)])
        for name in names
    }
    order = np.lexsort((columns["target"], columns["source"]))
    return discovery(graph, *(columns[name][order] for name in names))


def _keys(graph: Graph, nodes: Iterable[str | int]) -> npt.NDArray[Any]:
    """Keys of the nodes that a caller names, ascending, each once; one id alone is one node."""
    try:
        named = [nodes] if isinstance(nodes, str | int | np.integer) else list(nodes)
    except TypeError:
        raise ParameterError(f"nodes: expected node ids, got {nodes!r}") from None
    return np.unique(np.array([graph.key(node) for node in named], graph.indices.dtype))


def _ends(graph: Graph, pairs: Iterable[tuple[str | int, str | int]]) -> npt.NDArray[np.int64]:
    """(p, 2) keys of the pairs that a caller names, each once, smaller key first."""
    wanted = "pairs: expected pairs of node ids, such as [(a, b), (a, c)]"
    try:
        given = [pairs] if isinstance(pairs, str) else list(pairs)
    except TypeError:
        raise ParameterError(f"{wanted}, got {pairs!r}") from None
    keys = np.empty((len(given), 2), np.int64)
    for row, pair in enumerate(given):
        try:
            a, b = (None,) if isinstance(pair, str) else pair
        except (TypeError, ValueError):
            raise ParameterError(f"{wanted}, got {pair!r} as number {row + 1}") from None
        keys[row] = graph.key(a), graph.key(b)
    if np.any(keys[:, 0] == keys[:, 1]):
        raise ParameterError("pairs: expected two different nodes in each, got one node twice")
    return np.unique(np.sort(keys, axis=1), axis=0)


def _given(graph: Graph, scoring: Scoring, ends: npt.NDArray[np.int64]) -> Discovery:
    source, target = np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])
    return discovery(graph, source, target, *scoring.pairs(source, target))


def symmetric(
    graph: Graph,
    owner: npt.NDArray[Any],
    partner: npt.NDArray[Any],
    shared: npt.NDArray[np.int32],
    confidence: npt.NDArray[np.float64],
    rank: npt.NDArray[np.float64],
) -> Discovery:
    """Entries of tables as pairs, each once."""
    low, high = np.minimum(owner, partner), np.maximum(owner, partner)
    order = np.lexsort((high, low))
    fresh = np.ones(order.size, np.bool_)
    fresh[1:] = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
    kept = order[fresh]
    return discovery(graph, low[kept], high[kept], shared[kept], confidence[kept], rank[kept])


def _unjoined(around: Neighborhood, may: npt.NDArray[np.bool_]) -> int:
    """Pairs of allowed nodes with a neighbour that are not joined."""
    nodes = int(np.count_nonzero(may & (around.degree > 0)))
    joined = int(np.count_nonzero(np.repeat(may, around.degree) & may[around.indices]))
    return nodes * (nodes - 1) // 2 - joined // 2


def tier_of(confidence: npt.NDArray[np.float64]) -> npt.NDArray[np.int8]:
    """Position in :data:`TIERS` of each confidence: (p,) int8."""
    out = np.full(confidence.size, len(TIERS) - 1, np.int8)
    for position in range(len(TIERS) - 2, -1, -1):
        out[confidence >= TIERS[position][0]] = position
    return out


def discovery(
    graph: Graph,
    source: npt.NDArray[np.int64],
    target: npt.NDArray[np.int64],
    shared: npt.NDArray[np.int32],
    confidence: npt.NDArray[np.float64],
    rank: npt.NDArray[np.float64],
) -> Discovery:
    """Pairs of a graph, with their tier."""
    key = graph.indices.dtype
    return Discovery(
        source=source.astype(key),
        target=target.astype(key),
        shared=shared.astype(np.int32, copy=False),
        confidence=confidence.astype(np.float64),
        rank=rank.astype(np.float64),
        tier=tier_of(confidence),
        graph=graph,
    )


def allowed(graph: Graph, node_types: tuple[str, ...] | None) -> npt.NDArray[np.bool_]:
    """Which nodes may be joined: (n_nodes,) bool."""
    if node_types is None:
        return np.ones(graph.n_nodes, np.bool_)
    unknown = [name for name in node_types if name not in graph.type_names]
    if unknown:
        known = ", ".join(graph.type_names[:20]) or "none: the graph has no node types"
        raise ParameterError(f"node_types: no node is of type {unknown[0]!r}; there are {known}")
    codes = [graph.type_names.index(name) for name in node_types]
    return np.isin(graph.node_type if graph.node_type is not None else -1, codes)
