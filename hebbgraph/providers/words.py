"""Texts as words, in any script."""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b
from itertools import pairwise

import numpy as np
import numpy.typing as npt

# Scripts that write no blanks between words, and Hangul, whose particles stick to the noun.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul
)
# Vowel signs of these are no \w, yet inside a word.
_INDIC = "\u0900-\u0dff"
_RUN = re.compile(rf"([{_UNSPACED}]+)|((?:(?![{_UNSPACED}])[^\W_]|[{_INDIC}])+)")
_NO_PLAIN_WORD = re.compile(f"[{_UNSPACED}{_INDIC}]")
_WORD = re.compile(r"[^\W_]+")
# Twice as fast as an expression.
_SMALL_OR_BLANK = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() else ord(" ") for code in range(128)
).ljust(256)


def words(text: str) -> list[str]:
    """Words of ``text``, case folded (NFKC); pairs of characters in Hangul and unspaced scripts.

    A text without a letter or a digit is taken by its characters, so that none but a blank one is
    empty.

    >>> words("Fold-in of 2 texts")
    ['fold', 'in', 'of', '2', 'texts']
    >>> words("장애 대응")
    ['장애', '대응']
    >>> words("!?")
    ['!', '?']
    """
    if text.isascii():
        found = text.encode().translate(_SMALL_OR_BLANK).decode().split()
    else:
        normal = unicodedata.normalize("NFKC", text).casefold()
        found = _in_runs(normal) if _NO_PLAIN_WORD.search(normal) else _WORD.findall(normal)
    return found or [character for character in text if not character.isspace()]


def _in_runs(normal: str) -> list[str]:
    found = []
    for unspaced, word in _RUN.findall(normal):
        if len(unspaced) > 1:
            found += [a + b for a, b in pairwise(unspaced)]
        else:
            found.append(unspaced or word)
    return found


def index_vectors(names: list[str], dimensions: int) -> npt.NDArray[np.float32]:
    """A random unit vector a name, the same on every machine.

    Random indexing (Kanerva, Kristofersson and Holst 2000) with dense signs: any two are nearly
    orthogonal, |cos| about 1/√dimensions.

    Returns
    -------
    (len(names), dimensions) float32, each ±1/√dimensions
    """
    digests = b"".join(
        blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest() for name in names
    )
    state = np.frombuffer(digests, "<u8")[:, None]
    blocks = np.arange(1, -(-dimensions // 64) + 1, dtype=np.uint64)
    # splitmix64 (Steele, Lea and Flood 2014), one output a block of 64 signs.
    mixed = state + blocks * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    octets = mixed.astype("<u8").view(np.uint8).reshape(len(names), 8 * len(blocks))
    bits = np.unpackbits(octets, axis=1, count=dimensions)
    unit = np.float32(1 / np.sqrt(dimensions))
    return np.where(bits, unit, -unit)
