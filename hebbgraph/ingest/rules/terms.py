"""Terms without capitals: words that stand together far more often than chance would have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hebbgraph.ingest.rules.phrases import Bools, Runs, before, runs_of
from hebbgraph.ingest.rules.tokens import Gap, Tokens
from hebbgraph.ingest.rules.vocabulary import Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hebbgraph.ingest.rules.packed import Packed
    from hebbgraph.ingest.rules.vocabulary import Vocabulary

_FEWEST: Final = 3
_LOG_LIKELIHOOD: Final = 15.13  # χ² with one degree of freedom at p = 1e-4
_LONGEST: Final = 4


def collocations(chunks: Sequence[Packed], vocabulary: Vocabulary) -> npt.NDArray[np.int64]:
    """Pairs of neighbouring words that belong together, as sorted keys first·2³² + second.

    Dunning's log-likelihood ratio (1993) of the pair against independence, at p ≤ 1e-4, for pairs
    seen at least three times and more often than expected.

    Returns
    -------
    keys : (k,) int64, of normal forms
    """
    flags, normal = vocabulary.flags, vocabulary.normal_ids.astype(np.int64)
    content = _content(flags)
    pairs = [_pairs(tokens, content, normal)[1] for tokens in chunks]
    keys, counts = np.unique(np.concatenate([np.zeros(0, np.int64), *pairs]), return_counts=True)
    total = max(sum(tokens.word.size for tokens in chunks), 1)
    n_normals = int(normal.max(initial=-1)) + 1
    seen = np.zeros(n_normals, np.int64)
    for tokens in chunks:
        seen += np.bincount(normal[tokens.word], minlength=n_normals)
    often = counts >= _FEWEST
    keys, both = keys[often], counts[often].astype(np.float64)
    left, right = seen[keys >> 32].astype(np.float64), seen[keys & 0xFFFFFFFF].astype(np.float64)
    expected = left * right / total
    strong = (_log_likelihood(both, left, right, total) >= _LOG_LIKELIHOOD) & (both > expected)
    kept: npt.NDArray[np.int64] = keys[strong]
    return kept


def _log_likelihood(
    both: npt.NDArray[np.float64],
    left: npt.NDArray[np.float64],
    right: npt.NDArray[np.float64],
    total: int,
) -> npt.NDArray[np.float64]:
    """−2 log λ of the two-by-two tables."""
    ratio = np.zeros_like(both)
    cells = (
        (both, left, right),
        (left - both, left, total - right),
        (right - both, total - left, right),
        (total - left - right + both, total - left, total - right),
    )
    for cell, row, column in cells:
        held = np.maximum(cell, 1e-12)
        ratio += cell * np.log(held * total / np.maximum(row * column, 1e-12))
    return 2 * ratio


def _content(flags: npt.NDArray[np.int32]) -> Bools:
    """Words that a term may be made of: (n,) bool, by word."""
    barred = Flag.FUNCTION | Flag.CAPITAL | Flag.NUMBER | Flag.VERBAL
    barred |= Flag.IDEOGRAPHS | Flag.KATAKANA
    hangul = (flags & Flag.HANGUL) > 0
    content: Bools = ((flags & barred) == 0) & (~hangul | ((flags & Flag.NOUN) > 0))
    return content


def _pairs(
    tokens: Tokens | Packed, content: Bools, normal: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Places of first words of pairs, and the pairs' keys."""
    spaced = (tokens.gap == Gap.SPACE) | (tokens.gap == Gap.HYPHEN)
    is_content = content[tokens.word]
    place = np.flatnonzero(is_content & spaced & before(is_content))
    first, second = normal[tokens.word[place]], normal[tokens.word[place + 1]]
    return place, (first << 32) | second


def terms(tokens: Tokens, vocabulary: Vocabulary, together: npt.NDArray[np.int64]) -> Runs:
    """Runs of two to four words whose neighbours are in `together`."""
    content = _content(vocabulary.flags)
    place, keys = _pairs(tokens, content, vocabulary.normal_ids.astype(np.int64))
    joint = np.zeros(tokens.word.size, np.bool_)
    if together.size:
        found = together[np.minimum(np.searchsorted(together, keys), together.size - 1)] == keys
        joint[place[found]] = True
    particled = (vocabulary.flags & Flag.PARTICLED) > 0
    # A particle ends a Korean noun phrase.
    joint &= ~particled[tokens.word]
    member = joint.copy()
    member[1:] |= joint[:-1]
    found_runs = runs_of(member, joint)
    length = found_runs.end - found_runs.begin
    return found_runs.where((length >= 2) & (length <= _LONGEST))
