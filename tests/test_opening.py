"""Search opened from disk: as a fresh extraction would have it, with what the graph has learned."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import subprocess
import sys
import time
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hebbgraph
from hebbgraph import derived, text_tables
from hebbgraph.ingest.passages import passages
from hebbgraph.ingest.reading import documents
from hebbgraph.ingest.rules.extract import extract
from hebbgraph.retrieval import kept
from hebbgraph.retrieval import lexicon as lexicons
from hebbgraph.retrieval.bm25 import continued, tallied, text_index, weighed
from hebbgraph.retrieval.corpus import corpus
from hebbgraph.retrieval.filters import Filters, allowed
from hebbgraph.retrieval.joins import joins, transposed
from hebbgraph.retrieval.lexicon import lexicon
from hebbgraph.retrieval.naming import names_of
from hebbgraph.retrieval.opened import opened
from hebbgraph.retrieval.periods import within, years_of
from hebbgraph.retrieval.search import KINDS, Options, search
from hebbgraph.rowwise import Values, several

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ITEMS = [
    {"id": "ada", "title": "Ada Lovelace (mathematician)",
     "text": "Ada Lovelace worked with Charles Babbage. Ada Lovelace wrote in 1843."},
    {"id": "engine", "title": "Analytical Engine",
     "text": "A machine of brass. Charles Babbage designed the Analytical Engine."},
    {"id": "kim", "title": "김철수", "text": "김철수가 검색팀을 맡았다. 김철수는 서울에 산다."},
    {"id": "team", "text": "검색팀은 서울에서 Analytical Engine을 본다.", "time": "2024-03-01"},
    {"id": "bread", "title": "Bread", "text": "Flour, water, salt and time."},
    {"id": "babbage", "title": "Charles Babbage", "text": "Charles Babbage was born in 1791."},
]  # fmt: skip
QUERIES = [
    "Who designed the machine that Ada Lovelace wrote for?", "Charles Babbage", "검색팀", "서울",
    "water in 1843", "analytical engine machine brass", "nothing of that", "bread and babbage",
]  # fmt: skip


def filled(path, items=ITEMS) -> hebbgraph.Memory:
    made = hebbgraph.Memory(path)
    made.add(items)
    made.cognify()
    made.memify()
    return made


@pytest.fixture
def memory(tmp_path):
    return filled(tmp_path / "data.lance")


def shown(found) -> list[tuple]:
    return [
        (hit.passage_id, hit.title, hit.text, hit.score, hit.text_score, hit.name_score,
         hit.activation, *map(str, hit.path))
        for hit in found
    ]  # fmt: skip


def assert_alike(one: list[tuple], other: list[tuple]) -> None:
    assert [row[:3] + row[7:] for row in one] == [row[:3] + row[7:] for row in other]
    for left, right in zip(one, other, strict=True):
        np.testing.assert_allclose(left[3:7], right[3:7], rtol=0, atol=1e-6)


# -- as a fresh extraction has it --------------------------------------------------


def afresh(items):
    read = sorted(documents(items), key=lambda one: one.id)
    cut = [one for document in read for one in passages(document)]
    return read, cut, extract(read, cut)


def links_by_plain_loops(read, cut, found) -> set[tuple[str, str]]:
    """What is told, and what is mentioned of entities that at most eight titles name."""
    told = {(cut[row["passage"]].id, read[row["document"]].id) for row in found.links.to_pylist()}
    for row in found.mentions.to_pylist():
        named = [
            one.id
            for one, entity in zip(read, found.title_entities.tolist(), strict=True)
            if entity == row["entity"]
        ]
        own = cut[row["passage"]]
        if len(named) <= 8:
            told |= {(own.id, one) for one in named if one != own.document}
    return told


def assert_as_extracted(memory, items, queries) -> None:
    read, cut, found = afresh(items)
    here = opened(memory.store)
    ready = here.corpus
    assert list(ready.passage_ids) == [one.id for one in cut]
    assert ready.texts[:] == [one.text for one in cut]
    names = list(ready.entity_names)
    pairs = {
        (ready.passage_ids[row], ready.document_ids[document])
        for row in range(len(ready))
        for document in ready.links.of(row)[0].tolist()
    }
    assert pairs == links_by_plain_loops(read, cut, found)
    mentioned = sorted(
        (ready.passage_ids[row], names[entity])
        for row in range(len(ready))
        for entity in ready.mentions.of(row)[0].tolist()
    )
    named = found.entities["name"].to_pylist()
    assert mentioned == sorted(
        (cut[row["passage"]].id, named[row["entity"]]) for row in found.mentions.to_pylist()
    )
    stated = sorted(
        (*one, ready.passage_ids[row]) for row in range(len(ready)) for one in ready.stated(row)
    )
    assert stated == sorted(
        (named[row["subject"]], row["predicate"], named[row["object"]], cut[row["passage"]].id)
        for row in found.relations.to_pylist()
        if row["predicate"] != "mentioned_with"
    )
    for one in (ready.links, ready.mentions, ready.mentioned_in):
        assert (one.weight == 1).all()
    old = corpus(read, cut, found, vectors=ready.vectors)
    options = Options(
        vitals=here.vitals(NOW), now=NOW, allowed=allowed(here.catalogue, Filters())[0]
    )
    for query in queries:
        for kind in KINDS:
            vector = here.vector(query)
            from_disk, from_text = (
                search(own, query, kind=kind, vector=vector, options=options)
                for own in (ready, old)
            )
            assert_alike(shown(from_disk), shown(from_text))
            assert sorted(from_disk.triplets) == sorted(from_text.triplets)
        assert_alike(shown(memory.find(query, now=NOW)), shown(
            search(old, query, vector=here.vector(query), options=options)
        ))  # fmt: skip


def test_what_is_on_disk_is_what_extraction_finds(memory):
    assert_as_extracted(memory, ITEMS, QUERIES)


def test_also_after_changes_and_before_memify(tmp_path):
    memory = filled(tmp_path / "data.lance", [*ITEMS, {"id": "tea", "text": "Ada drank tea."}])
    memory.search("tea")
    memory.remove("tea")
    changed = [{**one, "text": one["text"] + " Bread."} for one in ITEMS[1:3]]
    memory.add(changed)
    memory.cognify()
    assert_as_extracted(memory, [ITEMS[0], *changed, *ITEMS[3:]], QUERIES)


def test_also_on_real_text(tmp_path, data):
    folder = data / "hotpotqa-dev200"
    lines = (folder / "corpus.jsonl").read_text("utf-8").splitlines()[:250]
    items = [json.loads(line) for line in lines]
    asked = [
        json.loads(line)["text"] for line in (folder / "queries.jsonl").read_text().splitlines()
    ]
    assert_as_extracted(filled(tmp_path / "data.lance", items), items, asked[:12])


def test_a_memory_that_was_never_cognified_is_found_by_words(tmp_path):
    memory = hebbgraph.Memory(tmp_path / "data.lance")
    assert memory.search("tea") == []
    assert not (memory.store.path / derived.FOLDER).exists()
    memory.add(ITEMS)
    assert memory.search("flour water", k=1)[0].document_id == "bread"


# -- with what was learned ---------------------------------------------------------


def test_joins_have_the_weights_of_edges(memory):
    for _ in range(3):
        memory.record(["ada#0", "charles babbage", "bread#0"], outcome=1.0)
    memory.record(["kim#0", "bread#0"], outcome=1.0)
    memory.plastify()
    for _ in range(12):
        memory.record(["kim#0", "bread#0"], outcome=-1.0)
    memory.plastify()
    ready = opened(memory.store).corpus
    learned: dict[tuple, dict[str, float]] = {}
    for row in memory.graph().to_arrow().to_pylist():
        ends = learned.setdefault((row["source"], row["target"]), {})
        ends[row["relation"]] = row["weight"]
    names = [one.lower() for one in ready.entity_names]
    differing = 0
    for row, passage in enumerate(ready.passage_ids):
        for entity, weight in zip(*ready.mentions.of(row), strict=True):
            told = learned.get((passage, names[entity]), {})
            if "mentions" in told:
                assert weight == np.float32(told["mentions"])
                differing += weight != 1
        for document, weight in zip(*ready.links.of(row), strict=True):
            told = learned.get((passage, ready.document_ids[document]), {})
            if "links" in told:
                assert weight == np.float32(told["links"])
    assert differing
    ada, babbage = names.index("ada lovelace"), names.index("charles babbage")
    for one, other in ((ada, babbage), (babbage, ada)):
        near, weight = ready.relations.of(one)
        both = [*learned.get(("ada lovelace", "charles babbage"), {}).values(),
                *learned.get(("charles babbage", "ada lovelace"), {}).values()]  # fmt: skip
        assert weight[near.tolist().index(other)] == pytest.approx(sum(both))
    rows = ready.row_of
    near, weight = ready.associations.of(rows["kim#0"])
    assert near.tolist() == [rows["bread#0"]]
    assert weight[0] < 0
    assert ready.associations.of(rows["ada#0"])[0].tolist() == [rows["bread#0"]]


pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6), st.sampled_from([1, 0.5, -1])))


@given(pairs)
def test_joins_are_sums_by_pair(given_pairs):
    wanted: dict[int, dict[int, float]] = {row: {} for row in range(5)}
    for one, other, weight in given_pairs:
        wanted[one][other] = wanted[one].get(other, 0) + weight
    columns = zip(*given_pairs, strict=True) if given_pairs else ((), (), ())
    made = joins(*(np.array(column) for column in columns), n_rows=5)
    for row, own in wanted.items():
        target, weight = made.of(row)
        assert dict(zip(target.tolist(), weight.tolist(), strict=True)) == own
        assert target.tolist() == sorted(own)


@given(pairs, st.sampled_from([0, 70_000]))
def test_a_relation_is_read_backwards(given_pairs, shift):
    source, target, weight = (np.array(column) for column in zip(*given_pairs, strict=True)) if (
        given_pairs
    ) else (np.zeros(0, np.int64),) * 3  # fmt: skip
    made = joins(source, target + shift, weight, n_rows=5)
    back = transposed(made, n_rows=7 + shift)
    wanted = joins(target + shift, source, weight, n_rows=7 + shift)
    for name in ("indptr", "target", "weight"):
        assert getattr(back, name).tolist() == getattr(wanted, name).tolist()


def test_what_was_imported_joins_in_under_its_ids(tmp_path):
    memory = hebbgraph.Memory(tmp_path / "data.lance")
    memory.store.add(hebbgraph.Graph.from_edges(
        ["charles babbage", "difference engine"], ["difference engine", "London"],
        relation=["built", "stands_in"],
    ))  # fmt: skip
    memory.add(ITEMS)
    memory.cognify()
    ready = opened(memory.store).corpus
    names = list(ready.entity_names)
    said = dict(ready.entities.said("the Difference Engine of Charles Babbage"))
    engine, babbage = (int(said[name][0]) for name in ("difference engine", "charles babbage"))
    assert ready.mentions.of(ready.row_of["ada#0"])[0].tolist().count(babbage) == 1
    assert engine in ready.relations.of(babbage)[0]
    assert names.index("London") in ready.relations.of(engine)[0]


def test_a_name_of_nobody_hides_no_shorter_one():
    named = names_of([("New York City", 0), ("New York", 1), ("City", 2), ("New York", 3)])
    assert [name for name, _ in named.said("New York City")] == ["new york city"]
    here = dataclasses.replace(named, row=np.array([-1, 5, 0, 2]))
    assert [(name, own.tolist()) for name, own in here.said("new york city")] == [
        ("new york", [2, 5]), ("city", [0]),
    ]  # fmt: skip


# -- the same in every process -----------------------------------------------------

ASKED = """
import json, sys
from datetime import UTC, datetime
import hebbgraph
memory = hebbgraph.Memory(sys.argv[1])
now = datetime(2026, 1, 1, tzinfo=UTC)
out = []
for query in json.loads(sys.argv[2]):
    for kind in ("chunks", "graph", "summaries", "temporal"):
        found = memory.find(query, search_type=kind, now=now)
        out.append([[hit.passage_id, hit.score, hit.activation, hit.text, *map(str, hit.path)]
                    for hit in found] + list(found.triplets))
