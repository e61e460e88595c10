"""Hebbian strengthening: what fires together wires together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import hebbian

from hebbgraph.plasticity.rules import Evidence


def rule(evidence: Evidence) -> npt.NDArray[np.float32]:
    """Weights after Δw = η·[log1p(f) − log1p(f_seen)]: (n_edges,) float32.

    Path-independent: learning from the same evidence in one batch or in ten ends at
    w = w₀ + η·log1p(f), and evidence already learned from moves nothing.

    Notes
    -----
    Hebb (1949) with logarithmic saturation, Δw = η·log(1 + f_co).
    """
    graph = evidence.graph
    out = np.empty_like(graph.weight)
    hebbian.strengthen(
        graph.weight, graph.co_occurrence_count, evidence.count, evidence.learning_rate,
        evidence.min_weight, evidence.max_weight, out,
    )  # fmt: skip
    return out
