"""One pass: every rule once, in order."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import threads_for

from hebbgraph import check
from hebbgraph.edgelist import UNDATED
from hebbgraph.episodes import Episodes, taken
from hebbgraph.graph import Graph
from hebbgraph.plasticity import associations, rules
from hebbgraph.plasticity.competition import compete
from hebbgraph.plasticity.cooccurrence import cooccurrence, outside_window
from hebbgraph.plasticity.decay import fade, stamped
from hebbgraph.plasticity.discovery import TIER_NAMES, find
from hebbgraph.plasticity.metrics import graph_score, node_metrics
from hebbgraph.plasticity.neighborhood import observed_neighborhood
from hebbgraph.plasticity.parameters import (
    DiscoveryParameters,
    Measure,
    Parameters,
    RankBy,
    UseParameters,
)
from hebbgraph.plasticity.report import PlasticityReport, WeightHistogram
from hebbgraph.plasticity.rules import Evidence, RuleChoice
from hebbgraph.plasticity.support import is_settled
from hebbgraph.plasticity.use import co_activation, grow, learn_from_use, uses_since

Progress = Callable[[str], None]


def plastify(
    graph: Graph,
    *,
    rule: RuleChoice | Sequence[RuleChoice] = "hebbian",
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
    episodes: Any | None = None,
    success_rate: float = 0.1,
    failure_rate: float = 0.15,
    correction_rate: float = 0.5,
    max_inhibition: float = 2.0,
    activation_gain: float = 0.7,
    time_constant: timedelta | float = timedelta(days=30),
    min_activations: int = 1,
    decay: bool | None = None,
    settled: Mapping[str, Any] | None = None,
    similarity: Any | None = None,
    now: datetime | None = None,
    progress: Progress | None = None,
) -> tuple[Graph, PlasticityReport]:
    """Let a graph learn once: from use, strengthen, compete, fade, discover, measure.

    Pure: the graph that came in is as it was.  A pass that finds nothing new returns that same
    object.

    Parameters
    ----------
    rule : how evidence moves the weights: a name (``"hebbian"``, ``"oja"``, ``"bcm"``, ``"stdp"``,
        ``"homeostatic"``, ``"structural"``), a callable as :mod:`hebbgraph.plasticity.rules` has
        it, or several, applied one after the other
    learning_rate : η of Δw = η·[log1p(f) − log1p(f_seen)], in [0, 100]
    competition_rate : ρ, what a loser loses of its weight, in [0, 1]
    temporal_window : how far back dated edges count as evidence; a bare number is days
    max_weight, min_weight : bounds that learning keeps to
    similarity_threshold : from where two targets compete, in (0, 1]
    min_shared_neighbors, confidence_threshold, max_new_edges_per_node, rank_by, shrinkage, node_types, measure, max_false_discovery_rate
        as in :func:`hebbgraph.discover`
    discover : False leaves inferred edges as they are
    episodes : what was used together, all of it new: an iterable of mappings such as
        ``{"nodes": ["a", "b"], "outcome": 1.0, "time": …}``, or an Arrow table with such columns;
        :class:`~hebbgraph.episodes.Episodes` also tells which earlier passes have learned from
        and only count inside the window
    success_rate, failure_rate : what an outcome of 1 adds to a weight, of −1 takes from it, in
        [0, 100]
    correction_rate : what a correction of outcome ±1 adds, takes, in [0, 100]
    max_inhibition : how far below 0 failures can bring a weight, in [0, 1e6]
    activation_gain : by how much of what it lacks to 1 a use lifts a node's activation, in [0, 1]
    time_constant : τ of e^{−t/τ}, by which activation and unused edges fade; a number is days
    min_activations : uses inside the window by which both ends keep an edge from fading
    decay : whether unused edges fade; by default they do as soon as any use has been recorded
    settled : options of the pass that found the inferred edges of ``graph``, as its report states
        them: what cannot have changed since is then not looked for again
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
        rule=rule,
        learning_rate=learning_rate,
        competition_rate=competition_rate,
        temporal_window=check.duration("temporal_window", temporal_window),
        max_weight=max_weight,
        min_weight=min_weight,
        similarity_threshold=similarity_threshold,
        discover=discover,
        decay=decay,
        use=UseParameters(
            success_rate=success_rate,
            failure_rate=failure_rate,
            correction_rate=correction_rate,
            max_inhibition=max_inhibition,
            activation_gain=activation_gain,
            time_constant=time_constant,  # type: ignore[arg-type]
            min_activations=min_activations,
        ),
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
    known = taken(episodes, graph.node_ids, graph.n_nodes)
    return run(
        graph, parameters, episodes=known, settled=DiscoveryParameters.of_pass(settled),
        similarity=similarity, now=now, progress=progress,
    )  # fmt: skip


def run(
    graph: Graph,
    parameters: Parameters,
    *,
    episodes: Episodes | None = None,
    settled: DiscoveryParameters | None = None,
    similarity: Any | None = None,
    now: datetime | None = None,
    progress: Progress | None = None,
) -> tuple[Graph, PlasticityReport]:
    """:func:`plastify` with its options in one object.

    What is new since the pass before decides the work: ``graph.support`` tells which edges it has
    seen.  The result is that of a pass that knows nothing of one before.

    Parameters
    ----------
    settled : options by which the inferred edges of the graph were found; None if not known
    """
    moment = check.microseconds("now", now)
    with threads_for(graph.n_edges):
        return _run(graph, parameters, episodes, settled, similarity, moment, progress)


