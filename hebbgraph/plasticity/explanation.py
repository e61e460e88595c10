"""Why two nodes are, or are not, associated."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from hebbgraph_kernels.ranking import DOUBT

from hebbgraph.errors import ParameterError
from hebbgraph.graph import Graph
from hebbgraph.ids import shown
from hebbgraph.plasticity.discovery import TIER_NAMES, tier_of
from hebbgraph.plasticity.neighborhood import Neighborhood, observed_neighborhood
from hebbgraph.plasticity.parameters import DiscoveryParameters
from hebbgraph.plasticity.partners import Standing, standing
from hebbgraph.plasticity.scoring import Scoring


@dataclass(frozen=True, kw_only=True)
class SharedNeighbor:
    """A node that both ends know; the smaller its degree, the more it tells."""

    id: str | int
    degree: int
    share: float


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The arithmetic behind a pair.

    Attributes
    ----------
    source, target : ids
    source_degree, target_degree : |N(a)|, |N(b)|
    shared_neighbors : by ascending degree, then id order
    shared : how many there are in all
    confidence : shared / min degree; 0.0 where an end has no neighbour
    relation : what discovery would call it at that confidence
    resource_allocation : Σ 1/|N(c)| over shared c
    overlap_allocation : the same times shared / (shared + min degree + 4)
    surprise : −log₁₀ of the chance that as many are shared at random; where the two are joined,
        neither counts as the other's neighbour
    rank_by : what partners are ordered by
    source_standing, target_standing : where the target stands among the partners of the source,
        and the other way round; None where the two do not qualify, or an observed edge joins them
    edges : edges between the two, either direction: relation, weight, inferred
    why_not : what keeps discovery from linking the two; None where an edge does
    """

    source: str | int
    target: str | int
    source_degree: int
    target_degree: int
    shared_neighbors: tuple[SharedNeighbor, ...]
    shared: int
    confidence: float
    relation: str
    resource_allocation: float
    overlap_allocation: float
    surprise: float
    rank_by: str
    source_standing: Standing | None
    target_standing: Standing | None
    edges: tuple[dict[str, Any], ...]
    why_not: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return dataclasses.asdict(self)


def explain(
    graph: Graph,
    a: str | int,
    b: str | int,
    *,
    around: Neighborhood | None = None,
    parameters: DiscoveryParameters | None = None,
) -> Explanation:
    """Explain a pair of nodes by the neighbours they share.

    Parameters
    ----------
    around : the graph's observed neighbourhoods, if they are at hand
    parameters : options that discovery would run with; its defaults if not given

    Raises
    ------
    NodeNotFoundError
        no node has one of the ids
    ParameterError
        the two are one node

    Examples
    --------
    >>> import hebbgraph
    >>> graph = hebbgraph.Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
    >>> why = hebbgraph.explain(graph, "a", "b")
    >>> why.confidence, [shared.id for shared in why.shared_neighbors]
    (1.0, ['x', 'y'])
    """
    left, right = graph.key(a), graph.key(b)
    if left == right:
        raise ParameterError(f"explain: expected two different nodes, got {shown(a)} twice")
    around = observed_neighborhood(graph) if around is None else around
    options = parameters or DiscoveryParameters()
    degree = around.degree
    common = np.intersect1d(around.of(left), around.of(right), assume_unique=True)
    common = common[np.argsort(degree[common], kind="stable")]
    smaller = int(min(degree[left], degree[right]))
    confidence = common.size / smaller if smaller else 0.0
    scoring = Scoring(around, options)
    pair = np.array([left]), np.array([right]), np.array([common.size], np.int32)
    between = np.intersect1d(graph.incident(a), graph.incident(b))
    shared = tuple(
        SharedNeighbor(id=graph.id(key), degree=int(degree[key]), share=1 / int(degree[key]))
        for key in common
    )
    allocated = float(sum(one.share for one in shared))
    return Explanation(
        source=graph.id(left),
        target=graph.id(right),
        source_degree=int(degree[left]),
        target_degree=int(degree[right]),
        shared_neighbors=shared,
        shared=common.size,
        confidence=confidence,
        relation=TIER_NAMES[tier_of(np.array([confidence]))[0]],
        resource_allocation=allocated,
        overlap_allocation=allocated * common.size / (common.size + smaller + DOUBT),
        surprise=float(scoring.surprise(*pair)[0]),
        rank_by=options.rank_by,
        source_standing=standing(graph, scoring, left, right),
        target_standing=standing(graph, scoring, right, left),
        edges=tuple(_edge(graph, int(edge)) for edge in between),
        why_not=None if between.size else _why_not(common.size, confidence, options),
    )


def _why_not(shared: int, confidence: float, parameters: DiscoveryParameters) -> str:
    """The first condition of discovery that a pair without an edge fails."""
    if shared < parameters.min_shared_neighbors:
        return f"{shared} shared, fewer than {parameters.min_shared_neighbors}"
    if confidence < parameters.confidence_threshold:
        return f"confidence {confidence:.3f}, less than {parameters.confidence_threshold:g}"
    return (
        "it qualifies, but neither keeps it among its best, a node type is left out, or no pass "
        "has run since"
    )


def _edge(graph: Graph, edge: int) -> dict[str, Any]:
    return {
        "source": graph.id(int(graph.source[edge])),
        "target": graph.id(int(graph.indices[edge])),
        "relation": graph.relation_names[graph.relation[edge]],
        "weight": float(graph.weight[edge]),
        "inferred": bool(graph.is_inferred[edge]),
    }
