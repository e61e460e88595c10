"""Clusters: against plain loops, from pass to pass, in the store."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
import re
import shutil
from pathlib import Path

import lance
import networkx
import numpy as np
import pyarrow as pa
import pytest
import strategies
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import hebbgraph
from hebbgraph import tables
from hebbgraph.cli.main import main
from hebbgraph.cluster_tables import Clusters
from hebbgraph.errors import (
    ConflictError,
    InputError,
    NodeNotFoundError,
    ParameterError,
    SnapshotNotFoundError,
    StoreError,
)
from hebbgraph.plasticity import lineage
from hebbgraph.plasticity.clusters import _partitions, strong_ties

usual = settings(max_examples=60, deadline=None)
SCHEMA_1 = Path(__file__).with_name("stores") / "schema1.zip"


# -- plain loops --------------------------------------------------------------


def naive_ties(graph, threshold):
    """{u, v} → how strongly they are tied."""
    ties: dict[frozenset[int], float] = {}
    for edge in range(graph.n_edges):
        weight = float(graph.weight[edge])
        if weight > threshold or weight < 0:
            pair = frozenset((int(graph.source[edge]), int(graph.indices[edge])))
            ties[pair] = ties.get(pair, 0.0) + weight
    return {pair: tie for pair, tie in ties.items() if tie > threshold}


def naive_cohesion(members, ties):
    inside = sum(2 * tie for pair, tie in ties.items() if pair <= members)
    return inside / sum(tie * len(pair & members) for pair, tie in ties.items())


def jaccard(one, other):
    return len(one & other) / len(one | other)


def naive_ids(new, old, centers, next_id):
    """Ids of new sets of nodes: ``old`` is id → set, ``centers`` id → old center."""
    claims = [
        (-jaccard(one, old[known]), centers[known] not in one, known, row)
        for row, one in enumerate(new)
        for known in old
        if jaccard(one, old[known]) >= 0.5
    ]
    given: dict[int, int] = {}
    for *_, known, row in sorted(claims):
        if row not in given and known not in given.values():
            given[row] = known
    for row in range(len(new)):
        if row not in given:
            given[row] = next_id
            next_id += 1
    return [given[row] for row in range(len(new))], next_id


# -- graphs -------------------------------------------------------------------


@st.composite
def weighted(draw):
    """A graph with weights of every kind, inhibitory ones among them."""
    _, graph = draw(strategies.graphs(max_nodes=14))
    kinds = st.sampled_from(strategies.LEARNED_WEIGHTS)
    weight = draw(st.lists(kinds, min_size=graph.n_edges, max_size=graph.n_edges))
    return dataclasses.replace(graph, weight=np.array(weight, np.float32))


thresholds = st.sampled_from((0.0, 0.5, 1.0, 2.0))


def cliques(*groups, bridges=(), weight=2.0, ids=None):
    """Groups of ids, all pairs within one joined."""
    pairs = [pair for group in groups for pair in itertools.combinations(group, 2)] + list(bridges)
    source, target = zip(*pairs, strict=True)
    return hebbgraph.Graph.from_edges(
        list(source), list(target), weight=weight, node_ids=ids, directed=False
    )


def sets(found):
    return {int(one): set(found.members(int(one))) for one in found.id}


THREE = ([f"a{k}" for k in range(6)], [f"b{k}" for k in range(5)], [f"c{k}" for k in range(4)])
BRIDGES = [("a0", "b0"), ("b1", "c1")]


# -- what a cluster is --------------------------------------------------------


def test_three_cliques():
    found = hebbgraph.clusters(cliques(*THREE, bridges=BRIDGES))
    assert sets(found) == {0: set(THREE[0]), 1: set(THREE[1]), 2: set(THREE[2])}
    assert found.size.tolist() == [6, 5, 4]
    assert found.name == ("a0, a1, a2", "b0, b1, b2", "c0, c1, c2")
    assert found.node_ids.take(pa.array(found.center)).to_pylist() == ["a0", "b0", "c0"]
    assert found.cohesion.tolist() == pytest.approx([30 / 31, 20 / 22, 12 / 13])
    assert found.stability.tolist() == [1, 1, 1]
    assert repr(found) == "Clusters(3 of 15 among 15 nodes)"
    assert found.of("b3") == 1


def test_members_and_labels_say_the_same():
    found = hebbgraph.clusters(cliques(*THREE, ["x", "y"], bridges=BRIDGES))
    assert found.of("x") is None
    assert sum(map(len, sets(found).values())) == 15
    for one in found.id:
        assert (found.label[found.keys(int(one))] == one).all()
    with pytest.raises(InputError, match="no cluster 7 among 3"):
        found.members(7)
    with pytest.raises(NodeNotFoundError, match='no node "a7" among 17'):
        found.of("a7")


def test_new_edges_are_not_strong():
    assert len(hebbgraph.clusters(cliques(*THREE, weight=1))) == 0
    assert len(hebbgraph.clusters(cliques(*THREE, weight=1), weight_threshold=0.5)) == 3


def test_inhibitory_edges_join_nothing():
    graph = cliques(*THREE, bridges=BRIDGES)
    hostile = dataclasses.replace(graph, weight=-graph.weight)
    assert len(hebbgraph.clusters(hostile, weight_threshold=0, min_cluster_size=2)) == 0


def test_inhibition_takes_from_what_joins():
    graph = hebbgraph.Graph.from_edges(
        ["a", "a", "b"], ["b", "b", "c"], relation=["x", "y", "x"], weight=2
    )
    weight = graph.weight.copy()
    weight[1] = -1.5  # a→b by y
    graph = dataclasses.replace(graph, weight=weight)
    assert sets(hebbgraph.clusters(graph, min_cluster_size=2)) == {0: {"b", "c"}}


def test_resolution_makes_clusters_smaller():
    ring = [[f"{group}{k}" for k in range(4)] for group in "abcdefghijklmnopqrstuvwxyz"]
    bridges = [(one[0], other[1]) for one, other in itertools.pairwise([*ring, ring[0]])]
    coarse = hebbgraph.clusters(cliques(*ring, bridges=bridges), resolution=0.1)
    fine = hebbgraph.clusters(cliques(*ring, bridges=bridges), resolution=3)
    assert len(coarse) < len(fine) == 26


def test_planted_groups_are_found_by_weight_alone():
    """Every pair is as likely inside a group as outside; inside it is heavier."""
    rng = np.random.default_rng(0)
    n, group = 600, np.repeat(np.arange(20), 30)
    source, target = rng.integers(0, n, (2, 12_000))
    near = (
        np.concatenate((source, np.arange(n).repeat(8))),
        np.concatenate((target, (np.arange(n).repeat(8) // 30) * 30 + rng.integers(0, 30, 8 * n))),
    )
    weight = np.where(group[near[0]] == group[near[1]], 5.0, 1.1)
    found = hebbgraph.clusters(hebbgraph.Graph.from_edges(*near, weight=weight))
    planted = {frozenset(range(30 * k, 30 * k + 30)) for k in range(20)}
    assert {frozenset(one) for one in sets(found).values()} == planted


def test_empty_graphs():
    none = hebbgraph.clusters(hebbgraph.Graph.from_edges([], []))
    assert (len(none), none.to_dicts(), none.to_arrow().num_rows) == (0, [], 0)
    lonely = hebbgraph.Graph.from_edges([], [], node_ids=["a", "b"])
    assert hebbgraph.clusters(lonely).of("a") is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weight_threshold": -1}, r"weight_threshold: expected a number in \[0, ∞\), got -1"),
        ({"min_cluster_size": 1}, r"min_cluster_size: expected a whole number in \[2, ∞\), got 1"),
        ({"resolution": 0}, r"resolution: expected a number in \(0, ∞\), got 0"),
        ({"seeds": [3]}, r"seeds: expected two or more different whole numbers, got \[3\]"),
        ({"seeds": [3, 3]}, r"seeds: expected two or more different whole numbers, got \[3, 3\]"),
        ({"seeds": 5}, r"seeds: expected two or more different whole numbers, got \[5\]"),
        ({"seeds": [1, -1]}, "seeds: expected a whole number"),
    ],
)
def test_options_outside_their_range(options, said):
    with pytest.raises(ParameterError, match=said):
        hebbgraph.clusters(cliques(*THREE), **options)


# -- held to the oracle -------------------------------------------------------


@usual
@given(weighted(), thresholds)
def test_ties(graph, threshold):
    ties = strong_ties(graph, threshold, np.arange(graph.n_nodes)).tocoo()
    found = dict(
        zip(zip(*(one.tolist() for one in ties.coords), strict=True), ties.data, strict=True)
    )
    want = naive_ties(graph, threshold)
    assert found == {
        tuple(turn): tie for pair, tie in want.items() for turn in itertools.permutations(pair)
    }


@usual
@given(weighted(), thresholds, st.sampled_from((2, 3)))
def test_every_cluster_is_what_it_says(graph, threshold, least):
    found = hebbgraph.clusters(graph, weight_threshold=threshold, min_cluster_size=least)
    ties = naive_ties(graph, threshold)
    strong = networkx.Graph([tuple(pair) for pair in ties])
    assert sorted(found.size, reverse=True) == found.size.tolist()
    assert found.next_id == len(found)
    for row, one in enumerate(found.id):
        members = set(found.keys(int(one)).tolist())
        assert len(members) == found.size[row] >= least
        assert networkx.is_connected(strong.subgraph(members))
        assert found.cohesion[row] == pytest.approx(naive_cohesion(members, ties))
        assert 0 <= found.stability[row] <= 1
        assert int(found.center[row]) in members
        inner = {
            node: sum(tie for pair, tie in ties.items() if node in pair and pair <= members)
            for node in members
        }
        names = graph.ids_of(np.arange(graph.n_nodes)).to_pylist()
        central = sorted(
            members,
            key=lambda node: (
                -inner[node],
                names[node] if isinstance(names[node], int) else names[node].encode(),
            ),
        )
        assert found.name[row] == ", ".join(str(names[node]) for node in central[:3])
        assert found.center[row] == central[0]


@usual
@given(weighted(), thresholds)
def test_quality_is_modularity(graph, threshold):
    ties = strong_ties(graph, threshold, np.arange(graph.n_nodes))
    strong = np.flatnonzero(np.diff(ties.indptr))
    for part in _partitions(ties[strong][:, strong], 1.0, (0, 1)):
        if not strong.size:
            continue
        groups = [set(strong[part.label == one].tolist()) for one in np.unique(part.label)]
        drawn = networkx.Graph()
        drawn.add_weighted_edges_from(
            (*pair, tie) for pair, tie in naive_ties(graph, threshold).items()
        )
        assert part.quality == pytest.approx(networkx.community.modularity(drawn, groups))


labels = st.lists(st.integers(-1, 3), min_size=12, max_size=12)


@usual
@given(labels, labels)
def test_best_overlap(one, other):
    one, other = (np.unique(each, return_inverse=True) for each in ([-1, *one], [-1, *other]))
    one, other = one[1][1:] - 1, other[1][1:] - 1
    found = lineage.best_overlap(one, np.bincount(one[one >= 0]), other)
    for row, value in enumerate(found):
        mine = set(np.flatnonzero(one == row))
        want = [jaccard(mine, set(np.flatnonzero(other == each))) for each in set(other) - {-1}]
        assert value == pytest.approx(max(want, default=0))


def made(groups, *, next_id=None, n=12):
    """Clusters of sets of keys by id; the center is the least key."""
    order = sorted(groups, key=lambda one: (-len(groups[one]), min(groups[one])))
    label = np.full(n, -1)
    for one, members in groups.items():
        label[list(members)] = one
    size = np.array([len(groups[one]) for one in order], np.int64)
    return Clusters(
        label=label, id=np.array(order, np.int64), name=tuple(map(str, order)),
        center=np.array([min(groups[one]) for one in order], np.int64), size=size,
        cohesion=np.ones(size.size), stability=np.ones(size.size),
        next_id=max(groups, default=-1) + 1 if next_id is None else next_id,
    )  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(labels, labels, st.integers(0, 3))
def test_ids_are_carried_as_the_rule_says(before, after, spare):
    old = {
        int(one) + spare: {k for k, each in enumerate(before) if each == one}
        for one in set(before) - {-1}
    }
    groups = sorted(
        ({k for k, each in enumerate(after) if each == one} for one in set(after) - {-1}),
        key=lambda one: (-len(one), min(one)),
    )
    found = made(dict(enumerate(groups)))
    carried = lineage.carry_ids(found, made(old, next_id=9))
    want, next_id = naive_ids(groups, old, {one: min(old[one]) for one in old}, 9)
    assert carried.id.tolist() == want
    assert carried.next_id == next_id
    assert {one: set(carried.keys(one).tolist()) for one in want} == dict(
        zip(want, groups, strict=True)
    )


# -- from pass to pass --------------------------------------------------------


def carried(old, new):
    found = lineage.carry_ids(made(dict(enumerate(new))), made(old))
    return {int(one): set(found.keys(int(one)).tolist()) for one in found.id}


def test_split_keeps_the_id_in_the_greater_part():
    assert carried({4: range(10)}, [range(4, 10), range(4)]) == {
        4: set(range(4, 10)), 5: set(range(4))
    }  # fmt: skip


def test_split_in_halves_keeps_the_id_where_the_center_is():
    assert carried({4: range(10)}, [range(5), range(5, 10)])[4] == set(range(5))


def test_split_in_thirds_is_a_new_beginning():
    assert set(carried({4: range(12)}, [range(4), range(4, 8), range(8, 12)])) == {5, 6, 7}


def test_merge_keeps_the_id_of_the_greater_part():
    assert carried({2: range(4), 3: range(4, 10)}, [range(10)]) == {3: set(range(10))}
    assert carried({2: range(5), 3: range(5, 10)}, [range(10)]) == {2: set(range(10))}


def test_ids_are_not_given_twice():
    first = hebbgraph.clusters(cliques(*THREE))
    gone = hebbgraph.clusters(cliques(*THREE[:2]), previous=first)
    assert sets(gone) == {0: set(THREE[0]), 1: set(THREE[1])}
    again = hebbgraph.clusters(cliques(*THREE), previous=gone)
    assert sets(again) == {0: set(THREE[0]), 1: set(THREE[1]), 3: set(THREE[2])}
    assert again.next_id == 4


@st.composite
def worlds(draw):
    """Ids of a few cliques of four to six, and single edges between them."""
    groups = [
        [f"{name}{k}" for k in range(draw(st.integers(4, 6)))]
        for name in "abcde"[: draw(st.integers(2, 5))]
    ]
    ends = st.tuples(st.sampled_from(groups), st.sampled_from(groups))
    bridges = [
        (one[0], other[1]) for one, other in draw(st.lists(ends, max_size=2)) if one != other
    ]
    return groups, bridges


@usual
@given(worlds(), st.randoms(use_true_random=False))
def test_order_of_nodes_and_edges_does_not_matter(world, chance):
    groups, bridges = world
    known = [node for group in groups for node in group]
    first = hebbgraph.clusters(cliques(*groups, bridges=bridges, ids=known))
    turned = [chance.sample(group, len(group)) for group in chance.sample(groups, len(groups))]
    mixed = cliques(*turned, bridges=chance.sample(bridges, len(bridges)),
                    ids=chance.sample(known, len(known)))  # fmt: skip
    plain = hebbgraph.clusters(mixed)
    assert [plain.of(node) for node in known] == [first.of(node) for node in known]
    assert (plain.name, plain.cohesion.tolist()) == (first.name, first.cohesion.tolist())
    again = hebbgraph.clusters(mixed, previous=first)
    assert sets(again) == sets(first)
    assert again.next_id == first.next_id


@usual
@given(weighted(), st.randoms(use_true_random=False))
def test_any_graph_in_any_order(graph, chance):
    order = np.array(chance.sample(range(graph.n_nodes), graph.n_nodes), np.int64)
    moved = graph.subgraph(graph.ids_of(np.arange(graph.n_nodes)).to_pylist())
    names = moved.node_ids.take(pa.array(order))
    turned = hebbgraph.Graph.from_arrow(
        graph.to_arrow(), nodes=pa.table({"id": names}), directed=graph.directed, ids="exact"
    )
    one, other = (hebbgraph.clusters(each, min_cluster_size=2) for each in (moved, turned))
    assert sets(one) == sets(other)
    assert one.stability.tolist() == other.stability.tolist()


@usual
@given(worlds(), st.data())
def test_one_node_more_keeps_every_id(world, data):
    groups, bridges = world
    first = hebbgraph.clusters(cliques(*groups, bridges=bridges))
    joined = data.draw(st.sampled_from(groups))
    more = [(node, "new") for node in joined[: data.draw(st.integers(1, 4))]]
    again = hebbgraph.clusters(cliques(*groups, bridges=[*bridges, *more]), previous=first)
    assert {node: again.of(node) for group in groups for node in group} == {
        node: first.of(node) for group in groups for node in group
    }
    assert again.next_id == first.next_id
    assert again.of("new") == first.of(joined[0])


# -- in the store -------------------------------------------------------------


@pytest.fixture
def grouped(tmp_path):
    graph = cliques(*THREE, bridges=BRIDGES)
    return hebbgraph.Store.create(tmp_path / "data.lance", graph)


def test_store_keeps_clusters(grouped):
    found = grouped.cluster()
    snapshot = grouped.snapshot()
    assert snapshot.operation == "cluster"
    assert snapshot.versions == {"nodes": 1, "edges": 1, "clusters": 1}
    assert snapshot.figures["clusters"] == 3
    assert snapshot.parameters["seeds"] == [0, 1, 2, 3, 4]
    again = hebbgraph.open(grouped.path).clusters()
    assert again.to_dicts() == found.to_dicts()
    assert again.label.tolist() == found.label.tolist()
    assert (again.of("b2"), again.next_id) == (1, 3)
    assert json.loads(json.dumps(again.to_dicts())) == found.to_dicts()


def test_clusters_that_are_as_they_were_commit_nothing(grouped):
    grouped.cluster()
    seq = grouped.snapshot().seq
    grouped.cluster()
    assert grouped.snapshot().seq == seq
    assert len(grouped.cluster(dry_run=True, min_cluster_size=5)) == 2
    assert grouped.snapshot().seq == seq
    assert len(grouped.cluster(min_cluster_size=5)) == 2
    assert grouped.snapshot().seq == seq + 1


def test_clusters_outlive_later_snapshots_and_compaction(grouped):
    grouped.cluster()
    grouped.add(hebbgraph.Graph.from_edges(["d0", "a1"], ["a0", "d0"], weight=2, directed=False))
    assert grouped.clusters().of("d0") is None
    assert grouped.cluster().of("d0") == 0
    assert grouped.clusters(1).size.tolist() == [6, 5, 4]
    grouped.compact(keep=1)
    assert grouped.clusters().of("d0") == 0
    with pytest.raises(SnapshotNotFoundError, match="no snapshot 1"):
        grouped.clusters(1)


def test_store_without_clusters(grouped):
    with pytest.raises(StoreError, match="snapshot 0 has no clusters; find them with `hebbgraph"):
        grouped.clusters()


def test_ids_are_not_given_twice_after_a_restore(grouped):
    grouped.cluster()
    fourth = list(itertools.combinations(["d0", "d1", "d2", "d3"], 2))
    grouped.add(hebbgraph.Graph.from_edges(*zip(*fourth, strict=True), weight=2, directed=False))
    assert grouped.cluster().of("d0") == 3
    grouped.restore(1)
    assert grouped.clusters().next_id == 4
    other = list(itertools.combinations(["e0", "e1", "e2", "e3"], 2))
    grouped.add(hebbgraph.Graph.from_edges(*zip(*other, strict=True), weight=2, directed=False))
    grouped.compact(keep=1)
    assert grouped.cluster().of("e0") == 4


def test_plain_data_set_is_taken_in(tmp_path):
    path = tmp_path / "edges.lance"
    rows = cliques(*THREE).to_arrow().select(["source", "target", "weight"])
    lance.write_dataset(rows, str(path))
    store = hebbgraph.open(path)
    assert len(store.cluster(dry_run=True)) == 3
    assert store.history() == []
    assert len(store.cluster()) == 3
    assert [one.operation for one in store.history()] == ["import", "cluster"]
    more = pa.table({"source": ["d0", "d0"], "target": ["c0", "c1"], "weight": [2.0, 2.0]})
    lance.write_dataset(more.cast(rows.schema), str(path), mode="append")
    assert store.cluster().of("d0") == 2


def test_a_writer_that_was_overtaken_is_told(grouped, monkeypatch):
    late = hebbgraph.open(grouped.path)
    read = hebbgraph.store.cluster_tables.read

    def overtaken(*arguments):
        monkeypatch.undo()
        grouped.cluster()
        return read(*arguments)

    monkeypatch.setattr(hebbgraph.store.cluster_tables, "read", overtaken)
    with pytest.raises(ConflictError, match="another writer committed snapshot 1"):
        late.cluster()
    assert [one.operation for one in late.history()] == ["import", "cluster"]


@pytest.mark.parametrize("ids", [None, [5, 2**40, 7, 8, -3, 11]])
def test_ids_that_are_integers(tmp_path, ids):
    keys = range(6) if ids is None else ids
    edges = zip(*itertools.combinations(keys, 2), strict=True)
    graph = hebbgraph.Graph.from_edges(*map(list, edges), weight=2, node_ids=ids)
    store = hebbgraph.Store.create(tmp_path / "s.lance", graph)
    found = store.cluster()
    assert set(store.clusters().members(0)) == set(keys)
    assert store.clusters().of(keys[1]) == found.of(keys[1]) == 0
    assert store.cluster().next_id == 1


def test_failed_commit_leaves_no_clusters(grouped, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tables, "insert_once", fail)
    with pytest.raises(StoreError, match="disk is full"):
        grouped.cluster()
    assert not (grouped.path / "clusters.lance").exists()


# -- a store of schema 1 ------------------------------------------------------


@pytest.fixture
def first_schema(tmp_path):
    """A store that the release before clusters wrote."""
    shutil.unpack_archive(SCHEMA_1, tmp_path)
    return hebbgraph.open(tmp_path / "schema1.lance")


def test_schema_1_is_read(first_schema):
    assert [one.operation for one in first_schema.history()] == [
        "import", "plastify", "restore", "plastify",
    ]  # fmt: skip
    assert first_schema.snapshot().versions == {"nodes": 4, "edges": 4}
    assert first_schema.graph().n_inferred == 2
    with pytest.raises(StoreError, match="has no clusters"):
        first_schema.clusters()


@pytest.mark.parametrize("write", ["cluster", "restore", "add", "compact"])
def test_schema_1_is_written(first_schema, write, web):
    before = first_schema.graph().to_arrow()
    if write == "cluster":
        assert first_schema.cluster().of("Web") == 0
        assert first_schema.snapshot().versions["clusters"] == 1
    elif write == "restore":
        assert first_schema.restore(3).seq == 4
        assert first_schema.graph().to_arrow().equals(before)
    elif write == "add":
        assert first_schema.add(hebbgraph.Graph.from_edges(["new"], ["Web"])).seq == 4
    else:
        assert first_schema.compact(keep=2) | {"bytes_freed": 0} == {
            "snapshots": 2, "removed": 2, "bytes_freed": 0,
        }  # fmt: skip
    again = hebbgraph.open(first_schema.path)
    assert again.graph(3).to_arrow().equals(before)
    assert again.cluster().of("Web") == again.clusters().of("Web") == 0
    assert again.cluster(min_cluster_size=2, weight_threshold=0.5).next_id >= 1


# -- a real graph -------------------------------------------------------------


def test_papers_of_one_subject_are_together(data):
    """Cora: citations alone; a cluster's papers are mostly of one subject."""
    folder = data / "planetoid-cora"
    if not folder.is_dir():
        pytest.skip("no Cora here")
    edges = np.loadtxt(folder / "edges.tsv", np.int64, delimiter="\t")
    graph = hebbgraph.Graph.from_edges(edges[:, 0], edges[:, 1], directed=False)
    rows = [line.split("\t") for line in (folder / "labels.tsv").read_text("utf-8").splitlines()]
    subject = {int(node): value for node, value in rows if node.isdigit()}
    found = hebbgraph.clusters(graph, weight_threshold=0.5)
    chance = random.Random(0)
    pairs = [chance.sample(found.keys(int(one)).tolist(), 2) for one in found.id for _ in range(50)]
    together = np.mean([subject[a] == subject[b] for a, b in pairs])
    anywhere = np.mean(
        [
            subject[chance.choice(list(subject))] == subject[chance.choice(list(subject))]
            for _ in range(5000)
        ]
    )
    assert together > 3 * anywhere


