"""The learning rules: held to :mod:`naive_rules`, and to what each claims."""

from __future__ import annotations

import dataclasses
import doctest
import itertools
import math
from datetime import timedelta
from pathlib import Path

import naive
import naive_rules
import naive_use
import numba
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import MOMENT, NOW, any_graphs, arrays, describe, evidence, graphs

import hebbgraph
from hebbgraph.cli.main import main
from hebbgraph.cli.passes import plastify_command
from hebbgraph.edgelist import UNDATED
from hebbgraph.episodes import Episodes
from hebbgraph.errors import ParameterError
from hebbgraph.plasticity import rules
from hebbgraph.plasticity.bcm import Bcm
from hebbgraph.plasticity.decay import NEAR, fade
from hebbgraph.plasticity.homeostatic import Homeostatic
from hebbgraph.plasticity.oja import Oja
from hebbgraph.plasticity.parameters import UseParameters
from hebbgraph.plasticity.stdp import Stdp
from hebbgraph.plasticity.structural import Structural

pytestmark = pytest.mark.usefixtures("one_thread", "compiled")
DAY = timedelta(days=1)
bounds = st.sampled_from(((0.1, 5.0), (0.0, 1e6), (0.5, 1.5)))
rates = st.sampled_from((0.0, 0.05, 0.5, 20.0))
ALONE = {"competition_rate": 0.0, "decay": False, "discover": False, "success_rate": 0.0,
         "failure_rate": 0.0, "now": MOMENT}  # fmt: skip
"""Nothing but the rule moves a weight."""


@pytest.fixture(scope="module")
def compiled() -> None:
    """Drawing a learned graph runs a pass: its kernels are not to be compiled while drawing."""
    hebbgraph.plastify(hebbgraph.Graph.from_edges([0, 0, 1], [1, 2, 2]))


@st.composite
def lives(draw: st.DrawFn):
    """A graph, fresh or learned, and episodes."""
    plain, graph = draw(any_graphs(max_nodes=7))
    keys = st.integers(0, len(plain.ids) - 1)
    one = st.builds(
        naive_use.Episode,
        st.lists(keys, min_size=1, max_size=5, unique=True),
        st.integers(-60, 2).map(lambda days: NOW + days * naive.DAY),
        st.sampled_from((0.0, 1.0, -1.0)),
        st.sampled_from((None, None, None, "correction")),
    )
    return plain, graph, draw(st.lists(one, max_size=12))


def told(graph: hebbgraph.Graph, episodes: Episodes, bound=(0.1, 5.0), **options):
    return evidence(
        graph, graph.co_occurrence_count, episodes=episodes, min_weight=bound[0],
        max_weight=bound[1], **options,
    )  # fmt: skip


def random_episodes(n: int, number: int, size: int, seed: int = 0) -> Episodes:
    rng = np.random.default_rng(seed)
    return Episodes(
        indptr=np.arange(0, number * size + 1, size),
        nodes=np.concatenate([rng.choice(n, size, replace=False) for _ in range(number)]),
        time=np.full(number, NOW),
        outcome=np.zeros(number, np.float32),
        counted=np.ones(number, np.bool_),
    )


def of_lists(*nodes: list[int]) -> Episodes:
    return Episodes(
        indptr=np.cumsum([0, *map(len, nodes)]),
        nodes=np.array([node for one in nodes for node in one]),
        time=np.full(len(nodes), NOW),
        outcome=np.zeros(len(nodes), np.float32),
        counted=np.ones(len(nodes), np.bool_),
    )


# -- as the loops have it -----------------------------------------------------


@given(lives(), rates, bounds)
@settings(deadline=None)
def test_oja_as_the_loop_has_it(life, rate, bound):
    plain, graph, episodes = life
    got = Oja(rate=rate)(told(graph, arrays(graph, episodes), bound))
    want = naive_rules.oja(plain, episodes, rate=rate, low=bound[0], high=bound[1])
    assert got == pytest.approx(want, rel=1e-5, abs=1e-6)


@given(lives(), st.integers(0, 12), st.sampled_from((0.0, 0.05, 0.5)), bounds)
@settings(deadline=None)
def test_bcm_as_the_loop_has_it(life, cut, rate, bound):
    plain, graph, episodes = life
    cut = min(cut, len(episodes))
    given_ = told(graph, arrays(graph, episodes, learned=cut), bound)
    old = [one for one in episodes[:cut] if one.time >= given_.since]
    want = naive_rules.bcm(
        plain, old, episodes[cut:], rate=rate, memory=4.0, low=bound[0], high=bound[1]
    )
    assert Bcm(rate=rate, memory=4.0)(given_) == pytest.approx(want, rel=1e-4, abs=1e-5)


