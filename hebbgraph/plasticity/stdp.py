"""Spike-timing-dependent plasticity: what comes before leads to what comes after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import stdp as kernels
from hebbgraph_kernels._jit import thread_count
from hebbgraph_kernels.csr import transpose

from hebbgraph import check
from hebbgraph.plasticity.rules import Evidence
from hebbgraph.plasticity.synapses import both_ways


@dataclass(frozen=True, kw_only=True)
class Stdp:
    """Weights after Δw = ±A·e^{−|lag|/window}: (n_edges,) float32.

    In each new episode whose nodes u stands ``lag`` places before v, an edge u→v rises by
    η·e^{−lag/window}; one whose target stands before its source falls by
    depression·η·e^{−lag/window}.  Only the order inside an episode counts, no clock between
    episodes; where episodes are sets in no order, this is not the rule to use.

    An edge that is read both ways (undirected, inferred) stays: order says nothing of it.  So do
    inhibitory ones.  No edge is made, only those that are there learn.

    Fixed points: an edge always used along the order ends at the upper bound, one used against it
    at the lower; with depression > 1 one used both ways equally often sinks.  Bounded by the bounds
    of the pass.  Batches are equal to one, bit by bit, if nothing else moves the weights.

    Parameters
    ----------
    rate : η, in [0, 100]; the learning rate of the pass by default
    depression : what a fall is in rises, in [0, 100]
    window : lag in places at which the effect is down to 1/e, in (0, 1e6]

    Notes
    -----
    Bi, G., Poo, M. (1998). Journal of Neuroscience 18.  Additive, with hard bounds and a
    depression of 1.05: Song, S., Miller, K., Abbott, L. (2000). Nature Neuroscience 3.
    """

    rate: float | None = None
    depression: float = 1.05
    window: float = 2.0

    def __post_init__(self) -> None:
        if self.rate is not None:
            check.number("rate", self.rate, 0, 100)
        check.number("depression", self.depression, 0, 100)
        check.number("window", self.window, 0, 1e6, open_low=True)

    def __call__(self, evidence: Evidence) -> npt.NDArray[np.float32]:
        """Weights after the new episodes, in order of recording."""
        graph, new = evidence.graph, evidence.new_episodes
        rate = evidence.learning_rate if self.rate is None else self.rate
        out = graph.weight.copy()
        by_node, episode = transpose(
            new.indptr, new.nodes.astype(np.int64, copy=False), graph.n_nodes
        )
        kernels.order_edges(
            graph.indptr, graph.indices, ~both_ways(graph), by_node, episode, new.indptr, new.nodes,
            float(rate), float(rate * self.depression), float(self.window),
            float(evidence.min_weight), float(evidence.max_weight), thread_count(), out,
        )  # fmt: skip
        return out


rule = Stdp()
