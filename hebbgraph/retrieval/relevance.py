"""How relevant passages are to a query: words, vectors, names, and what they lead to."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.retrieval.corpus import Corpus
from hebbgraph.retrieval.terms import Synonyms, terms

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_BLOCK: Final = 128
_LEAST: Final = np.nextafter(0, 1)  # the least number above 0


@dataclass(frozen=True, kw_only=True)
class Weights:
    """What each way to relevance counts, beside 1 for the best match of words.

    One setting for every set; ``docs/retrieval.md`` says what was in view when it was chosen.

    Attributes
    ----------
    vectors : the best match of vectors
    titles : a document whose title the query says
    entities : entities that the query says, over ln²(2 + passages with them)
    links : a link from a relevant passage, over ln(2 + passages with a link to the same document)
    topics : entities shared with the best passages, over ln²(2 + passages with them)
    associations : an association of weight 1 with a relevant passage, which use has taught
    seeds : how many of the best passages hand on activation over links and associations
    centers : how many of the best passages hand it on over shared entities
    """

    vectors: float = 0.3
    titles: float = 1.0
    entities: float = 0.3
    links: float = 0.6
    topics: float = 0.5
    associations: float = 0.5
    seeds: int = 20
    centers: int = 1

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in ("seeds", "centers"):
                check.integer(one.name, value, 0)
            else:
                check.number(one.name, value, 0, 1e6)


TEXT_ONLY: Final = Weights(
    vectors=0, titles=0, entities=0, links=0, topics=0, associations=0, seeds=0, centers=0
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Relevance:
    """Scores of all passages, by the way they came.

    Attributes
    ----------
    direct : (n,) words and vectors, in [0, 1], 1 for the best
    named : (n,) titles and entities that the query says
    activation : (n,) what links, shared entities and associations brought; below 0 where
        learned failures took more away
    seeds, centers : rows that handed it on, best first
    titles, entities : documents and entities that the query says, under the name that says them
    """

    direct: Floats
    named: Floats
    activation: Floats
    seeds: Ints
    centers: Ints
    titles: tuple[tuple[str, Ints], ...]
    entities: tuple[tuple[str, Ints], ...]

    @property
    def total(self) -> Floats:
        """(n,) float64, the sum of the three."""
        return self.direct + self.named + self.activation


def relevance(
    corpus: Corpus,
    query: str,
    *,
    vector: npt.NDArray[np.float32] | None = None,
    weights: Weights | None = None,
    synonyms: Synonyms | None = None,
    fewest: int = 0,
    allowed: npt.NDArray[np.bool_] | None = None,
) -> Relevance:
    """Score every passage.

    Parameters
    ----------
    query : any text
    vector : of the query, of length 1, in the space of the corpus's vectors
    weights : the defaults where None
    synonyms : looked at where fewer passages than ``fewest`` hold a word of the query
    allowed : (n,) bool, passages that words, vectors and names find and that hand on activation;
        all where None
    """
    weights = Weights() if weights is None else weights
    direct = _direct(corpus, query, vector, weights, synonyms, fewest, allowed)
    titles = tuple(corpus.title_names.said(query)) if weights.titles else ()
    entities = tuple(corpus.entities.said(query)) if weights.entities or weights.topics else ()
    named = np.zeros(len(corpus))
    for _, documents in titles:
        held = documents[corpus.first[documents + 1] > corpus.first[documents]]
        best = best_passages(corpus, held, direct)
        if allowed is not None:
            best = best[allowed[best]]
        if best.size:
            named[best] += weights.titles / best.size
    for _, said in entities:
        for entity in said.tolist():
            rows, _ = corpus.mentioned_in.of(entity)
            named[rows] += weights.entities * rarity(rows.size) / said.size
    if allowed is not None:
        named = np.where(allowed, named, 0)
    start = direct + named
    seeds = top(start, max(weights.seeds, weights.centers))
    active = np.zeros(len(corpus))
    centers = seeds[: weights.centers]
    seeds = seeds[: weights.seeds]
    if weights.links:
        _over_links(corpus, start, seeds, direct, weights.links, active)
    if weights.topics:
        known = {int(one) for _, own in entities for one in own}
        _over_topics(corpus, start, centers, direct, known, weights.topics, active)
    if weights.associations:
        for row in seeds.tolist():
            rows, weight = corpus.associations.of(row)
            active[rows] += weights.associations * start[row] * weight
    return Relevance(
        direct=direct, named=named, activation=active, seeds=seeds, centers=centers,
        titles=titles, entities=entities,
    )  # fmt: skip


def rarity(passages: int) -> float:
    """How much an entity of so many passages tells: 1/ln²(2 + passages), and 0 for one alone."""
    return 0.0 if passages < 2 else float(1 / np.log(2 + passages) ** 2)


def top(score: Floats, k: int) -> Ints:
    """Rows of the k highest scores above 0, best first, equals in order of rows."""
    if k <= 0 or not score.size:
        return np.zeros(0, np.int64)
    rows = np.flatnonzero(score >= max(_floor(score, k), _LEAST))
    if k < rows.size:
        found = score[rows]
        rows = rows[found >= np.partition(found, rows.size - k)[rows.size - k]]
    return rows[np.lexsort((rows, -score[rows]))[:k]]


def _floor(score: Floats, k: int) -> float:
    """A number that at least k scores reach, and few others: the k-th highest of blocks' maxima.

    Looking for the k-th of all scores would take twenty times as long as one pass for maxima.
    """
    blocks = score.size // _BLOCK
    if k > blocks:
        return -np.inf
    highest = score[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    return float(np.partition(highest, blocks - k)[blocks - k])


def best_passages(corpus: Corpus, documents: Ints, direct: Floats) -> Ints:
    """The passage of each document that matches a query best, the first of equals."""
    first, end = corpus.first[documents], corpus.first[documents + 1]
    if (end - first == 1).all():
        return first
    return np.array(
        [a + int(direct[a:b].argmax()) for a, b in zip(first.tolist(), end.tolist(), strict=True)],
        np.int64,
    )


def _direct(
    corpus: Corpus,
    query: str,
    vector: npt.NDArray[np.float32] | None,
    weights: Weights,
    synonyms: Synonyms | None,
    fewest: int,
    allowed: npt.NDArray[np.bool_] | None,
) -> Floats:
    asked = terms(query)
    open_to = 1 if allowed is None else allowed
    words = corpus.text.scores(dict.fromkeys(asked, 1.0)) * open_to
    if synonyms is not None and np.count_nonzero(words) < fewest:
        words = words + np.float32(0.5) * corpus.text.scores(synonyms.of(asked)) * open_to
    scaled = _scaled(words.astype(np.float64))
    if vector is not None and corpus.vectors is not None and weights.vectors:
        near = np.maximum(corpus.vectors @ vector, 0).astype(np.float64) * open_to
        scaled = _scaled(scaled + weights.vectors * _scaled(near))
    return scaled


def _scaled(score: Floats) -> Floats:
    most = score.max(initial=0.0)
    return score / most if most > 0 else score


def _over_links(
    corpus: Corpus, start: Floats, seeds: Ints, direct: Floats, weight: float, active: Floats
) -> None:
    if not seeds.size:
        return
    found = [corpus.links.of(row) for row in seeds.tolist()]
    target = np.concatenate([documents for documents, _ in found])
    amount = np.concatenate([start[row] * own for row, (_, own) in zip(seeds, found, strict=True)])
    if not target.size:
        return
    documents, place = np.unique(target, return_inverse=True)
    total = np.bincount(place, weights=amount, minlength=documents.size)
    total *= weight / np.log(2 + corpus.told[documents])
    held = corpus.first[documents + 1] > corpus.first[documents]
    active[best_passages(corpus, documents[held], direct)] += total[held]


def _over_topics(
    corpus: Corpus,
    start: Floats,
    centers: Ints,
    direct: Floats,
    said: set[int],
    weight: float,
    active: Floats,
) -> None:
    for row in centers.tolist():
        entities, strength = corpus.mentions.of(row)
        for entity, own in zip(entities.tolist(), strength.tolist(), strict=True):
            if entity in said:
                continue
            rows, back = corpus.mentioned_in.of(entity)
            share = weight * start[row] * own * rarity(rows.size)
            active[rows] += share * back * direct[rows]
