"""Any query to any kind of search is answered: through a memory and through the command."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import hebbgraph
from hebbgraph.cli.main import main
from hebbgraph.retrieval.intents import INTENTS
from hebbgraph.retrieval.search import KINDS

TEXTS = [
    {"id": "ada", "title": "Ada Lovelace", "time": "1843-07-01", "kind": "lesson",
     "text": "Ada Lovelace wrote the first program. Charles Babbage designed the engine."},
    {"id": "kim", "title": "회의", "text": "김철수가 서울에서 검색팀을 맡았다. 2021년 3월의 일이다."},
    {"id": "ja", "title": "日本語", "text": "東京で検索の会議を開いた。"},
    {"id": "zh", "text": "北京的搜索团队今天开会。"},
    {"id": "ar", "text": "اجتمع فريق البحث في القاهرة."},
    {"id": "emoji", "text": "Release day 🎉🎉, all green 😀."},
    {"id": "sql", "text": "Robert'); DROP TABLE passages; -- or 1=1"},
]  # fmt: skip
QUERIES = [
    "", " ", "\n\t\u3000", "a", "?", "가", "é", "' OR 1=1", "'; DROP TABLE passages; --",
    'title:"x" AND NOT (y OR *)', "+ada -engine ~2 ^3", "(((", "\\", "%s {0} $HOME `id`", "NULL",
    "nan inf -inf 1e999", "\x00", "\ud800", "\u202eabc", "김철수", "검색팀을 맡은 사람", "東京の会議",
    "搜索团队", "فريق البحث", "🎉", "😀🎉 👩‍👩‍👧", "ﬁ", "the of and", "2021년 3월", "last week",
    "why did the engine fail", "ada lovelace " * 7_700, "x" * 100_000, "가" * 34_000,
]  # fmt: skip
FOUND = {"김철수": "kim", "검색팀을 맡은 사람": "kim", "東京の会議": "ja", "搜索团队": "zh",
         "فريق البحث": "ar", "🎉": "emoji"}  # fmt: skip


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    made = hebbgraph.Memory(tmp_path_factory.mktemp("hostile") / "data.lance")
    made.add(TEXTS)
    made.cognify()
    made.memify()
    return made


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    return hebbgraph.Memory(tmp_path_factory.mktemp("nothing") / "data.lance")


def check(found, k):
    ids = [hit.passage_id for hit in found.hits]
    assert len(ids) == len(set(ids)) <= k
    for hit in found.hits:
        numbers = [hit.score, hit.text_score, hit.name_score, hit.activation,
                   *dataclasses.astuple(hit.parts)]  # fmt: skip
        assert all(math.isfinite(one) for one in numbers)
        assert all(0 <= one <= 1 for one in dataclasses.astuple(hit.parts))
    scores = [hit.score for hit in found.hits]
    if found.intent != "reasoning_chain":
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("search_type", KINDS)
def test_any_query_is_answered(memory, search_type):
    for query in QUERIES:
        found = memory.find(query, k=3, search_type=search_type)
        check(found, 3)
        assert bool(query.strip()) or not found.hits
        assert found == memory.find(query, k=3, search_type=search_type)
        if query in FOUND:
            assert found.hits[0].document_id == FOUND[query]


@pytest.mark.parametrize("search_type", KINDS)
def test_an_empty_memory_finds_nothing(empty, search_type):
    for query in ("", "a", "tea", "2021", "ada#0"):
        assert empty.find(query, search_type=search_type, as_of="2021", kind="rule").hits == ()
    shown = CliRunner().invoke(
        main, ["search", str(empty.store.path), "tea", "--type", search_type]
    )
    assert shown.exit_code == 0, shown.output
    assert "the memory has no passages; `add` brings them" in shown.output
    assert "nothing found" in shown.output


@pytest.mark.parametrize("search_type", KINDS)
def test_any_query_is_answered_on_the_command_line(memory, search_type):
    path = str(memory.store.path)
    for query in QUERIES:
        done = CliRunner().invoke(
            main, ["search", path, "--type", search_type, "-k", "3", "--json", "--", query]
        )
        assert done.exit_code == 0, (query[:20], done.output[-300:], done.exception)
        told = json.loads(done.stdout)
        ids = [hit["passage_id"] for hit in told["hits"]]
        assert ids == [hit.passage_id for hit in memory.search(query, k=3, search_type=search_type)]
        assert "NaN" not in done.stdout
        assert query.strip() or not ids


def test_text_for_people_is_printed_for_any_query(memory):
    for query in QUERIES:
        done = CliRunner().invoke(
            main, ["search", str(memory.store.path), "--explain", "--type", "graph", "--", query]
        )
        assert done.exit_code == 0, (query[:20], done.output[-300:])


@pytest.mark.parametrize("search_type", ["chunks", "lexical", "graph", "summaries"])
def test_ties_stand_in_the_order_of_passages(tmp_path, search_type):
    names = [f"same{at}" for at in (3, 1, 4, 2, 5)]
    for turn, order in enumerate((names, names[::-1])):
        made = hebbgraph.Memory(tmp_path / f"{turn}.lance")
        for name in order:
            made.add({"id": name, "text": f"Twins look alike, {name}."})
        made.cognify()
        hits = made.search("twins look alike", k=3, search_type=search_type)
        assert [hit.document_id for hit in hits] == ["same1", "same2", "same3"]
        assert len({hit.score for hit in hits}) == 1


@given(
    st.text(max_size=30) | st.lists(st.sampled_from(QUERIES[:-3]), max_size=4).map(" ".join),
    st.sampled_from(KINDS), st.sampled_from(["auto", *INTENTS]), st.integers(1, 12),
    st.none() | st.sampled_from(["lesson", "concept", "none"]),
    st.none() | st.sampled_from(["1800", "1843-07", "2025"]),
)  # fmt: skip
@settings(deadline=None, max_examples=80)
def test_any_combination_is_answered(memory, query, search_type, intent, k, kind, as_of):
    options = {"search_type": search_type, "intent": intent, "kind": kind, "as_of": as_of}
    found = memory.find(query, k=k, **options)
    check(found, k)
    assert found == memory.find(query, k=k, **options)
    more = memory.find(query, k=12, **options)
    if found.intent != "reasoning_chain":
        few = itertools.islice(more.hits, k)
        assert [hit.passage_id for hit in found.hits] == [hit.passage_id for hit in few]
