"""What the systems this one learned from got wrong, each held right here.

Twenty recorders at once are in ``test_episodes.py``.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

import hebbgraph
from hebbgraph.cli.main import main
from hebbgraph.errors import InputError, ProviderError

NOW = datetime(2025, 6, 1, tzinfo=UTC)
IDS = [f"n{k:03}" for k in range(700)]


@pytest.fixture
def ring() -> hebbgraph.Graph:
    return hebbgraph.Graph.from_edges(IDS, [*IDS[1:], IDS[0]], time=[NOW] * len(IDS))


def used(graph, times, outcome):
    episodes = [{"nodes": [one], "outcome": outcome, "time": NOW} for one in IDS] * times
    return hebbgraph.plastify(graph, episodes=episodes, now=NOW, discover=False)[0]


def test_consolidation_looks_at_every_node_and_lifts_by_one_tier_a_call(ring):
    graph = used(ring, 12, 1.0)
    for tier in (1, 2, 3):
        graph, report = hebbgraph.consolidate(graph, now=NOW)
        assert set(graph.use.tier.tolist()) == {tier}
        assert report.promoted == len(IDS)


def test_learned_failures_do_not_expire(ring):
    graph = used(ring, 1, -1.0)
    later, report = hebbgraph.consolidate(graph, now=NOW + timedelta(days=400))
    assert report.expired == ()
    assert later.n_edges == len(IDS)


def test_export_leaves_out_no_node_time_or_property(ring, tmp_path):
    nodes = pa.table({"id": IDS, "properties": [json.dumps({"place": k}) for k in range(len(IDS))]})
    store = hebbgraph.Store.create(tmp_path / "a.lance", ring.with_nodes(nodes))
    store.record([IDS[0]], time=NOW)
    store.plastify(now=NOW)
    place = [str(tmp_path / name) for name in ("edges.jsonl", "nodes.jsonl", "b.lance")]
    for command in (
        ["export", str(store.path), place[0], "--nodes", place[1]],
        ["import", place[0], place[2], "--nodes", place[1]],
    ):
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
    again = hebbgraph.open(place[2]).graph()
    before = store.graph()
    assert again.n_nodes == before.n_nodes
    assert again.to_arrow().equals(before.to_arrow())
    assert again.node_properties.equals(before.node_properties)
    assert again.use.equals(before.use)


def test_linking_twice_is_one_edge_and_a_loop_is_none(tmp_path):
    store = hebbgraph.Store.create(tmp_path / "a.lance", hebbgraph.Graph.from_edges(["a"], ["b"]))
    store.add(hebbgraph.Graph.from_edges(["a", "a", "a"], ["b", "b", "a"]))
    assert store.graph().n_edges == 1
    memory = hebbgraph.Memory(store.path)
    memory.link("a", "b", "caused")
    memory.link("a", "b", "caused")
    assert store.graph().n_edges == 2
    with pytest.raises(InputError, match="cannot be linked to itself"):
        memory.link("a", "a")


def test_a_decision_may_be_part_of_a_session(tmp_path):
    memory = hebbgraph.Memory(tmp_path / "a.lance")
    decision = {"id": "d", "title": "Use Lance", "kind": "decision", "rationale": "It is fast."}
    memory.add([decision, {"id": "s", "text": "The review.", "kind": "session"}])
    assert memory.link("d", "s", "part_of").added == 1


class Broken:
    """An embedder whose vectors are not numbers."""

    name = "broken"
    dimensions = 4

    def embed(self, texts):
        from hebbgraph.providers.vectors import checked_vectors

        vectors = np.full((len(texts), 4), np.nan)
        return checked_vectors(vectors, texts, name=self.name, dimensions=4)


def test_a_vector_that_is_no_number_reaches_no_table(tmp_path):
    memory = hebbgraph.Memory(tmp_path / "text.lance")
    memory.add({"id": "a", "text": "Ada wrote a program."})
    with pytest.raises(ProviderError, match="came NaN or infinity"):
        memory.memify(embedder=Broken())
    assert memory.search("program", k=1)[0].document_id == "a"


def test_documents_of_one_title_are_all_kept(tmp_path):
    memory = hebbgraph.Memory(tmp_path / "text.lance")
    memory.add([{"id": "a", "title": "Notes", "text": "First about rivers."},
                {"id": "b", "title": "Notes", "text": "Second about mountains."}])  # fmt: skip
    memory.cognify()
    assert {hit.document_id for hit in memory.search("notes")} == {"a", "b"}


def test_a_name_is_found_with_its_particle(tmp_path):
    memory = hebbgraph.Memory(tmp_path / "text.lance")
    memory.add({"id": "kim", "text": "김철수가 검색팀을 맡았다."})
    assert memory.search("김철수", k=1)[0].document_id == "kim"
