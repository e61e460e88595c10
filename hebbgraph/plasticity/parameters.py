"""Options of a pass, with the source document's names and defaults."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal, get_args

from hebbgraph import check
from hebbgraph.errors import ParameterError
from hebbgraph.plasticity.rules import RuleChoice, chosen, named

RankBy = Literal["overlap_allocation", "resource_allocation", "confidence", "surprise"]
Measure = Literal["overlap", "jaccard", "dice", "cosine", "resource_allocation"]


@dataclass(frozen=True, kw_only=True)
class DiscoveryParameters:
    """Which pairs discovery proposes; see :func:`hebbgraph.discover`."""

    min_shared_neighbors: int = 2
    confidence_threshold: float = 0.6
    max_new_edges_per_node: int | None = 3
    rank_by: RankBy = "overlap_allocation"
    shrinkage: float = 0.0
    node_types: tuple[str, ...] | None = None
    measure: Measure = "overlap"
    max_false_discovery_rate: float | None = None

    def __post_init__(self) -> None:
        check.integer("min_shared_neighbors", self.min_shared_neighbors, 1, 2**31 - 1)
        check.number("confidence_threshold", self.confidence_threshold, 0, 1)
        if self.max_new_edges_per_node is not None:
            check.integer("max_new_edges_per_node", self.max_new_edges_per_node, 1, 10_000)
        check.choice("rank_by", self.rank_by, get_args(RankBy))
        check.number("shrinkage", self.shrinkage, 0)
        check.choice("measure", self.measure, get_args(Measure))
        if self.max_false_discovery_rate is not None:
            check.number("max_false_discovery_rate", self.max_false_discovery_rate, 0, 1)
        object.__setattr__(self, "node_types", _names(self.node_types))

    @classmethod
    def of_pass(cls, options: Mapping[str, Any] | None) -> DiscoveryParameters | None:
        """Those by which a pass discovered; None if it did not, or they are not all known."""
        names = {item.name for item in dataclasses.fields(cls)}
        if options is None or not options.get("discover") or not names <= options.keys():
            return None
        return cls.from_dict(options)

    @classmethod
    def stated(cls, **options: Any) -> DiscoveryParameters:
        """Those that a caller states; an unknown name is a ParameterError."""
        known = [item.name for item in dataclasses.fields(cls)]
        for name in options:
            if name not in known:
                raise ParameterError(f"{name}: expected one of the options {', '.join(known)}")
        return cls(**options)

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> DiscoveryParameters:
        """Those of the options of a pass that concern discovery."""
        return cls(**{item.name: options[item.name] for item in dataclasses.fields(cls)})


@dataclass(frozen=True, kw_only=True)
class UseParameters:
    """How use and its absence move a graph; see :func:`hebbgraph.plastify`."""

    success_rate: float = 0.1
    failure_rate: float = 0.15
    correction_rate: float = 0.5
    max_inhibition: float = 2.0
    activation_gain: float = 0.7
    time_constant: timedelta = timedelta(days=30)
    min_activations: int = 1

    def __post_init__(self) -> None:
        check.number("success_rate", self.success_rate, 0, 100)
        check.number("failure_rate", self.failure_rate, 0, 100)
        check.number("correction_rate", self.correction_rate, 0, 100)
        check.number("max_inhibition", self.max_inhibition, 0, 1e6)
        check.number("activation_gain", self.activation_gain, 0, 1)
        check.integer("min_activations", self.min_activations, 1, 2**31 - 1)
        constant = check.duration("time_constant", self.time_constant)
        object.__setattr__(self, "time_constant", constant)


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Options of a pass; see :func:`hebbgraph.plastify`."""

    rule: RuleChoice | Sequence[RuleChoice] = "hebbian"
    learning_rate: float = 0.1
    competition_rate: float = 0.05
    temporal_window: timedelta = timedelta(days=30)
    max_weight: float = 5.0
    min_weight: float = 0.1
    similarity_threshold: float = 0.7
    discover: bool = True
    decay: bool | None = None
    discovery: DiscoveryParameters = field(default_factory=DiscoveryParameters)
    use: UseParameters = field(default_factory=UseParameters)

    def __post_init__(self) -> None:
        chosen(self.rule)
        check.number("learning_rate", self.learning_rate, 0, 100)
        check.number("competition_rate", self.competition_rate, 0, 1)
        check.number("max_weight", self.max_weight, 0, 1e6, open_low=True)
        check.number("min_weight", self.min_weight, 0, self.max_weight)
        check.number("similarity_threshold", self.similarity_threshold, 0, 1, open_low=True)
        window = check.duration("temporal_window", self.temporal_window)
        object.__setattr__(self, "temporal_window", window)

    def to_dict(self) -> dict[str, Any]:
        """Flat and JSON-ready; durations in days."""
        out = dataclasses.asdict(self) | {"rule": named(self.rule)}
        out |= out.pop("discovery") | out.pop("use")
        for name in ("temporal_window", "time_constant"):
            out[name] /= timedelta(days=1)
        return out


def _names(node_types: Sequence[str] | None) -> tuple[str, ...] | None:
    if node_types is None:
        return None
    if not isinstance(node_types, Sequence):
        raise ParameterError(f"node_types: expected a list of type names, got {node_types!r}")
    names = (node_types,) if isinstance(node_types, str) else tuple(node_types)
    if not names:
        raise ParameterError("node_types: expected at least one type name, got none")
    return names
