"""Text as arrays of words and of what stands between them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

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

# Letters, digits, underscores, and the marks that sit on letters.
_WORD: Final = r"\w\u0300-\u036f"
_SPACED: Final = re.compile(r"(\W+)")
_SPACED_WITH_MARKS: Final = re.compile(rf"([^{_WORD}]+)")
_MARKS: Final = re.compile("[\u0300-\u036f]")
_HAN: Final = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々"
_KATAKANA: Final = r"\u30a1-\u30fa\u30fc-\u30ff"
_HIRAGANA: Final = r"\u3041-\u309f"
_UNSPACED_SCRIPTS: Final = re.compile(rf"[{_HAN}{_KATAKANA}{_HIRAGANA}]+")
# Scripts without spaces are cut where the script changes, too.
_PIECES: Final = re.compile(
    rf"[{_HAN}]+|[{_KATAKANA}]+|[{_HIRAGANA}]+|[^{_HAN}{_KATAKANA}{_HIRAGANA}]+"
)
_KANA: Final = re.compile(rf"[{_KATAKANA}{_HIRAGANA}]")
# Han without Kana is Chinese: runs of five and more are cut at the commonest function characters.
_CHINESE: Final = "的是在和了与與及或也被把从從到对對为為以之而并並但这這那我你他她它们們"
_CHINESE_PIECES: Final = re.compile(rf"[{_CHINESE}]+|[^{_CHINESE}]+")
_SHORT_RUN: Final = 4
_LINE_END: Final = re.compile("\n")
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
    text = "\n\n".join(texts)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    bounds = np.cumsum(lengths + 2)
    # The set without marks is twice as fast, and nearly every text does without.
    has_marks = not text.isascii() and _MARKS.search(text)
    parts = (_SPACED_WITH_MARKS if has_marks else _SPACED).split(text)
    mixed = [match.start() for match in _UNSPACED_SCRIPTS.finditer(text)]
    if mixed:
        parts = _cut_unspaced(parts, mixed)
    sizes = np.fromiter(map(len, parts), np.int64, len(parts))
    ends = np.cumsum(sizes)
    end, start = ends[::2], ends[::2] - sizes[::2]
    word = _word_ids(parts[::2], vocabulary)
    gap = np.zeros(word.size, np.int8)
    gap[:-1] = _gap_classes(parts[1::2])
    _join_wrapped_lines(text, gap, end)
    full = sizes[::2] > 0  # the first and the last may be empty
    word, start, end, gap = word[full], start[full], end[full], gap[full]
    unit = np.searchsorted(bounds, start, side="right").astype(np.int32)
    sentence = np.searchsorted(sentence_ends(text), start, side="right").astype(np.int32)
    first = np.ones(word.size, np.bool_)
    first[1:] = sentence[1:] != sentence[:-1]
    first[1:] |= unit[1:] != unit[:-1]
    gap[:-1][unit[1:] != unit[:-1]] = Gap.BREAK
    places = (start.astype(np.int32), end.astype(np.int32))
    return Tokens(text, word, *places, gap, unit, sentence, first)


def _join_wrapped_lines(text: str, gap: npt.NDArray[np.int8], end: npt.NDArray[np.int64]) -> None:
    """A line end behind a long line is a blank, as text is wrapped; behind a short one a break."""
    lines = np.flatnonzero(gap == Gap.LINE)
    if not lines.size:
        return
    ends = np.array([-1, *(match.start() for match in _LINE_END.finditer(text))])
    begins = ends[np.searchsorted(ends, end[lines]) - 1] + 1
    wrapped = end[lines] - begins >= _WRAPPED
    gap[lines] = np.where(wrapped, Gap.SPACE, Gap.BREAK)


def _cut_unspaced(parts: list[str], places: list[int]) -> list[str]:
    """Words and gaps in turn; words of several scripts become several, with nothing between.

    Parameters
    ----------
    places : characters at which a run of Han or Kana begins
    """
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    cut: list[str] = []
    done = 0
    for place in np.unique(np.searchsorted(ends, places, side="right")).tolist():
        word = parts[place]
        pieces = _pieces(word)
        cut += parts[done:place]
        cut += [piece for one in pieces for piece in (one, "")][:-1]
        done = place + 1
    return cut + parts[done:]


def _pieces(word: str) -> list[str]:
    pieces = _PIECES.findall(word)
    if _KANA.search(word):
        return pieces
    return [
        part
        for piece in pieces
        for part in (_CHINESE_PIECES.findall(piece) if len(piece) > _SHORT_RUN else (piece,))
    ]


def _word_ids(words: list[str], vocabulary: Vocabulary) -> npt.NDArray[np.int32]:
    encoded: Any = pa.array(words, pa.large_string()).dictionary_encode()
    indices: npt.NDArray[np.int32] = encoded.indices.to_numpy()
    return vocabulary.ids(encoded.dictionary.to_pylist())[indices]


def _gap_classes(gaps: list[str]) -> npt.NDArray[np.int8]:
    encoded: Any = pa.array(gaps, pa.large_string()).dictionary_encode()
    classes = [_GAPS.get(gap, Gap.BREAK) for gap in encoded.dictionary.to_pylist()]
    indices: npt.NDArray[np.int32] = encoded.indices.to_numpy()
    return np.array(classes, np.int8)[indices]
