"""What marks itself by signs: hashtags, URLs, quotations, code in backticks, figures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hebbgraph.ingest.rules.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATTERNS: Final = (
    (Kind.TAG, re.compile(r"#(?<![\w&/]#)([^\W\d_]\w*)")),
    (Kind.LINK, re.compile(r"(https?://[^\s<>()\[\]\"'`]*[^\s<>()\[\]\"'`.,;:!?])")),
    (Kind.CODE, re.compile(r"`([^`\n]{2,60})`")),
    (Kind.QUOTED, re.compile(r"[“«「『《]([^“”«»「」『』《》\n]{2,60})[”»」』》]")),
    (Kind.QUOTED, re.compile(r"\"(?<![\w\"]\")([^\W_][^\"\n]{0,58}[^\W_])\"(?!\w)")),
    (Kind.NUMBER, re.compile(r"\d(?<![\d,.]\d)(?:\d{0,2}(?:,\d{3})+(?![\d,])|\d*(?:\.\d+)?%)")),
)


def pattern_spans(text: str) -> Iterator[tuple[int, int, int]]:
    """Start, end (characters) and kind of everything that a sign marks.

    Examples
    --------
    >>> text = "See #graphs, “spreading activation” and `np.dot`: 40,000 of 61%"
    >>> [text[start:end] for start, end, _ in pattern_spans(text)]
    ['graphs', 'np.dot', 'spreading activation', '40,000', '61%']
    """
    for kind, pattern in _PATTERNS:
        group = pattern.groups
        for match in pattern.finditer(text):
            yield match.start(group), match.end(group), kind
