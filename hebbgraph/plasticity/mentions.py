"""Names inside the JSON of properties: evidence, sources, and what still mentions a node."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph.graph import Graph

Mask = npt.NDArray[np.bool_]
NAMES_AT_ONCE = 500
SOURCE = ("source", "sources")


def mentioning(text: pa.Array | None, size: int, names: Sequence[str]) -> Mask:
    """(size,) bool, which texts contain one of some names, plain or as JSON escapes them."""
    out = np.zeros(size, np.bool_)
    if text is None or text.null_count == size:
        return out
    spelled = sorted({form for name in names for form in _spellings(name)})
    for first in range(0, len(spelled), NAMES_AT_ONCE):
        pattern = "|".join(map(re.escape, spelled[first : first + NAMES_AT_ONCE]))
        found = pc.fill_null(pc.match_substring_regex(text, pattern), False)
        out |= found.to_numpy(zero_copy_only=False)
    return out


def _spellings(name: str) -> tuple[str, str, str]:
    return name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1]


def count(graph: Graph, names: Sequence[str]) -> int:
    """Nodes and edges whose properties contain one of some names."""
    return sum(
        int(np.count_nonzero(mentioning(text, size, names)))
        for text, size in (
            (graph.node_properties, graph.n_nodes),
            (graph.edge_properties, graph.n_edges),
        )
    )


def drop_evidence(graph: Graph, names: Sequence[str]) -> tuple[Graph, int]:
    """``graph`` with some ids out of the evidence of inferred edges, and how many held one."""
    listed = set(names)

    def without(properties: dict[str, Any]) -> bool:
        known = properties.get("evidence")
        if not isinstance(known, list):
            return False
        left = [node for node in known if str(node) not in listed]
        properties["evidence"], changed = left, len(left) < len(known)
        return changed

    found = mentioning(graph.edge_properties, graph.n_edges, names) & graph.is_inferred
    text, changed = _edited(graph.edge_properties, found, without)
    if not changed.any():
        return graph, 0
    return dataclasses.replace(graph, edge_properties=text), int(np.count_nonzero(changed))


@dataclass(frozen=True)
class Sourced:
    """Properties and a source.

    Attributes
    ----------
    alone : (rows,) bool, which have this source and no other
    shared : how many had others besides, and have lost this one
    text : the properties after that
    """

    alone: Mask
    shared: int
    text: pa.Array | None


def without_source(text: pa.Array | None, size: int, source: str) -> Sourced:
    """What has a source, which stands in properties as one name or in a list."""
    alone = np.zeros(size, np.bool_)
    found = mentioning(text, size, [source])
    row = iter(np.flatnonzero(found))

    def without(properties: dict[str, Any]) -> bool:
        held = [name for name in SOURCE if source in _listed(properties.get(name))]
        left = {name: [one for one in _listed(properties[name]) if one != source] for name in held}
        others = [name for name in SOURCE if name not in held and _listed(properties.get(name))]
        alone[next(row)] = bool(held) and not any(left.values()) and not others
        for name in held:
            if left[name] or others:
                properties[name] = left[name]
        return bool(held) and (any(left.values()) or bool(others))

    edited, changed = _edited(text, found, without)
    return Sourced(alone, int(np.count_nonzero(changed)), edited)


def states_source(text: pa.Array | None, size: int) -> Mask:
    """(size,) bool, which properties state a source of any name."""
    out = np.zeros(size, np.bool_)
    for row in np.flatnonzero(mentioning(text, size, ['"source'])):
        assert text is not None
        properties = _parsed(text[int(row)].as_py())
        out[row] = any(_listed(properties.get(name)) for name in SOURCE)
    return out


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _parsed(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _edited(
    text: pa.Array | None, rows: Mask, edit: Callable[[dict[str, Any]], bool]
) -> tuple[pa.Array | None, Mask]:
    """Properties after ``edit`` of some rows, which says whether it changed them."""
    changed = np.zeros(rows.size, np.bool_)
    written = []
    for row in np.flatnonzero(rows):
        assert text is not None
        properties = _parsed(text[int(row)].as_py())
        if edit(properties):
            changed[row] = True
            written.append(json.dumps(properties, ensure_ascii=False))
    if not written:
        return text, changed
    assert text is not None
    place = np.where(changed, len(text) + np.cumsum(changed) - 1, np.arange(len(text)))
    return pa.concat_arrays([text, pa.array(written, pa.string())]).take(pa.array(place)), changed
