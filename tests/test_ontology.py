"""The ontology: inheritance and constraints against plain loops, its files, and what a memory keeps."""

from __future__ import annotations

import datetime
import json

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import tree
from hypothesis import given
from hypothesis import strategies as st

import hebbgraph
from hebbgraph.cli.main import main
from hebbgraph.errors import InputError, OntologyError
from hebbgraph.ingest.classify import _SIGNS
from hebbgraph.ingest.documents import Document
from hebbgraph.ingest.ontology import definitions
from hebbgraph.ingest.ontology.checking import (
    edge_violation,
    node_violations,
    refuse,
    stated,
    with_types,
)
from hebbgraph.ingest.ontology.default import default
from hebbgraph.ingest.ontology.model import ANY, Ontology, Property, Relation, Type, extended

NAMES = [f"t{number}" for number in range(7)]


def hierarchies(*, circles: bool = False):
    """Types whose parents come before them, or anywhere."""

    def made(drawn):
        return {
            name: Type(name, tuple(parents), "", {key: Property(kind) for key, kind in own.items()})
            for name, (parents, own) in zip(NAMES, drawn, strict=True)
        }

    own = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["text", "number"]), max_size=2)
    parents = [
        st.lists(st.sampled_from(NAMES if circles else NAMES[:place]), unique=True, max_size=2)
        if circles or place
        else st.just([])
        for place in range(len(NAMES))
    ]
    return st.tuples(*(st.tuples(one, own) for one in parents)).map(made)


# -- plain loops -------------------------------------------------------------------


def naive_is_a(types, name, other):
    return name == other or any(naive_is_a(types, up, other) for up in types[name].parents)


def naive_is_circular(types):
    for start in types:
        reached, border = set(), {start}
        while border:
            border = {up for one in border for up in types[one].parents} - reached
            reached |= border
        if start in reached:
            return True
    return False


# -- inheritance -------------------------------------------------------------------


@given(types=hierarchies())
def test_ancestors_are_all_above_each_before_its_own(types):
    known = extended(Ontology(), types.values(), ())
    for name in NAMES:
        found = known.ancestors(name)
        assert len(set(found)) == len(found)
        assert {*found} == {one for one in NAMES if one != name and naive_is_a(types, name, one)}
        for place, one in enumerate(found):
            assert not any(naive_is_a(types, later, one) for later in found[place + 1 :])
        assert [one for one in NAMES if known.is_a(name, one)] == [
            one for one in NAMES if naive_is_a(types, name, one)
        ]


@given(types=hierarchies())
def test_a_property_is_that_of_the_nearest_type_that_defines_it(types):
    known = extended(Ontology(), types.values(), ())
    for name in NAMES:
        above = (name, *known.ancestors(name))
        found = known.properties(name)
        assert {*found} == {key for one in above for key in types[one].properties}
        for key, value in found.items():
            definers = [one for one in above if key in types[one].properties]
            nearest = [
                one
                for one in definers
                if not any(other != one and naive_is_a(types, other, one) for other in definers)
            ]
            assert value == types[nearest[0]].properties[key]
            assert known.schema(name)["properties"][key]["from"] == nearest[0]


@given(types=hierarchies(circles=True))
def test_circles_are_refused_and_nothing_else(types):
    if naive_is_circular(types):
        with pytest.raises(InputError, match="in a circle: t. → t.*take one parent away"):
            extended(Ontology(), types.values(), ())
    else:
        assert extended(Ontology(), types.values(), ()).types == types


def test_the_first_parent_counts_and_a_child_overrides():
    types = [
        Type("a", (), "", {"x": Property("text", True), "y": Property("text")}),
        Type("b", (), "", {"x": Property("number")}),
        Type("ab", ("a", "b")),
        Type("ba", ("b", "a"), "", {"y": Property("list")}),
    ]
    known = extended(Ontology(), types, ())
    assert known.properties("ab")["x"] == Property("text", True)
    assert known.properties("ba") == {"x": Property("number"), "y": Property("list")}
    assert known.ancestors("nothing") == ()


