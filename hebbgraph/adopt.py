"""A plain Lance data set of edges, read where it stands.

Its own rows are never rewritten.  A Lance data set may hold others inside its
folder, so the store's tables live there as children.
"""

from __future__ import annotations

from pathlib import Path

import lance
import pyarrow as pa

from hebbgraph import tables
from hebbgraph.edgelist import at_row
from hebbgraph.errors import InputError
from hebbgraph.graph import Graph
from hebbgraph.names import recognise_columns
from hebbgraph.times import parse_times


def version(path: Path) -> int:
    """Newest version of the data set."""
    with tables.readable(path, "edges"):
        return int(lance.dataset(str(path)).version)


def read(path: Path, *, source: str | None = None, target: str | None = None) -> Graph:
    """Its edges as a directed graph.

    Columns are recognised by name, see :mod:`hebbgraph.names`.

    Raises
    ------
    InputError
        no source and target column can be recognised, or a row cannot be taken
    """
    with tables.readable(path, "edges"):
        dataset = lance.dataset(str(path))
    found = recognise_columns(
        dataset.schema.names, name=path.name, source=source, target=target,
        relation=None, weight=None, time=None,
    )  # fmt: skip
    with tables.readable(path, "edges"):
        rows = dataset.to_table(
            columns=list(found.values()), batch_size=tables.ROWS_PER_BATCH, scan_in_order=True
        )
    columns = {name: rows.column(actual) for name, actual in found.items()}

    def where(row: int) -> str:
        return f"{path.name} {at_row(row)}"

    if not rows.num_rows:
        raise InputError(f"{path.name}: expected edges, got a data set without rows")
    if "time" in columns:
        columns["time"] = parse_times(columns["time"], name="time", where=where)
    return Graph.from_arrow(pa.table(columns), where=where)