def _run(
    graph: Graph,
    parameters: Parameters,
    episodes: Episodes | None,
    settled: DiscoveryParameters | None,
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

    since = moment - parameters.temporal_window // timedelta(microseconds=1)
    base = used = graph
    old = np.ones(graph.n_edges, np.bool_)
    together = None
    if episodes is not None:
        with phase("use"):
            base, old = grow(graph, episodes)
            together = co_activation(base, episodes, since=since)
            used = learn_from_use(
                base, old, episodes, parameters.use, max_weight=parameters.max_weight
            )
    fades = used.use is not None if parameters.decay is None else parameters.decay
    faded = used
    if fades:
        with phase("decay"):
            faded = fade(
                used,
                uses_since(used, episodes, since),
                parameters.use,
                min_weight=parameters.min_weight,
                now=moment,
            )
    with phase("neighborhoods"):
        around = observed_neighborhood(base)
    support: npt.NDArray[np.int32] | None
    with phase("co-occurrence"):
        count, support = cooccurrence(base, around, since=since, together=together)
    with phase("strengthening"):
        evidence = Evidence(
            graph=faded,
            count=count,
            episodes=episodes,
            learning_rate=parameters.learning_rate,
            min_weight=parameters.min_weight,
            max_weight=parameters.max_weight,
            since=since,
            now=moment,
        )
        weight = rules.apply(rules.chosen(parameters.rule), evidence)
    edges_from_use = int(np.count_nonzero(~old))
    pruned = np.isnan(weight)
    if pruned.any():
        with phase("pruning"):
            kept = np.flatnonzero(~pruned)
            base, used, faded = (one.take_edges(kept) for one in (base, used, faded))
            old, count, weight = old[kept], count[kept], weight[kept]
            around = observed_neighborhood(base)
            # What was counted was counted with the edges that are gone.
            support = None
    with phase("competition"):
        weight = compete(
            faded, weight, count, around,
            competition_rate=parameters.competition_rate, min_weight=parameters.min_weight,
            similarity_threshold=parameters.similarity_threshold,
            min_shared_neighbors=parameters.discovery.min_shared_neighbors,
            similarity=similarity,
        )  # fmt: skip
    counted = ~old | (count != base.co_occurrence_count)
    taught = counted | (used.weight != base.weight) | (weight != faded.weight)
    learned = faded
    if taught.any():
        updated = stamped(faded, taught, moment)
        learned = dataclasses.replace(
            faded, weight=weight, co_occurrence_count=count, updated_at=updated
        )
    change = associations.Change.none()
    known = dataclasses.replace(learned, support=support)
    if parameters.discover and not (
        settled == parameters.discovery and is_settled(base) and not _lost_use(base, count)
    ):
        with phase("discovery"):
            proposed = find(base, around, parameters.discovery)
            known, change = associations.apply(
                known, around, proposed, born=moment if fades else UNDATED
            )
    with phase("metrics"):
        metrics = node_metrics(known, max_weight=parameters.max_weight, now=moment)
        changed = change.any or learned is not graph
        result = dataclasses.replace(known, metrics=metrics) if changed else graph
        report = PlasticityReport(
            processed_nodes=graph.n_nodes,
            updated_edges=int(np.count_nonzero(counted | (weight != base.weight))),
            new_associations_discovered=change.new,
            new_associations_avg_confidence=change.confidence,
            nodes_with_new_associations=change.nodes,
            plasticity_score=graph_score(metrics),
            strengthened_edges=int(np.count_nonzero(weight > base.weight)),
            weakened_edges=int(np.count_nonzero(weight < base.weight)),
            episodes_learned=0 if episodes is None else len(episodes) - episodes.n_learned,
            edges_from_use=edges_from_use,
            pruned_edges=int(np.count_nonzero(pruned)),
            withdrawn_associations=change.withdrawn,
            associations=result.n_inferred,
            associations_by_relation=_by_relation(result),
            edges_outside_window=outside_window(graph, since),
            weights=WeightHistogram.of(graph.weight, result.weight),
            changed=changed,
            parameters=parameters.to_dict(),
            seconds=seconds,
        )
    return result, report


def _lost_use(graph: Graph, count: npt.NDArray[np.int32]) -> bool:
    """Whether use no longer holds an inferred edge that it held."""
    lost = graph.is_inferred & (graph.co_occurrence_count > 0) & (count == 0)
    return bool(lost.any())


def _by_relation(graph: Graph) -> dict[str, int]:
    codes = graph.relation[graph.is_inferred] if graph.inferred is not None else ()
    counts = np.bincount(codes, minlength=len(graph.relation_names))
    return {
        name: int(counts[graph.relation_names.index(name)])
        for name in TIER_NAMES
        if name in graph.relation_names and counts[graph.relation_names.index(name)]
    }