@given(lives(), rates, bounds)
@settings(deadline=None)
def test_stdp_as_the_loop_has_it(life, rate, bound):
    plain, graph, episodes = life
    got = Stdp(rate=rate, depression=1.2, window=1.5)(told(graph, arrays(graph, episodes), bound))
    want = naive_rules.stdp(
        plain, episodes, rate=rate, depression=1.2, window=1.5, low=bound[0], high=bound[1]
    )
    assert got == pytest.approx(want, rel=1e-5, abs=1e-6)


@st.composite
def idle(draw: st.DrawFn):
    """A learned graph with the dates, tiers and counts that pruning looks at."""
    _, graph = draw(any_graphs(max_nodes=7))
    n, m = graph.n_nodes, graph.n_edges

    def each(size, *values):
        return np.array(draw(st.lists(st.sampled_from(values), min_size=size, max_size=size)))

    weight = each(m, 0.1, 0.1005, 0.0, 0.2, -1.0).astype(np.float32)
    moments = [NOW - days * naive.DAY for days in (0, 89, 90, 91, 400)]
    tiers = each(n, 0, 3).astype(np.int8)
    graph = dataclasses.replace(
        graph, weight=weight, updated_at=each(m, UNDATED, *moments).astype(np.int64),
        use=dataclasses.replace(hebbgraph.NodeUse.none(n), tier=tiers),
    )  # fmt: skip
    count = graph.co_occurrence_count + each(m, 0, 0, 1).astype(np.int32)
    return graph, count.astype(np.int32)


@given(idle())
@settings(deadline=None)
def test_pruning_as_the_loop_has_it(case):
    graph, count = case
    plain = describe(graph)
    since = [
        max((at for at in (int(updated), edge.time) if at not in (UNDATED, None)), default=None)
        for edge, updated in zip(plain.edges, graph.updated_at, strict=True)
    ]
    got = rules.apply([Structural()], evidence(graph, count))
    want = naive_rules.prunable(plain, count, since, graph.use.tier, now=NOW, low=0.1, near=NEAR)
    assert np.isnan(got).tolist() == want
    assert np.array_equal(got[~np.isnan(got)], graph.weight[~np.isnan(got)])


# -- batches ------------------------------------------------------------------


@given(lives(), st.lists(st.integers(0, 12), max_size=3), bounds)
@settings(deadline=None)
@pytest.mark.parametrize("rule", [Oja(rate=0.3), Stdp(rate=0.3)], ids=["oja", "stdp"])
def test_batches_are_one(rule, life, cuts, bound):
    _, graph, episodes = life
    once = rule(told(graph, arrays(graph, episodes), bound))
    learned, before = graph, 0
    for cut in [*sorted(min(cut, len(episodes)) for cut in cuts), len(episodes)]:
        weight = rule(told(learned, arrays(graph, episodes[:cut], learned=before), bound))
        learned, before = dataclasses.replace(learned, weight=weight), cut
    assert np.array_equal(once, learned.weight)


@given(lives())
@settings(deadline=None)
@pytest.mark.parametrize("name", ["oja", "bcm", "stdp"])
def test_nothing_new_moves_nothing(name, life):
    _, graph, episodes = life
    (rule,) = rules.chosen(name)
    for known in (arrays(graph, episodes, learned=len(episodes)), None):
        assert np.array_equal(rule(told(graph, known)), graph.weight)


def test_batches_of_a_whole_pass_are_one():
    rng = np.random.default_rng(3)
    graph = hebbgraph.Graph.from_edges(rng.integers(0, 20, 80), rng.integers(0, 20, 80))
    episodes = random_episodes(20, 60, 4)
    for rule in (Oja(rate=0.1), "stdp"):
        once, _ = hebbgraph.plastify(graph, rule=rule, episodes=episodes, **ALONE)
        half = dataclasses.replace(episodes, n_learned=30)
        twice, _ = hebbgraph.plastify(
            graph, rule=rule, episodes=episodes.take(np.arange(30)), **ALONE
        )
        assert not np.array_equal(twice.weight, graph.weight)
        twice, _ = hebbgraph.plastify(twice, rule=rule, episodes=half, **ALONE)
        assert np.array_equal(once.weight, twice.weight)


