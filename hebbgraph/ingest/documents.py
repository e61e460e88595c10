"""A document as it was read, before anything is made of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a text.

    Attributes
    ----------
    start : offset of its first character in the text
    level : 1 is the highest
    title : without marks
    """

    start: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Link:
    """A stretch of a text that points elsewhere.

    Attributes
    ----------
    start, end : offsets in the text, in characters
    target : URL, or a path relative to the document
    """

    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class Document:
    """One document.

    Attributes
    ----------
    id : unique; stable as long as the source is
    title : "" if none is known
    text : for text and Markdown exactly what the file holds
    time : when it was written or said, aware; None if unknown
    source : path or URI, "" for a string
    sha256 : of the bytes it was read from, in hexadecimal
    span : those bytes in the source: (start, end); None for the whole of it
    kind, tags : as given by the source, else "" and ()
    headings, links : where the format has them
    metadata : what else the source says, values as JSON has them
    syntax : of RDF, the name of its format: the text then states a graph and has no passages
    """

    id: str
    title: str
    text: str
    time: datetime | None = None
    source: str = ""
    sha256: str = ""
    span: tuple[int, int] | None = None
    kind: str = ""
    tags: tuple[str, ...] = ()
    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    syntax: str = ""


def sha256(data: bytes) -> str:
    """Hash of bytes in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
