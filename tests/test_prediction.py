"""What is expected next: features against plain loops, the fit against calculus and known mixes."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbgraph.errors import InputError, ParameterError
from hebbgraph.plasticity import prediction
from hebbgraph.plasticity.activity import FADING, TIME_CONSTANTS, Events, Use, follow, unused
from hebbgraph.plasticity.prediction import (
    Choices,
    Expected,
    Mix,
    expect,
    feature_names,
    fit_choices,
    fit_mix,
    maximum_likelihood,
    ranks,
    sampled_choices,
)

pytestmark = pytest.mark.usefixtures("one_thread")

N = 7
HOUR = 3_600_000_000
NAMES = feature_names(TIME_CONSTANTS)
BLUR = 100
some = settings(max_examples=40, deadline=None)

walks = st.lists(st.lists(st.integers(0, N - 1), min_size=2, max_size=6), max_size=5)
edge_lists = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=10)


def state(edges: list[tuple[int, int]]) -> Use:
    return unused(N, ([u for u, _ in edges], [v for _, v in edges]))


def walked(episodes: list[list[int]], cues: list[list[int]] | None = None) -> Events:
    times = [k * 5 * HOUR for k in range(len(episodes))]
    return follow(episodes, times, cues=cues)


def mix_of(edges_only: bool = False, **weights: float) -> Mix:
    named = {name.replace("__", ".").replace("_", " "): value for name, value in weights.items()}
    return Mix(dict.fromkeys(NAMES, 0.0) | named, TIME_CONSTANTS, edges_only, 0.1, 0.0, 1)


class Plain:
    """Edges and a list of past events, and every feature by a loop over them."""

    def __init__(self, edges: list[tuple[int, int]]) -> None:
        self.edges = {(u, v) for u, v in edges if u != v}
        self.past: list[tuple[int, int, int, list[int]]] = []

    def live(self, u: int, v: int) -> bool:
        return (u, v) in self.edges or any(event[:2] == (u, v) for event in self.past)

    def near(self, u: int) -> set[int]:
        return {v for v in range(N) if v != u and (self.live(u, v) or self.live(v, u))}

    def times(self, **ends: int) -> list[int]:
        return [
            time
            for source, target, time, _ in self.past
            if ends.get("source", source) == source and ends.get("target", target) == target
        ]

    def traces(self, times: list[int], now: int) -> list[float]:
        return [
            math.log1p(BLUR * sum(math.exp((time - now) / (tau * 24 * HOUR)) for time in times))
            for tau in TIME_CONSTANTS
        ]

    def direction(self, source: int, node: int, now: int, forth: bool) -> list[float]:
        def between(other: int) -> list[int]:
            return self.times(source=source, target=other) if forth else self.times(
                source=other, target=source)  # fmt: skip

        def popularity(other: int) -> int:
            return 1 + len(self.times(target=other) if forth else self.times(source=other))

        def linked(other: int) -> bool:
            return self.live(source, other) if forth else self.live(other, source)

        if not linked(node):
            return [0.0] * (6 + len(TIME_CONSTANTS))
        others = [other for other in range(N) if linked(other)]
        events = sum(len(between(other)) for other in others)
        kinds = 1 + sum(bool(between(other)) for other in others)
        prior = kinds * popularity(node) / sum(popularity(other) for other in others)
        mine = between(node)
        share = math.log1p(BLUR * (len(mine) + prior) / (events + kinds))
        if not mine:
            return [1.0, 0.0, 0.0, share] + [0.0] * (2 + len(TIME_CONSTANTS))
        place = 1 + sum(max(between(other), default=-1) > max(mine) for other in others)
        first = [1.0, 1.0, math.log1p(len(mine)), share, 1 / place, -math.log(place)]
        return first + self.traces(mine, now)

    def allocation(self, source: int, node: int) -> float:
        return sum(1 / len(self.near(c)) for c in self.near(source) if node in self.near(c))

    def followers(self, earlier: int) -> dict[int, float]:
        out: dict[int, float] = {}
        for _, target, _, context in self.past:
            if earlier in context and earlier != target:
                steps = len(context) - 1 - context.index(earlier)
                out[target] = out.get(target, 0) + FADING**steps
        return out

    def company(self, node: int) -> dict[int, int]:
        out: dict[int, int] = {}
        for _, target, _, context in self.past:
            for earlier in context:
                if earlier != target and node in (earlier, target):
                    other = target if node == earlier else earlier
                    out[other] = out.get(other, 0) + 1
        return out

    def cosine(self, one: int, other: int) -> float:
        mine, theirs = self.company(one), self.company(other)
        return mine.get(other, 0) / math.sqrt((sum(mine.values()) + 1) * (sum(theirs.values()) + 1))

    def features(
        self, source: int, node: int, now: int, context: list[int], cue: list[int]
    ) -> list[float]:
        habit = self.direction(source, node, now, True)
        reply = self.direction(source, node, now, False)

        def last(other: int) -> int:
            both = self.times(source=source, target=other) + self.times(source=other, target=source)
            return max(both, default=-1)

        place = 1 + sum(last(other) > last(node) for other in range(N))
        recent = [1 / place, -math.log(place)] if last(node) >= 0 else [0.0, 0.0]
        common = len(self.near(source) & self.near(node))
        both = len(self.times(source=source, target=node)) + len(
            self.times(source=node, target=source))  # fmt: skip
        weight = math.log1p(common + both) if node in self.near(source) else 0.0
        shared = [math.sqrt(self.allocation(source, node)), math.log1p(common), weight]
        after, together = 0.0, 0.0
        for steps, earlier in enumerate(reversed(context)):
            came = self.followers(earlier)
            after += FADING**steps * came.get(node, 0) / (sum(came.values()) + 1)
            together += self.cosine(earlier, node) if node in self.company(earlier) else 0
        passed = sum(self.live(earlier, node) for earlier in context if earlier != source)
        path = [float(node in context), math.log1p(passed), math.log1p(BLUR * after),
                math.log1p(BLUR * together), habit[3] * math.log1p(len(context))]  # fmt: skip
        sought = [float(node in cue), float(sum(self.live(node, goal) for goal in cue)),
                  math.sqrt(sum(self.allocation(goal, node) for goal in cue)),
                  math.log1p(BLUR * sum(self.cosine(goal, node) for goal in cue
                                        if node in self.company(goal)))]  # fmt: skip
        degree = math.log1p(sum(self.live(other, node) for other in range(N)))
        received, given = self.times(target=node), self.times(source=node)
        alone = [degree, degree * math.log1p(len(context)), math.log1p(len(received)),
                 *self.traces(received, now), math.log1p(len(given)),
                 *self.traces(given, now)]  # fmt: skip
        return habit + reply + recent + shared + path + (sought if cue else [0.0] * 4) + alone


def contexts(events: Events) -> list[tuple[int, int, int, list[int], list[int]]]:
    return [
        (int(events.source[k]), int(events.target[k]), int(events.time[k]),
         events.context[events.context_indptr[k] : events.context_indptr[k + 1]].tolist(),
         events.cue[events.cue_indptr[k] : events.cue_indptr[k + 1]].tolist())
        for k in range(len(events))
    ]  # fmt: skip


@some
@given(edge_lists, walks, st.lists(st.integers(0, N - 1), max_size=2, unique=True))
def test_features(edges: list[tuple[int, int]], episodes: list[list[int]], cue: list[int]) -> None:
    events = walked(episodes, [cue] * len(episodes))
    got = sampled_choices(state(edges), events)
    plain = Plain(edges)
    expected = []
    for source, target, time, context, sought in contexts(events):
        if plain.near(target):
            expected.append(plain.features(source, target, time, context, sought))
        plain.past.append((source, target, time, context))
    rows = got.rows[got.first[:-1]]
    assert rows.shape == (len(expected), len(NAMES))
    for row, plainly in zip(rows, expected, strict=True):
        for name, one, other in zip(NAMES, row, plainly, strict=True):
            assert one == pytest.approx(other, rel=1e-4, abs=1e-4), name


def test_a_state_that_stands_still_answers_each_event_alone() -> None:
    use = state([(0, 1), (2, 1), (1, 3)]).after(walked([[0, 1, 3]]))
    events = walked([[0, 1, 2], [0, 1, 3], [2, 1, 0]])
    still = sampled_choices(use, events, learn=False)
    for k in range(len(events)):
        alone = sampled_choices(use, events.part(k, k + 1))
        np.testing.assert_array_equal(still.rows[still.first[k]], alone.rows[0])
    moved = sampled_choices(use, events)
    assert not np.array_equal(still.rows[still.first[2]], moved.rows[moved.first[2]])


def same(one: Use, other: Use) -> None:
    for name, left, right in zip(one.arrays._fields, one.arrays, other.arrays, strict=True):
        np.testing.assert_array_equal(left, right, err_msg=name)


@some
@given(edge_lists, walks, st.integers(0, 12))
def test_batches_do_not_matter(
    edges: list[tuple[int, int]], episodes: list[list[int]], cut: int
) -> None:
    events = walked(episodes)
    cut = min(cut, len(events))
    before = state(edges)
    once = before.after(events)
    same(before.after(events.part(0, cut)).after(events.part(cut, len(events))), once)
    same(before, state(edges))


WEIGHTS = dict(zip(NAMES, np.random.default_rng(3).normal(size=len(NAMES)).tolist(), strict=True))


@some
@given(edge_lists, walks, st.booleans(), st.booleans())
def test_ranks_are_places_in_what_was_expected(
    edges: list[tuple[int, int]], episodes: list[list[int]], edges_only: bool, learn: bool
) -> None:
    mix = dataclasses.replace(mix_of(edges_only), weights=WEIGHTS)
    events = walked(episodes)
    got = ranks(state(edges), events, [mix, mix_of(edges_only)], learn=learn)
    use = state(edges)
    for k, (source, target, time, context, _) in enumerate(contexts(events)):
        for column, one in enumerate((mix, mix_of(edges_only))):
            order = expect(use, source, time, one, N, context=context)
            chance = {item.node: item.chance for item in order}
            if target in chance:
                above = sum(value > chance[target] for value in chance.values())
                equal = sum(value == chance[target] for value in chance.values()) - 1
                assert got[k, column] == pytest.approx(1 + above + equal / 2, abs=0.51)
                assert sum(chance.values()) == pytest.approx(1)
            else:
                assert got[k, column] == math.inf
        if learn:
            use = use.after(events.part(k, k + 1))


def test_room_for_what_is_to_come_is_not_seen() -> None:
    use = state([(0, 1), (1, 2)]).after(walked([[0, 1, 2, 3], [0, 2], [0, 3]]))
    later = use.ready_for(walked([[0, 6, 5], [3, 4, 6]]))
    mix = dataclasses.replace(mix_of(), weights=WEIGHTS)
    assert expect(later, 0, 5 * HOUR, mix, N) == expect(use, 0, 5 * HOUR, mix, N)
    assert {item.node for item in expect(use, 0, 5 * HOUR, mix, N)} == {1, 2, 3}


def test_only_edges() -> None:
    use = state([(0, 1), (0, 2), (3, 0)]).after(walked([[0, 4]]))
    nodes = {item.node for item in expect(use, 0, 0, mix_of(True), N)}
    assert nodes == {1, 2, 4}


def test_ties_go_to_the_smaller_key() -> None:
    use = state([(0, 4), (0, 2), (0, 3)])
    assert expect(use, 0, 0, mix_of(), 2) == [Expected(2, 1 / 3), Expected(3, 1 / 3)]


def test_nothing_known_is_nothing_expected() -> None:
    assert expect(unused(3), 0, 0, mix_of()) == []


# --- the fit ---


def made_choices(
    weights: np.ndarray[Any, Any], count: int, options: int = 5, seed: int = 1
) -> Choices:
    """Choices among random options by known weights, the chosen in front."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(count, options, weights.size))
    score = rows @ weights + rng.gumbel(size=(count, options))
    for event, best in enumerate(score.argmax(axis=1)):
        rows[event, [0, best]] = rows[event, [best, 0]]
    flat = rows.reshape(-1, weights.size).astype(np.float32)
    return Choices(flat, np.zeros(len(flat), np.float32), np.arange(count + 1) * options)


