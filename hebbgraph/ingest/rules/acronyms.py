"""Short forms where they are explained: ``World Health Organization (WHO)``."""

from __future__ import annotations

import re
from typing import Final

_SHORT: Final = re.compile(r"\((?<= \()([^\W\d_][\w.-]{1,9})\)")
_WORD: Final = re.compile(r"\w+")


def long_form(before: str, short: str) -> int | None:
    """Where the long form of `short` begins in the text before its parenthesis; None if nowhere.

    The rule of Schwartz and Hearst (2003): from the right, every letter of the short form is
    found in the text, the first at the head of a word; at most min(n + 5, 2n) words are looked at.

    Examples
    --------
    >>> text = "founded by the World Health Organization"
    >>> text[long_form(text, "WHO") :]
    'World Health Organization'
    >>> long_form("in the city of Paris", "WHO")
    """
    letters = [letter for letter in short.lower() if letter.isalnum()]
    words = [match.start() for match in _WORD.finditer(before)]
    most = min(len(letters) + 5, 2 * len(letters))
    floor = words[-most] if len(words) > most else 0
    text = before.lower()
    place = len(text)
    for index in range(len(letters) - 1, -1, -1):
        place = text.rfind(letters[index], floor, place)
        while index == 0 and place > floor and text[place - 1].isalnum():
            place = text.rfind(letters[index], floor, place)
        if place < 0:
            return None
    if len(before) - place <= len(short) or before[place:].count("(") != before[place:].count(")"):
        return None
    return place


def explained(text: str) -> list[tuple[int, int, int, int]]:
    """Long and short forms in `text`: start and end (characters) of the long, then of the short.

    Examples
    --------
    >>> text = "The polymerase chain reaction (PCR) is old."
    >>> [(text[a:b], text[c:d]) for a, b, c, d in explained(text)]
    [('polymerase chain reaction', 'PCR')]
    """
    found = []
    for match in _SHORT.finditer(text):
        short = match[1]
        if short.islower() or sum(letter.isupper() for letter in short) < 2:
            continue
        end = match.start() - 1
        begin = max(end - 100, 0)
        begin = max(begin, *(text.rfind(stop, begin, end) + 1 for stop in ("\n", "(", ";")))
        place = long_form(text[begin:end], short)
        if place is not None:
            found.append((begin + place, end, match.start(1), match.end(1)))
    return found
