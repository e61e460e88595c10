"""Learning from use, held to :mod:`tests.naive_use`."""

from __future__ import annotations

import dataclasses
import math
from datetime import UTC, datetime, timedelta

import hebbgraph_kernels.episodes as kernels
import naive
import naive_use
import numba
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import MOMENT, NOW, arrays, by_identity, describe, graphs

import hebbgraph
from hebbgraph.edgelist import UNDATED
from hebbgraph.episodes import Episodes, rows_of
from hebbgraph.errors import InputError, NodeNotFoundError, ParameterError
from hebbgraph.plasticity import use
from hebbgraph.plasticity.decay import fade
from hebbgraph.plasticity.parameters import UseParameters

pytestmark = pytest.mark.usefixtures("one_thread")
ALONE = {"learning_rate": 0.0, "competition_rate": 0.0, "decay": False, "discover": False}
"""Nothing but use moves a weight."""


@st.composite
def lives(draw: st.DrawFn) -> tuple[naive.Plain, hebbgraph.Graph, list[naive_use.Episode]]:
    plain, graph = draw(graphs(max_nodes=8))
    keys = st.integers(0, len(plain.ids) - 1)
    episodes = draw(
        st.lists(
            st.builds(
                naive_use.Episode,
                st.lists(keys, min_size=1, max_size=5, unique=True),
                st.integers(-60 * 24, 2 * 24).map(lambda hours: NOW + hours * naive.DAY // 24),
                st.sampled_from((0.0, 0.0, 1.0, 0.5, -1.0, -0.25)),
                st.sampled_from((None, None, "correction")),
            ),
            max_size=12,
        )
    )
    return plain, graph, episodes


def used(graph: hebbgraph.Graph, episodes: Episodes) -> hebbgraph.Graph:
    grown, old = use.grow(graph, episodes)
    return use.learn_from_use(grown, old, episodes, UseParameters(), max_weight=5.0)


def weights(graph: hebbgraph.Graph | naive.Plain) -> dict[tuple[int, int, str, bool], float]:
    plain = describe(graph) if isinstance(graph, hebbgraph.Graph) else graph
    return {identity: edge.weight for identity, edge in by_identity(plain).items()}


@given(lives())
@settings(deadline=None)
def test_episodes_as_the_loop_has_them(life):
    plain, graph, episodes = life
    want = naive_use.learned(naive_use.Lived(plain, [naive_use.Use() for _ in plain.ids]), episodes)
    got = used(graph, arrays(graph, episodes))
    assert weights(got) == weights(want.graph)
    if not episodes:
        assert got is graph
        return
    for node, one in enumerate(want.use):
        assert got.use.access_count[node] == one.access
        assert got.use.success_count[node] == one.success
        assert got.use.failure_count[node] == one.failure
        assert got.use.activation[node] == pytest.approx(one.activation, rel=1e-6)
        assert got.use.created_at[node] == (UNDATED if one.created is None else one.created)
        assert got.use.activated_at[node] == (UNDATED if one.activated is None else one.activated)
    level = got.use.activation_at(NOW, 30 * naive.DAY)
    assert level == pytest.approx([one.level(NOW, 30 * naive.DAY) for one in want.use], rel=1e-6)


@given(lives(), st.sampled_from((0, 10 * naive.DAY, 30 * naive.DAY)))
@settings(deadline=None)
def test_co_activation_as_the_loop_has_it(life, window):
    plain, graph, episodes = life
    got = use.co_activation(graph, arrays(graph, episodes), since=NOW - window)
    assert got.tolist() == naive_use.together(plain.edges, episodes, NOW - window)


@given(lives(), st.integers(0, 12))
@settings(deadline=None)
def test_two_batches_are_one(life, cut):
    _, graph, episodes = life
    cut = min(cut, len(episodes))
    once = used(graph, arrays(graph, episodes))
    first = used(graph, arrays(graph, episodes[:cut]))
    twice = used(first, arrays(graph, episodes, learned=cut))
    assert weights(once) == weights(twice)
    for name in ("access_count", "success_count", "failure_count", "activation", "activated_at"):
        if episodes:
            assert np.array_equal(getattr(once.use, name), getattr(twice.use, name)), name


@given(lives(), st.lists(st.integers(0, 12), max_size=3))
@settings(deadline=None, max_examples=40)
def test_strengthening_from_batches_is_one(life, cuts):
    """Away from the bounds w = w₀ + η·log1p(f) however the evidence came."""
    _, graph, episodes = life
    options = {"competition_rate": 0.0, "decay": False, "discover": False, "now": MOMENT,
               "max_weight": 1e6, "max_inhibition": 1e6, "min_weight": 0.0}  # fmt: skip
    once, _ = hebbgraph.plastify(graph, episodes=arrays(graph, episodes), **options)
    learned, before = graph, 0
    for cut in [*sorted(min(cut, len(episodes)) for cut in cuts), len(episodes)]:
        learned, _ = hebbgraph.plastify(
            learned, episodes=arrays(graph, episodes[:cut], learned=before), **options
        )
        before = cut
    assert np.array_equal(once.co_occurrence_count, learned.co_occurrence_count)
    assert once.weight == pytest.approx(learned.weight, abs=1e-5)


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_do_not_matter(threads):
    rng = np.random.default_rng(0)
    graph = hebbgraph.Graph.from_edges(rng.integers(0, 300, 5000), rng.integers(0, 300, 5000))
    episodes = Episodes(
        indptr=np.arange(0, 8001, 4),
        nodes=np.concatenate([rng.choice(300, 4, replace=False) for _ in range(2000)]),
        time=np.full(2000, NOW),
        outcome=rng.choice([-1, 0, 1], 2000).astype(np.float32),
        counted=np.ones(2000, np.bool_),
    )
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    want = used(graph, episodes)
    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    got = used(graph, episodes)
    numba.set_num_threads(before)
    assert np.array_equal(want.weight, got.weight)
    assert np.array_equal(want.indices, got.indices)


def test_pairs_in_parts_are_the_same_pairs(monkeypatch):
    graph = hebbgraph.Graph.from_edges([0, 1], [1, 2], node_ids=np.arange(9))
    episodes = arrays(graph, [naive_use.Episode([0, 3, 5], NOW, 1.0),
                              naive_use.Episode([8, 1, 2, 4], NOW, 1.0)])  # fmt: skip
    whole = use._pairs(episodes, 9)
    monkeypatch.setattr(use, "PAIRS_AT_ONCE", 2)
    assert use._pairs(episodes, 9).tolist() == whole.tolist()
    assert [divmod(pair, 9) for pair in whole.tolist()] == sorted(
        (a, b) for group in ([0, 3, 5], [1, 2, 4, 8]) for a in group for b in group if a < b
    )


def test_failure_makes_no_edge_and_success_does():
    graph = hebbgraph.Graph.from_edges(["a"], ["b"], node_ids=["a", "b", "c"])
    failed, _ = hebbgraph.plastify(
        graph, episodes=[{"nodes": ["a", "c"], "outcome": -1.0}], now=MOMENT, **ALONE
    )
    assert failed.n_edges == 1
    learned, report = hebbgraph.plastify(
        graph, episodes=[{"nodes": ["c", "a"], "outcome": 0.5}], now=MOMENT, **ALONE
    )
    assert learned.neighbors("a") == ["b", "c"]
    assert learned.weight[learned.incident("c")].tolist() == [np.float32(0.05)]
    assert (report.edges_from_use, report.episodes_learned, report.updated_edges) == (1, 1, 1)


def test_failures_make_an_edge_inhibitory_but_not_below_its_bound():
    graph = hebbgraph.Graph.from_edges(["a"], ["b"])
    episodes = [{"nodes": ["a", "b"], "outcome": -1.0}] * 100
    learned, _ = hebbgraph.plastify(graph, episodes=episodes, now=MOMENT, **ALONE)
    assert learned.weight.tolist() == [-2.0]


def test_a_correction_is_no_evidence():
    graph = hebbgraph.Graph.from_edges(["a"], ["b"])
    told = {"nodes": ["a", "b"], "outcome": -1.0, "kind": "correction", "time": MOMENT}
    learned, _ = hebbgraph.plastify(graph, episodes=[told], now=MOMENT)
    assert learned.co_occurrence_count.tolist() == [0]
    assert learned.weight.tolist() == [np.float32(0.5)]
    assert learned.use.failure_count.tolist() == [1, 1]
    assert learned.use.access_count.tolist() == [0, 0]


# -- fading -------------------------------------------------------------------

hours = st.integers(-50, 24 * 90).map(lambda hour: NOW + hour * naive.DAY // 24)


@st.composite
def fading(draw: st.DrawFn) -> tuple[hebbgraph.Graph, np.ndarray]:
    _, graph = draw(graphs(max_nodes=6))
    n, m = graph.n_nodes, graph.n_edges
    moments = st.just(UNDATED) | hours
    weights = st.sampled_from((1.0, 5.0, 0.1, 0.05, 0.0, -0.3, -2.0))
    life = hebbgraph.NodeUse.none(n)
    graph = dataclasses.replace(
        graph,
        weight=np.array(draw(st.lists(weights, min_size=m, max_size=m)), np.float32),
        decayed_at=np.array(draw(st.lists(moments, min_size=m, max_size=m)), np.int64),
        use=dataclasses.replace(
            life, activated_at=np.array(draw(st.lists(moments, min_size=n, max_size=n)), np.int64)
        ),
    )
    uses = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return graph, np.array(uses, np.int32)


def faded(graph: hebbgraph.Graph, uses: np.ndarray, now: int) -> hebbgraph.Graph:
    return fade(graph, uses, UseParameters(), min_weight=0.1, now=now)


@given(fading(), hours)
@settings(deadline=None)
def test_fading_as_the_loop_has_it(case, now):
    graph, uses = case
    got = faded(graph, uses, now)
    for edge, one in enumerate(describe(graph).edges):
        clock = int(graph.decayed_at[edge])
        known = [at for at in (clock, one.time) if at not in (UNDATED, None)]
        used_at = [int(at) if at != UNDATED else None for at in graph.use.activated_at]
        weight, moved = naive_use.faded(
            one.weight, max(known, default=None),
            [used_at[end] for end in one.ends], [int(uses[end]) for end in one.ends], now=now,
        )  # fmt: skip
        assert got.weight[edge] == pytest.approx(weight, abs=1e-6)
        assert got.decayed_at[edge] == (now if moved else clock)


@given(fading(), hours, hours)
@settings(deadline=None)
def test_fading_twice_is_fading_once(case, first, second):
    """Unless an edge's clock only started at the first."""
    graph, uses = case
    first, second = sorted((first, second))
    once = faded(graph, uses, second)
    twice = faded(faded(graph, uses, first), uses, second)
    clock = graph.decayed_at if graph.time is None else np.maximum(graph.decayed_at, graph.time)
    used_at = np.minimum(
        graph.use.activated_at[graph.source], graph.use.activated_at[graph.indices]
    )
    started = np.maximum(clock, used_at) != UNDATED
    # A step shorter than an hour waits and is made up for by the next.
    whole = once.decayed_at == twice.decayed_at
    assert once.weight[started & whole] == pytest.approx(twice.weight[started & whole], abs=1e-5)


@given(fading(), hours)
@settings(deadline=None)
def test_clocks_never_run_backwards(case, now):
    graph, uses = case
    later = faded(graph, uses, now)
    assert np.array_equal(faded(later, uses, now - naive.DAY).weight, later.weight)


def test_a_pass_right_after_another_writes_nothing():
    graph = hebbgraph.Graph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 0], time=[MOMENT] * 5)
    learned, _ = hebbgraph.plastify(graph, episodes=[{"nodes": [0], "time": MOMENT}], now=MOMENT)
    again = MOMENT + timedelta(minutes=10)
    seen = arrays(graph, [naive_use.Episode([0], NOW)], learned=1)
    same, report = hebbgraph.plastify(learned, episodes=seen, now=again)
    assert same is learned
    assert not report.changed