def test_a_hierarchy_may_be_deep():
    types = [Type(f"d{n}", (f"d{n - 1}",) if n else ()) for n in range(3000)]
    assert len(extended(Ontology(), types, ()).ancestors("d2999")) == 2999


@pytest.mark.parametrize(
    ("types", "relations", "message"),
    [
        ([Type("x", ("concpt",))], [], r'type "x": no parent "concpt" \(did you mean concept\?\)'),
        ([Type("x", ("x",))], [], "in a circle: x → x"),
        ([Type("decision")], [], 'type "decision" is defined already, in another way'),
        ([], [Relation("r", (("nobody", "rule"),))], 'relation "r": no type "nobody" among'),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(types, relations, message):
    with pytest.raises(InputError, match=message) as caught:
        extended(default(), types, relations)
    assert "\n" not in str(caught.value)


# -- the default ontology ------------------------------------------------------------


def test_the_default_ontology_is_that_of_the_sources():
    known = default()
    kinds = (
        "concept entity lesson decision rule artifact agent task sprint tool_call observation "
        "reasoning outcome session knowledge agent_activity"
    )
    assert {*kinds.split()} <= {*known.types}
    edges = (
        "related caused learned_from depends_on produced contradicts supersedes is_a invoked "
        "resulted_in part_of followed_by"
    )
    assert {*known.relations} == {*edges.split()}
    for kind in ["session", "tool_call", "observation", "reasoning", "outcome"]:
        assert known.types[kind].parents == ("agent_activity",)
    for kind in ["concept", "entity", "lesson", "decision", "rule", "artifact"]:
        assert known.types[kind].parents == ("knowledge",)
    required = {
        (kind, name)
        for kind in known.types
        for name, own in known.properties(kind).items()
        if own.required
    }
    assert required == {
        ("decision", "rationale"), ("tool_call", "tool_name"), ("outcome", "success"),
    }  # fmt: skip
    # What rules tell of a document is one of the kinds.
    assert {*_SIGNS} <= {*known.types}
    # Their own tracker puts decisions into sessions, which their constraint forbids.
    assert edge_violation(known, "part_of", ["decision"], ["session"], subject="") is None


def test_it_is_read_back_from_its_own_dictionary():
    known = default()
    again = definitions.read(json.loads(json.dumps(known.to_dict())), "x")
    assert again == known


def test_nobody_changes_it_in_place():
    for held in (default().types, default().relations, default().types["decision"].properties):
        with pytest.raises(TypeError):
            held["x"] = None
    with pytest.raises(AttributeError):
        default().types = {}


def test_a_schema_says_what_is_inherited_and_what_it_takes_part_in():
    types = [
        Type("incident", ("agent_activity",), "It broke", {"severity": Property("text", True)})
    ]
    known = extended(default(), types, [Relation("fixed_by", (("incident", ANY),))])
    found = known.schema("incident")
    assert found["ancestors"] == ["agent_activity"]
    assert found["properties"]["severity"] == {
        "type": "text", "required": True, "description": "", "from": "incident",
    }  # fmt: skip
    assert {"relation": "fixed_by", "source": "incident", "target": "*"} in found["relations"]
    assert {"relation": "part_of", "source": "agent_activity", "target": "session"} in (
        found["relations"]
    )
    assert "incident" in known.schema("agent_activity")["children"]
    json.dumps(found)
    with pytest.raises(InputError, match=r'no type "incidnt" \(did you mean incident\?\) among'):
        known.schema("incidnt")


# -- what nodes must say ---------------------------------------------------------------

GOOD = {
    "text": ["x", "1"], "number": [1, 1.5, -3, 10**400], "integer": [1, -(10**30)],
    "boolean": [True, False], "list": [[], (1,)], "object": [{}, {"a": 1}], "any": [0, [], {}],
    "time": ["2024-05-01", "2024-05-01T10:00:00Z", 1714521600, datetime.date(2024, 5, 1)],
}  # fmt: skip
BAD = {
    "text": [1, True, ["x"]], "number": ["1", True, float("nan"), float("inf")],
    "integer": [1.0, "1", True], "boolean": [1, "true", "maybe"], "list": ["a, b", {}],
    "object": [[], "{}"], "any": [], "time": ["yesterday", True, [2024]],
}  # fmt: skip


@pytest.mark.parametrize("kind", GOOD)
def test_values_are_of_their_type_or_not(kind):
    known = extended(Ontology(), [Type("t", (), "", {"p": Property(kind)})], ())
    for value in GOOD[kind]:
        assert node_violations(known, "t", {"p": value}, subject="n") == []
    for value in BAD[kind]:
        (found,) = node_violations(known, "t", {"p": value}, subject="n")
        assert found.constraint == "t.p"
        assert str(found).startswith("n: p of kind t: expected ")
        assert "came " in found.message
    assert node_violations(known, "t", {}, subject="n") == []


@given(
    types=hierarchies(),
    required=st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from("abc"))),
    said=st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["", "x", 1, None]), max_size=4),
)
def test_every_violation_of_a_node_is_told_and_no_other(types, required, said):
    types = {
        name: Type(name, one.parents, "", {
            key: Property(own.type, (name, key) in required) for key, own in one.properties.items()
        })
        for name, one in types.items()
    }  # fmt: skip
    known = extended(Ontology(), types.values(), ())
    for name in NAMES:
        wanted = set()
        for key, own in known.properties(name).items():
            value = said.get(key)
            if value in (None, ""):
                if own.required:
                    wanted.add(f"{name}.{key}")
            elif isinstance(value, str) != (own.type == "text"):
                wanted.add(f"{name}.{key}")
        found = node_violations(known, name, said, subject="n")
        assert {one.constraint for one in found} == wanted
        assert len(found) == len(wanted)


