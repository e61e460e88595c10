"""CSV and TSV as tables of text, with the physical line of every row."""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from mmap import mmap
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.csv

from hebbgraph.errors import InputError
from hebbgraph.times import Where

Bytes = bytes | mmap
# The names of the columns, a reader of some of them, and the place of a row.
Parts = tuple[list[str], Callable[[Sequence[str]], Any], Where]

_BLOCK: Final = 4 << 20
_LARGEST_BLOCK: Final = 1 << 30
_SCAN: Final = 64 << 20
_INTEGER: Final = re.compile(r"-?[0-9]+\Z")


def open_delimited(data: Bytes, name: str, delimiter: str, given: Sequence[str]) -> Parts:
    """Find the header of `data` (valid UTF-8).

    Parameters
    ----------
    data : the whole file
    name : what messages call it
    delimiter : one ASCII character
    given : the columns that the user named; if all are numbers, and they name no columns or the
        first row is nothing but integers, the file has no header and its columns are called
        "1", "2", …

    Raises
    ------
    InputError
        there are no rows; on reading, a row has another number of fields than the first, or a
        quote is never closed
    """
    start, line = skip_preamble(data)
    record = _record_pattern(delimiter)
    first = record.match(data, start)
    if first is None or not first.group(1):
        raise InputError(f"{name}: no rows, only blank lines or comments")
    text = first.group(1).decode()
    header = next(csv.reader([text], delimiter=delimiter, strict=False))
    names = [field.strip() for field in header]
    if _is_headerless(names, given):
        names = [str(place) for place in range(1, len(names) + 1)]
    else:
        line += _newlines(first.group())
        start = first.end()
    if re.compile(rb"[^\r\n]").search(data, start) is None:
        raise InputError(f"{name}: no rows, only a header")

    @functools.cache
    def lines() -> Any:
        return _lines_of_records(data, start, line, record)

    def where(row: int) -> str:
        return f"{name} line {lines()[row]}"

    def read(columns: Sequence[str]) -> Any:
        _refuse_open_quote(data, start, line, record, name)
        return _read(data, start, names, columns, delimiter, name, where)

    return names, read, where


def skip_preamble(data: Bytes) -> tuple[int, int]:
    """Return offset and 1-based line of the first line that is neither blank nor a # comment."""
    start = 3 if data[:3] == b"\xef\xbb\xbf" else 0
    line = 1
    while start < len(data) and data[start : start + 1] in (b"#", b"\n", b"\r"):
        end = data.find(b"\n", start)
        if end < 0:
            return len(data), line
        start = end + 1
        line += 1
    return start, line


def lines_of_rows(data: Bytes, start: int, line: int) -> Any:
    """Number the non-empty lines of `data` from `start` on, which is `line`: (n,) int64."""
    pieces = []
    begin = start
    while begin < len(data):
        end = min(begin + _SCAN, len(data))
        block = np.frombuffer(data, np.uint8, end - begin, begin)
        pieces.append(np.flatnonzero(block == ord("\n")) + begin)
        begin = end
    ends = np.concatenate(pieces) if pieces else np.empty(0, np.int64)
    if len(data) > start and data[-1:] != b"\n":
        ends = np.append(ends, len(data))
    starts = np.concatenate(([start], ends[:-1] + 1)) if ends.size else ends
    sizes = ends - starts
    blank = sizes == 0
    for index in np.flatnonzero(sizes == 1):
        blank[index] = data[int(starts[index])] in b"\r"
    return np.flatnonzero(~blank) + line


def _is_headerless(names: Sequence[str], given: Sequence[str]) -> bool:
    if not given or not all(column.isascii() and column.isdigit() for column in given):
        return False
    # A first row of nothing but integers is an edge: "1<tab>2" is no header.
    return any(column not in names for column in given) or all(map(_INTEGER.match, names))


def _record_pattern(delimiter: str) -> re.Pattern[bytes]:
    """Match one record as Arrow splits it: a quote counts only where a field begins."""
    mark = re.escape(delimiter).encode()
    bare = rb"[^\r\n" + mark + rb"]*+"
    field = rb'(?:"[^"]*+(?:""[^"]*+)*+(?:"|(?P<open>\Z))' + bare + rb"|" + bare + rb")"
    again = field.replace(rb"(?P<open>\Z)", rb"(?P<open_again>\Z)")
    return re.compile(rb"(" + field + rb"(?:" + mark + again + rb")*+)(?:\r\n|\n|\r|\Z)")


def _newlines(record: bytes) -> int:
    return record.count(b"\n") + record.count(b"\r") - record.count(b"\r\n")


def _records(
    data: Bytes, start: int, line: int, record: re.Pattern[bytes]
) -> Iterator[tuple[int, re.Match[bytes]]]:
    while start < len(data):
        match = record.match(data, start)
        if match is None:
            return
        if match.group(1):
            yield line, match
        line += _newlines(match.group())
        start = match.end()


def _lines_of_records(data: Bytes, start: int, line: int, record: re.Pattern[bytes]) -> Any:
    if data.find(b'"', start) < 0 and re.compile(rb"\r(?!\n)").search(data, start) is None:
        return lines_of_rows(data, start, line)
    return np.fromiter((at for at, _ in _records(data, start, line, record)), np.int64)


def _refuse_open_quote(
    data: Bytes, start: int, line: int, record: re.Pattern[bytes], name: str
) -> None:
    """Find the open quote whose field, to Arrow, is all that follows: those rows would be lost."""
    quotes = 0
    for begin in range(start, len(data), _SCAN):
        block = np.frombuffer(data, np.uint8, min(_SCAN, len(data) - begin), begin)
        quotes += int(np.count_nonzero(block == ord('"')))
    if quotes % 2 == 0:
        return
    for at, match in _records(data, start, line, record):
        if match.group("open") is not None or match.group("open_again") is not None:
            raise InputError(f'{name} line {at}: a quote (") is opened and never closed')


def _read(
    data: Bytes,
    start: int,
    names: Sequence[str],
    columns: Sequence[str],
    delimiter: str,
    name: str,
    where: Where,
) -> Any:
    # By place, because two columns that nobody asked for may share a name.
    places = {column: str(names.index(column)) for column in columns}
    body = pa.py_buffer(data)[start:]
    multiline = data.find(b'"', start) >= 0
    wrong: list[Any] = []

    def refuse(row: Any) -> str:
        wrong.append(row)
        return "skip"

    def run(block: int, *, threads: bool) -> Any:
        return pyarrow.csv.read_csv(
            pa.BufferReader(body),
            read_options=pyarrow.csv.ReadOptions(
                block_size=block,
                column_names=[str(place) for place in range(len(names))],
                use_threads=threads,
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=multiline,
                invalid_row_handler=None if threads else refuse,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(places.values(), pa.string()),
                include_columns=list(places.values()),
                null_values=[""],
                strings_can_be_null=True,
                # UTF-8 has been checked for the whole file, to name the line.
                check_utf8=False,
            ),
        )

    try:
        try:
            table = run(_BLOCK, threads=True)
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error):
                raise
            table = run(_LARGEST_BLOCK, threads=True)
    except pa.ArrowInvalid as error:
        # Only a single thread numbers the rows it refuses.
        run(_LARGEST_BLOCK, threads=False)
        if not wrong:
            raise InputError(f"{name}: cannot be read: {str(error).splitlines()[0]}") from error
        row = wrong[0]
        raise InputError(
            f"{where(row.number - 1)}: expected {row.expected_columns} fields, "
            f"came {row.actual_columns}"
        ) from None
    return table.rename_columns(list(places))
