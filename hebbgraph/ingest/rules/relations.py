"""Relations that the words between two mentions state, and mentions that stand together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hebbgraph.ingest.rules.kinds import Kind
from hebbgraph.ingest.rules.phrases import after, before
from hebbgraph.ingest.rules.tokens import Gap
from hebbgraph.ingest.rules.vocabulary import Flag

if TYPE_CHECKING:
    from hebbgraph.ingest.rules.mentions import Mentions
    from hebbgraph.ingest.rules.phrases import Indices
    from hebbgraph.ingest.rules.tokens import Tokens
    from hebbgraph.ingest.rules.vocabulary import Vocabulary

TOGETHER: Final = "mentioned_with"
_IS_A: Final = "is_a"
_MOST_WORDS: Final = 6  # between two mentions that a predicate joins
_MOST_OF_CONCEPT: Final = 8
_NAMED: Final = (Kind.TITLE, Kind.NAME, Kind.DATE, Kind.CODE, Kind.QUOTED)
REACH: Final = 4
"""A mention stands together with the next four of its sentence."""

_BE: Final = r"(?:is|was|are|were|became|has been|had been|have been)"
_VERB: Final = (
    r"(?:[a-z]+ed|won|wrote|led|built|made|met|held|left|lost|bought|sold|sang|drew|ran|became"
    r"|written|born|led|built|made|held|known|given|won|sung|drawn|run|set|cut|begun|spoken|taken"
    r"|contains|includes|borders|owns|uses|plays|lies|belongs|consists|serves|features|produces"
    r"|requires|depends|calls|extends|replaces|supports|manages)"
)
_PREPOSITION: Final = (
    r"(?:by|in|at|on|to|from|of|for|with|as|into|under|near|within|alongside|after)"
)
_ADVERB: Final = r"(?:also|later|first|originally|subsequently|then|currently|formerly|now)"
_NOUN: Final = r"[a-z]{3,}(?:[ -][a-z]{3,})?"
_ARTICLE: Final = r"(?:the|a|an|its|his|her|their)"
_PREDICATE: Final = re.compile(
    rf",? ?(?P<body>(?:(?P<be>{_BE}) )?(?:{_ADVERB} )?(?P<verb>{_VERB})(?: {_PREPOSITION})?"
    rf"|{_BE} (?:{_ADVERB} )?(?:{_ARTICLE} )?{_NOUN} (?:of|in|for|to|by|at)"
    rf"|(?:{_BE} )?part of)(?: {_ARTICLE})? ?"
)
_IN_BODY: Final = re.compile(rf"\b(?:{_ARTICLE}|{_ADVERB}) ")
_BE_WORDS: Final = ("is", "was", "are", "were")
_ARTICLES: Final = ("a", "an", "the")
_BEFORE_DEFINITION: Final = re.compile(r"[\"'”’»]*(?: ?\([^()\n]*\))?,? ")


@dataclass(frozen=True)
class Stated:
    """Relations between mentions.

    Attributes
    ----------
    subject, object : (r,) int64, rows of the mentions
    predicate : one a relation
    """

    subject: Indices
    object: Indices
    predicate: list[str]


def predicate_of(between: str) -> str | None:
    """The predicate that the words between two names state; None where they state none.

    Examples
    --------
    >>> predicate_of(" was founded by the ")
    'was_founded_by'
    >>> predicate_of(" is the capital of ")
    'is_capital_of'
    >>> predicate_of(" and later ")
    """
    found = _PREDICATE.fullmatch(between)
    if found is None:
        return None
    return _IN_BODY.sub("", found["body"]).replace(" ", "_").replace("-", "_")


def stated(tokens: Tokens, mentions: Mentions, flags: npt.NDArray[np.int32]) -> Stated:
    """Predicates between neighbouring names of a sentence, with small words alone between."""
    named = np.flatnonzero(np.isin(mentions.kind, _NAMED))
    begin, end = mentions.begin[named], mentions.end[named]
    sentence = tokens.sentence[begin]
    between = begin[1:] - end[:-1]
    near = (between >= 1) & (between <= _MOST_WORDS) & (sentence[1:] == sentence[:-1])
    large = np.zeros(tokens.word.size + 1, np.int64)
    np.cumsum((flags[tokens.word] & (Flag.CAPITAL | Flag.NUMBER)) > 0, out=large[1:])
    near &= large[begin[1:]] == large[end[:-1]]
    near &= mentions.kind[named[:-1]] != Kind.DATE
    rows, predicates = [], []
    starts, stops = mentions.start[named].tolist(), mentions.stop[named].tolist()
    for row in np.flatnonzero(near).tolist():
        predicate = predicate_of(tokens.text[stops[row] : starts[row + 1]])
        if predicate:
            rows.append(row)
            predicates.append(predicate)
    subject = np.array(rows, np.int64)
    return Stated(named[subject], named[subject + 1], predicates)


def concepts(tokens: Tokens, vocabulary: Vocabulary) -> list[tuple[int, int, int]]:
    """What things are said to be: where “is a” begins, and start and end of the noun after it.

    The noun is the last small word before a function word, a participle or a stop.
    """
    found = []
    be, article = vocabulary.ids(_BE_WORDS), vocabulary.ids(_ARTICLES)
    flags = vocabulary.flags
    is_be, is_article = np.zeros(flags.size, np.bool_), np.zeros(flags.size, np.bool_)
    is_be[be], is_article[article] = True, True
    places = np.flatnonzero(is_be[tokens.word] & before(is_article[tokens.word]))
    barred = (flags & (Flag.FUNCTION | Flag.VERBAL)) > 0
    odd = (flags & (Flag.CAPITAL | Flag.NUMBER | Flag.HANGUL)) > 0
    apart = (tokens.gap != Gap.SPACE) & (tokens.gap != Gap.HYPHEN)
    # The place where a noun phrase that begins anywhere would end.
    limit = np.flatnonzero(barred[tokens.word] | after(apart))
    ends = np.append(limit, tokens.word.size)[np.searchsorted(limit, places + 3)]
    for place, end in zip(places.tolist(), ends.tolist(), strict=True):
        last = end - 1
        if barred[tokens.word[place + 2]] or last - place > _MOST_OF_CONCEPT:
            continue
        start, stop = int(tokens.start[last]), int(tokens.end[last])
        if stop - start > 2 and not odd[tokens.word[last]]:
            found.append((int(tokens.start[place]), start, stop))
    return found


def defined(tokens: Tokens, mentions: Mentions, found: list[tuple[int, int, int]]) -> Stated:
    """``is_a`` between the mention before “is a” and the concept after it.

    A parenthesis may stand between: ``Nelson Mandela (1918–2013) was a statesman``.
    """
    subjects, objects = [], []
    sentence = tokens.sentence[mentions.begin]
    places = np.array([place for place, _, _ in found], np.int64)
    starts = np.array([start for _, start, _ in found], np.int64)
    at = tokens.sentence[np.searchsorted(tokens.start, places)] if found else places
    lows = np.searchsorted(sentence, at).tolist()
    rows = (np.searchsorted(mentions.start, places) - 1).tolist()
    targets = (np.searchsorted(mentions.start, starts, side="right") - 1).tolist()
    for (place, _, _), low, row, target in zip(found, lows, rows, targets, strict=True):
        stops = mentions.stop[low : row + 1].tolist()
        for back, stop in enumerate(reversed(stops)):
            if _BEFORE_DEFINITION.fullmatch(tokens.text, stop, place):
                subjects.append(row - back)
                objects.append(target)
                break
    return Stated(
        np.array(subjects, np.int64), np.array(objects, np.int64), [_IS_A] * len(subjects)
    )


def together(sentence: npt.NDArray[np.int64], reach: int = REACH) -> tuple[Indices, Indices]:
    """Pairs of mentions of one sentence, each with the next `reach`: two (p,) int64.

    So a list of n names makes 4n pairs, not n²/2.

    Parameters
    ----------
    sentence : (m,) of every mention, ascending
    """
    firsts = [np.flatnonzero(sentence[:-step] == sentence[step:]) for step in range(1, reach + 1)]
    seconds = [first + step for step, first in enumerate(firsts, 1)]
    none = np.zeros(0, np.int64)
    return np.concatenate([none, *firsts]), np.concatenate([none, *seconds])
