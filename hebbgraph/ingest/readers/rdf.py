"""RDF in all its formats: one document, with a graph in place of passages."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from hebbgraph.errors import InputError
from hebbgraph.ingest.documents import Document, sha256
from hebbgraph.ingest.ontologies import syntax_of, triples_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hebbgraph.ingest.readers.source import Source


def read(data: bytes, source: Source) -> Iterator[Document]:
    """One document, called as its file is.

    Raises
    ------
    InputError
        the extra ``hebbgraph[rdf]`` is not installed, or it is not of the format or not UTF-8
    """
    syntax = syntax_of(PurePath(source.name).suffix, data, source.name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{source.name}: expected UTF-8; save it as that") from None
    triples_of(text.encode(), syntax, source.name)
    yield Document(
        source.id, "", text, source=source.name, sha256=sha256(data), kind="artifact",
        tags=("rdf",), syntax=syntax,
    )  # fmt: skip
