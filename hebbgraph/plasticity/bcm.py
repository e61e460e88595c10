"""The BCM rule: a threshold that slides with a node's activity makes it selective."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import synapses as kernels

from hebbgraph import check
from hebbgraph.plasticity.rules import Evidence
from hebbgraph.plasticity.synapses import synapses


@dataclass(frozen=True, kw_only=True)
class Bcm:
    """Weights after Δw = η·y·(y − θ)/θ·x/Σx, θ following y²: (n_edges,) float32.

    In each new episode, a node v that it holds responds with y = Σ w·x over its inputs.  Its active
    inputs rise where y is above v's threshold θ, and fall where it is below.  θ starts at y² of
    v's first episode in the window and follows with θ ← θ + (y² − θ)/memory: first over the
    episodes of the window that were learned from before, heard with today's weights, then over the
    new ones.  The change is divided by θ, and by the number of active inputs, so that how far y
    moves does not hang on how many they are.

    Fixed points: y = θ for what v responds to and 0, or the floor, for the rest: v is selective.
    They are stable where η·(memory − 1) < 1.  Bounded: a weight only rises while y < memory, and
    by less than η·memory at either end, so none rises above memory·(1 + 2η).  Not batch-invariant:
    a later pass hears the same old episodes with other weights.  Inhibitory edges stay as they
    are and are not heard.

    Parameters
    ----------
    rate : η, in [0, 100]; the learning rate of the pass by default
    memory : over how many of its own episodes a node's threshold reaches back, in [1, 1e6]

    Notes
    -----
    Bienenstock, E., Cooper, L., Munro, P. (1982). Theory for the development of neuron selectivity.
    Journal of Neuroscience 2.  θ = E[y²]: Intrator, N., Cooper, L. (1992). Neural Networks 5.
    Division by θ: Law, C., Cooper, L. (1994). PNAS 91.
    """

    rate: float | None = None
    memory: float = 8.0

    def __post_init__(self) -> None:
        if self.rate is not None:
            check.number("rate", self.rate, 0, 100)
        check.number("memory", self.memory, 1, 1e6)

    def __call__(self, evidence: Evidence) -> npt.NDArray[np.float32]:
        """Weights after the new episodes, in order of recording."""
        graph, heard = evidence.graph, evidence.counted_episodes
        inputs = synapses(graph, evidence.new_episodes)
        weight = graph.weight[inputs.edges]
        kernels.bcm(
            inputs.indptr, inputs.speaker, inputs.edge, heard.indptr, heard.nodes, heard.n_learned,
            evidence.learning_rate if self.rate is None else self.rate, float(self.memory),
            evidence.min_weight, evidence.max_weight, weight,
        )  # fmt: skip
        out = graph.weight.copy()
        out[inputs.edges] = weight
        return out


rule = Bcm()