# -- from the command line ----------------------------------------------------


@pytest.fixture
def run(grouped, monkeypatch):
    monkeypatch.chdir(grouped.path.parent)

    def call(*arguments, code=0):
        result = CliRunner().invoke(main, [arguments[0], "data.lance", *arguments[1:]])
        assert result.exit_code == code, result.output
        return result.output

    return call


def test_command(run):
    assert "dry run, nothing written" in run("clusters", "--dry-run")
    text = run("clusters", "--limit", "2")
    assert "data.lance  snapshot 1" in text
    assert re.search(r"^ 0 +6 +0\.97 +1\.00 +a0, a1, a2 *$", text, re.M)
    assert "… and 1 more" in text
    assert "3 clusters hold 15 of 15 nodes" in text
    document = json.loads(run("clusters", "--json"))
    assert (document["snapshot"], document["next_id"], len(document["clusters"])) == (1, 3, 3)
    assert document["clusters"][2]["members"] == ["c0", "c1", "c2", "c3"]
    assert run("clusters", "--quiet") == ""
    assert "3 clusters of 15 nodes" in run("history")


def test_command_without_clusters(run):
    assert "no clusters: no 3 nodes hang together by edges above 5" in run(
        "clusters", "--weight-threshold", "5"
    )
    assert "has no clusters; find them with" in run("clusters", "--snapshot", "0", code=1)
    assert "3 clusters" in run("clusters")
    assert "snapshot 1" in run("clusters", "--snapshot", "1")


def test_history_tells_what_tuning_chose(run):
    graph = hebbgraph.Graph.from_edges(*np.random.default_rng(0).integers(0, 40, (2, 900)))
    store = hebbgraph.Store.create("t.lance", graph)
    parent = store.snapshot()
    chosen = {"options": {"rank_by": "surprise", "shrinkage": 3.0}, "tiers": []}
    store.commit(
        graph, base=graph, parent=parent, operation="tune", parameters={"tuned": chosen}, figures={}
    )
    shown = CliRunner().invoke(main, ["history", "t.lance"])
    assert "rank_by surprise, shrinkage 3.0" in shown.output