print(json.dumps(out))
"""


def asked(memory, seed: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", ASKED, str(memory.store.path), json.dumps(QUERIES)],
        env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def test_processes_agree_and_a_restored_snapshot_answers_as_it_did(memory):
    before = memory.store.snapshot().seq
    first = asked(memory, "1")
    assert json.loads(first)[0]
    assert asked(memory, "2") == first
    files = {file.name for file in (memory.store.path / derived.FOLDER).iterdir()}
    memory.add({"id": "more", "title": "Machine", "text": "Ada Lovelace saw a machine of brass."})
    memory.cognify()
    memory.memify()
    memory.record(["ada#0", "bread#0"], outcome=1)
    memory.plastify()
    assert asked(memory, "3") != first
    memory.store.restore(before)
    known = {
        file: file.stat().st_mtime_ns for file in (memory.store.path / derived.FOLDER).iterdir()
    }
    assert asked(memory, "4") == first
    after = {
        file: file.stat().st_mtime_ns for file in (memory.store.path / derived.FOLDER).iterdir()
    }
    assert after == known
    assert files < {file.name for file in known}


# -- files beside the tables -------------------------------------------------------


def test_memify_makes_the_indexes_and_prune_drops_those_of_no_snapshot(memory):
    folder = memory.store.path / derived.FOLDER
    made = {file.name for file in folder.iterdir()}
    assert {name.split("-")[0] for name in made} == {"text", "vectors", "names"}
    memory.record(["ada#0", "bread#0"], outcome=1)
    memory.plastify()
    memory.search("tea")
    assert {file.name for file in folder.iterdir()} == made  # learning touches no word and no name
    for name, age in (("old.part", 1e4), ("new.part", 0)):
        (folder / name).write_bytes(b"half")
        os.utime(folder / name, (time.time() - age, time.time() - age))
    memory.add({"id": "tea", "text": "Tea is steeped."})
    memory.cognify()
    memory.memify()
    before = memory.search("steeped tea", now=NOW)
    memory.prune()
    assert made < {file.name for file in folder.iterdir()}
    assert not (folder / "old.part").exists()
    (folder / "new.part").unlink()
    done = memory.prune(keep=1)
    assert done.bytes_freed > 0
    left = {file.name for file in folder.iterdir()}
    assert not left & made
    assert len(left) == 3
    assert hebbgraph.Memory(memory.store.path).search("steeped tea", now=NOW) == before


def test_what_is_made_between_two_memifies_does_not_add_up(memory):
    folder = memory.store.path / derived.FOLDER
    made = {file.name for file in folder.iterdir()}
    for number in range(4):
        memory.add({"id": f"tea{number}", "text": f"Tea is steeped {number} times."})
        memory.search("tea")
        memory.cognify()
        assert memory.search("tea steeped", k=1)[0].document_id == "tea0"
    left = {file.name for file in folder.iterdir()}
    assert made < left
    assert len(left) == 6


@pytest.mark.parametrize("damage", [b"", b"ARROW1\0\0 and no more", None])
def test_a_damaged_index_is_made_anew(memory, damage):
    wanted = memory.search("Charles Babbage", now=NOW)
    for file in (memory.store.path / derived.FOLDER).iterdir():
        data = file.read_bytes()
        file.unlink()
        file.write_bytes(data[: len(data) // 2] if damage is None else damage)
    again = hebbgraph.Memory(memory.store.path)
    assert again.search("Charles Babbage", now=NOW) == wanted


def test_a_full_disk_leaves_no_half_of_a_file_and_answers(memory, monkeypatch):
    wanted = memory.search("Charles Babbage", now=NOW)
    folder = memory.store.path / derived.FOLDER
    for file in folder.iterdir():
        file.unlink()

    def full(number):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert hebbgraph.Memory(memory.store.path).search("Charles Babbage", now=NOW) == wanted
    assert not any(folder.iterdir())


SAVER = """
import sys
from pathlib import Path
import numpy as np
from hebbgraph import derived
print("ready", flush=True)
turn = 0
while True:
    turn += 1
    derived.save(Path(sys.argv[1]), {"a": np.full(300_000, turn), "b": np.full(1_000, turn)})
