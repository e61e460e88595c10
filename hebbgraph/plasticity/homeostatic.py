"""Synaptic scaling: a node's weights rise and fall together, so that their sum holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.plasticity.rules import Evidence
from hebbgraph.plasticity.synapses import both_ways

TOLERANCE = 1e-6
"""A sum within this share of its set point is held."""
ROUNDS = 2_000
"""Most graphs take fewer than a hundred; a path of few nodes may take many."""


@dataclass(frozen=True, kw_only=True)
class Homeostatic:
    """Weights after w ← w·S*/S at every node: (n_edges,) float32.

    S is the sum of the weights that a node hears, those of edges that end at it and of edges that
    are read both ways, and S* = target times their number.  An edge that is read both ways is at
    two nodes and takes √(S*/S) of each; the scaling is repeated until every sum holds.

    Held: every sum, to one part in a million, unless the bounds of the pass keep its weights from
    it.  Kept: the ratios between the inputs of a node in a directed graph, those at a bound
    aside.  A second pass changes nothing.  Not batch-invariant together with a rule that adds:
    scaling after each of two additions is not scaling after both.  Weights of 0 and inhibitory
    ones stay as they are and are not counted.

    Parameters
    ----------
    target : mean weight at every node, in (0, 1e6]

    Notes
    -----
    Turrigiano, G. (2008). The self-tuning neuron: synaptic scaling of excitatory synapses. Cell
    135.  A solution exists: all weights equal to ``target`` have these sums.  That repeated scaling
    by square roots finds it, and quickly: Knight, P., Ruiz, D., Uçar, B. (2014). A symmetry
    preserving algorithm for matrix scaling. SIAM J. Matrix Anal. Appl. 35.
    """

    target: float = 1.0

    def __post_init__(self) -> None:
        check.number("target", self.target, 0, 1e6, open_low=True)

    def __call__(self, evidence: Evidence) -> npt.NDArray[np.float32]:
        """Weights whose sums hold; the evidence itself has no say."""
        graph = evidence.graph
        alive = np.flatnonzero(graph.weight > 0)
        tail, head = graph.source[alive], graph.indices[alive]
        twofold = np.flatnonzero(both_ways(graph)[alive])
        weight = graph.weight[alive].astype(np.float64)
        low = np.minimum(weight, evidence.min_weight)
        high = np.maximum(weight, evidence.max_weight)

        def sums(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
            total = np.zeros(graph.n_nodes)
            total += np.bincount(head, values, graph.n_nodes)
            total += np.bincount(tail[twofold], values[twofold], graph.n_nodes)
            return total

        goal = self.target * sums(np.ones(alive.size))
        factor = _factors(goal, sums(weight))
        if (np.abs(factor - 1) <= TOLERANCE).all():
            return graph.weight.copy()
        for _ in range(ROUNDS):
            by = factor[head]
            by[twofold] = np.sqrt(by[twofold] * factor[tail[twofold]])
            before, weight = weight, np.clip(weight * by, low, high)
            factor = _factors(goal, sums(weight))
            # Weights at their bounds may keep a sum from its set point for good.
            still = (np.abs(weight - before) <= TOLERANCE / 10 * before).all()
            if still or (np.abs(factor - 1) <= TOLERANCE / 10).all():
                break
        out = graph.weight.copy()
        out[alive] = weight
        return out


def _factors(
    goal: npt.NDArray[np.float64], sums: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """S*/S, and 1 at nodes that hear nothing."""
    return np.divide(goal, sums, out=np.ones_like(goal), where=sums > 0)


rule = Homeostatic()
