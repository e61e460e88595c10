"""From what was extracted to a graph: by rule, by a model that fails in every way, by a file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from conftest import tree
from hypothesis import given
from hypothesis import strategies as st
from model_server import ModelServer, broken, dropped, malformed, slow, status
from test_memory import ADA, GENEVA, WHO, edges

import hebbgraph
from hebbgraph import graph_tables, text_tables
from hebbgraph.errors import InputError, ParameterError, ProviderError
from hebbgraph.ingest import json_columns, name_vectors
from hebbgraph.ingest.answers import Answers, content_hash
from hebbgraph.ingest.passages import passages
from hebbgraph.ingest.reading import documents
from hebbgraph.ingest.rules.extract import extract
from hebbgraph.ingest.similar import similar_edges
from hebbgraph.providers.lsa import LsaEmbedder
from hebbgraph.providers.ollama import OllamaCompleter

TOWNS = [{"id": f"t{n}", "text": f"Town{n} lies on the river."} for n in range(12)]
ANSWER = {
    "entities": [{"name": "Geneva", "type": "City"}, {"name": "Lake Geneva", "type": "lake"}],
    "relations": [{"subject": "Geneva", "predicate": "lies on", "object": "Lake Geneva"}],
}


@pytest.fixture(autouse=True)
def _no_models(monkeypatch):
    for name in ("HEBBGRAPH_COMPLETER", "HEBBGRAPH_EMBEDDER", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def memory(tmp_path) -> hebbgraph.Memory:
    return hebbgraph.Memory(tmp_path / "data.lance")


@pytest.fixture
def server():
    with ModelServer() as running:
        running.answers = [json.dumps(ANSWER)]
        yield running


def model(server, **options) -> OllamaCompleter:
    return OllamaCompleter(
        "qwen3:8b", host=server.url, **{"first_wait": 0.01, "timeout": 5, **options}
    )


# -- by rule -----------------------------------------------------------------------


def naive(items: list[dict]) -> dict[tuple[str, str, str], int]:
    """Edges and their evidence, by plain loops over the rows of an extraction."""
    read = sorted(documents(items), key=lambda one: one.id)
    cut = [passage for document in read for passage in passages(document)]
    found = extract(read, cut)
    taken = {one.id for one in read} | {one.id for one in cut}
    names = [
        f"{key} (entity)" if key in taken else key for key in found.entities["key"].to_pylist()
    ]
    counts: Counter[tuple[str, str, str]] = Counter()
    for passage in cut:
        counts[passage.id, "part_of", passage.document] = 1
    for row in found.mentions.to_pylist():
        counts[cut[row["passage"]].id, "mentions", names[row["entity"]]] += row["count"]
    for row in found.links.to_pylist():
        counts[cut[row["passage"]].id, "links", read[row["document"]].id] += row["count"]
    for document, entity in zip(read, found.title_entities.tolist(), strict=True):
        if entity >= 0:
            counts[document.id, "about", names[entity]] = 1
    for row in found.relations.to_pylist():
        if row["predicate"] != "mentioned_with":
            triple = names[row["subject"]], row["predicate"], names[row["object"]]
            counts[triple] += row["count"]
    return dict(counts)


def evidence(memory: hebbgraph.Memory) -> dict[tuple[str, str, str], int]:
    """Of edges that text states, but those between documents: see ``test_relatedness.py``."""
    rows = text_tables.read(memory.store.path, memory.store.snapshot(), "documents", ["id"])
    read = set(rows["id"].to_pylist())
    return {
        key: json.loads(value[1])["text_evidence"]
        for key, value in edges(memory).items()
        if value[1] and not read.issuperset((key[0], key[2]))
    }


ITEMS = [
    WHO,
    GENEVA,
    ADA,
    {"id": "geneva", "text": "Geneva, again. See Ada Lovelace. Ada Lovelace worked with Geneva."},
    {"id": "k", "title": "김철수", "text": "김철수가 결제 장애를 고쳤다. 김철수는 서울에 산다."},
    {"id": "none", "text": "nothing here"},
    {"id": "blank", "title": "Geneva", "text": " "},
]


def test_edges_and_evidence_are_those_of_plain_loops(memory):
    memory.add(ITEMS)
    done = memory.cognify()
    wanted = naive(ITEMS)
    assert evidence(memory) == wanted
    assert done.mentions == sum(relation == "mentions" for _, relation, _ in wanted)
    assert done.links == sum(relation == "links" for _, relation, _ in wanted) > 0
    assert done.passages == done.answered == 6
    assert all(edges(memory)[key][0] == 1 for key in wanted)


def test_real_text_agrees_with_plain_loops(memory, data):
    path = data / "hotpotqa-dev200" / "corpus.jsonl"
    items = [json.loads(line) for line in path.read_text("utf-8").splitlines()[:150]]
    memory.add(items)
    memory.cognify()
    assert evidence(memory) == naive(items)


def test_a_relation_names_the_passages_that_state_it(memory):
    text = "Ada Lovelace worked with Charles Babbage."
    memory.add([
        {"id": "b", "text": text, "time": "2021-01-01"}, {"id": "a", "text": text + " " + text},
        {"id": "c", "text": "Ada Lovelace wrote. Charles Babbage built."},
    ])  # fmt: skip
    memory.cognify()
    said = json.loads(edges(memory)["ada lovelace", "worked_with", "charles babbage"][1])
    assert list(said) == ["text_evidence", "passages", "valid_from"]
    assert (said["text_evidence"], said["passages"]) == (3, ["a#0", "b#0"])


def test_korean_particles_do_not_part_names(memory):
    memory.add([
        {"id": "a", "title": "김철수", "text": "김철수가 서울에서 결제 장애를 고쳤다."},
        {"id": "b", "text": "결제 장애는 김철수에게 맡긴다."},
    ])  # fmt: skip
    memory.cognify()
    assert {"a#0", "b#0"} == {
        source for source, relation, target in edges(memory)
        if relation == "mentions" and target == "김철수"
    }  # fmt: skip
    assert ("b#0", "links", "a") in edges(memory)


def test_an_entity_with_the_id_of_a_document_is_told_apart(memory):
    memory.add([{"id": "geneva", "text": "Geneva lies on Lake Geneva."}])
    memory.cognify()
    nodes = {row["id"]: row["type"] for row in memory.graph().nodes_to_arrow().to_pylist()}
    assert nodes["geneva"] == "document"
    assert nodes["geneva (entity)"] == "name"


def test_the_newest_time_dates_an_edge(memory):
    text = "Ada Lovelace worked with Charles Babbage."
    memory.add([
        {"id": str(year), "text": text, "time": f"{year}-01-01"} for year in (2021, 2023, 2022)
    ])  # fmt: skip
    memory.cognify()
    found = edges(memory)
    assert found["ada lovelace", "worked_with", "charles babbage"][2].year == 2023
    assert found["2021#0", "mentions", "ada lovelace"][2].year == 2021
    memory.remove("2023")
    assert edges(memory)["ada lovelace", "worked_with", "charles babbage"][2].year == 2022


# -- by a model --------------------------------------------------------------------


def test_a_model_names_entities_types_and_relations(memory, server):
    memory.add([GENEVA, ADA])
    done = memory.cognify(completer=model(server))
    assert (done.by, done.asked, done.answered, done.failures) == (
        "ollama:qwen3:8b", 2, 2, {},
    )  # fmt: skip
    found = edges(memory)
    assert ("geneva", "lies on", "lake geneva") in found
    assert ("town#0", "mentions", "lake geneva") in found
    types = {row["id"]: row["type"] for row in memory.graph().nodes_to_arrow().to_pylist()}
    assert types["geneva"] == "city"
    prompt = server.bodies()[0]["messages"][-1]["content"]
    assert "Title: Geneva" in prompt or "Title: Ada Lovelace" in prompt
    # Nothing new costs no call; what is new one call each.
    assert not memory.cognify(completer=model(server)).changed
    memory.add(WHO)
    memory.cognify(completer=model(server))
    assert len(server.requests) == 3
    # Without the model its answers stand, and rules are a word away.
    memory.remove("ada")
    assert len(server.requests) == 3
    assert ("geneva", "lies on", "lake geneva") in edges(memory)
    assert memory.cognify(by="rules").by == "rules"
    assert ("geneva", "lies on", "lake geneva") not in edges(memory)
    memory.cognify(completer=model(server))
    assert len(server.requests) == 3


def test_environment_names_the_model(memory, server, monkeypatch):
    monkeypatch.setenv("HEBBGRAPH_COMPLETER", f"ollama:qwen3:8b@{server.url}")
    memory.add(GENEVA)
    assert memory.cognify().asked == 1


@pytest.mark.parametrize(
    "fault", [broken, dropped, malformed, status(500, {"error": "it died"}), slow(1.0)]
)
def test_single_failures_are_told_and_asked_again(memory, server, fault):
    memory.add(TOWNS)
    # The first passage fails at every attempt; one worker keeps the order.
    server.faults = [fault]
    done = memory.cognify(completer=model(server, attempts=1, timeout=0.5), workers=1)
    assert (done.asked, done.answered, list(done.failures)) == (12, 11, ["t0#0"])
    before = len(server.requests)
    done = memory.cognify(completer=model(server))
    assert (done.asked, done.answered, done.failures) == (1, 12, {})
    assert len(server.requests) == before + 1
    assert ("t0#0", "mentions", "geneva") in edges(memory)


@pytest.mark.parametrize(
    "wrong", ["{}", '{"entities": "Geneva", "relations": []}', "I cannot do that.", '{"entities":']
)
def test_a_wrong_answer_fails_its_passage_alone(memory, server, wrong):
    # It is shown its fault once; the second wrong answer is final.
    server.answers = [wrong, wrong, json.dumps(ANSWER)]
    memory.add(TOWNS)
    done = memory.cognify(completer=model(server), workers=1)
    assert list(done.failures) == ["t0#0"]
    assert done.answered == 11


def test_a_cut_answer_fails_its_passage_alone(memory, server):
    memory.add(TOWNS[:1])
    server.reason = "length"
    with pytest.raises(ProviderError):
        memory.cognify(completer=model(server))
    server.reason = "stop"
    assert memory.cognify(completer=model(server)).answered == 1


def test_a_model_that_is_not_there_is_one_error(memory):
    memory.add([{"id": str(n), "text": f"Text {n}."} for n in range(40)])
    gone = OllamaCompleter("qwen3:8b", host="http://127.0.0.1:9", first_wait=0.01, attempts=1)
    with pytest.raises(ProviderError, match="not running"):
        memory.cognify(completer=gone)
    assert not edges(memory).keys() - {(f"{n}#0", "part_of", str(n)) for n in range(40)}
    assert memory.cognify().by == "rules"


def test_a_model_that_stops_for_good_is_not_asked_for_ever(memory, server):
    memory.add([{"id": f"{n:03}", "text": f"Text {n}."} for n in range(200)])
    server.faults = [lambda exchange: exchange.answer()] * 5 + [status(500, {"error": "x"})] * 900
    done = memory.cognify(completer=model(server, attempts=1), workers=2)
    assert done.answered == 5
    assert done.asked < 30
    assert len(done.failures) == 195
    server.faults.clear()
    assert memory.cognify(completer=model(server)).asked == 195


def test_calls_run_side_by_side(memory, server):
    memory.add(TOWNS)
    server.faults = [slow(0.4)] * 12
    said = []
    begun = time.perf_counter()
    memory.cognify(completer=model(server), workers=12, progress=said.append)
    assert time.perf_counter() - begun < 4
    assert any("12 of 12 passages" in line and "/s" in line for line in said)


ASKING = """
import sys
import hebbgraph
from hebbgraph.providers.ollama import OllamaCompleter
memory = hebbgraph.Memory(sys.argv[1])
memory.cognify(completer=OllamaCompleter("qwen3:8b", host=sys.argv[2]), workers=1)
"""


def test_killed_in_the_middle_no_passage_is_asked_twice(memory, server):
    memory.add([{"id": f"{n:03}", "text": f"Text number {n}."} for n in range(60)])
    server.faults = [slow(0.05)] * 1000
    killed = subprocess.Popen([sys.executable, "-c", ASKING, str(memory.store.path), server.url])
    answers = Answers(memory.store.path, "ollama:qwen3:8b").path
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if answers.exists() and answers.read_bytes().count(b"\n") >= 5:
            break
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    kept = len(Answers(memory.store.path, "ollama:qwen3:8b").known)
    assert 5 <= kept < 60
    # The answer under way when it died may be asked for again, and no other.
    with answers.open("ab") as file:
        file.write(b'{"hash": "cut sho')
    done = memory.cognify(completer=model(server), workers=4)
    assert (done.asked, done.answered) == (60 - kept, 60)
    prompts = Counter(body["messages"][-1]["content"] for body in server.bodies())
    assert sum(count > 1 for count in prompts.values()) <= 1
    assert len(Answers(memory.store.path, "ollama:qwen3:8b").known) == 60


def test_answers_to_texts_that_are_gone_are_pruned(memory, server):
    memory.add([GENEVA, ADA])
    memory.cognify(completer=model(server))
    memory.remove("ada")
    assert memory.prune().answers_removed == 1
    known = Answers(memory.store.path, "ollama:qwen3:8b").known
    assert list(known) == [content_hash(GENEVA["title"], GENEVA["text"])]
    memory.cognify(completer=model(server))
    assert len(server.requests) == 2


class Says:
    """A completer that says the same of every passage."""

    def __init__(self, name: str, entity: str = "Ada") -> None:
        self.name = name
        self.entity = entity

    def complete(self, prompt, schema):
        return {"entities": [{"name": self.entity, "type": "person"}], "relations": []}


def test_answers_of_models_asked_before_are_pruned_too(memory):
    memory.add([GENEVA, ADA])
    memory.cognify(completer=Says("first"))
    memory.cognify(completer=Says("second"))
    memory.cognify(by="rules")
    memory.remove("ada")
    assert memory.prune().answers_removed == 2
    for name in ("first", "second"):
        known = Answers(memory.store.path, name).known
        assert list(known) == [content_hash(GENEVA["title"], GENEVA["text"])]


def test_half_a_surrogate_pair_in_an_answer_ends_no_run(memory):
    memory.add([GENEVA])
    assert memory.cognify(completer=Says("odd", "Gen\ud800eva")).answered == 1
    assert not memory.cognify(completer=Says("odd")).changed


# -- by a published file -------------------------------------------------------------


def published(path: Path, items: list[dict]) -> Path:
    docs = [
        {
            "title": item.get("title", ""),
            "text": item["text"],
            "extracted_entities": ["Charles Babbage", "Nobody Here"],
            "extracted_triples": [["Ada Lovelace", "knew", "Charles Babbage"], ["x", "y"]],
        }
        for item in items
    ]
    path.write_text(json.dumps({"docs": docs}), "utf-8")
    return path


def test_a_published_extraction_is_taken_in_and_kept(memory, tmp_path):
    memory.add([ADA, GENEVA])
    done = memory.cognify(openie=published(tmp_path / "o.json", [ADA]))
    assert (done.by, done.answered, done.passages) == ("openie", 1, 2)
    assert ("ada lovelace", "knew", "charles babbage") in edges(memory)
    assert not memory.cognify().changed
    memory.remove("town")
    assert ("ada lovelace", "knew", "charles babbage") in edges(memory)
    with pytest.raises(InputError, match="none of them"):
        memory.cognify(openie=published(tmp_path / "p.json", [WHO]))


def test_a_document_cut_in_two_has_each_entity_where_it_stands(memory, tmp_path):
    item = {
        "id": "ada",
        "text": "Ada Lovelace wrote. " * 60 + "Charles Babbage read what Ada Lovelace wrote.",
    }
    memory.add(item)
    memory.cognify(openie=published(tmp_path / "o.json", [item]))
    found = edges(memory)
    last = f"ada#{sum(relation == 'part_of' for _, relation, _ in found) - 1}"
    assert last != "ada#0"
    assert (last, "mentions", "charles babbage") in found
    assert ("ada#0", "mentions", "charles babbage") not in found
    assert ("ada#0", "mentions", "nobody here") in found


def test_options_that_exclude_one_another(memory, server):
    with pytest.raises(ParameterError, match="by:"):
        memory.cognify(by="rules", completer=model(server))
    with pytest.raises(ParameterError, match="openie:"):
        memory.cognify(openie="x", completer=model(server))
    with pytest.raises(ParameterError, match="by:"):
        memory.cognify(by="magic")


# -- similar entities ----------------------------------------------------------------


def test_similar_edges_are_those_of_plain_loops():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((40, 3)).astype(np.float32)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    wanted = {}
    for one in range(40):
        near = sorted(
            (-round(float(unit[one] @ unit[other]), 5), other)
            for other in range(40)
            if other != one
        )
        for cosine, other in near[:5]:
            if -cosine >= 0.75:
                wanted[100 + min(one, other), 100 + max(one, other)] = -0.7 * cosine
    found = similar_edges(vectors, 100)
    pairs = zip(found.source.tolist(), found.target.tolist(), strict=True)
    assert dict(zip(pairs, found.weight.tolist(), strict=True)) == pytest.approx(wanted, abs=1e-4)
    assert len(wanted) > 40


def test_similar_names_are_linked_and_stay_linked(memory):
    memory.add([
        {"id": "a", "text": "The Geneva Convention was signed."},
        {"id": "b", "text": "The Old Geneva Convention was signed by Oslo."},
        {"id": "c", "text": "It was replaced by the Second Geneva Convention."},
    ])  # fmt: skip
    done = memory.cognify(similar_by=LsaEmbedder(dimensions=64))
    linked = {key: value for key, value in edges(memory).items() if key[1] == "similar_to"}
    assert done.similar == len(linked) > 0
    assert all(0.7 * 0.75 <= weight <= 0.7 + 1e-6 for weight, _, _ in linked.values())
    assert not memory.cognify().changed
    memory.add({"id": "d", "text": "Oslo again."})
    assert memory.cognify().similar == len(linked)
    memory.remove(["c"])
    assert not any("second" in " ".join(key) for key in edges(memory))


class Counting:
    """A model that remembers what it was asked, of vectors that hang on letters alone."""

    def __init__(self, name="test:letters", dimensions=8, fails_after=None):
        self.name, self.dimensions, self.asked, self.fails_after = name, dimensions, [], fails_after

    def embed(self, texts):
        if self.fails_after is not None and len(self.asked) >= self.fails_after:
            raise ProviderError("nothing answers")
        self.asked += texts
        counts = [[1 + text.lower().count(chr(97 + n)) for n in range(self.dimensions)]
                  for text in texts]  # fmt: skip
        return np.array(counts, np.float32)


def test_a_name_is_embedded_once(memory):
    memory.add(TOWNS)
    first = Counting()
    assert memory.cognify(similar_by=first).similar > 0
    assert len(first.asked) == len(set(first.asked)) == 12
    before = edges(memory)
    again = Counting()
    memory.add({"id": "new", "text": "Oslo lies on the river."})
    memory.cognify(similar_by=again)
    assert again.asked == ["Oslo"]
    memory.remove(["new"])
    memory.cognify(similar_by=Counting(fails_after=0))
    assert edges(memory) == before
    assert memory.prune(keep=1).bytes_freed > 0
    memory.cognify(similar_by=Counting(fails_after=0))
    other = Counting("test:other")
    memory.cognify(similar_by=other)
    assert set(other.asked) == set(first.asked)
    memory.prune(keep=1)
    memory.cognify(similar_by=first)
    assert len(first.asked) == 2 * len(other.asked)


def test_vectors_of_names_outlive_a_failure_and_a_change_of_length(tmp_path, monkeypatch):
    monkeypatch.setattr(name_vectors, "_ASKED_TOGETHER", 2)
    names = ["ab", "bc", "cd", "de", "ef"]
    with pytest.raises(ProviderError):
        name_vectors.vectors_of(tmp_path, names, Counting(fails_after=4))
    rest = Counting()
    found = name_vectors.vectors_of(tmp_path, names, rest)
    assert rest.asked == ["ef"]
    assert (found == Counting().embed(names)).all()
    fewer = name_vectors.vectors_of(tmp_path, ["de", "ab"], Counting(fails_after=0))
    assert (fewer == found[[3, 0]]).all()
    for n in range(20):
        name_vectors.vectors_of(tmp_path, [f"x{one}" for one in range(n + 1)], Counting())
    files = [*tmp_path.glob("name_vectors/*/*")]
    assert 0 < len(files) <= 9
    longer = Counting(dimensions=12)
    assert name_vectors.vectors_of(tmp_path, ["ab", "zz"], longer).shape == (2, 12)
    assert longer.asked[-2:] == ["ab", "zz"]


def test_similar_links_are_taken_away(memory):
    memory.add(TOWNS)
    memory.cognify()
    plain = edges(memory)
    assert not memory.cognify(similar_by=False).changed
    memory.cognify(similar_by=Counting())
    assert len(edges(memory)) > len(plain)
    done = memory.cognify(similar_by=False)
    assert (done.changed, done.similar) == (True, 0)
    assert edges(memory) == plain
    assert not memory.cognify().changed


# -- interrupted -------------------------------------------------------------------


INTERRUPTED = """
import _thread, sys, threading
import hebbgraph
memory = hebbgraph.Memory(sys.argv[1])
wanted = int(sys.argv[2])
told = 0
def progress(_):
    global told
    told += 1
    if told == wanted:
        _thread.interrupt_main()