def test_bcm_hears_old_episodes_anew():
    """The counterexample: θ after a batch is that of today's weights."""
    graph = hebbgraph.Graph.from_edges([1, 2], [0, 0], weight=[2.0, 1.0])
    episodes = of_lists([0, 1], [0, 2], [0, 1])
    once = Bcm(rate=0.1)(told(graph, episodes))
    learned = dataclasses.replace(
        graph, weight=Bcm(rate=0.1)(told(graph, episodes.take(np.arange(2))))
    )
    twice = Bcm(rate=0.1)(told(learned, dataclasses.replace(episodes, n_learned=2)))
    assert not np.allclose(once, twice, rtol=1e-4)


def test_scaling_between_two_additions_is_not_scaling_after_both():
    graph = hebbgraph.Graph.from_edges([1, 2], [0, 0])
    scale = Homeostatic()

    def grown(weight):
        added = dataclasses.replace(graph, weight=weight + np.array([1, 0], np.float32))
        return added, scale(told(added, Episodes.none()))

    _, between = grown(graph.weight)
    added, _ = grown(between)
    both = dataclasses.replace(graph, weight=np.array([3.0, 1.0], np.float32))
    assert scale(told(added, Episodes.none())) != pytest.approx(
        scale(told(both, Episodes.none())), rel=1e-3
    )


# -- stability ----------------------------------------------------------------


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("rate", [0.01, 0.1, 1.0, 100.0])
def test_bounded_whatever_comes(rate, directed):
    """With no bound from the pass, the rules keep their own."""
    rng = np.random.default_rng(1)
    pairs = rng.integers(0, 30, (2, 300))
    graph = hebbgraph.Graph.from_edges(
        *pairs, weight=rng.choice([0.0, 0.3, 1.0, 7.0], 300), directed=directed
    )
    known = told(graph, random_episodes(30, 3000, 6), (0.0, 1e6))
    least = graph.weight.max()
    oja = Oja(rate=rate)(known)
    assert (oja <= np.maximum(graph.weight, 1 + math.sqrt(rate / 2)) * (1 + 1e-6)).all()
    bcm = Bcm(rate=rate, memory=8)(known)
    assert bcm.max() <= max(least, 8 * (1 + 2 * rate)) * (1 + 1e-6)
    stdp = Stdp(rate=rate)(told(graph, random_episodes(30, 3000, 6)))
    assert (stdp <= np.maximum(graph.weight, 5)).all()
    for weight in (oja, bcm, stdp):
        assert (weight >= 0).all()
        assert np.isfinite(weight).all()


def test_oja_finds_the_principal_eigenvector():
    rng = np.random.default_rng(0)
    common = rng.random(6000) < 0.5
    chance = np.where(
        common[:, None], [0.9, 0.8, 0.6, 0.3, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1, 0.4, 0.1]
    )
    active = rng.random((6000, 6)) < chance
    graph = hebbgraph.Graph.from_edges(range(1, 7), [0] * 6)
    episodes = of_lists(*([0, *(np.flatnonzero(row) + 1)] for row in active))
    weight = Oja(rate=0.005)(told(graph, episodes, (0.0, 5.0)))
    correlation = active.T.astype(float) @ active / len(active)
    wanted = np.abs(np.linalg.eigh(correlation)[1][:, -1])
    assert weight == pytest.approx(wanted, abs=0.06)
    assert np.linalg.norm(weight) == pytest.approx(1, abs=0.03)
    assert weight @ wanted / np.linalg.norm(weight) > 0.995


@pytest.mark.parametrize("strong", [0, 1])
@pytest.mark.parametrize("size", [1, 3])
def test_bcm_becomes_selective(strong, size):
    """Of two patterns a node comes to respond to the one that it preferred, and not the other."""
    patterns = [[*range(1, 1 + size)], [*range(1 + size, 1 + 2 * size)]]
    start = [1.0] * (2 * size)
    start[strong * size] = 1.1
    graph = hebbgraph.Graph.from_edges(range(1, 1 + 2 * size), [0] * (2 * size), weight=start)
    episodes = of_lists(*([0, *pattern] for pattern in patterns * 1000))
    weight = Bcm(rate=0.05)(told(graph, episodes, (0.0, 5.0)))
    response = [float(weight[np.array(pattern) - 1].sum()) for pattern in patterns]
    # θ is the mean of y² over both patterns, and y = θ at the one: y is near 2.
    assert response[strong] == pytest.approx(2, abs=0.3)
    assert response[1 - strong] < 0.01


