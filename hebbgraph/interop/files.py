"""Edge and node files as Arrow tables with canonical column names.

An empty cell of a CSV or TSV file, quoted or not, is null. Values are not checked beyond their
type: nulls, duplicates, self-loops and weights out of range are found where the graph is made.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph.columns import NodeMetrics
from hebbgraph.interop.columns import (
    as_floats,
    as_ids,
    as_int32,
    as_properties,
    as_text,
    is_json,
    plain,
    values_of,
)
from hebbgraph.interop.formats import open_table
from hebbgraph.names import recognise_columns, require_column
from hebbgraph.node_use import NEW, TIMES
from hebbgraph.times import Where, parse_times

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

__all__ = ["FileTable", "read_edges", "read_nodes", "recognise_columns"]

# A file with both of these comes from `hebbgraph export`.
_EXPORT_MARKS: Final = frozenset({"co_occurrence_count", "discovered_by"})
_EXPORT_COLUMNS: Final = (
    "co_occurrence_count",
    "updated_at",
    "discovered_by",
    "confidence",
    "shared_neighbors",
    "rank",
    "properties",
    "directed",
    "id_type",
)
_METRICS: Final = tuple(item.name for item in dataclasses.fields(NodeMetrics))
_USE: Final = tuple(NEW)


@dataclass(frozen=True)
class FileTable:
    """A file as a table.

    Attributes
    ----------
    table : canonical columns, see :func:`read_edges` and :func:`read_nodes`
    name : what messages call the file: its name, or ``<stdin>``
    where : 0-based row to ``edges.csv line 3`` (physical line, the header counted) or, for binary
        formats, ``edges.parquet row 1``
    columns : role to the column that plays it
    ignored : columns that play none
    """

    table: pa.Table
    name: str
    where: Where
    columns: Mapping[str, str] = dataclasses.field(default_factory=dict)
    ignored: tuple[str, ...] = ()


def read_edges(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    source: str | None = None,
    target: str | None = None,
    relation: str | None = None,
    weight: str | None = None,
    time: str | None = None,
    time_unit: str | None = None,
    properties: Sequence[str] = (),
) -> FileTable:
    """Read edges from a CSV, TSV, JSON Lines, Parquet, Arrow IPC or Lance file.

    Parameters
    ----------
    path : the file, plain, gzip or zstd; a Lance dataset; or "-" for standard input
    format : csv, tsv, jsonl, parquet, arrow or lance; None recognises it
    source, target, relation, weight, time : the columns in these roles; None recognises them. In
        a CSV or TSV file without a header, 1-based column numbers for every column named
    time_unit : of epoch numbers, see :func:`hebbgraph.times.parse_times`
    properties : columns that go into the properties

    Returns
    -------
    FileTable
        source, target : both int64 if wholly integer, else both string

        relation : string; weight : float64; time : timestamp[us, UTC]; each only if found

        properties : string, one JSON object; only if `properties` names columns

        What `hebbgraph export` adds comes through under its own names.

    Raises
    ------
    InputError
        the file, a column or a value is not what was expected
    ParameterError
        `format` or `time_unit` is unknown
    """
    roles = {
        "source": source,
        "target": target,
        "relation": relation,
        "weight": weight,
        "time": time,
    }
    name, names, raw, found, where = _read(path, format, roles, properties)
    columns: dict[str, Any] = dict(
        zip(
            ("source", "target"),
            as_ids([raw[found["source"]], raw[found["target"]]], ("source", "target"), where),
            strict=True,
        )
    )
    if "relation" in found:
        columns["relation"] = as_text(raw[found["relation"]], "relation", where)
    if "weight" in found:
        columns["weight"] = as_floats(raw[found["weight"]], "weight", where)
    if "time" in found:
        columns["time"] = _times(raw[found["time"]], "time", where, time_unit)
    columns |= _export_columns(raw, found, where)
    if columns.pop("id_type", None) is not None:
        # An export says so where text ids would be taken for integers.
        columns |= {role: columns[role].cast(pa.string()) for role in ("source", "target")}
    if properties:
        columns["properties"] = as_properties({key: raw[key] for key in properties})
    return FileTable(pa.table(columns), name, where, found, _ignored(names, found, raw))


def read_nodes(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    id: str | None = None,
    type: str | None = None,
    properties: Sequence[str] = (),
) -> FileTable:
    """Read nodes from any file that `read_edges` reads.

    Parameters
    ----------
    path, format : as of :func:`read_edges`
    id, type : the columns in these roles; None recognises them
    properties : columns that go into the properties

    Returns
    -------
    FileTable
        id : int64 if wholly integer, else string

        type : string, only if found

        properties : string, one JSON object; only if `properties` names columns, or the file has
        columns called id and properties and the latter holds JSON objects, as the node files of
        `hebbgraph export` do

    Raises
    ------
    InputError, ParameterError
        as :func:`read_edges`
    """
    name, names, raw, found, where = _read(path, format, {"id": id, "type": type}, properties)
    columns: dict[str, Any] = {"id": as_ids([raw[found["id"]]], ("id",), where)[0]}
    if "id_type" in raw:
        columns["id"] = columns["id"].cast(pa.string())
    if "type" in found:
        columns["type"] = as_text(raw[found["type"]], "type", where)
    if properties:
        columns["properties"] = as_properties({key: raw[key] for key in properties})
    elif found["id"] == "id" and _holds_objects(raw.get("properties")):
        columns["properties"] = as_text(raw["properties"], "properties", where)
    # A file may leave out a column of times that are all missing.
    for learned in (_METRICS, _USE):
        if set(learned) - set(TIMES) <= raw.keys():
            columns |= {
                key: raw[key] if key in TIMES else as_floats(raw[key], key, where)
                for key in learned
                if key in raw
            }
    return FileTable(pa.table(columns), name, where, found, _ignored(names, found, raw))


def _ignored(
    names: Sequence[str], found: Mapping[str, str], raw: Mapping[str, Any]
) -> tuple[str, ...]:
    return tuple(name for name in names if name not in found.values() and name not in raw)


def _holds_objects(column: Any) -> bool:
    if column is None:
        return False
    column = plain(column)
    if is_json(column.type):
        return all(value is None or isinstance(value, dict) for value in values_of(column))
    if not pa.types.is_string(column.type):
        return False
    return pc.all(pc.starts_with(column, "{")).as_py() is True


def _read(
    path: str | os.PathLike[str],
    format: str | None,
    roles: Mapping[str, str | None],
    properties: Sequence[str],
) -> tuple[str, Sequence[str], dict[str, Any], dict[str, str], Where]:
    """Return name, column names, the columns needed, role to column, and `where`."""
    given = [column for column in roles.values() if column is not None]
    name, (names, read, where) = open_table(path, format=format, given=[*given, *properties])
    found = recognise_columns(names, name=name, **roles)
    for column in properties:
        require_column(names, column, name=name)
    wanted = [*found.values(), *properties]
    if "source" in found and set(names) >= _EXPORT_MARKS:
        wanted += [column for column in _EXPORT_COLUMNS if column in names]
    if found.get("id") == "id" and "properties" in names and not properties:
        wanted.append("properties")
    if found.get("id") == "id" and set(_METRICS) <= set(names):
        wanted += [*_METRICS, *(name for name in names if name in ("id_type", *_USE))]
    table = read(list(dict.fromkeys(wanted)))
    return name, names, dict(zip(table.column_names, table.columns, strict=True)), found, where


def _export_columns(
    raw: Mapping[str, Any], found: Mapping[str, str], where: Where
) -> dict[str, Any]:
    if not raw.keys() >= _EXPORT_MARKS:
        return {}
    columns: dict[str, Any] = {}
    for key in _EXPORT_COLUMNS:
        if key not in raw or key in found.values():
            continue
        if key in ("co_occurrence_count", "shared_neighbors"):
            columns[key] = as_int32(raw[key], key, where)
        elif key in ("confidence", "rank"):
            columns[key] = as_floats(raw[key], key, where)
        elif key == "updated_at":
            columns[key] = _times(raw[key], key, where, None)
        elif key in ("directed", "id_type"):
            columns[key] = plain(raw[key]).cast(pa.string())
        else:
            columns[key] = as_text(raw[key], key, where)
    return columns


def _times(column: Any, role: str, where: Where, unit: str | None) -> Any:
    column = plain(column)
    if is_json(column.type):
        texts = [None if value is None else str(value) for value in values_of(column)]
        column = pa.array(texts, pa.string())
    return parse_times(column, name=role, where=where, unit=unit)