try:
    memory.cognify(progress=progress)
except KeyboardInterrupt:
    sys.exit(7)
"""


@pytest.mark.parametrize("phase", [1, 2, 3, 4])
def test_interrupted_by_the_keyboard_nothing_is_left(memory, tmp_path, phase):
    memory.add(TOWNS)
    before = tree(memory.store.path)
    code = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(memory.store.path), str(phase)], check=False
    ).returncode
    assert code == 7
    assert tree(memory.store.path) == before
    memory.cognify()
    other = hebbgraph.Memory(tmp_path / "other.lance")
    other.add(TOWNS)
    other.cognify()
    assert edges(memory) == edges(other)


def test_interrupted_while_it_writes_nothing_is_left(memory, monkeypatch):
    memory.add(TOWNS)
    before = tree(memory.store.path)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    # Edges are on disk by then, nodes and the commit are not.
    monkeypatch.setattr(graph_tables, "_nodes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        memory.cognify()
    assert tree(memory.store.path) == before
    monkeypatch.undo()
    assert memory.cognify().changed


# -- properties as JSON --------------------------------------------------------------


@given(st.lists(st.lists(st.text(), max_size=3), max_size=5))
def test_columns_of_json_are_what_json_writes(rows):
    flat = [one for row in rows for one in row]
    encode = json.JSONEncoder(ensure_ascii=False).encode
    assert json_columns.strings(pa.array(flat, pa.string())).to_pylist() == [*map(encode, flat)]
    column = pa.array(rows, pa.list_(pa.string()))
    assert json_columns.lists(column).to_pylist() == [*map(encode, rows)]


@pytest.mark.parametrize("size", [0, 100])
def test_a_damaged_file_of_name_vectors_is_made_again(tmp_path, size):
    first = name_vectors.vectors_of(tmp_path, ["ab", "bc"], Counting())
    (place,) = tmp_path.glob("name_vectors/*/0.arrow")
    place.write_bytes(place.read_bytes()[:size])
    again = Counting()
    assert (name_vectors.vectors_of(tmp_path, ["ab", "bc"], again) == first).all()
    assert again.asked == ["ab", "bc"]
