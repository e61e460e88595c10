"""What the rules find in passages, beside plain-loop versions of the parts that are vectorised."""

from __future__ import annotations

import json
import random
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbgraph.ingest.documents import Document
from hebbgraph.ingest.extraction import ENTITIES, LINKS, MENTIONS, RELATIONS, grouped
from hebbgraph.ingest.passages import passages
from hebbgraph.ingest.reading import documents
from hebbgraph.ingest.rules.assembly import key_of
from hebbgraph.ingest.rules.extract import extract
from hebbgraph.ingest.rules.hashes import stretches
from hebbgraph.ingest.rules.korean import without_particle
from hebbgraph.ingest.rules.packed import pack
from hebbgraph.ingest.rules.relations import predicate_of, together
from hebbgraph.ingest.rules.titles import base_title, forms_of, title_mentions, titles_of
from hebbgraph.ingest.rules.tokens import _UNSPACED, _pieces, tokens_of
from hebbgraph.ingest.rules.vocabulary import Flag, Vocabulary, normal_form
from hebbgraph.ingest.sentences import sentence_ends

usual = settings(max_examples=100, deadline=None)


def found_in(*texts, titles=None, **options):
    docs = [
        Document(str(row), titles[row] if titles else "", text) for row, text in enumerate(texts)
    ]
    cut = [one for doc in docs for one in passages(doc, **options)]
    return extract(docs, cut), docs, cut


def names(found, kind=None):
    return [row["name"] for row in found.entities.to_pylist() if kind in (None, row["type"])]


def relations(found):
    name = found.entities["name"].to_pylist()
    return {
        (name[row["subject"]], row["predicate"], name[row["object"]])
        for row in found.relations.to_pylist()
        if row["predicate"] != "mentioned_with"
    }


# Mentions


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "He left the University of Copenhagen after New York.",
            ["University of Copenhagen", "New York"],
        ),
        ("We saw George T. Solomon and O'Brien there.", ["George T. Solomon", "O'Brien"]),
        ("It flew on Apollo 11 after World War II.", ["Apollo 11", "World War II"]),
        ("They won at the 2000 Summer Olympics.", ["2000 Summer Olympics"]),
        (
            "He was born 8 March 1874, and died January 2, 1969.",
            ["8 March 1874", "January 2, 1969"],
        ),
        ("In 1998 Michael Jordan won.", ["1998", "Michael Jordan"]),
        ("It began in September 1982 and in the 1990s.", ["September 1982", "1990s"]),
        ("We call np_dot or numpy.linalg now.", ["np_dot", "numpy.linalg"]),
        (
            "We see #graphs and https://example.org/a_b?c=1.",
            ["https://example.org/a_b?c=1", "graphs"],
        ),
        ("He said “spreading activation” works.", ["spreading activation"]),
        ("About 40,000 people, or 61%.", ["40,000", "61"]),
        ("We met at St. Louis in the U.S. in May.", ["St. Louis", "U.S"]),
        ("We do R&D with Johnson & Johnson.", ["R&D", "Johnson & Johnson"]),
    ],
)
def test_mentions(text, wanted):
    found, *_ = found_in(text)
    assert sorted(names(found)) == sorted(wanted)


@pytest.mark.parametrize(
    ("word", "noun"),
    [
        ("김철수가", "김철수"),
        ("검색팀을", "검색팀"),
        ("검색팀은", "검색팀"),
        ("서울에서", "서울"),
        ("서울로", "서울"),
        ("부산으로", "부산"),
        ("대학교에서는", "대학교"),
        ("BMW가", "BMW"),
        ("국가", "국가"),
        ("바나나", "바나나"),
        ("회의", "회의"),
        ("철수와", "철수"),
        ("북한이", "북한"),
        ("광고를", "광고"),
    ],
)
def test_korean_particles(word, noun):
    assert without_particle(word) == noun


def test_korean_names_are_found_without_particles_and_in_all_their_forms():
    found, docs, _ = found_in("김철수가 검색팀을 만났다.", "검색팀은 서울에서 김철수와 일했다.")
    assert {"김철수", "검색팀", "서울"} <= set(names(found))
    assert not {"만났다", "일했다"} & set(names(found))
    for row in found.mentions.to_pylist():
        name = names(found)[row["entity"]]
        data = docs[row["passage"]].text.encode()
        assert data[row["start"] : row["end"]].decode() == name


