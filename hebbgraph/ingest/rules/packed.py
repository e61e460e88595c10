"""The words of a whole corpus between two walks over it, at eight bytes each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hebbgraph.ingest.rules.tokens import SEPARATOR, Tokens, passed, text_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Packed:
    """What :class:`~hebbgraph.ingest.rules.tokens.Tokens` can be made of again.

    Attributes
    ----------
    texts : not joined, so that no copy is kept
    word, gap, first : as of `Tokens`
    size : (n,) characters of every word
    skipped : (n,) characters between the end of the word before and its start
    """

    texts: Sequence[str]
    word: npt.NDArray[np.int32]
    gap: npt.NDArray[np.int8]
    first: npt.NDArray[np.bool_]
    size: npt.NDArray[np.unsignedinteger[Any]]
    skipped: npt.NDArray[np.unsignedinteger[Any]]

    @property
    def tokens(self) -> Tokens:
        """As they were, but for sentences, which count from 0 without a hole."""
        start = np.cumsum(self.skipped, dtype=np.int32)
        start[1:] += np.cumsum(self.size[:-1], dtype=np.int32)
        return Tokens(
            SEPARATOR.join(self.texts), self.word, start, start + self.size, self.gap,
            passed(text_bounds(self.texts), start),
            np.cumsum(self.first, dtype=np.int32) - np.int32(1), self.first,
        )  # fmt: skip


def pack(texts: Sequence[str], tokens: Tokens) -> Packed:
    """Leave out what the rest tells.

    Parameters
    ----------
    texts : those that the tokens were made of
    """
    skipped = tokens.start.copy()
    skipped[1:] -= tokens.end[:-1]
    return Packed(
        texts, tokens.word, tokens.gap, tokens.first, _small(tokens.end - tokens.start),
        _small(skipped),
    )  # fmt: skip


def _small(values: npt.NDArray[np.int32]) -> npt.NDArray[np.unsignedinteger[Any]]:
    return values.astype(np.min_scalar_type(values.max(initial=0)))
