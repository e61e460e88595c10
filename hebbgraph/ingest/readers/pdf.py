"""PDF, by pypdf: the extra ``hebbgraph[documents]``."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from hebbgraph.errors import InputError
from hebbgraph.ingest.documents import Document, sha256

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hebbgraph.ingest.readers.source import Source


def read(data: bytes, source: Source) -> Iterator[Document]:
    """One document: the text of its pages, with a blank line between.

    Raises
    ------
    InputError
        pypdf is not installed, or the file is no PDF, is locked, or is pictures alone
    """
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise InputError(
            f"{source.name}: PDF needs pypdf; pip install 'hebbgraph[documents]'"
        ) from None
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(f"{source.name}: the PDF is locked by a password")
        pages = [page.extract_text() for page in reader.pages]
        title = (reader.metadata.title if reader.metadata else None) or source.title
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{source.name}: expected a PDF; {error}") from None
    text = "\n\n".join(page.strip() for page in pages)
    if pages and not text.strip():
        raise InputError(f"{source.name}: no text on its {len(pages)} pages; it may be a scan")
    text = text.encode("utf-8", "replace").decode()
    yield Document(
        source.id,
        title,
        text,
        source=source.name,
        sha256=sha256(data),
        metadata={"pages": len(pages)},
    )
