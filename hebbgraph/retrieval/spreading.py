"""Spreading activation: which nodes seeds lead to, over the weights that learning left."""

from __future__ import annotations

import bisect
import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from hebbgraph_kernels.push import spread, state_of

from hebbgraph import check
from hebbgraph.errors import NodeNotFoundError, ParameterError
from hebbgraph.graph import Graph
from hebbgraph.retrieval.flow import KIND_FACTORS, Floats, Flow, flow_of
from hebbgraph.retrieval.paths import Path, strongest_paths

DAMPING = 0.85
EPSILON = 1e-5
NEGLIGIBLE = 1e-100
"""Share of the seeds' weight below which a seed is left out: products of shares stay above zero."""

Seeds = Mapping[Any, float] | tuple[Any, Any]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Activation:
    """What a query activated, best first, ties in the order of ids.

    Attributes
    ----------
    keys : (k,) int64
    activation : (k,) float64, below 0 where more is taken away than arrives
    bound : (k,) float64, ≥ 0; the exact activation differs by no more than this
    pushes : how often a node handed on what had arrived
    undelivered : activation that stayed below the threshold and was given to no touched node
    """

    keys: npt.NDArray[np.int64]
    activation: Floats
    bound: Floats
    pushes: int
    undelivered: float

    def __len__(self) -> int:
        return int(self.keys.size)

    def __repr__(self) -> str:
        return f"Activation({len(self):,} nodes, {self.pushes:,} pushes)"