def test_bcm_settles_at_one_for_one_pattern():
    graph = hebbgraph.Graph.from_edges([1, 2, 3], [0, 0, 0], weight=[3.0, 0.5, 0.2])
    weight = Bcm(rate=0.05)(told(graph, of_lists(*[[0, 1, 2, 3]] * 2000), (0.0, 5.0)))
    assert weight.sum() == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("memory", [4, 8, 16])
def test_bcm_is_stable_where_it_says(memory):
    """η·(memory − 1) < 1: a nudge dies away below, and grows above."""
    graph = hebbgraph.Graph.from_edges([1], [0], weight=[1.02])
    known = told(graph, of_lists(*[[0, 1]] * 400), (0.0, 50.0))
    below, above = (
        float(Bcm(rate=share / (memory - 1), memory=memory)(known)[0]) for share in (0.8, 1.2)
    )
    assert abs(below - 1) < 0.001
    assert abs(above - 1) > 0.1


def test_stdp_learns_order():
    pairs = list(itertools.permutations(range(4), 2))
    graph = hebbgraph.Graph.from_edges([a for a, _ in pairs], [b for _, b in pairs])
    weight = Stdp(rate=0.1)(told(graph, of_lists(*[[0, 1, 2, 3]] * 10)))
    for (a, b), got in zip(pairs, weight, strict=True):
        by = 10 * 0.1 * math.exp(-abs(b - a) / 2)
        assert got == pytest.approx(1 + by if a < b else max(1 - 1.05 * by, 0.1), abs=1e-5)
    longer = Stdp(rate=0.1)(told(graph, of_lists(*[[0, 1, 2, 3]] * 1000)))
    assert longer == pytest.approx([5.0 if a < b else 0.1 for a, b in pairs])
    mixed = Stdp(rate=0.1)(told(graph, of_lists(*[[0, 1, 2, 3], [3, 2, 1, 0]] * 1000)))
    assert (mixed < 0.2).all()


def test_order_says_nothing_of_edges_read_both_ways():
    graph = hebbgraph.Graph.from_edges([0, 1], [1, 2], directed=False)
    assert np.array_equal(Stdp()(told(graph, of_lists([0, 1, 2]))), graph.weight)


@given(graphs(max_nodes=8), st.sampled_from((0.5, 1.0, 2.0)))
@settings(deadline=None)
def test_homeostasis_holds_sums(both, target):
    plain, graph = both
    scale = Homeostatic(target=target)
    got = scale(told(graph, Episodes.none(), (0.0, 1e6)))
    for node, weights in naive_rules.incoming(plain, got.tolist()).items():
        assert sum(weights) == pytest.approx(target * len(weights), rel=1e-5)
        before = naive_rules.incoming(plain, graph.weight.tolist())[node]
        if graph.directed:
            assert np.divide(weights, before) == pytest.approx(weights[0] / before[0], rel=1e-5)
    again = dataclasses.replace(graph, weight=got)
    assert np.array_equal(scale(told(again, Episodes.none(), (0.0, 1e6))), got)
    assert np.array_equal(got == 0, graph.weight == 0)


def test_homeostasis_gives_what_one_weight_cannot_take_to_the_others():
    graph = hebbgraph.Graph.from_edges([1, 2, 3], [0, 0, 0], weight=[4.0, 1.0, 0.5])
    got = Homeostatic(target=3.0)(told(graph, Episodes.none()))
    assert got.tolist() == pytest.approx([5, 4 / 1.5, 2 / 1.5])
    low = Homeostatic(target=0.01)(told(graph, Episodes.none()))
    assert low.tolist() == pytest.approx([0.1, 0.1, 0.1])


def test_homeostasis_after_a_rule_that_only_adds_is_stable():
    rng = np.random.default_rng(2)
    graph = hebbgraph.Graph.from_edges(rng.integers(0, 20, 90), rng.integers(0, 20, 90))
    for seed in range(5):
        graph, _ = hebbgraph.plastify(
            graph, rule=("stdp", "homeostatic"), learning_rate=0.3,
            episodes=random_episodes(20, 200, 4, seed), **ALONE,
        )  # fmt: skip
    heard = naive_rules.incoming(describe(graph), graph.weight.tolist())
    assert [np.mean(weights) for weights in heard.values()] == pytest.approx([1.0] * len(heard))
    assert graph.weight.std() > 0.1


# -- pruning ------------------------------------------------------------------


