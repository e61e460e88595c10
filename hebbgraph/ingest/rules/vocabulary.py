"""What is known of a word by itself: a set of flags, once for every distinct word."""

from __future__ import annotations

import re
import unicodedata
from array import array
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hebbgraph.ingest.rules.korean import is_verbal, without_particle
from hebbgraph.ingest.rules.words import (
    FUNCTION_WORDS,
    KOREAN_FUNCTION_WORDS,
    LINKS,
    MONTHS,
    STOPPED,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


class Flag:
    """Bits of a word, which has any number of them; plain integers, as there are many words."""

    CAPITAL = 1  # has an upper-case letter where names have one
    FUNCTION = 2  # articles, prepositions, pronouns, auxiliaries, conjunctions
    LINK = 4  # may stand between two parts of a name
    MONTH = 8
    DAY = 16  # 1 to 31, with or without an ordinal ending
    YEAR = 32
    DECADE = 64
    NUMBER = 128
    INITIAL = 256  # one capital letter
    ABBREVIATION = 512  # a full stop after it ends no sentence
    HANGUL = 1024  # Hangul alone, or Hangul at its end
    NOUN = 2048  # Hangul with a particle off that left a noun, or bare and not verbal
    IDEOGRAPHS = 4096  # Han
    KATAKANA = 8192
    CODE = 16384  # snake_case, camelCase, dotted paths
    PARTICLED = 32768  # a Korean particle was taken off
    ROMAN = 65536  # I to XXXIX in capitals: part of a name only after one
    UPPER = 262144  # capitals alone, two or more
    THE = 524288
    VERBAL = 131072  # small, and a participle or an adverb by its end


# Function words that in capitals are names.
_ACRONYMS: Final = frozenset(("IT", "US", "WHO"))
_DAY: Final = re.compile(r"(?:[12]?\d|3[01])(?:st|nd|rd|th)?")
_YEAR: Final = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_DECADE: Final = re.compile(r"1[0-9]{2}0s|20[0-9]0s")
_ROMAN: Final = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
_VERBAL: Final = re.compile(
    r"[a-z]{3}(?:ed|ly)$|^(?:known|became|took|began|made|held|seen|given|taken|written|grown)$"
)
_CODE: Final = re.compile(
    r"[A-Za-z]\w*_\w+|_+[A-Za-z]\w+|[a-z]+[a-z0-9]*[A-Z]\w+|[A-Z][a-z]+[a-z0-9]*[A-Z]\w*\d?"
)
_HANGUL: Final = re.compile(r"[가-힣]")
_ALL_HANGUL: Final = re.compile(r"[가-힣]+")
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]+")
_KATAKANA: Final = re.compile(r"[\u30a0-\u30ff]+")


def normal_form(text: str) -> str:
    """`text` as it is compared: Unicode NFKC, then case folding.

    Examples
    --------
    >>> normal_form("ＨＥＢＢ Straße")
    'hebb strasse'
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def flags_of(word: str, normal: str) -> int:
    """The flags of one word.

    Parameters
    ----------
    word : as written
    normal : its normal form

    Examples
    --------
    >>> flags_of("September", "september") == Flag.CAPITAL | Flag.MONTH
    True
    """
    if word[0].isdigit():
        return _number_flags(word, normal)
    found = 0
    # A capital letter alone is an initial, but for I and A.
    is_letter = len(word) == 1 and word not in "aIA" and word != normal
    if normal in FUNCTION_WORDS and not is_letter and word not in _ACRONYMS:
        found |= Flag.FUNCTION
    if normal == "the":
        found |= Flag.THE
    if normal in LINKS:
        found |= Flag.LINK
    if normal != word and word != word.lower():
        found |= Flag.CAPITAL
        if len(word) == 1:
            found |= Flag.INITIAL
        elif word.isupper():
            found |= Flag.UPPER
        if _ROMAN.fullmatch(word):
            found |= Flag.ROMAN
        if normal in MONTHS:
            found |= Flag.MONTH
        if normal in STOPPED:
            found |= Flag.ABBREVIATION
        if len(word) > 3 and _CODE.fullmatch(word):
            found |= Flag.CODE
    elif _VERBAL.search(word):
        found |= Flag.VERBAL
    elif "_" in word and _CODE.fullmatch(word):
        found |= Flag.CODE
    if not word.isascii():
        found |= _wide_flags(word)
    return found


def _number_flags(word: str, normal: str) -> int:
    found = Flag.NUMBER
    if _DAY.fullmatch(normal):
        found |= Flag.DAY
    elif _YEAR.fullmatch(word):
        found |= Flag.YEAR
    elif _DECADE.fullmatch(word):
        found |= Flag.DECADE
    elif word != word.lower():
        found |= Flag.CAPITAL
    if not word.isascii():
        found |= _wide_flags(word) & Flag.HANGUL
    return found


def _wide_flags(word: str) -> int:
    if _HAN.fullmatch(word):
        return Flag.IDEOGRAPHS
    if _KATAKANA.fullmatch(word):
        return Flag.KATAKANA
    return _hangul_flags(word, without_particle(word)) if _HANGUL.search(word) else 0


def _hangul_flags(word: str, stem: str) -> int:
    found = Flag.HANGUL
    if stem != word:
        found |= Flag.PARTICLED
        if is_verbal(stem):
            return found
    if len(stem) >= 2 and stem not in KOREAN_FUNCTION_WORDS and not is_verbal(word):
        found |= Flag.NOUN
    return found


class Vocabulary:
    """Distinct words with what is known of each; grows as text is read.

    Attributes
    ----------
    words : as written, by id
    """

    def __init__(self) -> None:
        self.words: list[str] = []
        self._ids: dict[str, int] = {}
        self._normals: dict[str, int] = {}
        self._flags = array("i")
        self._normal_ids = array("i")
        self._kept = array("i")

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    def ids(self, words: Iterable[str]) -> npt.NDArray[np.int32]:
        """The id of each word, new ones added: int32."""
        known = self._ids
        found = []
        for word in words:
            number = known.get(word)
            found.append(self._add(word) if number is None else number)
        return np.array(found, np.int32)

    def _add(self, word: str) -> int:
        number = self._ids[word] = len(self.words)
        kept = len(word)
        if _ALL_HANGUL.fullmatch(word):
            stem = without_particle(word)
            flags = _hangul_flags(word, stem)
            kept, normal = len(stem), normal_form(stem)
        else:
            normal = normal_form(word)
            flags = flags_of(word, normal) if word else 0
            if flags & Flag.HANGUL:
                stem = without_particle(word)
                kept, normal = len(stem), normal_form(stem)
        self.words.append(word)
        self._flags.append(flags)
        self._kept.append(kept)
        self._normal_ids.append(self._normals.setdefault(normal, len(self._normals)))
        return number

    @property
    def flags(self) -> npt.NDArray[np.int32]:
        """Flags of every word: (n,) int32."""
        return np.array(self._flags)

    @property
    def normal_ids(self) -> npt.NDArray[np.int32]:
        """Words of one normal form, Korean particles taken off, share one number: (n,) int32."""
        return np.array(self._normal_ids)

    @property
    def kept(self) -> npt.NDArray[np.int32]:
        """Characters of every word that are left without its particle: (n,) int32."""
        return np.array(self._kept)
