"""Where and when a search looks: filters before ranking, and what was known at a moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hebbgraph
from hebbgraph.edgelist import UNDATED
from hebbgraph.errors import ParameterError
from hebbgraph.retrieval.catalogue import Catalogue
from hebbgraph.retrieval.filters import Filters, allowed, moment
from hebbgraph.retrieval.opened import opened
from hebbgraph.retrieval.relevance import Weights
from hebbgraph.retrieval.supersession import heirs_of, lifted, newer_first

NOW = datetime(2025, 6, 1, tzinfo=UTC)
MICROSECONDS = 1_000_000
NOTHING = np.zeros(0, np.int64)


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """Twenty notes on tea that words rank first, and a few others that filters leave."""
    made = hebbgraph.Memory(tmp_path_factory.mktemp("filters") / "data.lance")
    made.add(
        [
            {"id": f"tea{at:02}", "kind": "concept", "tags": ["drink"], "time": "2020-05-05",
             "text": f"Tea, tea and more tea, cup {at}."}
            for at in range(20)
        ],
        node_set="kitchen",
    )  # fmt: skip
    made.add(
        [
            {"id": "d1", "kind": "decision", "rationale": "It fits.", "tags": ["db", "ops"], "time": "2021-03-01",
             "text": "We took the database of Oslo, over a pot of something warm called tea."},
            {"id": "d2", "kind": "decision", "rationale": "It fits.", "tags": ["ui"], "time": "2021-03-31T23:00Z",
             "text": "The button is green, as leaves of tea are."},
            {"id": "r1", "kind": "rule", "tags": ["ops"], "text": "No tea near the servers."},
        ],
        node_set="work",
    )  # fmt: skip
    made.add(
        {"id": "copy", "kind": "rule", "text": "Tea, tea and more tea, cup 0."}, node_set="copies"
    )
    made.cognify()
    made.memify()
    return made


def ids(memory, **options):
    return [hit.document_id for hit in memory.search("tea", now=NOW, **options)]


def test_k_results_come_when_they_exist(memory):
    """What filters leave is ranked far below twenty others: filtering after ranking loses it."""
    assert set(ids(memory, k=2, kind="decision")) == {"d1", "d2"}
    assert set(ids(memory, k=3, node_set="work")) == {"d1", "d2", "r1"}
    assert set(ids(memory, k=9, tags="ops")) == {"d1", "r1"}
    assert set(ids(memory, k=9, tags={"ui", "db"})) == {"d1", "d2"}
    assert ids(memory, k=9, tags=["ops"], kind=["rule", "lesson"]) == ["r1"]
    assert len(ids(memory, k=30, kind=())) == 23


def test_a_text_that_stands_twice_is_found_where_it_is_looked_for(memory):
    assert ids(memory, node_set="copies") == ["copy"]
    assert len({"copy", "tea00"} & set(ids(memory, k=30))) == 1


def test_a_document_of_another_set_takes_no_share_of_a_title(tmp_path):
    made = hebbgraph.Memory(tmp_path / "data.lance")
    made.add({"id": "mine", "title": "Red Book", "text": "Notes of mine."}, node_set="mine")
    made.cognify()
    titles = {"weights": Weights(entities=0)}
    before = made.search("the Red Book", node_set="mine", **titles)[0].name_score
    made.add({"id": "other", "title": "Red Book", "text": "Notes of others."}, node_set="other")
    made.cognify()
    after = made.search("the Red Book", node_set="mine", **titles)[0].name_score
    assert after == before == 2 * made.search("the Red Book", k=1, **titles)[0].name_score


def test_moments_are_included_and_name_days_and_months(memory):
    assert set(ids(memory, since="2021-03", until="2021-03")) == {"d1", "d2"}
    assert ids(memory, since="2021-03-01", until="2021-03-01") == ["d1"]
    assert ids(memory, since="2021-03-31T23:00+00:00") == ["d2"]
    east = timezone(timedelta(hours=2))
    assert ids(memory, since=datetime(2021, 4, 1, 1, tzinfo=east)) == ["d2"]
    assert ids(memory, since=datetime(2021, 4, 1, 2, tzinfo=east)) == []
    assert len(ids(memory, until="2020", k=30)) == 20


def test_unknown_names_find_nothing_and_are_told(memory):
    found = memory.find("tea", kind="lessn", now=NOW)
    assert (found.hits, found.note) == (
        (), "nothing has the kind 'lessn'; there are concept, decision, rule"
    )  # fmt: skip
    found = memory.find("tea", node_set=["works", "work"], now=NOW)
    assert len(found.hits) == 3
    assert found.note == "nothing has the node set 'works'; there are kitchen, work, copies"
    assert "no passage passes all" in memory.find("tea", kind="rule", tags="ui").note
    assert "there are none" in hebbgraph.Memory(memory.store.path.parent / "none.lance").find(
        "tea", tags="ui"
    ).note  # fmt: skip


def test_what_is_left_out_leads_nowhere(memory):
    """No path may go over a passage that the filters do not let through."""
    for options in ({"node_set": "work"}, {"as_of": "2021-03-15"}, {"kind": "rule"}):
        hits = memory.search("tea cup servers Oslo", k=30, now=NOW, **options)
        found = {hit.passage_id for hit in hits}
        assert found
        assert {step.passage for hit in hits for step in hit.path} <= found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": 3}, "kind: expected a name or names, got 3"),
        ({"tags": [1]}, "tags: expected a name or names"),
        ({"since": "soon"}, "since: expected ISO 8601 such as 2021, .* got 'soon'"),
        ({"until": "2021-13"}, "until: expected ISO 8601"),
        ({"since": datetime(2021, 1, 1)}, "since: expected a datetime with a time zone"),
        ({"as_of": 2021}, "as_of: expected a datetime with a time zone"),
        ({"since": "2022", "until": "2021"}, "since: expected a moment before until"),
    ],
)
def test_what_cannot_be_read_is_said(memory, options, message):
    with pytest.raises(ParameterError, match=message):
        memory.search("tea", **options)


def test_moments_end_and_begin_with_what_they_name():
    assert moment("until", "2020", last=True) == datetime(2021, 1, 1, tzinfo=UTC) - timedelta(
        microseconds=1
    )
    assert moment("since", "2020", last=False) == datetime(2020, 1, 1, tzinfo=UTC)
    assert moment("since", " 2020-02-03T04:05 ", last=False) == datetime(
        2020, 2, 3, 4, 5, tzinfo=UTC
    )
    assert moment("since", None, last=False) is None
    for text in ("9999", "9999-12", "9999-12-31"):
        assert moment("until", text, last=True) == datetime.max.replace(tzinfo=UTC)
    assert moment("since", "9999-12", last=False) == datetime(9999, 12, 1, tzinfo=UTC)
    with pytest.raises(ParameterError):
        moment("until", "9999-13", last=True)


names = st.sampled_from(["a", "b", "c"])
row = st.tuples(
    names, st.lists(names, max_size=2), st.lists(names, max_size=2),
    st.sampled_from([UNDATED, 0, 1, 2, 3]), st.integers(0, 4),
)  # fmt: skip
some = st.none() | names | st.lists(names, max_size=2)
when = st.none() | st.integers(0, 3)


def _unread():
    raise AssertionError("filters read no graph")


@given(st.lists(row, max_size=8), some, some, some, when, when, when)
@settings(deadline=None)
def test_filters_are_those_of_the_plain_loop(rows, kind, tags, sets, since, until, as_of):
    if since is not None and until is not None and since > until:
        since, until = until, since
    words = [one[4] for one in rows]
    known = Catalogue(
        times=np.array([one[3] if one[3] == UNDATED else one[3] * MICROSECONDS for one in rows],
                       np.int64),
        kinds=[one[0] for one in rows], tags=[one[1] for one in rows],
        node_sets=[one[2] for one in rows],
        first=np.array([words.index(one) for one in words], np.int64),
        joined=_unread, told=_unread,
    )  # fmt: skip

    def moment_of(second):
        return None if second is None else datetime.fromtimestamp(second, UTC)

    def fits(wanted, own):
        wanted = [wanted] if isinstance(wanted, str) else wanted
        return not wanted or any(one in own for one in wanted)

    passing, expected, seen = [], [], set()
    for one in rows:
        time = None if one[3] == UNDATED else one[3]
        good = fits(kind, [one[0]]) and fits(tags, one[1]) and fits(sets, one[2])
        good &= since is None or (time is not None and time >= since)
        good &= until is None or (time is not None and time <= until)
        good &= as_of is None or time is None or time <= as_of
        passing.append(good)
        expected.append(good and one[4] not in seen)
        seen |= {one[4]} if good else set()
    asked = Filters(kind=kind, tags=tags, node_set=sets, since=moment_of(since),
                    until=moment_of(until), as_of=moment_of(as_of))  # fmt: skip
    inside, once, _ = allowed(known, asked)
    assert inside.tolist() == passing
    assert once.tolist() == expected


# -- as of a moment ----------------------------------------------------------


@pytest.fixture(scope="module")
def firm(tmp_path_factory):
    made = hebbgraph.Memory(tmp_path_factory.mktemp("firm") / "data.lance")
    made.add(
        [
            {"id": "ann", "time": "2020-03-01",
             "text": "Lyra Corp hired Ann Smith. Lyra Corp hired well, said Lyra Corp."},
            {"id": "bob", "time": "2022-03-01",
             "text": "On a rainy day of that long spring Lyra Corp hired Bob Jones."},
            {"id": "cy", "time": "2024-03-01",
             "text": "In the dry summer with its many fires Lyra Corp hired Cy Young at last."},
            {"id": "undated", "text": "Lyra Corp makes lamps."},
        ]
    )  # fmt: skip
    made.cognify(functional=["hired"])
    return made


def told(memory, as_of):
    found = memory.find("Lyra Corp hired", search_type="graph", as_of=as_of, now=NOW)
    hired = {one[2] for one in found.triplets if one[1] == "hired"}
    return [hit.document_id for hit in found.hits], hired


def test_only_what_was_known_and_held_then_is_told(firm):
    order, hired = told(firm, "2019")
    assert (set(order), hired) == ({"undated"}, set())
    order, hired = told(firm, "2020-03-01")
    assert (set(order), hired) == ({"ann", "undated"}, {"Ann Smith"})
    order, hired = told(firm, datetime(2023, 1, 1, tzinfo=UTC))
    assert (set(order), hired) == ({"ann", "bob", "undated"}, {"Bob Jones"})
    order, hired = told(firm, "2025")
    assert (set(order), hired) == ({"ann", "bob", "cy", "undated"}, {"Cy Young"})
    assert told(firm, None)[1] == {"Ann Smith", "Bob Jones", "Cy Young"}


@pytest.mark.parametrize("search_type", ["chunks", "lexical", "graph", "rag_completion"])
def test_the_newer_fact_stands_before_the_older(firm, search_type):
    flat = {"relevance": 1.0, "importance": 0, "recency": 0, "vitality": 0, "context": 0}
    options = {"search_type": search_type, "axes": flat, "now": NOW}
    assert firm.search("Lyra Corp hired", **options)[0].document_id == "ann"
    hits = firm.search("Lyra Corp hired", as_of="2023", **options)
    assert [hit.document_id for hit in hits][:2] == ["bob", "ann"]
    hits = firm.search("Lyra Corp hired", as_of="2025", **options)
    assert [hit.document_id for hit in hits][:3] == ["cy", "bob", "ann"]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    # It stands there even where k leaves room for one.
    assert [hit.document_id for hit in firm.search("Ann Smith", k=1, as_of="2025", **options)] == [
        "cy"
    ]
    assert str(firm.search("Ann Smith", k=1, as_of="2025", **options)[0].path[-1]) == (
        "expansion supersedes → cy#0"
    )


def test_recency_counts_from_the_moment_asked_about(firm):
    recency = {"relevance": 0, "importance": 0, "vitality": 0, "context": 0, "recency": 1.0}
    hit = firm.search("Ann Smith", as_of="2020-03-01", axes=recency)[0]
    assert (hit.document_id, hit.parts.recency > 0.9) == ("ann", True)
    hit = firm.search("Ann Smith", as_of="2020-03-01", now=NOW)[0]
    assert hit.parts.recency < 0.01


def test_filters_hold_for_the_newer_fact_too(firm):
    hits = firm.search("Lyra Corp hired", as_of="2025", until="2023", now=NOW)
    assert [hit.document_id for hit in hits] == ["bob", "ann"]


def test_the_store_says_what_superseded_what(firm):
    here = opened(firm.store)
    rows = {name: here.corpus.row_of[f"{name}#0"] for name in ("ann", "bob", "cy")}
    newer, older = here.catalogue.superseded(datetime(2023, 1, 1, tzinfo=UTC))
    assert (newer.tolist(), older.tolist()) == ([rows["bob"]], [rows["ann"]])
    assert here.catalogue.superseded(datetime(2021, 1, 1, tzinfo=UTC))[0].size == 0


pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda p: p[0] != p[1]))


@given(st.dictionaries(st.integers(0, 6), st.sampled_from([0.25, 0.5, 0.75, 1.0])), pairs)
def test_scores_are_lifted_to_the_best_superseded(scores, given_pairs):
    """A passage has the highest score among all that it superseded, over any number of steps."""
    expected = dict(scores)
    for _ in range(8):
        for newer, older in given_pairs:
            if older in expected:
                expected[newer] = max(expected.get(newer, 0.0), expected[older])
    got = dict(scores)
    came = lifted(got, heirs_of(*zip(*given_pairs, strict=True)) if given_pairs else {})
    assert got == expected
    assert set(came) == {row for row in expected if expected[row] != scores.get(row)}
    assert all(got[row] == got[older] for row, older in came.items())


@given(st.permutations(range(7)), st.integers(0, 7), pairs)
def test_newer_comes_first_and_others_keep_their_order(order, size, given_pairs):
    order = order[:size]
    # Later is larger, so that nothing superseded itself over others.
    acyclic = [(max(pair), min(pair)) for pair in given_pairs]
    got = newer_first(order, heirs_of(*zip(*acyclic, strict=True)) if acyclic else {})
    assert sorted(got) == sorted(order)
    place = {row: at for at, row in enumerate(got)}
    assert all(place[a] < place[b] for a, b in acyclic if a in place and b in place)
    free = [row for row in order if all(row not in pair for pair in acyclic)]
    assert [row for row in got if row in free] == free
    circle = newer_first(order, heirs_of(*zip(*given_pairs, strict=True)) if given_pairs else {})
    assert sorted(circle) == sorted(order)
