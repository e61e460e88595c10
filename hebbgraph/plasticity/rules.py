"""Rules of strengthening: what moves the weights when evidence has come in.

A rule is any callable that takes :class:`Evidence` and returns the new weights.  It is handed to a
pass by name or as it is, ``plastify(graph, rule=my_rule)``; several are applied one after the
other.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hebbgraph.episodes import Episodes
from hebbgraph.errors import ParameterError
from hebbgraph.graph import Graph


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """What a rule learns from.

    Attributes
    ----------
    graph : the graph before the rule; ``graph.co_occurrence_count`` is f_seen
    count : (n_edges,) int32, f: co-occurrence now
    episodes : new ones and those inside the temporal window, or None
    learning_rate : η
    min_weight, max_weight : bounds that learning keeps to
    since, now : the temporal window, UTC microseconds
    """

    graph: Graph
    count: npt.NDArray[np.int32]
    episodes: Episodes | None
    learning_rate: float
    min_weight: float
    max_weight: float
    since: int
    now: int


Rule = Callable[[Evidence], npt.NDArray[np.float32]]
"""New weights, (n_edges,) float32; the graph that came in stays as it is."""
RuleChoice = str | Rule
RULES = {"hebbian": "hebbian"}
"""Rules by name, and the module that holds each as ``rule``."""


def chosen(rule: RuleChoice | Sequence[RuleChoice]) -> tuple[Rule, ...]:
    """Rules as callables.

    Raises
    ------
    ParameterError
        a name is none of :data:`RULES`, or there is no rule
    """
    several = (rule,) if isinstance(rule, str) or callable(rule) else tuple(rule)
    if not several:
        raise ParameterError("rule: expected at least one rule, got none")
    return tuple(_found(one) for one in several)


def _found(rule: RuleChoice) -> Rule:
    if not isinstance(rule, str):
        if callable(rule):
            return rule
        raise ParameterError(f"rule: expected a name or a callable, got {rule!r}")
    if rule not in RULES:
        raise ParameterError(f"rule: expected one of {', '.join(RULES)}, got {rule!r}")
    home = importlib.import_module(f"hebbgraph.plasticity.{RULES[rule]}")
    found: Rule = home.rule
    return found


def named(rule: RuleChoice | Sequence[RuleChoice]) -> str:
    """What a report and a snapshot call the rules."""
    several = (rule,) if isinstance(rule, str) or callable(rule) else tuple(rule)
    return "+".join(
        one if isinstance(one, str) else getattr(one, "__name__", type(one).__name__)
        for one in several
    )


def apply(rules: Sequence[Rule], evidence: Evidence) -> npt.NDArray[np.float32]:
    """Weights after the rules, one after the other.

    Raises
    ------
    ParameterError
        a rule returned something else than a finite float32 for each edge
    """
    weight = evidence.graph.weight
    for rule in rules:
        weight = np.asarray(rule(evidence))
        if weight.dtype != np.float32 or weight.shape != (evidence.graph.n_edges,):
            raise ParameterError(
                f"rule {named(rule)}: expected float32 weights of {evidence.graph.n_edges:,} "
                f"edges, got {weight.dtype} of shape {weight.shape}"
            )
        if not np.isfinite(weight).all():
            raise ParameterError(f"rule {named(rule)}: a weight is not finite")
        evidence = dataclasses.replace(
            evidence, graph=dataclasses.replace(evidence.graph, weight=weight)
        )
    return weight
