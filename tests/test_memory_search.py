"""Search through a memory: from text added to hits found."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import numpy as np
import pytest
from click.testing import CliRunner

import hebbgraph
from hebbgraph.cli.main import main
from hebbgraph.errors import InputError, ParameterError, ProviderError
from hebbgraph.retrieval import opened

TEXTS = [
    {
        "id": "ada",
        "title": "Ada Lovelace",
        "text": "Ada Lovelace wrote the first program for the Analytical Engine.",
    },
    {
        "id": "engine",
        "title": "Analytical Engine",
        "text": "A machine of brass that Charles Babbage designed.",
    },
    {"id": "kim", "title": "회의", "text": "김철수가 검색팀을 맡았다."},
    {"id": "bread", "title": "Bread", "text": "Flour, water, salt and time."},
]


@pytest.fixture
def memory(tmp_path):
    made = hebbgraph.Memory(tmp_path / "data.lance")
    made.add(TEXTS[:3], node_set="work")
    made.add(TEXTS[3:], node_set="kitchen")
    made.cognify()
    made.memify()
    return made


def test_words_names_and_links_lead_to_passages(memory):
    hits = memory.search("Who designed the machine that Ada Lovelace wrote a program for?", k=2)
    assert {hit.document_id for hit in hits} == {"ada", "engine"}
    assert memory.search("김철수", k=1)[0].document_id == "kim"
    assert memory.search("검색팀", k=1)[0].document_id == "kim"
    assert len({hit.passage_id for hit in memory.search("the", k=10)}) <= 4


def test_hits_say_why(memory):
    hit = memory.search("first program", k=1)[0]
    assert hit.document_id == "ada"
    assert hit.passage_id.startswith("ada#")
    assert hit.text == TEXTS[0]["text"]
    assert 0 < hit.score <= 1
    assert hit.path[0].kind == "words"
    with pytest.raises(AttributeError):
        hit.score = 1.0


def test_front_matter_is_not_shown(tmp_path):
    (tmp_path / "n.md").write_text("---\ntags: [a, b]\n---\nTea is hot. Ice is cold. Or so.\n")
    memory = hebbgraph.Memory(tmp_path / "m.lance")
    memory.add(tmp_path / "n.md")
    (hit,) = memory.search("tea", search_type="summaries")
    assert hit.text == "Tea is hot."
    assert memory.search("tea", tags="b")[0].text.startswith("---")
    shown = CliRunner().invoke(main, ["search", str(tmp_path / "m.lance"), "tea"])
    assert "  Tea is hot. Ice is cold." in shown.output
    assert "---" not in shown.output


def test_sets_kinds_and_intents(memory):
    assert {
        hit.document_id for hit in memory.search("water and the engine", node_set="kitchen")
    } == {"bread"}
    found = memory.find("Ada Lovelace", search_type="graph", intent="reasoning_chain")
    assert found.intent == "reasoning_chain"
    assert memory.find("Ada", search_type="rag_completion").note.startswith("no completer is given")
    with pytest.raises(ParameterError, match="search_type: expected one of chunks"):
        memory.search("x", search_type="everything")
    with pytest.raises(ParameterError, match="k: expected"):
        memory.search("x", k=0)


@pytest.mark.parametrize(
    "query", ["", " ", "a", "' OR 1=1 --", 'AND OR NOT "', "東京", "مرحبا", "🙂", "x" * 100_000]
)
def test_odd_queries_are_answered(memory, query):
    assert all(hit.score == hit.score for hit in memory.search(query))


def test_what_is_added_is_found_and_what_is_removed_is_not(memory):
    memory.add({"id": "tea", "text": "Tea is steeped in hot water."})
    assert memory.search("steeped tea", k=1)[0].document_id == "tea"
    memory.remove("tea")
    assert all(hit.document_id != "tea" for hit in memory.search("steeped tea"))


def test_a_memory_without_graph_or_text_is_searched_too(tmp_path):
    empty = hebbgraph.Memory(tmp_path / "empty.lance")
    assert empty.search("anything") == []
    empty.add({"id": "a", "text": "Only text so far."})
    assert empty.search("text", k=1)[0].document_id == "a"


def test_vectors_and_use_stand_beside_their_passages(memory):
    from hebbgraph.retrieval.opened import opened

    bread = memory.search("flour", k=1)[0].passage_id
    memory.record([bread])
    memory.plastify()
    here = opened(memory.store)
    for row, text in enumerate(here.corpus.texts):
        assert (here.corpus.vectors @ here.vector(text)).argmax() == row
    used = [here.corpus.passage_ids[row] for row in here.use.access_count.nonzero()[0]]
    assert used == [bread]
    assert here.catalogue.node_sets[here.corpus.row_of[bread]] == ["kitchen"]


def test_use_of_passages_shows(memory):
    """Passages that were useful together lead to each other once a pass has learned it."""
    by_id = {hit.document_id: hit.passage_id for hit in memory.search("the a of and", k=10)}
    first, second = by_id["ada"], by_id["bread"]
    before = {hit.document_id: hit.activation for hit in memory.search("first program", k=10)}
    for _ in range(3):
        memory.record([first, second], outcome=1.0, kind="search")
    memory.plastify()
    after = {hit.document_id: hit.activation for hit in memory.search("first program", k=10)}
    assert after["bread"] > before.get("bread", 0.0)


def test_feedback_shows_after_the_next_pass(memory):
    found = memory.find("a of the program machine water", record=True)
    ids = {hit.document_id: hit.passage_id for hit in found.hits}
    before = {hit.document_id: hit.parts.importance for hit in found.hits}
    memory.feedback(found.id, useful=[ids["ada"], ids["engine"]], useless=[ids["bread"]])
    memory.plastify()
    after = {
        hit.document_id: hit.parts.importance
        for hit in memory.search("a of the program machine water")
    }
    assert after["ada"] > before["ada"]
    assert after["bread"] < before["bread"]
    with pytest.raises(InputError, match="no recorded search 'nothing'"):
        memory.feedback("nothing", useful=[ids["ada"]])
    with pytest.raises(InputError, match="did not find 'x'"):
        memory.feedback(found.id, useless=["x"])


def test_from_the_command_line(memory):
    path = str(memory.store.path)
    shown = CliRunner().invoke(main, ["search", path, "first program", "-k", "1", "--explain"])
    assert shown.exit_code == 0, shown.output
    assert "Ada Lovelace  ada#" in shown.output
    assert "relevance" in shown.output
    told = CliRunner().invoke(main, ["search", path, "김철수", "--json", "--type", "lexical"])
    assert json.loads(told.output)["hits"][0]["document_id"] == "kim"
    missing = CliRunner().invoke(main, ["search", path + "x", "a"])
    assert missing.exit_code == 1
    assert "no such store; make one with `hebbgraph add FILES" in missing.output


def test_a_query_of_unknown_words_is_told(memory):
    assert memory.find("zzzqqq").note.startswith("no passage has a word of the query")
    assert memory.find("program").note == ""


class _Letters:
    """Counts letters: an embedder that no configuration names."""

    dimensions = 8
    name = "letters:8"

    def embed(self, texts):
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for letter in text:
                out[row, ord(letter) % self.dimensions] += 1
        return out


def test_queries_go_by_the_model_that_made_the_vectors_or_without(tmp_path):
    memory = hebbgraph.Memory(tmp_path / "data.lance")
    memory.add([{"id": "bread", "text": "Flour and salt."}, {"id": "tea", "text": "Hot water."}])
    memory.cognify()
    memory.memify(embedder=_Letters())
    found = memory.find("flour")
    assert found.hits[0].document_id == "bread"
    assert not found.note
    other = hebbgraph.Memory(memory.store.path).find("flour")
    assert [hit.document_id for hit in other.hits] == ["bread"]
    assert "vectors are those of letters:8, which is not at hand" in other.note


@pytest.mark.parametrize(
    ("made", "came"),
    [
        (np.full((2, 8), np.nan, np.float32), "NaN or infinity"),
        (np.ones((1, 8)), r"shape \(1, 8\)"),
    ],
)
def test_vectors_that_no_search_could_read_are_refused(tmp_path, monkeypatch, made, came):
    memory = hebbgraph.Memory(tmp_path / "data.lance")
    memory.add([{"id": "bread", "text": "Flour and salt."}, {"id": "tea", "text": "Hot water."}])
    monkeypatch.setattr(_Letters, "embed", lambda self, texts: made)
    with pytest.raises(ProviderError, match=f"letters:8: expected a finite vector .* {came}"):
        memory.memify(embedder=_Letters())


@pytest.mark.parametrize("size", [None, 0, 100])
def test_a_space_that_is_lost_or_damaged_is_told_and_learned_again(tmp_path, size):
    memory = hebbgraph.Memory(tmp_path / "data.lance")
    memory.add([{"id": "bread", "text": "Flour and salt."}, {"id": "tea", "text": "Hot water."}])
    memory.cognify()
    memory.memify()
    now = datetime(2026, 1, 1, tzinfo=UTC)
    before = memory.search("flour", now=now)
    (place,) = (memory.store.path / "spaces").iterdir()
    if size is None:
        place.unlink()
    else:
        place.write_bytes(place.read_bytes()[:size])
    again = hebbgraph.Memory(memory.store.path)
    assert "memify again" in again.find("flour", now=now).note
    again.memify()
    found = hebbgraph.Memory(memory.store.path).find("flour", now=now)
    assert (list(found.hits), found.note) == (before, "")


def test_what_another_process_prunes_while_it_is_opened_is_opened_anew(memory, monkeypatch):
    other = hebbgraph.Memory(memory.store.path)
    read, left = opened.texts_of, [1]

    def reading(store, snapshot):
        if left:
            left.pop()
            other.add({"id": "new", "text": "Rye is a kind of flour."})
            other.prune(keep=1)
        return read(store, snapshot)

    monkeypatch.setattr(opened, "texts_of", reading)
    assert {hit.document_id for hit in memory.search("flour")} >= {"bread", "new"}
    assert not left
