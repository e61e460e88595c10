"""When a fact held: relations that are true of one object at a time."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph.edgelist import UNDATED
from hebbgraph.graph import Graph

Ints = npt.NDArray[np.int64]
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_NEVER = int(np.iinfo(np.int64).max)


def validity(
    fact: Ints,
    subject: Ints,
    predicate: Ints,
    *,
    time: Ints,
    passage: Ints,
    functional: Sequence[int],
) -> tuple[dict[int, dict[str, Any]], Ints, Ints]:
    """From when facts hold, and until when where a newer one closed them.

    A fact holds from its first dated statement on.  One of a functional predicate holds until the
    next statement of its subject and predicate with another object; stated again after that, it
    holds anew.  Of statements of one moment the fact that comes first in the arrays is the earlier.
    Undated statements open and close nothing.

    Parameters
    ----------
    fact : (m,) of every statement
    subject, predicate : (f,) of every fact
    time : (m,) UTC microseconds of every statement
    passage : (m,) that makes it
    functional : predicates

    Returns
    -------
    more : fact to ``valid_from`` and ``valid_to`` of the last time it held, and ``intervals`` where
        it held more than once; ISO 8601
    newer, older : (k,) passages, the first to state what closed a fact, and the first that stated
        what was closed; each pair once
    """
    more: dict[int, dict[str, Any]] = {}
    dated = np.flatnonzero(time != UNDATED)
    order = dated[np.lexsort((passage[dated], fact[dated], time[dated]))]
    holder: dict[tuple[int, int], tuple[int, int]] = {}
    closes = frozenset(functional)
    intervals: dict[int, list[list[int | None]]] = {}
    pairs: set[tuple[int, int]] = set()
    for row in order.tolist():
        own, when = int(fact[row]), int(time[row])
        place = (int(subject[own]), int(predicate[own]))
        if place[1] not in closes:
            intervals.setdefault(own, [[when, None]])
            continue
        held = holder.get(place)
        if held is not None and held[0] == own:
            continue
        intervals.setdefault(own, []).append([when, None])
        if held is not None:
            intervals[held[0]][-1][1] = when
            if held[1] != int(passage[row]):
                pairs.add((int(passage[row]), held[1]))
        holder[place] = (own, int(passage[row]))
    for own, held_at in intervals.items():
        told = [[_iso(moment) for moment in interval] for interval in held_at]
        last = {"valid_from": told[-1][0], "valid_to": told[-1][1]}
        more[own] = {name: moment for name, moment in last.items() if moment is not None}
        if len(told) > 1:
            more[own]["intervals"] = told
    listed = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    return more, listed[:, 0], listed[:, 1]


def _iso(moment: int | None) -> str | None:
    if moment is None:
        return None
    return (_EPOCH + datetime.timedelta(microseconds=moment)).isoformat()


def dated(graph: Graph) -> Graph:
    """The graph with only those of its edges that say from when they hold."""
    if graph.edge_properties is None:
        return graph.take_edges(np.zeros(0, np.int64))
    return graph.take_edges(np.flatnonzero(_says_when(graph)))


def intervals(graph: Graph) -> tuple[Ints, Ints, Ints]:
    """When edges hold, of those that say so.

    Returns
    -------
    edge, begin, end : (m,) int64, position of the edge, and UTC microseconds of the first moment
        and of the one after the last; the least and the greatest where it is open
    """
    if graph.edge_properties is None:
        nothing = np.zeros(0, np.int64)
        return nothing, nothing, nothing
    rows = np.flatnonzero(_says_when(graph))
    found: list[tuple[int, int, int]] = []
    for row, text in zip(
        rows.tolist(), graph.edge_properties.take(pa.array(rows)).to_pylist(), strict=True
    ):
        said = json.loads(text)
        held = said.get("intervals") or [[said["valid_from"], said.get("valid_to")]]
        found += [(row, _microseconds(a, int(UNDATED)), _microseconds(b, _NEVER)) for a, b in held]
    edge, begin, end = np.array(found, np.int64).reshape(-1, 3).T
    return edge, begin, end


def as_of(graph: Graph, moment: datetime.datetime) -> Graph:
    """The graph without the facts that did not hold at a moment.

    Edges that say nothing of when they hold stay.
    """
    edge, begin, end = intervals(graph)
    when = (moment - _EPOCH) // datetime.timedelta(microseconds=1)
    kept = np.ones(graph.n_edges, np.bool_)
    kept[edge] = False
    kept[edge[(begin <= when) & (when < end)]] = True
    return graph if kept.all() else graph.take_edges(np.flatnonzero(kept))


def _says_when(graph: Graph) -> npt.NDArray[np.bool_]:
    told = pc.fill_null(pc.match_substring(graph.edge_properties, '"valid_from"'), False)
    found: npt.NDArray[np.bool_] = told.to_numpy(zero_copy_only=False)
    return found


def _microseconds(moment: str | None, otherwise: int) -> int:
    if moment is None:
        return otherwise
    told = datetime.datetime.fromisoformat(moment)
    return (told - _EPOCH) // datetime.timedelta(microseconds=1)
