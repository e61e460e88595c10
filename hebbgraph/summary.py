"""A graph in a handful of figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbgraph.graph import Graph


def summarise(graph: Graph) -> dict[str, Any]:
    """Sizes, weights, relations and types by count; JSON-ready."""
    weight = graph.weight
    spread = (
        (weight.min(), weight.mean(dtype=np.float64), weight.max()) if weight.size else (0,) * 3
    )
    metrics = graph.metrics
    return {
        "nodes": graph.n_nodes,
        "edges": graph.n_edges,
        "inferred": graph.n_inferred,
        "directed": graph.directed,
        "weight": dict(zip(("min", "mean", "max"), map(float, spread), strict=True)),
        "plasticity_score": None
        if metrics is None or not graph.n_nodes
        else float(metrics.plasticity_score.mean(dtype=np.float64)),
        "relations": _counts(graph.relation, graph.relation_names),
        "types": {}
        if graph.node_type is None
        else _counts(graph.node_type[graph.node_type >= 0], graph.type_names),
    }


def _counts(codes: npt.NDArray[np.int32], names: Sequence[str]) -> dict[str, int]:
    """Names by descending count, unused ones left out."""
    counts = np.bincount(codes, minlength=len(names))
    order = np.argsort(-counts, kind="stable")
    return {names[code]: int(counts[code]) for code in order if counts[code]}
