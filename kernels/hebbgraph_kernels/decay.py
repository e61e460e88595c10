"""Fading of edge weights with time."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import parallel_njit


@parallel_njit
def fade(
    indptr: np.ndarray,
    indices: np.ndarray,
    clock: np.ndarray,
    used_at: np.ndarray,
    uses: np.ndarray,
    min_activations: int,
    now: int,
    step: int,
    time_constant: float,
    min_weight: float,
    undated: int,
    weight: np.ndarray,
    decayed_at: np.ndarray,
) -> None:
    """W = w_min + (w − w_min)·e^{−Δt/τ} above w_min; an inhibitory weight fades towards 0.

    Δt runs from the edge's clock, or the moment up to which both its ends had been used, whichever
    is later.  Edges with enough use at both ends, and those idle for less than ``step``, stay with
    their clock.  An edge without a clock gets one.

    Parameters
    ----------
    clock : (n_edges,) int64 µs up to which the weight has faded, ``undated`` where unknown
    used_at : (n,) int64 µs, last use, ``undated`` if never
    uses : (n,) int32, uses inside the temporal window
    now, step, time_constant : µs
    weight : (n_edges,) float32, updated
    decayed_at : (n_edges,) int64, updated
    """
    for row in prange(indptr.size - 1):
        for edge in range(indptr[row], indptr[row + 1]):
            head = indices[edge]
            since = max(clock[edge], min(used_at[row], used_at[head]))
            if since == undated:
                decayed_at[edge] = now
                continue
            idle = now - since
            if idle < step or min(uses[row], uses[head]) >= min_activations:
                continue
            before = np.float64(weight[edge])
            left = np.exp(-idle / time_constant)
            if before > min_weight:
                weight[edge] = min_weight + (before - min_weight) * left
            elif before < 0.0:
                weight[edge] = before * left
            decayed_at[edge] = now
