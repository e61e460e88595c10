"""Plain text: one file, one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbgraph.ingest.decoding import decoded
from hebbgraph.ingest.documents import Document, sha256

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hebbgraph.ingest.readers.source import Source


def read(data: bytes, source: Source) -> Iterator[Document]:
    """One document, called as its file is."""
    text, encoding = decoded(data, source.name, encoding=source.encoding)
    yield Document(
        source.id,
        source.title,
        text,
        source=source.name,
        sha256=sha256(data),
        metadata={} if encoding == "utf-8" else {"encoding": encoding},
    )
