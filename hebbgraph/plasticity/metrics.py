"""Metrics of every node, and their mean over the graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels.metrics import incident_sums, relation_diversity

from hebbgraph.columns import NodeMetrics
from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph
from hebbgraph.node_use import TIME_CONSTANT_US


def node_metrics(graph: Graph, *, max_weight: float, now: int) -> NodeMetrics:
    """Measure every node; an edge counts at both of its ends.

    With w̄ the mean weight of incident edges and Δt the time since the latest dated one or the
    node's last use, whichever is later (0 where there is neither):
    activation = w̄/w_max · exp(−Δt/τ), and
    plasticity = activation·(1 + w̄/10) + min(diversity/10, 0.5).

    Parameters
    ----------
    now : UTC microseconds
    """
    relations = len(graph.relation_names)
    total, count = incident_sums(graph.indptr, graph.indices, graph.weight)
    diversity = (
        relation_diversity(graph.indptr, graph.indices, graph.relation, relations)
        if relations > 1
        else (count > 0).astype(np.int32)
    )
    mean = np.divide(total, count, out=np.zeros_like(total), where=count > 0)
    activation = mean / max_weight * np.exp(-_idle(graph, now) / TIME_CONSTANT_US)
    score = activation * (1 + mean / 10) + np.minimum(diversity / 10, 0.5)
    return NodeMetrics(
        average_edge_weight=mean.astype(np.float32),
        edge_count=count,
        connection_diversity=diversity,
        activation_level=activation.astype(np.float32),
        plasticity_score=score.astype(np.float32),
    )


def graph_score(metrics: NodeMetrics) -> float:
    """Mean plasticity score, 0 for a graph without nodes."""
    scores = metrics.plasticity_score
    return float(scores.mean(dtype=np.float64)) if scores.size else 0.0


def _idle(graph: Graph, now: int) -> npt.NDArray[np.float64] | float:
    """Microseconds since each node's latest dated edge or use; 0 where it has neither."""
    if graph.time is None and graph.use is None:
        return 0.0
    latest = np.full(graph.n_nodes, UNDATED) if graph.use is None else graph.use.activated_at.copy()
    if graph.time is not None:
        np.maximum.at(latest, graph.source, graph.time)
        np.maximum.at(latest, graph.indices, graph.time)
    return np.where(latest == UNDATED, 0.0, np.maximum(now - np.maximum(latest, 0), 0))
