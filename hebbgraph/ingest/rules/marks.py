"""Headings and links that the format of a document marks, placed inside its passages."""

from __future__ import annotations

import bisect
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import numpy as np

from hebbgraph.ingest.passages import byte_offsets
from hebbgraph.ingest.rules.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hebbgraph.ingest.documents import Document
    from hebbgraph.ingest.passages import Passage


@dataclass(frozen=True)
class Marks:
    """Marks of every passage.

    Attributes
    ----------
    spans : row of the passage to start, end (characters of its text) and kind
    links : row of the passage, row of the document linked to, start, end (bytes of the text)
    """

    spans: Mapping[int, list[tuple[int, int, int]]]
    links: list[tuple[int, int, int, int]]


def marks_of(
    documents: Sequence[Document], passages: Sequence[Passage], rows: Mapping[str, int]
) -> Marks:
    """Place headings and links; links to other documents are resolved by their ids.

    Where no document has that id, the ending ``.md`` may be missing; then a note of that name
    anywhere is meant, if there is one alone, as wikis have it.

    Parameters
    ----------
    documents, passages : the corpus
    rows : id of a document to its row
    """
    spans: dict[int, list[tuple[int, int, int]]] = {}
    links: list[tuple[int, int, int, int]] = []
    held: dict[str, list[int]] = {}
    notes = _notes(rows)
    marked = {document.id for document in documents if document.headings or document.links}
    for row, passage in enumerate(passages):
        if passage.document in marked:
            held.setdefault(passage.document, []).append(row)
    for name, own in held.items():
        document = documents[rows[name]]
        offsets = byte_offsets(document.text)
        starts = np.searchsorted(offsets, [passages[row].start for row in own]).tolist()
        wanted = [(h.start, h.start + len(h.title), Kind.HEADING, "") for h in document.headings]
        wanted += [(link.start, link.end, Kind.LINK, link.target) for link in document.links]
        for start, end, kind, target in wanted:
            at = bisect.bisect_right(starts, start) - 1
            if at < 0:
                continue
            row, begin = own[at], start - starts[at]
            length = len(passages[row].text)
            if kind == Kind.HEADING:
                # The signs of a heading come before its words.
                line = passages[row].text[begin:].split("\n", 1)[0].rstrip("# \t")
                end = start + len(line)
            if begin < length:
                local = (begin, min(end - starts[at], length), int(kind))
                spans.setdefault(row, []).append(local)
            linked = _row_at(name, target, rows, notes) if target else None
            if linked is not None:
                links.append((row, linked, int(offsets[start]), int(offsets[end])))
    return Marks(spans, links)


def _notes(rows: Mapping[str, int]) -> dict[str, int | None]:
    """Names of Markdown files without folder and ending to their rows; None where several are."""
    found: dict[str, int | None] = {}
    for name, row in rows.items():
        if name.endswith(".md"):
            own = posixpath.basename(name)[:-3].casefold()
            found[own] = None if own in found else row
    return found


def _row_at(
    name: str, target: str, rows: Mapping[str, int], notes: Mapping[str, int | None]
) -> int | None:
    at = _document_at(name, target)
    row = rows.get(at, rows.get(f"{at}.md"))
    return notes.get(posixpath.basename(at).casefold()) if row is None and ":" not in at else row


def _document_at(name: str, target: str) -> str:
    """The id that a link's target means, seen from the document called `name`."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return target
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path)))