def test_text_is_read_as_what_a_kind_says_it_is():
    own = {"i": Property("integer"), "n": Property("number"), "b": Property("boolean")}
    known = extended(Ontology(), [Type("t", (), "", own)], ())
    assert with_types(known, "t", {"i": "12", "n": " 1.5", "b": "TRUE", "x": "1"}) == {
        "i": 12, "n": 1.5, "b": True, "x": "1",
    }  # fmt: skip
    assert with_types(known, "t", {"i": "1.5", "n": "much", "b": "1"}) == {
        "i": "1.5", "n": "much", "b": "1",
    }  # fmt: skip
    assert with_types(known, "t", {"b": np.bool_(True), "n": np.float64(2)}) == {"b": True, "n": 2}


def test_title_text_and_time_are_properties_by_all_their_names():
    when = datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC)
    said = stated(Document("d", "T", "X", time=when, metadata={"name": "N", "a": 1}))
    assert (said["name"], said["title"], said["description"]) == ("N", "T", "X")
    assert (said["created_at"], said["a"]) == (when, 1)


def test_many_violations_are_one_line_and_all_are_kept():
    known = default()
    found = [
        one
        for number in range(9)
        for one in node_violations(known, "decision", {}, subject=f"n{number}")
    ]
    with pytest.raises(OntologyError, match="nothing was added: n0: .*… and 4 more") as caught:
        refuse(found, done="nothing was added")
    assert len(caught.value.violations) == 9
    assert "\n" not in str(caught.value)
    refuse([], done="")


# -- what edges may join ---------------------------------------------------------------


@given(
    types=hierarchies(),
    pairs=st.lists(st.tuples(*[st.sampled_from([*NAMES, ANY])] * 2), max_size=3),
    ends=st.tuples(*[st.lists(st.sampled_from([*NAMES, "foreign"]), max_size=2)] * 2),
)
def test_an_edge_is_allowed_exactly_if_a_pair_suits(types, pairs, ends):
    known = extended(Ontology(), types.values(), [Relation("r", tuple(pairs))])
    allowed = not pairs
    for wanted in pairs:
        suits = [
            wanted_end == ANY
            or any(
                kind == wanted_end or (kind in types and naive_is_a(types, kind, wanted_end))
                for kind in kinds
            )
            for kinds, wanted_end in zip(ends, wanted, strict=True)
        ]
        allowed |= all(suits)
    found = edge_violation(known, "r", *ends, subject="e")
    assert (found is None) == allowed
    assert found is None or found.constraint == "r"
    assert edge_violation(known, "other", *ends, subject="e") is None


