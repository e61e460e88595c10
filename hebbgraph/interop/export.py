"""Write tables to files that :mod:`hebbgraph.interop.files` reads back whole."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph.errors import InputError, StoreWriteError
from hebbgraph.graph import Graph

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}


def write_table(table: pa.Table, path: str | os.PathLike[str], *, format: str | None = None) -> str:
    """Write a table; a failure leaves no file, and an older one as it was.

    Parameters
    ----------
    path : suffix chooses the format, ``.gz`` or ``.zst`` after it compresses text formats;
        ``"-"`` is standard output
    format : csv, tsv, jsonl, parquet, arrow or lance, where the suffix does not tell

    Returns
    -------
    format : the one written

    Raises
    ------
    InputError
        the format is not known
    StoreWriteError
        the file cannot be written
    """
    place = Path(path)
    compression = COMPRESSIONS.get(place.suffix)
    stem = place.with_suffix("") if compression else place
    kind = format or SUFFIXES.get(stem.suffix.lower(), "")
    if kind not in WRITERS and kind != "lance":
        raise InputError(
            f"{path}: expected a suffix that tells the format, or --format with one of "
            f"{', '.join([*WRITERS, 'lance'])}; got {kind or stem.suffix!r}"
        )
    plain = pa.table({name: _decoded(table[name]) for name in table.column_names})
    if str(path) == "-":
        if kind == "lance":
            raise InputError("-: a Lance data set is a folder and cannot go to standard output")
        WRITERS[kind](plain, cast("BinaryIO", sys.stdout.buffer))
        sys.stdout.buffer.flush()
    elif kind == "lance":
        _write_lance(plain, place)
    elif place.exists() and not place.is_file():
        _write_to_device(plain, place, WRITERS[kind])
    else:
        with (
            _replacing(place) as staged,
            pa.output_stream(str(staged), compression=compression) as out,
        ):
            WRITERS[kind](plain, out)
    return kind


def exported_edges(graph: Graph) -> pa.Table:
    """Edges with all that they learned, and how ids and directions are to be read."""
    edges = graph.to_arrow()
    directed = pa.array(np.full(graph.n_edges, graph.directed))
    return _with_id_type(edges.append_column("directed", directed), graph)


def exported_nodes(graph: Graph) -> pa.Table:
    """Nodes with types, properties and metrics."""
    return _with_id_type(graph.nodes_to_arrow(), graph)


def _with_id_type(table: pa.Table, graph: Graph) -> pa.Table:
    """Mark text ids that a reader would take for integers."""
    known = graph.node_ids
    if known is None or not pa.types.is_string(known.type) or not len(known):
        return table
    if not pc.all(pc.match_substring_regex(known, r"^-?\d+$")).as_py():
        return table
    return table.append_column("id_type", pa.array(["string"] * table.num_rows, pa.string()))


@contextmanager
def _replacing(place: Path) -> Iterator[Path]:
    """A path beside ``place``, links followed, that takes its name at the end."""
    target = Path(os.path.realpath(place))
    staged = target.with_name(f".{target.name}.{uuid4().hex[:8]}.new")
    try:
        yield staged
        staged.replace(target)
    except OSError as error:
        raise StoreWriteError(f"{place}: cannot be written ({error.strerror or error})") from None
    finally:
        staged.unlink(missing_ok=True)


def _write_to_device(table: pa.Table, place: Path, write: Callable[[pa.Table, Any], None]) -> None:
    if place.is_dir():
        raise StoreWriteError(f"{place}: expected a file to write, got a folder")
    try:
        with place.open("wb") as out:
            write(table, out)
    except OSError as error:
        raise StoreWriteError(f"{place}: cannot be written ({error.strerror or error})") from None


def _decoded(column: Any) -> Any:
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


def _write_csv(delimiter: str) -> Callable[[pa.Table, Any], None]:
    def write(table: pa.Table, out: Any) -> None:
        from pyarrow import csv

        csv.write_csv(table, out, csv.WriteOptions(delimiter=delimiter))

    return write


def _write_jsonl(table: pa.Table, out: Any) -> None:
    for batch in table.to_batches(max_chunksize=1 << 14):
        lines = (
            json.dumps(
                {name: value for name, value in row.items() if value is not None},
                ensure_ascii=False, default=lambda moment: moment.isoformat(),
            )
            for row in batch.to_pylist()
        )  # fmt: skip
        out.write(("\n".join(lines) + "\n").encode())


def _write_parquet(table: pa.Table, out: Any) -> None:
    from pyarrow import parquet

    parquet.write_table(table, out, compression="zstd")


def _write_arrow(table: pa.Table, out: Any) -> None:
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)


def _write_lance(table: pa.Table, place: Path) -> None:
    if place.exists():
        raise StoreWriteError(f"{place}: something stands there already; choose another path")
    import lance

    from hebbgraph.transaction import explained

    staged = place.with_name(f".{place.name}.{uuid4().hex[:8]}.new")
    try:
        lance.write_dataset(table, str(staged))
        staged.replace(place)
    except Exception as error:
        raise explained(place, error) from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)


WRITERS: dict[str, Callable[[pa.Table, Any], None]] = {
    "csv": _write_csv(","),
    "tsv": _write_csv("\t"),
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}

SUFFIXES = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl",
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".ipc": "arrow",
    ".feather": "arrow", ".lance": "lance",
}  # fmt: skip
