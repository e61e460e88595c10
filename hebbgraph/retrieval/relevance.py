"""How relevant passages are to a query: words, vectors, names, and what these lead to."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.retrieval.asked import Asked, asked
from hebbgraph.retrieval.corpus import Corpus
from hebbgraph.retrieval.network import Factors, Network, network_of, rarity
from hebbgraph.retrieval.terms import Synonyms
from hebbgraph.retrieval.ways import Level

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_BLOCK: Final = 128
_LEAST: Final = np.nextafter(0, 1)  # the least number above 0
NEGLIGIBLE: Final = 1e-30
"""Share of the best seed's activation below which a seed gives off none."""
HALF: Final = 0.5
"""Share of names in a query from which on vectors do not count at all, and novelty wholly."""


@dataclass(frozen=True, kw_only=True)
class Weights:
    """What each way to relevance counts, beside 1 for the best match of words.

    One setting for every set; ``docs/retrieval.md`` says how it was chosen.

    Attributes
    ----------
    vectors : the best match of vectors, less the more of the query is names
    titles : a document whose title the query says
    entities : entities that the query says, over ln²(2 + passages with them)
    spreading : activation that comes to a passage, times ``unasked`` and its match
    unasked : what activation counts where the passage says nothing that is asked, ≥ 0
    novelty : how much less a word counts that the seeds say already, in [0, 1], less the less of
        the query is names
    seeds : how many of the best passages hand on activation
    sharpness : power to which their scores are taken, ≥ 1: how far the best of them leads
    links, mentions, relations, associations : factor of the edges of each kind
    damping : share of activation that is handed on, in [0.01, 0.99]
    depth : steps that it goes at most
    epsilon : smallest share of it that is handed on, in [1e-12, 1]
    """

    vectors: float = 0.5
    titles: float = 1.0
    entities: float = 0.3
    spreading: float = 32.0
    unasked: float = 0.5
    novelty: float = 0.5
    seeds: int = 20
    sharpness: float = 8.0
    links: float = 1.0
    mentions: float = 1.0
    relations: float = 0.2
    associations: float = 0.5
    damping: float = 0.5
    depth: int = 3
    epsilon: float = 1e-5

    def __post_init__(self) -> None:
        lowest = {"sharpness": 1.0, "damping": 0.01, "epsilon": 1e-12}
        highest = {"novelty": 1.0, "sharpness": 100.0, "damping": 0.99, "epsilon": 1.0}
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in ("seeds", "depth"):
                check.integer(one.name, value, 0)
            else:
                low, high = lowest.get(one.name, 0.0), highest.get(one.name, 1e6)
                check.number(one.name, value, low, high)

    @property
    def factors(self) -> Factors:
        """Of the kinds of edges."""
        return Factors(self.links, self.mentions, self.relations, self.associations)


