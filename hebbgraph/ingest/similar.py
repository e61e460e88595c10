"""Entities of similar names, by an embedding model."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from hebbgraph.ingest.text_graph import SIMILAR, Edges, edges_of

LEAST: Final = 0.75
"""Cosine from which on two entities are linked; with `SHARE` and `MOST` from Synaptic Memory."""
SHARE: Final = 0.7
"""Weight of a link, times the cosine."""
MOST: Final = 5
"""Links that an entity proposes."""
_BLOCK: Final = 1 << 10

Floats = npt.NDArray[np.float32]


def similar_edges(vectors: Floats, first: int) -> Edges:
    """Links of each row to its nearest five of cosine ≥ 0.75, weight 0.7·cos, one a pair.

    Parameters
    ----------
    vectors : (n, d) float32, no row zero
    first : row of the first entity among the nodes
    """
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    found: dict[tuple[int, int], float] = {}
    for begin in range(0, len(unit), _BLOCK):
        cosine = unit[begin : begin + _BLOCK] @ unit.T
        rows = np.arange(len(cosine))
        cosine[rows, begin + rows] = -1.0
        # Rounding of products must not decide: equal cosines go to the earlier entity.
        cosine = np.round(cosine, 5)
        nearest = np.argsort(-cosine, axis=1, kind="stable")[:, :MOST]
        value = np.take_along_axis(cosine, nearest, axis=1)
        for row, column in zip(*np.nonzero(value >= LEAST), strict=True):
            one, other = begin + int(row), int(nearest[row, column])
            found[min(one, other), max(one, other)] = min(float(value[row, column]), 1.0)
    pairs = np.array(sorted(found), np.int64).reshape(-1, 2)
    weight = np.array([SHARE * found[one, other] for one, other in pairs.tolist()], np.float32)
    return edges_of(first + pairs[:, 0], first + pairs[:, 1], SIMILAR, weight=weight)
