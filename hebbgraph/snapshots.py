"""Snapshots: the rows that make a commit."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pyarrow as pa

from hebbgraph import schema

VERSIONED = ("nodes", "edges", "archive", "clusters", "documents", "passages")
"""Tables whose versions a snapshot names."""
ORIGIN = ("origin_version", "origin_columns")
TUNED = "tuned"
"""Parameter that holds what tuning chose, handed on from snapshot to snapshot."""
NEXT_CLUSTER = "next_cluster"
"""Parameter that holds the first cluster id never given, handed on likewise."""
FORGOTTEN = "forgotten"
"""Parameter that holds what of the episodes is forgotten, handed on likewise."""
MEMORY = "memory"
"""Parameter that holds what was made of the text, how, and the users' types; handed on likewise."""


@dataclass(frozen=True)
class Reading:
    """How the tables of a snapshot become a graph.

    Attributes
    ----------
    directed : whether edge direction carries meaning
    id_type : ``"string"``, ``"int64"``, or ``"key"`` where ids are the keys
    empty_columns : nullable edge columns that hold nothing, which a reader skips
    """

    directed: bool
    id_type: str
    empty_columns: tuple[str, ...]


@dataclass(frozen=True)
class Snapshot:
    """One consistent, immutable state of all tables.

    Attributes
    ----------
    seq : number, from 0
    parent : number of the snapshot it was made from, None for the first
    created_at : when it was committed, UTC
    operation : what made it: import, plastify, decay, tune, cluster, consolidate, forget, restore
    parameters, figures : options and report of that operation
    versions : Lance version of each table; those beyond ``nodes`` and ``edges`` once there are any
    episodes_seen : episodes with a smaller ``seq`` are learned from
    reading : how the tables become a graph
    """

    seq: int
    id: str
    parent: int | None
    created_at: datetime
    operation: str
    parameters: dict[str, Any]
    figures: dict[str, Any]
    versions: dict[str, int]
    reading: Reading
    episodes_seen: int

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Snapshot:
        """Read one row of the table ``snapshots``."""
        return cls(
            seq=row["seq"],
            id=row["id"],
            parent=row["parent"],
            created_at=row["created_at"],
            operation=row["operation"],
            parameters=json.loads(row["parameters"]),
            figures=json.loads(row["figures"]),
            versions={
                table: row[f"{table}_version"]
                for table in VERSIONED
                # An older release did not know every column.
                if row.get(f"{table}_version") is not None
            },
            reading=Reading(
                row["directed"], row["id_type"], tuple(json.loads(row["empty_columns"]))
            ),
            episodes_seen=row.get("episodes_seen") or 0,
        )

    @property
    def origin(self) -> dict[str, Any]:
        """Version and columns of the data set that an adopted store was last made equal to."""
        return {name: self.parameters[name] for name in ORIGIN if name in self.parameters}

    @property
    def tuned(self) -> dict[str, Any]:
        """Options of discovery that tuning chose, and its tiers; empty if it has not been run."""
        chosen: dict[str, Any] = self.parameters.get(TUNED, {})
        return chosen

    @property
    def pass_options(self) -> dict[str, Any]:
        """Defaults of passes: what suits a graph made of text, then what tuning chose."""
        return {**self.memory.get("pass_options", {}), **self.tuned.get("options", {})}

    @property
    def memory(self) -> dict[str, Any]:
        """What was made of the text: ``cognified``, ``memified``; and ``ontology``, ``rdf``."""
        made: dict[str, Any] = self.parameters.get(MEMORY, {})
        return made

    @property
    def next_cluster(self) -> int:
        """The first cluster id that was never given."""
        return int(self.parameters.get(NEXT_CLUSTER, 0))

    @property
    def forgotten(self) -> list[dict[str, Any]]:
        """What of the episodes is forgotten, see :func:`hebbgraph.episode_log.without`."""
        entries: list[dict[str, Any]] = self.parameters.get(FORGOTTEN, [])
        return entries

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return dataclasses.asdict(self) | {"created_at": self.created_at.isoformat()}


def shown(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as a snapshot keeps them: durations in days, moments as text."""
    return {
        name: value / timedelta(days=1)
        if isinstance(value, timedelta)
        else value.isoformat()
        if isinstance(value, datetime)
        else value
        for name, value in options.items()
        if value is not None
    }


def new_row(
    seq: int,
    parent: int | None,
    versions: Mapping[str, int],
    reading: Reading,
    episodes_seen: int,
    *,
    operation: str,
    parameters: Mapping[str, Any],
    figures: Mapping[str, Any],
) -> pa.Table:
    """A row for the table ``snapshots``, stamped with the clock and a random id."""
    row = {
        "seq": seq,
        "id": uuid4().hex,
        "parent": parent,
        "created_at": datetime.now(UTC),
        "operation": operation,
        "parameters": json.dumps(parameters, ensure_ascii=False, default=str),
        "figures": json.dumps(figures, ensure_ascii=False),
        "directed": reading.directed,
        "id_type": reading.id_type,
        "empty_columns": json.dumps(reading.empty_columns),
        **{f"{table}_version": versions.get(table) for table in VERSIONED},
        "episodes_seen": episodes_seen,
        "schema_version": schema.SCHEMA_VERSION,
    }
    return pa.Table.from_pylist([row], schema=schema.SNAPSHOTS)
