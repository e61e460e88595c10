"""Which forms are one thing, and what an entity tells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbgraph.ingest.documents import Document
from hebbgraph.ingest.passages import passages
from hebbgraph.ingest.resolution import dotted_aliases, hubs, residual_idf, roots, surnames
from hebbgraph.ingest.rules.acronyms import explained
from hebbgraph.ingest.rules.extract import extract

usual = settings(max_examples=100, deadline=None)


def entities(*texts):
    docs = [Document(str(row), "", text) for row, text in enumerate(texts)]
    found = extract(docs, [one for doc in docs for one in passages(doc)])
    return {row["name"]: row for row in found.entities.to_pylist()}


def test_case_and_width_are_one_entity_spelled_as_most_often():
    found = entities(
        "We use ＰＯＳＴＧＲＥＳ today.", "We use Postgres now.", "Here Postgres runs."
    )
    assert list(found) == ["Postgres"]
    assert found["Postgres"]["aliases"] == ["ＰＯＳＴＧＲＥＳ"]
    assert (found["Postgres"]["count"], found["Postgres"]["documents"]) == (3, 3)


def test_an_acronym_is_its_long_form_everywhere_once_explained():
    found = entities("The World Health Organization (WHO) met.", "We met the WHO again.")
    assert list(found) == ["World Health Organization"]
    assert found["World Health Organization"]["aliases"] == ["WHO"]
    assert found["World Health Organization"]["count"] == 3


def test_an_acronym_with_two_meanings_is_told_apart_by_document():
    found = entities(
        "The American Medical Association (AMA) met. Then the AMA left.",
        "The Academy of Modern Art (AMA) closed. Then the AMA moved.",
        "Nobody knows which AMA this is.",
    )
    assert found["American Medical Association"]["count"] == 3
    assert found["Academy of Modern Art"]["count"] == 3
    assert found["AMA"]["count"] == 1


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the polymerase chain reaction (PCR) is", [("polymerase chain reaction", "PCR")]),
        ("a Hidden Markov Model (HMM) and (see) it", [("Hidden Markov Model", "HMM")]),
        ("he was born (USA) there", []),
        ("Some words (AB)", []),
        ("(ABC) first", []),
    ],
)
def test_explained(text, wanted):
    assert [(text[a:b], text[c:d]) for a, b, c, d in explained(text)] == wanted


def test_dotted_initials_are_their_letters():
    assert dotted_aliases(["U.S.A", "USA", "e.g", "node.js"]) == [(0, 1)]
    assert list(entities("In the U.S. today.", "The US won.", "An old US law.")) == ["US"]


def test_a_surname_is_its_full_name_within_its_document():
    found = entities("Nelson Mandela spoke. Mandela left. Then Mandela rested.", "Nothing here.")
    assert found["Nelson Mandela"]["aliases"] == ["Mandela"]
    assert found["Nelson Mandela"]["count"] == 3


def test_a_surname_of_two_people_stays_apart():
    found = entities("Bill Clinton met Hillary Clinton. Later Clinton spoke.")
    assert "Clinton" in found


def test_a_name_that_stands_by_itself_elsewhere_keeps_itself():
    texts = ["We toured South Africa. All of Africa is large."] + ["They love Africa."] * 5
    found = entities(*texts)
    assert found["Africa"]["count"] == 6


def naive_surnames(document, form, last, is_full, is_single):
    meant = list(form)
    hosts = {}
    for row in range(len(form)):
        if not is_single[row]:
            continue
        fulls = [
            o
            for o in range(len(form))
            if is_full[o] and document[o] == document[row] and last[o] == last[row]
        ]
        forms = {form[o] for o in fulls}
        hosts[row] = form[fulls[0]] if len(forms) == 1 and min(fulls) < row else None
    for row, host in hosts.items():
        # Of each document, the first mention of the short form speaks.
        first = {}
        for other, its in hosts.items():
            if form[other] == form[row]:
                first.setdefault(document[other], its)
        held = sum(its is not None for its in first.values())
        if host is not None and held >= 0.5 * len(first):
            meant[row] = host
    return meant


@usual
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 1), st.sampled_from("fs-")),
        max_size=16,
    ).map(lambda rows: sorted(rows, key=lambda row: row[0]))
)
def test_surnames_are_those_of_the_plain_loop(rows):
    document, form, last = (np.array([row[i] for row in rows], np.int64) for i in range(3))
    # A form is either a full or a short name, as the number of its words is its own.
    is_single = np.array([row[1] < 2 and row[3] == "s" for row in rows], np.bool_)
    is_full = np.array([row[1] >= 2 and row[3] == "f" for row in rows], np.bool_)
    found = surnames(document, form, last, is_full, is_single).tolist()
    assert found == naive_surnames(document, form, last, is_full, is_single)


@usual
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=12))
def test_roots_join_exactly_what_the_pairs_connect(pairs):
    found = roots(8, pairs).tolist()
    group = {row: {row} for row in range(8)}
    for one, other in pairs:
        merged = group[one] | group[other]
        for row in merged:
            group[row] = merged
    for one in range(8):
        for other in range(8):
            assert (found[one] == found[other]) == (other in group[one])
        assert found[found[one]] == found[one]


def test_merging_keeps_the_union_of_evidence():
    found = entities("The World Health Organization (WHO) and WHO met Mary Smith.")
    assert found["World Health Organization"]["count"] == 3


def test_significance_tells_clustered_from_spread():
    texts = [
        "Common word. Zeta Theory. Zeta Theory again. Zeta Theory holds."
        if n < 2
        else f"Text Number{n}."
        for n in range(40)
    ]
    found = entities(*[f"{text} Alpha is here." for text in texts])
    assert found["Zeta Theory"]["significance"] > 1
    # Once in every document: even more evenly than chance.
    assert found["Alpha"]["significance"] == 0
    assert found["Alpha"]["hub"]
    assert not found["Zeta Theory"]["hub"]


def test_residual_idf_of_a_random_spread_is_about_nothing():
    rng = np.random.default_rng(0)
    documents = 1000
    for mentions in (20, 200, 1000):
        seen = np.unique(rng.integers(documents, size=mentions)).size
        assert residual_idf(np.array([mentions]), np.array([seen]), documents)[0] < 0.1


def test_few_documents_make_no_hub():
    assert not hubs(np.array([1, 2, 3]), 3).any()
    assert hubs(np.array([10]), 10).all()
    assert hubs(np.array([], np.int64), 0).tolist() == []
