"""What a pass did."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels.metrics import histogram

HISTOGRAM_BINS = 20


@dataclass(frozen=True)
class WeightHistogram:
    """Counts of edge weights in equal bins.

    Attributes
    ----------
    edges : bin boundaries, one more than ``before``
    before, after : edges in each bin, before and after the pass
    """

    edges: tuple[float, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    @classmethod
    def of(cls, before: npt.NDArray[np.float32], after: npt.NDArray[np.float32]) -> WeightHistogram:
        """Bins of equal width from the least weight to the greatest."""
        low = min((float(weights.min()) for weights in (before, after) if weights.size), default=0)
        high = max((float(weights.max()) for weights in (before, after) if weights.size), default=1)
        width = (high - low) / HISTOGRAM_BINS or 0.05
        counts = [histogram(weights, low, width, HISTOGRAM_BINS) for weights in (before, after)]
        return cls(
            edges=tuple(round(low + k * width, 6) for k in range(HISTOGRAM_BINS + 1)),
            before=tuple(counts[0].tolist()),
            after=tuple(counts[1].tolist()),
        )


@dataclass(frozen=True, kw_only=True)
class PlasticityReport:
    """Figures of one pass.

    Attributes
    ----------
    status : ``"completed"``
    processed_nodes : nodes in the graph
    updated_edges : distinct edges whose weight or counter changed
    new_associations_discovered : inferred edges that were not there before
    new_associations_avg_confidence : their mean confidence, 0.0 where there are none
    nodes_with_new_associations : distinct ends of theirs
    plasticity_score : mean over the nodes
    strengthened_edges, weakened_edges : observed edges whose weight rose, fell
    episodes_learned : episodes that were new to this pass
    edges_from_use : observed edges that success in them made
    pruned_edges : observed edges that a rule took away; no other figure counts them
    withdrawn_associations : inferred edges that no longer qualify
    associations : inferred edges after the pass
    associations_by_relation : those of each tier
    edges_outside_window : dated edges too old to count as evidence
    weights : histogram before and after
    seconds : wall time of each phase
    parameters : options of the pass
    changed : False where the pass found nothing to change
    snapshot : number of the snapshot it was committed as, None if it was not
    """

    status: str = "completed"
    processed_nodes: int
    updated_edges: int
    new_associations_discovered: int
    new_associations_avg_confidence: float
    nodes_with_new_associations: int
    plasticity_score: float
    strengthened_edges: int
    weakened_edges: int
    episodes_learned: int
    edges_from_use: int
    pruned_edges: int
    withdrawn_associations: int
    associations: int
    associations_by_relation: dict[str, int]
    edges_outside_window: int
    weights: WeightHistogram
    changed: bool
    parameters: dict[str, Any]
    seconds: dict[str, float] = field(default_factory=dict)
    snapshot: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, nested as the attributes are."""
        return dataclasses.asdict(self)
