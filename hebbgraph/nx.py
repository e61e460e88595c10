"""Columns of a graph from and to NetworkX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from hebbgraph.edgelist import DEFAULT_RELATION

if TYPE_CHECKING:
    import networkx


def to_columns(
    graph: networkx.Graph[Any], *, weight: str, relation: str, time: str, node_type: str
) -> tuple[dict[str, Any], pa.Table]:
    """Arguments of ``Graph.from_edges``, and a table of nodes with id and, if any, type.

    Nodes that are all integers stay integers; otherwise every node becomes text.
    """
    known = list(graph.nodes)
    if any(type(node) is not int for node in known):
        known = [str(node) for node in known]
    names = dict(zip(graph.nodes, known, strict=True))
    ids = pa.array(known, None if known else pa.string())
    edges = list(graph.edges(data=True))
    times = [data.get(time) for _, _, data in edges]
    columns = {
        "source": pa.array([names[u] for u, _, _ in edges], ids.type),
        "target": pa.array([names[v] for _, v, _ in edges], ids.type),
        "weight": [data.get(weight, 1.0) for _, _, data in edges],
        "relation": pa.array(
            [str(data.get(relation, DEFAULT_RELATION)) for _, _, data in edges], pa.string()
        ),
        "time": times if any(moment is not None for moment in times) else None,
    }
    nodes = pa.table({"id": ids})
    kinds = [data.get(node_type) for _, data in graph.nodes(data=True)]
    if any(kind is not None for kind in kinds):
        text = [None if kind is None else str(kind) for kind in kinds]
        nodes = nodes.append_column("type", pa.array(text, pa.string()))
    return columns, nodes


def from_columns(
    edges: pa.Table, nodes: pa.Table, *, directed: bool, several: bool
) -> networkx.Graph[Any]:
    """A (Multi)(Di)Graph with every column that is not null as an attribute.

    Parameters
    ----------
    several : whether there may be parallel edges; their key is the relation
    """
    import networkx

    kinds = {
        (True, True): networkx.MultiDiGraph,
        (True, False): networkx.DiGraph,
        (False, True): networkx.MultiGraph,
        (False, False): networkx.Graph,
    }
    out = kinds[directed, several]()
    for row in nodes.to_pylist():
        out.add_node(row.pop("id"), **_present(row))
    for row in edges.to_pylist():
        u, v = row.pop("source"), row.pop("target")
        key = {"key": row["relation"]} if several else {}
        out.add_edge(u, v, **key, **_present(row))
    return out


def _present(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}
