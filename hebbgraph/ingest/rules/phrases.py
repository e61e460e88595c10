"""Names and dates as runs of words: all decisions on arrays of flags, none word by word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hebbgraph.ingest.rules.tokens import Gap, Tokens
from hebbgraph.ingest.rules.vocabulary import Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hebbgraph.ingest.rules.packed import Packed
    from hebbgraph.ingest.rules.vocabulary import Vocabulary

_LONGEST_HAN: Final = 8
_INSIDE_NAMES: Final = (Gap.HYPHEN, Gap.APOSTROPHE, Gap.AMPERSAND, Gap.DOT)

Bools = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Runs:
    """Stretches of words, in order of their first.

    Attributes
    ----------
    begin, end : (r,) int64, first word and the one past the last
    """

    begin: Indices
    end: Indices

    def where(self, kept: Bools) -> Runs:
        """Some of them."""
        return Runs(self.begin[kept], self.end[kept])


def ordinary_words(chunks: Sequence[Packed], vocabulary: Vocabulary) -> Bools:
    """Which words are names only by their place at the head of a sentence: (n,) bool, by word.

    A capitalised word is ordinary if its small form stands in the corpus more often than its
    capitalised form stands inside a sentence (Lita and others, *tRuEcasIng*, 2003, by counts).
    """
    flags, normal = vocabulary.flags, vocabulary.normal_ids
    n_normals = int(normal.max(initial=-1)) + 1
    capital = (flags & Flag.CAPITAL) > 0
    small_count = np.zeros(n_normals, np.int64)
    inner_count = np.zeros(n_normals, np.int64)
    for tokens in chunks:
        is_capital = capital[tokens.word]
        small_count += np.bincount(normal[tokens.word[~is_capital]], minlength=n_normals)
        inner = tokens.word[is_capital & ~tokens.first]
        inner_count += np.bincount(normal[inner], minlength=n_normals)
    ordinary: Bools = capital & (small_count[normal] > inner_count[normal])
    return ordinary


def names(tokens: Tokens, flags: npt.NDArray[np.int32], ordinary: Bools, dated: Runs) -> Runs:
    """Capitalised names: ``University of Copenhagen``, ``Apollo 11``, ``2000 Summer Olympics``.

    Parameters
    ----------
    tokens : the text
    flags : of every word of the vocabulary
    ordinary : see :func:`ordinary_words`
    dated : see :func:`dates`; those of several words are taken
    """
    flag = flags[tokens.word]
    gap = tokens.gap
    taken = _covered(dated.where(dated.end - dated.begin > 1), tokens.word.size)
    core = (flag & Flag.CAPITAL) > 0
    core &= (flag & Flag.FUNCTION) == 0
    # Capitals at the head of a sentence, where any word has them.
    core &= ~(tokens.first & ordinary[tokens.word]) & ~taken
    # A number after a name or a year before one belongs to it.
    spaced = gap == Gap.SPACE
    number = (flag & Flag.NUMBER) > 0
    number &= ~taken
    year = ((flag & Flag.YEAR) > 0) & ~taken
    month = (flag & Flag.MONTH) > 0
    hyphened = gap == Gap.HYPHEN
    after_name = after(core & ~month & (spaced | hyphened)) & number & ~year
    before_name = year & spaced & before(core & ~month)
    before_name &= ~after((flag & (Flag.FUNCTION | Flag.THE)) == Flag.FUNCTION)
    after_name |= after(core & spaced) & ((flag & Flag.ROMAN) > 0)
    member = core | after_name | before_name
    joint = member & before(member) & _joins(flag, gap, spaced)
    # Small connectors, one or two, between two names.
    link = ((flag & Flag.LINK) > 0) & ~core & spaced
    one = link & after(core & spaced) & before(core)
    two_first = link & after(core & spaced) & before(link & before(core))
    two = two_first | after(two_first)
    member |= one | two
    joint |= one | two
    joint |= before(one | two_first) & core & spaced
    runs = runs_of(member, joint)
    # A letter or a month alone names nothing.
    length = runs.end - runs.begin
    alone = (flag[runs.begin] & (Flag.INITIAL | Flag.MONTH | Flag.ROMAN)) > 0
    return runs.where((length > 1) | ~alone)


def _joins(flag: npt.NDArray[np.int32], gap: npt.NDArray[np.int8], spaced: Bools) -> Bools:
    """Whether what stands between two parts of a name lets them be one."""
    initial = (flag & Flag.INITIAL) > 0
    stopped = initial | ((flag & Flag.ABBREVIATION) > 0)
    joins: Bools = spaced | np.isin(gap, _INSIDE_NAMES) | ((gap == Gap.DOT_SPACE) & stopped)
    return joins


def dates(tokens: Tokens, flags: npt.NDArray[np.int32]) -> Runs:
    """Dates: ``8 March 1874``, ``January 2, 1969``, ``September 1982``, ``1969``, ``1940s``."""
    flag = flags[tokens.word]
    gap = tokens.gap
    spaced = gap == Gap.SPACE
    loose = spaced | (gap == Gap.COMMA) | (gap == Gap.DOT_SPACE)
    month = (flag & Flag.MONTH) > 0
    day = (flag & Flag.DAY) > 0
    year = (flag & Flag.YEAR) > 0
    day_before = day & spaced & before(month)
    day_after = day & after(month & spaced) & ~day_before
    near = (month | day_after) & loose
    year_after = year & after(near)
    single = (year & ~year_after) | ((flag & Flag.DECADE) > 0)
    dated = month & (after(day_before) | before(day_after) | before(year_after))
    dated |= day_before | day_after | year_after
    joint = dated & before(dated)
    joint &= day_before | (month & before(day_after) & spaced) | before(year_after) & near
    member = dated | single
    return runs_of(member, joint)


def full_names(tokens: Tokens, runs: Runs, flags: npt.NDArray[np.int32]) -> Bools:
    """Runs that may be a person's full name: two or three capitalised words, (r,) bool."""
    barred = Flag.FUNCTION | Flag.LINK | Flag.NUMBER | Flag.UPPER
    plain = (flags[tokens.word] & (Flag.CAPITAL | barred)) == Flag.CAPITAL
    odd = np.zeros(tokens.word.size + 1, np.int64)
    np.cumsum(~plain, out=odd[1:])
    split = np.zeros(tokens.word.size + 1, np.int64)
    np.cumsum((tokens.gap != Gap.SPACE) & (tokens.gap != Gap.DOT_SPACE), out=split[1:])
    size = runs.end - runs.begin
    named: Bools = (size >= 2) & (size <= 3)
    named &= odd[runs.end] == odd[runs.begin]
    named &= split[np.maximum(runs.end - 1, 0)] == split[runs.begin]
    return named


