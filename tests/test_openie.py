"""Published OpenIE results, and ontologies."""

from __future__ import annotations

import json

import pytest

from hebbgraph.errors import InputError
from hebbgraph.ingest.classify import classify, kind_of
from hebbgraph.ingest.documents import Document
from hebbgraph.ingest.extraction import ENTITIES, LINKS, MENTIONS, RELATIONS
from hebbgraph.ingest.ontologies import read_ontology
from hebbgraph.ingest.openie import read_openie


def openie(tmp_path, docs):
    path = tmp_path / "openie.json"
    path.write_text(json.dumps({"docs": docs}), "utf-8")
    return path


def test_openie_is_an_extraction_with_names_merged_and_relations_as_written(tmp_path):
    docs = [
        {
            "title": "Ada", "text": " Ada Lovelace (Ада) wrote notes.",
            "extracted_entities": ["Ada Lovelace", "ada  lovelace", "Ada Lovelace"],
            "extracted_triples": [
                ["Ada Lovelace", "worked-with", "Charles Babbage"],
                ["Ada Lovelace", "v1.2 of", "notes"],
                ["ADA LOVELACE", "написала", "notes"],
                ["Ada Lovelace", "저술", "notes"],
                ["Ada Lovelace", "is", "ada lovelace"],
                ["broken", "pair"],
                ["x", None, "y"],
            ],
        },
        {"passage": "Bob\nBob came.", "extracted_entities": [], "extracted_triples": []},
    ]  # fmt: skip
    documents, passages, found = read_openie(openie(tmp_path, docs))
    assert [(one.id, one.title, one.text) for one in documents][1] == ("1", "Bob", "Bob came.")
    assert passages[0].text == "Ada Lovelace (Ада) wrote notes."
    data = documents[0].text.encode()
    assert data[passages[0].start : passages[0].end].decode() == passages[0].text
    names = found.entities["name"].to_pylist()
    assert names == ["Ada", "Ada Lovelace", "Charles Babbage", "notes", "Bob"]
    assert found.entities["aliases"].to_pylist()[1] == [
        "ADA LOVELACE",
        "ada  lovelace",
        "ada lovelace",
    ]
    said = {
        (names[row["subject"]], row["predicate"], names[row["object"]])
        for row in found.relations.to_pylist()
    }
    assert said == {
        ("Ada Lovelace", "worked-with", "Charles Babbage"),
        ("Ada Lovelace", "v1.2 of", "notes"),
        ("Ada Lovelace", "написала", "notes"),
        ("Ada Lovelace", "저술", "notes"),
    }
    where = {
        names[row["entity"]]: data[row["start"] : row["end"]].decode()
        for row in found.mentions.to_pylist()
        if row["passage"] == 0
    }
    assert where == {
        "Ada": "",
        "Ada Lovelace": "Ada Lovelace",
        "Charles Babbage": "",
        "notes": "notes",
    }
    assert found.title_entities.tolist() == [0, 4]
    for table, schema in (
        (found.entities, ENTITIES),
        (found.mentions, MENTIONS),
        (found.relations, RELATIONS),
        (found.links, LINKS),
    ):
        assert table.schema == schema


def test_ids_can_be_given(tmp_path):
    path = openie(tmp_path, [{"passage": "x", "extracted_entities": []}])
    assert read_openie(path, ids=["a"])[0][0].id == "a"
    with pytest.raises(InputError, match="expected 1, one a document"):
        read_openie(path, ids=[])


@pytest.mark.parametrize("content", ["[1]", "{}", '{"docs": [{"text": "x"}]}', "oops"])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "o.json"
    path.write_text(content)
    with pytest.raises(InputError, match="expected"):
        read_openie(path)


def test_an_empty_list_is_an_empty_extraction(tmp_path):
    documents, passages, found = read_openie(openie(tmp_path, []))
    assert (documents, passages, found.entities.num_rows) == ([], [], 0)


def test_the_published_results_of_a_real_set(data):
    folder = data / "hipporag-musique-train100"
    documents, passages, found = read_openie(folder / "openie.json")
    assert len(documents) == len(passages) == 1890
    assert 15_000 < found.entities.num_rows < 30_000
    keys = found.entities["key"].to_pylist()
    assert len(set(keys)) == len(keys)


TURTLE = """
@prefix : <http://x.org/t#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:Person a owl:Class ; rdfs:label "Person"@en, "사람"@ko ; rdfs:comment "A human." .
:Engineer a owl:Class ; rdfs:subClassOf :Person ; rdfs:label "기술자"@ko .
:ada a :Engineer ; rdfs:label "Ada" ; :age 36 ; :worksWith :bob .
"""


