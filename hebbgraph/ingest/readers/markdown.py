"""Markdown: the text as it stands, with its headings and links found."""

from __future__ import annotations

import dataclasses
import itertools
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from hebbgraph.ingest.documents import Heading, Link
from hebbgraph.ingest.readers import text as plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hebbgraph.ingest.documents import Document
    from hebbgraph.ingest.readers.source import Source

_LINK: Final = re.compile(r"(?<!!)\[([^\[\]\n]{1,200})\]\(<?([^\s()<>]+)>?(?:\s+\"[^\"\n]*\")?\)")
_WIKI_LINK: Final = re.compile(r"\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]\n]{1,200}))?\]\]")


def read(data: bytes, source: Source) -> Iterator[Document]:
    """One document, called by its first heading of the highest level."""
    for document in plain.read(data, source):
        headings = _headings(document.text)
        top = min((heading.level for heading in headings), default=0)
        title = next((one.title for one in headings if one.level == top), document.title)
        links = tuple(_links(document.text))
        yield dataclasses.replace(document, title=title, headings=headings, links=links)


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    # Blocks alone: what is inside a paragraph is left to the rules.
    return MarkdownIt("commonmark").disable(["inline", "text_join"], ignoreInvalid=True)


def _headings(text: str) -> tuple[Heading, ...]:
    if "#" not in text and "\n==" not in text and "\n--" not in text:
        return ()
    lines = [0]
    lines += [match.end() for match in re.finditer(r"\r\n|\n|\r", text)]
    found = []
    tokens = _parser().parse(text)
    for token, inline in itertools.pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and inline.content:
            title = " ".join(_LINK.sub(r"\1", inline.content).split())
            found.append(Heading(lines[token.map[0]], int(token.tag[1:]), title.strip("*_` ")))
    return tuple(found)


def _links(text: str) -> Iterator[Link]:
    if "](" in text:
        for match in _LINK.finditer(text):
            yield Link(match.start(1), match.end(1), match[2])
    if "[[" in text:
        for match in _WIKI_LINK.finditer(text):
            shown = 2 if match[2] else 1
            yield Link(match.start(shown), match.end(shown), match[1])