def code(tokens: Tokens, flags: npt.NDArray[np.int32]) -> Runs:
    """Identifiers: ``snake_case``, ``camelCase``, ``numpy.linalg``, ``example.com``."""
    flag = flags[tokens.word]
    plain = (flag & (Flag.CAPITAL | Flag.NUMBER | Flag.HANGUL)) == 0
    plain &= tokens.end - tokens.start > 1
    identifier = (flag & Flag.CODE) > 0
    part = plain | identifier
    joint = part & before(part) & (tokens.gap == Gap.DOT)
    return runs_of(identifier | joint | after(joint), joint)


def nouns(
    tokens: Tokens, flags: npt.NDArray[np.int32], normal: npt.NDArray[np.int32], stems: Bools
) -> Runs:
    """Korean nouns without their particles, Katakana words, and short runs of Han.

    Parameters
    ----------
    flags, normal : of every word of the vocabulary
    stems : see :func:`korean_stems`
    """
    flag = flags[tokens.word]
    size = tokens.end - tokens.start
    korean = ((flag & Flag.NOUN) > 0) & stems[normal[tokens.word]]
    han = ((flag & Flag.IDEOGRAPHS) > 0) & (size <= _LONGEST_HAN)
    katakana = (flag & Flag.KATAKANA) > 0
    # Han and Katakana go on in one another; Katakana goes on behind its middle dot.
    joint = (han & before(katakana)) | (katakana & before(han))
    joint &= tokens.gap == Gap.NOTHING
    joint |= katakana & before(katakana) & (tokens.gap == Gap.HYPHEN)
    member = korean | joint | after(joint) | ((han | katakana) & (size > 1))
    return runs_of(member, joint)


def korean_stems(chunks: Sequence[Packed], vocabulary: Vocabulary) -> Bools:
    """Normal forms that stand somewhere with a particle, which only nouns take: (n,) bool."""
    flags, normal = vocabulary.flags, vocabulary.normal_ids
    taken = Flag.NOUN | Flag.PARTICLED
    found = np.zeros(normal.size, np.bool_)
    for tokens in chunks:
        is_noun = (flags[tokens.word] & taken) == taken
        found[normal[tokens.word[is_noun]]] = True
    return found


def _covered(runs: Runs, n: int) -> Bools:
    """Words that lie in any of the runs: (n,) bool."""
    steps = np.zeros(n + 1, np.int32)
    np.add.at(steps, runs.begin, 1)
    np.add.at(steps, runs.end, -1)
    covered: Bools = np.cumsum(steps)[:-1] > 0
    return covered


def after(mask: Bools) -> Bools:
    """Whether the word before is in `mask`."""
    shifted = np.zeros_like(mask)
    shifted[1:] = mask[:-1]
    return shifted


def before(mask: Bools) -> Bools:
    """Whether the word after is in `mask`."""
    shifted = np.zeros_like(mask)
    shifted[:-1] = mask[1:]
    return shifted


def runs_of(member: Bools, joint: Bools) -> Runs:
    """Longest stretches of members where each is joined with the next."""
    begin = np.flatnonzero(member & ~after(joint))
    end = np.flatnonzero(member & ~joint) + 1
    return Runs(begin, end)
