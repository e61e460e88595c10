"""Word documents, by python-docx: the extra ``hebbgraph[documents]``."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING, Final

from hebbgraph.errors import InputError
from hebbgraph.ingest.documents import Document, Heading, sha256

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hebbgraph.ingest.readers.source import Source

_HEADING: Final = re.compile(r"(?:Heading|heading|제목) ?([1-9])|Title")


def read(data: bytes, source: Source) -> Iterator[Document]:
    """One document: paragraphs and tables in their order, with its headings.

    Raises
    ------
    InputError
        python-docx is not installed, or the file is no Word document
    """
    try:
        import docx
        from docx.opc.exceptions import PackageNotFoundError
        from docx.table import Table
    except ImportError:
        raise InputError(
            f"{source.name}: DOCX needs python-docx; pip install 'hebbgraph[documents]'"
        ) from None
    try:
        word = docx.Document(io.BytesIO(data))
    except (PackageNotFoundError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise InputError(f"{source.name}: expected a Word document; {error}") from None
    parts: list[str] = []
    headings: list[Heading] = []
    size = 0
    for item in word.iter_inner_content():
        if isinstance(item, Table):
            rows = ["\t".join(cell.text.strip() for cell in row.cells) for row in item.rows]
            text = "\n".join(rows)
        else:
            text = item.text
            style = item.style.name if item.style is not None else ""
            found = _HEADING.match(style or "")
            if found and text.strip():
                headings.append(Heading(size, int(found[1] or 1), " ".join(text.split())))
        if text.strip():
            parts.append(text)
            size += len(text) + 2
    title = word.core_properties.title or next((one.title for one in headings), source.title)
    yield Document(
        source.id,
        title,
        "\n\n".join(parts),
        source=source.name,
        sha256=sha256(data),
        headings=tuple(headings),
    )