def test_an_ontology_in_every_format(tmp_path):
    pyoxigraph = pytest.importorskip("pyoxigraph")
    quads = list(pyoxigraph.parse(TURTLE.encode(), format=pyoxigraph.RdfFormat.TURTLE))
    formats = {
        "ttl": pyoxigraph.RdfFormat.TURTLE, "nt": pyoxigraph.RdfFormat.N_TRIPLES,
        "rdf": pyoxigraph.RdfFormat.RDF_XML, "owl": pyoxigraph.RdfFormat.RDF_XML,
        "jsonld": pyoxigraph.RdfFormat.JSON_LD,
    }  # fmt: skip
    for ending, syntax in formats.items():
        path = tmp_path / f"o.{ending}"
        path.write_bytes(pyoxigraph.serialize([quad.triple for quad in quads], format=syntax))
        found = read_ontology(path)
        nodes = {row["id"].split("#")[-1]: row for row in found.nodes.to_pylist()}
        assert nodes["Person"]["name"] == "Person"
        assert nodes["Person"]["description"] == "A human."
        assert nodes["Engineer"]["name"] == "기술자"
        assert (nodes["ada"]["name"], nodes["ada"]["type"]) == ("Ada", "기술자")
        assert dict(nodes["ada"]["properties"]) == {"age": "36"}
        edges = {
            (row["source"].split("#")[-1], row["relation"], row["target"].split("#")[-1])
            for row in found.edges.to_pylist()
        }
        assert edges == {
            ("Person", "is_a", "Class"), ("Engineer", "is_a", "Class"), ("Engineer", "is_a", "Person"),
            ("ada", "is_a", "Engineer"), ("ada", "worksWith", "bob"),
        }, ending  # fmt: skip


def test_an_owl_file_may_hold_turtle_and_a_broken_one_says_so(tmp_path):
    pytest.importorskip("pyoxigraph")
    (tmp_path / "t.owl").write_text(TURTLE, "utf-8")
    assert read_ontology(tmp_path / "t.owl").edges.num_rows == 5
    (tmp_path / "b.ttl").write_text("<a> <b>")
    with pytest.raises(InputError, match=r"b.ttl: expected TURTLE"):
        read_ontology(tmp_path / "b.ttl")
    (tmp_path / "e.ttl").write_text("")
    assert read_ontology(tmp_path / "e.ttl").nodes.num_rows == 0
    with pytest.raises(InputError, match="expected one of .ttl"):
        read_ontology(tmp_path / "x.txt")


@pytest.mark.parametrize(
    ("title", "text", "kind"),
    [
        ("Payment Outage Postmortem", "PG API timeout caused errors.", "lesson"),
        ("Refund Policy", "Refunds available within 7 days.", "rule"),
        ("Choose PostgreSQL", "We decided for it. Rationale: ACID.", "decision"),
        ("결제 장애 회고", "PG 장애의 근본 원인은 타임아웃이다.", "lesson"),
        ("환불 규정", "7일 이내에만 가능하다.", "rule"),
        ("Migration", "The migration succeeded with no downtime.", "outcome"),
        ("Hebbian learning", "It refers to how synapses grow.", "concept"),
        ("", "", "concept"),
    ],
)
def test_kinds(title, text, kind):
    assert kind_of(title, text) == kind


def test_what_a_document_brings_along_stands_and_the_rest_is_made():
    found = classify(
        Document("a", "결제 장애 회고", "타임아웃이 원인이다. #결제", kind="lesson", tags=("pg",))
    )
    assert (found.kind, found.tags) == ("lesson", ("pg",))
    assert found.keywords == ("결제 장애 회고", "결제 장애 회고 원인", "결제 장애 회고 해결")
    assert found.scenarios == ("결제 장애 회고 문제가 다시 생겼을 때 지난 사례를 찾기",)
    made = classify(
        Document("b", "", "The circuit breaker opened. A circuit breaker helps. #payment")
    )
    assert made.tags[:3] == ("payment", "circuit", "breaker")


def test_names_of_columns_are_no_tags():
    rows = "vendor: Aiven\nproduct: Kafka hosting", "vendor: Neon\nproduct: Postgres"
    tags = [classify(Document(str(n), "", row)).tags for n, row in enumerate(rows)]
    assert tags == [("aiven", "kafka", "hosting"), ("neon", "postgres")]
    text = "Note: vendors differ\nThe product is sound."
    assert "note" in classify(Document("t", "", text)).tags
