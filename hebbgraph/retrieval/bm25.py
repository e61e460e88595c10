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
from hebbgraph.retrieval.counting import stable_order
from hebbgraph.retrieval.lexicon import Lexicon, lexicon, united
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
    count : (n_postings,) float32, how often the term stands there, in titles more
    n_passages : passages, those without a term included
    """

    vocabulary: Lexicon
    indptr: npt.NDArray[np.int64]
    passage: npt.NDArray[np.int32]
    worth: Floats
    count: Floats
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
            "count": self.count, "n_passages": np.array([self.n_passages]),
        }  # fmt: skip

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, Any]) -> TextIndex:
        """The index whose :meth:`arrays` these are, as Arrow arrays; nothing is copied."""
        names = ("term_hash", "posted", "passage", "worth", "count", "n_passages")
        hashes, indptr, passage, worth, count, size = (arrays[name].to_numpy() for name in names)
        return cls(Lexicon(hashes, arrays["term"]), indptr, passage, worth, count, int(size[0]))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Tallies:
    """How often terms stand in passages.

    Attributes
    ----------
    vocabulary : terms, each at its row
    passage : (m,) int32, ascending
    term : (m,) int64, each once a passage
    count : (m,) float32, above 0
    n_passages : passages, those without a term included
    """

    vocabulary: Lexicon
    passage: npt.NDArray[np.int32]
    term: npt.NDArray[np.int64]
    count: Floats
    n_passages: int


def text_index(
    passages: Iterable[tuple[str, str]],
    *,
    k1: float = K1,
    b: float = B,
    title_weight: float = TITLE_WEIGHT,
) -> TextIndex:
    """Index passages for BM25; see :func:`weighed`.

    Parameters
    ----------
    passages : title and text of each
    title_weight : how often terms of the title count, in [0, 100]

    Raises
    ------
    ParameterError
        an option is outside its range
    """
    return weighed(tallied(passages, title_weight=title_weight), k1=k1, b=b)


def tallied(passages: Iterable[tuple[str, str]], *, title_weight: float = TITLE_WEIGHT) -> Tallies:
    """Count the terms of titles and texts; those of titles ``title_weight`` times."""
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
    found, order = lexicon(vocabulary)
    row = np.empty(order.size, np.int64)
    row[order] = np.arange(order.size)
    return Tallies(
        vocabulary=found, passage=np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
        term=row[np.array(rows, np.int64)], count=np.array(counts, np.float32),
        n_passages=len(sizes),
    )  # fmt: skip


def weighed(tallies: Tallies, *, k1: float = K1, b: float = B) -> TextIndex:
    """What every term adds to the score of its passages by BM25 (Robertson and Zaragoza 2009).

    A term t adds ln(1 + (N − n + ½)/(n + ½)) · f·(k₁ + 1)/(f + k₁·(1 − b + b·l/l̄)) to a passage:
    N passages, n of them with t, f times t in this one, l its length in terms.

    Parameters
    ----------
    k1 : how soon repetition saturates, in [0, 100]
    b : how much length counts, in [0, 1]

    Raises
    ------
    ParameterError
        an option is outside its range
    """
    check.number("k1", k1, 0, 100)
    check.number("b", b, 0, 1)
    n, passage, term = tallies.n_passages, tallies.passage, tallies.term
    count = tallies.count.astype(np.float64)
    length = np.bincount(passage, weights=count, minlength=n)
    mean = length.mean() if count.size else 1.0
    held = np.bincount(term, minlength=len(tallies.vocabulary))
    rarity = np.log1p((n - held + 0.5) / (held + 0.5))
    norm = k1 * (1 - b + b * length / mean)
    worth = rarity[term] * count * (k1 + 1) / (count + norm[passage])
    order = stable_order(term)
    return TextIndex(
        vocabulary=tallies.vocabulary,
        indptr=np.concatenate([[0], np.cumsum(held)]).astype(np.int64),
        passage=passage[order], worth=worth[order].astype(np.float32),
        count=tallies.count[order], n_passages=n,
    )  # fmt: skip


def continued(old: TextIndex, row: npt.NDArray[np.int64], new: Tallies) -> Tallies:
    """Tallies of passages of which an index has counted some before.

    Parameters
    ----------
    row : (n,) int64, row of each passage in ``old``; −1 where it is not there
    new : of the passages that are not there, in their order
    """
    order = stable_order(old.passage)
    term = np.repeat(np.arange(len(old.vocabulary)), np.diff(old.indptr))[order]
    sizes = np.bincount(old.passage, minlength=old.n_passages)
    begin = np.cumsum(sizes) - sizes
    here, added = np.flatnonzero(row >= 0), np.flatnonzero(row < 0)
    size = sizes[row[here]]
    nth = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    taken = np.repeat(begin[row[here]], size) + nth
    vocabulary, first, other = united(old.vocabulary, new.vocabulary)
    passage = np.concatenate([np.repeat(here, size), added[new.passage]]).astype(np.int32)
    both = np.concatenate([first[term[taken]], other[new.term]])
    held = np.bincount(both, minlength=len(vocabulary)) > 0
    both = (np.cumsum(held) - 1)[both]
    by_passage = stable_order(passage)
    return Tallies(
        vocabulary=vocabulary.some(np.flatnonzero(held)),
        passage=passage[by_passage], term=both[by_passage],
        count=np.concatenate([old.count[order][taken], new.count])[by_passage],
        n_passages=row.size,
    )  # fmt: skip
