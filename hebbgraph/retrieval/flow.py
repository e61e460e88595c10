"""The weights over which activation flows, as matrices that a kernel walks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hebbgraph import check, ids
from hebbgraph.errors import ParameterError
from hebbgraph.graph import Graph

if TYPE_CHECKING:
    import scipy.sparse

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]

KIND_FACTORS: Mapping[str, float] = {
    "caused": 1.0,
    "resulted_in": 1.0,
    "depends_on": 0.9,
    "related": 0.4,
    "contradicts": 0.2,
}
"""What an edge's weight is multiplied by, by relation; 1 for relations that are not named."""

DIRECTIONS = ("both", "out", "in")


@dataclass(frozen=True)
class Weights:
    """One sign of a flow as CSR: ``indptr`` int64, ``indices``, ``weight`` float32 > 0.

    ``strength`` is the sum of each row: (n_nodes,) float64.
    """

    indptr: npt.NDArray[np.int64]
    indices: Ints
    weight: npt.NDArray[np.float32]
    strength: Floats

    def row(self, node: int) -> tuple[Ints, npt.NDArray[np.float32]]:
        """Ends and weights of the edges that leave a row."""
        entries = slice(self.indptr[node], self.indptr[node + 1])
        return self.indices[entries], self.weight[entries]


@dataclass(frozen=True)
class Flow:
    """What :func:`flow_of` makes of a graph; rows are nodes in the order of their ids.

    Attributes
    ----------
    excitatory, inhibitory : weights above and below zero, the latter by their absolute value
    unit : mean weight of an entry of ``excitatory``, in which strengths are measured
    row_of, key_of : (n_nodes,) int64, row of each key and key of each row
    direction : of the edges along which it goes; ``"both"`` where the graph is undirected
    """

    excitatory: Weights
    inhibitory: Weights
    unit: float
    row_of: npt.NDArray[np.int64]
    key_of: npt.NDArray[np.int64]
    direction: str


def flow_of(
    graph: Graph, *, kind_factors: Mapping[str, float] = KIND_FACTORS, direction: str = "both"
) -> Flow:
    """Sum the weights of every pair's edges, times the factors of their relations.

    Edges of one pair that activate and edges that inhibit are summed apart.  Inferred edges and
    those of an undirected graph are read both ways whatever ``direction``.

    Raises
    ------
    ParameterError
            a factor is negative or not finite, a direction is unknown, or a sum of weights is too
        large for float32
    """
    check.choice("direction", direction, DIRECTIONS)
    place = ids.place(graph.node_ids, graph.n_nodes)
    key_of = np.empty_like(place)
    key_of[place] = np.arange(place.size)
    weight = graph.weight.astype(np.float64)
    if graph.n_edges:
        weight *= np.array(factors(graph.relation_names, kind_factors))[graph.relation]
    direction = direction if graph.directed else "both"
    matrices = []
    for sign in (1, -1):
        signed = np.maximum(sign * weight, 0)
        matrix = _matrix(graph, signed, place)
        if direction == "both":
            matrix = matrix + matrix.T
        else:
            if graph.n_inferred:
                both_ways = _matrix(graph, np.where(graph.is_inferred, signed, 0), place)
                matrix = matrix + both_ways.T
            if direction == "in":
                matrix = matrix.T.tocsr()
        matrices.append(_weights(matrix, graph.indices.dtype))
    excitatory, inhibitory = matrices
    entries = excitatory.weight.size
    return Flow(
        excitatory=excitatory,
        inhibitory=inhibitory,
        unit=float(excitatory.strength.sum() / entries) if entries else 1.0,
        row_of=place,
        key_of=key_of,
        direction=direction,
    )


def factors(names: tuple[str, ...], kind_factors: Mapping[str, float]) -> list[float]:
    """Factor of each relation."""
    for name, factor in kind_factors.items():
        check.number(f"kind_factors[{name!r}]", factor, 0)
    return [float(kind_factors.get(name, 1.0)) for name in names]


def _matrix(graph: Graph, weight: npt.NDArray[Any], place: Ints) -> scipy.sparse.csr_array:
    """CSR of some weights ≥ 0 by row and column in id order, without zeros."""
    from scipy.sparse import coo_array, csr_array

    shape = (graph.n_nodes, graph.n_nodes)
    kept = np.flatnonzero(weight)
    if kept.size == weight.size and (place[1:] > place[:-1]).all():
        matrix = csr_array((weight, graph.indices, graph.indptr), shape=shape, copy=True)
    else:
        ends = place[graph.source[kept]], place[graph.indices[kept]]
        matrix = coo_array((weight[kept], ends), shape=shape).tocsr()
    matrix.sum_duplicates()
    return matrix


def _weights(matrix: scipy.sparse.csr_array, dtype: Any) -> Weights:
    with np.errstate(over="ignore", under="ignore"):
        matrix.data = matrix.data.astype(np.float32)
    if not np.isfinite(matrix.data).all():
        raise ParameterError(
            "kind_factors: expected weights times factors below 3.4e38, one is larger"
        )
    matrix.eliminate_zeros()
    matrix.sort_indices()
    indptr = matrix.indptr.astype(np.int64)
    strength = np.zeros(indptr.size - 1)
    filled = np.flatnonzero(np.diff(indptr))
    if filled.size:
        strength[filled] = np.add.reduceat(matrix.data, indptr[filled], dtype=np.float64)
    return Weights(indptr, matrix.indices.astype(dtype, copy=False), matrix.data, strength)
