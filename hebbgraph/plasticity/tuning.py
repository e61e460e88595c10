"""Choose how discovery ranks and what it believes, by edges that were held out."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hebbgraph_kernels import threads_for

from hebbgraph import check
from hebbgraph.errors import InputError
from hebbgraph.graph import Graph
from hebbgraph.plasticity.discovery import TIER_NAMES, TIERS, Discovery, allowed, find
from hebbgraph.plasticity.holdout import Bools, Holdout, hold_out
from hebbgraph.plasticity.neighborhood import observed_neighborhood
from hebbgraph.plasticity.parameters import DiscoveryParameters, Measure, RankBy

RANKINGS: tuple[RankBy, ...] = (
    "overlap_allocation",
    "resource_allocation",
    "confidence",
    "surprise",
)
THRESHOLDS = (0.0, 0.3, 0.6, 0.8)
SHRINKAGES = (0.0, 3.0, 50.0, 400.0)
TUNED = ("rank_by", "confidence_threshold", "shrinkage")
"""The options that tuning chooses."""

SHARE = 0.1
LEVEL = 0.05
LEAST_PAIRS = 30
HEAD = 10
"""The head of a list is its first tenth; an edge found there counts for so many."""

VALIDATION, CONFIRMATION, REPORT = range(3)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What discovery with some options found of the edges of one part.

    Attributes
    ----------
    proposed : pairs looked at: the best of them, at most as many as were held out
    found : how many of those had been held out
    held_out : edges of the part
    precision, recall : found / proposed, found / held_out; 0.0 where there is nothing to divide by
    """

    proposed: int
    found: int
    held_out: int
    precision: float
    recall: float


