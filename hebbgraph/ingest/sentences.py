"""Where sentences end, in any script, by punctuation alone."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import numpy.typing as npt

# A full stop after one of these or after a single capital ends nothing.
_ABBREVIATIONS: Final = (
    *("Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Mt", "Ft", "Gen", "Col", "Lt", "Sgt", "Capt", "Rev"),
    *("Gov", "Sen", "Rep", "Hon", "Jr", "Sr", "No", "Nos", "Vol", "vs", "cf", "ca", "e.g", "i.e"),
    *("approx", "Inc", "Co", "Corp", "Ltd"),
)
_NOT_AFTER: Final = "".join(rf"(?<!\b{re.escape(word)}\.)" for word in _ABBREVIATIONS)
# Every alternative begins with one character of one set, so that the search skips to those.
_END: Final = re.compile(
    r"[.!?…。！？｡\n#](?:"
    # Latin: a stop, what closes, a space, and no small letter after it.
    rf"(?:(?<=[!?…])|(?<=\.){_NOT_AFTER}(?<![\W_][A-Z]\.))[.!?…]*[\"'”’»)\]]*(?=\s+[^\sa-z])"
    r"|(?<=[。！？｡])[。！？｡]*[\"'”’」』）)]*"
    r"|(?<=\n)(?:(?=[ \t]*\n)"
    # A Markdown heading is a sentence, and a list item begins one.
    r"|(?=#{1,6} |[ \t]*(?:[-*+•]|\d+[.)])[ \t]))"
    r"|(?<=^#)#{0,5} [^\n]*)",
    re.MULTILINE,
)


def sentence_ends(text: str) -> npt.NDArray[np.int64]:
    """Offsets in `text` (characters) just past every sentence: (s,) int64, ascending.

    The last is the length of the text. A sentence holds the space after it only by what follows:
    strip it where that matters.

    Examples
    --------
    >>> sentence_ends("Dr. No met J. Bond. He left! 끝났다. 完了。次").tolist()
    [19, 28, 33, 37, 38]
    """
    ends = [match.end() for match in _END.finditer(text)]
    if not ends or ends[-1] != len(text):
        ends.append(len(text))
    return np.array(ends, np.int64)