def test_a_korean_title_is_met_with_a_particle():
    found, *_ = found_in("일을 한다.", "김철수가 검색팀을 만났다.", titles=["검색팀", "소식"])
    assert [(row["passage"], row["document"]) for row in found.links.to_pylist()] == [(1, 0)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "東京都は日本の首都である。トヨタ自動車が発表した。",
            {"東京都", "日本", "首都", "トヨタ自動車", "発表"},
        ),
        ("中国的首都是北京。", {"中国", "首都", "北京"}),
        ("他写了《红楼梦》。", {"红楼梦"}),
    ],
)
def test_scripts_without_spaces(text, wanted):
    found, *_ = found_in(text)
    assert wanted <= set(names(found))


def test_an_ordinary_word_at_the_head_of_a_sentence_is_no_name():
    found, *_ = found_in("Rivers are long. Many rivers meet here. Amazon is long.")
    assert names(found) == ["Amazon"]


def test_a_name_goes_on_over_the_end_of_a_wrapped_line_and_not_of_a_short_one():
    wrapped = "We all went by train to see the old town of New\nYork and then came home.\r\n"
    found, *_ = found_in(wrapped)
    assert names(found) == ["New York"]
    found, *_ = found_in("we know\nBerlin\nParis\nRome")
    assert names(found) == ["Berlin", "Paris", "Rome"]


def test_documents_without_passages_are_still_looked_for():
    known = Document("old", "Danube Delta", "")
    fresh = Document("new", "", "We saw the Danube Delta.")
    found = extract([known, fresh], passages(fresh))
    assert [(row["passage"], row["document"]) for row in found.links.to_pylist()] == [(0, 0)]
    assert found.title_entities.tolist() == [-1, -1]


def test_small_letters_alone_give_terms_that_come_back():
    text = (
        "the boundary layer grows . heat moves in the boundary layer . a boundary layer is thin ."
    )
    found, *_ = found_in(*[text] * 3, *["other words stand in this text ."] * 40)
    assert "boundary layer" in names(found, "term")


def test_nothing_to_find_gives_empty_tables_of_the_schemas():
    for texts in ((), ("",), ("nothing here at all",), ("...", "\n\n", "?!")):
        found, *_ = found_in(*texts)
        for table, schema in (
            (found.entities, ENTITIES),
            (found.mentions, MENTIONS),
            (found.relations, RELATIONS),
            (found.links, LINKS),
        ):
            assert table.schema == schema
            assert table.num_rows == 0
        assert found.title_entities.tolist() == [-1] * len(texts)


@usual
@given(st.lists(st.text(max_size=60), max_size=5))
def test_any_text_keeps_the_tables_whole(texts):
    found, docs, cut = found_in(*texts)
    n = found.entities.num_rows
    assert found.entities["id"].to_pylist() == list(range(n))
    assert len(set(found.entities["key"].to_pylist())) == n
    for row in found.mentions.to_pylist():
        assert row["entity"] < n
        data = docs[int(cut[row["passage"]].document)].text.encode()
        assert data[row["start"] : row["end"]].decode()
    for row in found.relations.to_pylist():
        assert row["subject"] != row["object"]
        assert row["count"] > 0


def test_the_result_does_not_depend_on_how_the_texts_are_cut_into_chunks(monkeypatch):
    from hebbgraph.ingest.rules import assembly, scan

    pool = [
        "Ada Lovelace met Charles Babbage.",
        "Babbage was a mathematician.",
        "김철수가 왔다.",
        "In 1843 she wrote notes.",
    ]
    rng = random.Random(0)
    texts = [" ".join(rng.choices(pool, k=5)) for _ in range(30)]
    whole, *_ = found_in(*texts, titles=["Ada Lovelace"] * 30)
    monkeypatch.setattr(scan, "_CHUNK", 100)
    monkeypatch.setattr(assembly, "_BLOCK", 7)
    pieces, *_ = found_in(*texts, titles=["Ada Lovelace"] * 30)
    for name in ("entities", "mentions", "relations", "links"):
        assert getattr(whole, name).equals(getattr(pieces, name)), name


def test_what_two_passages_share_is_counted_once():
    text = " ".join(f"Person{n} Surname{n} left this and that for them." for n in range(20))
    apart, *_ = found_in(text, max_tokens=48)
    lapped, _, cut = found_in(text, max_tokens=48, overlap=24)
    assert len(cut) > len(passages(Document("0", "", text), max_tokens=48))
    assert apart.entities["count"].to_pylist() == lapped.entities["count"].to_pylist() == [1] * 20


# Titles


def naive_titles(words: list[str], titles: list[list[str]]) -> list[tuple[int, int, int]]:
    found, place = [], 0
    while place < len(words):
        hits = [
            (len(title), number)
            for number, title in enumerate(titles)
            if 0 < len(title) <= 8 and words[place : place + len(title)] == title
        ]
        if hits:
            size, number = max(hits, key=lambda hit: (hit[0], -hit[1]))
            found.append((place, size, number))
            place += size
        else:
            place += 1
    return found


WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta"])


@usual
@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=9).map(tuple), max_size=6, unique=True),
    st.lists(WORDS, max_size=40),
)
def test_title_mentions_are_those_of_the_plain_loop(titles, words):
    vocabulary = Vocabulary()
    tokens = tokens_of([" ".join(words)], vocabulary)
    forms = forms_of([" ".join(title) for title in titles], vocabulary)
    index = titles_of(forms, forms)
    runs, row = title_mentions(tokens, vocabulary.normal_ids, index)
    found = [
        (begin, end - begin, index.documents[index.indptr[title]])
        for begin, end, title in zip(runs.begin, runs.end, row, strict=True)
    ]
    assert found == naive_titles(words, [list(title) for title in titles])


def test_titles_link_to_all_who_bear_them_and_not_to_themselves():
    found, *_ = found_in(
        "The Danube flows through Vienna.",
        "Vienna lies on the Danube.",
        "Vienna again.",
        "the danube is long",
        titles=["Danube", "Vienna", "Vienna", "Other"],
    )
    links = {(row["passage"], row["document"]) for row in found.links.to_pylist()}
    assert links == {(0, 1), (0, 2), (1, 0), (1, 2), (2, 1), (3, 0)}


def test_a_title_without_its_parenthesis_counts_where_it_is_plain():
    titles = [
        "Track 61 (New York City)",
        "Mercury (planet)",
        "Mercury (element)",
        "Java (island)",
        "Java",
    ]
    texts = ["x", "y", "z", "Track 61 and Mercury and Java.", "w"]
    found, *_ = found_in(*texts, titles=titles)
    assert {row["document"] for row in found.links.to_pylist()} == {0, 4}
    track = found.entities.to_pylist()[found.title_entities[0]]
    assert (track["name"], track["aliases"]) == ("Track 61", ["Track 61 (New York City)"])


@pytest.mark.parametrize(
    ("title", "base"), [("A (b)", "A"), ("(b)", "(b)"), ("A (b) c", "A (b) c"), ("가 (나)", "가")]
)
def test_base_titles(title, base):
    assert base_title(title) == base


@usual
@given(st.lists(st.integers(0, 3), max_size=30), st.data())
def test_stretches_have_equal_hashes_where_their_words_are_equal(words, data):
    hashes = stretches(np.array(words, np.int32))
    spot = st.tuples(st.integers(0, len(words)), st.integers(0, len(words))).map(sorted)
    (a, b), (c, d) = data.draw(spot), data.draw(spot)
    one, other = hashes.of(np.array([a, c]), np.array([b, d]))
    assert (one == other) == (words[a:b] == words[c:d])


# Relations


@pytest.mark.parametrize(
    ("between", "predicate"),
    [
        (" founded ", "founded"),
        (" was founded by the ", "was_founded_by"),
        (", founded by ", "founded_by"),
        (" is the capital of ", "is_capital_of"),
        (" is a constituent college of the ", "is_constituent_college_of"),
        (" was born in ", "was_born_in"),
        (" was later renamed to ", "was_renamed_to"),
        (" is part of ", "is_part_of"),
        (" and ", None),
        (" , ", None),
        (" in ", None),
        (" who said that ", None),
    ],
)
def test_predicates(between, predicate):
    assert predicate_of(between) == predicate


def test_stated_relations():
    found, *_ = found_in(
        "Steve Jobs founded Apple in California. Apple is a technology company.",
        "Nelson Mandela (1918–2013) was a South African statesman. Paris is the capital of France.",
    )
    assert relations(found) == {
        ("Steve Jobs", "founded", "Apple"),
        ("Apple", "is_a", "company"),
        ("Nelson Mandela", "is_a", "statesman"),
        ("Paris", "is_a", "capital"),
        ("Paris", "is_capital_of", "France"),
    }


@usual
@given(st.lists(st.integers(0, 4), max_size=25).map(sorted))
def test_pairs_of_a_sentence_are_those_of_the_plain_loop(sentence):
    first, second = together(np.array(sentence, np.int64))
    wanted = {
        (a, b)
        for a in range(len(sentence))
        for b in range(a + 1, min(a + 5, len(sentence)))
        if sentence[a] == sentence[b]
    }
    assert set(zip(first.tolist(), second.tolist(), strict=True)) == wanted


