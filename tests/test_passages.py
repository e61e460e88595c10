"""Passages hold the text, byte for byte, within their budget."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbgraph.errors import ParameterError
from hebbgraph.ingest.documents import Document, Heading
from hebbgraph.ingest.passages import byte_offsets, passages
from hebbgraph.ingest.sentences import sentence_ends

usual = settings(max_examples=100, deadline=None)
PIECES = st.sampled_from(
    [
        "word ",
        "Dr. ",
        "End. ",
        "why? ",
        "\n\n",
        "\n",
        "김철수가 ",
        "검색팀을. ",
        "東京都は",
        "。",
        "é",
        "🙂",
        " ",
        "x" * 90,
        "# Head\n",
        "- item\n",
    ]
)
TEXTS = st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=200)


def tokens(text: str) -> float:
    return sum(1 if ord(letter) >= 0x1100 else 0.25 for letter in text)


@usual
@given(text=TEXTS, max_tokens=st.integers(16, 40), share=st.floats(0, 0.5))
def test_spans_decode_back_cover_the_text_and_keep_the_budget(text, max_tokens, share):
    data = text.encode()
    found = passages(
        Document("d", "", text), max_tokens=max_tokens, overlap=int(max_tokens * share)
    )
    held = bytearray(len(data))
    for ordinal, passage in enumerate(found):
        assert passage.ordinal == ordinal
        assert data[passage.start : passage.end].decode() == passage.text
        assert passage.text == passage.text.strip() != ""
        assert tokens(passage.text) <= max_tokens
        held[passage.start : passage.end] = b"\1" * (passage.end - passage.start)
    left = bytes(byte for byte, kept in zip(data, held, strict=True) if not kept)
    assert left.decode().strip() == ""


@usual
@given(text=TEXTS, max_tokens=st.integers(16, 40))
def test_without_overlap_passages_do_not_meet_and_with_it_each_brings_something_new(
    text, max_tokens
):
    document = Document("d", "", text)
    apart = passages(document, max_tokens=max_tokens)
    assert all(one.end <= other.start for one, other in itertools.pairwise(apart))
    lapped = passages(document, max_tokens=max_tokens, overlap=max_tokens // 2)
    assert all(one.end < other.end for one, other in itertools.pairwise(lapped))
    assert all(one.start < other.start for one, other in itertools.pairwise(lapped))


@usual
@given(text=st.text(max_size=80))
def test_byte_offsets_are_those_of_every_prefix(text):
    wanted = [len(text[:place].encode()) for place in range(len(text) + 1)]
    assert byte_offsets(text).tolist() == wanted


def test_overlap_repeats_whole_sentences():
    text = "".join(f"This is the sentence number {n}. " for n in range(12))
    found = passages(Document("d", "", text), max_tokens=32, overlap=8)
    for one, other in itertools.pairwise(found):
        repeated = text[other.start : one.end]
        assert repeated.startswith("This")
        assert repeated.endswith(".")


def test_a_heading_begins_a_passage_and_stays_with_what_it_heads():
    text = (
        "# Guide\n\n"
        + "Intro text here. " * 8
        + "\n\n## Setup\n\nDo this first.\n\n## Use\n\nThen that."
    )
    heads = [
        Heading(text.index("# Guide"), 1, "Guide"),
        Heading(text.index("## Setup"), 2, "Setup"),
        Heading(text.index("## Use"), 2, "Use"),
    ]
    found = passages(Document("d", "", text, headings=tuple(heads)), max_tokens=64)
    assert [one.headings for one in found] == [("Guide",), ("Guide", "Setup")]
    assert found[1].text.startswith("## Setup")
    # Sections far under the budget share a passage.
    assert found[1].text.endswith("Then that.")


@pytest.mark.parametrize("text", ["", " \n\t ", "\u3000"])
def test_blank_text_has_no_passages(text):
    assert passages(Document("d", "", text)) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Dr. No met J. Bond. He left.", ["Dr. No met J. Bond.", "He left."]),
        (
            "It cost 3.5 dollars. Why? Ask e.g. Tom!",
            ["It cost 3.5 dollars.", "Why?", "Ask e.g. Tom!"],
        ),
        ("그는 갔다. 끝났다.", ["그는 갔다.", "끝났다."]),
        ("終わった。次の文。", ["終わった。", "次の文。"]),
        ("No stop\n\nNew part", ["No stop", "New part"]),
        ("- one\n- two", ["- one", "- two"]),
        ("He said “Go.” She went.", ["He said “Go.”", "She went."]),
    ],
)
def test_sentences(text, wanted):
    ends = sentence_ends(text).tolist()
    pieces = [text[a:b].strip() for a, b in zip([0, *ends], ends, strict=False)]
    assert [piece for piece in pieces if piece] == wanted


@pytest.mark.parametrize(
    "options", [{"max_tokens": 8}, {"max_tokens": 64, "overlap": 33}, {"overlap": -1}]
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(ParameterError, match="expected"):
        passages(Document("d", "", "text"), **options)


@pytest.mark.parametrize("unit", ["x", "가", "no end of it ", "End. ", "\n\n"])
def test_megabytes_of_one_kind_do_not_take_for_ever(unit):
    text = unit * (2_000_000 // len(unit))
    found = passages(Document("d", "", text), overlap=100)
    assert all(tokens(one.text) <= 256 for one in found[:3])
    assert (found[-1].end if found else 0) == len(text.rstrip().encode())
