"""Names that a query says: titles of documents and entities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hebbgraph.ingest.rules.assembly import key_of
from hebbgraph.ingest.rules.korean import without_particle
from hebbgraph.ingest.rules.words import FUNCTION_WORDS
from hebbgraph.retrieval.lexicon import Lexicon, lexicon
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


@dataclass(frozen=True, eq=False, repr=False)
class Names:
    """Names to look for, and what each may mean.

    Attributes
    ----------
    keys : of the names
    indptr : (len(keys) + 1,) int64, where the bearers of each begin
    bearer : numbers of those called so, ascending within a name
    row : number of a bearer to what is told of it, -1 for who is not there; None: itself
    """

    keys: Lexicon
    indptr: Ints
    bearer: Ints
    row: Ints | None = None

    def of(self, name: int) -> Ints:
        """Who is called by a name, by its row; ascending."""
        found = self.bearer[self.indptr[name] : self.indptr[name + 1]]
        if self.row is None:
            return found
        known = np.sort(self.row[found])
        return known[known >= 0]

    def said(self, query: str) -> list[tuple[str, Ints]]:
        """Names in ``query``, the longest at each place, leftmost first, each once.

        Names of up to eight words; Korean particles after them do not count.  A single function
        word or number is none.
        """
        words = name_key(query).split()
        bare = [without_particle(word) if len(word) <= 64 else word for word in words]
        found: dict[str, Ints] = {}
        place = 0
        known = self._known(words, bare)
        while place < len(words):
            for name, size in _from(words, bare, place):
                if name in known:
                    found[name] = known[name]
                    place += size
                    break
            else:
                place += 1
        return list(found.items())

    def _known(self, words: list[str], bare: list[str]) -> dict[str, Ints]:
        """Names that stand anywhere among the words, overlapping ones too, and their bearers."""
        asked = dict.fromkeys(
            name for place in range(len(words)) for name, _ in _from(words, bare, place)
        )
        rows = self.keys.find(list(asked)).tolist()
        found = {name: self.of(row) for name, row in zip(asked, rows, strict=True) if row >= 0}
        return {name: own for name, own in found.items() if own.size}

    def arrays(self, prefix: str) -> dict[str, Any]:
        """What :meth:`of_arrays` makes the names of again."""
        return {
            f"{prefix}_key": self.keys.texts, f"{prefix}_hash": self.keys.hashes,
            f"{prefix}_ends": self.indptr, f"{prefix}_bearer": self.bearer,
        }  # fmt: skip

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, Any], prefix: str) -> Names:
        """The names whose :meth:`arrays` these are, as Arrow arrays; nothing is copied."""
        hashes, indptr, bearer = (
            arrays[f"{prefix}_{name}"].to_numpy() for name in ("hash", "ends", "bearer")
        )
        return cls(Lexicon(hashes, arrays[f"{prefix}_key"]), indptr, bearer)


def _from(words: list[str], bare: list[str], place: int) -> Iterator[tuple[str, int]]:
    """Stretches of words that begin at a place, and their lengths, the longest first."""
    for size in range(min(LONGEST, len(words) - place), 0, -1):
        end = place + size
        head = words[place : end - 1]
        yield " ".join([*head, words[end - 1]]), size
        if bare[end - 1] != words[end - 1]:
            yield " ".join([*head, bare[end - 1]]), size


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
    keys, order = lexicon(bearers)
    own = list(bearers.values())
    listed = [sorted(own[row]) for row in order.tolist()]
    sizes = np.array([len(one) for one in listed], np.int64)
    bearer = np.array([number for one in listed for number in one], np.int64)
    return Names(keys, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), bearer)