def faint(**columns) -> hebbgraph.Graph:
    """Two nodes that share three neighbours, one of them by an edge at the floor for long."""
    graph = hebbgraph.Graph.from_edges(
        ["a", "a", "a", "b", "b", "b", "a"], ["x", "y", "z", "x", "y", "z", "far"],
        weight=[1, 1, 0.1, 1, 1, 1, 1],
        time=[None, None, MOMENT - 400 * DAY, None, None, None, None], **columns,
    )  # fmt: skip
    assert int(np.argmin(graph.weight)) == graph.incident("z")[0]
    return graph


def test_a_pass_takes_away_what_lay_at_the_floor_and_discovery_does_not_see_it():
    options = {"now": MOMENT, "min_shared_neighbors": 3, "confidence_threshold": 0.5}
    graph = faint()
    kept, report = hebbgraph.plastify(graph, **options)
    assert (report.pruned_edges, kept.n_edges - kept.n_inferred) == (0, 7)
    assert report.new_associations_discovered > 0
    learned, report = hebbgraph.plastify(graph, rule=["hebbian", "structural"], **options)
    assert report.pruned_edges == 1
    assert report.parameters["rule"] == "hebbian+structural"
    assert report.new_associations_discovered == report.updated_edges == 0
    assert learned.neighbors("z") == ["b"]
    assert sum(report.weights.after) == learned.n_edges == 6
    # What is left is as it was.
    assert (report.strengthened_edges, report.weakened_edges) == (0, 0)
    same, report = hebbgraph.plastify(learned, rule="structural", **options)
    assert same is learned
    assert not report.changed


def test_pruning_withdraws_what_rested_on_the_edge():
    options = {"now": MOMENT, "min_shared_neighbors": 3, "confidence_threshold": 0.5}
    linked, report = hebbgraph.plastify(faint(), **options)
    assert report.associations > 0
    learned, report = hebbgraph.plastify(linked, rule="structural", **options)
    assert (report.pruned_edges, learned.n_inferred) == (1, 0)
    assert report.withdrawn_associations == linked.n_inferred


def test_a_rule_cannot_bring_back_what_one_before_it_took():
    def lifted(known):
        assert np.isfinite(known.graph.weight).all()
        return known.graph.weight + np.float32(1)

    learned, report = hebbgraph.plastify(
        faint(), rule=("structural", lifted), now=MOMENT, discover=False
    )
    assert report.pruned_edges == 1
    assert learned.weight.tolist() == [2.0] * 6


def test_what_no_rule_takes_away():
    graph = hebbgraph.Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
    graph, _ = hebbgraph.plastify(graph, now=MOMENT)
    inhibitory = np.where(graph.source == graph.key("b"), np.float32(-1), graph.weight)
    tier = np.zeros(graph.n_nodes, np.int8)
    tier[[graph.key("a"), graph.key("x")]] = 3
    use = dataclasses.replace(hebbgraph.NodeUse.none(graph.n_nodes), tier=tier)
    graph = dataclasses.replace(graph, weight=inhibitory, use=use)

    def none(known):
        return np.full(known.graph.n_edges, rules.PRUNED)

    learned, report = hebbgraph.plastify(graph, rule=none, discover=False, decay=False, now=MOMENT)
    assert report.pruned_edges == 1
    assert learned.n_inferred == graph.n_inferred
    assert [node for node in ("x", "y", "b") if node in learned.neighbors("a", inferred=False)] == [
        "x"
    ]


def test_fading_says_since_when_an_edge_is_at_the_floor():
    graph = hebbgraph.Graph.from_edges([0], [1], time=[MOMENT])
    uses, days = np.zeros(2, np.int32), np.arange(10, 400, 10)
    seen = []
    for day in days.tolist():
        now = NOW + day * naive.DAY
        graph = fade(graph, uses, UseParameters(), min_weight=0.1, now=now)
        seen.append((int(graph.updated_at[0]), float(graph.weight[0]) <= 0.1 + NEAR))
    arrived = next(k for k, (_, there) in enumerate(seen) if there)
    assert days[arrived] == 210  # 0.9·e^{−t/30} ≤ 0.001
    assert [at for at, _ in seen[: arrived + 1]] == [
        NOW + day * naive.DAY for day in days[: arrived + 1].tolist()
    ]
    assert {at for at, _ in seen[arrived:]} == {NOW + 210 * naive.DAY}


