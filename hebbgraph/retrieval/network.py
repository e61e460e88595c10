"""The network over which search spreads: passages, documents, entities, and what joins them."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels.push import spread, state_of

from hebbgraph.retrieval.corpus import Corpus, Joins
from hebbgraph.retrieval.flow import Floats, Weights
from hebbgraph.retrieval.ways import Level, ways_from

Ints = npt.NDArray[np.int64]


class Factors(NamedTuple):
    """What the weights of a network's edges are multiplied by, by kind; each ≥ 0."""

    links: float = 1.0
    mentions: float = 1.0
    relations: float = 1.0
    associations: float = 1.0


class Network:
    """Weights between passages, documents and entities, ready for forward push.

    Rows are passages 0 … n − 1, then documents, then entities.  Edges carry what `Joins` hold,
    learned or stated, times the factor of their kind and, so that hubs neither take nor give much,
    a share that falls with how many passages are joined to their end:

    =====================  =============================================
    passage → document     w·links/ln(2 + passages that link there)
    document → passage     1: activation at a document is for all of it
    passage ↔ entity       w·mentions/ln²(2 + passages that mention it)
    entity ↔ entity        w·relations·√(rarity · rarity of the other)
    passage ↔ passage      w·associations
    =====================  =============================================

    An entity that one passage alone mentions leads nowhere and has no edges.  Weights below zero
    inhibit, as in :class:`hebbgraph.retrieval.spreading.Spreading`.

    Attributes
    ----------
    documents, entities : the first row of each
    excitatory, inhibitory : weights above zero, and absolute weights below it
    """

    def __init__(self, corpus: Corpus, factors: Factors) -> None:
        self.documents = len(corpus)
        self.entities = self.documents + len(corpus.document_ids)
        n = self.entities + len(corpus.entity_names)
        parts = _parts(corpus, factors, self.documents, self.entities)
        dtype = np.int32 if n <= np.iinfo(np.int32).max else np.int64
        self.excitatory = _stacked(parts, 1, n, dtype)
        self.inhibitory = _stacked(parts, -1, n, dtype)
        entries = self.excitatory.weight.size
        self.unit = float(self.excitatory.strength.sum() / entries) if entries else 1.0
        self._touched, self._activation = np.empty(n, dtype), np.empty(n)
        self._scratch = (
            state_of(self.excitatory.strength), np.zeros(0, np.float32), np.empty(2 * n, dtype),
            self._touched, self._activation,
        )  # fmt: skip
        self._lock = threading.Lock()

    def spread(
        self, seeds: Ints, amounts: Floats, *, damping: float, depth: int, epsilon: float
    ) -> tuple[Ints, Floats]:
        """What seeds activate, by at most ``depth`` steps of forward push.

        Parameters
        ----------
        seeds : (k,) distinct rows
        amounts : (k,) float64 > 0; all activation together comes to no more than their sum
        damping : share of what arrives that is handed on, in (0, 1)
        epsilon : what is below this share of ``amounts``, a mean edge, goes no further

        Returns
        -------
        rows and their activation, below 0 where more is taken away than arrives
        """
        excitatory, inhibitory = self.excitatory, self.inhibitory
        whole = float(amounts.sum())
        with self._lock:
            found, *_ = spread(
                excitatory.indptr, excitatory.indices, excitatory.weight, inhibitory.indptr,
                inhibitory.indices, inhibitory.weight, inhibitory.strength, seeds, amounts / whole,
                damping, epsilon / self.unit, depth, np.inf, 0, *self._scratch,
            )  # fmt: skip
            return self._touched[:found].astype(np.int64), self._activation[:found] * whole

    def ways(
        self, seeds: Ints, amounts: Floats, *, damping: float, depth: int, epsilon: float
    ) -> list[Level]:
        """By which ways :meth:`spread` brought most of it, to each row that has some."""
        least = epsilon / self.unit / max(depth, 1) * float(amounts.sum())
        return ways_from(self.excitatory, seeds, amounts, damping=damping, depth=depth, least=least)

    def kept(self, row: int, damping: float) -> float:
        """Share of what arrives that stays: all of it where nothing leads on."""
        return 1 - damping if self.excitatory.strength[row] else 1.0


