"""Korean particles, taken off where a noun is left."""

from __future__ import annotations

import re
from typing import Final

# 나, 란, 며 and 랑 after a vowel are left out: they end too many nouns.
_ALWAYS: Final = """
에서부터 으로부터 에게서 한테서 에서는 에서도 에게는 에게도 까지는 까지도 부터는 만으로
에서의 으로의 로부터 에서 에게 한테 께서 부터 까지 마저 조차 처럼 보다 만큼 마다 밖에
에는 에도 에만 에의 의 에 도 만
"""
_CONSONANT: Final = """
으로는 으로도 으로써 으로서 이라는 이라고 이라도 이라며 이란 이랑 이나 이며 으로 은 이 을 과
이었다 이다 입니다 이고 인
"""
_VOWEL: Final = "라는 라고 라며 는 가 를 와 였다"
_VOWEL_OR_L: Final = "로는 로도 로써 로서 로의 로"
_EITHER, _AFTER_CONSONANT, _AFTER_VOWEL, _AFTER_VOWEL_OR_L = (
    frozenset(endings.split()) for endings in (_ALWAYS, _CONSONANT, _VOWEL, _VOWEL_OR_L)
)
_ENDINGS: Final = sorted(
    _EITHER | _AFTER_CONSONANT | _AFTER_VOWEL | _AFTER_VOWEL_OR_L, key=lambda one: (-len(one), one)
)
_ENDING: Final = re.compile(f"(?:{'|'.join(_ENDINGS)})$")
# Words whose own end looks like a particle, and endings of verbs and adjectives.
_VERBAL: Final = re.compile(
    r"(?:다고|다며|다는|다면|지만|으며|하며|되며|하고|되고|하는|되는|있는|없는|하기|되기|하여|되어|해서|아서"
    r"|어서|했던|됐던|였던|았던|었던|려고|도록|면서|으면|하면|되면|하게|되게|하지|되지|니다|세요|어요|아요|해요"
    r"|는데|지는|하던|되던|하자|해야|돼야|할지|는지|은지"
    # One syllable tells a verb only behind two: 북한, 광고 and 바다 are nouns.
    r"|(?<=..)[다된될한할던고])$"
)


def _may_follow(ending: str, stem: str) -> bool:
    code = ord(stem[-1]) - 0xAC00
    if ending in _EITHER or not 0 <= code <= 0xD7A3 - 0xAC00:
        return True  # after letters that are no Hangul, either form is written
    final = code % 28
    return (
        (ending in _AFTER_CONSONANT and final != 0)
        or (ending in _AFTER_VOWEL and final == 0)
        or (ending in _AFTER_VOWEL_OR_L and final in (0, 8))
    )


def without_particle(word: str) -> str:
    """`word` (one spaced unit) without its particle, or as it is.

    A particle is taken off only where the syllable before it lets it stand (이 and 을 follow a
    consonant, 가 and 를 a vowel) and where two characters are left.

    Examples
    --------
    >>> [without_particle(word) for word in ("김철수가", "검색팀을", "서울에서", "BMW가", "국가")]
    ['김철수', '검색팀', '서울', 'BMW', '국가']
    """
    found = _ENDING.search(word)
    while found:
        stem = word[: found.start()]
        if len(stem) >= 2 and _may_follow(found[0], stem):
            return stem
        # A shorter ending inside this one.
        found = _ENDING.search(word, found.start() + 1)
    return word


def is_verbal(word: str) -> bool:
    """Whether `word` ends as verbs and adjectives do.

    Examples
    --------
    >>> [is_verbal(word) for word in ("밝혔다", "만들었다고", "검색팀", "있는")]
    [True, True, False, True]
    """
    return _VERBAL.search(word) is not None
