"""What will be used next: a mix of traces, habits, neighbours and company, fitted by likelihood.

P(v | source, state) ∝ exp(Σ_j β_j·x_j(v)): a conditional logit over all candidates (McFadden 1974).
Its negative log-likelihood is convex in β, with an L2 penalty strictly so: there is one best mix.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import replay
from hebbgraph_kernels.prediction import width
from scipy.optimize import minimize

from hebbgraph import check
from hebbgraph.errors import InputError, ParameterError
from hebbgraph.plasticity.activity import FADING, Events, Use

PENALTIES: Final = (1e-4, 1e-3, 1e-2, 1e-1)
SAMPLE: Final = 64
ROOM: Final = 1_000_000
"""Rows that a fit looks at; at 40 columns 160 MB."""

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


def feature_names(time_constants: Sequence[float]) -> tuple[str, ...]:
    """Names of the columns of a mix; what stands before the dot is the group.

    ``habit`` is what the source did (edge, used at all, log1p(count), Witten-Bell share, 1/rank and
    −log(rank) by recency, log-traces), ``reply`` the same towards the source, ``recent`` the rank
    by recency in either direction, ``shared`` the neighbours shared and the learned weight,
    ``path`` the episode so far, ``cue`` what is sought, ``popular`` the node alone.
    """
    decays = [f"trace {days:.4g} d" for days in time_constants]
    one = ["edge", "used", "count", "share", "recency", "order", *decays]
    return (
        *(f"habit.{name}" for name in one),
        *(f"reply.{name}" for name in one),
        "recent.recency", "recent.order",
        "shared.allocation", "shared.common", "shared.weight",
        "path.been", "path.passed", "path.after", "path.together", "path.share later",
        "cue.is", "cue.linked", "cue.allocation", "cue.together",
        "popular.in-degree", "popular.in-degree later", "popular.received",
        *(f"popular.received {name}" for name in decays),
        "popular.given", *(f"popular.given {name}" for name in decays),
    )  # fmt: skip


@dataclass(frozen=True)
class Mix:
    """What each feature is worth.

    Attributes
    ----------
    weights : by name, see :func:`feature_names`
    time_constants : (k,) days of the traces
    edges_only : whether it chooses among the source's edges, or among all nodes
    penalty : L2, as chosen on the later third of the events
    loss : mean −log likelihood of that third, by the mix of the other two
    events : how many it was fitted on
    """

    weights: dict[str, float]
    time_constants: tuple[float, ...]
    edges_only: bool
    penalty: float
    loss: float
    events: int

    def without(self, *groups: str) -> Mix:
        """The mix with the weights of some groups or features at nought."""
        return dataclasses.replace(
            self,
            weights={name: 0.0 if _within(name, groups) else weight
                     for name, weight in self.weights.items()},
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return dataclasses.asdict(self) | {"time_constants": list(self.time_constants)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Mix:
        """The mix that :meth:`to_dict` wrote."""
        return cls(**{**values, "time_constants": tuple(values["time_constants"])})

    def column(self) -> Singles:
        """(P + Q,) float32 in the order of :func:`feature_names`."""
        names = feature_names(self.time_constants)
        return np.array([self.weights[name] for name in names], np.float32)


class Expected(NamedTuple):
    """A candidate and its chance."""

    node: int
    chance: float


class Choices(NamedTuple):
    """Events as choices: rows ``first[e]:first[e + 1]``, the one that was made in front."""

    rows: Singles
    offset: Singles
    first: Ints


def expect(
    use: Use,
    source: int,
    now: int,
    mix: Mix,
    k: int = 10,
    *,
    context: Sequence[int] = (),
    cue: Sequence[int] = (),
) -> list[Expected]:
    """What is likely to follow a node: the k best candidates, best first, ties by key.

    Parameters
    ----------
    source : node key
    now : UTC microseconds
    context : nodes of the episode so far, oldest first, ending with the source
    cue : nodes that are sought

    Raises
    ------
    InputError
        a key is out of range
    ParameterError
        the mix was fitted for other time constants
    """
    check.integer("k", k, 1)
    for key in (source, *context, *cue):
        if not 0 <= key < use.n_nodes:
            raise InputError(f"node: expected a key in [0, {use.n_nodes}), got {key}")
    weight = _columns(use, [mix])
    n = use.n_nodes
    score = np.zeros((n, 1), np.float32)
    nodes = np.empty(n, np.int64)
    near = np.zeros((n, width(len(use.time_constants))[0]), np.float32)
    size = replay.score_all(
        use.arrays, source, now, np.array(context, np.int32), np.array(cue, np.int32), FADING,
        mix.edges_only, weight, near, np.zeros(n + 1, np.int64), np.zeros(n, np.bool_), nodes,
        score,
    )  # fmt: skip
    nodes = nodes[:size]
    values = score[nodes, 0].astype(np.float64)
    chance = np.exp(values - values.max(initial=0.0))
    best = np.lexsort((nodes, -values))[:k]
    total = float(chance.sum())
    return [Expected(int(nodes[at]), float(chance[at]) / total) for at in best]


def ranks(
    use: Use,
    events: Events,
    mixes: Sequence[Mix],
    *,
    asked: npt.NDArray[np.bool_] | None = None,
    learn: bool = True,
) -> Floats:
    """Where each mix had the target of each event, before the event was learned from.

    Parameters
    ----------
    mixes : all for edges only, or none
    asked : (n,) bool, which events are ranked; all by default
    learn : whether events change the state for those after them

    Returns
    -------
    ranks : (asked events, mixes) float64: 1 + candidates above + half of those that tie; infinite
        where the target is no candidate
    """
    asked = np.ones(len(events), np.bool_) if asked is None else asked
    out = np.empty((int(asked.sum()), len(mixes)), np.float64)
    replay.ranks(
        use.ready_for(events).arrays, *_arguments(events), FADING, asked, learn,
        mixes[0].edges_only, _columns(use, mixes), out,
    )  # fmt: skip
    return out


def fit_mix(
    use: Use,
    events: Events,
    *,
    learn: bool = True,
    edges_only: bool = False,
    without: Sequence[str] = (),
    max_events: int = 8_000,
    seed: int = 0,
) -> Mix:
    """The mix under which what happened was most likely.

    Each event is asked, then learned from, as it will be when the mix is used.  The L2 penalty is
    the one whose fit to the first two thirds of the events makes the last third likeliest; the mix
    is then fitted to all.

    Parameters
    ----------
    use : the state before the events; it is not changed
    events : those to fit on, which nothing else may have been chosen by
    learn : False asks all events of the state before them, for a mix that will be used on a state
        that stands still
    edges_only : choose among the source's edges
    without : groups or features to leave out
    max_events : how many are asked, evenly spread; all are learned from.  Half as many, a quarter …
        where the candidates of all would not fit into a million rows
    seed : of the sample of candidates that nothing joins to the source

    Raises
    ------
    InputError
        fewer than three events have a target that is a candidate
    """
    check.integer("max_events", max_events, 3)
    choices = sampled_choices(
        use, events, learn=learn, edges_only=edges_only, max_events=max_events, seed=seed
    )
    return fit_choices(choices, use.time_constants, edges_only=edges_only, without=without)


def sampled_choices(
    use: Use,
    events: Events,
    *,
    learn: bool = True,
    edges_only: bool = False,
    max_events: int = 8_000,
    seed: int = 0,
) -> Choices:
    """What each event was chosen from; see :func:`fit_mix`."""
    asked = np.zeros(len(events), np.bool_)
    count = min(max_events, len(events))
    asked[np.linspace(0, len(events) - 1, count).astype(np.int64) if count else []] = True
    drawn = np.random.default_rng(seed).random((count, SAMPLE))
    rows = np.empty((ROOM, sum(width(len(use.time_constants)))), np.float32)
    offset = np.empty(ROOM, np.float32)
    first = np.zeros(count + 1, np.int64)
    kept = replay.choices(
        use.ready_for(events).arrays, *_arguments(events), FADING, asked, learn, edges_only, drawn,
        rows, offset, first,
    )  # fmt: skip
    end = first[kept]
    if end + use.n_nodes + SAMPLE >= ROOM and count > 3:
        return sampled_choices(
            use, events, learn=learn, edges_only=edges_only, max_events=count // 2, seed=seed
        )
    return Choices(rows[:end].copy(), offset[:end].copy(), first[: kept + 1])


def fit_choices(
    choices: Choices,
    time_constants: Sequence[float],
    *,
    edges_only: bool = False,
    without: Sequence[str] = (),
    penalties: Sequence[float] = PENALTIES,
) -> Mix:
    """The mix of :func:`fit_mix` from choices that are there already."""
    n = choices.first.size - 1
    if n < 3:
        raise InputError(f"events: expected at least 3 that can be learned from, got {n}")
    names = feature_names(time_constants)
    kept = np.array([not _within(name, without) for name in names])
    third = n - max(n // 3, 1)
    end = choices.first[third]
    early = Choices(choices.rows[:end][:, kept], choices.offset[:end], choices.first[: third + 1])
    late = Choices(
        choices.rows[end:][:, kept], choices.offset[end:], choices.first[third:] - end
    )  # fmt: skip
    losses = [loss(late, maximum_likelihood(early, penalty)) for penalty in penalties]
    best = int(np.argmin(losses))
    weights = np.zeros(len(names))
    whole = choices._replace(rows=choices.rows[:, kept])
    weights[kept] = maximum_likelihood(whole, penalties[best])
    return Mix(
        {name: float(weight) for name, weight in zip(names, weights, strict=True)},
        tuple(time_constants), edges_only, penalties[best], float(losses[best]), n,
    )  # fmt: skip


def loss(choices: Choices, weights: npt.ArrayLike) -> float:
    """Mean −log likelihood of choices."""
    return _Likelihood(choices, 0.0).value(np.asarray(weights, np.float64))


def maximum_likelihood(choices: Choices, penalty: float) -> Floats:
    """The weights of least mean −log likelihood + penalty/2·|scale·β|²: (columns,) float64.

    Columns are scaled to a root mean square of 1 for the penalty.  Newton's method in a trust
    region: gradient Σ_e (E_p[x] − x_chosen), Hessian Σ_e Cov_p[x], both exact.
    """
    # In 64 bits: the squares of a million rows would be summed with an error of their own.
    scale = np.sqrt(np.square(choices.rows, dtype=np.float64).mean(axis=0))
    scale[scale == 0] = 1
    scaled = choices._replace(rows=(choices.rows / scale).astype(np.float32))
    likelihood = _Likelihood(scaled, penalty)
    found = minimize(
        likelihood.value, np.zeros(scale.size), jac=likelihood.gradient, hess=likelihood.hessian,
        method="trust-exact", options={"gtol": 1e-5, "maxiter": 100},
    )  # fmt: skip
    weights: Floats = found.x / scale
    return weights


class _Likelihood:
    """Mean −log likelihood with its penalty, and its derivatives, at one place at a time."""

    def __init__(self, choices: Choices, penalty: float) -> None:
        self.rows, self.offset, first = choices
        self.start = first[:-1]
        self.event = np.repeat(np.arange(self.start.size), np.diff(first))
        self.chosen = self.rows[self.start].sum(axis=0, dtype=np.float64)
        self.penalty = penalty
        self.place: Floats | None = None

    def _at(self, weights: Floats) -> None:
        if self.place is not None and np.array_equal(self.place, weights):
            return
        self.place = weights.copy()
        score = (self.rows @ weights.astype(np.float32)).astype(np.float64) + self.offset
        top = np.maximum.reduceat(score, self.start)
        exp = np.exp(score - top[self.event])
        total = np.add.reduceat(exp, self.start)
        self.nll = float((np.log(total) + top - score[self.start]).mean())
        self.chance = (exp / total[self.event]).astype(np.float32)

    def value(self, weights: Floats) -> float:
        self._at(weights)
        return self.nll + self.penalty * float(weights @ weights) / 2

    def gradient(self, weights: Floats) -> Floats:
        self._at(weights)
        expected = (self.chance @ self.rows).astype(np.float64)
        out: Floats = (expected - self.chosen) / self.start.size + self.penalty * weights
        return out

    def hessian(self, weights: Floats) -> Floats:
        self._at(weights)
        weighted = self.rows * self.chance[:, None]
        mean = np.add.reduceat(weighted, self.start, axis=0)
        second = (self.rows.T @ weighted - mean.T @ mean).astype(np.float64) / self.start.size
        out: Floats = second + self.penalty * np.eye(weights.size)
        return out


def _within(name: str, groups: Sequence[str]) -> bool:
    return name in groups or name.split(".")[0] in groups


def _columns(use: Use, mixes: Sequence[Mix]) -> Singles:
    for mix in mixes:
        if mix.time_constants != use.time_constants:
            raise ParameterError(
                f"mix: expected time constants {use.time_constants}, got {mix.time_constants}; "
                "fit it anew"
            )
    return np.ascontiguousarray(np.stack([mix.column() for mix in mixes], axis=1))


def _arguments(events: Events) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
    return (
        events.source, events.target, events.time,
        events.context_indptr, events.context, events.cue_indptr, events.cue,
    )  # fmt: skip
