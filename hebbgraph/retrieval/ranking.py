"""From relevance to the passages that are given: resonance, expansion, order."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from hebbgraph.retrieval import intents, resonance
from hebbgraph.retrieval.catalogue import Between
from hebbgraph.retrieval.corpus import Corpus
from hebbgraph.retrieval.expansion import chained, expanded
from hebbgraph.retrieval.relevance import Floats, Ints, top
from hebbgraph.retrieval.supersession import Heirs, lifted, newer_first

CANDIDATES: Final = 100
"""The most relevant passages, at least so many and five times those asked for, are weighed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranked:
    """Passages in the order in which they are given.

    Attributes
    ----------
    rows : (m,) of the corpus
    score : (m,) float64
    parts : (m, 5) float64, the axes
    came : by passage whose score another handed on: that one, and the relation between them
    weighed : rows of all that were weighed, the most relevant first
    """

    rows: Ints
    score: Floats
    parts: Floats
    came: Mapping[int, tuple[int, str]]
    weighed: Ints


def ranked(
    corpus: Corpus,
    total: Floats,
    *,
    k: int,
    purpose: str,
    axes: Mapping[str, float] | None,
    vitals: resonance.Vitals,
    tags: Collection[str],
    now: int,
    allowed: npt.NDArray[np.bool_],
    between: Between | None,
    heirs: Heirs,
    one_a_document: bool,
) -> Ranked:
    """The k passages that resonate most.

    Parameters
    ----------
    total : (n,) relevance, finite, 0 where a passage may not be found
    purpose : intent, none of them ``"auto"``
    axes, vitals, tags : as of ``Options``
    now : UTC microseconds
    allowed : (n,) bool, passages that may be found
    between : documents that the intent may add; None adds none
    heirs : by passage those that superseded it; they stand before it, added where need be
    one_a_document : give the best passage of each alone
    """
    weighed = top(total, max(CANDIDATES, 5 * k))
    weights = resonance.axis_weights(purpose, axes)
    parts = resonance.axes(total, weighed, vitals, now=now, tags=tags)
    scores = dict(zip(weighed.tolist(), (parts @ weights).tolist(), strict=True))
    came: dict[int, tuple[int, str]] = {}
    steps = intents.EXPANSIONS[purpose]
    if between is not None and steps:
        came = _expand(corpus, total, scores, purpose, allowed, between)
    if heirs:
        raised = lifted(scores, heirs)
        came |= {row: (older, "supersedes") for row, older in raised.items()}
    order = sorted(scores, key=lambda row: (-scores[row], -total[row], row))
    if heirs:
        order = newer_first(order, heirs)
    if one_a_document:
        firsts: dict[int, int] = {}
        for row in order:
            firsts.setdefault(int(corpus.document[row]), row)
        order = list(firsts.values())
    order = order[:k]
    if between is not None and purpose == "reasoning_chain":
        documents = corpus.document[order].tolist()
        edges = between.at(documents)
        order = [order[at] for at in chained(documents, between.kinds, edges, steps)]
        order = newer_first(order, heirs)
    rows = np.array(order, np.int64)
    return Ranked(
        rows=rows,
        score=np.array([scores[row] for row in order]),
        parts=resonance.axes(total, rows, vitals, now=now, tags=tags),
        came=came,
        weighed=weighed,
    )


def _expand(
    corpus: Corpus,
    total: Floats,
    scores: dict[int, float],
    purpose: str,
    allowed: npt.NDArray[np.bool_],
    between: Between,
) -> dict[int, tuple[int, str]]:
    """Add what the intent does to ``scores``; by passage added or raised, whence and how."""
    best: dict[int, int] = {}
    for row in sorted(scores, key=lambda row: (-scores[row], -total[row], row)):
        best.setdefault(int(corpus.document[row]), row)
    has_any = np.zeros(len(between.kinds), np.bool_)
    has_any[corpus.document[allowed]] = True
    reached = expanded(
        {document: scores[row] for document, row in best.items()},
        between.kinds,
        lambda some: [one for one in between.at(some) if has_any[one[0]] and has_any[one[1]]],
        intents.EXPANSIONS[purpose],
        rounds=intents.ROUNDS.get(purpose, 1),
    )
    came: dict[int, tuple[int, str]] = {}
    entering = {
        document: best[document]
        if document in best
        else _entrance(corpus, total, allowed, document)
        for document in reached
    }
    for document, one in reached.items():
        if one.origin is not None:
            row = entering[document]
            scores[row], came[row] = one.score, (entering[one.origin], one.relation)
    return came


def _entrance(corpus: Corpus, total: Floats, allowed: npt.NDArray[np.bool_], document: int) -> int:
    """The most relevant passage of a document that may be found, the first of equals."""
    rows = np.arange(corpus.first[document], corpus.first[document + 1])
    rows = rows[allowed[rows]]
    return int(rows[total[rows].argmax()])