def test_what_fades_is_pruned_in_time():
    graph = hebbgraph.Graph.from_edges(["a"], ["b"], time=[MOMENT])
    for month in range(1, 12):
        graph, report = hebbgraph.plastify(
            graph, rule="structural", decay=True, now=MOMENT + month * 30 * DAY
        )
        if report.pruned_edges:
            break
    # At the floor by 210 days, and there for more than 90.
    assert month == 11
    assert graph.n_edges == 0
    assert graph.n_nodes == 2


# -- the protocol -------------------------------------------------------------


def test_threads_do_not_matter():
    rng = np.random.default_rng(0)
    graph = hebbgraph.Graph.from_edges(rng.integers(0, 300, 5000), rng.integers(0, 300, 5000))
    known = told(graph, random_episodes(300, 1000, 4))
    before = numba.get_num_threads()
    got = []
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(threads)
        got.append([rule(known) for rule in rules.chosen(list(rules.RULES))])
    numba.set_num_threads(before)
    for one, two in zip(*got, strict=True):
        assert np.array_equal(one, two)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda weight: weight[:-1], r"rule answer: expected float32 weights of 2 edges, got float32 of shape \(1,\)"),
        (lambda weight: weight.astype(float), r"rule answer: expected float32 .*, got float64 of shape \(2,\)"),
        (lambda weight: None, r"rule answer: expected float32 weights of 2 edges, got object"),
        (lambda weight: weight * np.float32(np.inf), "rule answer: expected finite weights, or NaN .*, got inf at edge 0"),
    ],
)  # fmt: skip
def test_odd_answers_of_a_rule_are_refused(answer, message):
    graph = hebbgraph.Graph.from_edges([0, 1], [1, 2])
    answered = answer

    def answer(known):
        return answered(known.graph.weight)

    with pytest.raises(ParameterError, match=message):
        hebbgraph.plastify(graph, rule=answer, discover=False)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("hebb", "rule: expected one of hebbian, oja, bcm, stdp, homeostatic, structural, got 'hebb'"),
        ([], "rule: expected at least one rule, got none"),
        ([3], "rule: expected a name or a callable, got 3"),
    ],
)  # fmt: skip
def test_unknown_rules_are_refused(rule, message):
    with pytest.raises(ParameterError, match=message):
        hebbgraph.plastify(hebbgraph.Graph.from_edges([0], [1]), rule=rule)


@pytest.mark.parametrize(
    ("rule", "option", "value"),
    [(Oja, "rate", -1), (Bcm, "rate", 101), (Bcm, "memory", 0.5), (Stdp, "rate", "x"),
     (Stdp, "depression", -1), (Stdp, "window", 0), (Homeostatic, "target", 0),
     (Structural, "after", 0)],
)  # fmt: skip
def test_options_outside_their_range(rule, option, value):
    with pytest.raises(ParameterError, match=f"{option}: expected"):
        rule(**{option: value})


def test_rules_have_readable_names():
    assert rules.named(["hebbian", Oja(rate=0.05), Structural()]) == (
        "hebbian+oja(rate=0.05)+structural(after=90 days)"
    )
    assert rules.named(Stdp()) == "stdp(rate=None, depression=1.05, window=2.0)"
    assert rules.named(test_rules_have_readable_names) == "test_rules_have_readable_names"


def test_the_command_knows_every_rule(tmp_path, monkeypatch):
    (option,) = [one for one in plastify_command.params if one.name == "rules"]
    assert tuple(option.type.choices) == tuple(rules.RULES)
    monkeypatch.chdir(tmp_path)
    graph = hebbgraph.Graph.from_edges(["a", "a", "b"], ["b", "c", "c"])
    store = hebbgraph.Store.create(tmp_path / "data.lance", graph)
    store.record(["a", "b"], time=MOMENT)
    shown = CliRunner().invoke(
        main, ["plastify", "data.lance", "--rule", "hebbian", "--rule", "stdp"]
    )
    assert shown.exit_code == 0, shown.output
    assert "hebbian+stdp" in shown.output
    assert store.current.parameters["rule"] == "hebbian+stdp"
    plain = CliRunner().invoke(main, ["plastify", "data.lance", "--dry-run"])
    assert "hebbian" not in plain.output
    odd = CliRunner().invoke(main, ["plastify", "data.lance", "--rule", "hebb"])
    assert odd.exit_code == 2
    assert "'hebb' is not one of 'hebbian', 'oja'" in odd.output


def test_the_page_of_the_rules_runs():
    page = Path(__file__).parents[1] / "docs" / "rules.md"
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0
