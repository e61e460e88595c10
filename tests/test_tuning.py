"""Tuning, and what a store, a pass and an explanation make of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

import hebbgraph
from hebbgraph.cli.main import main
from hebbgraph.errors import InputError, ParameterError
from hebbgraph.graph import Graph
from hebbgraph.plasticity import tuning
from hebbgraph.plasticity.holdout import hold_out
from hebbgraph.plasticity.neighborhood import observed_neighborhood


def grouped(nodes: int, edges: int, seed: int = 0) -> Graph:
    """Dense groups of ten, and noise: the more a pair shares, the likelier it is an edge."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, nodes // 10, edges)
    inside = group * 10 + rng.integers(0, 10, (2, edges))
    noise = rng.integers(0, nodes, (2, edges // 2))
    source, target = np.concatenate((inside, noise), axis=1)
    return Graph.from_edges(source, target, directed=False, node_ids=np.arange(nodes))


@pytest.fixture(scope="module")
def graph() -> Graph:
    return grouped(600, 6000)


def test_parts_are_disjoint_and_leave_the_rest(graph: Graph) -> None:
    around = observed_neighborhood(graph)
    held = hold_out(around, np.ones(graph.n_nodes, np.bool_), (0.1, 0.2), np.random.default_rng(1))
    n = graph.n_nodes
    row = np.repeat(np.arange(n), around.degree)
    whole = set((row * n + around.indices)[row < around.indices].tolist())
    first, second = (set(part.tolist()) for part in held.parts)
    assert not first & second
    assert len(first) == round(0.1 * len(whole))
    assert len(second) == pytest.approx(0.2 * len(whole), abs=1)
    left = held.training
    row = np.repeat(np.arange(n), left.degree)
    assert set((row * n + left.indices)[row < left.indices].tolist()) == whole - first - second
    assert set((left.indices * n + row)[row > left.indices].tolist()) == whole - first - second


def test_only_allowed_pairs_are_held_out(graph: Graph) -> None:
    may = np.arange(graph.n_nodes) < 100
    held = hold_out(observed_neighborhood(graph), may, (0.5,), np.random.default_rng(0))
    assert held.parts[0].size
    assert (held.parts[0] // graph.n_nodes < 100).all()
    assert (held.parts[0] % graph.n_nodes < 100).all()


def test_the_third_part_is_measured_as_stated(graph: Graph) -> None:
    found = hebbgraph.tune(graph, seed=3)
    assert found.default.held_out == found.chosen.held_out
    for one in (found.default, found.chosen):
        assert one.precision == one.found / one.proposed
        assert one.recall == one.found / one.held_out
    assert sum(tier.proposed for tier in found.tiers) >= found.chosen.proposed
    assert found.trials[0].found == max(trial.found for trial in found.trials)
    assert found == hebbgraph.tune(graph, seed=3)
    assert found != hebbgraph.tune(graph, seed=4)


def test_a_better_setting_replaces_the_defaults() -> None:
    # Two thirds of the neighbours are noise, so that hardly a pair reaches the default threshold.
    sparse = grouped(2000, 9000)
    found = hebbgraph.tune(sparse)
    assert found.changed
    assert found.options["confidence_threshold"] < 0.6
    assert found.chosen.found > found.default.found


def test_chance_keeps_the_defaults() -> None:
    rng = np.random.default_rng(0)
    noise = Graph.from_edges(*rng.integers(0, 400, (2, 4000)), directed=False)
    found = hebbgraph.tune(noise)
    assert not found.changed
    assert found.options == {
        "rank_by": "overlap_allocation", "confidence_threshold": 0.6, "shrinkage": 0.0,
    }  # fmt: skip


def test_without_a_cap_the_held_out_edges_are_held_out(graph: Graph) -> None:
    assert hebbgraph.tune(graph, max_new_edges_per_node=None).default.found > 0


def test_mcnemar_is_exact() -> None:
    before = np.array([True] * 5 + [False] * 15)
    after = np.array([False] * 2 + [True] * 3 + [True] * 8 + [False] * 7)
    ways = sum(naive.math.comb(10, won) for won in range(8, 11))
    old, new = tuning._Outcome(before, 0), tuning._Outcome(after, 0)
    assert tuning._chance(old, new) == pytest.approx(ways / 2**10)
    assert tuning._chance(old, old) == 1.0


def test_too_few_edges_are_refused() -> None:
    small = Graph.from_edges(["a", "b"], ["b", "c"])
    with pytest.raises(InputError, match=r"tune: expected at least 300 observed pairs"):
        hebbgraph.tune(small)
    with pytest.raises(ParameterError, match="seed: expected a whole number"):
        hebbgraph.tune(small, seed=-1)


def test_a_store_remembers_the_choice(tmp_path: Path) -> None:
    store = hebbgraph.Store.create(tmp_path / "data.lance", grouped(2000, 9000))
    assert store.tune(dry_run=True).changed
    assert len(store.history()) == 1
    chosen = store.tune()
    assert store.current is not None
    assert store.current.operation == "tune"
    assert store.current.tuned["options"] == chosen.options
    seq = store.current.seq
    store.tune()
    assert store.current.seq == seq, "the same choice is not written twice"

    report = store.plastify()
    for name, value in chosen.options.items():
        assert report.parameters[name] == value
    assert store.plastify(confidence_threshold=0.9, dry_run=True).parameters[
        "confidence_threshold"
    ] == 0.9  # fmt: skip
    store.compact(keep=1)
    assert store.current.tuned["options"] == chosen.options
    assert [one.operation for one in store.history()] == ["plastify"]


def test_restoring_an_earlier_snapshot_forgets_the_choice(tmp_path: Path) -> None:
    store = hebbgraph.Store.create(tmp_path / "data.lance", grouped(2000, 9000))
    store.tune()
    store.restore(0)
    assert store.snapshot().tuned == {}
    assert store.plastify().parameters["confidence_threshold"] == 0.6


def run(*arguments: str) -> Any:
    done = CliRunner().invoke(main, [*arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_command_line(tmp_path: Path) -> None:
    path = str(tmp_path / "data.lance")
    hebbgraph.Store.create(path, grouped(2000, 9000))
    said = run("tune", path)
    assert "a choice was made: plastify takes it from here" in said
    assert "precision is a lower bound" in said
    chosen = json.loads(run("tune", path, "--json", "--dry-run"))["options"]
    report = json.loads(run("plastify", path, "--json"))
    assert {name: report["parameters"][name] for name in chosen} == chosen
    report = json.loads(run("plastify", path, "--json", "--shrinkage", "7", "--dry-run"))
    assert report["parameters"]["shrinkage"] == 7
    assert report["parameters"]["rank_by"] == chosen["rank_by"]

    edges = hebbgraph.open(path).graph().to_arrow()
    likely = edges.filter(pa.compute.greater(edges["confidence"], 0.6)).to_pylist()[0]
    ends = str(likely["source"]), str(likely["target"])
    explained = json.loads(run("explain", path, *ends, "--json"))
    assert explained["measured"]["relation"] == explained["relation"]
    assert "were edges held out" in run("explain", path, *ends)


def test_inferred_edges_keep_their_evidence() -> None:
    edges = [("a", "x"), ("a", "y"), ("a", "z"), ("a", "w"), ("b", "x"), ("b", "y"), ("b", "z"),
             ("b", "w"), ("c", "w"), ("d", "w"), ("c", "z"), ('"q\\', "x")]  # fmt: skip
    graph = Graph.from_edges(*zip(*edges, strict=True))
    learned, _ = hebbgraph.plastify(graph)
    for edge in learned.to_arrow().to_pylist():
        if edge["discovered_by"] is None:
            assert edge["properties"] is None
            continue
        why = hebbgraph.explain(graph, edge["source"], edge["target"])
        expected = [one.id for one in why.shared_neighbors[:3]]
        assert json.loads(edge["properties"]) == {"evidence": expected}
    assert hebbgraph.plastify(learned)[0] is learned


@pytest.mark.parametrize("rank_by", ["overlap_allocation", "confidence", "surprise"])
def test_partners_are_those_of_discovery(graph: Graph, rank_by: Any) -> None:
    options: dict[str, Any] = {"rank_by": rank_by, "confidence_threshold": 0.3}
    partners = hebbgraph.Partners(graph, **options)
    for node in range(0, graph.n_nodes, 29):
        found = hebbgraph.discover(graph, nodes=[node], **options).to_arrow().to_pylist()
        expected = {
            (row["source"] if row["target"] == node else row["target"], row["shared"], row["rank"])
            for row in found
        }
        got = partners.of(node)
        assert {(one.id, one.shared, one.rank) for one in got} == expected
        assert [one.rank for one in got] == sorted((one.rank for one in got), reverse=True)
        assert partners.of(node, limit=1) == got[:1]
    with pytest.raises(ParameterError, match="limit: expected a whole number"):
        partners.of(0, limit=0)


def test_batches_hold_what_discovery_without_a_cap_does(graph: Graph) -> None:
    whole = hebbgraph.discover(graph, max_new_edges_per_node=None, confidence_threshold=0.3)
    reader = hebbgraph.discover_batches(graph, confidence_threshold=0.3)
    assert reader.schema.equals(whole.to_arrow().schema)
    got = reader.read_all().sort_by([("source", "ascending"), ("target", "ascending")])
    assert got.equals(whole.to_arrow().combine_chunks()) or got.to_pylist() == (
        whole.to_arrow().sort_by([("source", "ascending"), ("target", "ascending")]).to_pylist()
    )
    nothing = hebbgraph.discover_batches(Graph.from_edges(["a"], ["b"]))
    assert nothing.read_all().num_rows == 0
