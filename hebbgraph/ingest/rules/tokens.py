"""Text as arrays of words and of what stands between them."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hebbgraph.ingest.passages import byte_offsets
from hebbgraph.ingest.rules.vocabulary import Vocabulary
from hebbgraph.ingest.sentences import sentence_ends

if TYPE_CHECKING:
    from collections.abc import Sequence


class Gap:
    """What stands between a word and the next; plain integers, as they meet arrays."""

    BREAK = 0
    SPACE = 1
    HYPHEN = 2
    APOSTROPHE = 3
    DOT = 4
    DOT_SPACE = 5
    AMPERSAND = 6
    COMMA = 7
    NOTHING = 8
    LINE = 9


_GAPS: Final = {
    " ": Gap.SPACE,
    "\u00a0": Gap.SPACE,
    "\u3000": Gap.SPACE,
    "-": Gap.HYPHEN,
    "‐": Gap.HYPHEN,
    "–": Gap.HYPHEN,
    "・": Gap.HYPHEN,
    "·": Gap.HYPHEN,
    "'": Gap.APOSTROPHE,
    "’": Gap.APOSTROPHE,
    ".": Gap.DOT,
    ". ": Gap.DOT_SPACE,
    " & ": Gap.AMPERSAND,
    "&": Gap.AMPERSAND,
    ", ": Gap.COMMA,
    "": Gap.NOTHING,
    "\n": Gap.LINE,
    "\r\n": Gap.LINE,
}

SEPARATOR: Final = "\n\n"
"""Between texts that are looked at together: it ends a sentence."""

# Letters, digits, underscores, and the marks that sit on letters.
_WORD: Final = re.compile("[\\w\u0300-\u036f]")
_HAN: Final = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々"
_KATAKANA: Final = r"\u30a1-\u30fa\u30fc-\u30ff"
_HIRAGANA: Final = r"\u3041-\u309f"
_UNSPACED: Final = re.compile(rf"[{_HAN}{_KATAKANA}{_HIRAGANA}]")
# Scripts without spaces are cut where the script changes, too.
_PIECES: Final = re.compile(
    rf"[{_HAN}]+|[{_KATAKANA}]+|[{_HIRAGANA}]+|[^{_HAN}{_KATAKANA}{_HIRAGANA}]+"
)
_KANA: Final = re.compile(rf"[{_KATAKANA}{_HIRAGANA}]")
# Han without Kana is Chinese: runs of five and more are cut at the commonest function characters.
_CHINESE: Final = "的是在和了与與及或也被把从從到对對为為以之而并並但这這那我你他她它们們"
_CHINESE_PIECES: Final = re.compile(rf"[{_CHINESE}]+|[^{_CHINESE}]+")
_SHORT_RUN: Final = 4
_WRAPPED: Final = 40


@dataclass(frozen=True)
class Tokens:
    """The words of several texts, one after another.

    Attributes
    ----------
    text : the texts, joined
    word : (n,) int32, ids in a :class:`Vocabulary`
    start, end : (n,) int32, characters in `text`
    gap : (n,) int8, the :class:`Gap` after each word
    unit : (n,) int32, which of the texts
    sentence : (n,) int32, which sentence of the joined text
    first : (n,) bool, whether it begins a sentence
    """

    text: str
    word: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]
    gap: npt.NDArray[np.int8]
    unit: npt.NDArray[np.int32]
    sentence: npt.NDArray[np.int32]
    first: npt.NDArray[np.bool_]


def tokens_of(texts: Sequence[str], vocabulary: Vocabulary) -> Tokens:
    """Cut `texts` into words; what is new goes into `vocabulary`."""
    text = SEPARATOR.join(texts)
    points = np.frombuffer(
        text.encode() if text.isascii() else text.encode("utf-32-le"),
        np.uint8 if text.isascii() else np.uint32,
    )
    bounds = _bounds(text, points)
    words, gaps = _parts(text, bounds)
    start, end = bounds[:-1:2], bounds[1::2]
    word = _word_ids(words, vocabulary)
    gap = np.zeros(word.size, np.int8)
    gap[:-1] = _gap_classes(gaps)
    _join_wrapped_lines(np.flatnonzero(points == ord("\n")), gap, end)
    full = end > start  # the first and the last may be empty
    word, start, end, gap = word[full], start[full], end[full], gap[full]
    unit = passed(text_bounds(texts), start)
    sentence = passed(sentence_ends(text), start)
    first = np.ones(word.size, np.bool_)
    first[1:] = sentence[1:] != sentence[:-1]
    first[1:] |= unit[1:] != unit[:-1]
    gap[:-1][unit[1:] != unit[:-1]] = Gap.BREAK
    places = (start.astype(np.int32), end.astype(np.int32))
    return Tokens(text, word, *places, gap, unit, sentence, first)


def text_bounds(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    """Where the text after each begins, once they are joined: (t,) characters."""
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    return np.cumsum(sizes + len(SEPARATOR))


def passed(bounds: npt.NDArray[np.int64], place: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """How many of `bounds` each of `place` has reached, both ascending: int32."""
    at = np.searchsorted(place, bounds)
    counts = np.diff(at, prepend=0, append=place.size)
    return np.repeat(np.arange(counts.size, dtype=np.int32), counts)


def _bounds(text: str, points: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Where words and gaps begin in turn, a word first and last, and the end: (2n,) characters.

    Parameters
    ----------
    points : characters of the text as numbers
    """
    characters = "".join(map(chr, np.flatnonzero(np.bincount(points)).tolist()))
    is_word = np.zeros(int(points.max(initial=0)) + 1, np.bool_)
    is_word[[ord(one) for one in _WORD.findall(characters)]] = True
    inside = np.zeros(points.size + 2, np.bool_)
    inside[1:-1] = is_word[points]
    inside[[0, -1]] = True
    change = np.flatnonzero(inside[1:] != inside[:-1])
    bounds = np.concatenate([[0], change, [points.size]])
    unspaced = [ord(one) for one in _UNSPACED.findall(characters)]
    if not unspaced:
        return bounds
    places = np.flatnonzero(points >= min(unspaced))
    places = places[np.isin(points[places], unspaced)]
    more = _cuts_in_unspaced(text, bounds, places)
    return np.insert(bounds, np.searchsorted(bounds, more).repeat(2), more.repeat(2))


