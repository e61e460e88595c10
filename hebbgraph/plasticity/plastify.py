"""One pass: every rule once, in order."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import threads_for

from hebbgraph import check
from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph
from hebbgraph.plasticity import associations
from hebbgraph.plasticity.competition import compete
from hebbgraph.plasticity.cooccurrence import cooccurrence, outside_window
from hebbgraph.plasticity.discovery import TIER_NAMES, find
from hebbgraph.plasticity.hebbian import strengthen
from hebbgraph.plasticity.metrics import graph_score, node_metrics
from hebbgraph.plasticity.neighborhood import observed_neighborhood
from hebbgraph.plasticity.parameters import DiscoveryParameters, Measure, Parameters, RankBy
from hebbgraph.plasticity.report import PlasticityReport, WeightHistogram

Progress = Callable[[str], None]


def plastify(
    graph: Graph,
    *,
    learning_rate: float = 0.1,
    competition_rate: float = 0.05,
    temporal_window: timedelta | float = timedelta(days=30),
    max_weight: float = 5.0,
    min_weight: float = 0.1,
    similarity_threshold: float = 0.7,
    min_shared_neighbors: int = 2,
    confidence_threshold: float = 0.6,
    max_new_edges_per_node: int | None = 3,
    rank_by: RankBy = "overlap_allocation",
    shrinkage: float = 0.0,
    node_types: Sequence[str] | None = None,
    measure: Measure = "overlap",
    max_false_discovery_rate: float | None = None,
    discover: bool = True,
    similarity: Any | None = None,
    now: datetime | None = None,
    progress: Progress | None = None,
) -> tuple[Graph, PlasticityReport]:
    """Let a graph learn once: strengthen, compete, discover, measure.

    Pure: the graph that came in is as it was.  A pass that finds nothing new returns that same
    object.

    Parameters
    ----------
    learning_rate : η of Δw = η·[log1p(f) − log1p(f_seen)], in [0, 100]
    competition_rate : ρ, what a loser loses of its weight, in [0, 1]
    temporal_window : how far back dated edges count as evidence; a bare number is days
    max_weight, min_weight : bounds that learning keeps to
    similarity_threshold : from where two targets compete, in (0, 1]
    min_shared_neighbors, confidence_threshold, max_new_edges_per_node, rank_by, shrinkage, node_types, measure, max_false_discovery_rate
        as in :func:`hebbgraph.discover`
    discover : False leaves inferred edges as they are
    similarity : (n_nodes, n_nodes) SciPy sparse matrix of target similarities, in place of overlap
    now : moment of the pass, with a time zone; the clock by default
    progress : called with the name of each phase as it starts

    Returns
    -------
    graph : Graph
    report : PlasticityReport

    Raises
    ------
    ParameterError
        an option is outside its range

    Examples
    --------
    >>> import hebbgraph
    >>> graph = hebbgraph.Graph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 0])
    >>> learned, report = hebbgraph.plastify(graph)
    >>> [round(float(w), 3) for w in learned.weight[~learned.is_inferred]]
    [1.069, 1.11, 1.069, 1.069, 1.069]
    >>> report.new_associations_discovered, hebbgraph.plastify(learned)[1].updated_edges
    (1, 0)
    """  # noqa: E501
    parameters = Parameters(
        learning_rate=learning_rate,
        competition_rate=competition_rate,
        temporal_window=check.duration("temporal_window", temporal_window),
        max_weight=max_weight,
        min_weight=min_weight,
        similarity_threshold=similarity_threshold,
        discover=discover,
        discovery=DiscoveryParameters(
            min_shared_neighbors=min_shared_neighbors,
            confidence_threshold=confidence_threshold,
            max_new_edges_per_node=max_new_edges_per_node,
            rank_by=rank_by,
            shrinkage=shrinkage,
            node_types=node_types,  # type: ignore[arg-type]
            measure=measure,
            max_false_discovery_rate=max_false_discovery_rate,
        ),
    )
    return run(graph, parameters, similarity=similarity, now=now, progress=progress)


def run(
    graph: Graph,
    parameters: Parameters,
    *,
    similarity: Any | None = None,
    now: datetime | None = None,
    progress: Progress | None = None,
) -> tuple[Graph, PlasticityReport]:
    """:func:`plastify` with its options in one object."""
    moment = check.microseconds("now", now)
    with threads_for(graph.n_edges):
        return _run(graph, parameters, similarity, moment, progress)


def _run(
    graph: Graph,
    parameters: Parameters,
    similarity: Any | None,
    moment: int,
    progress: Progress | None,
) -> tuple[Graph, PlasticityReport]:
    seconds: dict[str, float] = {}

    @contextmanager
    def phase(name: str) -> Iterator[None]:
        if progress is not None:
            progress(name)
        started = time.perf_counter()
        yield
        seconds[name] = time.perf_counter() - started

    with phase("neighborhoods"):
        around = observed_neighborhood(graph)
    with phase("co-occurrence"):
        window = parameters.temporal_window // timedelta(microseconds=1)
        count = cooccurrence(graph, around, since=moment - window)
    with phase("strengthening"):
        strengthened = strengthen(
            graph, count, learning_rate=parameters.learning_rate,
            min_weight=parameters.min_weight, max_weight=parameters.max_weight,
        )  # fmt: skip
    with phase("competition"):
        weight = compete(
            graph, strengthened, count, around,
            competition_rate=parameters.competition_rate, min_weight=parameters.min_weight,
            similarity_threshold=parameters.similarity_threshold,
            min_shared_neighbors=parameters.discovery.min_shared_neighbors,
            similarity=similarity,
        )  # fmt: skip
    touched = (weight != graph.weight) | (count != graph.co_occurrence_count)
    learned = _with_weights(graph, weight, count, touched, moment)
    change = associations.Change.none()
    if parameters.discover:
        with phase("discovery"):
            proposed = find(graph, around, parameters.discovery)
            learned, change = associations.apply(learned, around, proposed)
    with phase("metrics"):
        metrics = node_metrics(learned, max_weight=parameters.max_weight, now=moment)
        changed = change.any or bool(touched.any())
        result = dataclasses.replace(learned, metrics=metrics) if changed else graph
        report = PlasticityReport(
            processed_nodes=graph.n_nodes,
            updated_edges=int(np.count_nonzero(touched)),
            new_associations_discovered=change.new,
            new_associations_avg_confidence=change.confidence,
            nodes_with_new_associations=change.nodes,
            plasticity_score=graph_score(metrics),
            strengthened_edges=int(np.count_nonzero(weight > graph.weight)),
            weakened_edges=int(np.count_nonzero(weight < graph.weight)),
            withdrawn_associations=change.withdrawn,
            associations=result.n_inferred,
            associations_by_relation=_by_relation(result),
            edges_outside_window=outside_window(graph, moment - window),
            weights=WeightHistogram.of(graph.weight, result.weight),
            changed=changed,
            parameters=parameters.to_dict(),
            seconds=seconds,
        )
    return result, report


def _with_weights(
    graph: Graph,
    weight: npt.NDArray[np.float32],
    count: npt.NDArray[np.int32],
    touched: npt.NDArray[np.bool_],
    moment: int,
) -> Graph:
    if not touched.any():
        return graph
    updated = (
        np.full(graph.n_edges, UNDATED) if graph.updated_at is None else graph.updated_at.copy()
    )
    updated[touched] = moment
    return dataclasses.replace(graph, weight=weight, co_occurrence_count=count, updated_at=updated)


def _by_relation(graph: Graph) -> dict[str, int]:
    codes = graph.relation[graph.is_inferred] if graph.inferred is not None else ()
    counts = np.bincount(codes, minlength=len(graph.relation_names))
    return {
        name: int(counts[graph.relation_names.index(name)])
        for name in TIER_NAMES
        if name in graph.relation_names and counts[graph.relation_names.index(name)]
    }