"""


def test_a_killed_writer_leaves_a_whole_file_or_none(tmp_path):
    place = tmp_path / "indexes" / "text-1-x.arrow"
    chance = random.Random(0)
    seen = 0
    for _ in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", SAVER, str(place)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0, 0.1))
        writer.kill()
        writer.wait()
        writer.stdout.close()
        arrays = derived.load(place)
        if arrays is not None:
            seen += 1
            turns = np.concatenate([arrays["a"].to_numpy(), arrays["b"].to_numpy()])
            assert turns.size == 301_000
            assert np.unique(turns).size == 1
    assert seen


# -- parts -------------------------------------------------------------------------


@given(st.lists(st.text(max_size=3), unique=True), st.lists(st.text(max_size=3)), st.booleans())
@settings(deadline=None)
def test_a_lexicon_is_a_dictionary(held, wanted, clashing):
    hashes = lexicons._hashes
    try:
        if clashing:
            lexicons._hashes = lambda texts: np.array([len(one) % 2 for one in texts], np.uint64)
        made, order = lexicon(held)
        row = {held[at]: number for number, at in enumerate(order.tolist())}
        asked_for = [*wanted, *held]
        assert made.find(asked_for).tolist() == [row.get(one, -1) for one in asked_for]
    finally:
        lexicons._hashes = hashes


titled = st.tuples(
    st.sampled_from(["", "tea", "tea cup"]),
    st.lists(st.sampled_from(["tea", "cup", "leaf", "장애", "the"]), max_size=6).map(" ".join),
)


@given(st.lists(titled, max_size=5), st.lists(titled, max_size=5), st.booleans())
@settings(deadline=None)
def test_an_index_that_is_continued_is_one_made_anew(before, after, empty):
    after = after + before[1:]
    old = text_index([] if empty else before)
    held = {} if empty else {one: row for row, one in enumerate(before)}
    row = np.array([held.get(one, -1) for one in after], np.int64)
    fresh = tallied(one for one in after if one not in held)
    one, other = weighed(continued(old, row, fresh)), text_index(after)
    for name in ("indptr", "passage", "worth", "count"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert one.vocabulary.texts.to_pylist() == other.vocabulary.texts.to_pylist()
    assert one.n_passages == other.n_passages == len(after)


def test_only_new_passages_are_taken_apart(memory, monkeypatch):
    seen = []
    monkeypatch.setattr(
        kept, "tallied", lambda given: tallied(seen.append(one) or one for one in given)
    )
    memory.add({"id": "tea", "title": "Tea", "text": "Tea is steeped."})
    memory.remove("ada")
    assert memory.search("steeped", k=1)[0].document_id == "tea"
    assert seen == [("Tea", "Tea is steeped.")]
    left = [*ITEMS[1:], {"id": "tea", "title": "Tea", "text": "Tea is steeped."}]
    memory.cognify()
    assert_as_extracted(memory, left, QUERIES)


@given(st.lists(st.text()), st.data())
def test_values_are_those_of_a_list(texts, data):
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1))) if texts else []
    import pyarrow as pa

    held = Values(pa.array(texts, pa.string()), np.array(rows, np.int64))
    wanted = [texts[row] for row in rows]
    assert list(held) == wanted
    assert held[1:] == wanted[1:]
    back = list(range(len(rows)))[::-1]
    assert several(held, back) == several(wanted, back) == wanted[::-1]
    with pytest.raises(IndexError):
        held[len(rows)]


def test_a_column_reads_the_rows_that_are_left(memory):
    memory.add({"id": "tea", "text": "Tea is steeped."})
    memory.remove("engine")
    snapshot = memory.store.snapshot()
    whole = text_tables.read(memory.store.path, snapshot, "passages", ["text"])["text"].to_pylist()
    column = text_tables.Column(memory.store.path, snapshot, "passages", "text")
    assert list(column) == whole
    assert column.several([2, 0, 2]) == [whole[2], whole[0], whole[2]]
    turned = text_tables.Column(
        memory.store.path, snapshot, "passages", "text", np.array([3, 1, 0])
    )
    assert turned.several([0, 2, 1, 0]) == [whole[3], whole[0], whole[1], whole[3]]
    assert turned.several([]) == []


@given(
    st.lists(st.tuples(
        st.lists(st.sampled_from(["1850", "2001", "tea", "1999s", "18501", "2099"])),
        st.sampled_from([None, 1850, 2000]),
    )),
    st.sampled_from([(1850, 1850), (1990, 2005), (1000, 2098)]),
)  # fmt: skip
def test_years_are_those_of_a_plain_loop(rows, period):
    texts = [" ".join(said) for said, _ in rows]
    undated = np.iinfo(np.int64).min
    moments = [
        undated if year is None else int(datetime(year, 6, 1, tzinfo=UTC).timestamp()) * 1_000_000
        for _, year in rows
    ]
    wanted = [
        any(
            period[0] <= int(word.rstrip("s")) <= period[1]
            for word in said
            if word.rstrip("s").isdigit() and len(word.rstrip("s")) == 4
        )
        if year is None
        else period[0] <= year <= period[1]
        for said, year in rows
    ]
    updated = np.array(moments, np.int64)
    first, last = (datetime(year, 1, 1, tzinfo=UTC) for year in (period[0], period[1] + 1))
    assert within(years_of(texts), texts, updated, (first, last)).tolist() == wanted


def test_a_memory_that_lost_all_its_documents_finds_nothing(memory):
    memory.remove([one["id"] for one in ITEMS])
    assert memory.search("Charles Babbage") == []
    memory.memify()
    assert memory.search("Charles Babbage", search_type="graph") == []
    memory.add(ITEMS[:1])
    memory.cognify()
    assert_as_extracted(memory, ITEMS[:1], QUERIES[:2])
