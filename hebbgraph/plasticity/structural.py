"""Structural plasticity: what has lain at the floor for long is taken away."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.edgelist import UNDATED
from hebbgraph.plasticity.decay import NEAR
from hebbgraph.plasticity.rules import PRUNED, Evidence


@dataclass(frozen=True, kw_only=True)
class Structural:
    """The weights as they are, NaN where an edge is to go: (n_edges,) float32.

    An edge goes if its weight is at the floor, at most ``min_weight`` (fading only comes near it:
    within 0.001 is at it), has been for longer than ``after``, and no evidence came or went in this
    pass.  It has been there since the last pass that changed it, or since its own date where that
    is later; an edge with neither stays, for nothing tells since when.

    As with any rule, inhibitory edges, inferred ones and those between two nodes of tier 3 stay
    (:func:`hebbgraph.plasticity.rules.prunable`).  What a pruned edge was evidence of falls with
    the next pass.  Idempotent; not batch-invariant: an edge that goes in between is not there to
    learn.

    Parameters
    ----------
    after : duration, 90 days by default; a number is days

    Notes
    -----
    Butz, M., Wörgötter, F., van Ooyen, A. (2009). Activity-dependent structural plasticity. Brain
    Research Reviews 60.  Silent synapses go and lasting ones stay: Knoblauch, A., Sommer, F.
    (2016). Structural plasticity, effectual connectivity, and memory in cortex. Frontiers in
    Neuroanatomy 10.
    """

    after: timedelta = timedelta(days=90)

    def __post_init__(self) -> None:
        object.__setattr__(self, "after", check.duration("after", self.after))

    def __call__(self, evidence: Evidence) -> npt.NDArray[np.float32]:
        """Weights, NaN where the edge is to go."""
        graph = evidence.graph
        unknown = np.full(graph.n_edges, UNDATED)
        since = np.maximum(
            unknown if graph.updated_at is None else graph.updated_at,
            unknown if graph.time is None else graph.time,
        )
        latest = evidence.now - self.after // timedelta(microseconds=1)
        gone = (graph.weight <= evidence.min_weight + NEAR) & (since < latest)
        gone &= (since != UNDATED) & (evidence.count == graph.co_occurrence_count)
        out = graph.weight.copy()
        out[gone] = PRUNED
        return out


rule = Structural()
