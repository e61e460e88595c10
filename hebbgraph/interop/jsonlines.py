"""JSON Lines as a table, with the physical line of every row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.json

from hebbgraph.errors import InputError
from hebbgraph.interop.delimited import Bytes, Parts, lines_of_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hebbgraph.times import Where

_SAMPLED_LINES: Final = 1000
_PLAIN_JSON_TYPES: Final = (pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.null())


def open_json_lines(data: Bytes, name: str) -> Parts:
    """Open `data`, valid UTF-8 with one JSON object a line.

    Raises
    ------
    InputError
        there are no rows, or a line is no JSON object
    """
    start = 3 if data[:3] == b"\xef\xbb\xbf" else 0
    lines = lines_of_rows(data, start, 1)
    table = _fast_json(data, start, len(lines))
    if table is None:
        lines, objects = _parsed_lines(data, start, name)
        if not objects:
            raise InputError(f"{name}: no rows")
        names = list(dict.fromkeys(key for item in objects for key in item))
        names += _omitted(names)
        return names, lambda keys: _column_table(objects, keys), _line_place(name, lines)

    for key in _omitted(table.column_names):
        table = table.append_column(key, pa.nulls(table.num_rows))

    def read(columns: Sequence[str]) -> Any:
        chosen = table.select(list(columns))
        if all(kind in _PLAIN_JSON_TYPES for kind in chosen.schema.types):
            return chosen
        # Arrow guesses times and fills nested objects up; the parsed lines are as written.
        return _column_table(_parsed_lines(data, start, name)[1], columns)

    return list(table.column_names), read, _line_place(name, lines)


def _omitted(names: Sequence[str]) -> list[str]:
    """Name the export column that JSON Lines lack if no edge is inferred, as it is all null."""
    is_export = "co_occurrence_count" in names and "discovered_by" not in names
    return ["discovered_by"] if is_export else []


def _line_place(name: str, lines: Any) -> Where:
    return lambda row: f"{name} line {lines[row]}"


def _fast_json(data: Bytes, start: int, rows: int) -> Any:
    """Read as Arrow does; None where that could differ from what is written."""
    samples: dict[str, set[type]] = {}
    begin = start
    for _ in range(_SAMPLED_LINES):
        end = data.find(b"\n", begin)
        line = data[begin : end if end >= 0 else len(data)]
        try:
            for key, value in json.loads(line).items() if line.strip() else ():
                samples.setdefault(key, set()).add(type(value))
        except (ValueError, AttributeError, RecursionError):
            return None
        if end < 0:
            break
        begin = end + 1
    fields = []
    for key, kinds in samples.items():
        kinds = kinds - {type(None)}
        if kinds == {str}:
            fields.append((key, pa.string()))
        elif kinds == {int}:
            fields.append((key, pa.int64()))
        elif kinds and kinds <= {int, float}:
            fields.append((key, pa.float64()))
    try:
        table = pyarrow.json.read_json(
            pa.BufferReader(pa.py_buffer(data)[start:]),
            read_options=pyarrow.json.ReadOptions(block_size=4 << 20),
            parse_options=pyarrow.json.ParseOptions(explicit_schema=pa.schema(fields)),
        )
    except pa.ArrowException:
        return None
    return table if table.num_rows == rows and rows else None


def _parsed_lines(data: Bytes, start: int, name: str) -> tuple[list[int], list[dict[str, Any]]]:
    lines: list[int] = []
    objects: list[dict[str, Any]] = []
    number = 0
    begin = start
    while begin < len(data):
        end = data.find(b"\n", begin)
        end = end if end >= 0 else len(data)
        line = data[begin:end].strip()
        begin = end + 1
        number += 1
        if not line:
            continue
        try:
            item = json.loads(line)
            if b"\\u" in line:
                # Half a surrogate pair is JSON but no text that UTF-8 can hold.
                json.dumps(item, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{name} line {number}: expected text, came half a surrogate pair"
            ) from None
        except (ValueError, RecursionError) as error:
            what = str(error).split(": line ")[0]
            raise InputError(
                f"{name} line {number}: expected one JSON object a line; {what}"
            ) from None
        if not isinstance(item, dict):
            raise InputError(
                f"{name} line {number}: expected one JSON object a line, "
                f"came {'an array' if isinstance(item, list) else 'a bare value'}"
            )
        lines.append(number)
        objects.append(item)
    return lines, objects


def _column_table(objects: Sequence[dict[str, Any]], columns: Sequence[str]) -> Any:
    return pa.table({key: _json_column([item.get(key) for item in objects]) for key in columns})


def _json_column(values: list[Any]) -> Any:
    """Give `values` the one type they share, else arrow.json."""
    kinds = {type(value) for value in values} - {type(None)}
    try:
        if kinds <= {str}:
            return pa.array(values, pa.string())
        if kinds == {int}:
            return pa.array(values, pa.int64())
        if kinds == {float} or (kinds == {int, float} and _exact(values)):
            return pa.array(values, pa.float64())
        if kinds == {bool}:
            return pa.array(values, pa.bool_())
    except (OverflowError, pa.ArrowInvalid):
        pass
    texts = [None if value is None else json.dumps(value) for value in values]
    return pa.array(texts, pa.json_(pa.string()))


def _exact(values: list[Any]) -> bool:
    return all(not isinstance(value, int) or abs(value) <= 2**53 for value in values)
