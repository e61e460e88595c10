"""Related documents against plain loops."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import hebbgraph
from hebbgraph.ingest.relatedness import RELATIONS, related, sharing

KINDS = ("concept", "lesson", "decision", "rule", "outcome", "entity")


def naive_sharing(tags):
    held = defaultdict(set)
    for row, own in enumerate(tags):
        for tag in own:
            held[tag].add(row)
    pairs = defaultdict(int)
    for a, b in combinations(sorted(held), 2):
        both = sorted(held[a] & held[b])
        for place, one in enumerate(both):
            for other in both[place + 1 : place + 6]:
                pairs[one, other] += 1
    return pairs


def naive_related(links, kinds, tags):
    said = defaultdict(int)
    for source, target in links:
        if source != target:
            said[source, target] += 1
    proposed = defaultdict(list)
    for (source, target), times in said.items():
        relation, weight = "related", 0.8
        if kinds[source] == "lesson" and kinds[target] in ("outcome", "decision", "tool_call"):
            relation, weight = "learned_from", 0.7
        elif kinds[source] == "rule" and kinds[target] == "concept":
            relation, weight = "depends_on", 0.6
        edge = (source, target, relation, times, weight)
        proposed[source].append((-weight, -times, target, edge))
    for (one, other), shared in naive_sharing(tags).items():
        if (one, other) not in said and (other, one) not in said:
            edge = (one, other, "related", shared, 0.5)
            proposed[one].append((-0.5, -shared, other, edge))
            proposed[other].append((-0.5, -shared, one, edge))
    return sorted({edge for own in proposed.values() for *_, edge in sorted(own)[:5]})


@st.composite
def corpora(draw):
    n = draw(st.integers(0, 12))
    row = st.integers(0, max(n - 1, 0))
    links = draw(st.lists(st.tuples(row, row), max_size=40)) if n else []
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=n, max_size=n))
    some = st.lists(st.sampled_from("abcde"), max_size=4, unique=True)
    return links, kinds, draw(st.lists(some, min_size=n, max_size=n))


@given(corpora())
def test_related_documents_are_those_of_plain_loops(drawn):
    links, kinds, tags = drawn
    pairs = np.array(links, np.int64).reshape(-1, 2).T
    found = related((pairs[0], pairs[1]), kinds, tags)
    made = zip(
        found.source.tolist(), found.target.tolist(),
        [RELATIONS[code] for code in found.relation], found.evidence.tolist(),
        found.weight.astype(float).round(3).tolist(), strict=True,
    )  # fmt: skip
    assert list(made) == naive_related(*drawn)


def test_of_many_documents_with_the_same_tags_each_is_compared_with_a_few():
    one, other, shared = sharing([["tea", "cup"]] * 1000)
    assert one.size == 5 * 1000 - 15
    assert (other - one).max() == 5
    assert set(shared.tolist()) == {1}


def test_of_many_tags_the_rarest_count():
    common = [f"common{k}" for k in range(20)]
    tags = [[*common, "rare", "odd"], [*common], [*common], ["rare", "odd"]]
    one, other, _ = sharing(tags)
    assert (0, 3) in zip(one.tolist(), other.tolist(), strict=True)


def test_a_memory_relates_its_documents(tmp_path):
    memory = hebbgraph.Memory(tmp_path / "data.lance")
    memory.add(
        [
            {"id": "d", "title": "Canary releases", "kind": "decision", "rationale": "Safer.",
             "text": "We go slowly."},
            {"id": "l", "kind": "lesson", "text": "Canary releases would have caught it."},
            {"id": "x", "tags": ["kettle", "steam"], "text": "Hot."},
            {"id": "y", "tags": ["steam", "kettle"], "text": "Very hot."},
        ]
    )  # fmt: skip
    done = memory.cognify()
    graph = memory.graph()
    named = graph.ids_of(graph.source).to_pylist(), graph.ids_of(graph.target).to_pylist()
    edges = {
        (source, graph.relation_names[code], target, round(float(weight), 3))
        for source, target, code, weight in zip(
            *named, graph.relation.tolist(), graph.weight, strict=True
        )
    }
    assert {("l", "learned_from", "d", 0.7), ("x", "related", "y", 0.5)} <= edges
    assert done.related == 2
    memory.remove("y")
    assert memory.cognify().related == 1


def test_short_titles_count_where_a_link_points_there(tmp_path):
    memory = hebbgraph.Memory(tmp_path / "data.lance")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("# Tea\n\nLeaves.\n")
    (tmp_path / "notes" / "cup.md").write_text("# Cup\n\nFor Tea, as a rule.\n")
    (tmp_path / "notes" / "pot.md").write_text("# Pot\n\nSee [this](tea.md) first.\n")
    memory.add(tmp_path / "notes")
    memory.cognify()
    near = memory.graph().neighbors("notes/tea.md")
    assert "notes/pot.md" in near
    assert "notes/cup.md" not in near