_built: WeakKeyDictionary[Corpus, tuple[Factors, Network]] = WeakKeyDictionary()


def network_of(corpus: Corpus, factors: Factors) -> Network:
    """The network of a corpus, made when it is first asked for and kept as long as the corpus."""
    known = _built.get(corpus)
    if known is None or known[0] != factors:
        known = factors, Network(corpus, factors)
        _built[corpus] = known
    return known[1]


def rarity(passages: Any) -> Any:
    """How much an entity of so many passages tells: 1/ln²(2 + passages), and 0 for one alone."""
    count = np.asarray(passages)
    return np.where(count < 2, 0.0, 1 / np.log(2 + count) ** 2)


class _Part(NamedTuple):
    """Edges of one kind: counts of each row from ``first`` on, their ends and weights."""

    first: int
    counts: Ints
    target: Ints
    weight: npt.NDArray[np.float32]


def _parts(corpus: Corpus, factors: Factors, documents: int, entities: int) -> list[_Part]:
    """Kinds of edges, those of one row in ascending order of their ends."""
    n_passages = len(corpus)
    held = np.diff(corpus.mentioned_in.indptr)
    rare = rarity(held)
    root = np.sqrt(rare)
    found = [
        _part(0, corpus.associations, 0, factors.associations, None, None),
        _part(0, corpus.links, documents, factors.links, 1 / np.log(2 + corpus.told), None),
        _part(0, corpus.mentions, entities, factors.mentions, rare, None),
        _part(entities, corpus.mentioned_in, 0, factors.mentions, None, rare),
        _part(entities, corpus.relations, entities, factors.relations, root, root),
    ]
    own = np.diff(corpus.first)
    found.insert(3, _Part(documents, own, np.arange(n_passages), np.ones(n_passages, np.float32)))
    return found


def _part(
    first: int, joins: Joins, target: int, factor: float, of_target: Any, of_source: Any
) -> _Part:
    weight = joins.weight * np.float32(factor)
    if of_target is not None:
        weight = weight * of_target.astype(np.float32)[joins.target]
    counts = np.diff(joins.indptr)
    if of_source is not None:
        weight = weight * np.repeat(of_source.astype(np.float32), counts)
    kept = weight != 0
    if kept.all():
        return _Part(first, counts, joins.target + target, weight)
    before = np.concatenate([[0], np.cumsum(kept)])
    counts = np.diff(before[joins.indptr])
    return _Part(first, counts, joins.target[kept] + target, weight[kept])


def _stacked(parts: list[_Part], sign: int, n: int, dtype: Any) -> Weights:
    """Parts of one sign as one CSR; rows that several parts share have them one after another."""
    counts = np.zeros(n, np.int64)
    signed = []
    for part in parts:
        kept = part.weight > 0 if sign > 0 else part.weight < 0
        before = np.concatenate([[0], np.cumsum(kept)])
        ends = np.concatenate([[0], np.cumsum(part.counts)])
        own = np.diff(before[ends])
        counts[part.first : part.first + own.size] += own
        signed.append((part.first, own, part.target[kept], np.abs(part.weight[kept])))
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    indices, weight = np.empty(indptr[-1], dtype), np.empty(indptr[-1], np.float32)
    filled = indptr[:-1].copy()
    for first, own, target, amount in signed:
        begin = filled[first : first + own.size]
        place = np.arange(target.size) + np.repeat(begin - (np.cumsum(own) - own), own)
        indices[place], weight[place] = target, amount
        begin += own
    strength = np.zeros(n)
    some = np.flatnonzero(counts)
    if some.size:
        strength[some] = np.add.reduceat(weight, indptr[some], dtype=np.float64)
    return Weights(indptr, indices, weight, strength)
