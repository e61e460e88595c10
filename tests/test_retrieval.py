"""Search as a whole: plain-loop relevance, odd queries, kinds, learned associations, real sets."""

from __future__ import annotations

import dataclasses
import json
import math

import naive_search
import naive_spreading
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hebbgraph
from hebbgraph.errors import InputError, ParameterError
from hebbgraph.ingest.documents import Document
from hebbgraph.ingest.passages import passages
from hebbgraph.ingest.rules.extract import extract
from hebbgraph.retrieval.asked import asked
from hebbgraph.retrieval.corpus import corpus
from hebbgraph.retrieval.learned import taught
from hebbgraph.retrieval.network import Factors, network_of
from hebbgraph.retrieval.relevance import TEXT_ONLY, Weights, relevance, top
from hebbgraph.retrieval.resonance import Vitals
from hebbgraph.retrieval.search import KINDS, Options, search
from hebbgraph.retrieval.tracing import path_to
from hebbgraph.retrieval.ways import strongest

FILM = [
    ("film", "Forbidden Ground", "Forbidden Ground is a 2013 film directed by Johan Earl."),
    ("earl", "Johan Earl", "Johan Earl was born in Sydney. He is an actor."),
    ("tea", "Tea", "Tea is a drink from leaves. It was drunk in 1850."),
    ("syd", "Sydney", "Sydney is a city in Australia, where Johan Earl and many actors live."),
    ("ko", "김철수", "김철수가 서울에서 검색팀을 이끈다."),
    ("dup", "Tea", "Tea is a drink from leaves. It was drunk in 1850."),
]


def made(rows=FILM, **options):
    documents = [Document(*row) for row in rows]
    cut = [one for document in documents for one in passages(document, max_tokens=32)]
    return corpus(documents, cut, extract(documents, cut), **options)


@pytest.fixture(scope="module")
def films():
    return made()


PLAIN = Weights(seeds=3, sharpness=2.0, relations=1.0, epsilon=1e-12)
PAIRS = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda one: one[0] < one[1]))