def test_known_weights_are_found() -> None:
    truth = np.array([1.5, -0.7, 0.0, 0.3])
    found = maximum_likelihood(made_choices(truth, 6_000), 1e-6)
    np.testing.assert_allclose(found, truth, atol=0.08)
    fewer = maximum_likelihood(made_choices(truth, 300), 1e-6)
    assert np.abs(found - truth).sum() < np.abs(fewer - truth).sum()


def test_offsets_are_part_of_the_score() -> None:
    choices = made_choices(np.array([1.0, 1.0]), 3_000)
    moved = Choices(choices.rows[:, :1], choices.rows[:, 1].copy(), choices.first)
    np.testing.assert_allclose(maximum_likelihood(moved, 1e-6), [1.0], atol=0.08)


@pytest.mark.parametrize("penalty", [0.0, 0.1])
def test_gradient_and_hessian(penalty: float) -> None:
    choices = made_choices(np.array([1.0, -1.0, 0.5]), 40)
    likelihood = prediction._Likelihood(choices, penalty)
    at = np.array([0.3, 0.1, -0.2])
    step = 1e-3
    slope, curve = [], []
    for k in range(at.size):
        move = np.eye(at.size)[k] * step
        slope.append((likelihood.value(at + move) - likelihood.value(at - move)) / (2 * step))
        curve.append((likelihood.gradient(at + move) - likelihood.gradient(at - move)) / (2 * step))
    np.testing.assert_allclose(likelihood.gradient(at), slope, atol=1e-4)
    hessian = likelihood.hessian(at)
    np.testing.assert_allclose(hessian, curve, atol=1e-3)
    assert (np.linalg.eigvalsh(hessian) > 0).all()


