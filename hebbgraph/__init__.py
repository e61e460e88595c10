"""hebbgraph: a sparse-matrix engine that makes graphs plastic.

Edges strengthen with use, similar edges compete, and links that nobody wrote
down are discovered from shared neighbours.

>>> import hebbgraph
>>> graph = hebbgraph.Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
>>> len(hebbgraph.discover(graph))
2
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hebbgraph.cluster_tables import Clusters as Clusters
    from hebbgraph.columns import NodeMetrics as NodeMetrics
    from hebbgraph.errors import HebbGraphError as HebbGraphError
    from hebbgraph.graph import Graph as Graph
    from hebbgraph.memory import Memory as Memory
    from hebbgraph.node_history import NodeHistory as NodeHistory
    from hebbgraph.node_use import NodeUse as NodeUse
    from hebbgraph.plasticity.clusters import clusters as clusters
    from hebbgraph.plasticity.decay import decay as decay
    from hebbgraph.plasticity.discovery import Discovery as Discovery
    from hebbgraph.plasticity.discovery import discover as discover
    from hebbgraph.plasticity.discovery import discover_batches as discover_batches
    from hebbgraph.plasticity.explanation import explain as explain
    from hebbgraph.plasticity.forgetting import ForgetReport as ForgetReport
    from hebbgraph.plasticity.forgetting import forget as forget
    from hebbgraph.plasticity.partners import Partner as Partner
    from hebbgraph.plasticity.partners import Partners as Partners
    from hebbgraph.plasticity.partners import Standing as Standing
    from hebbgraph.plasticity.plastify import plastify as plastify
    from hebbgraph.plasticity.rediscovery import rediscover as rediscover
    from hebbgraph.plasticity.report import PlasticityReport as PlasticityReport
    from hebbgraph.plasticity.tier_explanation import explain_tier as explain_tier
    from hebbgraph.plasticity.tiers import ConsolidationReport as ConsolidationReport
    from hebbgraph.plasticity.tiers import consolidate as consolidate
    from hebbgraph.plasticity.tuning import Tuning as Tuning
    from hebbgraph.plasticity.tuning import tune as tune
    from hebbgraph.snapshots import Snapshot as Snapshot
    from hebbgraph.store import Store as Store
    from hebbgraph.store import open as open  # noqa: A004

__version__ = "0.1.0"

# Lance warns on stderr at every query unless told otherwise before it is imported.
os.environ.setdefault("LANCE_LOG", "error")

_HOMES = {
    "HebbGraphError": "errors",
    "Graph": "graph",
    "NodeMetrics": "columns",
    "NodeUse": "node_use",
    "Memory": "memory",
    "NodeHistory": "node_history",
    "Clusters": "cluster_tables",
    "clusters": "plasticity.clusters",
    "decay": "plasticity.decay",
    "Discovery": "plasticity.discovery",
    "discover": "plasticity.discovery",
    "discover_batches": "plasticity.discovery",
    "explain": "plasticity.explanation",
    "ForgetReport": "plasticity.forgetting",
    "forget": "plasticity.forgetting",
    "Partner": "plasticity.partners",
    "Partners": "plasticity.partners",
    "Standing": "plasticity.partners",
    "plastify": "plasticity.plastify",
    "rediscover": "plasticity.rediscovery",
    "PlasticityReport": "plasticity.report",
    "explain_tier": "plasticity.tier_explanation",
    "ConsolidationReport": "plasticity.tiers",
    "consolidate": "plasticity.tiers",
    "Tuning": "plasticity.tuning",
    "tune": "plasticity.tuning",
    "Snapshot": "snapshots",
    "Store": "store",
    "open": "store",
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    # NumPy, Arrow, Lance and numba take a second to import: only what is used is paid for.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = importlib.import_module(f"{__name__}.{_HOMES[name]}")
    value = getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