TEXT_ONLY: Final = Weights(vectors=0, titles=0, entities=0, spreading=0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Relevance:
    """Scores of all passages, by the way they came.

    Attributes
    ----------
    direct : (n,) words and vectors, in [0, 1], 1 for the best
    match : (n,) the same, less what the seeds say already, in [0, 1]
    named : (n,) titles and entities that the query says
    activation : (n,) what spreading brings, and what seeds keep; below 0 where learned failures
        took more away
    seeds, amounts : rows that activation comes from, best first, and how much of it
    asked : what the query says
    weights : of the ways
    network : over which it spread; None where nothing did
    """

    direct: Floats
    match: Floats
    named: Floats
    activation: Floats
    seeds: Ints
    amounts: Floats
    asked: Asked
    weights: Weights
    network: Network | None

    @cached_property
    def ways(self) -> list[Level]:
        """By which ways activation came to rows of the network."""
        if self.network is None:
            return []
        own = self.weights
        return self.network.ways(
            self.seeds, self.amounts, damping=own.damping, depth=own.depth, epsilon=own.epsilon
        )

    @property
    def total(self) -> Floats:
        """(n,) float64, ln(1 + match + named + activation), or −ln(1 − …) where that is below 0.

        The logarithm changes no order; it keeps a passage that is far ahead from making all others
        alike to what weighs relevance beside something else.
        """
        plain = self.match + self.named + self.activation
        out: Floats = np.copysign(np.log1p(np.abs(plain)), plain)
        return out


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

    The best passages by words, vectors and names are seeds.  With x₁ ≥ x₂ ≥ … their scores, seed i
    gives off x₁·(xᵢ/x₁)^sharpness, which spreads over the network by forward push.  What comes to a
    passage counts as much as the passage matches what the seeds leave open: a term that they say
    counts less by ``novelty`` times their share, by amounts, that says it.  What comes to a
    document is for the passage of it that matches best, and counts though it should not match.

    How much of a query is names tells what it is after: one of names alone goes from what it names
    to what that leads to, and vectors, which say what a text is on, would hold it back; one without
    names is on a topic, and more of what the best passages say is what it is after.

    Parameters
    ----------
    query : any text
    vector : of the query, of length 1, in the space of the corpus's vectors
    weights : the defaults where None
    synonyms : looked at where fewer passages than ``fewest`` hold a word of the query
    allowed : (n,) bool, passages that words, vectors and names find and that give off activation;
        all where None
    """
    weights = Weights() if weights is None else weights
    said = asked(corpus, query)
    hops = min(1.0, said.names / HALF)
    near, novelty = weights.vectors * (1 - hops), weights.novelty * hops
    words = corpus.text.scores(dict.fromkeys(said.terms, 1.0)).astype(np.float64)
    if synonyms is not None and np.count_nonzero(_open(words, allowed)) < fewest:
        words += 0.5 * corpus.text.scores(synonyms.of(said.terms))
    words = _open(words, allowed)
    best = words.max(initial=0.0)
    direct = _scaled(words)
    if vector is not None and corpus.vectors is not None and near:
        close = _open(np.maximum(corpus.vectors @ vector, 0).astype(np.float64), allowed)
        direct = direct + near * _scaled(close)
        best *= direct.max(initial=0.0)
        direct = _scaled(direct)
    named = _open(_named(corpus, said, direct, weights, allowed), allowed)
    start = direct + named
    seeds = top(start, weights.seeds if weights.spreading else 0)
    if not seeds.size:
        nothing = np.zeros(len(corpus))
        return Relevance(
            direct=direct, match=direct, named=named, activation=nothing, seeds=seeds,
            amounts=np.zeros(0), asked=said, weights=weights, network=None,
        )  # fmt: skip
    most = start[seeds[0]]
    amounts = most * (start[seeds] / most) ** weights.sharpness
    seeds, amounts = seeds[amounts > NEGLIGIBLE * most], amounts[amounts > NEGLIGIBLE * most]
    match = direct
    if best and novelty:
        covered = _open(_covered(corpus, said, seeds, amounts), allowed)
        match = np.maximum(direct - novelty / best * covered, 0)
    network = network_of(corpus, weights.factors)
    return Relevance(
        direct=direct, match=match, named=named,
        activation=_activation(corpus, network, seeds, amounts, match, weights),
        seeds=seeds, amounts=amounts, asked=said, weights=weights, network=network,
    )  # fmt: skip


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


def _open(score: Floats, allowed: npt.NDArray[np.bool_] | None) -> Floats:
    return score if allowed is None else np.where(allowed, score, 0)


def _scaled(score: Floats) -> Floats:
    most = score.max(initial=0.0)
    return score / most if most > 0 else score


def _named(
    corpus: Corpus,
    said: Asked,
    direct: Floats,
    weights: Weights,
    allowed: npt.NDArray[np.bool_] | None,
) -> Floats:
    named = np.zeros(len(corpus))
    for _, documents in said.titles if weights.titles else ():
        held = documents[corpus.first[documents + 1] > corpus.first[documents]]
        best = best_passages(corpus, held, direct)
        if allowed is not None:
            best = best[allowed[best]]
        if best.size:
            named[best] += weights.titles / best.size
    for _, entities in said.entities if weights.entities else ():
        for entity in entities.tolist():
            rows, _ = corpus.mentioned_in.of(entity)
            named[rows] += weights.entities * rarity(rows.size) / entities.size
    return named


def _covered(corpus: Corpus, said: Asked, seeds: Ints, amounts: Floats) -> Floats:
    """What terms that seeds say are worth to every passage, by the share of seeds that say them."""
    share = amounts / amounts.sum()
    cover = {}
    for term in said.terms:
        held = corpus.text.scores({term: 1.0})[seeds] > 0
        if held.any():
            cover[term] = float(share[held].sum())
    return corpus.text.scores(cover).astype(np.float64)


def _activation(
    corpus: Corpus,
    network: Network,
    seeds: Ints,
    amounts: Floats,
    match: Floats,
    weights: Weights,
) -> Floats:
    rows, amount = network.spread(
        seeds, amounts, damping=weights.damping, depth=weights.depth, epsilon=weights.epsilon
    )
    amount = weights.spreading * amount
    out = np.zeros(len(corpus))
    at = rows < network.documents
    out[rows[at]] = amount[at] * (weights.unasked + match[rows[at]])
    at = (rows >= network.documents) & (rows < network.entities)
    documents, order = np.unique(rows[at] - network.documents, return_index=True)
    amount = amount[at][order]
    held = corpus.first[documents + 1] > corpus.first[documents]
    chosen = best_passages(corpus, documents[held], match)
    out[chosen] += amount[held] * (1 + match[chosen])
    return out
