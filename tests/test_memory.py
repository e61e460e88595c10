"""A memory of text: what goes in, changes and goes leaves what the rest alone would have made."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from pathlib import Path

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from conftest import tree
from hypothesis import given, settings
from hypothesis import strategies as st
from model_server import ModelServer, status, vector_of

import hebbgraph
from hebbgraph import schema, text_tables
from hebbgraph.cli.main import main
from hebbgraph.errors import InputError, NodeNotFoundError, ProviderError, StoreError
from hebbgraph.providers.lsa import LsaEmbedder
from hebbgraph.providers.ollama import OllamaEmbedder
from hebbgraph.providers.words import words

WHO = {
    "id": "who",
    "title": "World Health Organization",
    "text": "The World Health Organization (WHO) sits in Geneva.",
    "time": "2024-05-01",
}
GENEVA = {
    "id": "town",
    "title": "Geneva",
    "text": "Geneva is a city in Switzerland. The WHO was founded in 1948.",
}
ADA = {"id": "ada", "title": "Ada Lovelace", "text": "Ada Lovelace worked with Charles Babbage."}


@pytest.fixture
def memory(tmp_path) -> hebbgraph.Memory:
    return hebbgraph.Memory(tmp_path / "data.lance")


def passages(memory: hebbgraph.Memory) -> list[dict]:
    return text_tables.read(memory.store.path, memory.store.snapshot(), "passages").to_pylist()


def edges(memory: hebbgraph.Memory) -> dict[tuple[str, str, str], tuple]:
    rows = memory.graph().to_arrow().to_pylist()
    return {
        (row["source"], row["relation"], row["target"]): (
            row["weight"], row["properties"], row["time"],
        )
        for row in rows
        if row["discovered_by"] is None
    }  # fmt: skip


def state(memory: hebbgraph.Memory) -> tuple:
    """All that text makes, but for keys."""
    snapshot = memory.store.snapshot()
    tables = [
        sorted(
            text_tables.read(memory.store.path, snapshot, name).drop_columns("key").to_pylist(),
            key=lambda row: row["id"],
        )
        for name in ("documents", "passages")
    ]
    nodes = {
        row["id"]: (row["type"], row["properties"])
        for row in memory.graph().nodes_to_arrow().to_pylist()
        if row["type"] is not None
    }
    return tables, nodes, edges(memory)


# -- an empty memory ---------------------------------------------------------------


def test_an_empty_memory_is_made_and_every_verb_runs_on_it(memory):
    assert memory.graph().n_nodes == 0
    assert not memory.add([]).changed
    assert memory.cognify().entities == 0
    assert not memory.cognify().changed
    assert not memory.memify().changed
    assert not memory.plastify().changed
    assert memory.prune().removed == 0
    assert repr(memory).startswith("Memory(")
    assert hebbgraph.Memory(memory.store.path).add(ADA).added == 1


def test_what_stands_at_the_path_is_not_overwritten(tmp_path):
    (tmp_path / "x").write_text("mine")
    with pytest.raises(StoreError):
        hebbgraph.Memory(tmp_path / "x")
    assert (tmp_path / "x").read_text() == "mine"
    with pytest.raises(StoreError, match="object stores"):
        hebbgraph.Memory("s3://bucket/data.lance")


# -- add -------------------------------------------------------------------------


def test_add_makes_documents_passages_and_their_nodes(memory):
    done = memory.add([WHO, GENEVA], node_set="health")
    assert (done.added, done.passages, done.snapshot, done.changed) == (2, 2, 1, True)
    graph = memory.graph()
    assert set(edges(memory)) == {("who#0", "part_of", "who"), ("town#0", "part_of", "town")}
    for row in passages(memory):
        assert graph.id(row["key"]) == row["id"] == f"{row['document']}#0"
        assert row["node_set"] == ["health"]
        assert row["words"] == " ".join([*words(row["title"]), *words(row["text"])])
    who = next(row for row in passages(memory) if row["document"] == "who")
    assert who["time"].isoformat() == "2024-05-01T00:00:00+00:00"
    assert who["kind"]
    assert who["tags"]


def test_provenance_is_the_files_own_bytes(memory, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    text = "# 회의록\n\n김철수가 결제 장애를 고쳤다. " + "It took three hours. " * 80
    (notes / "a.md").write_text(text, encoding="utf-8")
    memory.add(notes)
    data = (notes / "a.md").read_bytes()
    found = passages(memory)
    assert len(found) > 1
    for row in found:
        assert row["id"] == f"notes/a.md#{row['ordinal']}"
        assert row["source"] == str(notes / "a.md")
        assert row["text"] == data[row["start"] : row["end"]].decode()
        assert row["sha256"] == __import__("hashlib").sha256(data).hexdigest()


def test_what_is_unchanged_writes_nothing(memory):
    memory.add([WHO, GENEVA])
    memory.cognify()
    memory.memify()
    before = tree(memory.store.path)
    assert memory.add([GENEVA, WHO]).unchanged == 2
    assert not memory.cognify().changed
    assert not memory.memify().changed
    assert tree(memory.store.path) == before


def test_a_file_read_again_loses_the_records_it_no_longer_has(memory, tmp_path):
    file = tmp_path / "rows.jsonl"
    lines = [json.dumps({"text": f"Row {n} of Paris."}) for n in range(3)]
    file.write_text("\n".join(lines))
    memory.add(file)
    memory.add([{"id": "x", "text": "Mine.", "source": str(file)}])
    file.write_text(lines[0])
    done = memory.add(file)
    assert (done.unchanged, done.removed) == (1, 3)


def test_remove_missing_takes_out_files_that_are_gone(memory, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in ("a", "b"):
        (notes / f"{name}.txt").write_text(f"Text {name} on Paris.")
    memory.add([notes, "A text of its own."])
    (notes / "b.txt").unlink()
    assert memory.add(notes).removed == 0
    assert memory.add(notes, remove_missing=True).removed == 1
    assert {row["document"] for row in passages(memory)} >= {"notes/a.txt"}
    assert len(passages(memory)) == 2


def test_a_bad_item_adds_nothing(memory, tmp_path):
    before = tree(memory.store.path)
    (tmp_path / "junk.bin").write_bytes(bytes(range(256)) * 20)
    with pytest.raises(InputError, match="binary"):
        memory.add([ADA, tmp_path / "junk.bin"])
    with pytest.raises(InputError, match="no file or folder"):
        memory.add([ADA, "nowhere/x.md"])
    with pytest.raises(InputError, match="object"):
        memory.add([ADA, object()])
    assert tree(memory.store.path) == before


def test_files_without_text_are_documents_without_passages(memory, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "empty.txt").write_text("")
    (notes / "blank.md").write_text(" \n\t\n")
    (notes / "junk.txt").write_bytes(b"\0\1\2" * 50)
    (notes / "good.txt").write_text("Paris is a city.")
    skipped = []
    memory.add(notes, skipped=lambda path, why: skipped.append(path))
    assert skipped == [str(notes / "junk.txt")]
    memory.cognify()
    memory.memify()
    assert {row["document"] for row in passages(memory)} == {"notes/good.txt"}


def test_the_id_of_a_passage_is_taken(memory):
    memory.add({"id": "a", "text": "One."})
    with pytest.raises(InputError, match="id of a passage"):
        memory.add({"id": "a#0", "text": "Two."})


def test_a_store_of_edges_takes_text_beside_them(tmp_path, web):
    store = hebbgraph.Store.create(tmp_path / "data.lance", web)
    memory = hebbgraph.Memory(store.path)
    memory.add({"id": "note", "text": "The service uses FastAPI. FastAPI needs Python."})
    memory.cognify()
    assert memory.graph().n_edges > web.n_edges
    # Its nodes have no type, so passes go on to join all.
    assert memory.store.snapshot().pass_options == {}
    memory.remove("note")
    kept = {key: value[0] for key, value in edges(memory).items()}
    rows = web.to_arrow().to_pylist()
    assert kept == {(r["source"], r["relation"], r["target"]): r["weight"] for r in rows}


# -- order does not matter ----------------------------------------------------------

TEXTS = [
    "Ada Lovelace worked with Charles Babbage. Babbage designed the Analytical Engine.",
    "The World Health Organization (WHO) sits in Geneva. Geneva is a city.",
    "Geneva lies in Switzerland. " + "Ada Lovelace wrote notes on Geneva. " * 40,
    "결제 시스템 장애가 발생했다. 김철수가 장애를 고쳤다.",
    "nothing that stands out",
    " ",
]
NAMES = ["geneva", "Ada Lovelace", "b/2.md", "1948"]
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(NAMES), st.integers(0, len(TEXTS) - 1)),
        st.tuples(st.just("remove"), st.sampled_from(NAMES), st.just(0)),
        st.tuples(st.sampled_from(["cognify", "memify"]), st.just(""), st.just(0)),
    ),
    max_size=9,
)


def document(name: str, number: int) -> dict:
    return {"id": name, "title": name.title(), "text": TEXTS[number], "time": "2024-01-02"}


@given(operations=OPERATIONS)
@settings(max_examples=25, deadline=None)
def test_any_order_ends_as_the_final_state_alone(operations):
    with tempfile.TemporaryDirectory() as folder:
        memory = hebbgraph.Memory(Path(folder, "long.lance"))
        held: dict[str, int] = {}
        for verb, name, number in operations:
            if verb == "add":
                memory.add(document(name, number))
                held[name] = number
            elif verb == "remove":
                if name in held:
                    memory.remove(name)
                    del held[name]
            else:
                getattr(memory, verb)()
        memory.cognify()
        memory.memify()
        fresh = hebbgraph.Memory(Path(folder, "short.lance"))
        fresh.add([document(name, held[name]) for name in reversed(held)])
        fresh.cognify()
        fresh.memify()
        (listed, cut), nodes, said = state(memory)
        (fresh_listed, fresh_cut), fresh_nodes, fresh_said = state(fresh)
        for rows in (cut, fresh_cut):
            for row in rows:
                row["duplicate_of"] = row["duplicate_of"] is not None
        assert listed == fresh_listed
        assert cut == fresh_cut
        assert nodes == fresh_nodes
        assert said == fresh_said


def learned(memory: hebbgraph.Memory) -> None:
    """Every edge has learned: weight 2 and a count."""
    base = memory.graph()
    graph = dataclasses.replace(
        base,
        weight=np.full(base.n_edges, 2, np.float32),
        co_occurrence_count=np.full(base.n_edges, 3, np.int32),
    )
    store = memory.store
    store.commit(
        graph, base=base, parent=store.snapshot(), operation="test", parameters={}, figures={}
    )


def test_what_stays_keeps_what_it_learned(memory):
    memory.add([WHO, GENEVA, ADA])
    memory.cognify()
    before = memory.graph()
    learned(memory)
    memory.remove("ada")
    memory.add({**GENEVA, "text": GENEVA["text"] + " Lausanne is a city too."})
    memory.cognify()
    found = edges(memory)
    weights = {key: value[0] for key, value in found.items()}
    assert weights["who#0", "mentions", "world health organization"] == 2
    assert weights["town#0", "mentions", "switzerland"] == 2
    assert weights["town#0", "part_of", "town"] == 2
    assert weights["town#0", "mentions", "lausanne"] == 1
    assert not any("ada" in source for source, _, _ in found)
    # Keys never change, and what comes back has its own again.
    memory.add(ADA)
    memory.cognify()
    after = memory.graph()
    for name in before.node_ids.to_pylist():
        assert after.key(name) == before.key(name)
    assert edges(memory)["ada#0", "mentions", "charles babbage"][0] == 1


def test_a_change_taken_back_is_stated_anew(memory):
    long = {"id": "l", "text": "Paris is a city. " * 120 + "Oslo is a city."}
    memory.add(long)
    memory.cognify()
    before = state(memory)
    memory.add({"id": "l", "text": "Paris."})
    memory.add(long)
    memory.cognify()
    assert state(memory) == before


def test_inferred_edges_go_with_what_they_join(memory):
    shared = "Marie Curie met Albert Einstein, Niels Bohr and Max Planck in Brussels."
    memory.add([{"id": "a", "text": shared}, {"id": "b", "text": shared + " Lise Meitner came."}])
    memory.cognify()
    memory.plastify(node_types=["passage"])
    assert memory.graph().n_inferred
    memory.remove("b")
    assert memory.graph().n_inferred == 0
    with pytest.raises(NodeNotFoundError, match="no document"):
        memory.remove("b")


def test_passes_join_entities_by_default(memory):
    memory.add([WHO, GENEVA])
    memory.cognify()
    chosen = memory.store.snapshot().pass_options["node_types"]
    assert "name" in chosen
    assert not {"document", "passage"} & set(chosen)


def test_remove_takes_a_file_with_its_records(memory, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(json.dumps({"text": f"Row {n} of Paris."}) for n in range(3)))
    memory.add([file, ADA])
    assert memory.remove("rows.jsonl").removed == 3
    assert [row["document"] for row in passages(memory)] == ["ada"]
    with pytest.raises(NodeNotFoundError):
        memory.remove(["ada", "nobody"])
    assert len(passages(memory)) == 1


def test_restore_brings_text_back(memory):
    memory.add([WHO, GENEVA])
    memory.cognify()
    before, seq = state(memory), memory.store.snapshot().seq
    memory.remove("who")
    memory.store.restore(seq)
    assert state(memory) == before
    memory.add(ADA)
    memory.cognify()
    memory.remove("ada")
    assert state(memory) == before


# -- facts -------------------------------------------------------------------------


def test_a_newer_fact_closes_the_older(memory):
    def said(year: int, name: str) -> dict:
        return {"id": f"y{year}", "time": f"{year}-01-01", "text": f"Lyra Corp hired {name}."}

    items = [said(2020, "Ann Smith"), said(2022, "Bob Jones"), said(2023, "Ann Smith")]
    memory.add(items[::-1])
    done = memory.cognify(functional=["hired"])
    assert done.superseded == 2
    rows = {key: json.loads(value[1]) for key, value in edges(memory).items() if key[1] == "hired"}
    bob = rows["lyra corp", "hired", "bob jones"]
    assert (bob["valid_from"][:4], bob["valid_to"][:4]) == ("2022", "2023")
    ann = rows["lyra corp", "hired", "ann smith"]
    assert ann["text_evidence"] == 2
    assert [[str(m)[:4] for m in one] for one in ann["intervals"]] == [
        ["2020", "2022"],
        ["2023", "None"],
    ]
    assert ("y2022#0", "supersedes", "y2020#0") in edges(memory)

    def held(year: int) -> set[str]:
        moment = __import__("datetime").datetime(year, 6, 1, tzinfo=__import__("datetime").UTC)
        graph = memory.graph(as_of=moment)
        return {r["target"] for r in graph.to_arrow().to_pylist() if r["relation"] == "hired"}

    assert [held(year) for year in (2019, 2020, 2022, 2024)] == [
        set(), {"ann smith"}, {"bob jones"}, {"ann smith"},
    ]  # fmt: skip
    # What was declared stays so, and a document that goes takes what it closed along.
    memory.remove("y2022")
    assert held(2022) == {"ann smith"}


# -- memify ------------------------------------------------------------------------


def test_memify_makes_vectors_and_an_index_that_lancedb_searches(memory):
    memory.add([WHO, GENEVA, {"id": "k", "text": "김철수가 결제 장애를 고쳤다."}])
    memory.cognify()
    done = memory.memify()
    assert (done.embedded, done.passages, done.vector_index) == (3, 3, None)
    table = lancedb.connect(str(memory.store.path)).open_table("passages")
    assert [one.columns for one in table.list_indices()] == [["words"]]
    query = " ".join(words("김철수"))
    assert [r["id"] for r in table.search(query, query_type="fts").to_list()] == ["k#0"]
    space = LsaEmbedder.load(next((memory.store.path / "spaces").iterdir()))
    assert done.embedder == space.name == memory.store.snapshot().memory["memified"]["embedder"]
    nearest = table.search(space.embed(["founded in Switzerland"])[0]).metric("cosine").to_list()
    assert nearest[0]["id"] == "town#0"
    assert len(nearest[0]["vector"]) == 256


def test_memify_embeds_only_what_is_new(memory):
    memory.add([{"id": str(n), "text": f"Text {n} on city number {n}."} for n in range(6)])
    assert memory.memify().embedded == 6
    memory.add({"id": "more", "text": "One more text."})
    done = memory.memify()
    assert (done.embedded, done.passages) == (1, 7)
    table = lancedb.connect(str(memory.store.path)).open_table("passages")
    stats = table.index_stats("words_idx")
    assert (stats.num_indexed_rows, stats.num_unindexed_rows) == (7, 0)
    # Grown by half, the space is learned anew.
    memory.add([{"id": f"b{n}", "text": f"Another {n} on rivers."} for n in range(4)])
    assert memory.memify().embedded == 11


def test_added_passages_are_found_before_memify_runs_again(memory):
    memory.add([{"id": str(n), "text": f"Text {n} on Paris."} for n in range(20)])
    memory.memify()
    memory.add({"id": "late", "text": "Zanzibar is late."})
    memory.remove("3")
    table = lancedb.connect(str(memory.store.path)).open_table("passages")
    assert [r["id"] for r in table.search("zanzibar", query_type="fts").to_list()] == ["late#0"]
    found = table.search("paris", query_type="fts").limit(30).to_list()
    assert {r["document"] for r in found} == {str(n) for n in range(20)} - {"3"}


def test_a_vector_index_comes_when_it_pays(memory, monkeypatch):
    monkeypatch.setattr("hebbgraph.ingest.memify.VECTOR_INDEX_FROM", 300)
    memory.add([{"id": str(n), "text": f"Text {n} on {n % 17} and {n % 23}."} for n in range(300)])
    assert memory.memify().vector_index == "IVF_SQ"
    table = lancedb.connect(str(memory.store.path)).open_table("passages")
    assert {one.columns[0] for one in table.list_indices()} == {"words", "vector"}
    rows = text_tables.vectors(memory.store.path, memory.store.snapshot())
    assert rows.type.list_size == 256
    assert not memory.memify().changed


def test_duplicates_are_told_and_left(memory):
    memory.add([{"id": name, "text": "The same, said twice!"} for name in "cab"])
    assert memory.memify().duplicates == 2
    keys = {row["document"]: row["key"] for row in passages(memory)}
    told = {row["document"]: row["duplicate_of"] for row in passages(memory)}
    assert told == {"a": None, "b": keys["a"], "c": keys["a"]}
    memory.remove("a")
    assert memory.memify().duplicates == 1


def test_a_vector_of_another_model_takes_the_place_of_all(memory):
    memory.add([WHO, GENEVA])
    memory.memify()
    done = memory.memify(embedder=LsaEmbedder(dimensions=16))
    assert done.embedded == 2
    assert text_tables.dimensions(memory.store.path, memory.store.snapshot()) == 16
    memory.add(ADA)
    names = text_tables.read(memory.store.path, memory.store.snapshot(), "passages")
    assert names.num_rows == 3


def test_vectors_of_a_model_are_kept_when_it_stops(memory, monkeypatch):
    monkeypatch.setattr("hebbgraph.ingest.memify._COMMITTED_EVERY", 4)
    memory.add([{"id": f"{n:02}", "text": f"Text {n} on Paris."} for n in range(10)])
    with ModelServer() as server:
        model = OllamaEmbedder(
            "nomic-embed-text", host=server.url, first_wait=0.01, attempts=1, timeout=5
        )
        server.faults = [lambda exchange: exchange.answer(), status(500, {"error": "it died"})]
        with pytest.raises(ProviderError):
            memory.memify(embedder=model)
        kept = text_tables.vectors(memory.store.path, memory.store.snapshot())
        assert len(kept) - kept.null_count == 4
        before = len(server.requests)
        done = memory.memify(embedder=model)
        assert (done.embedded, done.embedder) == (6, "ollama:nomic-embed-text")
        texts = [text for body in server.bodies()[before:] for text in body["input"]]
        assert texts == [f"Text {n} on Paris." for n in range(4, 10)]
        assert not memory.memify(embedder=model).changed
        rows = passages(memory)
        vectors = text_tables.vectors(memory.store.path, memory.store.snapshot()).to_pylist()
        for row, vector in zip(rows, vectors, strict=True):
            assert vector == pytest.approx(vector_of(row["text"], 12))
    table = lancedb.connect(str(memory.store.path)).open_table("passages")
    assert len(table.search("paris", query_type="fts").limit(20).to_list()) == 10


def test_entities_that_nothing_mentions_are_withdrawn(memory):
    memory.add([ADA])
    memory.cognify()
    # As a version killed between taking a document out and stating the rest anew leaves them.
    from hebbgraph.ingest.adding import remove

    remove(memory.store, "ada")
    assert "charles babbage" in state(memory)[1]
    assert memory.memify().orphans == 2
    assert state(memory)[1] == {}


def test_prune_keeps_what_is_known(memory):
    memory.add([{"id": str(n), "text": f"Text {n} on Paris."} for n in range(4)])
    memory.cognify()
    memory.memify()
    memory.add([{"id": f"b{n}", "text": f"Another {n} on Oslo."} for n in range(4)])
    memory.cognify()
    memory.memify()
    before = state(memory)
    assert len(list((memory.store.path / "spaces").iterdir())) == 2
    done = memory.prune(keep=1)
    assert (done.snapshots, done.removed) == (1, 6)
    assert done.bytes_freed > 0
    assert len(list((memory.store.path / "spaces").iterdir())) == 1
    assert state(memory) == before
    assert not memory.memify().changed
    assert memory.prune().bytes_freed == 0


# -- command line --------------------------------------------------------------------


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("notes").mkdir()
    Path("notes/who.md").write_text("# World Health Organization\n\nThe WHO sits in Geneva.\n")
    Path("notes/geneva.md").write_text("# Geneva\n\nGeneva is a city in Switzerland.\n")

    def call(*arguments: str, code: int = 0):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == code, result.output
        return result

    return call


def test_the_three_commands(run):
    assert "documents: 2 new" in run("add", "notes/", "data.lance").output
    assert "entities" in run("cognify", "data.lance").output
    run("plastify", "data.lance")
    assert "2 embedded by lsa" in run("memify", "data.lance").output
    assert "2 unchanged" in run("add", "notes/", "data.lance").output
    assert "nothing new" in run("cognify", "data.lance").output
    Path("notes/who.md").unlink()
    assert "1 removed" in run("add", "notes/", "--remove", "data.lance").output
    said = json.loads(run("cognify", "data.lance", "--json").output)
    assert (said["documents"], said["by"], said["changed"]) == (1, "rules", True)
    assert "1 documents removed" in run("remove", "data.lance", "notes/geneva.md").output
    assert "MB freed" in run("prune", "data.lance", "--keep", "1").output
    assert run("cognify", "data.lance", "--quiet").output == ""
    assert "entities of" in run("history", "data.lance").output


def test_similar_and_back(run):
    run("add", "notes/", "data.lance")
    run("cognify", "data.lance")
    plain = edges(hebbgraph.Memory("data.lance"))
    Path("notes/old.md").write_text("The Geneva Convention and the Old Geneva Convention stand.")
    run("add", "notes/", "data.lance")
    said = json.loads(run("cognify", "data.lance", "--similar", "--json").output)
    assert said["similar"] > 0
    refused = run("cognify", "data.lance", "--no-similar", "--embedder", "lsa", code=2)
    assert "--embedder goes with --similar" in refused.output
    run("cognify", "data.lance", "--no-similar")
    assert not any(
        relation == "similar_to" for _, relation, _ in edges(hebbgraph.Memory("data.lance"))
    )
    Path("notes/old.md").unlink()
    run("add", "notes/", "--remove", "data.lance")
    run("cognify", "data.lance")
    assert edges(hebbgraph.Memory("data.lance")) == plain


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cognify", "nowhere.lance"], "hebbgraph add FILES"),
        (["add", "nowhere.md", "data.lance"], "no file or folder at nowhere.md"),
        (["add", "https://example.org/a", "data.lance"], "nothing is fetched"),
        (["remove", "data.lance", "x"], "no document"),
        (["cognify", "data.lance", "--completer", "nobody:x"], "completer: expected"),
        (["memify", "data.lance", "--embedder", "nobody"], "embedder: expected"),
        (["cognify", "data.lance", "--openie", "notes/who.md"], "expected JSON"),
        (["cognify", "data.lance", "--workers", "0"], "workers"),
    ],
)
def test_errors_are_one_line(run, arguments, message):
    run("add", "notes", "data.lance")
    output = run(*arguments, code=1).output
    assert message in output
    assert len(output.strip().splitlines()) == 1


def test_a_killed_add_leaves_nothing(run, tmp_path, monkeypatch):
    run("add", "notes", "data.lance")
    before = tree(tmp_path / "data.lance")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hebbgraph.text_tables.replace_rows", full)
    Path("notes/who.md").write_text("# World Health Organization\n\nAnother text.\n")
    assert "disk is full" in run("add", "notes", "data.lance", code=1).output
    assert tree(tmp_path / "data.lance") == before


def test_schema_with_vectors_is_that_of_passages():
    kinds = schema.with_vectors(8)
    assert kinds.names[:-1] == schema.PASSAGES.names
    assert kinds.field("vector").type == pa.list_(pa.float32(), 8)


def test_forgetting_by_node_is_refused_where_text_would_say_it_again(tmp_path):
    memory = hebbgraph.Memory(tmp_path / "text.lance")
    memory.add([{"id": "a", "title": "Ada", "text": "Ada Lovelace wrote about engines."}])
    memory.cognify()
    with pytest.raises(
        InputError, match="is a memory of text; take documents out with `hebbgraph remove`"
    ):
        memory.store.forget(["a"])


def test_keywords_and_scenarios_stand_with_documents_of_older_stores_too(memory, monkeypatch):
    names = [name for name in schema.DOCUMENTS.names if name not in ("keywords", "scenarios")]
    older = pa.schema([schema.DOCUMENTS.field(name) for name in names])
    with monkeypatch.context() as before:
        before.setitem(schema.TABLES, "documents", older)
        items = [{"id": f"old{k}", "text": f"Note {k}."} for k in range(9)]
        memory.add(items)
    memory.add({"id": "new", "title": "Refund Policy", "text": "Items must be unopened. Always."})
    columns = ["id", "keywords", "scenarios"]
    rows = text_tables.read(memory.store.path, memory.store.snapshot(), "documents", columns)
    told = {row["id"]: row for row in rows.to_pylist()}
    assert told["new"]["scenarios"] == ["checking what is allowed before acting on Refund Policy"]
    assert told["new"]["keywords"][0] == "Refund Policy"
    assert told["old3"]["scenarios"] is None
    assert len(told) == 10
