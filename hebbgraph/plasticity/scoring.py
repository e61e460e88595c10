"""What a pair of nodes is worth: measure, rank, chance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import frame, measures, ranking
from hebbgraph_kernels.support import are_joined, pair_overlap

from hebbgraph.plasticity.neighborhood import Neighborhood
from hebbgraph.plasticity.parameters import DiscoveryParameters

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]

MEASURES = {
    "overlap": measures.OVERLAP,
    "jaccard": measures.JACCARD,
    "dice": measures.DICE,
    "cosine": measures.COSINE,
    "resource_allocation": measures.ALLOCATION,
}
RANKINGS = {
    "overlap_allocation": ranking.OVERLAP_ALLOCATION,
    "resource_allocation": ranking.RESOURCE_ALLOCATION,
    "confidence": ranking.CONFIDENCE,
    "surprise": ranking.SURPRISE,
}


@dataclass(frozen=True)
class Scoring:
    """Neighbourhoods and the options by which pairs of their nodes are valued."""

    around: Neighborhood
    options: DiscoveryParameters

    @cached_property
    def degree(self) -> npt.NDArray[np.int64]:
        """(n,) |N(v)|."""
        return self.around.degree

    @cached_property
    def shares(self) -> tuple[npt.NDArray[np.int64], float]:
        """1/|N(c)| of every node in fixed point, and the value of one unit."""
        return ranking.allocation_shares(self.around.indptr)

    @cached_property
    def size(self) -> npt.NDArray[np.int64]:
        """(n,) what the measure divides by: degrees, or sums of shares in fixed point."""
        if self.options.measure != "resource_allocation":
            return self.degree
        sums: npt.NDArray[np.int64] = frame.sums_of_shares(
            self.around.indptr, self.around.indices, self.shares[0]
        )
        return sums

    @cached_property
    def population(self) -> int:
        """Nodes that a neighbour of a pair may be drawn from: all that have one, less the pair."""
        return max(int(np.count_nonzero(self.degree)) - 2, 0)

    @cached_property
    def log_factorials(self) -> Floats:
        """ln(0!) … ln(population!)."""
        return ranking.log_factorials(self.population)

    def surprise(self, source: Ints, target: Ints, shared: Ints) -> Floats:
        """−log₁₀ P(X ≥ shared) of pairs, X hypergeometric in :attr:`population` nodes.

        Of two nodes that are joined, neither counts as the other's neighbour: no pair could share
        it, and it is not among the population.
        """
        joined = are_joined(self.around.indptr, self.around.indices, source, target)
        return ranking.surprise(
            shared, self.degree[source] - joined, self.degree[target] - joined, self.population,
            self.log_factorials,
        )  # fmt: skip

    def rank(
        self, source: Ints, target: Ints, shared: Ints, value: Floats, allocation: Floats
    ) -> Floats:
        """What pairs are ranked by."""
        if self.options.rank_by == "resource_allocation":
            return allocation
        if self.options.rank_by == "overlap_allocation":
            smaller = np.minimum(self.degree[source], self.degree[target])
            return ranking.overlap_allocations(allocation, shared, smaller, self.shares[1])
        if self.options.rank_by == "confidence":
            return value
        return self.surprise(source, target, shared)

    def pairs(self, source: Ints, target: Ints) -> tuple[npt.NDArray[np.int32], Floats, Floats]:
        """Shared neighbours, value of the measure, and rank of given pairs."""
        share, unit = self.shares
        shared, amount = pair_overlap(
            self.around.indptr, self.around.indices, source, target, share
        )
        value = measures.values(
            MEASURES[self.options.measure], shared, amount, self.size[source], self.size[target],
            self.options.shrinkage, unit,
        )  # fmt: skip
        allocation = ranking.allocations(amount, unit)
        return shared, value, self.rank(source, target, shared, value, allocation)

    def kernel_options(self) -> dict[str, Any]:
        """Those options of the kernels that every one of them takes."""
        return {
            "measure": MEASURES[self.options.measure],
            "min_shared": self.options.min_shared_neighbors,
            "threshold": self.options.confidence_threshold,
            "shrinkage": self.options.shrinkage,
        }
