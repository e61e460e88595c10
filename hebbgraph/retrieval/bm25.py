"""BM25 over postings: what each term is worth to each passage is worked out once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.retrieval.lexicon import Lexicon, lexicon
from hebbgraph.retrieval.terms import terms

K1: Final = 1.2
B: Final = 0.75
TITLE_WEIGHT: Final = 2.0

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False, repr=False)
class TextIndex:
    """Postings by term, each with what it adds to the score of its passage.

    Attributes
    ----------
    vocabulary : terms, each at its row
    indptr : (n_terms + 1,) int64, where the postings of each term begin
    passage : (n_postings,) int32, ascending within a term
    worth : (n_postings,) float32, above 0
    n_passages : passages, those without a term included
    """

    vocabulary: Lexicon
    indptr: npt.NDArray[np.int64]
    passage: npt.NDArray[np.int32]
    worth: Floats
    n_passages: int

    def rarity(self, term: str) -> float:
        """ln(1 + (N − n + ½)/(n + ½)), n of N passages with the term."""
        row = int(self.vocabulary.find([term])[0])
        held = 0 if row < 0 else int(self.indptr[row + 1] - self.indptr[row])
        return math.log1p((self.n_passages - held + 0.5) / (held + 0.5))

    def scores(self, query: Mapping[str, float]) -> Floats:
        """The score of every passage.

        Parameters
        ----------
        query : weight by term; terms that no passage has add nothing

        Returns
        -------
        (n_passages,) float32, ≥ 0 where weights are
        """
        out = np.zeros(self.n_passages, np.float32)
        rows = self.vocabulary.find(list(query)).tolist()
        for row, weight in zip(rows, query.values(), strict=True):
            if row >= 0:
                begin, end = self.indptr[row], self.indptr[row + 1]
                out[self.passage[begin:end]] += self.worth[begin:end] * np.float32(weight)
        return out

    def arrays(self) -> dict[str, Any]:
        """What :meth:`of_arrays` makes the index of again."""
        return {
            "term": self.vocabulary.texts, "term_hash": self.vocabulary.hashes,
            "posted": self.indptr, "passage": self.passage, "worth": self.worth,
            "n_passages": np.array([self.n_passages]),
        }  # fmt: skip

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, Any]) -> TextIndex:
        """The index whose :meth:`arrays` these are, as Arrow arrays; nothing is copied."""
        names = ("term_hash", "posted", "passage", "worth", "n_passages")
        hashes, indptr, passage, worth, size = (arrays[name].to_numpy() for name in names)
        return cls(Lexicon(hashes, arrays["term"]), indptr, passage, worth, int(size[0]))


def text_index(
    passages: Iterable[tuple[str, str]],
    *,
    k1: float = K1,
    b: float = B,
    title_weight: float = TITLE_WEIGHT,
) -> TextIndex:
    """Index passages for BM25 (Robertson and Zaragoza 2009).

    A term t adds ln(1 + (N − n + ½)/(n + ½)) · f·(k₁ + 1)/(f + k₁·(1 − b + b·l/l̄)) to a passage:
    N passages, n of them with t, f times t in this one, l its length in terms.  Terms of the title
    count ``title_weight`` times, in f and l.

    Parameters
    ----------
    passages : title and text of each
    k1 : how soon repetition saturates, in [0, 100]
    b : how much length counts, in [0, 1]
    title_weight : in [0, 100]

    Raises
    ------
    ParameterError
        an option is outside its range
    """
    check.number("k1", k1, 0, 100)
    check.number("b", b, 0, 1)
    check.number("title_weight", title_weight, 0, 100)
    vocabulary: dict[str, int] = {}
    sizes, rows, counts = list[int](), list[int](), list[float]()
    titled: dict[str, Counter[str]] = {}
    for title, text in passages:
        tally: dict[str, float] = dict(Counter(terms(text)))
        if title and title_weight:
            if title not in titled:
                titled[title] = Counter(terms(title))
            for term, times in titled[title].items():
                tally[term] = tally.get(term, 0.0) + title_weight * times
        sizes.append(len(tally))
        rows += [vocabulary.setdefault(term, len(vocabulary)) for term in tally]
        counts += tally.values()
    n = len(sizes)
    passage = np.repeat(np.arange(n, dtype=np.int32), sizes)
    posted, count = np.array(rows, np.int64), np.array(counts, np.float64)
    length = np.bincount(passage, weights=count, minlength=n)
    mean = length.mean() if count.size else 1.0
    held = np.bincount(posted, minlength=len(vocabulary))
    rarity = np.log1p((n - held + 0.5) / (held + 0.5))
    norm = k1 * (1 - b + b * length / mean)
    worth = rarity[posted] * count * (k1 + 1) / (count + norm[passage])
    found, kept = lexicon(vocabulary)
    row = np.empty(kept.size, np.int64)
    row[kept] = np.arange(kept.size)
    order = np.argsort(row[posted], kind="stable")
    indptr = np.concatenate([[0], np.cumsum(held[kept])]).astype(np.int64)
    return TextIndex(found, indptr, passage[order], worth[order].astype(np.float32), n)
