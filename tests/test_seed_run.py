"""The one published run of the system that this package follows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
import strategies
from strategies import evidence

import hebbgraph
from hebbgraph.graph import Graph
from hebbgraph.plasticity import hebbian

RUN = Path(__file__).parents[2] / "shared" / "data" / "seed-plastify-run" / "run.json"
pytestmark = pytest.mark.skipif(not RUN.exists(), reason="the published run is not at hand")


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(RUN.read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="module")
def graph(run: dict[str, Any]) -> Graph:
    source, target, relation = zip(*run["base_edges_directed"], strict=True)
    return Graph.from_edges(source, target, relation=relation)


def test_uncapped_discovery_finds_176_pairs(graph: Graph) -> None:
    assert (graph.n_nodes, graph.n_edges) == (61, 129)
    found = hebbgraph.discover(graph, max_new_edges_per_node=None)
    assert len(found) == 176
    assert found.confidence.mean() == pytest.approx(0.956, abs=0.0005)


@pytest.mark.parametrize("rank_by", ["resource_allocation", "confidence"])
def test_capped_discovery_is_the_oracle_s(graph: Graph, rank_by: Any) -> None:
    expected = naive.discover(strategies.describe(graph), rank_by=rank_by)
    found = hebbgraph.discover(graph, rank_by=rank_by)
    assert found.source.tolist() == [pair.source for pair in expected]
    assert found.target.tolist() == [pair.target for pair in expected]


def test_strengthening_gives_the_run_s_weights(run: dict[str, Any], graph: Graph) -> None:
    """w = 1 + 0.1·ln(1 + f) for every count that the run states."""
    counts = run["co_occurrence_by_source"]
    count = np.array([counts[graph.id(key)] for key in graph.source], np.int32)
    weight = hebbian.rule(evidence(graph, count))
    np.testing.assert_allclose(weight, 1 + 0.1 * np.log(1 + count), rtol=1e-6)


def test_a_pass_gives_every_edge_its_own_count_s_weight(graph: Graph) -> None:
    learned, _ = hebbgraph.plastify(graph, competition_rate=0, discover=False)
    count = learned.co_occurrence_count
    assert count.max() > 0
    np.testing.assert_allclose(learned.weight, 1 + 0.1 * np.log1p(count), rtol=1e-6)