@dataclass(frozen=True, kw_only=True)
class Tier:
    """How often discovery is right at a confidence.

    Attributes
    ----------
    relation : what it calls such pairs
    confidence : least of the tier
    proposed, found : pairs of the third part's proposals in the tier, and held-out edges of them
    precision : found / proposed; None where nothing was proposed.  A lower bound: a pair that
        was not held out may still belong
    """

    relation: str
    confidence: float
    proposed: int
    found: int
    precision: float | None


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One setting on the validation part."""

    rank_by: str
    confidence_threshold: float
    shrinkage: float
    found: int


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """What tuning chose, and how it did on edges that had no say in the choice.

    Attributes
    ----------
    options : the chosen ``rank_by``, ``confidence_threshold`` and ``shrinkage``
    changed : whether they differ from the defaults
    default, chosen : on the third part
    tiers : of the chosen options, on the third part
    trials : every setting that was tried, best first
    """

    options: dict[str, Any]
    changed: bool
    default: Measured
    chosen: Measured
    tiers: tuple[Tier, ...]
    trials: tuple[Trial, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return dataclasses.asdict(self)


def tune(
    graph: Graph,
    *,
    min_shared_neighbors: int = 2,
    max_new_edges_per_node: int | None = 3,
    node_types: Sequence[str] | None = None,
    measure: Measure = "overlap",
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Tuning:
    """Choose ranking, threshold and shrinkage for a graph.

    Three tenths of the observed pairs are held out.  On the first, every setting proposes links
    from the rest of the graph, and the one that finds most of it among its K best (K: edges of
    the tenth), the first K/10 counting tenfold, is the candidate; one that finds fewer among the
    first K/10 than the defaults do is none.  It replaces the defaults only if it is better beyond
    chance on the first tenth, allowing for the number of settings tried, and again on the second
    (exact McNemar tests at 5 %).  The third tells how good the choice is.

    Parameters
    ----------
    min_shared_neighbors, max_new_edges_per_node, node_types, measure
        as in :func:`hebbgraph.discover`; they stay as they are
    seed : of the random split
    progress : called with what is being tried

    Raises
    ------
    ParameterError
        an option is outside its range
    InputError
        there are too few edges to hold any out

    Examples
    --------
    >>> import numpy as np, hebbgraph
    >>> rng = np.random.default_rng(0)
    >>> groups = rng.integers(0, 40, 2000)
    >>> a, b = (groups * 10 + rng.integers(0, 10, 2000) for _ in range(2))
    >>> tuning = hebbgraph.tune(hebbgraph.Graph.from_edges(a, b, directed=False))
    >>> tuning.chosen.found >= tuning.default.found
    True
    """
    base = DiscoveryParameters(
        min_shared_neighbors=min_shared_neighbors,
        max_new_edges_per_node=max_new_edges_per_node,
        node_types=node_types,  # type: ignore[arg-type]
        measure=measure,
    )
    rng = np.random.default_rng(check.integer("seed", seed, 0))
    with threads_for(graph.n_edges):
        around = observed_neighborhood(graph)
        held = hold_out(around, allowed(graph, base.node_types), (SHARE,) * 3, rng)
        if min(part.size for part in held.parts) < LEAST_PAIRS:
            raise InputError(
                f"tune: expected at least {round(LEAST_PAIRS / SHARE)} observed pairs of nodes "
                f"that may be linked, to hold out {LEAST_PAIRS} at a time; got "
                f"{round(held.parts[0].size / SHARE)}"
            )
        return _tune(graph, held, base, progress or (lambda _: None))


def _tune(
    graph: Graph, held: Holdout, base: DiscoveryParameters, progress: Callable[[str], None]
) -> Tuning:
    settings = list(dict.fromkeys([base, *_settings(base)]))
    lists = {}
    for number, options in enumerate(settings, 1):
        progress(f"setting {number} of {len(settings)}")
        lists[options] = find(graph, held.training, options)
    validated = {options: _outcome(held, lists[options], VALIDATION) for options in settings}
    confirmed = {options: _outcome(held, lists[options], CONFIRMATION) for options in settings}
    # What stands at the head of the list is what is looked at: no setting that does worse there.
    able = [
        options
        for options in settings
        if validated[options].head >= validated[base].head
        and confirmed[options].head >= confirmed[base].head
    ]
    # Of equals the first stands: the defaults, then the milder setting.
    best = max(able, key=lambda options: validated[options].found + HEAD * validated[options].head)
    if best != base and not (
        _chance(validated[base], validated[best]) < LEVEL / (len(settings) - 1)
        and _chance(confirmed[base], confirmed[best]) < LEVEL
    ):
        best = base
    ranked = sorted(settings, key=lambda options: -validated[options].found)
    return Tuning(
        options={name: getattr(best, name) for name in TUNED},
        changed=best != base,
        default=_measured(held, lists[base], REPORT),
        chosen=_measured(held, lists[best], REPORT),
        tiers=_tiers(held, lists[best], REPORT),
        trials=tuple(
            Trial(
                **{name: getattr(options, name) for name in TUNED},
                found=validated[options].found,
            )
            for options in ranked
        ),
    )


def _settings(base: DiscoveryParameters) -> list[DiscoveryParameters]:
    # A shrunk confidence is below most thresholds: large shrinkages stand with the lowest alone.
    return [
        dataclasses.replace(
            base, rank_by=rank_by, confidence_threshold=threshold, shrinkage=shrinkage
        )
        for shrinkage, threshold, rank_by in itertools.product(SHRINKAGES, THRESHOLDS, RANKINGS)
        if shrinkage < 10 or (threshold == 0 and rank_by == "confidence")
        if shrinkage == 0 or threshold > 0 or rank_by == "confidence"
    ]  # fmt: skip


@dataclass(frozen=True)
class _Outcome:
    """What the best of a list found of a part.

    Attributes
    ----------
    edges : (part,) bool, which edges of the part
    head : how many of them in the first tenth of the list
    """

    edges: Bools
    head: int

    @property
    def found(self) -> int:
        return int(np.count_nonzero(self.edges))


def _outcome(held: Holdout, found: Discovery, part: int) -> _Outcome:
    best = _best(held, found, part)
    first = best.take(np.arange(min(len(best), held.parts[part].size // HEAD)))
    return _Outcome(
        edges=held.found(best.source, best.target, part),
        head=int(np.count_nonzero(held.hits(first.source, first.target, part))),
    )


def _best(held: Holdout, found: Discovery, part: int) -> Discovery:
    """The best of what was found, as many as the part has edges."""
    fair = found.take(held.fair(found.source, found.target, part))
    order = np.lexsort((fair.target, fair.source, -fair.shared, -fair.confidence, -fair.rank))
    return fair.take(order[: held.parts[part].size])


def _chance(before: _Outcome, after: _Outcome) -> float:
    """Exact one-sided McNemar test: chance of such a gain if neither setting were better."""
    from scipy.stats import binomtest

    won = int(np.count_nonzero(after.edges & ~before.edges))
    lost = int(np.count_nonzero(before.edges & ~after.edges))
    if won + lost == 0:
        return 1.0
    return float(binomtest(won, won + lost, alternative="greater").pvalue)


def _measured(held: Holdout, found: Discovery, part: int) -> Measured:
    best = _best(held, found, part)
    right = int(np.count_nonzero(held.hits(best.source, best.target, part)))
    size = held.parts[part].size
    return Measured(
        proposed=len(best),
        found=right,
        held_out=size,
        precision=right / len(best) if len(best) else 0.0,
        recall=right / size,
    )


def _tiers(held: Holdout, found: Discovery, part: int) -> tuple[Tier, ...]:
    fair = found.take(held.fair(found.source, found.target, part))
    hits = held.hits(fair.source, fair.target, part)
    out = []
    for code, (least, _) in enumerate(TIERS):
        inside = fair.tier == code
        proposed, right = int(inside.sum()), int((inside & hits).sum())
        out.append(
            Tier(
                relation=TIER_NAMES[code], confidence=least, proposed=proposed, found=right,
                precision=right / proposed if proposed else None,
            )
        )  # fmt: skip
    return tuple(out)