def test_the_four_phases():
    """Acquisition, consolidation, decay, reactivation, as docs/learning.md tells them."""
    t0 = MOMENT
    graph = hebbgraph.Graph.from_edges(["memory", "memory"], ["cue", "other"], time=[t0, t0])

    def level(graph, now):
        micros = (now - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
        return float(graph.use.activation_at(micros, 30 * naive.DAY)[graph.key("memory")])

    options = {"discover": False}
    one = {"nodes": ["memory", "cue"], "outcome": 0.0}
    born, _ = hebbgraph.plastify(graph, episodes=[{**one, "time": t0}], now=t0, **options)
    assert level(born, t0) == 1.0
    assert born.weight.tolist() == pytest.approx([1 + 0.1 * math.log(2), 1.0])

    t1 = t0 + timedelta(days=10)
    uses = [{**one, "time": t0 + timedelta(days=day / 2), "outcome": 1.0} for day in range(20)]
    firm, _ = hebbgraph.plastify(born, episodes=uses, now=t1, **options)
    assert level(firm, t1) == pytest.approx(0.98, abs=0.01)
    assert firm.weight[0] == pytest.approx(2.93, abs=0.1)

    t2 = t1 + timedelta(days=60)
    faint, _ = hebbgraph.plastify(firm, episodes=[], now=t2, **options)
    assert level(faint, t2) == pytest.approx(level(firm, t1) * math.exp(-60 / 30), rel=1e-6)
    assert 0.1 < faint.weight[0] < firm.weight[0]

    again = [{**one, "time": t2, "outcome": 1.0}]
    back, _ = hebbgraph.plastify(faint, episodes=again, now=t2, **options)
    before = level(faint, t2)
    assert level(back, t2) == pytest.approx(before + (1 - before) * 0.7)
    assert faint.weight[0] < back.weight[0] < firm.weight[0]


# -- what a user may pass -----------------------------------------------------


@pytest.mark.parametrize(
    ("episodes", "message"),
    [
        ({"nodes": ["a"]}, "expected an iterable of mappings"),
        (["a"], 'episode 1: expected a mapping with "nodes"'),
        ([{"nodes": "ab"}], "episode 1: nodes: expected a list of node ids"),
        ([{"nodes": []}], "episode 1: no nodes"),
        ([{"nodes": ["a"]}, {"nodes": ["a", None]}], "episode 2: a node is null"),
        ([{"nodes": ["a"], "outcome": 2}], r"episode 1: outcome 2.0 is no number in \[-1, 1\]"),
        ([{"nodes": ["a"], "outcome": math.nan}], "episode 1: outcome nan"),
        ([{"nodes": ["a"], "outcome": "good"}], "outcome: expected numbers"),
        ([{"nodes": ["a"], "when": 3}], "unknown field 'when'; expected nodes, outcome, time"),
        ([{"nodes": ["a"], "time": "noon"}], "episode 1"),
        ([{"nodes": [True]}], "nodes: expected lists of node ids"),
        ([{"nodes": ["a"], "kind": 1.5}], "kind: expected text"),
        (pa.table({"nodes": ["a"]}), "nodes: expected lists of node ids"),
        (pa.table({"node": ["a"]}), "unknown field 'node'"),
    ],
)
def test_odd_episodes_are_refused(episodes, message):
    graph = hebbgraph.Graph.from_edges(["a"], ["b"])
    with pytest.raises(InputError, match=message):
        hebbgraph.plastify(graph, episodes=episodes)


def test_unknown_nodes_are_named():
    graph = hebbgraph.Graph.from_edges(["ann"], ["bob"])
    with pytest.raises(
        NodeNotFoundError, match='episode 2: no node "an" among 2; did you mean "ann"'
    ):
        hebbgraph.plastify(graph, episodes=[{"nodes": ["ann"]}, {"nodes": ["an"]}])
    keyed = hebbgraph.Graph.from_edges([0], [1])
    for odd in (2, "01", "-1", "x", 10**30):
        with pytest.raises(NodeNotFoundError, match="episode 1: no node"):
            hebbgraph.plastify(keyed, episodes=[{"nodes": [odd]}])


@pytest.mark.parametrize(
    "options",
    [{"success_rate": -1}, {"failure_rate": math.nan}, {"max_inhibition": -1},
     {"activation_gain": 1.5}, {"time_constant": 0}, {"min_activations": 0}],
)  # fmt: skip
def test_options_outside_their_range(options):
    graph = hebbgraph.Graph.from_edges([0], [1])
    with pytest.raises(ParameterError, match=next(iter(options))):
        hebbgraph.plastify(graph, **options)


def test_arrow_and_mappings_are_the_same_episodes():
    mappings = [{"nodes": ["a", "b", "a"], "outcome": 0.5, "time": MOMENT, "context": {"q": "x"}},
                {"nodes": ["b"], "time": MOMENT, "id": "7"}]  # fmt: skip
    table = pa.table({
        "nodes": pa.array([["a", "b", "a"], ["b"]], pa.large_list(pa.large_string())),
        "outcome": pa.array([0.5, None], pa.float32()),
        "time": pa.array([MOMENT, MOMENT]),
        "context": ['{"q": "x"}', None],
        "id": [None, "7"],
    })  # fmt: skip
    assert rows_of(mappings).to_pylist() == rows_of(table).to_pylist()
    assert rows_of(mappings)["nodes"].to_pylist() == [["a", "b"], ["b"]]
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    assert rows_of(reader).equals(rows_of(table))


def test_kernels_take_nothing_for_granted_about_parallel_edges():
    indptr, indices = np.array([0, 3, 3, 3]), np.array([1, 1, 2], np.int32)
    members, member = np.array([0, 2]), np.array([0, 1])
    by_node, episode = np.array([0, 1, 2, 2]), np.array([0, 0])
    out = np.zeros(3, np.int32)
    kernels.co_activation(indptr, indices, by_node, episode, members, member, 1, out)
    assert out.tolist() == [1, 1, 0]