def test_co_mentions_count_sentences():
    found, *_ = found_in("Ada met Bob. Bob saw Ada. Ada is here. Ada, Bob, Ada.")
    rows = [row for row in found.relations.to_pylist() if row["predicate"] == "mentioned_with"]
    assert [(row["subject"], row["object"], row["count"]) for row in rows] == [(0, 1, 3)]


@usual
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([-(1 << 62), 0, 1, 1 << 62])), max_size=30
    )
)
def test_grouped_is_counting(pairs):
    table = np.array(pairs, np.int64).reshape(-1, 2)
    first, count = grouped(table[:, 0], table[:, 1])
    assert [
        (pairs[row], n) for row, n in zip(first.tolist(), count.tolist(), strict=True)
    ] == sorted({pair: pairs.count(pair) for pair in pairs}.items())
    assert all(pairs.index(pairs[row]) == row for row in first.tolist())


# Headings and links


def test_wiki_links_find_notes_by_name(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.md").write_text("[[plan b]], [[same|one]], [[twice]] and [[no note]].")
    (tmp_path / "sub" / "Plan B.md").write_text("Below.")
    (tmp_path / "same.md").write_text("Beside.")
    for folder in ("sub", "x"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "twice.md").write_text(f"In {folder}.")
    docs = list(documents(tmp_path))
    found = extract(docs, [one for doc in docs for one in passages(doc)])
    marked = [row for row in found.links.to_pylist() if row["kind"] == "link"]
    ids = {docs[row["document"]].id.removeprefix(f"{tmp_path.name}/") for row in marked}
    assert ids == {"sub/Plan B.md", "same.md"}


def test_markdown_links_and_headings_become_links_and_entities(tmp_path):
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "a.md").write_text(
        "# Spreading activation\n\nSee [the other](sub/b.md) and [web](https://x.org).\n"
    )
    (tmp_path / "w" / "sub").mkdir()
    (tmp_path / "w" / "sub" / "b.md").write_text("# Other things\n\nback [up](../a.md#top)\n")
    docs = list(documents(tmp_path / "w"))
    assert [one.id for one in docs] == ["w/a.md", "w/sub/b.md"]
    cut = [one for doc in docs for one in passages(doc)]
    found = extract(docs, cut)
    rows = [row for row in found.links.to_pylist() if row["kind"] == "link"]
    assert {(row["passage"], row["document"]) for row in rows} == {(0, 1), (1, 0)}
    held = docs[0].text.encode()
    assert held[rows[0]["start"] : rows[0]["end"]] == b"the other"
    assert {"Spreading activation", "the other", "web"} <= set(names(found))


# Words


@usual
@given(st.lists(st.text(alphabet="aB é가을東トあ1_.-' ,&\n", max_size=12), max_size=4))
def test_tokens_lie_where_they_say(texts):
    vocabulary = Vocabulary()
    tokens = tokens_of(texts, vocabulary)
    assert tokens.text == "\n\n".join(texts)
    for word, start, end in zip(tokens.word, tokens.start, tokens.end, strict=True):
        assert vocabulary.words[word] == tokens.text[start:end] != ""
    left = list(tokens.text)
    for start, end in zip(tokens.start, tokens.end, strict=True):
        left[start:end] = " " * (end - start)
    assert not any(letter.isalnum() or letter == "_" for letter in left)
    starts = np.cumsum([0, *(len(text) + 2 for text in texts)])
    assert (np.searchsorted(starts, tokens.start, side="right") - 1 == tokens.unit).all()


# Han, Kana, marks on letters, wide blanks, and letters of two and four bytes.
ODD_LETTERS = "aB1_é가京都のーカ々中的是国e\u0301·🦊 .-' ,&\n\r\u3000"


def naive_words(text):
    """Words of a text by an expression; runs of Han and Kana are cut further."""
    found = []
    for part in re.split("([^\\w\u0300-\u036f]+)", text)[::2]:
        found += _pieces(part) if _UNSPACED.search(part) else [part]
    return [word for word in found if word]


@usual
@given(st.lists(st.text(alphabet=ODD_LETTERS, max_size=20), max_size=4))
def test_words_are_those_of_an_expression(texts):
    vocabulary = Vocabulary()
    tokens = tokens_of(texts, vocabulary)
    assert [vocabulary.words[word] for word in tokens.word] == naive_words("\n\n".join(texts))
    ends = sentence_ends(tokens.text)
    assert tokens.sentence.tolist() == [
        sum(end <= start for end in ends.tolist()) for start in tokens.start.tolist()
    ]


