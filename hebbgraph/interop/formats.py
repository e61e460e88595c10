"""Bytes of a file, its compression and format, and its columns as they stand.

Each opener returns `Parts`: the names of the columns, a reader of some of them, and `where`.
"""

from __future__ import annotations

import codecs
import os
import stat
import sys
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from hebbgraph.errors import InputError, ParameterError
from hebbgraph.interop.delimited import (
    Bytes,
    Parts,
    open_delimited,
    skip_preamble,
)
from hebbgraph.interop.jsonlines import open_json_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hebbgraph.times import Where

_FORMATS: Final = {
    "csv": "csv",
    "tsv": "tsv",
    "tab": "tsv",
    "parquet": "parquet",
    "pq": "parquet",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "json": "jsonl",
    "arrow": "arrow",
    "ipc": "arrow",
    "feather": "arrow",
    "arrows": "arrow",
    "lance": "lance",
}
_COMPRESSIONS: Final = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_COMPRESSED_SUFFIXES: Final = (".gz", ".zst", ".zstd")
_UTF8_BLOCK: Final = 16 << 20


def open_table(
    path: str | os.PathLike[str], *, format: str | None, given: Sequence[str]
) -> tuple[str, Parts]:
    """Open the file, Lance dataset or (as "-") standard input at `path`.

    Parameters
    ----------
    path : where the data is
    format : csv, tsv, parquet, jsonl, arrow or lance; None recognises it by the suffix, else by
        the content
    given : the columns that the user named, see :func:`open_delimited`

    Returns
    -------
    name : what messages call the data
    parts : its columns, a reader of them, and the place of a row

    Raises
    ------
    InputError
        nothing is there, or it is empty or not what its format asks for
    ParameterError
        `format` is unknown
    """
    if format is not None and format.lower() not in _FORMATS:
        raise ParameterError(
            f'format "{format}" is unknown, expected csv, tsv, parquet, jsonl, arrow or lance'
        )
    known = None if format is None else _FORMATS[format.lower()]
    if os.fspath(path) == "-":
        name = "<stdin>"
        if sys.stdin is None:
            raise InputError("<stdin>: expected data, standard input is closed")
        data: Bytes = sys.stdin.buffer.read()
    else:
        name = Path(path).name
        if Path(path).is_dir():
            return name, _open_lance(Path(path), name, known)
        known = known or _format_of(name)
        data = _bytes_of(Path(path))
    if known == "lance":
        raise InputError(f"{name}: expected a Lance dataset, which is a folder; came a file")
    data = _decompressed(data, name)
    if not data:
        raise InputError(f"{name}: the file is empty (0 bytes)")
    known = known or _sniffed(data)
    if known == "parquet":
        return name, _open_parquet(data, name)
    if known == "arrow":
        return name, _open_arrow(data, name)
    _refuse_other_encodings(data, name)
    if known == "jsonl":
        return name, open_json_lines(data, name)
    return name, open_delimited(data, name, "\t" if known == "tsv" else ",", given)


def _format_of(name: str) -> str | None:
    path = Path(name.lower())
    if path.suffix in _COMPRESSED_SUFFIXES:
        path = path.with_suffix("")
    return _FORMATS.get(path.suffix.removeprefix("."))


def _bytes_of(path: Path) -> Bytes:
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            # Pipes and empty files cannot be mapped.
            if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
                return file.read()
            return mmap(file.fileno(), 0, access=ACCESS_READ)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; check the path") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _decompressed(data: Bytes, name: str) -> Bytes:
    for magic, codec in _COMPRESSIONS.items():
        if data[: len(magic)] == magic:
            try:
                stream = pa.CompressedInputStream(pa.BufferReader(pa.py_buffer(data)), codec)
                return bytes(stream.read())
            except (OSError, pa.ArrowException) as error:
                raise InputError(f"{name}: broken {codec} file: {_line(error)}") from error
    return data


def _line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _sniffed(data: Bytes) -> str:
    if data[:4] == b"PAR1":
        return "parquet"
    if data[:6] == b"ARROW1" or data[:4] == b"\xff\xff\xff\xff":
        return "arrow"
    start, _line_number = skip_preamble(data)
    if data[start : start + 1] == b"{":
        return "jsonl"
    end = data.find(b"\n", start)
    first = data[start : end if end >= 0 else len(data)]
    return "tsv" if b"\t" in first else "csv"


def _refuse_other_encodings(data: Bytes, name: str) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for begin in range(0, len(data), _UTF8_BLOCK):
        block = data[begin : begin + _UTF8_BLOCK]
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(block, final=begin + len(block) >= len(data))
        except UnicodeDecodeError as error:
            place = begin - pending + error.start
            line = 1 + sum(
                data[at : min(at + _UTF8_BLOCK, place)].count(b"\n")
                for at in range(0, place, _UTF8_BLOCK)
            )
            raise InputError(
                f"{name} line {line}: expected UTF-8, came the byte "
                f"0x{error.object[error.start]:02x}; save the file as UTF-8"
            ) from None


def _row_place(name: str) -> Where:
    return lambda row: f"{name} row {row + 1}"


def _open_parquet(data: Bytes, name: str) -> Parts:
    try:
        file = pyarrow.parquet.ParquetFile(pa.BufferReader(pa.py_buffer(data)))
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{name}: cannot be read as Parquet: {_line(error)}") from error
    _refuse_no_rows(file.metadata.num_rows, name)

    def read(columns: Sequence[str]) -> Any:
        try:
            return file.read(columns=list(columns)).select(list(columns))
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{name}: cannot be read as Parquet: {_line(error)}") from error

    return list(file.schema_arrow.names), read, _row_place(name)


def _open_arrow(data: Bytes, name: str) -> Parts:
    source = pa.BufferReader(pa.py_buffer(data))
    is_file = data[:6] == b"ARROW1"
    try:
        opener = pyarrow.ipc.open_file if is_file else pyarrow.ipc.open_stream
        table = opener(source).read_all()
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{name}: cannot be read as Arrow IPC: {_line(error)}") from error
    _refuse_no_rows(table.num_rows, name)
    return list(table.column_names), lambda names: table.select(list(names)), _row_place(name)


def _open_lance(path: Path, name: str, known: str | None) -> Parts:
    if known not in (None, "lance") or not (path / "_versions").is_dir():
        raise InputError(f"{path}: expected a file or a Lance dataset, came a folder")
    os.environ.setdefault("LANCE_LOG", "error")
    import lance

    try:
        dataset: Any = lance.dataset(str(path))
        rows = dataset.count_rows()
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: cannot be read as Lance: {_line(error)}") from error
    _refuse_no_rows(rows, name)

    def read(columns: Sequence[str]) -> Any:
        try:
            return dataset.to_table(columns=list(columns))
        except (OSError, ValueError) as error:
            raise InputError(f"{name}: cannot be read as Lance: {_line(error)}") from error

    return list(dataset.schema.names), read, _row_place(name)


def _refuse_no_rows(rows: int, name: str) -> None:
    if rows == 0:
        raise InputError(f"{name}: no rows")
