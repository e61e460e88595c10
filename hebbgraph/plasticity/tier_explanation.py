"""Why a node stands in its tier, and what would move it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from hebbgraph import check
from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph
from hebbgraph.node_use import NodeUse
from hebbgraph.plasticity.tiers import LASTING, TierParameters, holds_failures, judged

NAMES = ("L0 raw", "L1", "L2", "L3 lasting")


@dataclass(frozen=True, kw_only=True)
class TierExplanation:
    """One node's tier.

    Attributes
    ----------
    node : id
    tier : 0 to 3
    uses, successes, failures : counts so far
    since : when its clock started; None if it has not
    archived_at : when it left for the archive; None if it is here
    next : what the next consolidation does: ``"stays"``, ``"promoted"``, ``"demoted"``,
        ``"expires"``, ``"comes back"``
    missing : what it lacks for the next tier; None in L3, or if nothing does
    expires_at : when it would go to the archive as it is; None if never
    kept_because : what keeps it from expiring; None if nothing does
    """

    node: str | int
    tier: int
    uses: int
    successes: int
    failures: int
    since: datetime | None
    archived_at: datetime | None
    next: str
    missing: str | None
    expires_at: datetime | None
    kept_because: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        where = f"archived {self.archived_at:%Y-%m-%d}, " if self.archived_at else ""
        counts = f"{self.uses} uses, {self.successes} successes, {self.failures} failures"
        lines = [f"{self.node}: {where}{NAMES[self.tier]}, {counts}; next it {self.next}"]
        if self.missing:
            lines.append(f"  for {NAMES[self.tier + 1]}: {self.missing}")
        if self.kept_because:
            lines.append(f"  does not expire: {self.kept_because}")
        elif self.expires_at:
            lines.append(f"  expires {self.expires_at:%Y-%m-%d %H:%M} UTC unless it is used")
        return "\n".join(lines)


def explain_tier(
    graph: Graph, node: str | int, *, now: datetime | None = None, **thresholds: Any
) -> TierExplanation:
    """Explain the tier of a node: what holds, what is missing, when it would go.

    Parameters
    ----------
    now, thresholds : as in :func:`hebbgraph.consolidate`

    Raises
    ------
    NodeNotFoundError
        no node has that id
    """
    parameters = TierParameters(**thresholds)
    moment = check.microseconds("now", now)
    key = graph.key(node)
    use = NodeUse.none(graph.n_nodes) if graph.use is None else graph.use
    alive = bool(use.access_count.any())
    moves = judged(dataclasses.replace(graph, use=use), parameters, moment)
    happens = {
        "promoted": "is promoted", "demoted": "is demoted", "expired": "expires",
        "revived": "comes back",
    }  # fmt: skip
    following = [text for name, text in happens.items() if alive and getattr(moves, name)[key]]
    tier = int(use.tier[key])
    since = None if use.created_at[key] == UNDATED else _moment(use.created_at[key])
    kept = _kept(graph, use, key, alive)
    counts = (int(use.success_count[key]), int(use.failure_count[key]))
    return TierExplanation(
        node=graph.id(key),
        tier=tier,
        uses=int(use.access_count[key]),
        successes=counts[0],
        failures=counts[1],
        since=since,
        archived_at=_moment(use.archived_at[key]) if use.archived[key] else None,
        next=following[0] if following else "stays",
        missing=_missing(tier, int(use.access_count[key]), counts, parameters),
        expires_at=None
        if kept or since is None or use.archived[key] or moves.promoted[key]
        else since + parameters.max_age[tier],
        kept_because=kept,
    )


def _kept(graph: Graph, use: NodeUse, key: int, alive: bool) -> str | None:
    if use.tier[key] == LASTING:
        return "it is in L3"
    if not alive:
        return "nothing in this graph has been used yet"
    if use.failure_count[key]:
        return f"{use.failure_count[key]} failures were learned from it"
    return "an edge of it is inhibitory" if holds_failures(graph)[key] else None


def _missing(
    tier: int, uses: int, counts: tuple[int, int], parameters: TierParameters
) -> str | None:
    if tier < 2:
        wanted = parameters.min_uses[tier]
        return f"{uses} of {wanted} uses" if uses < wanted else None
    outcomes = sum(counts)
    if tier == LASTING:
        return None
    if outcomes < parameters.min_outcomes:
        return f"{outcomes} of {parameters.min_outcomes} outcomes"
    rate = counts[0] / outcomes
    if rate < parameters.success_rate:
        return f"success in {rate:.0%} of them, {parameters.success_rate:.0%} are needed"
    return None


def _moment(microseconds: np.int64) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(microseconds))
