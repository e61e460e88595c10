"""Decay: what is not used fades."""

from __future__ import annotations

import dataclasses
import math
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import decay as kernels

from hebbgraph import check
from hebbgraph.edgelist import UNDATED
from hebbgraph.episodes import taken
from hebbgraph.graph import Graph
from hebbgraph.plasticity.parameters import UseParameters
from hebbgraph.plasticity.use import uses_since

STEP = timedelta(hours=1) // timedelta(microseconds=1)
"""Idle time below which an edge waits, so that a pass right after another writes nothing."""
NEAR = 1e-3
"""Fading never arrives: a weight this little above the floor counts as at it."""


def decay(
    graph: Graph,
    *,
    episodes: Any | None = None,
    time_constant: timedelta | float = timedelta(days=30),
    half_life: timedelta | float | None = None,
    min_activations: int = 1,
    temporal_window: timedelta | float = timedelta(days=30),
    min_weight: float = 0.1,
    now: datetime | None = None,
) -> Graph:
    """Let the edges fade that use has left, as a pass does, and nothing else.

    Parameters
    ----------
    episodes : what was used, as in :func:`hebbgraph.plastify`; they protect their nodes' edges
    time_constant : τ of e^{−t/τ}; a number is days
    half_life : in its place, the time in which half is gone: τ = half_life/ln 2
    min_activations : uses inside the window by which both ends keep an edge from fading
    temporal_window, min_weight, now : as in :func:`hebbgraph.plastify`

    Returns
    -------
    graph : the same object if nothing has faded

    Raises
    ------
    ParameterError
        an option is outside its range

    Examples
    --------
    >>> import hebbgraph
    >>> from datetime import UTC, datetime, timedelta
    >>> born = datetime(2025, 1, 1, tzinfo=UTC)
    >>> graph = hebbgraph.Graph.from_edges(["a"], ["b"], time=[born])
    >>> later = hebbgraph.decay(graph, half_life=10, now=born + timedelta(days=20))
    >>> round(float(later.weight[0]), 3)
    0.325
    """
    if half_life is not None:
        time_constant = check.duration("half_life", half_life) / math.log(2)
    parameters = UseParameters(
        time_constant=time_constant,  # type: ignore[arg-type]
        min_activations=min_activations,
    )
    check.number("min_weight", min_weight, 0)
    moment = check.microseconds("now", now)
    window = check.duration("temporal_window", temporal_window) // timedelta(microseconds=1)
    known = taken(episodes, graph.node_ids, graph.n_nodes)
    return fade(
        graph, uses_since(graph, known, moment - window), parameters,
        min_weight=min_weight, now=moment,
    )  # fmt: skip


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

    ``updated_at`` becomes now where a weight moved, other than at the floor: so it says since when
    an edge has been there.

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
    above = (graph.weight < 0) | (graph.weight > min_weight + NEAR)
    return dataclasses.replace(
        graph,
        weight=weight,
        decayed_at=decayed_at,
        updated_at=stamped(graph, above & (weight != graph.weight), now),
    )


def stamped(
    graph: Graph, changed: npt.NDArray[np.bool_], moment: int
) -> npt.NDArray[np.int64] | None:
    """``updated_at`` with a moment where an edge has changed."""
    if not changed.any():
        return graph.updated_at
    updated = np.full(graph.n_edges, UNDATED) if graph.updated_at is None else graph.updated_at
    return np.where(changed, moment, updated)
