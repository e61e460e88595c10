"""Terms and BM25 beside plain loops, and beside the full-text index of Lance."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbgraph.errors import ParameterError
from hebbgraph.retrieval.bm25 import text_index
from hebbgraph.retrieval.naming import names_of
from hebbgraph.retrieval.terms import Synonyms, terms, unaccented

WORDS = ["tea", "cup", "leaf", "장애", "대응", "김철수가", "the", "日本語", "Zürich", "x"]
passage = st.tuples(
    st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join),
)


def naive_scores(passages, query, k1=1.2, b=0.75, title_weight=2.0):
    held = []
    for title, text in passages:
        tally = {}
        for term in terms(text):
            tally[term] = tally.get(term, 0) + 1
        for term in terms(title) if title else ():
            tally[term] = tally.get(term, 0) + title_weight
        held.append(tally)
    mean = sum(sum(one.values()) for one in held) / len(held)
    out = []
    for tally in held:
        score = 0.0
        for term in dict.fromkeys(terms(query)):
            n = sum(term in one for one in held)
            f = tally.get(term, 0)
            if f:
                idf = math.log(1 + (len(held) - n + 0.5) / (n + 0.5))
                score += idf * f * (k1 + 1) / (f + k1 * (1 - b + b * sum(tally.values()) / mean))
        out.append(score)
    return out


@given(st.lists(passage, min_size=1, max_size=8), st.lists(st.sampled_from(WORDS), max_size=4))
@settings(deadline=None)
def test_scores_are_those_of_the_plain_loop(passages, query):
    text = " ".join(query)
    got = text_index(passages).scores(dict.fromkeys(terms(text), 1.0))
    np.testing.assert_allclose(got, naive_scores(passages, text), rtol=1e-5)


def test_lance_ranks_the_same_words_alike(tmp_path):
    lancedb = pytest.importorskip("lancedb")
    rng = np.random.default_rng(0)
    pool = [*WORDS, *(f"word{at}" for at in range(60))]
    texts = [" ".join(rng.choice(pool, rng.integers(3, 30))) for _ in range(300)]
    texts[7] += " " + "장" * 90 + " " + "日本" * 60  # longer than Lance's own tokenizers keep
    table = lancedb.connect(tmp_path / "words.lance").create_table(
        "passages", pa.table({"row": range(300), "words": [" ".join(terms(one)) for one in texts]})
    )
    table.create_index(
        "words",
        config=lancedb.index.FTS(
            base_tokenizer="whitespace", lower_case=False, stem=False, remove_stop_words=False,
            ascii_folding=False, max_token_length=None, with_position=False,
        ),
    )  # fmt: skip
    index = text_index(("", one) for one in texts)
    for query in ("tea cup", "word3 word9 word40", "장애 대응 leaf", "日本" * 60):
        asked = dict.fromkeys(terms(query), 1.0)
        own = index.scores(asked)
        match = lancedb.query.MatchQuery(" ".join(asked), "words")
        found = table.search(match, query_type="fts").limit(300).to_arrow()
        assert sorted(found["row"].to_pylist()) == np.flatnonzero(own).tolist()
        np.testing.assert_allclose(found["_score"], own[found["row"].to_numpy()], rtol=1e-4)


def test_a_name_is_found_under_its_particle():
    index = text_index([("", "김철수가 서울에서 발표했다"), ("", "이영희는 부산에 산다")])
    assert index.scores(dict.fromkeys(terms("김철수"), 1.0)).argmax() == 0
    assert terms("김철수는") == terms("김철수") == ["김철", "철수"]
    assert terms("BMW가") == terms("bmw")


def test_accents_cases_and_endings_do_not_part_words():
    assert terms("Engines of ÅNGSTRÖM") == terms("engine angstrom")
    assert unaccented("ÉTUDE") == "etude"
    assert unaccented("ガ") == "ガ"


def test_a_pictograph_is_a_term():
    assert terms("party 🎉🎉 ☕") == ["parti", "🎉", "🎉", "☕"]


@given(st.text(max_size=60))
@settings(deadline=None)
def test_only_a_blank_text_has_no_term(text):
    assert bool(terms(text)) == bool(text.strip())
    assert all(terms(text))


def test_stop_words_alone_are_taken_as_they_are():
    assert terms("The Who") == ["the", "who"]


def test_titles_count_twice_and_empty_corpora_score_nothing():
    with_title = text_index([("tea", ""), ("", "tea")]).scores({"tea": 1.0})
    assert with_title[0] > with_title[1] > 0
    assert text_index([]).scores({"tea": 1.0}).size == 0
    assert text_index([("", "")]).scores({"tea": 1.0}).tolist() == [0.0]


def test_options_are_held_to_their_range():
    with pytest.raises(ParameterError, match="b: expected"):
        text_index([], b=2)


def test_synonyms_share_the_weight_of_a_phrase():
    groups = Synonyms([("오류", "error", "fatal fault")])
    assert groups.of(terms("an error")) == {"오류": 1.0, "fatal": 0.5, "fault": 0.5}
    assert groups.of(terms("tea")) == {}


def test_the_longest_name_at_each_place_is_said():
    names = names_of([("New York", 0), ("York", 1), ("New York City", 2), ("2001", 3), ("서울", 4)])
    assert [name for name, _ in names.said("from new york city to York in 2001")] == [
        "new york city",
        "york",
    ]
    assert [own.tolist() for _, own in names.said("서울에서")] == [[4]]
    assert names.said("") == []
