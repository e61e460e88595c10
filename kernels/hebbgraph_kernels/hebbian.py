"""Hebbian strengthening of edge weights."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import parallel_njit


@parallel_njit
def strengthen(
    weight: np.ndarray,
    seen: np.ndarray,
    count: np.ndarray,
    learning_rate: float,
    min_weight: float,
    max_weight: float,
    out: np.ndarray,
) -> None:
    """Out = w + η·(log1p(f) − log1p(f_seen)), kept inside the weight range.

    A rise stops at ``max_weight``, a fall (evidence that left the window) at
    ``min_weight``; a weight already beyond a bound is not pulled back over it.

    Parameters
    ----------
    weight, out : (m,) float32
    seen, count : (m,) int32, ≥ 0; co-occurrence learned from, and now
    """
    for edge in prange(weight.size):
        before = np.float64(weight[edge])
        if count[edge] == seen[edge]:
            out[edge] = weight[edge]
            continue
        after = before + learning_rate * (np.log1p(count[edge]) - np.log1p(seen[edge]))
        if count[edge] > seen[edge]:
            after = min(after, max(before, max_weight))
        else:
            after = max(after, min(before, min_weight))
        out[edge] = after
