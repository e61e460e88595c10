"""Rules of strengthening: what moves the weights when evidence has come in.

A rule is any callable that takes :class:`Evidence` and returns the new weights, one float32 for
each edge, :data:`PRUNED` where the edge is to go.  It is handed to a pass by name or as it is,
``plastify(graph, rule=my_rule)``; several are applied one after the other, each on the weights
that the one before it left.  ``docs/rules.md`` has an example.

A rule keeps no state of its own: what it needs is in the graph, the counts and the episodes of the
window.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

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

    @cached_property
    def counted_episodes(self) -> Episodes:
        """Episodes that are evidence of co-occurrence: those of the window, then the new ones."""
        known = Episodes.none() if self.episodes is None else self.episodes
        new = np.arange(len(known)) >= known.n_learned
        wanted = known.counted & (new | (known.time >= self.since))
        learned = int(np.count_nonzero(wanted & ~new))
        return known.take(np.flatnonzero(wanted), n_learned=learned)

    @property
    def new_episodes(self) -> Episodes:
        """Those of them that no pass has learned from, in order of recording."""
        return self.counted_episodes.new


Rule = Callable[[Evidence], npt.NDArray[np.float32]]
"""New weights, (n_edges,) float32; the graph that came in stays as it is."""
RuleChoice = str | Rule
PRUNED = np.float32(np.nan)
"""In place of a weight: the edge is to be taken away."""
LASTING = 3
"""Tier of nodes whose edges to one another no rule takes away."""
RULES = {name: name for name in ("hebbian", "oja", "bcm", "stdp", "homeostatic", "structural")}
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
    """What a report and a snapshot call the rules: ``hebbian+oja(rate=0.05)``."""
    several = (rule,) if isinstance(rule, str) or callable(rule) else tuple(rule)
    return "+".join(one if isinstance(one, str) else _name(one) for one in several)


def _name(rule: Rule) -> str:
    if not dataclasses.is_dataclass(rule) or isinstance(rule, type):
        return str(getattr(rule, "__name__", type(rule).__name__))
    options = [
        f"{field.name}={_shown(getattr(rule, field.name))}" for field in dataclasses.fields(rule)
    ]
    return f"{type(rule).__name__.lower()}({', '.join(options)})"


def _shown(value: Any) -> str:
    return f"{value / timedelta(days=1):g} days" if isinstance(value, timedelta) else repr(value)


def prunable(graph: Graph) -> npt.NDArray[np.bool_]:
    """Edges that a rule may take away: (n_edges,) bool.

    Inhibitory edges are knowledge of failure; inferred ones are discovery's own to withdraw, which
    would bring them back; between two nodes of tier 3 memory lasts.
    """
    may = (graph.weight >= 0) & ~graph.is_inferred
    if graph.use is not None:
        lasting = graph.use.tier >= LASTING
        may &= ~(lasting[graph.source] & lasting[graph.indices])
    return may


def apply(rules: Sequence[Rule], evidence: Evidence) -> npt.NDArray[np.float32]:
    """Weights after the rules, one after the other; :data:`PRUNED` where an edge is to go.

    A rule sees an edge that one before it took away with the weight that it had, and cannot bring
    it back.  What is not :func:`prunable` keeps its weight.

    Raises
    ------
    ParameterError
        a rule returned something else than a float32 for each edge, or an infinite one
    """
    pruned = np.zeros(evidence.graph.n_edges, np.bool_)
    for rule in rules:
        graph = evidence.graph
        weight = np.asarray(rule(evidence))
        if weight.dtype != np.float32 or weight.shape != (graph.n_edges,):
            raise ParameterError(
                f"rule {named(rule)}: expected float32 weights of {graph.n_edges:,} edges, got "
                f"{weight.dtype} of shape {weight.shape}"
            )
        if np.isinf(weight).any():
            raise ParameterError(
                f"rule {named(rule)}: expected finite weights, or NaN for an edge to go, got "
                f"{weight[np.argmax(np.isinf(weight))]} at edge {np.argmax(np.isinf(weight)):,}"
            )
        gone = np.isnan(weight)
        if gone.any():
            weight = np.where(gone, graph.weight, weight)
            pruned |= gone & prunable(graph)
        evidence = dataclasses.replace(evidence, graph=dataclasses.replace(graph, weight=weight))
    weight = evidence.graph.weight
    return np.where(pruned, PRUNED, weight) if pruned.any() else weight
