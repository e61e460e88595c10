"""Decay: what is not used fades."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import decay as kernels

from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph
from hebbgraph.plasticity.parameters import UseParameters

STEP = timedelta(hours=1) // timedelta(microseconds=1)
"""Idle time below which an edge waits, so that a pass right after another writes nothing."""


def fade(
    graph: Graph,
    uses: npt.NDArray[np.int32],
    parameters: UseParameters,
    *,
    min_weight: float,
    now: int,
) -> Graph:
    """Weights after w_min + (w − w_min)·e^{−Δt/τ}, where an end had too little use.

    An edge fades if one of its ends was used fewer than ``min_activations`` times inside the
    temporal window, from the moment up to which both had been used.  An inhibitory edge fades
    towards 0 and stays inhibitory.  An edge never seen by decay before starts its clock at its
    own time, or now.

    Fading at t₁ and then at t₂ ends where fading once at t₂ does, and a moment before an edge's
    clock changes nothing.

    Parameters
    ----------
    uses : (n_nodes,) int32, uses inside the temporal window

    Returns
    -------
    graph : the same object if nothing moved
    """
    clock = np.full(graph.n_edges, UNDATED) if graph.decayed_at is None else graph.decayed_at
    decayed_at = clock.copy()
    weight = graph.weight.copy()
    never = np.full(graph.n_nodes, UNDATED)
    kernels.fade(
        graph.indptr, graph.indices,
        clock if graph.time is None else np.maximum(clock, graph.time),
        never if graph.use is None else graph.use.activated_at,
        uses, parameters.min_activations, now, STEP,
        parameters.time_constant / timedelta(microseconds=1), min_weight, UNDATED,
        weight, decayed_at,
    )  # fmt: skip
    if np.array_equal(decayed_at, clock):
        return graph
    return dataclasses.replace(graph, weight=weight, decayed_at=decayed_at)