class Spreading:
    """Spreads activation over a graph that stays as it is.

    What is the same for every query is worked out once; a query then costs what it touches,
    however large the graph.  With W the weights of the edges above zero times the factors of their
    relations, summed over both directions, s the sums of its rows, x the seeds' shares and d the
    damping, activation that walks the edges is a = (1 − d)·x + d·Wᵀ·diag(1/s)·a: personalised
    PageRank (Page and others 1999) by forward push (Andersen, Chung and Lang 2006).  Activation
    at a node without such edges stays there.  What stays below the threshold is taken to have
    mixed: without a limit of depth every touched node is given a share of it by its strength, which
    keeps the bound and mends most of the error at hubs.

    With N the absolute weights below zero, likewise, and S = s + the sums of N's rows, the result
    is a − d·Nᵀ·diag(1/S)·a: a node takes away no more than d of its own activation, and what it
    takes away spreads no further.

    Parameters
    ----------
    kind_factors : factor ≥ 0 by relation; 1 for those it does not name
    damping : d in [0.01, 0.99]
    epsilon : ε in [1e-12, 1]; results are exact to ε·S, S in mean edges, times the seeds' sum
    depth : most steps, ≥ 0; None where there is no limit
    direction : ``"both"``, ``"out"`` or ``"in"``; inferred edges and undirected graphs go both
        ways.  The bound by ε·S is for both ways; else it is what is undelivered

    Raises
    ------
    ParameterError
        an option is outside its range

    Examples
    --------
    >>> import hebbgraph
    >>> from hebbgraph.retrieval.spreading import Spreading
    >>> graph = hebbgraph.Graph.from_edges(["tea", "tea", "cup"], ["cup", "leaf", "shelf"])
    >>> found = Spreading(graph).from_({"leaf": 1.0}, k=3)
    >>> graph.ids_of(found.keys).to_pylist(), found.activation.round(2).tolist()
    (['tea', 'leaf', 'cup'], [0.36, 0.3, 0.24])
    """

    def __init__(
        self,
        graph: Graph,
        *,
        kind_factors: Mapping[str, float] = KIND_FACTORS,
        damping: float = DAMPING,
        epsilon: float = EPSILON,
        depth: int | None = None,
        direction: str = "both",
    ) -> None:
        self.graph = graph
        self.damping = check.number("damping", damping, 0.01, 0.99)
        self.epsilon = check.number("epsilon", epsilon, 1e-12, 1)
        self.depth = None if depth is None else check.integer("depth", depth, 0)
        self.kind_factors = dict(kind_factors)
        self.flow: Flow = flow_of(graph, kind_factors=kind_factors, direction=direction)
        excitatory, inhibitory = self.flow.excitatory, self.flow.inhibitory
        n, dtype = graph.n_nodes, excitatory.indices.dtype
        self._arguments = (
            excitatory.indptr, excitatory.indices, excitatory.weight,
            inhibitory.indptr, inhibitory.indices, inhibitory.weight, inhibitory.strength,
        )  # fmt: skip
        self._touched, self._activation = np.empty(n, dtype), np.empty(n)
        self._scratch = (
            state_of(excitatory.strength), np.zeros(n, np.float32), np.empty(2 * n, dtype),
            self._touched, self._activation,
        )  # fmt: skip
        # What a walk forgets, it forgets only where it can go both ways and as far as it likes.
        mixes = self.flow.direction == "both" and depth is None and excitatory.weight.size
        self._whole = float(excitatory.strength.sum()) if mixes else math.inf
        self._lock = threading.Lock()

    def from_(self, seeds: Seeds, k: int | None = 20) -> Activation:
        """The nodes that seeds activate most.

        Parameters
        ----------
        seeds : node id → weight ≥ 0, or (keys, weights), where a key may stand more than once;
            the activation of all nodes together is at most the sum of the weights
        k : how many, ≥ 1; None for every node that was touched

        Raises
        ------
        NodeNotFoundError
            no node has one of the ids or keys
        ParameterError
            a weight is negative or not finite, or lengths differ
        """
        k = None if k is None else check.integer("k", k, 1)
        keys, weight = self._seeds(seeds)
        rows, share, total = self._shares(keys, weight)
        if not rows.size:
            nothing = np.empty(0)
            return Activation(
                keys=np.empty(0, np.int64), activation=nothing, bound=nothing, pushes=0,
                undelivered=0.0,
            )  # fmt: skip
        depth = -1 if self.depth is None else min(self.depth, np.iinfo(np.int64).max)
        with self._lock:
            found, pushes, held, undelivered, silent = spread(
                *self._arguments, rows, share, self.damping, self.epsilon / self.flow.unit, depth,
                self._whole, k or 0, *self._scratch,
            )  # fmt: skip
            row, activation = self._touched[:found], self._activation[:found]
            if k is not None and k < found:
                kept = np.flatnonzero(activation >= np.partition(activation, found - k)[found - k])
                row, activation = row[kept], activation[kept]
            order = np.lexsort((row, -activation))[:k]
            row, activation = row[order], activation[order]
        return Activation(
            keys=self.flow.key_of[row],
            activation=activation * total,
            bound=self._bound(row, held, silent) * total,
            pushes=pushes,
            undelivered=undelivered * total,
        )

    def paths(self, seeds: Seeds, nodes: Any) -> list[Path | None]:
        """The strongest path from the seeds to each of some nodes; None where there is none.

        Of all paths over activating edges, of at most ``depth`` steps, it is the one over which
        most activation comes: (1 − d)·x at its seed, times d·W/s at every step.  Of equals the one
        of fewest steps, then by the order of ids.

        Raises
        ------
        NodeNotFoundError, ParameterError
            as in :meth:`from_`
        """
        rows, share, total = self._shares(*self._seeds(seeds))
        wanted = [self._row(node) for node in nodes]
        return strongest_paths(
            self.graph, self.flow, rows, share * total, wanted,
            damping=self.damping, depth=self.depth, kind_factors=self.kind_factors,
        )  # fmt: skip

    def _bound(self, row: Any, held: float, silent: float) -> Floats:
        """Errors of what activates, and what they and silent nodes do to what is taken away."""
        d = self.damping
        by_mass = held * (1 + 2 * d) + d * silent
        if self.flow.direction != "both":
            return np.full(row.size, by_mass)
        strength = self.flow.excitatory.strength[row] + self.flow.inhibitory.strength[row]
        bound: Floats = np.minimum(d * self.epsilon / self.flow.unit * strength, by_mass)
        return bound

    def _row(self, node: str | int) -> int:
        known = self.graph.node_ids
        if known is not None:
            # Rows are in the order of ids, so that no lookup has to pass over all of them.
            try:
                wanted = pa.scalar(node).cast(known.type).as_py()
                row = bisect.bisect_left(
                    range(len(known)), wanted, key=lambda row: known[self.flow.key_of[row]].as_py()
                )
            except (ValueError, TypeError, OverflowError, NotImplementedError, pa.ArrowException):
                row = len(known)
            if row < len(known) and known[self.flow.key_of[row]].as_py() == wanted:
                return row
        return int(self.flow.row_of[self.graph.key(node)])

    def _seeds(self, seeds: Seeds) -> tuple[Any, Floats]:
        """Rows and weights of seeds, as they are given."""
        if isinstance(seeds, Mapping):
            rows = np.array([self._row(node) for node in seeds], np.int64)
            weight = np.array([check.number("seeds", one, 0) for one in seeds.values()], np.float64)
            return rows, weight
        keys, weight = np.asarray(seeds[0]), np.asarray(seeds[1], np.float64)
        if keys.shape != weight.shape or keys.ndim != 1:
            raise ParameterError(
                f"seeds: expected as many weights as keys, got shapes {keys.shape} "
                f"and {weight.shape}"
            )
        keys = keys.astype(np.int64) if not keys.size else keys
        if keys.dtype.kind not in "iu":
            raise ParameterError(f"seeds: expected whole numbers as keys, got {keys.dtype}")
        outside = (keys < 0) | (keys >= self.graph.n_nodes)
        if outside.any():
            raise NodeNotFoundError(
                f"no node with key {keys[outside][0]} among {self.graph.n_nodes:,}"
            )
        if not (np.isfinite(weight) & (weight >= 0)).all():
            raise ParameterError(
                "seeds: expected finite weights ≥ 0, got a negative or endless one"
            )
        return self.flow.row_of[keys], weight

    def _shares(self, rows: Any, weight: Floats) -> tuple[Any, Floats, float]:
        """Distinct rows in ascending order, their shares, and the sum of the weights."""
        with np.errstate(over="ignore"):
            total = float(weight.sum())
        if not np.isfinite(total):
            raise ParameterError("seeds: expected weights with a finite sum")
        if total == 0:
            return np.empty(0, np.int64), np.empty(0), 0.0
        distinct, place = np.unique(rows, return_inverse=True)
        share: Any = np.bincount(place, weight / total)
        kept = share > NEGLIGIBLE
        return distinct[kept], share[kept], total
