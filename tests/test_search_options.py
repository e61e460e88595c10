"""What else a search can be told, in Python and on the command line; feedback."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

import hebbgraph
from hebbgraph.cli.main import main
from hebbgraph.errors import InputError, ParameterError
from hebbgraph.retrieval.relevance import Weights
from hebbgraph.retrieval.synonym_files import read_synonyms

NOW = datetime(2025, 6, 1, tzinfo=UTC)
TEXTS = [
    {"id": "old", "kind": "lesson", "tags": ["db"], "time": "2021-03-05",
     "text": "The database stood still, and Kim Young restarted the database."},
    {"id": "new", "kind": "decision", "rationale": "It fits.", "tags": ["ui"], "time": "2025-05-31",
     "text": "A database of colours for the buttons."},
    {"id": "kim", "title": "Kim Young", "kind": "concept", "tags": ["people"],
     "text": "She has the pager on Fridays."},
    {"id": "ko", "kind": "rule", "tags": ["ops"], "text": "장애가 나면 서랍을 연다."},
    {"id": "car", "kind": "concept", "tags": ["people"], "text": "The automobile is blue."},
]  # fmt: skip


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    made = hebbgraph.Memory(tmp_path_factory.mktemp("options") / "data.lance")
    made.add(TEXTS[:2], node_set="ops")
    made.add(TEXTS[2:])
    made.cognify()
    return made


@pytest.fixture
def run(memory):
    def call(*arguments, code=0):
        command, *rest = arguments
        result = CliRunner().invoke(main, [command, str(memory.store.path), *rest])
        assert result.exit_code == code, result.output
        return result.output

    return call


def ids(hits):
    return [hit.document_id for hit in hits]


def test_weights_of_the_ways_to_relevance(memory):
    query = "who restarted the database"
    assert "kim" in ids(memory.search(query, now=NOW))
    alone = Weights(titles=0, entities=0, spreading=0)
    assert "kim" not in ids(memory.search(query, weights=alone, now=NOW))
    with pytest.raises(ParameterError, match="weights: expected Weights, got dict"):
        memory.search(query, weights={"links": 1})


def test_weights_of_the_axes(memory):
    fresh = {"relevance": 0.1, "importance": 0, "vitality": 0, "recency": 1.0, "context": 0}
    assert ids(memory.search("restarted database", axes=fresh, now=NOW))[0] == "new"
    dull = fresh | {"relevance": 1.0, "recency": 0}
    assert ids(memory.search("restarted database", axes=dull, now=NOW))[0] == "old"
    with pytest.raises(ParameterError, match="axes: expected one of relevance"):
        memory.search("database", axes={"charm": 1})
    with pytest.raises(ParameterError, match="axes"):
        memory.search("", axes={"recency": -1})


def test_tags_of_the_context(memory):
    near = {"relevance": 0.1, "importance": 0, "vitality": 0, "recency": 0, "context": 1.0}
    for tag in ("db", "ui"):
        best = memory.search("database", axes=near, context_tags=[tag], now=NOW)[0]
        assert best.parts.context == 1
        assert best.document_id == {"db": "old", "ui": "new"}[tag]
    assert memory.search("database", axes=near, context_tags="ui", now=NOW)[0].parts.context == 1


def test_synonyms_stand_beside_those_built_in(memory):
    assert ids(memory.search("error", k=1, now=NOW)) == ["ko"]
    assert ids(memory.search("motorcar", now=NOW)) == []
    groups = [("motorcar", "automobile", "자동차")]
    assert ids(memory.search("motorcar", synonyms=groups, now=NOW)) == ["car"]
    assert ids(memory.search("자동차", synonyms=groups, now=NOW)) == ["car"]
    assert ids(memory.search("error", k=1, synonyms=groups, now=NOW)) == ["ko"]
    for wrong in (["motorcar"], [("motorcar",)], [(1, 2)]):
        with pytest.raises(ParameterError, match="synonyms: expected"):
            memory.search("x", synonyms=wrong)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("words.toml", 'synonyms = [["motorcar", "automobile"], ["a b", "c"]]'),
        ("words.json", '{"synonyms": [["motorcar", "automobile"], ["a b", "c"]]}'),
        ("list.json", '[["motorcar", "automobile"], ["a b", "c"]]'),
        ("words.txt", "# cars\nmotorcar, automobile  # two\n\n a b,c\n"),
    ],
)
def test_synonyms_in_files(run, tmp_path, name, text):
    file = tmp_path / name
    file.write_text(text, "utf-8")
    assert read_synonyms(file) == [("motorcar", "automobile"), ("a b", "c")]
    assert "automobile is blue" in run("search", "motorcar", "--synonyms", str(file))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.toml", "synonyms = 3", "x.toml: expected synonyms ="),
        ("x.toml", "synonyms = [", "x.toml: cannot be read"),
        ("x.json", '[["one"]]', r"x.json group 1: expected two words or more, got \['one'\]"),
        ("x.json", "{", "x.json: cannot be read"),
        ("x.txt", "a, b\nonly", "x.txt line 2: expected two words or more"),
        ("x.txt", b"\xff\xfe\x00", "x.txt: cannot be read"),
    ],
)
def test_files_of_synonyms_that_cannot_be_read(run, tmp_path, name, text, message):
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=message):
        read_synonyms(file)
    assert "Error: " in run("search", "x", "--synonyms", str(file), code=1)
    assert "No such file" in run("search", "x", "--synonyms", str(file) + "x", code=1)


def test_filters_on_the_command_line(run):
    def found(*options):
        return ids_of(run("search", "database pager automobile 장애", "--json", *options))

    def ids_of(output):
        return {hit["document_id"] for hit in json.loads(output)["hits"]}

    assert found() == {"old", "new", "kim", "ko", "car"}
    assert found("--kind", "lesson", "--kind", "rule") == {"old", "ko"}
    assert found("--tag", "people") == {"kim", "car"}
    assert found("--node-set", "ops") == {"old", "new"}
    assert found("--since", "2022") == {"new"}
    assert found("--until", "2021-03") == {"old"}
    assert found("--as-of", "2022") == {"old", "kim", "ko", "car"}
    shown = run("search", "database", "--kind", "lessn")
    assert shown.split("\n")[:2] == [
        "nothing has the kind 'lessn'; there are concept, decision, lesson, rule", "nothing found"
    ]  # fmt: skip
    assert "Error: since: expected ISO 8601" in run("search", "x", "--since", "soon", code=1)


def test_weights_on_the_command_line(run):
    none = [f"--weight={axis}=0" for axis in ("relevance", "recency", "vitality", "context")]
    shown = run("search", "restarted database", *none, "--weight", "importance=0.8", "--json")
    assert {hit["score"] for hit in json.loads(shown)["hits"]} == {0.4}
    shown = run("search", "who restarted the database", "--json", "--weight", "spreading=0")
    assert "kim" not in {hit["document_id"] for hit in json.loads(shown)["hits"]}
    assert "names are relevance, importance" in run("search", "x", "--weight", "charm=1", code=2)
    assert "expected a number after recency=" in run("search", "x", "--weight", "recency", code=2)
    assert "Error: " in run("search", "x", "--weight", "recency=nan", code=1)
    near = json.loads(run("search", "database", "--context-tag", "ui", "--json", "--intent",
                          "context_explore"))["hits"][0]  # fmt: skip
    assert (near["document_id"], near["parts"]["context"]) == ("new", 1.0)


def test_feedback_from_the_command_line(memory, run):
    shown = run("search", "restarted database", "--record")
    name = shown.split("recorded as ")[1].split(";")[0]
    assert f"hebbgraph feedback {memory.store.path} {name}" in shown
    told = json.loads(run("search", "database", "--record", "--json"))
    assert len(told["id"]) == 32
    assert json.loads(run("search", "nothing of the kind zzz", "--record", "--json"))["id"] is None
    run("feedback", name, "--useful", "old#0", "--useless", "new#0")
    rows = memory.store.episodes().to_pylist()
    given = [(one["nodes"], one["outcome"]) for one in rows if one["kind"] == "feedback"]
    assert given == [(["old#0"], 1.0), (["new#0"], -1.0)]
    assert json.loads(run("feedback", told["id"], "--useful", "old#0", "--json"))["useful"] == [
        "old#0"
    ]
    assert "no recorded search 'zzz'" in run("feedback", "zzz", "--useful", "old#0", code=1)
    assert "did not find 'car#0'" in run("feedback", name, "--useful", "car#0", code=1)
    assert "give --useful" in run("feedback", name, code=2)
