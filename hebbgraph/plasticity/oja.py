"""Oja's rule: a node comes to respond to what its inputs have most in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import synapses as kernels

from hebbgraph import check
from hebbgraph.plasticity.rules import Evidence
from hebbgraph.plasticity.synapses import synapses


@dataclass(frozen=True, kw_only=True)
class Oja:
    """Weights after Δw = η·y·(x − y·w): (n_edges,) float32.

    In each new episode, a node v that it holds responds with y = Σ w·x over its inputs, x being 1
    for those in the episode and 0 for others, and all its inputs learn.  The step is taken with
    the decay at its end, w ← (w + η·y·x)/(1 + η·y²), which has the same fixed points and is stable
    at any rate.

    Fixed points: of the mean over the episodes that hold v, w is the unit eigenvector of E[x·xᵀ]
    of the largest eigenvalue, as far as the bounds of the pass allow it.  Bounded: no weight rises
    above 1 + √(η/2), whatever the episodes.  Batches are equal to one, bit by bit, if nothing else
    moves the weights in between.  Inhibitory edges stay as they are and are not heard.

    Parameters
    ----------
    rate : η, in [0, 100]; the learning rate of the pass by default

    Notes
    -----
    Oja, E. (1982). A simplified neuron model as a principal component analyzer. Journal of
    Mathematical Biology 15.
    """

    rate: float | None = None

    def __post_init__(self) -> None:
        if self.rate is not None:
            check.number("rate", self.rate, 0, 100)

    def __call__(self, evidence: Evidence) -> npt.NDArray[np.float32]:
        """Weights after the new episodes, in order of recording."""
        graph, new = evidence.graph, evidence.new_episodes
        inputs = synapses(graph, new)
        weight = graph.weight[inputs.edges]
        kernels.oja(
            inputs.indptr, inputs.speaker, inputs.edge, new.indptr, new.nodes,
            evidence.learning_rate if self.rate is None else self.rate,
            evidence.min_weight, evidence.max_weight, weight,
        )  # fmt: skip
        out = graph.weight.copy()
        out[inputs.edges] = weight
        return out


rule = Oja()
