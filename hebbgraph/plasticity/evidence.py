"""The few most telling shared neighbours of a pair, which an inferred edge keeps."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from hebbgraph_kernels.support import most_telling

from hebbgraph import ids
from hebbgraph.graph import Graph
from hebbgraph.plasticity.neighborhood import Neighborhood

KEPT = 3
"""Shared neighbours that an inferred edge keeps."""


def evidence(
    graph: Graph, around: Neighborhood, source: npt.NDArray[Any], target: npt.NDArray[Any]
) -> pa.Array:
    """Properties of inferred edges: (p,) Arrow strings, ``{"evidence": [id, …]}``.

    The ids are those of the shared neighbours with the lowest degree, ties by id; at most
    :data:`KEPT`.
    """
    place = ids.place(graph.node_ids, graph.n_nodes)
    found = most_telling(around.indptr, around.indices, source, target, place, KEPT)
    used = np.unique(found[found >= 0])
    names = pa.array(
        [json.dumps(name, ensure_ascii=False) for name in graph.ids_of(used).to_pylist()],
        pa.string(),
    )
    columns = []
    for column in found.T:
        at = np.searchsorted(used, column)
        columns.append(names.take(pa.array(at, mask=column < 0)))
    listed = pc.binary_join_element_wise(*columns, ", ", null_handling="skip")
    return pc.binary_join_element_wise('{"evidence": [', listed, "]}", "")
