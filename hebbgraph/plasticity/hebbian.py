"""Hebbian strengthening: what fires together wires together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import hebbian

from hebbgraph.graph import Graph


def strengthen(
    graph: Graph,
    count: npt.NDArray[np.int32],
    *,
    learning_rate: float,
    min_weight: float,
    max_weight: float,
) -> npt.NDArray[np.float32]:
    """Weights after Δw = η·[log1p(f) − log1p(f_seen)]: (n_edges,) float32.

    Path-independent: learning from the same evidence in one batch or in ten ends at
    w = w₀ + η·log1p(f), and evidence already learned from moves nothing.

    Parameters
    ----------
    count : (n_edges,) int32, f now; f_seen is ``graph.co_occurrence_count``

    Notes
    -----
    Hebb (1949) with logarithmic saturation, Δw = η·log(1 + f_co).
    """
    out = np.empty_like(graph.weight)
    hebbian.strengthen(
        graph.weight, graph.co_occurrence_count, count, learning_rate, min_weight, max_weight, out
    )
    return out
