"""Edges stated by hand, and graphs of RDF, beside what text states."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import tree
from hypothesis import given, settings
from hypothesis import strategies as st

import hebbgraph
from hebbgraph.cli.main import main
from hebbgraph.errors import InputError, NodeNotFoundError, OntologyError

DECISION = {"id": "d", "title": "Use Lance", "kind": "decision", "rationale": "It is fast."}
OUTCOME = {"id": "o", "text": "Reads took 0.15 s.", "kind": "outcome", "success": True}
SESSION = {"id": "s", "text": "The storage review.", "kind": "session"}
ADA = {"id": "ada", "title": "Ada Lovelace", "text": "Ada Lovelace founded Babbage Society."}


@pytest.fixture
def memory(tmp_path) -> hebbgraph.Memory:
    made = hebbgraph.Memory(tmp_path / "data.lance")
    made.add([DECISION, OUTCOME, SESSION, ADA])
    return made


def rows(memory, *, mark='{"linked": true'):
    return {
        (row["source"], row["relation"], row["target"]): (row["weight"], row["properties"])
        for row in memory.graph().to_arrow().to_pylist()
        if (row["properties"] or "").startswith(mark)
    }


def types(memory):
    found = memory.graph().nodes_to_arrow().to_pylist()
    return {row["id"]: row["type"] for row in found if row["type"] is not None}


# -- links -----------------------------------------------------------------------


def test_a_link_is_one_observed_edge_however_often_it_is_made(memory):
    done = memory.link("d", "o", "resulted_in", weight=0.8, properties={"by": "김"})
    assert (done.added, done.updated, done.unchanged, done.changed) == (1, 0, 0, True)
    assert rows(memory) == {
        ("d", "resulted_in", "o"): (pytest.approx(0.8), '{"linked": true, "by": "김"}')
    }
    before = tree(memory.store.path)
    for options in ({}, {"weight": 0.8}, {"properties": {"by": "김"}}):
        again = memory.link("d", "o", "resulted_in", **options)
        assert (again.changed, again.unchanged) == (False, 1)
    assert tree(memory.store.path) == before
    assert memory.link("d", "o", "resulted_in", weight=0.5, properties={"n": 1}).updated == 1
    assert rows(memory) == {
        ("d", "resulted_in", "o"): (0.5, '{"linked": true, "by": "김", "n": 1}')
    }
    memory.link("d", "o")
    assert len(rows(memory)) == 2
    assert rows(memory)["d", "related", "o"] == (1.0, '{"linked": true}')


def test_a_weight_that_has_learned_stays(memory):
    memory.link("d", "o", "resulted_in", weight=0.5)
    memory.record(["d", "o"], outcome=1)
    memory.plastify()
    weight = rows(memory)["d", "resulted_in", "o"][0]
    assert weight > 0.5
    memory.link("d", "o", "resulted_in", weight=3)
    assert rows(memory)["d", "resulted_in", "o"][0] == weight


def test_what_cannot_be_linked_is_refused_and_nothing_is(memory):
    before = tree(memory.store.path)
    for arguments, options, error, message in [
        (("d", "d"), {}, InputError, '"d" cannot be linked to itself'),
        (("d", "x"), {}, NodeNotFoundError, 'no node "x" among'),
        (("d", "s"), {"weight": -1}, ValueError, "weight: expected a number in"),
        (("d", "s"), {"weight": float("nan")}, ValueError, "weight: expected a number in"),
        (("d", "s"), {"weight": 10**400}, ValueError, "weight: expected a number in"),
        (("d", "s"), {"properties": {"a": {1}}}, InputError, "expected a mapping that JSON can"),
        (("d", "s"), {"properties": [1]}, InputError, "expected a mapping that JSON can"),
        (("d", "s", 3), {}, InputError, "relation: expected a name, came 3"),
        (("ada", "o", "resulted_in"), {}, OntologyError,
         'nothing was linked: "ada" —resulted_in→ "o": resulted_in joins decision → outcome; came'),
    ]:  # fmt: skip
        with pytest.raises(error, match=message):
            memory.link(*arguments, **options)
    for links, message in [
        ([{"source": "d"}], "link 0: expected source and target, came source"),
        ([{"source": "d", "target": "s", "kind": "x"}], 'link 0: no key "kind" among'),
        (["ds"], "link 0: expected a mapping"),
        ([{"source": "d", "target": "s"}, {"source": "s", "target": "s"}], "link 1: "),
    ]:
        with pytest.raises(InputError, match=message):
            memory.link_many(links)
    assert tree(memory.store.path) == before
    assert not memory.link_many([]).changed


def test_every_edge_that_is_not_allowed_is_told(memory):
    links = [
        {"source": "d", "target": "o", "relation": "resulted_in"},
        {"source": "s", "target": "o", "relation": "resulted_in"},
        {"source": "ada", "target": "s", "relation": "part_of"},
    ]
    with pytest.raises(OntologyError) as caught:
        memory.link_many(links)
    assert [one.constraint for one in caught.value.violations] == ["resulted_in", "part_of"]
    memory.define_relation("resulted_in", [("session", "outcome")])
    assert memory.link_many(links[:2]).added == 2


def test_passages_and_entities_are_linked_by_what_they_are(memory):
    memory.cognify()
    assert memory.link("ada#0", "o", "supersedes").added == 1
    memory.define_relation("knows", [("entity", "entity")])
    assert memory.link("ada lovelace", "babbage society", "knows").added == 1
    with pytest.raises(OntologyError, match="knows joins entity → entity; came entity → decision"):
        memory.link("ada lovelace", "d", "knows")


def test_nodes_without_text_are_linked_too(tmp_path, web):
    store = hebbgraph.Store.create(tmp_path / "data.lance", web)
    memory = hebbgraph.Memory(store.path)
    assert memory.link("Flask", "HTTP", "speaks").added == 1
    # An edge that came otherwise is the same edge.
    done = memory.link("FastAPI", "HTTP", "speaks", weight=2)
    assert (done.added, done.updated) == (0, 1)
    assert memory.graph().n_edges == web.n_edges + 1
    with pytest.raises(OntologyError, match="came no type → no type"):
        memory.link("Flask", "HTTP", "resulted_in")
    undirected = hebbgraph.Store.create(
        tmp_path / "u.lance", hebbgraph.Graph.from_edges([0, 1], [1, 2], directed=False)
    )
    memory = hebbgraph.Memory(undirected.path)
    assert memory.link(2, 0, weight=0.5).added == 1
    assert memory.link(0, 2, weight=0.7).updated == 1
    assert memory.graph().n_edges == 3


def test_links_outlive_what_is_stated_anew_and_go_with_their_documents(memory):
    memory.link("d", "o", "resulted_in")
    memory.link("d", "s", "part_of")
    memory.cognify()
    memory.link("ada lovelace", "babbage society", "founded")
    memory.add({**DECISION, "text": "Use Lance, said Ada Lovelace."})
    memory.cognify()
    memory.memify()
    memory.plastify()
    kept = {("d", "resulted_in", "o"), ("d", "part_of", "s"),
            ("ada lovelace", "founded", "babbage society")}  # fmt: skip
    assert {*rows(memory)} == kept
    memory.remove("s")
    assert {*rows(memory)} == kept - {("d", "part_of", "s")}
    with pytest.raises(NodeNotFoundError, match='no node "s": it was removed'):
        memory.link("d", "s", "part_of")
    memory.add(SESSION)
    assert {*rows(memory)} == kept - {("d", "part_of", "s")}
    assert memory.link("d", "s", "part_of").added == 1
    assert {*rows(hebbgraph.Memory(memory.store.path))} == kept
    memory.store.restore(1)
    assert rows(memory) == {}


def test_a_link_outlives_entities_that_are_no_longer_found(memory):
    memory.add({"id": "p", "text": "Paris Opera hired Jane Roe. Jane Roe sang in Paris Opera."})
    memory.cognify()
    joined = memory.store.snapshot().pass_options
    memory.link("ada lovelace", "babbage society", "admired")
    memory.remove("ada")
    assert "ada lovelace" not in types(memory)
    assert {*rows(memory)} == {("ada lovelace", "admired", "babbage society")}
    # Passes join no documents and passages all the same.
    assert memory.store.snapshot().pass_options == joined
    assert joined["node_types"]
    memory.add(ADA)
    memory.cognify()
    assert "ada lovelace" in types(memory)
    assert {*rows(memory)} == {("ada lovelace", "admired", "babbage society")}


def test_unlink_takes_back_what_was_linked_and_nothing_else(memory):
    memory.cognify()
    edge = ("ada lovelace", "babbage society", "founded")
    stated = {*rows(memory, mark='{"text_evidence"')}
    assert ("ada lovelace", "founded", "babbage society") in stated
    with pytest.raises(InputError, match="was not linked; what documents state goes with them"):
        memory.unlink(*edge)
    with pytest.raises(InputError, match='"d" —related→ "o" was not linked'):
        memory.unlink("d", "o")
    memory.link(*edge)
    memory.link("d", "o")
    assert memory.unlink("d", "o").removed == 1
    assert memory.unlink(*edge).removed == 1
    assert rows(memory) == {}
    memory.cognify()
    assert {*rows(memory, mark='{"text_evidence"')} == stated


LINKS = st.tuples(*[st.sampled_from(["a", "b", "c"])] * 2).filter(lambda pair: pair[0] != pair[1])
VERBS = st.lists(
    st.one_of(
        st.tuples(st.just("link"), LINKS, st.sampled_from([None, 0.5, 2.0])),
        st.tuples(st.just("unlink"), LINKS, st.none()),
        st.tuples(st.sampled_from(["add", "remove"]), st.sampled_from(["a", "b", "c"]), st.none()),
        st.tuples(st.just("cognify"), st.none(), st.none()),
    ),
    max_size=8,
)


@given(verbs=VERBS)
@settings(max_examples=12, deadline=None)
def test_links_are_those_that_a_plain_loop_keeps(verbs):
    with tempfile.TemporaryDirectory() as folder:
        memory = hebbgraph.Memory(Path(folder, "data.lance"))
        held = {"a", "b", "c"}
        memory.add([{"id": one, "text": f"Text {one} on Paris."} for one in sorted(held)])
        wanted: dict[tuple[str, str], float] = {}
        for number, (verb, what, weight) in enumerate(verbs):
            if verb == "link" and {*what} <= held:
                memory.link(*what, weight=weight)
                wanted[what] = wanted.get(what, 1.0) if weight is None else weight
            elif verb == "link":
                with pytest.raises(NodeNotFoundError):
                    memory.link(*what)
            elif verb == "unlink" and what in wanted:
                memory.unlink(*what)
                del wanted[what]
            elif verb == "add":
                memory.add({"id": what, "text": f"Text {number} on Geneva."})
                held.add(what)
            elif verb == "remove" and what in held:
                memory.remove(what)
                held.discard(what)
                wanted = {pair: value for pair, value in wanted.items() if what not in pair}
            elif verb == "cognify":
                memory.cognify()
            found = {(a, b): value for (a, _, b), (value, _) in rows(memory).items()}
            assert found == wanted


# -- RDF ---------------------------------------------------------------------------

ZOO = """@prefix : <http://x.org/zoo#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://x.org/zoo> a owl:Ontology ; rdfs:label "Zoo" .
:Animal a owl:Class ; rdfs:comment "What moves." .
:Penguin a owl:Class ; rdfs:subClassOf :Animal ,
    [ a owl:Restriction ; owl:onProperty :keeper ; owl:cardinality 1 ] .
