"""The demo graph: Debian's Python packages, what they need and how they are tagged."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from hebbgraph.errors import InputError
from hebbgraph.graph import Graph
from hebbgraph.plasticity.explanation import Explanation, explain
from hebbgraph.plasticity.neighborhood import observed_neighborhood
from hebbgraph.plasticity.parameters import DiscoveryParameters
from hebbgraph.plasticity.report import PlasticityReport
from hebbgraph.plasticity.scoring import Scoring
from hebbgraph.store import Store


@dataclass(frozen=True)
class DemoResult:
    """What :func:`run` made: the graph before, the pass, and links explained."""

    graph: Graph
    report: PlasticityReport
    links: tuple[Explanation, ...]


def demo_graph() -> Graph:
    """The graph as observed; node types are python, package and tag.

    Facts of Debian 12 package metadata: names and relations only.
    """
    file = resources.files("hebbgraph") / "data" / "debian-python.parquet"
    with resources.as_file(file) as path:
        edges = parquet.read_table(path)
    tagged = pc.equal(edges["relation"].cast(pa.string()), "tagged")
    tags = pc.unique(edges["target"].filter(tagged))
    ids = pc.unique(pa.chunked_array([*edges["source"].chunks, *edges["target"].chunks]))
    package = pc.if_else(pc.starts_with(ids, "python3-"), "python", "package")
    types = pc.if_else(pc.is_in(ids, value_set=tags), "tag", package)
    return Graph.from_arrow(edges, nodes=pa.table({"id": ids, "type": types}))


def run(
    path: str, *, links: int = 5, progress: Callable[[str], None] = lambda _: None
) -> DemoResult:
    """Store the demo graph at ``path``, let it learn once, and explain links it found.

    A store that an earlier demo left at ``path`` is replaced; anything else there is refused.
    """
    graph = demo_graph()
    said = {"file": "debian-python.parquet", "nodes": None}
    place = Path(path)
    if place.exists():
        if Store(place).history()[0].parameters != said:
            raise InputError(f"{path}: not a demo store; choose another path for the demo")
        shutil.rmtree(place)
    store = Store.create(place, graph, parameters=said)
    report = store.plastify(node_types=["python"], progress=progress)
    progress("explaining")
    return DemoResult(graph, report, interesting(store.graph(), links))


def interesting(graph: Graph, count: int) -> tuple[Explanation, ...]:
    """The least accidental inferred edges, each from another corner of the graph.

    By falling surprise; a link is passed over when an end of it, or half of the neighbours it
    rests on, has already been shown.
    """
    around = observed_neighborhood(graph)
    edges = np.flatnonzero(graph.is_inferred)
    if not edges.size or graph.shared_neighbors is None:
        return ()
    source, target = graph.source[edges], graph.indices[edges]
    score = Scoring(around, DiscoveryParameters()).surprise(
        source, target, graph.shared_neighbors[edges]
    )
    chosen: list[Explanation] = []
    used: set[int] = set()
    for edge in np.lexsort((target, source, -score)):
        a, b = int(source[edge]), int(target[edge])
        shared = set(np.intersect1d(around.of(a), around.of(b)).tolist())
        if {a, b} & used or 2 * len(shared & used) >= len(shared):
            continue
        used |= {a, b} | shared
        chosen.append(explain(graph, graph.id(a), graph.id(b), around=around))
        if len(chosen) == count:
            break
    return tuple(chosen)