@pytest.mark.parametrize(
    ("relation", "source", "target", "suits"),
    [
        ("resulted_in", "decision", "outcome", True), ("resulted_in", "concept", "outcome", False),
        ("invoked", "session", "tool_call", True), ("invoked", "reasoning", "tool_call", True),
        ("invoked", "agent", "tool_call", False), ("part_of", "tool_call", "session", True),
        ("part_of", "decision", "session", True), ("part_of", "concept", "session", False),
        ("learned_from", "lesson", "outcome", True), ("learned_from", "lesson", "decision", True),
        ("learned_from", "lesson", "session", True), ("learned_from", "rule", "outcome", False),
        ("related", "rule", "session", True),
    ],
)  # fmt: skip
def test_the_default_constraints(relation, source, target, suits):
    found = edge_violation(default(), relation, [source], [target], subject='"a" → "b"')
    assert (found is None) == suits
    if found is not None:
        assert f"came {source} → {target}" in found.message
        assert "Memory.define_relation" in found.message


# -- files -------------------------------------------------------------------------------

TOML = """
[[types]]
name = "incident"
parent = "agent_activity"
description = "It broke"
[types.properties]
severity = { type = "string", required = true, description = "how bad" }
minutes = "number"

[[relations]]
name = "escalated_to"
pairs = [["incident", "agent"]]
"""


@pytest.fixture
def memory(tmp_path) -> hebbgraph.Memory:
    return hebbgraph.Memory(tmp_path / "data.lance")


