"""What intents add over edges between documents, and how chains of reasoning are told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hebbgraph
from hebbgraph.errors import ParameterError
from hebbgraph.ingest.documents import Document
from hebbgraph.ingest.passages import passages
from hebbgraph.ingest.rules.extract import extract
from hebbgraph.retrieval import intents
from hebbgraph.retrieval.catalogue import Between
from hebbgraph.retrieval.corpus import corpus
from hebbgraph.retrieval.expansion import chained, expanded
from hebbgraph.retrieval.opened import opened
from hebbgraph.retrieval.relevance import Weights
from hebbgraph.retrieval.search import Options, search

KINDS = ["decision", "outcome", "lesson", "rule", "concept"]
RELATIONS = ["depends_on", "learned_from", "related", "resulted_in"]


def naive_expanded(scores, kinds, edges, intent):
    """Every step from everything reached, over every edge, as often as the intent says."""
    out = dict(scores)
    steps = intents.EXPANSIONS[intent]
    for _ in range(2 if intent == "reasoning_chain" else 1):
        reached = dict(out)
        for source, target, relation, weight in edges:
            for step in steps:
                here, there = (target, source) if step.backward else (source, target)
                if here not in out or weight <= 0:
                    continue
                if step.kind not in ("", kinds[here]) or step.relation not in ("", relation):
                    continue
                factor = min(1.0, step.factor * weight) if step.weighted else step.factor
                reached[there] = max(reached.get(there, 0.0), out[here] * factor)
        out = reached
    return out


def added(scores, kinds, edges, intent):
    def edges_at(some):
        return [one for one in edges if one[0] in some or one[1] in some]

    found = expanded(scores, kinds, edges_at, intents.EXPANSIONS[intent],
                     rounds=intents.ROUNDS.get(intent, 1))  # fmt: skip
    return {document: one.score for document, one in found.items()}


def test_intents_add_what_follows_from_a_hit():
    edges = [(0, 1, "resulted_in", 1.0), (2, 1, "learned_from", 1.0), (3, 4, "related", 0.5)]
    assert added({0: 1.0}, KINDS, edges, "similar_decisions") == {0: 1, 1: 0.7}
    assert added({1: 1.0}, KINDS, edges, "past_failures") == {1: 1.0, 0: 0.8, 2: 0.6}
    assert added({3: 1.0}, KINDS, edges, "related_rules") == {3: 1.0, 4: 0.25}
    assert added({4: 1.0}, KINDS, edges, "general") == {4: 1.0}
    # From the decision over its outcome to the lesson.
    assert added({0: 1.0}, KINDS, edges, "reasoning_chain") == pytest.approx(
        {0: 1, 1: 0.7, 2: 0.42}
    )
    inhibitory = [(0, 1, "resulted_in", -0.5)]
    assert added({0: 1.0}, KINDS, inhibitory, "similar_decisions") == {0: 1}
    strong = [(3, 4, "related", 5.0)]
    assert added({3: 0.5}, KINDS, strong, "related_rules") == {3: 0.5, 4: 0.5}
    with pytest.raises(ParameterError, match="below 5"):
        added({0: 1.0}, KINDS, [(0, 9, "related", 1.0)], "related_rules")


edge = st.tuples(
    st.integers(0, 7), st.integers(0, 7), st.sampled_from(RELATIONS),
    st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0]),
).filter(lambda one: one[0] != one[1])  # fmt: skip
kinds_of_eight = st.lists(st.sampled_from(KINDS), min_size=8, max_size=8)


@given(
    st.dictionaries(st.integers(0, 7), st.sampled_from([0.0, 0.25, 0.5, 1.0])), kinds_of_eight,
    st.lists(edge, max_size=14), st.sampled_from(sorted(intents.INTENTS)),
)  # fmt: skip
def test_expansion_is_that_of_the_plain_loop(scores, kinds, edges, intent):
    expected = naive_expanded(scores, kinds, edges, intent)
    got = added(scores, kinds, edges, intent)
    assert got == pytest.approx({one: s for one, s in expected.items() if s or one in scores})


def naive_chained(documents, kinds, edges):
    """Chains by flooding; each is told where its first hit stands."""
    joined = {}
    reasoned = [at for at in set(documents) if kinds[at] in ("decision", "outcome", "lesson")]
    for source, target, relation, weight in edges:
        ends = {source, target}
        if relation in ("resulted_in", "learned_from") and weight > 0 and ends <= {*reasoned}:
            for one in ends:
                joined.setdefault(one, set()).update(ends)
    out = []
    for at, one in enumerate(documents):
        if at in out:
            continue
        chain = {one}
        while True:
            more = chain.union(*(joined.get(other, set()) for other in chain))
            if more == chain:
                break
            chain = more
        places = [at] if one not in joined else [p for p, d in enumerate(documents) if d in chain]
        for kind in ("decision", "outcome", "lesson") if one in joined else (kinds[one],):
            out += [place for place in places if kinds[documents[place]] == kind]
    return out


@given(st.lists(st.integers(0, 7), max_size=10), kinds_of_eight, st.lists(edge, max_size=14))
def test_chains_are_told_in_their_order(documents, kinds, edges):
    got = chained(documents, kinds, edges, intents.EXPANSIONS["reasoning_chain"])
    assert got == naive_chained(documents, kinds, edges)


# -- the whole search --------------------------------------------------------

WORDS = ["tea", "cup", "leaf", "milk"]


def between_of(kinds, edges):
    rows = {(a, b, relation): weight for a, b, relation, weight in sorted(edges)}
    columns = list(zip(*(key for key in sorted(rows)), strict=True)) or [(), (), ()]
    return Between(
        kinds=kinds, source=np.array(columns[0], np.int64), target=np.array(columns[1], np.int64),
        relation=np.array([RELATIONS.index(one) for one in columns[2]], np.int64),
        names=tuple(RELATIONS), weight=np.array([rows[key] for key in sorted(rows)], np.float32),
    )  # fmt: skip


@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), min_size=8, max_size=8),
    kinds_of_eight, st.lists(edge, max_size=10), st.sampled_from(sorted(intents.INTENTS)),
    st.lists(st.booleans(), min_size=8, max_size=8), st.integers(1, 9),
)  # fmt: skip
@settings(deadline=None, max_examples=60)
def test_a_search_adds_what_the_plain_loop_adds(texts, kinds, edges, intent, inside, k):
    """Scores without expansion, the plain loop over documents that may be found, the k best."""
    documents = [Document(str(at), "", " ".join(text)) for at, text in enumerate(texts)]
    cut = [one for document in documents for one in passages(document)]
    ready = corpus(documents, cut, extract(documents, cut))
    between = between_of(kinds, edges)
    kept = np.array(inside)
    options = Options(allowed=kept)
    alone = {hit.document_id: hit.score
             for hit in search(ready, "tea leaf", k=99, intent=intent, options=options)}  # fmt: skip
    open_edges = [
        one for one in between.at(range(8)) if inside[one[0]] and inside[one[1]]
    ]  # fmt: skip
    expected = naive_expanded(
        {int(one): score for one, score in alone.items()}, kinds, open_edges, intent
    )
    expected = {one: score for one, score in expected.items() if score > 0}
    found = search(ready, "tea leaf", k=k, intent=intent,
                   options=Options(allowed=kept, between=between))  # fmt: skip
    got = {int(hit.document_id): hit.score for hit in found}
    assert len(got) == min(k, len(expected))
    assert sorted(got.values()) == pytest.approx(sorted(expected.values())[-k:] if got else [])
    assert got == pytest.approx({one: expected[one] for one in got})
    for hit in found:
        one = int(hit.document_id)
        if expected[one] > alone.get(hit.document_id, 0.0) + 1e-9:
            assert hit.path[-1].kind == "expansion"
            assert hit.path[-1].passage == hit.passage_id
            assert len({step.passage for step in hit.path}) == len(hit.path)


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    made = hebbgraph.Memory(tmp_path_factory.mktemp("expansion") / "data.lance")
    made.add([
        {"id": "dec", "kind": "decision", "rationale": "It fits.", "text": "We chose Lance as database. " + "Why? " * 200
         + "It reads fast."},
        {"id": "out", "kind": "outcome", "success": True, "text": "Queries took four milliseconds.\n\n"
         + "Nothing else changed. " * 80 + "\n\nThe database stayed up."},
        {"id": "les", "kind": "lesson", "text": "Measure before you move."},
        {"id": "rule", "kind": "rule", "text": "Every database has an owner."},
        {"id": "con", "kind": "concept", "text": "A pager is carried by one person."},
        {"id": "far", "kind": "concept", "text": "The database database database database."},
    ], max_tokens=64)  # fmt: skip
    made.cognify()
    made.link("dec", "out", "resulted_in")
    made.link("les", "out", "learned_from")
    made.link("con", "far")
    made.store.add(hebbgraph.Graph.from_edges(["rule#0"], ["con#0"], relation="depends_on"))
    return made


def test_edges_of_documents_and_of_their_passages_are_read(memory):
    here = opened(memory.store)
    between = here.catalogue.between
    named = {
        (here.corpus.document_ids[a], here.corpus.document_ids[b], relation, weight)
        for a, b, relation, weight in between.at(range(6))
    }
    assert named >= {("dec", "out", "resulted_in", 1.0), ("les", "out", "learned_from", 1.0),
                     ("rule", "con", "depends_on", 1.0), ("con", "far", "related", 1.0)}  # fmt: skip
    assert all(source != target for source, target, _, _ in named)
    assert dict(zip(here.corpus.document_ids, between.kinds, strict=True))["les"] == "lesson"


def test_decisions_lead_to_outcomes_and_lessons(memory):
    query = "chose Lance"
    assert {hit.document_id for hit in memory.search(query, intent="general")} == {"dec"}
    hits = memory.search(query, intent="similar_decisions")
    assert [hit.document_id for hit in hits] == ["dec", "out"]
    assert hits[1].score == pytest.approx(0.7 * hits[0].score)
    assert [str(step) for step in hits[1].path] == [
        f"words → {hits[0].passage_id}", f"expansion resulted_in → {hits[1].passage_id}"
    ]  # fmt: skip
    chain = memory.search(query, intent="reasoning_chain")
    assert [hit.document_id for hit in chain] == ["dec", "out", "les"]
    assert [step.via for step in chain[2].path] == ["", "resulted_in", "learned_from"]


def test_an_added_document_enters_by_its_best_passage(memory):
    hits = memory.search("chose Lance, fast reads of milliseconds", intent="similar_decisions")
    out = next(hit for hit in hits if hit.document_id == "out")
    assert "milliseconds" in out.text
    hits = memory.search("Lance database", intent="similar_decisions")
    out = next(hit for hit in hits if hit.document_id == "out")
    assert "stayed up" in out.text


def test_failures_lead_back_and_rules_to_neighbours(memory):
    back = memory.search("four milliseconds", intent="past_failures")
    assert {hit.document_id for hit in back} == {"out", "dec", "les"}
    # An edge between passages is an association too, which here is left out.
    plain = Weights(associations=0)
    around = memory.search("owner", intent="related_rules", weights=plain)
    assert [hit.document_id for hit in around] == ["rule", "con"]
    assert around[1].path[-1].via == "depends_on"


def test_a_chain_stands_where_its_best_hit_stands(memory):
    """The outcome is what is asked for; its decision is told before it, the rest after both."""
    flat = {"relevance": 1.0, "importance": 0, "recency": 0, "vitality": 0, "context": 0}
    hits = memory.search("four milliseconds; an owner", intent="reasoning_chain", axes=flat)
    order = list(dict.fromkeys(hit.document_id for hit in hits))
    assert [one for one in order if one in ("dec", "out", "les")] == ["dec", "out", "les"]
    assert max(hits, key=lambda hit: hit.score).document_id in ("out", "rule")
    assert order.index("out") == order.index("dec") + 1
    assert order.index("les") == order.index("out") + 1


@pytest.mark.parametrize("search_type", ["lexical", "similar", "rag_completion"])
def test_kinds_that_look_at_words_add_nothing(memory, search_type):
    hits = memory.search("chose Lance", intent="reasoning_chain", search_type=search_type)
    assert all(step.kind != "expansion" for hit in hits for step in hit.path)


def test_what_is_added_passes_the_filters(memory):
    hits = memory.search("chose Lance", intent="reasoning_chain", kind=["decision", "lesson"])
    assert [hit.document_id for hit in hits] == ["dec"]
