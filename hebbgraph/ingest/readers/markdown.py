"""Markdown: the text as it stands, with its front matter, headings and links found."""

from __future__ import annotations

import bisect
import contextlib
import dataclasses
import itertools
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from hebbgraph.errors import InputError
from hebbgraph.ingest.documents import Heading, Link
from hebbgraph.ingest.readers import text as plain
from hebbgraph.ingest.readers.front_matter import front_matter
from hebbgraph.ingest.readers.records import TIMES, moment

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterator, Mapping

    from hebbgraph.ingest.documents import Document
    from hebbgraph.ingest.readers.source import Source

_LINK: Final = re.compile(r"(?<!!)\[([^\[\]\n]{1,200})\]\(<?([^\s()<>]+)>?(?:\s+\"[^\"\n]*\")?\)")
_WIKI_LINK: Final = re.compile(r"\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]\n]{1,200}))?\]\]")


def read(data: bytes, source: Source) -> Iterator[Document]:
    """One document, called by its front matter, else its first heading of the highest level."""
    for document in plain.read(data, source):
        begin, said = front_matter(document.text)
        headings = _headings(document.text, begin)
        top = min((heading.level for heading in headings), default=0)
        title = next((one.title for one in headings if one.level == top), document.title)
        given = said.get("title")
        yield dataclasses.replace(
            document,
            title=given if given and isinstance(given, str) else title,
            time=_time(said),
            tags=_tags(said),
            headings=headings,
            links=tuple(_links(document.text)),
        )


def _time(said: Mapping[str, str | list[str]]) -> datetime.datetime | None:
    # Files of others: a date that cannot be read, as "last week", is no reason to refuse the text.
    for name in TIMES:
        with contextlib.suppress(InputError):
            if isinstance(value := said.get(name), str) and value:
                return moment(value, name)
    return None


def _tags(said: Mapping[str, str | list[str]]) -> tuple[str, ...]:
    given = said.get("tags") or ()
    listed = given.split(",") if isinstance(given, str) else given
    return tuple(dict.fromkeys(tag for one in listed if (tag := one.strip().lstrip("#"))))


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    # Blocks alone: what is inside a paragraph is left to the rules.
    return MarkdownIt("commonmark").disable(["inline", "text_join"], ignoreInvalid=True)


def _headings(text: str, begin: int) -> tuple[Heading, ...]:
    if "#" not in text and "\n==" not in text and "\n--" not in text:
        return ()
    lines = [0]
    lines += [match.end() for match in re.finditer(r"\r\n|\n|\r", text)]
    found = []
    # The line that ends front matter would underline what stands above it.
    body = "\n" * bisect.bisect_left(lines, begin) + text[begin:]
    tokens = _parser().parse(body)
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