def test_a_toml_file_defines_types(memory, tmp_path):
    (tmp_path / "o.toml").write_text(TOML)
    dry = memory.load_ontology(tmp_path / "o.toml", dry_run=True)
    assert (dry.changed, dry.types, dry.relations) == (False, ("incident",), ("escalated_to",))
    assert "incident" not in memory.ontology.types
    assert memory.load_ontology(tmp_path / "o.toml").changed
    before = tree(memory.store.path)
    assert not memory.load_ontology(tmp_path / "o.toml").changed
    assert tree(memory.store.path) == before
    assert memory.ontology.properties("incident")["severity"] == Property("text", True, "how bad")
    assert memory.ontology.allowed("escalated_to") == (("incident", "agent"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("types = 3", r"o.toml: types: expected a list of tables \[\[types\]\], came 3"),
        ("[[types]]\nparent = 'x'", "o.toml: type 1: name: expected a name, came None"),
        ("[[types]]\nname = 'x'\nkind = 1", 'o.toml: type 1: no key "kind" among description'),
        ("[[types]]\nname = 'x'\nparent = 3", "type 1: parent: expected a name or several, came 3"),
        (
            "[[types]]\nname = 'x'\n[types.properties]\na = 'texxt'",
            "properties: a: expected a type",
        ),
        ("[[types]]\nname = 'x'\nproperties = 3", "properties: expected a mapping of names"),
        (
            "[[types]]\nname = 'x'\n[types.properties]\na = { required = 1 }",
            "a: required: expected true or false, came 1",
        ),
        ("[[types]]\nname = 'x'\n" * 2, 'type "x" stands twice'),
        (
            "[[relations]]\nname = 'x'\npairs = [['a']]",
            r"expected a pair of types \[source, target",
        ),
        ("[[relations]]\nname = 'x'\npairs = 'ab'", "expected pairs of source and target types"),
        ("[[relations]]\nname = 'x'\ndescription = 3", "description: expected text, came 3"),
        ("[[", "o.toml: expected TOML"),
    ],
)
def test_a_file_that_is_wrong_says_where_and_defines_nothing(memory, tmp_path, text, message):
    (tmp_path / "o.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        memory.load_ontology(tmp_path / "o.toml")
    with pytest.raises(InputError, match="gone.toml: cannot be read"):
        memory.load_ontology(tmp_path / "gone.toml")
    assert memory.ontology == default()


OWL = """@prefix : <http://x.org/zoo#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://x.org/zoo> a owl:Ontology ; rdfs:label "Zoo" .
:C1 a owl:Class ; rdfs:label "Animal"@en , "동물"@ko ; rdfs:comment "What moves." .
:Penguin a owl:Class ; rdfs:subClassOf :C1 , owl:Thing ,
    [ a owl:Restriction ; owl:onProperty :keeper ; owl:minCardinality 1 ] ,
    [ a owl:Restriction ; owl:onProperty :weight ; owl:cardinality 0 ] ,
    [ a owl:Restriction ; owl:onProperty :lives_in ; owl:minCardinality 1 ] .
:Emperor owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( :Penguin
    [ a owl:Restriction ; owl:onProperty :weight ; owl:someValuesFrom xsd:decimal ] ) ] ; a owl:Class .
:Enclosure a owl:Class . :Cage a owl:Class .
:weight a owl:DatatypeProperty ; rdfs:domain :C1 ; rdfs:range xsd:decimal .
:legs a owl:DatatypeProperty ; rdfs:range xsd:nonNegativeInteger ;
    rdfs:domain [ a owl:Class ; owl:unionOf ( :C1 :Cage ) ] .
:born a owl:DatatypeProperty ; rdfs:domain :C1 ; rdfs:range xsd:date .
:keeper a owl:DatatypeProperty ; rdfs:range xsd:string ; rdfs:comment "Who feeds it" .
:lives_in a owl:ObjectProperty ; rdfs:domain :C1 ;
    rdfs:range [ a owl:Class ; owl:unionOf ( :Enclosure :Cage ) ] .
:near a owl:ObjectProperty .
:likes a owl:ObjectProperty ; rdfs:range :C1 .
:pingu a :Penguin ; rdfs:label "Pingu" .
"""


@pytest.mark.parametrize("ending", ["ttl", "owl", "nt", "jsonld"])
def test_owl_defines_types(memory, tmp_path, ending):
    pyoxigraph = pytest.importorskip("pyoxigraph")
    syntax = {
        "ttl": "TURTLE", "owl": "RDF_XML", "nt": "N_TRIPLES", "jsonld": "JSON_LD",
    }[ending]  # fmt: skip
    quads = pyoxigraph.parse(OWL.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    (tmp_path / f"zoo.{ending}").write_bytes(
        pyoxigraph.serialize(
            [one.triple for one in quads], format=getattr(pyoxigraph.RdfFormat, syntax)
        )
    )
    done = memory.load_ontology(tmp_path / f"zoo.{ending}")
    assert {*done.types} == {"Animal", "Penguin", "Emperor", "Enclosure", "Cage"}
    known = memory.ontology
    assert known.types["Animal"].description == "What moves."
    assert known.types["Animal"].properties == {
        "weight": Property("number"), "legs": Property("integer"), "born": Property("time"),
    }  # fmt: skip
    assert known.types["Penguin"].parents == ("Animal",)
    assert known.types["Penguin"].properties == {"keeper": Property("text", True, "Who feeds it")}
    assert known.types["Emperor"].parents == ("Penguin",)
    assert known.properties("Emperor")["weight"] == Property("number", True)
    assert known.types["Cage"].properties == {"legs": Property("integer")}
    assert {*known.allowed("lives_in")} == {("Animal", "Enclosure"), ("Animal", "Cage")}
    assert known.allowed("near") == ()
    assert known.allowed("likes") == ((ANY, "Animal"),)


def test_classes_of_one_label_are_told_apart(memory, tmp_path):
    pytest.importorskip("pyoxigraph")
    (tmp_path / "t.ttl").write_text(
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        '<urn:x#Bank> rdfs:subClassOf <urn:x#Firm> ; rdfs:label "Bank" .\n'
        '<urn:x#Shore> rdfs:subClassOf <urn:x#Place> ; rdfs:label "Bank" .\n'
        "<urn:a#Same> rdfs:subClassOf <urn:b#Same> ."
    )
    types = memory.load_ontology(tmp_path / "t.ttl").types
    assert {*types} == {"Bank", "Shore", "Firm", "Place", "urn:a#Same", "urn:b#Same"}


# -- kept with the memory ------------------------------------------------------------------


def test_types_are_kept_restored_and_in_history(memory):
    memory.define("incident", parent="agent_activity", properties={"severity": "text"})
    first = memory.store.snapshot().seq
    memory.define("outage", parent="incident")
    memory.add({"id": "a", "text": "It broke.", "kind": "outage"})
    memory.cognify()
    again = hebbgraph.Memory(memory.store.path)
    assert again.ontology == memory.ontology
    assert again.ontology.ancestors("outage") == ("incident", "agent_activity")
    memory.store.restore(first)
    assert "incident" in memory.ontology.types
    assert "outage" not in memory.ontology.types
    memory.store.restore(-2)
    assert "outage" in memory.ontology.types
    assert [one.operation for one in memory.store.history()][:3] == ["create", "define", "define"]


def test_types_outlive_a_purge(tmp_path, web):
    store = hebbgraph.Store.create(tmp_path / "data.lance", web)
    memory = hebbgraph.Memory(store.path)
    memory.define("library", parent="artifact")
    memory.store.forget(["Flask"], purge=True)
    assert len(memory.store.history()) == 1
    assert memory.ontology.ancestors("library") == ("artifact", "knowledge")


def test_defining_again_is_nothing_and_otherwise_asks(memory):
    assert memory.define("incident", properties={"a": "text"}).changed
    assert not memory.define("incident", properties={"a": "string"}).changed
    with pytest.raises(InputError, match=r'"incident" is defined already.*replace=True'):
        memory.define("incident", properties={"a": "number"})
    assert memory.define("incident", properties={"a": "number"}, replace=True).changed
    assert memory.ontology.properties("incident") == {"a": Property("number")}
    for replace in (False, True):
        with pytest.raises(InputError, match='"decision" is built in; make a subtype'):
            memory.define("decision", replace=replace)
    with pytest.raises(InputError, match='type "x": no parent "y" among'):
        memory.define("x", parent="y")
    memory.define("child", parent="incident")
    with pytest.raises(InputError, match="in a circle"):
        memory.define("incident", parent="child", replace=True)


def test_pairs_of_a_relation_add_up_and_are_replaced_when_asked(memory):
    memory.define_relation("part_of", [("rule", "artifact")])
    assert ("rule", "artifact") in memory.ontology.allowed("part_of")
    assert ("decision", "session") in memory.ontology.allowed("part_of")
    memory.define_relation("cites", [("rule", "rule")])
    memory.define_relation("cites", [("lesson", "rule")], description="Points to")
    assert memory.ontology.allowed("cites") == (("rule", "rule"), ("lesson", "rule"))
    memory.define_relation("cites", [("*", "rule")], replace=True)
    assert memory.ontology.allowed("cites") == (("*", "rule"),)
    with pytest.raises(InputError, match='relation "cites": no type "x"'):
        memory.define_relation("cites", [("x", "rule")])


# -- validated on add ----------------------------------------------------------------------


def test_a_kind_that_is_stated_is_held_to_its_definition(memory):
    before = tree(memory.store.path)
    bad = [
        {"id": "a", "text": "Fine.", "kind": "concept"},
        {"id": "d", "title": "Use Lance", "kind": "decision"},
        {"id": "o", "text": "It went.", "kind": "outcome", "success": "maybe"},
        {"id": "i", "text": "It broke.", "kind": "incident"},
    ]
    with pytest.raises(OntologyError) as caught:
        memory.add(bad)
    message = str(caught.value)
    assert message.startswith(
        'nothing was added: document "d": rationale of kind decision: expected'
    )
    assert 'came nothing; say it as "rationale"' in message
    assert 'document "o": success of kind outcome: expected true or false, came "maybe"' in message
    assert 'document "i": no kind "incident" among agent, ' in message
    assert "Memory.define" in message
    assert [one.constraint for one in caught.value.violations] == [
        "decision.rationale", "outcome.success", "kind",
    ]  # fmt: skip
    assert tree(memory.store.path) == before
    memory.define("incident", parent="agent_activity", properties={"severity": {"required": True}})
    with pytest.raises(OntologyError, match="severity of kind incident: expected text"):
        memory.add(bad[3])
    good = [bad[0], {**bad[1], "rationale": "fast"}, {**bad[2], "success": False}]
    good.append({**bad[3], "severity": "high"})
    assert memory.add(good).added == 4
    assert memory.add(good).unchanged == 4
    rows = {row["id"]: row for row in documents(memory)}
    assert rows["d"]["kind"] == "decision"
    assert json.loads(rows["d"]["metadata"]) == {"kind": "decision", "rationale": "fast"}
    assert json.loads(rows["o"]["metadata"])["success"] is False


def documents(memory):
    from hebbgraph import text_tables

    return text_tables.read(memory.store.path, memory.store.snapshot(), "documents").to_pylist()


def test_a_kind_told_by_rule_is_not_validated(memory):
    memory.add({"id": "d", "title": "Decision: we decided to adopt Lance", "text": "Adopted."})
    (row,) = documents(memory)
    assert row["kind"] == "decision"
    assert "kind" not in json.loads(row["metadata"])


def test_rows_of_a_table_are_read_as_their_kind_says(memory, tmp_path):
    (tmp_path / "runs.csv").write_text(
        "id,kind,text,tool_name,success,duration_ms\nc1,tool_call,ran,grep,true,12.5\n"
    )
    memory.add(tmp_path / "runs.csv")
    said = json.loads(documents(memory)[0]["metadata"])
    assert (said["success"], said["duration_ms"], said["tool_name"]) == (True, 12.5, "grep")
    (tmp_path / "bad.csv").write_text("id,kind,text,success\nx,outcome,ran,perhaps\n")
    with pytest.raises(OntologyError, match='document "x": success .*came "perhaps"'):
        memory.add(tmp_path / "bad.csv")


def test_what_is_there_is_told_when_types_come_that_it_does_not_suit(memory, tmp_path):
    memory.define("note", parent="knowledge")
    memory.add([{"id": "n", "text": "A note.", "kind": "note"}, {"id": "free", "text": "Another."}])
    (tmp_path / "o.toml").write_text(
        '[[types]]\nname = "note"\nparent = "knowledge"\n[types.properties]\n'
        "author = { required = true }\ntitle = { required = true }\ntext = { required = true }"
    )
    dry = memory.load_ontology(tmp_path / "o.toml", replace=True, dry_run=True)
    assert [(one.subject, one.constraint) for one in dry.violations] == [
        ('document "n"', "note.author"), ('document "n"', "note.title"),
    ]  # fmt: skip
    assert memory.load_ontology(tmp_path / "o.toml", replace=True).violations == dry.violations
    assert len(documents(memory)) == 2


# -- the command line ----------------------------------------------------------------------


def run(*arguments, code=0):
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == code, done.output
    return done


def test_the_command_shows_and_loads(memory, tmp_path):
    assert "resulted_in: decision → outcome" in run("ontology", "show").output
    shown = run("ontology", "show", "decision").output
    assert "rationale: text, required" in shown
    assert json.loads(run("ontology", "show", "decision", "--json").output) == (
        default().schema("decision")
    )
    (tmp_path / "o.toml").write_text(TOML)
    store = memory.store.path
    loaded = run("ontology", "load", tmp_path / "o.toml", store, "--dry-run", "--json")
    assert json.loads(loaded.output)["dry_run"] is True
    assert (
        'no type "incident"' in run("ontology", "show", "incident", "--store", store, code=1).output
    )
    assert "1 types, 1 relations" in run("ontology", "load", tmp_path / "o.toml", store).output
    assert (
        "severity: text, required" in run("ontology", "show", "incident", "--store", store).output
    )
    assert "[[types]]" not in run("ontology", "show", "--store", store).output
    (tmp_path / "o.toml").write_text("[[types]]\nname = 'x'\nparent = 'y'")
    failed = run("ontology", "load", tmp_path / "o.toml", store, code=1)
    assert 'Error: type "x": no parent "y"' in failed.output
    missing = run("ontology", "load", tmp_path / "o.toml", tmp_path / "nothing", code=1)
    assert "no such store" in missing.output


def test_every_subcommand_and_option_has_help():
    for command in main.commands["ontology"].commands.values():
        assert command.help
        for option in command.params:
            if option.param_type_name == "option":
                assert option.help, (command.name, option.name)
