"""A pass that starts from what the last one knew ends where one that knows nothing does."""

from __future__ import annotations

import dataclasses

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import MOMENT, NOW, graphs

import hebbgraph
from hebbgraph.edgelist import UNDATED
from hebbgraph.episodes import of_rows, rows_of
from hebbgraph.graph import Graph
from hebbgraph.merge import merge, with_nodes
from hebbgraph.plasticity import cooccurrence, plastify, support
from hebbgraph.plasticity.neighborhood import observed_neighborhood

pytestmark = pytest.mark.usefixtures("one_thread")


def ignorant(graph: Graph) -> Graph:
    return dataclasses.replace(graph, support=None)


def assert_same(got: Graph, want: Graph) -> None:
    assert got.to_arrow(keys=True).equals(want.to_arrow(keys=True))
    assert got.nodes_to_arrow().equals(want.nodes_to_arrow())


@st.composite
def steps(draw: st.DrawFn) -> list[tuple]:
    """What happens between passes: edges come, edges go, nodes get types, use is recorded."""
    node = st.integers(0, 9)
    pairs = st.lists(
        st.tuples(node, node, st.sampled_from(("knows", "likes"))), min_size=1, max_size=6
    )
    episodes = st.lists(
        st.tuples(st.lists(node, min_size=1, max_size=4, unique=True), st.sampled_from((0, 1.0, -1.0))),
        min_size=1, max_size=4,
    )  # fmt: skip
    step = (
        st.tuples(st.just("add"), pairs)
        | st.tuples(st.just("use"), episodes)
        | st.tuples(st.just("drop"), st.integers(0, 100))
        | st.tuples(st.just("type"), st.lists(st.sampled_from("xy"), min_size=10, max_size=10))
        | st.tuples(st.just("wait"), st.sampled_from((1, 40)))
    )
    return draw(st.lists(step, min_size=1, max_size=5))


options = st.fixed_dictionaries(
    {
        "max_new_edges_per_node": st.sampled_from((1, 3, None)),
        "min_shared_neighbors": st.sampled_from((1, 2)),
        "node_types": st.sampled_from((None, None, ["x"])),
    }
)


@given(st.data(), steps(), options, st.booleans())
@settings(deadline=None)
def test_history_does_not_matter(data, history, choice, dated):
    _, graph = data.draw(graphs(max_nodes=10, dated=dated))
    ids = tuple(range(10))
    graph = hebbgraph.Graph.from_edges(
        graph.source, graph.indices, node_ids=np.arange(10),
        time=None if graph.time is None else np.where(graph.time == UNDATED, NOW, graph.time),
    )  # fmt: skip
    if choice["node_types"]:
        types = dict.fromkeys(ids, "x")
        graph = with_nodes(graph, _types(types), id_policy="exact", where=str)
    settled, recorded, learned, now = None, [], 0, MOMENT
    for what, how in history:
        if what == "add":
            source, target, relation = zip(*how, strict=True)
            graph = merge(
                graph, Graph.from_edges(source, target, relation=relation, node_ids=np.arange(10))
            )
        elif what == "drop" and graph.n_edges:
            graph = graph.take_edges(np.delete(np.arange(graph.n_edges), how % graph.n_edges))
        elif what == "type":
            graph = with_nodes(
                graph, _types(dict(zip(ids, how, strict=True))), id_policy="exact", where=str
            )
        elif what == "wait":
            now += hebbgraph.plasticity.plastify.timedelta(days=how)
        elif what == "use":
            recorded += [
                {"nodes": nodes, "outcome": outcome, "time": now} for nodes, outcome in how
            ]
        episodes = of_rows(rows_of(recorded), None, 10, n_learned=learned) if recorded else None
        learned = len(recorded)
        want, _ = hebbgraph.plastify(ignorant(graph), episodes=episodes, now=now, **choice)
        got, report = hebbgraph.plastify(
            graph, episodes=episodes, settled=settled, now=now, **choice
        )
        if want.support is None or got.support is None:
            # Nothing was learned: the graph is as it was.
            assert_same(ignorant(got), ignorant(want))
        else:
            assert_same(got, want)
        graph = got
        settled = report.parameters if report.changed else settled


def _types(types):
    import pyarrow as pa

    return pa.table({"id": pa.array(list(types), pa.int64()), "type": list(types.values())})


@given(graphs(max_nodes=14, dated=False), st.data())
@settings(deadline=None)
def test_support_of_what_was_added(both, data):
    """Equal to the loop's for any part of the edges that is new."""
    plain, graph = both
    m = graph.n_edges
    new = np.array(data.draw(st.lists(st.booleans(), min_size=m, max_size=m)), np.bool_)
    old = graph.take_edges(np.flatnonzero(~new))
    known = np.full(m, support.UNKNOWN, np.int32)
    known[~new] = support.whole_support(old, observed_neighborhood(old))
    got = support.updated_support(graph, known, observed_neighborhood(graph))
    assert got.tolist() == naive.support(
        naive.neighbourhoods(len(plain.ids), plain.edges), [edge.ends for edge in plain.edges]
    )


def test_what_cannot_have_changed_is_not_looked_for(store, monkeypatch):
    store.plastify()

    def fail(*_, **__):
        raise AssertionError("looked for again")

    monkeypatch.setattr(plastify, "find", fail)
    monkeypatch.setattr(cooccurrence, "whole_support", fail)
    store.record(["FastAPI", "Python"])
    assert store.plastify().updated_edges
    store.decay()
    store.record(["FastAPI", "Python"])
    assert store.plastify().updated_edges
    store.restore(2)
    assert store.plastify().updated_edges
    with pytest.raises(AssertionError, match="looked for again"):
        store.plastify(confidence_threshold=0.7)
    store.add(hebbgraph.Graph.from_edges(["Flask"], ["Web"]))
    with pytest.raises(AssertionError, match="looked for again"):
        store.plastify()


def test_use_that_leaves_the_window_withdraws_what_it_held(tmp_path):
    graph = hebbgraph.Graph.from_edges(["a", "a", "b", "b", "c"], ["x", "y", "x", "y", "x"])
    store = hebbgraph.Store.create(tmp_path / "data.lance", graph)
    store.plastify(now=MOMENT)
    store.record(["a", "b"], time=MOMENT)
    store.plastify(now=MOMENT)
    assert store.graph().n_inferred
    # The link loses its ground, but use holds it.
    gone = graph.take_edges(np.flatnonzero(graph.source == graph.key("a")))
    parent, base = store.snapshot(), store.graph()
    kept = base.take_edges(np.flatnonzero(base.is_inferred | (base.source == base.key("a"))))
    store.commit(kept, base=base, parent=parent, operation="import", parameters={}, figures={})
    assert gone.n_edges
    store.plastify(now=MOMENT)
    held = store.graph()
    assert "b" in held.neighbors("a")
    report = store.plastify(now=MOMENT + hebbgraph.plasticity.plastify.timedelta(days=31))
    assert report.withdrawn_associations == 1
    assert "b" not in store.graph().neighbors("a")
