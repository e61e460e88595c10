"""Tiers and the archive, held to loops."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from datetime import datetime, timedelta

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import LEARNED_WEIGHTS, MOMENT, NOW, build, describe, plains

import hebbgraph
from hebbgraph.edgelist import UNDATED
from hebbgraph.errors import InputError, NodeNotFoundError, ParameterError
from hebbgraph.plasticity.archive import unarchive

HOUR = naive.DAY // 24
AGES = (72 * HOUR, 90 * naive.DAY, 365 * naive.DAY)
NAMES = ("access_count", "success_count", "failure_count", "tier", "created_at", "activated_at",
         "archived_at")  # fmt: skip


@dataclass
class Life:
    """Use of one node; times are None where there is none."""

    access: int
    success: int
    failure: int
    tier: int
    created: int | None
    activated: int | None
    archived: int | None


def step(
    lives: list[Life], edges: list[naive.Edge], now: int
) -> tuple[list[Life], dict[str, list[int]]]:
    """One consolidation, node by node."""
    after, told = [], {name: [] for name in ("up", "down", "expired", "protected", "back")}
    if not any(one.access for one in lives):
        return lives, told
    for node, one in enumerate(lives):
        mine = [edge for edge in edges if node in edge.ends]
        new = dataclasses.replace(one, created=now if one.created is None else one.created)
        outcomes = one.success + one.failure
        if one.archived is not None:
            if mine or (one.activated is not None and one.activated > one.archived):
                told["back"].append(node)
                new.archived, new.created = None, now
            after.append(new)
            continue
        earned = (
            one.access >= 3 if one.tier == 0
            else one.access >= 10 if one.tier == 1
            else one.tier == 2 and outcomes >= 10 and one.success / outcomes >= 0.8
        )  # fmt: skip
        if earned:
            told["up"].append(node)
            new.tier += 1
        elif one.tier == 3:
            if outcomes >= 10 and one.success / outcomes < 0.6:
                told["down"].append(node)
                new.tier = 2
        elif one.created is not None and now - one.created > AGES[one.tier]:
            if one.failure or any(edge.weight < 0 for edge in mine):
                told["protected"].append(node)
            else:
                told["expired"].append(node)
                new.archived = now
        after.append(new)
    return after, told


def edges_of(graph: hebbgraph.Graph) -> dict[tuple[int, int, str], tuple[float, int | None]]:
    return {(edge.source, edge.target, edge.relation): (edge.weight, edge.time)
            for edge in describe(graph).edges}  # fmt: skip


counts = st.sampled_from((0, 0, 1, 2, 3, 4, 9, 10, 12))
moments = st.sampled_from((None, NOW, NOW - AGES[0], NOW - AGES[0] - 1, NOW - AGES[1] - 1,
                           NOW - AGES[2], NOW - AGES[2] - 1, NOW + HOUR))  # fmt: skip
lives = st.builds(
    Life, counts, counts, counts, st.integers(0, 3), moments, moments,
    st.none() | st.sampled_from((NOW - naive.DAY, NOW - AGES[2] - HOUR)),
)  # fmt: skip


def use_of(known: list[Life]) -> hebbgraph.NodeUse:
    def times(values: list[int | None]) -> np.ndarray:
        return np.array([UNDATED if at is None else at for at in values], np.int64)

    none = hebbgraph.NodeUse.none(len(known))
    return dataclasses.replace(
        none,
        access_count=np.array([one.access for one in known], np.int32),
        success_count=np.array([one.success for one in known], np.int32),
        failure_count=np.array([one.failure for one in known], np.int32),
        tier=np.array([one.tier for one in known], np.int8),
        created_at=times([one.created for one in known]),
        activated_at=times([one.activated for one in known]),
        archived_at=times([one.archived for one in known]),
    )


@st.composite
def populated(draw: st.DrawFn) -> tuple[hebbgraph.Graph, list[Life]]:
    plain = draw(plains(max_nodes=7))
    n, graph = len(plain.ids), build(plain)
    weights = st.lists(st.sampled_from(LEARNED_WEIGHTS), min_size=graph.n_edges,
                       max_size=graph.n_edges)  # fmt: skip
    graph = dataclasses.replace(graph, weight=np.array(draw(weights), np.float32))
    known = draw(st.lists(lives, min_size=n, max_size=n))
    return dataclasses.replace(graph, use=use_of(known)), known


@given(populated())
@settings(deadline=None)
def test_consolidation_as_the_loop_has_it(case):
    graph, known = case
    after, told = step(known, describe(graph).edges, NOW)
    got, report = hebbgraph.consolidate(graph, now=MOMENT)
    want = use_of(after)
    for name in NAMES:
        assert np.array_equal(getattr(got.use, name), getattr(want, name)), name
    ids = graph.ids_of(np.arange(graph.n_nodes)).to_pylist()
    assert (report.promoted, report.demoted) == (len(told["up"]), len(told["down"]))
    assert report.expired == tuple(ids[node] for node in told["expired"])
    assert report.revived == tuple(ids[node] for node in told["back"])
    assert report.protected == len(told["protected"])
    assert report.changed == (got is not graph)
    gone = {*told["expired"]}
    before, left = edges_of(graph), edges_of(got)
    away = edges_of(report.archive)
    assert left == {name: edge for name, edge in before.items() if not gone & {*name[:2]}}
    assert away == {name: edge for name, edge in before.items() if gone & {*name[:2]}}
    assert report.archived_edges == len(away)
    if told["expired"]:
        back, archive = unarchive(got, report.archive, report.expired, now=MOMENT)
        assert edges_of(back) == before
        assert archive.n_edges == 0
        assert not back.use.archived[sorted(gone)].any()


@given(populated())
@settings(deadline=None)
def test_nothing_moves_by_more_than_one_step(case):
    graph, _ = case
    got, _ = hebbgraph.consolidate(graph, now=MOMENT)
    assert np.abs(got.use.tier.astype(int) - graph.use.tier).max() <= 1
    # What goes does not climb, what comes back does not go in the same call.
    both = got.use.archived & ~graph.use.archived
    assert np.array_equal(got.use.tier[both], graph.use.tier[both])


@given(populated())
@settings(deadline=None)
def test_explanations_say_what_happens(case):
    graph, _ = case
    if not graph.use.access_count.any():
        return
    got, report = hebbgraph.consolidate(graph, now=MOMENT)
    for key in range(graph.n_nodes):
        why = hebbgraph.explain_tier(graph, graph.id(key), now=MOMENT)
        tier, was = int(got.use.tier[key]), int(graph.use.tier[key])
        happened = (
            "expires" if graph.id(key) in report.expired
            else "comes back" if graph.id(key) in report.revived
            else {1: "is promoted", 0: "stays", -1: "is demoted"}[tier - was]
        )  # fmt: skip
        assert why.next == happened
        assert (why.missing is None) == (was == 3 or happened == "is promoted") or why.archived_at
        if why.expires_at is not None:
            assert (why.expires_at < MOMENT) == (happened == "expires")
        assert str(why)


def used(node_uses: dict[str, int], *, outcome: float = 0.0) -> hebbgraph.Graph:
    graph = hebbgraph.Graph.from_edges(["a", "b", "c", "d"], ["b", "c", "d", "e"])
    episodes = [
        {"nodes": [node], "time": MOMENT, "outcome": outcome}
        for node, times in node_uses.items()
        for _ in range(times)
    ]
    return hebbgraph.plastify(graph, episodes=episodes, now=MOMENT, discover=False)[0]


def test_a_node_takes_three_calls_to_the_top():
    """One call lifted a node from L0 to L3 where this was first done."""
    graph = used({"a": 20}, outcome=1.0)
    tiers = []
    for _ in range(4):
        graph, _ = hebbgraph.consolidate(graph, now=MOMENT)
        tiers.append(int(graph.use.tier[graph.key("a")]))
    assert tiers == [1, 2, 3, 3]


def test_all_nodes_are_looked_at():
    """Not the newest 500 only."""
    n = 2_000
    graph = hebbgraph.Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    use = dataclasses.replace(
        hebbgraph.NodeUse.none(n), access_count=np.full(n, 5, np.int32), created_at=np.arange(n)
    )
    moved, report = hebbgraph.consolidate(dataclasses.replace(graph, use=use), now=MOMENT)
    assert report.promoted == n
    assert (moved.use.tier == 1).all()


def test_learned_failures_are_kept():
    """Pruning deleted them where this was first done."""
    graph = used({"a": 1})
    failed = [{"nodes": ["b", "c"], "outcome": -1.0, "time": MOMENT}] * 10
    graph, _ = hebbgraph.plastify(graph, episodes=failed, now=MOMENT, discover=False)
    assert graph.weight.min() < 0
    graph, _ = hebbgraph.consolidate(graph, now=MOMENT)
    old = MOMENT + timedelta(days=1000)
    for _ in range(5):
        graph, report = hebbgraph.consolidate(graph, now=old)
        old += timedelta(days=1000)
    assert graph.neighbors("b") == ["c"]
    assert graph.weight.tolist() == [pytest.approx(graph.weight.min())]
    assert report.protected == 2
    why = hebbgraph.explain_tier(graph, "b", now=old)
    assert (why.kept_because, why.expires_at) == ("10 failures were learned from it", None)


def test_an_inhibitory_inferred_edge_is_not_withdrawn():
    """It would be found again at weight 1, and the failure be forgotten."""
    graph = hebbgraph.Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
    graph, _ = hebbgraph.plastify(graph, now=MOMENT)
    told = [{"nodes": ["a", "b"], "outcome": -1.0, "kind": "correction", "time": MOMENT}] * 9
    graph, _ = hebbgraph.plastify(graph, episodes=told, now=MOMENT)
    pair = graph.incident("a")[graph.is_inferred[graph.incident("a")]]
    assert graph.weight[pair].tolist() == [-2.0]
    kept, _ = hebbgraph.plastify(graph, now=MOMENT, min_shared_neighbors=3)
    assert kept.weight[kept.is_inferred].tolist() == [-2.0]


def test_a_graph_without_use_has_no_clocks():
    graph = hebbgraph.Graph.from_edges(["a"], ["b"])
    for days in (0, 4, 4_000):
        same, report = hebbgraph.consolidate(graph, now=MOMENT + timedelta(days=days))
        assert same is graph
        assert not report.changed
    why = hebbgraph.explain_tier(graph, "a")
    assert why.kept_because == "nothing in this graph has been used yet"
    assert why.missing == "0 of 3 uses"


def test_the_clock_of_an_unused_node_starts_at_its_first_consolidation():
    graph = used({"a": 3})
    late = MOMENT + timedelta(days=50)
    first, report = hebbgraph.consolidate(graph, now=late)
    assert report.expired == ()
    soon, report = hebbgraph.consolidate(first, now=late + timedelta(hours=72))
    assert soon is first
    _, report = hebbgraph.consolidate(first, now=late + timedelta(hours=73))
    assert report.expired == ("b", "c", "d", "e")


def test_use_brings_a_node_back(tmp_path):
    store = hebbgraph.Store.create(tmp_path / "s.lance", used({"a": 3, "b": 1}))
    before = store.graph().to_arrow()
    store.consolidate(now=MOMENT)
    days = [MOMENT + timedelta(days=day) for day in range(10)]
    assert store.consolidate(now=days[4]).expired == ("b", "c", "d", "e")
    assert store.graph().n_edges == 0
    store.record(["b", "c"], time=days[5])
    store.plastify(now=days[5], discover=False)
    report = store.consolidate(now=days[6])
    assert report.revived == ("b", "c")
    graph = store.graph()
    rows = [row for row in before.to_pylist() if {row["source"], row["target"]} <= {*"abc"}]
    got = graph.to_arrow().to_pylist()
    assert [row["weight"] for row in got] == [row["weight"] for row in rows]
    assert graph.neighbors("d") == []
    assert store.unarchive(["d", "e"], now=days[6]).operation == "unarchive"
    back = store.graph()
    assert (
        back.to_arrow()
        .select(["source", "target", "weight"])
        .equals(before.select(["source", "target", "weight"]))
    )
    assert back.use.tier.tolist() == [1, 0, 0, 0, 0]
    assert not back.use.archived.any()


def test_a_store_keeps_its_archive_through_restore_and_compact(tmp_path):
    store = hebbgraph.Store.create(tmp_path / "s.lance", used({"a": 3}))
    store.consolidate(now=MOMENT)
    here = store.current.seq
    later = MOMENT + timedelta(days=4)
    dry = store.consolidate(now=later, dry_run=True)
    assert (dry.expired, dry.archived_edges) == (("b", "c", "d", "e"), 4)
    assert store.current.seq == here
    gone = store.consolidate(now=later)
    assert (gone.expired, gone.snapshot) == (dry.expired, here + 1)
    assert store.current.figures["expired"] == 4
    store.restore(here)
    assert store.graph().n_edges == 4
    with pytest.raises(InputError, match='"b" is not in the archive'):
        store.unarchive(["b"])
    store.restore(here + 1)
    store.compact(keep=1)
    again = hebbgraph.open(store.path)
    assert again.graph().n_edges == 0
    with pytest.raises(NodeNotFoundError, match="zed"):
        again.unarchive(["zed"])
    again.unarchive(list("bcde"), now=later)
    assert again.graph().n_edges == 4
    assert again.consolidate(now=later).changed is False


def test_importing_an_archived_edge_brings_its_node_back(tmp_path):
    store = hebbgraph.Store.create(tmp_path / "s.lance", used({"a": 3}))
    weight = np.array([1.5, 1.0, 1.0, 1.0], np.float32)
    parent, base = store.snapshot(), store.graph()
    store.commit(dataclasses.replace(base, weight=weight), base=base, parent=parent,
                 operation="turn", parameters={}, figures={})  # fmt: skip
    store.consolidate(now=MOMENT)
    store.consolidate(now=MOMENT + timedelta(days=4))
    store.add(hebbgraph.Graph.from_edges(["a"], ["b"]))
    report = store.consolidate(now=MOMENT + timedelta(days=5))
    assert report.revived == ("b",)
    assert store.graph().weight.tolist() == [1.5]


@pytest.mark.parametrize(
    "options",
    [{"min_uses": (3,)}, {"min_uses": (0, 1)}, {"max_age": (1, 2)}, {"max_age": (1, 2, 0)},
     {"min_outcomes": 0}, {"success_rate": 2}, {"demotion_rate": 0.9}, {"now": datetime(2025, 1, 1)}],
)  # fmt: skip
def test_options_outside_their_range(options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        hebbgraph.consolidate(used({"a": 1}), **options)
