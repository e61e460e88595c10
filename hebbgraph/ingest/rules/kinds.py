"""What a mention was recognised by."""

from __future__ import annotations


class Kind:
    """Codes of mentions; where two rules find the same words, the lower code stands."""

    TITLE = 0
    NAME = 1
    DATE = 2
    HEADING = 3
    LINK = 4
    TAG = 5
    CODE = 6
    QUOTED = 7
    NUMBER = 8
    TERM = 9
    NOUN = 10
    CONCEPT = 11


# A title names a thing as a name does.
TYPES = (
    "name",
    "name",
    "date",
    "heading",
    "link",
    "tag",
    "code",
    "quoted",
    "number",
    "term",
    "term",
    "concept",
)
