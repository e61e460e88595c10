"""Discovery after a change: only pairs that the change can have touched are looked at again."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import threads_for
from hebbgraph_kernels.lookup import changed_rows

from hebbgraph import ids
from hebbgraph.errors import InputError, ParameterError
from hebbgraph.graph import Graph
from hebbgraph.plasticity.discovery import (
    Discovery,
    Tables,
    allowed,
    find,
    pairs_at,
    symmetric,
    tables,
)
from hebbgraph.plasticity.neighborhood import Neighborhood, observed_neighborhood
from hebbgraph.plasticity.parameters import DiscoveryParameters
from hebbgraph.plasticity.scoring import Scoring

WORTH_IT = 16
"""Wedges an entry of the adjacency up to which looking up is cheaper than a whole discovery."""

Bools = npt.NDArray[np.bool_]


def rediscover(
    graph: Graph, *, before: Graph, found: Discovery, **options: Any
) -> Discovery:  # fmt: skip
    """What :func:`hebbgraph.discover` finds in ``graph``, from what it found before a change.

    Equal to a whole discovery, and cheap where few neighbourhoods changed: pairs with a changed
    end are looked at again, pairs whose shared neighbour changed its degree where the ranking
    counts in degrees, and the partners of nodes whose best ones these were.

    Parameters
    ----------
    before : the graph that ``found`` belongs to; its nodes are the first of ``graph``, in the
        same order
    found : discovery on ``before`` with the same options, whole: no ``nodes=`` or ``pairs=``
    options : as in :func:`hebbgraph.discover`

    Raises
    ------
    InputError
        ``graph`` does not begin with the nodes of ``before``, or ``found`` is not a whole
        discovery on it
    ParameterError
        an option is outside its range, unknown, or not what ``found`` was made with

    Examples
    --------
    >>> import hebbgraph
    >>> before = hebbgraph.Graph.from_edges(["a", "a", "b"], ["x", "y", "x"])
    >>> after = hebbgraph.Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
    >>> hebbgraph.rediscover(after, before=before, found=hebbgraph.discover(before))
    Discovery(2 pairs: 2 functionally_equivalent)
    """
    stated = DiscoveryParameters.stated(**options)
    if not _continues(before, graph):
        raise InputError(
            f"rediscover: expected a graph that begins with the {before.n_nodes:,} nodes of the "
            "one before, in the same order; run discover() instead"
        )
    _check_found(found, before, stated)
    with threads_for(graph.n_edges):
        around, old = observed_neighborhood(graph), observed_neighborhood(before)
        return update(graph, around, old, found, stated, allowed(before, stated.node_types))


def _check_found(found: Discovery, before: Graph, stated: DiscoveryParameters) -> None:
    if found.options is None:
        raise InputError(
            "found: expected a whole discovery, got one of some nodes or pairs; run discover() "
            "without nodes= and pairs="
        )
    if found.graph is not before and not _same(found.graph, before):
        raise InputError(
            f"found: expected a discovery on the graph before, {before!r}, got one on "
            f"{found.graph!r}; run discover() on it"
        )
    for item in dataclasses.fields(stated):
        was, now = getattr(found.options, item.name), getattr(stated, item.name)
        if was != now:
            raise ParameterError(
                f"{item.name}: expected {was!r}, which found was made with, got {now!r}; "
                "run discover() instead"
            )


def _same(one: Graph, other: Graph) -> bool:
    """Whether discovery cannot tell two graphs apart."""
    return (
        one.n_nodes == other.n_nodes
        and _continues(one, other)
        and all(np.array_equal(*part) for part in zip(one.observed, other.observed, strict=True))
        and one.type_names == other.type_names
        and np.array_equal(
            -1 if one.node_type is None else one.node_type,
            -1 if other.node_type is None else other.node_type,
        )
    )


def _continues(before: Graph, graph: Graph) -> bool:
    if before.n_nodes > graph.n_nodes:
        return False
    if before.node_ids is None or graph.node_ids is None:
        return before.node_ids is None and graph.node_ids is None
    return bool(before.node_ids.equals(graph.node_ids.slice(0, before.n_nodes)))


def update(
    graph: Graph,
    around: Neighborhood,
    old: Neighborhood,
    found: Discovery,
    options: DiscoveryParameters,
    allowed_before: Bools,
) -> Discovery:
    """:func:`rediscover` on neighbourhoods that are already known."""
    scoring, before = Scoring(around, options), Scoring(old, options)
    may = allowed(graph, options.node_types)
    again = _to_see_again(scoring, before, may, allowed_before)
    nodes = np.flatnonzero(again).astype(around.indices.dtype)
    wedges = int(around.degree[around.rows(nodes)].sum())
    if (
        options.max_new_edges_per_node is None
        or options.max_false_discovery_rate is not None
        or (options.rank_by == "surprise" and scoring.population != before.population)
        or scoring.shares[1] != before.shares[1]
        or wedges > WORTH_IT * around.indices.size
    ):
        return find(graph, around, options)
    fresh = _both_ways(pairs_at(graph, scoring, nodes), again)
    cap = options.max_new_edges_per_node
    place = ids.place(graph.node_ids, graph.n_nodes)
    kept, bar = _kept(found, cap, place, again)
    merged, last = _best(_joined(kept, fresh), cap, place)
    disturbed = _disturbed(bar, last, again, place)
    own = merged[0]
    undisturbed = _where(merged, ~disturbed[own])
    rest = np.flatnonzero(disturbed).astype(around.indices.dtype)
    entries = undisturbed
    if rest.size:
        entries = _joined(undisturbed, tables(graph, scoring, rest))
    return dataclasses.replace(symmetric(graph, *entries), options=options)


def _to_see_again(
    scoring: Scoring, before: Scoring, may: Bools, allowed_before: Bools
) -> Bools:  # fmt: skip
    """Nodes of which every pair that changed, in value, rank or permission, has one."""
    around, old = scoring.around, before.around
    changed = changed_rows(old.indptr, old.indices, around.indptr, around.indices)
    n = allowed_before.size
    out: Bools = changed.copy()
    out[:n] |= may[:n] != allowed_before
    in_degrees = scoring.options.rank_by in ("resource_allocation", "overlap_allocation")
    if in_degrees or scoring.options.measure == "resource_allocation":
        for near in (around, old):
            rows = np.flatnonzero(changed[: near.indptr.size - 1])
            out[near.rows(rows)] = True
    return out


def _both_ways(pairs: Tables, again: Bools) -> Tables:
    """Pairs whose left end is to be seen again, and the other way round where the right is not."""
    turned = (pairs[1], pairs[0], *pairs[2:])
    other = ~again[pairs[1]]
    return _joined(pairs, _where(turned, other))


def _kept(
    found: Discovery, cap: int, place: npt.NDArray[Any], again: Bools
) -> tuple[Tables, dict[str, npt.NDArray[Any]]]:
    """Entries of the old tables between nodes not seen again, and the last entry of full tables.

    A node's table is the best of the pairs that were found at it.
    """
    entries = _joined(
        (found.source, found.target, found.shared, found.confidence, found.rank),
        (found.target, found.source, found.shared, found.confidence, found.rank),
    )
    table, last = _best(entries, cap, place)
    stays = ~again[table[0]] & ~again[table[1]]
    return _where(table, stays), last


def _where(entries: Tables, mask: Bools) -> Tables:
    return tuple(column[mask] for column in entries)  # type: ignore[return-value]


def _joined(first: Any, second: Any) -> Tables:
    return tuple(np.concatenate(pair) for pair in zip(first, second, strict=True))  # type: ignore[return-value]


def _best(
    entries: Tables, cap: int, place: npt.NDArray[Any]
) -> tuple[Tables, dict[str, npt.NDArray[Any]]]:
    """The ``cap`` best entries of each owner; and of each owner that has so many, the last."""
    owner, partner, shared, value, rank = entries
    order = np.lexsort((place[partner], -shared, -value, -rank, owner))
    owner = owner[order]
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    position = np.arange(owner.size) - np.repeat(starts, np.diff(starts, append=owner.size))
    columns: tuple[npt.NDArray[Any], ...] = entries
    table = tuple(column[order[position < cap]] for column in columns)
    full = order[position == cap - 1]
    names = ("owner", "partner", "shared", "value", "rank")
    last: dict[str, Any] = {name: column[full] for name, column in zip(names, columns, strict=True)}
    return table, last  # type: ignore[return-value]


def _disturbed(
    bar: dict[str, npt.NDArray[Any]],
    last: dict[str, npt.NDArray[Any]],
    again: Bools,
    place: npt.NDArray[Any],
) -> Bools:
    """Nodes whose table was full and now ends in something worse than it did.

    A pair that was not good enough for the old table may be good enough for the new one.
    """
    out = np.zeros(again.size, np.bool_)
    out[bar["owner"]] = True
    at = np.searchsorted(bar["owner"], last["owner"])
    at = np.minimum(at, max(bar["owner"].size - 1, 0))
    if bar["owner"].size:
        known = bar["owner"][at] == last["owner"]
        new = {name: column[known] for name, column in last.items()}
        old = {name: column[at[known]] for name, column in bar.items()}
        worse = np.zeros(new["owner"].size, np.bool_)
        equal = np.ones(new["owner"].size, np.bool_)
        for name in ("rank", "value", "shared"):
            worse |= equal & (new[name] < old[name])
            equal &= new[name] == old[name]
        worse |= equal & (place[new["partner"]] > place[old["partner"]])
        out[new["owner"][~worse]] = False
    return out & ~again
