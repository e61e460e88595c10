"""HTML: what is read on the page, without scripts, styles and markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

from hebbgraph.errors import InputError
from hebbgraph.ingest.decoding import decoded
from hebbgraph.ingest.documents import Document, Heading, Link, sha256

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hebbgraph.ingest.readers.source import Source

_UNSEEN: Final = frozenset(("script", "style", "template", "noscript", "svg", "head"))
_BLOCK_NAMES: Final = """
address article aside blockquote body br dd details div dl dt fieldset figcaption figure footer form
h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tr ul
"""
_BLOCKS: Final = frozenset(_BLOCK_NAMES.split())
_CELLS: Final = frozenset(("td", "th"))
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_DECLARED: Final = re.compile(rb"<meta[^>]{0,200}?charset=[\"']?\s*([\w.:-]+)", re.I)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.size = 0
        self.title = ""
        self.headings: list[Heading] = []
        self.links: list[Link] = []
        self._unseen = 0
        self._in_title = False
        self._heading: tuple[int, int, int] | None = None
        self._link: tuple[int, str] | None = None

    def _write(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)

    def _break(self, sign: str) -> None:
        if self.parts and self.parts[-1] != sign:
            if self.parts[-1] == " " or self.parts[-1] == "\n":
                self.size -= len(self.parts.pop())
            self._write(sign)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and not self.title:
            self._in_title = True
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag in _BLOCKS:
            self._break("\n\n")
        elif tag in _CELLS:
            self._break("\t")
        if tag in _HEADINGS:
            self._heading = (self.size, int(tag[1]), len(self.parts))
        elif tag == "a":
            target = dict(attrs).get("href")
            self._link = (self.size, target) if target else None

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if tag in _HEADINGS and self._heading:
            start, level, part = self._heading
            title = "".join(self.parts[part:]).strip()
            if title:
                self.headings.append(Heading(start, level, " ".join(title.split())))
            self._heading = None
        elif tag == "a" and self._link:
            start, target = self._link
            if self.size > start:
                self.links.append(Link(start, self.size, target))
            self._link = None
        if tag in _UNSEEN:
            self._unseen = max(self._unseen - 1, 0)
        elif tag in _BLOCKS:
            self._break("\n\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._unseen:
            text = re.sub(r"\s+", " ", data)
            if not self.parts or self.parts[-1][-1].isspace():
                text = text.lstrip(" ")
            if text:
                self._write(text)


def read(data: bytes, source: Source) -> Iterator[Document]:
    """One document: the text of the page, called by its title, its first heading or its file.

    Raises
    ------
    InputError
        the markup cannot be read
    """
    declared = None if source.encoding else _DECLARED.search(data[:2048])
    encoding = declared[1].decode("ascii") if declared else source.encoding
    try:
        markup, _ = decoded(data, source.name, encoding=encoding)
    except InputError:
        # Pages often declare what they are not.
        markup, _ = decoded(data, source.name, encoding=source.encoding)
    page = _Page()
    try:
        page.feed(markup)
        page.close()
    except AssertionError as error:
        raise InputError(f"{source.name}: expected HTML; {error}") from None
    first = next((heading.title for heading in page.headings), source.title)
    yield Document(
        source.id,
        " ".join(page.title.split()) or first,
        "".join(page.parts),
        source=source.name,
        sha256=sha256(data),
        headings=tuple(page.headings),
        links=tuple(page.links),
    )
