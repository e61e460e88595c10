"""Partners of one node at a time, in microseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hebbgraph_kernels.lookup import Scratch, look_up
from hebbgraph_kernels.ranking import SURPRISE

from hebbgraph import check, ids
from hebbgraph.graph import Graph
from hebbgraph.plasticity.discovery import allowed, pairs_at
from hebbgraph.plasticity.neighborhood import observed_neighborhood
from hebbgraph.plasticity.parameters import DiscoveryParameters
from hebbgraph.plasticity.scoring import RANKINGS, Scoring


@dataclass(frozen=True, kw_only=True)
class Partner:
    """A node that discovery would join to another.

    Attributes
    ----------
    id : of the partner
    shared : neighbours in common
    confidence, rank : as in :class:`hebbgraph.Discovery`
    """

    id: str | int
    shared: int
    confidence: float
    rank: float


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where a partner stands among all of a node.

    Attributes
    ----------
    position : 1 for the best
    partners : how many there are: nodes that qualify, whatever the cap or a discovery rate
    """

    position: int
    partners: int


def standing(graph: Graph, scoring: Scoring, node: int, other: int) -> Standing | None:
    """Where the key ``other`` stands among the partners of ``node``; None if it is none."""
    keys = np.array([node], scoring.around.indices.dtype)
    _, partner, shared, value, rank = pairs_at(graph, scoring, keys)
    found = np.flatnonzero(partner == other)
    if not found.size:
        return None
    at = int(found[0])
    better = np.zeros(partner.size, np.bool_)
    equal = np.ones(partner.size, np.bool_)
    for column in (rank, value, shared):
        better |= equal & (column > column[at])
        equal &= column == column[at]
    before: list[Any] = graph.ids_of(partner[equal]).to_pylist()
    mine: Any = graph.id(other)
    smaller = sum(1 for one in before if one < mine)
    return Standing(position=1 + int(np.count_nonzero(better)) + smaller, partners=partner.size)


class Partners:
    """Looks up the best partners of single nodes in a graph that stays as it is.

    What is the same for every node is worked out once.  One lookup sees the wedges from its node:
    microseconds for most nodes, milliseconds beside large hubs.  Not to be shared by threads.

    Parameters
    ----------
    options : as in :func:`hebbgraph.discover`

    Examples
    --------
    >>> import hebbgraph
    >>> graph = hebbgraph.Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
    >>> hebbgraph.Partners(graph).of("a")
    [Partner(id='b', shared=2, confidence=1.0, rank=0.25)]
    """

    def __init__(self, graph: Graph, **options: Any) -> None:
        self.graph = graph
        stated = DiscoveryParameters.stated(**options)
        scoring = Scoring(observed_neighborhood(graph), stated)
        around = scoring.around
        share, unit = scoring.shares
        ranking = RANKINGS[stated.rank_by]
        kernel = scoring.kernel_options()
        self._scoring = scoring
        self._default = stated.max_new_edges_per_node
        self._arguments = (
            around.indptr, around.indices, allowed(graph, stated.node_types),
            ids.place(graph.node_ids, graph.n_nodes), scoring.size, share, unit,
            kernel["measure"], kernel["min_shared"], float(kernel["threshold"]),
            float(kernel["shrinkage"]), ranking, scoring.population,
            scoring.log_factorials if ranking == SURPRISE else np.empty(0),
            *Scratch.of(graph.n_nodes, around.indices.dtype),
        )  # fmt: skip
        self._tables: tuple[np.ndarray, ...] = ()

    def of(self, node: str | int, limit: int | None = None) -> list[Partner]:
        """Best partners of a node, best first.

        Parameters
        ----------
        limit : how many; by default ``max_new_edges_per_node``, 3

        Raises
        ------
        NodeNotFoundError
            no node has the id
        """
        key = self.graph.key(node)
        most = self._default if limit is None else check.integer("limit", limit, 1)
        width = min(most or self.graph.n_nodes, self.graph.n_nodes)
        if not self._tables or self._tables[1].shape[1] != width:
            self._tables = (
                np.zeros(1, np.int32),
                np.empty((1, width), self._arguments[1].dtype),
                np.empty((1, width), np.int32),
                np.empty((1, width), np.float64),
                np.empty((1, width), np.float64),
            )
        held, nodes, shares, values, ranks = self._tables
        look_up(  # type: ignore[no-untyped-call]
            key, 0, *self._arguments, held, nodes, shares, values, ranks
        )
        return [
            Partner(
                id=self.graph.id(int(nodes[0, k])), shared=int(shares[0, k]),
                confidence=float(values[0, k]), rank=float(ranks[0, k]),
            )
            for k in range(held[0])
        ]  # fmt: skip

    def standing(self, node: str | int, other: str | int) -> Standing | None:
        """Where ``other`` stands among the partners of ``node``; None if it is none.

        Raises
        ------
        NodeNotFoundError
            no node has one of the ids

        Examples
        --------
        >>> import hebbgraph
        >>> graph = hebbgraph.Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
        >>> hebbgraph.Partners(graph).standing("a", "b")
        Standing(position=1, partners=1)
        """
        graph = self.graph
        return standing(graph, self._scoring, graph.key(node), graph.key(other))