@usual
@given(st.lists(st.text(alphabet=ODD_LETTERS, max_size=20), max_size=4))
def test_packed_words_unpack_as_they_were(texts):
    tokens = tokens_of(texts, Vocabulary())
    found = pack(texts, tokens).tokens
    for name in ("text", "word", "start", "end", "gap", "unit", "first"):
        assert np.array_equal(getattr(found, name), getattr(tokens, name)), name
    assert (np.diff(found.sentence) == (np.diff(tokens.sentence) > 0)).all()


def test_between_two_walks_a_word_takes_eight_bytes():
    texts = ["Ada Lovelace worked with Charles Babbage… " * 40] * 25
    packed = pack(texts, tokens_of(texts, Vocabulary()))
    columns = [value for value in vars(packed).values() if isinstance(value, np.ndarray)]
    assert sum(one.nbytes for one in columns) == 8 * packed.word.size == 8 * 6 * 40 * 25
    assert packed.texts is texts


@pytest.mark.parametrize("size", [255, 256, 70_000])
def test_words_of_any_length_are_packed(size):
    texts = ["a" * size + " " * size + "b"]
    tokens = tokens_of(texts, Vocabulary())
    found = pack(texts, tokens).tokens
    assert found.start.tolist() == tokens.start.tolist() == [0, 2 * size]
    assert found.end.tolist() == tokens.end.tolist() == [size, 2 * size + 1]


def test_without_reach_relations_are_those_that_are_stated():
    texts = ["Ada Lovelace worked with Charles Babbage in London.", "Ada met Bob and Cy."]
    docs = [Document(str(row), "", text) for row, text in enumerate(texts)]
    cut = [one for doc in docs for one in passages(doc)]
    whole, stated = extract(docs, cut), extract(docs, cut, reach=0)
    wanted = [row for row in whole.relations.to_pylist() if row["predicate"] != "mentioned_with"]
    assert stated.relations.to_pylist() == wanted != []
    assert stated.relations.num_rows < whole.relations.num_rows
    assert stated.mentions.equals(whole.mentions)
    assert stated.entities.equals(whole.entities)


def test_normal_form_joins_widths_and_cases():
    assert normal_form("ＷＨＯ") == normal_form("who")
    assert normal_form("Straße") == normal_form("STRASSE")
    assert normal_form("한글") == "한글"


def test_flags_of_a_word():
    vocabulary = Vocabulary()
    vocabulary.ids(["September", "1984", "iPhone", "검색팀을", "東京"])
    flags = vocabulary.flags
    assert flags[0] == Flag.CAPITAL | Flag.MONTH
    assert flags[1] == Flag.NUMBER | Flag.YEAR
    assert flags[2] == Flag.CAPITAL | Flag.CODE
    assert flags[3] == Flag.HANGUL | Flag.PARTICLED | Flag.NOUN
    assert flags[4] == Flag.IDEOGRAPHS


# A real set


def test_recall_and_precision_against_published_entities(data):
    path = data / "hipporag-musique-train100" / "openie.json"
    published = json.loads(path.read_text("utf-8"))["docs"]
    found, docs, cut = found_in(
        *(one["text"] for one in published), titles=[one["title"] for one in published]
    )
    told = [set() for _ in docs]
    name = found.entities["name"].to_pylist()
    for row in found.mentions.to_pylist():
        number = int(cut[row["passage"]].document)
        written = docs[number].text.encode()[row["start"] : row["end"]].decode()
        told[number].add(key_of(written or name[row["entity"]]))
    # Passages of odd number were not looked at while the rules were written.
    pairs = [
        (told[row], {key_of(one) for one in published[row]["extracted_entities"]})
        for row in range(1, len(docs), 2)
    ]
    right = sum(len(one & other) for one, other in pairs)
    assert right / sum(len(other) for _, other in pairs) >= 0.75
    assert right / sum(len(one) for one, _ in pairs) >= 0.55


def test_links_of_a_real_set_reach_the_gold_of_its_questions(data):
    folder = data / "hotpotqa-dev200"
    docs = list(documents(folder / "corpus.jsonl"))
    cut = [one for doc in docs for one in passages(doc)]
    found = extract(docs, cut)
    row = {doc.id: number for number, doc in enumerate(docs)}
    owner = [row[one.document] for one in cut]
    joined = {(owner[link["passage"]], link["document"]) for link in found.links.to_pylist()}
    bridged = 0
    questions = [
        json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()
    ]
    for question in questions:
        one, other = (row[gold] for gold in question["gold"][:2])
        bridged += (one, other) in joined or (other, one) in joined
    # Bridge questions are the larger part of the set; comparisons need no link.
    assert bridged > len(questions) / 2
    assert isinstance(found.links, pa.Table)
