"""Forgetting on request: which nodes, edges and episodes go, and what goes with them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import check, episode_log
from hebbgraph.errors import InputError, ParameterError
from hebbgraph.graph import Graph
from hebbgraph.ids import shown
from hebbgraph.plasticity import archive as archives
from hebbgraph.plasticity import mentions

Mask = npt.NDArray[np.bool_]
Edge = Sequence[str | int]
REASONS = ("asked for", "an end of it goes", "nothing that its ends shared is left")
KEPT, ASKED, LOST_END, ORPHANED = range(4)


@dataclass(frozen=True, kw_only=True)
class ForgetReport:
    """What one call of ``forget`` takes, or would.

    Attributes
    ----------
    nodes : ids of the nodes that go, by key
    left_bare : how many of them go because all their edges came from what is forgotten
    edges : Arrow table of the edges that go: source, target, relation, inferred, because
    archived_edges : edges that go from the archive
    evidence : inferred edges that stay, and lose a node from their evidence
    sources : nodes and edges that stay, and lose one of several sources
    episodes : episodes that lose a node
    episodes_gone : of them, those that lose all
    mentions : nodes and edges that stay, and whose properties still name a forgotten node
    changed : whether there is anything to forget
    purged : whether earlier snapshots and versions went too
    snapshots_gone : how many snapshots that was
    snapshot : number of the snapshot it was committed as, None if it was not
    """

    nodes: tuple[str | int, ...]
    left_bare: int
    edges: pa.Table = field(repr=False)
    archived_edges: int
    evidence: int
    sources: int
    episodes: int = 0
    episodes_gone: int = 0
    mentions: int
    changed: bool
    purged: bool = False
    snapshots_gone: int = 0
    snapshot: int | None = None

    def to_dict(self, limit: int | None = None) -> dict[str, Any]:
        """JSON-ready; the first ``limit`` nodes and edges, all by default."""
        names = [item.name for item in dataclasses.fields(self)]
        out = {name: getattr(self, name) for name in names}
        out["nodes"] = list(self.nodes[:limit])
        out["edges"] = self.edges.slice(0, limit).to_pylist()
        return out | {"counts": {"nodes": len(self.nodes), "edges": self.edges.num_rows}}

    def figures(self) -> dict[str, Any]:
        """The report in numbers: what a snapshot may keep of what is forgotten."""
        skipped = ("nodes", "edges", "snapshot", "changed")
        numbers = {
            item.name: getattr(self, item.name)
            for item in dataclasses.fields(self)
            if item.name not in skipped
        }
        return numbers | {"nodes": len(self.nodes), "edges": self.edges.num_rows}


@dataclass(frozen=True, kw_only=True)
class Forgotten:
    """What is left, and the report."""

    graph: Graph
    archive: Graph
    report: ForgetReport


def forget(
    graph: Graph,
    *,
    nodes: Iterable[str | int] = (),
    edges: Iterable[Edge] = (),
    source: str | None = None,
    after: datetime | None = None,
    before: datetime | None = None,
    archive: Graph | None = None,
) -> Forgotten:
    """Take nodes and edges out of a graph, with all that hangs on them.

    With a node go its edges and its name in the evidence of others.  With an observed edge go
    inferred edges whose ends then share no neighbour, unless use or failures have marked them.
    With a source or a time span go the nodes that have lost their last edge by it and state no
    source of their own.  Where nodes go, the keys of those after them close the gap.

    Parameters
    ----------
    nodes : ids, such as a query's hits
    edges : (source, target) or (source, target, relation); edges without direction in any order
    source : what nodes and edges have under ``source`` in their properties; one that lists
        several sources loses this one and stays
    after, before : edges observed from the one to before the other, with a time zone; one may be
        left out; undated edges stay
    archive : archived edges, as :func:`hebbgraph.consolidate` reports them

    Returns
    -------
    forgotten : Forgotten
        graph, archive and report

    Raises
    ------
    NodeNotFoundError, InputError
        the graph has no such node, no such edge, or nothing else
    """
    stored = archives.empty(graph) if archive is None else archive
    keys = np.array([graph.key(node) for node in nodes], np.int64)
    gone = np.zeros(graph.n_nodes, np.bool_)
    gone[keys] = True
    why = np.full(graph.n_edges, KEPT, np.int8)
    named, named_stored = _named(graph, stored, edges)
    asked, asked_stored = np.zeros(graph.n_edges, np.bool_), np.zeros(stored.n_edges, np.bool_)
    sources = 0
    if source is not None:
        graph, stored, found, sources = _without_source(graph, stored, source)
        gone |= found[0]
        asked, asked_stored = found[1], found[2]
    moments = span(after, before)
    if moments is not None:
        asked, asked_stored = (
            asked | _inside(graph, moments),
            asked_stored | _inside(stored, moments),
        )
    bare = _left_bare(graph, stored, asked, asked_stored) & ~gone
    gone |= bare
    why[asked | named] = ASKED
    why[(why == KEPT) & archives.at(graph, gone)] = LOST_END
    why[_orphaned(graph, why == KEPT)] = ORPHANED
    leaving = asked_stored | named_stored | archives.at(stored, gone)
    names = [str(name) for name in graph.ids_of(np.flatnonzero(gone)).to_pylist()]
    left, evidence = mentions.drop_evidence(archives.keep_edges(graph, why == KEPT), names)
    stored, _ = mentions.drop_evidence(archives.keep_edges(stored, ~leaving), names)
    left, stored = _without_nodes(left, gone), _without_nodes(stored, gone)
    report = ForgetReport(
        nodes=tuple(graph.ids_of(np.flatnonzero(gone)).to_pylist()),
        left_bare=int(np.count_nonzero(bare)),
        edges=_table(graph, why),
        archived_edges=int(np.count_nonzero(leaving)),
        evidence=evidence,
        sources=sources,
        mentions=mentions.count(left, names) if _named_by_text(graph) else 0,
        changed=bool(gone.any() or (why != KEPT).any() or leaving.any() or sources),
    )
    return Forgotten(graph=left, archive=stored, report=report)


def _named_by_text(graph: Graph) -> bool:
    """Whether an id in a text can be told from any other number there."""
    return graph.node_ids is not None and pa.types.is_string(graph.node_ids.type)


def span(after: datetime | None, before: datetime | None) -> tuple[int, int] | None:
    """[after, before) in UTC microseconds; None if neither is given.

    Raises
    ------
    ParameterError
        it is empty, or a moment has no time zone
    """
    if after is None and before is None:
        return None
    first = -(2**63) + 1 if after is None else check.microseconds("after", after)
    last = 2**63 - 1 if before is None else check.microseconds("before", before)
    if first >= last:
        raise ParameterError(f"after: expected a moment earlier than before, got {after}")
    return first, last


def _inside(graph: Graph, moments: tuple[int, int]) -> Mask:
    # The smallest integer stands for undated and lies before every span.
    if graph.time is None:
        return np.zeros(graph.n_edges, np.bool_)
    return (graph.time >= moments[0]) & (graph.time < moments[1])


def _named(graph: Graph, stored: Graph, edges: Iterable[Edge]) -> tuple[Mask, Mask]:
    """Which edges of the graph, and of the archive, are named by their ends, and relation."""
    out = np.zeros(graph.n_edges, np.bool_), np.zeros(stored.n_edges, np.bool_)
    for edge in edges:
        if isinstance(edge, str) or len(edge) not in (2, 3):
            raise InputError(
                f"edges: expected (source, target) or (source, target, relation), got {edge!r}"
            )
        ends = graph.key(edge[0]), graph.key(edge[1])
        found = [_between(part, *ends, edge[2:]) for part in (graph, stored)]
        if not any(at.size for at in found):
            raise InputError(f"no edge from {' to '.join(map(shown, edge[:2]))} in the graph"
                             f"{' of that relation' if len(edge) == 3 else ''}")  # fmt: skip
        for mask, at in zip(out, found, strict=True):
            mask[at] = True
    return out


def _between(graph: Graph, a: int, b: int, relation: Edge) -> npt.NDArray[np.int64]:
    """Positions of the edges from a to b, and of those without direction; of one relation."""
    forth = np.arange(graph.indptr[a], graph.indptr[a + 1])
    back = np.arange(graph.indptr[b], graph.indptr[b + 1])
    back = back[graph.is_inferred[back] | (not graph.directed)]
    at = np.concatenate((forth[graph.indices[forth] == b], back[graph.indices[back] == a]))
    if relation:
        at = at[np.array(graph.relation_names)[graph.relation[at]] == relation[0]]
    return at


def _without_source(
    graph: Graph, stored: Graph, source: str
) -> tuple[Graph, Graph, tuple[Mask, Mask, Mask], int]:
    """What has a source alone, as masks, and the graphs in which others have lost it."""
    texts = (graph.node_properties, graph.edge_properties, stored.edge_properties)
    sizes = (graph.n_nodes, graph.n_edges, stored.n_edges)
    read = [mentions.without_source(text, size, source)
            for text, size in zip(texts, sizes, strict=True)]  # fmt: skip
    graph = dataclasses.replace(graph, node_properties=read[0].text, edge_properties=read[1].text)
    stored = dataclasses.replace(stored, edge_properties=read[2].text)
    alone = (read[0].alone, read[1].alone, read[2].alone)
    return graph, stored, alone, sum(one.shared for one in read)


def _left_bare(graph: Graph, stored: Graph, asked: Mask, asked_stored: Mask) -> Mask:
    """Nodes that lose their last observed edge with a source or a span, and have no source."""
    had, keep = np.zeros(graph.n_nodes, np.bool_), np.zeros(graph.n_nodes, np.bool_)
    for part, going in ((graph, asked), (stored, asked_stored)):
        for mask, edges in ((had, going), (keep, ~going & ~part.is_inferred)):
            mask[part.source[edges]] = True
            mask[part.indices[edges]] = True
    bare = had & ~keep
    if bare.any():
        bare &= ~mentions.states_source(graph.node_properties, graph.n_nodes)
    return bare


def _orphaned(graph: Graph, kept: Mask) -> npt.NDArray[np.int64]:
    """Inferred edges among those kept whose ends have lost all that they shared."""
    candidates = kept & graph.is_inferred & (graph.co_occurrence_count == 0) & (graph.weight >= 0)
    touched = np.zeros(graph.n_nodes, np.bool_)
    lost = ~kept & ~graph.is_inferred
    touched[graph.source[lost]] = True
    touched[graph.indices[lost]] = True
    edges = np.flatnonzero(candidates & archives.at(graph, touched))
    if not edges.size:
        return edges
    from scipy.sparse import csr_array

    seen = np.flatnonzero(kept & ~graph.is_inferred)
    tail, head = graph.source[seen], graph.indices[seen]
    ends = (np.concatenate((tail, head)), np.concatenate((head, tail)))
    near = csr_array((np.ones(2 * seen.size, np.float32), ends), shape=(graph.n_nodes,) * 2)
    both = near[graph.source[edges]].multiply(near[graph.indices[edges]])
    out: npt.NDArray[np.int64] = edges[np.asarray(both.sum(axis=1)).ravel() == 0]
    return out


def _without_nodes(graph: Graph, gone: Mask) -> Graph:
    """``graph`` without nodes that have no edge any more; names in use only."""
    if not gone.any():
        return graph
    if gone.all():
        raise InputError("nothing would be left; delete the folder instead")
    keys = np.flatnonzero(~gone)
    key = np.cumsum(~gone) - 1
    columns = graph.take_nodes(keys)
    if columns["node_type"] is not None:
        code = columns["node_type"]
        used = np.unique(code[code >= 0])
        columns["node_type"] = np.where(code < 0, -1, np.searchsorted(used, code)).astype(np.int32)
        columns["type_names"] = tuple(graph.type_names[one] for one in used)
    return graph.take_edges(
        np.arange(graph.n_edges), source=key[graph.source], target=key[graph.indices],
        n_nodes=keys.size, metrics=None, **columns,
    )  # fmt: skip


def _table(graph: Graph, why: npt.NDArray[np.int8]) -> pa.Table:
    edges = np.flatnonzero(why != KEPT)
    names = pa.array(graph.relation_names, pa.string())
    return pa.table({
        "source": graph.ids_of(graph.source[edges]),
        "target": graph.ids_of(graph.indices[edges]),
        "relation": names.take(pa.array(graph.relation[edges])),
        "inferred": graph.is_inferred[edges],
        "because": pa.array(REASONS).take(pa.array(why[edges] - 1)),
    })  # fmt: skip


def nodes_lost(before: pa.Table, after: pa.Table) -> tuple[int, int]:
    """How many episodes have lost a node, and how many of them all."""
    size = [pc.list_value_length(rows["nodes"]).to_numpy() for rows in (before, after)]
    lost = size[1] < size[0]
    return int(np.count_nonzero(lost)), int(np.count_nonzero(lost & (size[1] == 0)))


def purged_episodes(
    rows: pa.Table, forgotten: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> pa.Table:
    """All rows of the log without what is forgotten, and without what may tell of it.

    An episode that has lost a node, or names one in its text, loses id and context.

    Parameters
    ----------
    forgotten : as in :func:`hebbgraph.episode_log.without`
    names : ids that no text may hold
    """
    left = episode_log.without(rows, forgotten)
    size = pc.list_value_length(left["nodes"]).to_numpy()
    telling = size < pc.list_value_length(rows["nodes"]).to_numpy()
    for column in ("id", "context"):
        text = pa.concat_arrays([*left[column].chunks, pa.array([], pa.string())])
        telling |= mentions.mentioning(text, left.num_rows, names)
    for column in ("id", "context"):
        place = left.schema.get_field_index(column)
        none = pa.scalar(None, pa.string())
        text = pc.if_else(pa.array(telling), none, left[column])
        left = left.set_column(place, left.schema.field(column), text)
    return left.filter(pa.array(size > 0))


def corrections(
    wrong: Sequence[str | int], right: Sequence[str | int], cue: Sequence[str | int]
) -> list[dict[str, Any]]:
    """Nodes and outcomes of the episodes that say what is wrong, and what is right in its place.

    With a cue only the pairs of a cue and an answer are judged, not the answers among themselves.

    Raises
    ------
    InputError
        a node is called wrong and right, or is its own cue
    """
    for one, other in ((wrong, right), (cue, [*wrong, *right])):
        both = {*map(str, one)} & {*map(str, other)}
        if both:
            raise InputError(
                f"node {shown(min(both))} stands on two sides, expected cue, wrong and right apart"
            )
    return [
        {"nodes": group, "outcome": outcome}
        for answers, outcome in ((wrong, -1.0), (right, 1.0))
        for group in ([[one, answer] for one in cue for answer in answers] if cue else [answers])
        if group
    ]