def _cuts_in_unspaced(
    text: str, bounds: npt.NDArray[np.int64], places: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Where words of several scripts fall into several, with nothing between.

    Parameters
    ----------
    places : of all characters of Han and Kana
    """
    cuts: list[int] = []
    word = np.searchsorted(bounds, places, side="right") - 1
    for row in word[np.diff(word, prepend=-1) > 0].tolist():
        begin, end = bounds[row : row + 2].tolist()
        ends = itertools.accumulate(map(len, _pieces(text[begin:end])), initial=begin)
        cuts += [*ends][1:-1]
    return np.array(cuts, np.int64)


def _parts(text: str, bounds: npt.NDArray[np.int64]) -> tuple[Any, Any]:
    """Words, and the gaps between them, as Arrow text over one copy of `text`."""
    offsets = bounds if text.isascii() else byte_offsets(text)[bounds]
    parts = pa.LargeStringArray.from_buffers(
        bounds.size - 1, pa.py_buffer(offsets), pa.py_buffer(text.encode())
    )
    place = np.arange(bounds.size - 1)
    return parts.take(pa.array(place[::2])), parts.take(pa.array(place[1::2]))


def _join_wrapped_lines(
    line_ends: npt.NDArray[np.int64], gap: npt.NDArray[np.int8], end: npt.NDArray[np.int64]
) -> None:
    """A line end behind a long line is a blank, as text is wrapped; behind a short one a break."""
    lines = np.flatnonzero(gap == Gap.LINE)
    if not lines.size:
        return
    ends = np.concatenate([[-1], line_ends])
    begins = ends[np.searchsorted(ends, end[lines]) - 1] + 1
    wrapped = end[lines] - begins >= _WRAPPED
    gap[lines] = np.where(wrapped, Gap.SPACE, Gap.BREAK)


def _pieces(word: str) -> list[str]:
    pieces = _PIECES.findall(word)
    if _KANA.search(word):
        return pieces
    return [
        part
        for piece in pieces
        for part in (_CHINESE_PIECES.findall(piece) if len(piece) > _SHORT_RUN else (piece,))
    ]


def _word_ids(words: Any, vocabulary: Vocabulary) -> npt.NDArray[np.int32]:
    encoded = words.dictionary_encode()
    indices: npt.NDArray[np.int32] = encoded.indices.to_numpy()
    return vocabulary.ids(encoded.dictionary.to_pylist())[indices]


def _gap_classes(gaps: Any) -> npt.NDArray[np.int8]:
    encoded = gaps.dictionary_encode()
    classes = [_GAPS.get(gap, Gap.BREAK) for gap in encoded.dictionary.to_pylist()]
    indices: npt.NDArray[np.int32] = encoded.indices.to_numpy()
    return np.array(classes, np.int8)[indices]
