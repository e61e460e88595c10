"""Texts as the terms that search compares."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import snowballstemmer

from hebbgraph.ingest.rules.korean import without_particle
from hebbgraph.providers.words import words

_STOP_WORDS: Final = """
a after also an and are as at be been before between both but by can could did do does during
for from had has have he her his how i if in into is it its may might no not of on or our she
should so such than that the their them then there these they this those to was we were what
when where which who whom whose why will with would you your
"""
_STOPPED: Final = frozenset(_STOP_WORDS.split())
_WORD: Final = re.compile(
    r"[^\W_]+(?:[\u0300-\u036f\u0900-\u0dff]+[^\W_]*)*|[\u2600-\u27bf\U0001f000-\U0001faff]"
)
_HANGUL: Final = re.compile("[\uac00-\ud7a3]+")
_PIECE: Final = re.compile("[\uac00-\ud7a3]+|[^\uac00-\ud7a3]+")
_LATIN_MARK: Final = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_STEM: Final = snowballstemmer.stemmer("english").stemWord


def terms(text: str) -> list[str]:
    """Terms of ``text`` in their order, stop words left out.

    Latin words are case folded, without accents, and stemmed (Porter's second algorithm, 2001);
    Hangul words lose their particle and become pairs of syllables, as do unspaced scripts, so that
    a part of a compound finds it.  A pictograph is a term.  A text without any of these is taken by
    its characters; one of stop words alone is taken as it is.

    Examples
    --------
    >>> terms("The engines of Aschenbrödel")
    ['engin', 'aschenbrodel']
    >>> terms("김철수가") == terms("김철수")
    True
    """
    found = [term for word in _words(text) for term in _terms_of(word)]
    return found or words(text)


def _words(text: str) -> list[str]:
    return _WORD.findall(text if text.isascii() else unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=1 << 18)
def _terms_of(word: str) -> tuple[str, ...]:
    if word.isascii():
        small = word.lower()
        return () if small in _STOPPED else (_STEM(small),)
    if _HANGUL.search(word):
        # Runs longer than this are no words, and end in no particle.
        stem = without_particle(word) if len(word) <= 64 else word
        found: list[str] = []
        for piece in _PIECE.findall(stem):
            if not _HANGUL.match(piece):
                found += _terms_of(piece)
            elif len(piece) == 1:
                found.append(piece)
            else:
                found += [a + b for a, b in pairwise(piece)]
        return tuple(found)
    plain = unaccented(word)
    return _terms_of(plain) if plain.isascii() else tuple(words(plain))


def unaccented(text: str) -> str:
    """``text`` case folded, its Latin letters without accents.

    Examples
    --------
    >>> unaccented("Tekezé"), unaccented("がく")
    ('tekeze', 'がく')
    """
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFD", text.casefold())
    return unicodedata.normalize("NFC", _LATIN_MARK.sub("", apart))


class Synonyms:
    """Groups of words that stand for one another.

    Parameters
    ----------
    groups : each of two or more words or phrases; a word may be in several

    Examples
    --------
    >>> Synonyms([("error", "오류")]).of(["error"])
    {'오류': 1.0}
    """

    def __init__(self, groups: Iterable[Sequence[str]]) -> None:
        self.groups = tuple(tuple(group) for group in groups)
        self._others: dict[str, list[tuple[str, ...]]] = {}
        for group in self.groups:
            analysed = [tuple(terms(word)) for word in group]
            for own in analysed:
                others = [other for other in analysed if other != own]
                self._others.setdefault(" ".join(own), []).extend(others)

    def of(self, query: Sequence[str]) -> Mapping[str, float]:
        """Terms of the synonyms of what a query says, and not in it; 1 shared by a phrase."""
        text = f" {' '.join(query)} "
        found: dict[str, float] = {}
        for own, others in self._others.items():
            if f" {own} " in text:
                for other in others:
                    for term in other:
                        if term not in query:
                            found[term] = max(found.get(term, 0.0), 1 / len(other))
        return found


SYNONYMS: Final = (
    ("error", "failure", "오류", "에러", "장애", "실패"),
    ("deploy", "release", "배포", "릴리스"),
    ("database", "DB", "데이터베이스"),
    ("decision", "choice", "결정", "선택"),
    ("rule", "policy", "규칙", "정책"),
    ("performance", "speed", "성능", "속도"),
    ("user", "customer", "사용자", "고객"),
    ("search", "retrieval", "검색"),
    ("security", "보안"),
    ("cost", "price", "비용", "가격"),
)
"""A few groups of agents' everyday words; give others to `Synonyms`."""
