"""Tiers: memories that prove themselves last, the others go to the archive."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.edgelist import UNDATED
from hebbgraph.errors import ParameterError
from hebbgraph.graph import Graph
from hebbgraph.node_use import NodeUse
from hebbgraph.plasticity import archive as archives

Mask = npt.NDArray[np.bool_]
LASTING = 3
"""The tier of what never expires."""
N_TIERS = LASTING + 1


@dataclass(frozen=True, kw_only=True)
class TierParameters:
    """When a node moves between tiers; see :func:`consolidate`."""

    min_uses: tuple[int, int] = (3, 10)
    max_age: tuple[timedelta, ...] = (timedelta(hours=72), timedelta(days=90), timedelta(days=365))
    min_outcomes: int = 10
    success_rate: float = 0.8
    demotion_rate: float = 0.6

    def __post_init__(self) -> None:
        for name, n in (("min_uses", 2), ("max_age", LASTING)):
            if len(getattr(self, name)) != n:
                raise ParameterError(
                    f"{name}: expected {n} values, one a tier from L0, got {getattr(self, name)!r}"
                )
        for uses in self.min_uses:
            check.integer("min_uses", uses, 1, 2**31 - 1)
        ages = tuple(check.duration("max_age", age) for age in self.max_age)
        object.__setattr__(self, "max_age", ages)
        check.integer("min_outcomes", self.min_outcomes, 1, 2**31 - 1)
        check.number("success_rate", self.success_rate, 0, 1)
        check.number("demotion_rate", self.demotion_rate, 0, self.success_rate)


@dataclass(frozen=True, kw_only=True)
class ConsolidationReport:
    """What one call of :func:`consolidate` moved.

    Attributes
    ----------
    nodes : nodes in the graph
    tiers_before, tiers_after : nodes of each tier, L0 to L3, the archived left out
    promoted, demoted : nodes that went up, down, each by one tier
    expired : ids of the nodes that went to the archive, by key
    protected : nodes past their time that stay because they hold learned failures
    revived : ids of the nodes that came back from the archive because they are used again
    archived_edges : edges that went with the expired
    archived : nodes in the archive now
    changed : False where nothing moved and no clock was started
    snapshot : number of the snapshot it was committed as, None if it was not
    archive : the archived edges, a graph over the same nodes
    """

    nodes: int
    tiers_before: tuple[int, ...]
    tiers_after: tuple[int, ...]
    promoted: int
    demoted: int
    expired: tuple[str | int, ...]
    protected: int
    revived: tuple[str | int, ...]
    archived_edges: int
    archived: int
    changed: bool
    archive: Graph = field(repr=False)
    snapshot: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, without the archive."""
        names = [item.name for item in dataclasses.fields(self) if item.name != "archive"]
        return {name: getattr(self, name) for name in names}

    def figures(self) -> dict[str, Any]:
        """The report in numbers."""
        return {
            name: len(value) if name in ("expired", "revived") else value
            for name, value in self.to_dict().items()
            if name != "snapshot"
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Moves:
    """Where every node stands; masks of (n_nodes,) bool, no two of which hold at one node.

    ``protected`` are those that would expire but for learned failures.
    """

    promoted: Mask
    demoted: Mask
    expired: Mask
    protected: Mask
    revived: Mask


def consolidate(
    graph: Graph,
    *,
    archive: Graph | None = None,
    min_uses: tuple[int, int] = (3, 10),
    max_age: tuple[timedelta, ...] = (timedelta(hours=72), timedelta(days=90), timedelta(days=365)),
    min_outcomes: int = 10,
    success_rate: float = 0.8,
    demotion_rate: float = 0.6,
    now: datetime | None = None,
) -> tuple[Graph, ConsolidationReport]:
    """Move every node by at most one tier: up, down, or to the archive.

    L0 raw → L1 at ``min_uses[0]`` uses → L2 at ``min_uses[1]`` → L3 at ``min_outcomes`` outcomes
    of which ``success_rate`` succeeded; L3 → L2 when fewer than ``demotion_rate`` did.  A node that
    is older than its tier's ``max_age`` and has not earned the next one expires: it stays as a
    node without edges, and its edges move to the archive.

    A node's clock starts at its first use or first consolidation.  A graph that nothing has used
    has no clocks.  A node with learned failures, a failed outcome or an inhibitory edge, does not
    expire.  An archived node that is used again, or given an edge, comes back with all its edges.

    Parameters
    ----------
    archive : what earlier calls archived, as their report has it
    min_uses : uses by which a node leaves L0, and L1
    max_age : for L0, L1 and L2; numbers are days
    now : the moment, with a time zone; the clock by default

    Returns
    -------
    graph : the same object if nothing changed
    report : ConsolidationReport

    Raises
    ------
    ParameterError
        an option is outside its range

    Examples
    --------
    >>> import hebbgraph
    >>> from datetime import UTC, datetime, timedelta
    >>> born = datetime(2025, 1, 1, tzinfo=UTC)
    >>> graph = hebbgraph.Graph.from_edges(["ann", "bob"], ["bob", "cy"])
    >>> uses = [{"nodes": ["ann", "bob"], "time": born}] * 3
    >>> used, _ = hebbgraph.plastify(graph, episodes=uses, now=born)
    >>> first, _ = hebbgraph.consolidate(used, now=born)
    >>> later, report = hebbgraph.consolidate(first, now=born + timedelta(days=4))
    >>> report.tiers_after, report.expired, later.neighbors("bob")
    ((0, 2, 0, 0), ('cy',), ['ann'])
    """
    parameters = TierParameters(
        min_uses=min_uses, max_age=max_age, min_outcomes=min_outcomes,
        success_rate=success_rate, demotion_rate=demotion_rate,
    )  # fmt: skip
    moment = check.microseconds("now", now)
    kept = archives.empty(graph) if archive is None else archive
    use = graph.use
    if use is None or not use.access_count.any():
        none = np.zeros(graph.n_nodes, np.bool_)
        still = Moves(promoted=none, demoted=none, expired=none, protected=none, revived=none)
        return graph, _report(graph, graph, still, kept)
    moves = judged(graph, parameters, moment)
    after = _moved(use, moves, moment)
    if after.equals(use):
        return graph, _report(graph, graph, moves, kept)
    moved = dataclasses.replace(graph, use=after)
    if moves.revived.any():
        moved, kept = archives.bring_back(moved, kept)
    if moves.expired.any():
        moved, kept = archives.put_away(moved, kept, moves.expired)
    return moved, _report(graph, moved, moves, kept)


def judged(graph: Graph, parameters: TierParameters, now: int) -> Moves:
    """What holds at every node of a graph that has use."""
    use = graph.use
    assert use is not None
    here = ~use.archived
    lasting, failing = _outcomes(use, parameters)
    uses, tier = use.access_count, use.tier
    ready = np.select(
        [tier == 0, tier == 1, tier == 2],
        [uses >= parameters.min_uses[0], uses >= parameters.min_uses[1], lasting],
        False,
    )
    limits = np.array([age // timedelta(microseconds=1) for age in parameters.max_age])
    age = now - np.where(use.created_at == UNDATED, now, use.created_at)
    late = here & ~ready & (tier < LASTING) & (age > limits[np.minimum(tier, LASTING - 1)])
    failed = holds_failures(graph)
    edges = np.bincount(graph.source, minlength=graph.n_nodes) + np.bincount(
        graph.indices, minlength=graph.n_nodes
    )
    return Moves(
        promoted=here & ready,
        demoted=here & (tier == LASTING) & failing,
        expired=late & ~failed,
        protected=late & failed,
        revived=~here & ((use.activated_at > use.archived_at) | (edges > 0)),
    )


def holds_failures(graph: Graph) -> Mask:
    """(n_nodes,) bool, whether a node has failed or touches an inhibitory edge."""
    out = np.zeros(graph.n_nodes, np.bool_) if graph.use is None else graph.use.failure_count > 0
    inhibitory = graph.weight < 0
    out[graph.source[inhibitory]] = True
    out[graph.indices[inhibitory]] = True
    return out


def _outcomes(use: NodeUse, parameters: TierParameters) -> tuple[Mask, Mask]:
    """Which nodes have earned L3, and which would lose it."""
    outcomes = use.success_count.astype(np.int64) + use.failure_count
    rate = use.success_count / np.maximum(outcomes, 1)
    enough = outcomes >= parameters.min_outcomes
    return enough & (rate >= parameters.success_rate), enough & (rate < parameters.demotion_rate)


def _moved(use: NodeUse, moves: Moves, now: int) -> NodeUse:
    started = (use.created_at == UNDATED) | moves.revived
    archived_at = np.where(moves.revived, UNDATED, use.archived_at)
    return dataclasses.replace(
        use,
        tier=use.tier + moves.promoted.astype(np.int8) - moves.demoted.astype(np.int8),
        created_at=np.where(started, now, use.created_at),
        archived_at=np.where(moves.expired, now, archived_at),
    )


def _report(before: Graph, after: Graph, moves: Moves, archive: Graph) -> ConsolidationReport:
    return ConsolidationReport(
        nodes=before.n_nodes,
        tiers_before=_counts(before),
        tiers_after=_counts(after),
        promoted=int(np.count_nonzero(moves.promoted)),
        demoted=int(np.count_nonzero(moves.demoted)),
        expired=tuple(before.ids_of(np.flatnonzero(moves.expired)).to_pylist()),
        protected=int(np.count_nonzero(moves.protected)),
        revived=tuple(before.ids_of(np.flatnonzero(moves.revived)).to_pylist()),
        archived_edges=int(np.count_nonzero(archives.at(before, moves.expired))),
        archived=0 if after.use is None else int(np.count_nonzero(after.use.archived)),
        changed=after is not before,
        archive=archive,
    )


def _counts(graph: Graph) -> tuple[int, ...]:
    if graph.use is None:
        return (graph.n_nodes, *[0] * LASTING)
    here = graph.use.tier[~graph.use.archived]
    return tuple(np.bincount(here, minlength=N_TIERS).tolist())
