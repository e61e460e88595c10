"""Which forms name one thing, and how much an entity tells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

_DOTTED: Final = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\.?")
_LETTER: Final = re.compile(r"[^\W\d_]+")
_OWN: Final = 0.5  # share of a short name's documents that must hold its long one
_Z95: Final = 1.959964

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def dotted_aliases(names: Sequence[str]) -> list[tuple[int, int]]:
    """Rows of dotted initials with the rows of the same letters without dots.

    Examples
    --------
    >>> dotted_aliases(["U.S", "Paris", "US"])
    [(0, 2)]
    """
    plain = {name: row for row, name in enumerate(names) if name.isupper() and name.isalpha()}
    pairs = []
    for row, name in enumerate(names):
        if "." in name and _DOTTED.fullmatch(name):
            target = plain.get("".join(_LETTER.findall(name)))
            if target is not None:
                pairs.append((row, target))
    return pairs


def roots(n: int, pairs: Sequence[tuple[int, int]]) -> Ints:
    """Merge rows: for every row the one that stands for it, (n,) int64.

    Parameters
    ----------
    n : number of rows
    pairs : (alias, target); a target's own target is followed, and a circle ends at its least

    Examples
    --------
    >>> roots(5, [(0, 2), (2, 3)]).tolist()
    [3, 1, 3, 3, 4]
    """
    target = list(range(n))

    def root(row: int) -> int:
        while target[row] != row:
            target[row] = target[target[row]]
            row = target[row]
        return row

    for alias, wanted in pairs:
        low, high = root(alias), root(wanted)
        if low != high:
            target[low] = high
    return np.array([root(row) for row in range(n)], np.int64)


def surnames(
    document: Ints,
    form: Ints,
    last: Ints,
    is_full: Bools,
    is_single: Bools,
) -> Ints:
    """Short names taken for the long ones that came before them in the document: (m,) int64.

    “Mandela” stands for “Nelson Mandela” if no other full name of the document ends so, and if at
    least half of the documents with the short name hold that long one. So “Africa” stays Africa in
    a text on South Africa, once other texts speak of Africa.

    Parameters
    ----------
    document, form : (m,) of every mention, in order of the text, forms as small numbers
    last : (m,) the last word's number
    is_full : (m,) bool, mentions of two or three words that may be a person's
    is_single : (m,) bool, mentions of one word that may be short for one

    Returns
    -------
    form : (m,) the form meant
    """
    meant = form.copy()
    singles, fulls = np.flatnonzero(is_single), np.flatnonzero(is_full)
    if not singles.size or not fulls.size:
        return meant
    base = int(last.max()) + 1
    key = document * base + last
    full_keys, place = np.unique(key[fulls], return_index=True)
    first = fulls[place]
    group = np.searchsorted(full_keys, key[fulls])
    # All full names of a document that end alike must be one.
    same = np.ones(full_keys.size, np.bool_)
    np.logical_and.at(same, group, form[fulls] == form[first][group])
    at = np.minimum(np.searchsorted(full_keys, key[singles]), full_keys.size - 1)
    fits = (full_keys[at] == key[singles]) & same[at] & (first[at] < singles)
    host = np.where(fits, form[first[at]], -1)
    # (short form, document) once each: how many of a short form's documents have the long one.
    n_forms = int(form.max()) + 1
    pairs, row = np.unique(form[singles] + n_forms * document[singles], return_index=True)
    short = pairs % n_forms
    held = np.bincount(short, weights=host[row] >= 0, minlength=n_forms)
    seen = np.bincount(short, minlength=n_forms)
    # One long form for a short one across documents, or each document's own where they are few.
    known = held >= _OWN * np.maximum(seen, 1)
    chosen = (host >= 0) & known[form[singles]]
    meant[singles[chosen]] = host[chosen]
    return meant


def residual_idf(count: Ints, documents: Ints, total: int) -> Floats:
    """How much more a mention clusters in documents than chance would have it: (e,) bits, ≥ 0.

    Residual inverse document frequency (Church and Gale 1995): −log₂(df/D) + log₂(1 − e^(−cf/D)).
    Near 0: spread as if thrown at random, as stop words are. High: said often where it is said.

    Parameters
    ----------
    count : (e,) mentions of every entity
    documents : (e,) documents that mention it
    total : documents in all

    Examples
    --------
    >>> residual_idf(np.array([10, 10]), np.array([10, 2]), 1000).round(1).tolist()
    [0.0, 2.3]
    """
    share = np.maximum(documents, 1) / max(total, 1)
    by_chance = -np.expm1(-count / max(total, 1))
    bits: Floats = np.maximum(np.log2(np.maximum(by_chance, 1e-300) / share), 0.0)
    return bits


def hubs(documents: Ints, total: int, *, share: float = 0.05) -> Bools:
    """Entities that more than a share of all documents mention, beyond doubt: (e,) bool.

    The lower end of Wilson's interval (1927) at 95 % for the share of documents must lie above
    `share`, so that a handful of documents makes no hubs.

    Examples
    --------
    >>> hubs(np.array([3, 30, 900]), 1000).tolist()
    [False, False, True]
    >>> hubs(np.array([2]), 2).tolist()
    [False]
    """
    n, z2 = max(total, 1), _Z95**2
    p = documents / n
    centre = p + z2 / (2 * n)
    spread = _Z95 * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    lowest = (centre - spread) / (1 + z2 / n)
    # Below this many documents, chance alone can put a thing into all of them.
    found: Bools = (lowest > share) & (documents >= _FEWEST_FOR_HUB)
    return found


_FEWEST_FOR_HUB: Final = 10
