"""Titles of documents inside the text, by hashes of word n-grams."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hebbgraph.ingest.rules.hashes import Hashes, stretches
from hebbgraph.ingest.rules.phrases import Bools, Indices, Runs, full_names
from hebbgraph.ingest.rules.tokens import Tokens, tokens_of
from hebbgraph.ingest.rules.vocabulary import Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hebbgraph.ingest.rules.vocabulary import Vocabulary

LONGEST: Final = 8
_FILTER_BITS: Final = 20
_PARENTHESIS: Final = re.compile(r"(?<=\S)\s*[(（][^()（）]*[)）]\s*$")


def base_title(title: str) -> str:
    """`title` without a closing parenthesis, which tells apart and is rarely said.

    Examples
    --------
    >>> base_title("Track 61 (New York City)")
    'Track 61'
    """
    return _PARENTHESIS.sub("", title)


@dataclass(frozen=True)
class Forms:
    """Some texts, each as one name; a leading “the” does not count.

    Attributes
    ----------
    usable : (d,) bool, one to eight words, and no single function word or number
    form, spelling : (d,) uint64, as of :class:`~hebbgraph.ingest.rules.mentions.Mentions`
    head, last : (d,) int64, normal forms of the first and the last word
    size : (d,) int64, words
    full : (d,) bool, see :func:`~hebbgraph.ingest.rules.phrases.full_names`
    """

    usable: Bools
    form: Hashes
    spelling: Hashes
    head: Indices
    last: Indices
    size: Indices
    full: Bools


def forms_of(texts: Sequence[str], vocabulary: Vocabulary) -> Forms:
    """Read each text as a name."""
    tokens = tokens_of(texts, vocabulary)
    bounds = np.searchsorted(tokens.unit, np.arange(len(texts) + 1)).astype(np.int64)
    held = np.flatnonzero(np.diff(bounds))
    begin, end = bounds[held], bounds[held + 1]
    normal, flags = vocabulary.normal_ids[tokens.word].astype(np.int64), vocabulary.flags
    begin = begin + ((end - begin > 1) & ((flags[tokens.word[begin]] & Flag.THE) > 0))
    size = end - begin
    telling = (flags[tokens.word[begin]] & (Flag.FUNCTION | Flag.NUMBER)) == 0
    columns = (
        (size <= LONGEST) & ((size > 1) | telling),
        stretches(normal).of(begin, end),
        stretches(tokens.word).of(begin, end),
        normal[begin],
        normal[end - 1],
        size,
        full_names(tokens, Runs(begin, end), flags),
    )
    spread = []
    for column in columns:
        whole = np.zeros(len(texts), column.dtype)
        whole[held] = column
        spread.append(whole)
    return Forms(*spread)


@dataclass(frozen=True)
class Titles:
    """Titles to look for, and whose they are.

    Attributes
    ----------
    hash : (t,) uint64, ascending, distinct forms
    indptr : (t + 1,) int64, where the documents of each begin
    documents : (b,) int64
    lengths : the numbers of words that titles have, ascending
    heads : (h,) int64, normal forms that titles begin with
    own : (d,) uint64, the form of each document's own title; 0 if it has none that can be said
    is_base : (d,) bool, whether that is its title without a parenthesis
    """

    hash: Hashes
    indptr: Indices
    documents: Indices
    lengths: tuple[int, ...]
    heads: Indices
    own: Hashes
    is_base: Bools


def titles_of(whole: Forms, base: Forms) -> Titles:
    """Index titles, whole and without their closing parenthesis.

    A shortened title counts if nothing else is called so: no whole title, and no other title
    that is shortened to the same.

    Parameters
    ----------
    whole, base : of the titles, and of what :func:`base_title` makes of them
    """
    shortened = base.usable & (base.form != whole.form)
    shortened &= ~np.isin(base.form, whole.form[whole.usable])
    rows = np.flatnonzero(shortened)
    pairs = np.unique(np.stack([base.form[rows], whole.form[rows]], axis=1), axis=0)
    bases, several = np.unique(pairs[:, 0], return_counts=True)
    shortened &= np.isin(base.form, bases[several == 1])
    own = np.where(shortened, base.form, np.where(whole.usable, whole.form, 0))
    rows = np.concatenate([np.flatnonzero(whole.usable), np.flatnonzero(shortened)])
    is_whole = np.arange(rows.size) < np.count_nonzero(whole.usable)
    form, size, head = (
        np.where(is_whole, getattr(whole, name)[rows], getattr(base, name)[rows])
        for name in ("form", "size", "head")
    )
    order = np.argsort(form, kind="stable")
    hashes, count = np.unique(form, return_counts=True)
    indptr = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    lengths = tuple(np.unique(size).tolist())
    return Titles(hashes, indptr, rows[order], lengths, np.unique(head), own, shortened)


def title_mentions(
    tokens: Tokens, normal: npt.NDArray[np.int32], titles: Titles
) -> tuple[Runs, Indices]:
    """Longest titles at every place, leftmost first and without overlap.

    Parameters
    ----------
    normal : normal form of every word of the vocabulary

    Returns
    -------
    runs : the stretches of words
    row : (r,) int64, which of `titles`
    """
    n = tokens.word.size
    is_head = np.zeros(normal.size + 1, np.bool_)
    is_head[titles.heads] = True
    words = normal[tokens.word]
    hashes = stretches(words)
    place = np.flatnonzero(is_head[words])
    # Nearly all stretches are no title, and most of those show it in one look.
    may_be = np.zeros(1 << _FILTER_BITS, np.bool_)
    may_be[titles.hash >> np.uint64(64 - _FILTER_BITS)] = True
    length = np.zeros(n, np.int64)
    row = np.zeros(n, np.int64)
    for size in titles.lengths:  # ascending: longer ones overwrite
        begin = place[place + size <= n]
        begin = begin[tokens.unit[begin] == tokens.unit[begin + size - 1]]
        found = hashes.of(begin, begin + size)
        likely = may_be[found >> np.uint64(64 - _FILTER_BITS)]
        begin, found = begin[likely], found[likely]
        at = np.minimum(np.searchsorted(titles.hash, found), titles.hash.size - 1)
        hit = titles.hash[at] == found
        length[begin[hit]] = size
        row[begin[hit]] = at[hit]
    begin = np.flatnonzero(length)
    begin = begin[_leftmost(begin.tolist(), (begin + length[begin]).tolist())]
    return Runs(begin, begin + length[begin]), row[begin]


def _leftmost(begins: list[int], ends: list[int]) -> Bools:
    kept = np.zeros(len(begins), np.bool_)
    free = 0
    for index, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        if begin >= free:
            kept[index] = True
            free = end
    return kept