@given(
    st.lists(st.sampled_from(["film", "Johan Earl", "Sydney", "tea", "김철수", "actor", "who"])),
    PAIRS,
    st.sampled_from([-1.5, -0.2, 0.4, 3.0]),
)
@settings(deadline=None, max_examples=40)
def test_relevance_is_that_of_the_plain_loop(films, words, pairs, weight):
    source, target = np.array(sorted(pairs), np.int64).reshape(-1, 2).T
    learned = films.learned(source, target, np.full(source.size, weight))
    query = " ".join(words)
    found = relevance(learned, query, weights=PLAIN)
    wanted = naive_search.relevance(learned, asked(learned, query), PLAIN)
    plain = found.match + found.named + found.activation
    np.testing.assert_allclose(plain, wanted, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(np.expm1(np.abs(found.total)), np.abs(plain), rtol=1e-9, atol=1e-12)


@given(st.permutations(range(len(FILM))))
@settings(deadline=None, max_examples=15)
def test_relevance_does_not_depend_on_the_order_of_documents(films, order):
    # Passages of one document stay together, and equals go by their order: leave the equals out.
    others = made([FILM[row] for row in order])
    query = "Who directed Forbidden Ground by Johan Earl of Sydney?"
    score = dict(zip(films.passage_ids, relevance(films, query).total, strict=True))
    again = dict(zip(others.passage_ids, relevance(others, query).total, strict=True))
    assert again == pytest.approx(score, rel=1e-5, abs=1e-9)


@given(st.lists(st.floats(0.01, 5), min_size=6, max_size=6), st.integers(0, 5))
@settings(deadline=None, max_examples=30)
def test_more_at_a_seed_activates_nothing_less(films, amounts, seed):
    network = network_of(films, Factors())
    rows, given_off = np.arange(6), np.array(amounts)

    def spread(given_off):
        out = np.zeros(network.entities + len(films.entity_names))
        at, activation = network.spread(rows, given_off, damping=0.5, depth=4, epsilon=1e-12)
        out[at] = activation
        return out

    before = spread(given_off)
    given_off[seed] += 1.0
    after = spread(given_off)
    assert (after >= before - 1e-9).all()
    assert after[seed] > before[seed]
    assert after.sum() <= given_off.sum() * (1 + 1e-9)


@given(PAIRS, st.sampled_from([0.2, 3.0]), st.integers(0, 3))
@settings(deadline=None, max_examples=15)
def test_ways_are_the_strongest_of_all_paths(films, pairs, weight, depth):
    source, target = np.array(sorted(pairs), np.int64).reshape(-1, 2).T
    learned = films.learned(source, target, np.full(source.size, weight))
    weights = dataclasses.replace(PLAIN, depth=depth)
    network = network_of(learned, weights.factors)
    seeds, amounts = np.array([3, 0]), np.array([1.0, 0.5])
    dense = naive_search.network(learned, weights)
    given_off = np.zeros(len(dense.plus))
    given_off[seeds] = amounts
    levels = network.ways(seeds, amounts, damping=0.5, depth=depth, epsilon=1e-12)
    for row in range(network.entities):
        way = strongest(levels, row)
        most = naive_spreading.strongest(dense, given_off, row, damping=0.5, depth=depth)
        if way is None:
            assert most == 0
        else:
            rows, came = way
            assert (rows[0] in seeds, rows[-1], len(rows) <= depth + 1) == (True, row, True)
            assert came * network.kept(row, 0.5) == pytest.approx(most, rel=1e-4)


def test_passages_that_are_not_allowed_give_off_nothing(films):
    query = "Who directed Forbidden Ground?"
    found = relevance(films, query, allowed=np.arange(6) != 0)
    assert 0 not in found.seeds
    assert (found.direct[0], found.match[0], found.named[0]) == (0, 0, 0)
    assert relevance(films, query, allowed=np.zeros(6, bool)).total.tolist() == [0] * 6


def test_a_network_is_made_once_and_anew_for_other_factors(films):
    assert network_of(films, Factors()) is network_of(films, Factors())
    only = network_of(films, Factors(mentions=0, relations=0, associations=0))
    n = only.documents
    assert not only.excitatory.strength[only.entities :].any()
    assert only.excitatory.strength[n : only.entities].tolist() == np.diff(films.first).tolist()


def test_what_a_query_says(films):
    said = asked(films, "Was Johan Earl in Forbidden Ground?")
    assert [name for name, _ in said.titles] == ["johan earl", "forbidden ground"]
    assert said.names == 1
    assert asked(films, "who drinks tea").names > 0
    # In small letters among capitals a single word is no title, nor is a part of a longer name.
    assert not asked(films, "Does Johan drink tea?").titles
    assert [name for name, _ in asked(films, "Is Tea drunk?").titles] == ["tea"]
    assert asked(films, "what is drunk from leaves").names == 0
    assert asked(films, "").names == 0


def test_names_bring_novelty_and_take_vectors_away():
    near = made(vectors=np.eye(6, dtype=np.float32))
    vector = np.eye(6, dtype=np.float32)[5]
    named = relevance(near, "Johan Earl", vector=vector)
    np.testing.assert_array_equal(named.direct, relevance(near, "Johan Earl").direct)
    assert named.match[named.seeds[0]] < named.direct[named.seeds[0]]
    topic = relevance(near, "leaves", vector=vector)
    assert topic.direct[5] > 0
    np.testing.assert_array_equal(topic.match, topic.direct)


def test_a_link_leads_to_what_no_word_of_the_query_says(films):
    query = "Who directed Forbidden Ground?"
    assert not relevance(films, query, weights=TEXT_ONLY).total[1]
    hits = search(films, query, k=3).hits
    assert hits[0].document_id == "film"
    hit = next(hit for hit in hits if hit.document_id == "earl")
    assert hit.activation > 0
    assert [step.kind for step in hit.path][-1] == "link"
    assert hit.path[0].passage == "film#0"


ODD = [
    "", " ", "\n\t", "a", "가", "é", "' OR 1=1", "AND OR NOT", 'title:"x" ~2 ^3 *', "(((", "\\",
    "\x00", "\ud800", "김철수", "日本語の検索", "中文搜索", "مرحبا", "😀🎉", "ﬁ", "the of and", "%s {0}",
    "tea " * 25_000, "x" * 100_000, "가" * 30_000,
]  # fmt: skip


@pytest.mark.parametrize("query", ODD, ids=lambda query: ascii(query[:12]))
@pytest.mark.parametrize("kind", ["chunks", "lexical", "summaries"])
def test_odd_queries_are_answered(films, query, kind):
    found = search(films, query, k=3, kind=kind)
    assert len(found) <= 3
    assert all(math.isfinite(hit.score) for hit in found)
    ids = [hit.passage_id for hit in found]
    assert len(set(ids)) == len(ids)
    if not query.strip():
        assert not ids


@given(st.text(max_size=40), st.integers(1, 8))
@settings(deadline=None, max_examples=60)
def test_any_query_gives_the_same_distinct_hits_in_order(query, k):
    films = made()
    one, other = search(films, query, k=k), search(films, query, k=k)
    scores = [hit.score for hit in one]
    assert [hit.passage_id for hit in one] == [hit.passage_id for hit in other]
    assert len({hit.passage_id for hit in one}) == len(one) <= k
    assert scores == sorted(scores, reverse=True)


def test_equals_stand_in_the_order_of_passages(films):
    ids = [hit.document_id for hit in search(films, "drink leaves")]
    assert ids[:2] == ["tea", "dup"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_corpus_finds_nothing(kind):
    assert search(made([]), "tea", kind=kind).hits == ()


def test_what_is_asked_is_checked(films):
    for options in ({"k": 0}, {"kind": "all"}, {"intent": "none"}):
        with pytest.raises(ParameterError):
            search(films, "tea", **options)
    with pytest.raises(ParameterError, match="query"):
        search(films, None)
    with pytest.raises(InputError, match="vectors"):
        made(vectors=np.ones((1, 3), np.float32))
    near = made(vectors=np.eye(6, dtype=np.float32))
    with pytest.raises(ParameterError, match="shape"):
        search(near, "tea", vector=np.ones(2, np.float32))
    with pytest.raises(ParameterError, match="NaN"):
        search(near, "tea", vector=np.full(6, np.nan, np.float32))


RANGES = [
    *((name, -0.1) for name in ("vectors", "titles", "entities", "spreading", "unasked", "links",
                                "mentions", "relations", "associations")),
    ("novelty", 1.1), ("novelty", -0.1), ("sharpness", 0.9), ("sharpness", 101), ("damping", 0),
    ("damping", 1), ("epsilon", 0), ("epsilon", 2), ("seeds", -1), ("seeds", 1.5), ("depth", -1),
    ("spreading", math.nan),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), RANGES)
def test_every_weight_has_its_range(name, value):
    with pytest.raises(ParameterError, match=name):
        Weights(**{name: value})


def test_vectors_find_what_words_do_not():
    near = made(vectors=np.eye(6, dtype=np.float32))
    hits = search(near, "beverage", vector=np.eye(6, dtype=np.float32)[2]).hits
    assert (hits[0].document_id, hits[0].text_score) == ("tea", 1.0)
    for own in (near, made()):
        like = [hit.document_id for hit in search(own, "tea#0", kind="similar")]
        assert like[0] == "dup"
        assert "tea" not in like


class Echo:
    name = "echo"

    def complete(self, prompt, schema):
        raise NotImplementedError

    def complete_text(self, prompt):
        self.prompt = prompt
        return "Johan Earl [1]."


def test_completions_cite_passages_or_say_what_is_missing(films):
    model = Echo()
    query = "Who directed Forbidden Ground?"
    found = search(films, query, kind="graph_completion", completer=model)
    assert found.answer == "Johan Earl [1].\n[1] film#0"
    assert query in model.prompt
    assert "Forbidden Ground – directed_by" in model.prompt or "–" in model.prompt
    without = search(films, query, kind="rag_completion")
    assert without.answer is None
    assert "no completer" in without.note
    assert without.hits


def test_kinds_differ_as_they_should(films):
    stated = search(films, "Forbidden Ground", kind="graph").triplets
    assert {one[3] for one in stated} <= set(films.passage_ids)
    assert any(one[0] == "Forbidden Ground" for one in stated)
    years = search(films, "drink in 1850", kind="temporal")
    assert {hit.document_id for hit in years} == {"tea", "dup"}
    assert "no time" in search(films, "drink", kind="temporal").note
    assert {hit.activation for hit in search(films, "Forbidden Ground", kind="lexical")} == {0.0}


def test_resonance_can_turn_the_order(films):
    fresh = Vitals(success=np.array([0, 0, 0, 0, 0, 9]), failure=np.zeros(6),
                   access=np.array([0, 0, 9, 0, 0, 9]))  # fmt: skip
    hits = search(films, "drink leaves", options=Options(vitals=fresh)).hits
    assert [hit.document_id for hit in hits][:2] == ["dup", "tea"]
    assert hits[0].parts.importance == 1
    only = search(films, "drink", options=Options(allowed=np.arange(6) == 5))
    assert [hit.document_id for hit in only] == ["dup"]


def test_learned_associations_lead_on_and_failures_lead_away(films):
    query = "drink leaves"
    before = relevance(films, query).total
    near = films.learned(np.array([2]), np.array([4]), np.array([1.0]))
    assert relevance(near, query).total[4] > before[4] == 0
    assert search(near, query).hits[-1].path[-1].kind == "association"
    away = films.learned(np.array([2]), np.array([5]), np.array([-1.0]))
    assert relevance(away, query).activation[5] < relevance(films, query).activation[5]
    assert relevance(away, query).total[5] < before[5]
    scores = {hit.document_id: hit.activation for hit in search(films, query)}
    less = {hit.document_id: hit.activation for hit in search(away, query)}
    assert less["dup"] < scores["dup"]
    apart = films.learned(np.array([2]), np.array([4]), np.array([-1.0]))
    assert relevance(apart, query).total[4] < 0 == before[4]
    assert "ko" not in {hit.document_id for hit in search(apart, query)}


def test_paths_tell_every_step():
    rows = [
        ("a", "Alpha", "Alpha was signed in Paris by Zed Quill."),
        ("b", "Bravo", "Zed Quill wrote Bravo in Wellington."),
        ("c", "Wellington", "A windy harbour."),
    ]
    found = made(rows)
    weights = Weights(seeds=1)
    reached = relevance(found, "Alpha signed", weights=weights)
    steps = path_to(found, reached, 1, weights)
    assert [(step.kind, step.passage) for step in steps] == [("words", "a#0"), ("topic", "b#0")]
    assert steps[1].via == "Zed Quill"
    further = path_to(found, reached, 2, weights)
    assert [(one.kind, one.via) for one in further[2:]] == [("link", "Wellington")]
    one_step = dataclasses.replace(weights, depth=1)
    reached = relevance(found, "Alpha signed", weights=one_step)
    assert not reached.activation[1:].any()
    assert path_to(found, reached, 2, one_step) == ()


def test_relations_lead_from_entity_to_entity():
    found = made([
        ("a", "First", "Zed Quill met many."),
        ("b", "Second", "Zed Quill married Mary Stone."),
        ("c", "Third", "Mary Stone slept."),
        ("d", "Fourth", "Zed Quill and Mary Stone."),
    ])  # fmt: skip
    pairs = {frozenset((one, other)) for one in range(len(found.entity_names))
             for other in found.relations.of(one)[0].tolist()}  # fmt: skip
    names = {frozenset(found.entity_names[row] for row in pair) for pair in pairs}
    assert frozenset(("Zed Quill", "Mary Stone")) in names
    weights = Weights(seeds=1, relations=100.0)
    steps = path_to(found, relevance(found, "First", weights=weights), 2, weights)
    assert (steps[-1].kind, steps[-1].via) == ("relation", "Zed Quill – Mary Stone")


def test_a_graph_teaches_what_use_has_joined(films):
    graph = hebbgraph.Graph.from_edges(
        ["p2", "p0", "p0"], ["p4", "p1", "e"], relation=["related", "links", "mentions"],
        node_ids=[*(f"p{row}" for row in range(6)), "e"],
    )  # fmt: skip
    learned = taught(films, graph, np.arange(6), without=["links"])
    assert [learned.associations.of(row)[0].tolist() for row in (0, 2, 4)] == [[], [4], [2]]


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, -1.0]), max_size=12), st.integers(0, 14))
def test_top_is_that_of_sorting(scores, k):
    wanted = sorted((row for row in range(len(scores)) if scores[row] > 0),
                    key=lambda row: (-scores[row], row))[:k]  # fmt: skip
    assert top(np.array(scores), k).tolist() == wanted


def recall(data, name, k):
    folder = data / name
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_bytes().splitlines()]
    documents = [Document(one["id"], one["title"], one["text"]) for one in rows]
    cut = [one for document in documents for one in passages(document, max_tokens=100_000)]
    ready = corpus(documents, cut, extract(documents, cut))
    shares = {"text": [], "graph": []}
    for line in (folder / "queries.jsonl").read_bytes().splitlines():
        query = json.loads(line)
        for way, weights in (("text", TEXT_ONLY), ("graph", Weights())):
            found = relevance(ready, query["text"], weights=weights).total
            ids = {ready.document_ids[ready.document[row]] for row in top(found, k)}
            shares[way].append(len(ids & set(query["gold"])) / len(query["gold"]))
    return {way: float(np.mean(own)) for way, own in shares.items()}


@pytest.mark.parametrize(
    ("name", "floor"),
    [("2wiki-dev164", 0.95), ("hotpotqa-dev200", 0.93), ("hipporag-musique-train100", 0.64)],
)
def test_the_graph_finds_what_words_do_not_on_real_questions(data, name, floor):
    if not (data / name).exists():
        pytest.skip(f"{name} is not here")
    found = recall(data, name, 5)
    assert found["graph"] >= floor > found["text"] + 0.1
