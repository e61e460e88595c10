"""Names that a query says: titles of documents and entities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from hebbgraph.ingest.rules.assembly import key_of
from hebbgraph.ingest.rules.korean import without_particle
from hebbgraph.ingest.rules.words import FUNCTION_WORDS
from hebbgraph.retrieval.terms import unaccented

LONGEST: Final = 8

Ints = npt.NDArray[np.int64]


def name_key(name: str) -> str:
    """What makes two names one to a query: their words, case folded and without accents.

    Examples
    --------
    >>> name_key("Jean-Luc  Picard")
    'jean luc picard'
    """
    return unaccented(key_of(name))


@dataclass(frozen=True)
class Names:
    """Names to look for, and what each may mean.

    Attributes
    ----------
    bearers : key of a name to the numbers of those called so, ascending
    """

    bearers: dict[str, Ints]

    def said(self, query: str) -> list[tuple[str, Ints]]:
        """Names in ``query``, the longest at each place, leftmost first, each once.

        Names of up to eight words; Korean particles after them do not count.  A single function
        word or number is none.
        """
        words = name_key(query).split()
        bare = [without_particle(word) if len(word) <= 64 else word for word in words]
        found: dict[str, Ints] = {}
        place = 0
        while place < len(words):
            for size in range(min(LONGEST, len(words) - place), 0, -1):
                end = place + size
                head = words[place : end - 1]
                for last in (words[end - 1], bare[end - 1]):
                    name = " ".join([*head, last])
                    if name in self.bearers:
                        break
                else:
                    continue
                found[name] = self.bearers[name]
                place = end
                break
            else:
                place += 1
        return list(found.items())


def names_of(pairs: Iterable[tuple[str, int]]) -> Names:
    """Index names.

    Parameters
    ----------
    pairs : a name, and the number of who is called so
    """
    bearers: dict[str, set[int]] = {}
    for name, number in pairs:
        key = name_key(name)
        if key and not (" " not in key and (key in FUNCTION_WORDS or key.isdigit())):
            bearers.setdefault(key, set()).add(number)
    return Names({key: np.array(sorted(own), np.int64) for key, own in bearers.items()})
