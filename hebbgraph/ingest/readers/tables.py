"""CSV and TSV: every row a document."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

from hebbgraph.errors import InputError
from hebbgraph.ingest.decoding import decoded
from hebbgraph.ingest.readers.records import document_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hebbgraph.ingest.documents import Document
    from hebbgraph.ingest.readers.source import Source

_SAMPLED: Final = 1 << 14
_LONGEST_CELL: Final = 1 << 30


def read(data: bytes, source: Source) -> Iterator[Document]:
    """Rows under a header; the delimiter is recognised.

    Raises
    ------
    InputError
        a row has more cells than the header, or a record has no text
    """
    text, _ = decoded(data, source.name, encoding=source.encoding)
    if not text.strip():
        return
    csv.field_size_limit(_LONGEST_CELL)
    try:
        dialect: type[csv.Dialect] = csv.Sniffer().sniff(text[:_SAMPLED], ",;\t|")
        delimiter = dialect.delimiter
    except csv.Error:
        delimiter = "\t" if source.name.endswith((".tsv", ".tab")) else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = [name.strip().lower() for name in next(rows)]
        for row in rows:
            if not any(row):
                continue
            where = f"{source.name} line {rows.line_num}"
            if len(row) > len(header):
                raise InputError(f"{where}: expected {len(header)} cells, came {len(row)}")
            record = dict(zip(header, row, strict=False))
            record = {key: value for key, value in record.items() if value}
            yield document_of(
                record, where=where, id=f"{source.id}#{rows.line_num}", source=source.name
            )
    except csv.Error as error:
        raise InputError(f"{source.name} line {rows.line_num}: expected CSV; {error}") from None
