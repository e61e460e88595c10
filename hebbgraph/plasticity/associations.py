"""Inferred edges as a function of the observed graph: what to add, keep, withdraw."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hebbgraph import edgelist
from hebbgraph.columns import row_pointers
from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph
from hebbgraph.plasticity.discovery import TIER_NAMES, Discovery
from hebbgraph.plasticity.evidence import evidence
from hebbgraph.plasticity.neighborhood import Neighborhood

INITIAL_WEIGHT = 1.0


@dataclass(frozen=True)
class Change:
    """How the set of inferred edges moved.

    Attributes
    ----------
    new, withdrawn : edges that came, and went
    nodes : distinct ends of new edges
    confidence : mean confidence of new edges, 0.0 where there are none
    any : whether anything moved, a changed confidence or relation included
    """

    new: int
    withdrawn: int
    nodes: int
    confidence: float
    any: bool

    @classmethod
    def none(cls) -> Change:
        """No change."""
        return cls(0, 0, 0, 0.0, False)


def apply(
    graph: Graph, around: Neighborhood, proposed: Discovery, *, born: int = UNDATED
) -> tuple[Graph, Change]:
    """``graph`` with exactly the proposed inferred edges, and those that use reinforced.

    Each keeps its most telling shared neighbours as its properties.

    A pair that stays keeps its weight and counters; one that is no longer proposed is withdrawn
    unless its co-occurrence count, which for an inferred edge is that of use alone, is above 0, or
    failures have made it inhibitory.

    Parameters
    ----------
    born : UTC microseconds from which a new edge fades; by default fading has not begun
    """
    old = np.flatnonzero(graph.is_inferred)
    old_pair = _pair(graph.source[old], graph.indices[old], graph.n_nodes)
    new_pair = _pair(proposed.source, proposed.target, graph.n_nodes)
    # (source, target) order is pair order on both sides.
    found = np.searchsorted(old_pair, new_pair)
    stays = np.zeros(new_pair.size, np.bool_)
    inside = found < old_pair.size
    stays[inside] = old_pair[found[inside]] == new_pair[inside]
    match = old[found[stays]]
    still = np.zeros(old.size, np.bool_)
    still[found[stays]] = True
    reinforced = ~still & ((graph.co_occurrence_count[old] > 0) | (graph.weight[old] < 0))
    withdrawn = int(np.count_nonzero(~still & ~reinforced))
    new = np.flatnonzero(~stays)
    because = evidence(graph, around, proposed.source, proposed.target)
    if not new.size and not withdrawn and _same(graph, match, proposed, stays, because):
        return graph, Change.none()
    change = Change(
        new=new.size,
        withdrawn=withdrawn,
        nodes=np.union1d(proposed.source[new], proposed.target[new]).size,
        confidence=float(proposed.confidence[new].mean()) if new.size else 0.0,
        any=True,
    )
    kept = np.concatenate((np.flatnonzero(~graph.is_inferred), old[reinforced]))
    return _rebuild(graph, kept, proposed, stays, match, because, born), change


def _pair(source: npt.NDArray[Any], target: npt.NDArray[Any], n: int) -> npt.NDArray[np.int64]:
    pair: npt.NDArray[np.int64] = source.astype(np.int64) * n + target
    return pair


def _same(
    graph: Graph,
    match: npt.NDArray[np.int64],
    proposed: Discovery,
    stays: npt.NDArray[np.bool_],
    because: pa.Array,
) -> bool:
    if not match.size:
        return True
    assert graph.confidence is not None
    assert graph.rank is not None
    assert graph.shared_neighbors is not None
    names = np.array(graph.relation_names)
    return bool(
        np.array_equal(graph.confidence[match], proposed.confidence[stays])
        and np.array_equal(graph.rank[match], proposed.rank[stays])
        and np.array_equal(graph.shared_neighbors[match], proposed.shared[stays])
        and graph.edge_properties is not None
        and graph.edge_properties.take(pa.array(match)).equals(because.filter(pa.array(stays)))
        and np.array_equal(names[graph.relation[match]], proposed.relation[stays])
    )


def _rebuild(
    graph: Graph,
    kept: npt.NDArray[np.int64],
    proposed: Discovery,
    stays: npt.NDArray[np.bool_],
    match: npt.NDArray[np.int64],
    because: pa.Array,
    born: int,
) -> Graph:
    """Edges ``kept`` of the graph and all that are proposed, in CSR order."""
    names = graph.relation_names + tuple(
        name for name in TIER_NAMES if name not in graph.relation_names
    )
    codes = np.array([names.index(name) for name in TIER_NAMES], np.int32)[proposed.tier]
    fresh = len(proposed)
    state = {
        "weight": np.full(fresh, INITIAL_WEIGHT, np.float32),
        "co_occurrence_count": np.zeros(fresh, np.int32),
        "time": np.full(fresh, UNDATED),
        "updated_at": np.full(fresh, UNDATED),
        "decayed_at": np.full(fresh, born),
        "support": np.zeros(fresh, np.int32),
    }
    if born != UNDATED and graph.decayed_at is None:
        graph = dataclasses.replace(graph, decayed_at=np.full(graph.n_edges, UNDATED))
    for name, values in state.items():
        held = getattr(graph, name)
        if held is not None:
            values[stays] = held[match]
    stated: dict[str, npt.NDArray[Any]] = {
        "inferred": np.ones(fresh, np.bool_),
        "confidence": proposed.confidence,
        "shared_neighbors": proposed.shared,
        "rank": proposed.rank,
    }
    observed_value = {
        "inferred": False,
        "confidence": np.nan,
        "shared_neighbors": 0,
        "rank": np.nan,
    }

    def joined(name: str) -> npt.NDArray[Any] | None:
        held = getattr(graph, name)
        if name in observed_value:
            if held is None:
                held = np.full(graph.n_edges, observed_value[name], stated[name].dtype)
            return np.concatenate((held[kept], stated[name]))
        return None if held is None else np.concatenate((held[kept], state[name]))

    source = np.concatenate((graph.source[kept], proposed.source))
    target = np.concatenate((graph.indices[kept], proposed.target))
    relation, names = edgelist.tidy_relations(np.concatenate((graph.relation[kept], codes)), names)
    order = np.lexsort((relation, target, source))
    columns = {name: joined(name) for name in (*state, *stated)}
    ordered: dict[str, Any] = {
        name: None if values is None else values[order] for name, values in columns.items()
    }
    properties = graph.edge_properties
    if properties is not None or fresh:
        if properties is None:
            properties = pa.nulls(graph.n_edges, pa.string())
        row = np.concatenate((kept, graph.n_edges + np.arange(fresh)))[order]
        properties = pa.concat_arrays([properties, because]).take(pa.array(row))
    n_nodes = graph.n_nodes
    return dataclasses.replace(
        graph,
        indptr=row_pointers(source[order], n_nodes),
        indices=target[order].astype(edgelist.index_dtype(n_nodes)),
        relation=relation[order],
        relation_names=names,
        edge_properties=properties,
        **ordered,
    )
