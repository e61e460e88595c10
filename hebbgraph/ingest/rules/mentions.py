"""All mentions of a stretch of text as arrays, whatever rule found them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hebbgraph.ingest.rules import phrases
from hebbgraph.ingest.rules.hashes import Hashes, stretches
from hebbgraph.ingest.rules.kinds import Kind
from hebbgraph.ingest.rules.patterns import pattern_spans
from hebbgraph.ingest.rules.terms import collocations, terms
from hebbgraph.ingest.rules.titles import Titles, title_mentions
from hebbgraph.ingest.rules.vocabulary import Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hebbgraph.ingest.rules.packed import Packed
    from hebbgraph.ingest.rules.phrases import Bools, Indices, Runs
    from hebbgraph.ingest.rules.tokens import Tokens
    from hebbgraph.ingest.rules.vocabulary import Vocabulary

_LONGEST: Final = 16  # words; what is longer is no name but a fault of the text


@dataclass(frozen=True)
class Mentions:
    """Mentions in the order of the text; none lies inside another.

    Attributes
    ----------
    begin, end : (m,) int64, words of the :class:`~hebbgraph.ingest.rules.tokens.Tokens`
    start, stop : (m,) int64, characters of their text, Korean particles left out
    kind : (m,) int8, codes of :class:`~hebbgraph.ingest.rules.kinds.Kind`
    form : (m,) uint64, hash of the words' normal forms
    spelling : (m,) uint64, hash of the words as written
    last : (m,) int64, normal form of the last word
    full : (m,) bool, see :func:`hebbgraph.ingest.rules.phrases.full_names`
    """

    begin: Indices
    end: Indices
    start: Indices
    stop: Indices
    kind: npt.NDArray[np.int8]
    form: Hashes
    spelling: Hashes
    last: Indices
    full: Bools


@dataclass(frozen=True)
class TitleHits:
    """Titles met in the text.

    Attributes
    ----------
    start, stop : (h,) int64, characters
    unit : (h,) int32, which text
    title : (h,) int64, row of the titles
    """

    start: Indices
    stop: Indices
    unit: npt.NDArray[np.int32]
    title: Indices


@dataclass(frozen=True)
class Evidence:
    """What the whole corpus says about words.

    Attributes
    ----------
    ordinary : see :func:`hebbgraph.ingest.rules.phrases.ordinary_words`
    stems : see :func:`hebbgraph.ingest.rules.phrases.korean_stems`
    together : see :func:`hebbgraph.ingest.rules.terms.collocations`
    """

    ordinary: Bools
    stems: Bools
    together: npt.NDArray[np.int64]


def evidence_of(chunks: Sequence[Packed], vocabulary: Vocabulary) -> Evidence:
    """Count what the rules need to know before they look at a text."""
    return Evidence(
        phrases.ordinary_words(chunks, vocabulary),
        phrases.korean_stems(chunks, vocabulary),
        collocations(chunks, vocabulary),
    )


def mentions_of(
    tokens: Tokens,
    vocabulary: Vocabulary,
    evidence: Evidence,
    titles: Titles,
    marked: Sequence[tuple[int, int, int]] = (),
) -> tuple[Mentions, TitleHits]:
    """Find every mention.

    Parameters
    ----------
    tokens : the text
    vocabulary, evidence, titles : of the whole corpus
    marked : start, end (characters) and kind of more mentions, such as headings
    """
    flags, normal = vocabulary.flags, vocabulary.normal_ids
    bearing, title = title_mentions(tokens, normal, titles)
    hits = TitleHits(
        tokens.start[bearing.begin].astype(np.int64),
        tokens.end[bearing.end - 1].astype(np.int64),
        tokens.unit[bearing.begin],
        title,
    )
    spans = [*pattern_spans(tokens.text), *marked]
    signed, signed_kinds = runs_at(tokens, spans)
    dated = phrases.dates(tokens, flags)
    found = [
        (_naming(bearing, tokens, flags), Kind.TITLE),
        (phrases.names(tokens, flags, evidence.ordinary, dated), Kind.NAME),
        (dated, Kind.DATE),
        (phrases.code(tokens, flags), Kind.CODE),
        (terms(tokens, vocabulary, evidence.together), Kind.TERM),
        (phrases.nouns(tokens, flags, normal, evidence.stems), Kind.NOUN),
    ]
    begin = np.concatenate([*(runs.begin for runs, _ in found), signed.begin])
    end = np.concatenate([*(runs.end for runs, _ in found), signed.end])
    kinds = [np.full(runs.begin.size, kind, np.int8) for runs, kind in found]
    kind = np.concatenate([*kinds, signed_kinds])
    chosen = _outermost(begin, end, kind)
    return _described(tokens, vocabulary, begin[chosen], end[chosen], kind[chosen]), hits


def _naming(runs: Runs, tokens: Tokens, flags: npt.NDArray[np.int32]) -> Runs:
    """Titles that are said as a name: of several words, or not a small word of Latin letters."""
    told = Flag.CAPITAL | Flag.HANGUL | Flag.IDEOGRAPHS | Flag.KATAKANA | Flag.CODE
    is_told = (flags[tokens.word[runs.begin]] & told) > 0
    return runs.where((runs.end - runs.begin > 1) | is_told)


def runs_at(
    tokens: Tokens, spans: Sequence[tuple[int, int, int]]
) -> tuple[Runs, npt.NDArray[np.int8]]:
    """Words that lie in spans of characters, and the spans' kinds; spans without words go."""
    table = np.array(spans, np.int64).reshape(-1, 3)
    begin = np.searchsorted(tokens.end, table[:, 0], side="right")
    end = np.searchsorted(tokens.start, table[:, 1], side="left")
    held = end > begin
    return phrases.Runs(begin[held], end[held]), table[held, 2].astype(np.int8)


def _outermost(begin: Indices, end: Indices, kind: npt.NDArray[np.int8]) -> Indices:
    """Rows in order of the text, without those that lie inside another, or are the same."""
    order = np.lexsort((kind, -end, begin))
    order = order[(end - begin)[order] <= _LONGEST]
    reached = np.maximum.accumulate(end[order])
    inside = np.zeros(order.size, np.bool_)
    inside[1:] = end[order][1:] <= reached[:-1]
    return order[~inside]


def _described(
    tokens: Tokens, vocabulary: Vocabulary, begin: Indices, end: Indices, kind: npt.NDArray[np.int8]
) -> Mentions:
    last = tokens.word[end - 1]
    return Mentions(
        begin,
        end,
        tokens.start[begin].astype(np.int64),
        (tokens.start[end - 1] + vocabulary.kept[last]).astype(np.int64),
        kind,
        stretches(vocabulary.normal_ids[tokens.word]).of(begin, end),
        stretches(tokens.word).of(begin, end),
        vocabulary.normal_ids[last].astype(np.int64),
        phrases.full_names(tokens, phrases.Runs(begin, end), vocabulary.flags),
    )