def test_a_stronger_penalty_means_smaller_weights() -> None:
    choices = made_choices(np.array([2.0, -1.0]), 200)
    sizes = [np.abs(maximum_likelihood(choices, penalty)).sum() for penalty in (1e-4, 0.1, 10.0)]
    assert sizes[0] > sizes[1] > sizes[2] > 0


def rhythm(count: int = 240, nodes: int = 12) -> Events:
    """Everyone goes back and forth between two habits, which change half-way."""
    rng = np.random.default_rng(0)
    source = rng.integers(nodes, size=count)
    turn = np.zeros(nodes, np.int64)
    target = np.empty(count, np.int64)
    for k, node in enumerate(source):
        first = 1 if k < count // 2 else 4
        target[k] = (node + first + turn[node] % 2) % nodes
        turn[node] += 1
    return Events.of(source, target, np.arange(count) * HOUR)


def test_a_fitted_mix_learns_a_rhythm() -> None:
    events = rhythm()
    early = unused(12).after(events.part(0, 150))
    mix = fit_mix(early, events.part(150, 200))
    ready = early.after(events.part(150, 200))
    late = events.part(200, 240)
    habit = dataclasses.replace(mix_of(), weights=mix.weights | dict.fromkeys(NAMES, 0.0))
    counted = dataclasses.replace(habit, weights=habit.weights | {"habit.count": 1.0})
    mine, plain = (1 / ranks(ready, late, [mix, counted])).mean(axis=0)
    assert mine > 0.8 > 0.6 > plain