:House a owl:Class .
:keeper a owl:DatatypeProperty ; rdfs:domain :Animal ; rdfs:range xsd:string .
:weight a owl:DatatypeProperty ; rdfs:domain :Animal ; rdfs:range xsd:decimal .
:lives_in a owl:ObjectProperty ; rdfs:domain :Animal ; rdfs:range :House .
:pingu a :Penguin , owl:NamedIndividual ; rdfs:label "Pingu" ; :keeper "Ann" ; :weight 12.5 ;
    :lives_in :ice ; :near [ rdfs:label "Rock" ] .
:ice a :House ; rdfs:label "Ice house" .
"""
BASE = "http://x.org/zoo#"
MORE = f'<{BASE}pingu> <{BASE}likes> <{BASE}ice> .\n<{BASE}pingu> <{BASE}age> "3" .'


@pytest.fixture
def zoo(tmp_path) -> Path:
    pytest.importorskip("pyoxigraph")
    (tmp_path / "zoo.ttl").write_text(ZOO)
    return tmp_path / "zoo.ttl"


def resources(memory):
    marked = memory.graph().nodes_to_arrow().to_pylist()
    return {
        row["id"].replace(BASE, ":"): (row["type"], json.loads(row["properties"]))
        for row in marked
        if (row["properties"] or "").startswith('{"rdf": ')
    }


def relations(memory):
    return {
        tuple(part.replace(BASE, ":") for part in edge)
        for edge in rows(memory, mark='{"rdf_evidence": ')
    }


def test_rdf_becomes_nodes_and_edges_and_no_passages(memory, zoo):
    done = memory.add(zoo)
    assert (done.added, done.passages) == (1, 0)
    assert resources(memory) == {
        ":Animal": ("class", {"rdf": "resource", "name": "Animal", "description": "What moves."}),
        ":Penguin": ("class", {"rdf": "resource", "name": "Penguin"}),
        ":House": ("class", {"rdf": "resource", "name": "House"}),
        ":ice": ("House", {"rdf": "resource", "name": "Ice house"}),
        ":pingu": ("Penguin", {"rdf": "resource", "name": "Pingu", "keeper": "Ann", "weight": "12.5"}),
        "_:zoo.ttl/1": ("resource", {"rdf": "resource", "name": "Rock"}),
    }  # fmt: skip
    assert relations(memory) == {
        (":Penguin", "is_a", ":Animal"), (":pingu", "is_a", ":Penguin"), (":ice", "is_a", ":House"),
        (":pingu", "lives_in", ":ice"), (":pingu", "near", "_:zoo.ttl/1"),
    }  # fmt: skip
    assert types(memory)["zoo.ttl"] == "document"
    before = tree(memory.store.path)
    assert memory.add(zoo).unchanged == 1
    assert tree(memory.store.path) == before
    memory.cognify()
    memory.memify()
    assert len(relations(memory)) == 5
    assert memory.search("storage", k=1)[0].document_id == "s"


def test_a_changed_file_takes_the_place_of_what_it_said_and_learned_weights_stay(memory, zoo):
    memory.add(zoo)
    base = memory.graph()
    heavy = dataclasses.replace(
        base, weight=np.full(base.n_edges, 2, np.float32),
        co_occurrence_count=np.full(base.n_edges, 4, np.int32),
    )  # fmt: skip
    memory.store.commit(
        heavy, base=base, parent=memory.store.snapshot(), operation="plastify", parameters={},
        figures={},
    )  # fmt: skip
    zoo.write_text(ZOO.replace('"Pingu"', '"Pingu II"').replace(":lives_in :ice ;", ""))
    assert memory.add(zoo).replaced == 1
    assert resources(memory)[":pingu"][1]["name"] == "Pingu II"
    assert (":pingu", "lives_in", ":ice") not in relations(memory)
    assert {one[0] for one in rows(memory, mark='{"rdf_evidence": ').values()} == {2.0}
    memory.remove("zoo.ttl")
    assert resources(memory) == {}
    assert relations(memory) == set()
    assert not any(BASE in id_ for id_ in types(memory))


def test_two_files_speak_of_one_resource(memory, zoo, tmp_path):
    (tmp_path / "more.nt").write_text(MORE)
    memory.add([zoo, tmp_path / "more.nt"])
    assert resources(memory)[":pingu"][1]["age"] == "3"
    both = relations(memory)
    assert (":pingu", "likes", ":ice") in both
    memory.remove("more.nt")
    assert "age" not in resources(memory)[":pingu"][1]
    assert relations(memory) == both - {(":pingu", "likes", ":ice")}
    memory.add(tmp_path / "more.nt")
    memory.remove("zoo.ttl")
    assert {*resources(memory)} == {":pingu", ":ice"}
    assert resources(memory)[":pingu"][0] == "resource"


def test_literals_whose_names_meet_are_all_kept(memory, tmp_path):
    pytest.importorskip("pyoxigraph")
    (tmp_path / "t.nt").write_text(
        '<urn:x#a> <urn:p#name> "A" .\n<urn:x#a> <urn:p#age> "1" .\n<urn:x#a> <urn:q#age> "2" .\n'
        '<urn:x#a> <urn:p#rdf> "no" .\n<urn:x#a> <urn:p#text> "한국어 \\"q\\"" .\n'
    )
    memory.add(tmp_path / "t.nt")
    assert resources(memory)["urn:x#a"] == ("resource", {
        "rdf": "resource", "name": "a", "name_": "A", "age": "1; 2", "rdf_": "no",
        "text": '한국어 "q"',
    })  # fmt: skip


def test_a_thesaurus_has_no_hub_of_all_concepts(memory, tmp_path):
    pytest.importorskip("pyoxigraph")
    (tmp_path / "t.ttl").write_text(
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://x.org/zoo#> .\n"
        ':bird a skos:Concept ; skos:prefLabel "Bird"@en, "새"@ko ; skos:definition "It flies." .\n'
        ":penguin a skos:Concept ; skos:broader :bird ; skos:related :ice ."
    )
    memory.add(tmp_path / "t.ttl")
    assert relations(memory) == {(":penguin", "is_a", ":bird"), (":penguin", "related", ":ice")}
    assert resources(memory)[":bird"] == (
        "Concept", {"rdf": "resource", "name": "Bird", "description": "It flies."},
    )  # fmt: skip


def test_a_document_may_have_the_id_of_a_resource(memory, zoo):
    memory.add(zoo)
    known = resources(memory), relations(memory)
    memory.add({"id": f"{BASE}ice", "text": "Ice is cold."})
    assert types(memory)[f"{BASE}ice"] == "document"
    assert resources(memory)[":ice (resource)"] == known[0][":ice"]
    assert (":pingu", "lives_in", ":ice (resource)") in relations(memory)
    assert (f"{BASE}ice#0", "part_of", f"{BASE}ice") in rows(memory, mark='{"text_evidence"')
    memory.remove(f"{BASE}ice")
    assert (resources(memory), relations(memory)) == known
    assert f"{BASE}ice#0" not in types(memory)


RDF_VERBS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(["zoo.ttl", "more.nt", f"{BASE}ice", "x"])),
        st.tuples(st.just("remove"), st.sampled_from(["zoo.ttl", "more.nt", f"{BASE}ice", "x"])),
        st.tuples(st.just("change"), st.just("more.nt")),
    ),
    max_size=6,
)


@given(verbs=RDF_VERBS)
@settings(max_examples=12, deadline=None)
def test_any_order_of_files_ends_as_the_final_state_alone(verbs):
    pytest.importorskip("pyoxigraph")
    with tempfile.TemporaryDirectory() as folder:
        texts = {"zoo.ttl": ZOO, "more.nt": MORE}
        for name, text in texts.items():
            Path(folder, name).write_text(text)

        def item(name):
            text = {"id": name, "text": f"Of {name} and Geneva."}
            return Path(folder, name) if name in texts else text

        memory = hebbgraph.Memory(Path(folder, "long.lance"))
        held: set[str] = set()
        for verb, name in verbs:
            if verb == "change":
                Path(folder, name).write_text(MORE.replace("likes", "fears"))
            elif verb == "add":
                memory.add(item(name))
                held.add(name)
            elif name in held:
                memory.remove(name)
                held.discard(name)
        if "more.nt" in held:
            memory.add(item("more.nt"))
        memory.cognify()
        fresh = hebbgraph.Memory(Path(folder, "short.lance"))
        fresh.add([item(name) for name in sorted(held)])
        fresh.cognify()
        for found in (resources, relations, types):
            assert found(memory) == found(fresh)
        assert rows(memory, mark="{") == rows(fresh, mark="{")


def test_resources_are_held_to_the_ontology_that_knows_their_class(memory, zoo):
    memory.add(zoo)
    assert memory.load_ontology(zoo).violations == ()
    before = tree(memory.store.path)
    zoo.write_text(
        ZOO.replace(':keeper "Ann" ;', "").replace("12.5", '"much"')
        .replace(":lives_in :ice", ":lives_in :other").replace(":ice a", ":other a :Animal . :ice a")
    )  # fmt: skip
    with pytest.raises(OntologyError) as caught:
        memory.add(zoo)
    assert "nothing was added: resource " in str(caught.value)
    assert {one.constraint for one in caught.value.violations} == {
        "Penguin.keeper", "Penguin.weight", "lives_in",
    }  # fmt: skip
    assert tree(memory.store.path) == before


def test_resources_that_came_first_are_told_by_a_dry_run(memory, zoo, tmp_path):
    (tmp_path / "bad.ttl").write_text(
        f"<{BASE}pongo> a <{BASE}Penguin> ; <{BASE}lives_in> <{BASE}pongo2> .\n"
        f"<{BASE}pongo2> a <{BASE}Animal> ."
    )
    memory.add(tmp_path / "bad.ttl")
    dry = memory.load_ontology(zoo, dry_run=True)
    assert [one.constraint for one in dry.violations] == ["Penguin.keeper", "lives_in"]
    memory.load_ontology(zoo)
    # What was there already stands in the way of nothing else.
    assert memory.add(zoo).added == 1


def test_links_between_resources_and_documents(memory, zoo):
    memory.add(zoo)
    memory.load_ontology(zoo)
    pingu, ice = f"{BASE}pingu", f"{BASE}ice"
    memory.link(pingu, "ada")
    memory.link(pingu, ice, "lives_in")
    with pytest.raises(OntologyError, match="lives_in joins Animal → House; came House → Penguin"):
        memory.link(ice, pingu, "lives_in")
    zoo.write_text(ZOO + "\n:pingu :age 4 .")
    memory.add(zoo)
    assert {*rows(memory)} == {(pingu, "related", "ada"), (pingu, "lives_in", ice)}
    memory.unlink(pingu, ice, "lives_in")
    assert (":pingu", "lives_in", ":ice") in relations(memory)
    memory.remove("zoo.ttl")
    assert rows(memory) == {}


def test_passes_join_resources_and_no_documents(memory, zoo):
    memory.add(zoo)
    memory.cognify()
    options = memory.store.snapshot().pass_options
    assert {"Penguin", "House", "class"} <= {*options["node_types"]}
    assert "document" not in options["node_types"]


def test_a_folder_with_rdf_in_it(memory, tmp_path):
    pytest.importorskip("pyoxigraph")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "zoo.ttl").write_text(ZOO)
    (tmp_path / "notes" / "a.txt").write_text("On Paris.")
    (tmp_path / "notes" / "broken.ttl").write_text("<a> <b>")
    skipped = []
    memory.add(tmp_path / "notes", skipped=lambda path, why: skipped.append(why))
    assert len(skipped) == 1
    assert "expected TURTLE" in skipped[0]
    assert "_:notes/zoo.ttl/1" in resources(memory)
    (tmp_path / "notes" / "zoo.ttl").unlink()
    memory.add(tmp_path / "notes", remove_missing=True, skipped=lambda path, why: None)
    assert resources(memory) == {}


# -- the command line --------------------------------------------------------------


def run(*arguments, code=0):
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == code, done.output
    return done


def test_the_command_links_and_unlinks(memory):
    store = memory.store.path
    assert "linked → snapshot 2" in run("link", store, "d", "o", "--relation", "resulted_in").output
    again = run("link", store, "d", "o", "--relation", "resulted_in", "--weight", 0.5, "--json")
    assert json.loads(again.output)["updated"] == 1
    said = run("link", store, "d", "s", "--properties", '{"a": 1}').output
    assert "linked → snapshot 4" in said
    assert "linked already" in run("link", store, "d", "s").output
    assert rows(memory)["d", "related", "s"][1] == '{"linked": true, "a": 1}'
    failed = run("link", store, "s", "o", "--relation", "resulted_in", code=1)
    assert "Error: nothing was linked:" in failed.output
    assert "came session → outcome" in failed.output
    assert "JSON object" in run("link", store, "d", "s", "--properties", "[1]", code=2).output
    assert "unlinked → snapshot 5" in run("unlink", store, "d", "s").output
    assert "was not linked" in run("unlink", store, "d", "s", code=1).output
