"""Texts found by their hash: a dictionary that needs no loading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False, repr=False)
class Lexicon:
    """Distinct texts in the order of their hashes.

    Attributes
    ----------
    hashes : (n,) uint64, ascending
    texts : (n,) Arrow array of bytes, UTF-8
    """

    hashes: Hashes
    texts: Any

    def __len__(self) -> int:
        return int(self.hashes.size)

    def some(self, rows: Ints) -> Lexicon:
        """The texts of some rows, ascending."""
        return Lexicon(self.hashes[rows], self.texts.take(pa.array(rows)))

    def find(self, wanted: Sequence[str]) -> Ints:
        """(len(wanted),) int64, the row of each text; −1 where it is not among them."""
        encoded = [_bytes(text) for text in wanted]
        return self._rows(_hashes(encoded), encoded)

    def _rows(self, hashes: Hashes, encoded: Sequence[bytes]) -> Ints:
        out = np.full(hashes.size, -1, np.int64)
        at = np.searchsorted(self.hashes, hashes)
        near = np.flatnonzero(at < self.hashes.size)
        near = near[self.hashes[at[near]] == hashes[near]]
        for number, row in zip(near.tolist(), at[near].tolist(), strict=True):
            # Two texts of one hash are possible, if only just.
            while row < self.hashes.size and self.hashes[row] == hashes[number]:
                if self.texts[row].as_py() == encoded[number]:
                    out[number] = row
                    break
                row += 1
        return out


def united(one: Lexicon, other: Lexicon) -> tuple[Lexicon, Ints, Ints]:
    """The texts of both.

    Returns
    -------
    lexicon
    rows, others : (len(one),) and (len(other),) int64, where the texts of each stand in it
    """
    found = one._rows(other.hashes, other.texts.to_pylist())
    new = np.flatnonzero(found < 0)
    found[new] = len(one) + np.arange(new.size)
    hashes = np.concatenate([one.hashes, other.hashes[new]])
    order = np.argsort(hashes, kind="stable")
    texts = pa.concat_arrays([one.texts, other.texts.take(pa.array(new))])
    row = np.empty(order.size, np.int64)
    row[order] = np.arange(order.size)
    made = Lexicon(hashes[order], texts.take(pa.array(order)))
    return made, row[: len(one)], row[found]


def lexicon(texts: Iterable[str]) -> tuple[Lexicon, Ints]:
    """Index distinct texts.

    Returns
    -------
    lexicon
    order : (n,) int64, position among ``texts`` of each of its rows
    """
    encoded = [_bytes(text) for text in texts]
    hashes = _hashes(encoded)
    order = np.argsort(hashes, kind="stable")
    made = Lexicon(hashes[order], pa.array(encoded, pa.large_binary()).take(pa.array(order)))
    return made, order


def hashes_of(texts: Iterable[str]) -> Hashes:
    """(n,) uint64, one a text, the same in every process."""
    return _hashes(_bytes(text) for text in texts)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _hashes(encoded: Iterable[bytes]) -> Hashes:
    joined = b"".join([blake2b(one, digest_size=8).digest() for one in encoded])
    return np.frombuffer(joined, "<u8").astype(np.uint64, copy=False)