def test_the_fit_is_the_same_every_time() -> None:
    events = rhythm()
    early = unused(12).after(events.part(0, 150))
    one, other = (fit_mix(early, events.part(150, 220)) for _ in range(2))
    assert one == other
    assert fit_mix(early, events.part(150, 220), seed=1) != one


def test_features_left_out_have_no_weight() -> None:
    events = rhythm()
    early = unused(12).after(events.part(0, 150))
    choices = sampled_choices(early, events.part(150, 220))
    mix = fit_choices(choices, TIME_CONSTANTS, without=("habit", "popular.given"))
    zero = {name for name, weight in mix.weights.items() if weight == 0}
    assert {name for name in NAMES if name.startswith("habit.")} | {"popular.given"} <= zero
    assert mix.weights["reply.count"] != 0
    silent = mix.without("reply").weights
    assert silent["reply.count"] == 0
    assert silent["popular.received"] == mix.weights["popular.received"] != 0


def test_the_sample_stands_for_all_others() -> None:
    use = unused(40, (np.arange(39), np.arange(1, 40)))
    events = Events.of([5] * 300, [6] * 300, np.arange(300))
    choices = sampled_choices(use, events)
    # Direct partners of 5 are 4 and 6; 37 others are stood for by at most 64 draws.
    for event in (0, 150, 299):
        first, last = choices.first[event], choices.first[event + 1]
        assert choices.offset[first : first + 2].tolist() == [0, 0]
        assert last - first <= 66
    sums = np.add.reduceat(np.exp(choices.offset.astype(np.float64)), choices.first[:-1])
    assert sums.mean() - 2 == pytest.approx(37, rel=0.05)


def test_a_mix_is_json() -> None:
    mix = dataclasses.replace(mix_of(), weights=WEIGHTS)
    assert Mix.from_dict(json.loads(json.dumps(mix.to_dict()))) == mix


# --- what cannot be ---


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0, 1], [1], [0, 0]), "columns of one length"),
        (([0, 1], [1, 1], [0, 0]), "event 1: expected two different nodes ≥ 0, got 1 and 1"),
        (([-1], [1], [0]), "event 0: expected two different nodes"),
    ],
)
def test_wrong_events(columns: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Events.of(*columns)


def test_keys_out_of_range() -> None:
    with pytest.raises(InputError, match=r"expected target in \[0, 3\), got 3"):
        unused(3).after(Events.of([0], [3], [0]))
    with pytest.raises(InputError, match=r"expected node keys in \[0, 3\), got 5"):
        unused(3, ([0], [5]))
    with pytest.raises(InputError, match=r"expected a key in \[0, 3\), got 9"):
        expect(unused(3), 9, 0, mix_of())


def test_a_mix_for_other_constants() -> None:
    use = unused(3, time_constants=(1.0,))
    with pytest.raises(ParameterError, match="mix: expected time constants"):
        expect(use, 0, 0, mix_of())


def test_too_little_to_fit() -> None:
    with pytest.raises(InputError, match="expected at least 3 that can be learned from, got 0"):
        fit_mix(unused(3), Events.of([], [], []))


def test_follow_keeps_what_was_left() -> None:
    events = follow([[0, 1, 1, 2, 0, 3]], [7], cues=[[5]])
    assert [(s, t, c) for s, t, _, c, _ in contexts(events)] == [
        (0, 1, [0]), (1, 2, [0, 1]), (2, 0, [0, 1, 2]), (0, 3, [1, 2, 0]),
    ]  # fmt: skip
    assert {tuple(cue) for *_, cue in contexts(events)} == {(5,)}
