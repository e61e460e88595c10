"""What use did to the nodes: counts, activation, tier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph.columns import time_column
from hebbgraph.edgelist import UNDATED

NEW: dict[str, Any] = {
    "access_count": np.int32(0),
    "success_count": np.int32(0),
    "failure_count": np.int32(0),
    "activation": np.float32(1),
    "activated_at": np.int64(UNDATED),
    "tier": np.int8(0),
    "created_at": np.int64(UNDATED),
    "archived_at": np.int64(UNDATED),
}
"""What a node starts with."""
TIME_CONSTANT_US = 30 * 86_400 * 1_000_000
"""τ of activation, microseconds."""
TIMES = ("activated_at", "created_at", "archived_at")


@dataclass(frozen=True, kw_only=True, eq=False)
class NodeUse:
    """Use of every node; arrays of length n_nodes.

    Attributes
    ----------
    access_count : int32, ≥ 0, episodes that held the node
    success_count, failure_count : int32, those with an outcome above, and below 0
    activation : float32, in [0, 1], as at ``activated_at``, or at ``created_at`` if never used
    activated_at : int64 UTC microseconds of the last use, smallest int64 if never used
    tier : int8, 0 raw to 3 lasting
    created_at : int64 UTC microseconds of the first use, or of the first consolidation if that
        was earlier, or of its return from the archive; smallest int64 if there was neither
    archived_at : int64 UTC microseconds of when it left for the archive; smallest int64 if it is
        not there
    """

    access_count: npt.NDArray[np.int32]
    success_count: npt.NDArray[np.int32]
    failure_count: npt.NDArray[np.int32]
    activation: npt.NDArray[np.float32]
    activated_at: npt.NDArray[np.int64]
    tier: npt.NDArray[np.int8]
    created_at: npt.NDArray[np.int64]
    archived_at: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        for name in NEW:
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    @classmethod
    def none(cls, n_nodes: int) -> NodeUse:
        """Nodes that nothing has used."""
        return cls(**{name: np.full(n_nodes, value) for name, value in NEW.items()})

    def take(self, keys: npt.NDArray[np.int64]) -> NodeUse:
        """Use of some nodes; a key of −1 is a new node."""
        old = keys >= 0
        out = {name: np.full(keys.size, value) for name, value in NEW.items()}
        for name, values in out.items():
            values[old] = getattr(self, name)[keys[old]]
        return NodeUse(**out)

    def equals(self, other: NodeUse) -> bool:
        """Whether every number is the same."""
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in NEW)

    @property
    def archived(self) -> npt.NDArray[np.bool_]:
        """(n_nodes,) bool, whether the node is in the archive."""
        return np.asarray(self.archived_at != UNDATED, np.bool_)

    @property
    def last_seen(self) -> npt.NDArray[np.int64]:
        """(n_nodes,) UTC microseconds of the last use, or of the first sight if there was none."""
        return np.maximum(self.activated_at, self.created_at)

    def activation_at(self, moment: int, time_constant: float) -> npt.NDArray[np.float64]:
        """a(t) = a(t₀)·e^{−(t−t₀)/τ}, (n_nodes,) float64; times are in microseconds.

        Clocks never run backwards: before the last use, activation is what it was then.
        """
        out = self.activation.astype(np.float64)
        seen = self.last_seen
        rows = np.flatnonzero(seen != UNDATED)
        out[rows] *= np.exp(-np.maximum(moment - seen[rows], 0) / time_constant)
        return out

    def columns(self) -> dict[str, pa.Array]:
        """As Arrow columns; undated is null."""
        return {
            name: time_column(getattr(self, name), self.tier.size)
            if name in TIMES
            else pa.array(getattr(self, name))
            for name in NEW
        }

    @classmethod
    def of_columns(cls, rows: pa.Table) -> NodeUse:
        """Inverse of :meth:`columns`; null, or no such column, is what a new node has."""
        out = {}
        for name, value in NEW.items():
            if name not in rows.column_names:
                out[name] = np.full(rows.num_rows, value)
                continue
            column = rows[name].cast(pa.int64()) if name in TIMES else rows[name]
            filled = pc.fill_null(column, pa.scalar(value.item(), column.type))
            out[name] = filled.to_numpy().astype(value.dtype)
        return cls(**out)
