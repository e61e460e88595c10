"""Search: from a query to the hits that resonate with it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.errors import ParameterError
from hebbgraph.retrieval import intents, resonance
from hebbgraph.retrieval.catalogue import Between, Triplet
from hebbgraph.retrieval.completion import completed, summarised
from hebbgraph.retrieval.corpus import Corpus
from hebbgraph.retrieval.excerpts import excerpt
from hebbgraph.retrieval.hits import Found, Hit, Parts, Step
from hebbgraph.retrieval.periods import period_of, within
from hebbgraph.retrieval.ranking import Ranked, ranked
from hebbgraph.retrieval.relevance import TEXT_ONLY, Ints, Relevance, Weights, relevance
from hebbgraph.retrieval.supersession import heirs_of
from hebbgraph.retrieval.terms import SYNONYMS, Synonyms, terms
from hebbgraph.retrieval.tracing import path_to
from hebbgraph.rowwise import several

if TYPE_CHECKING:
    from hebbgraph.providers.protocols import Completer

KINDS: Final = (
    "chunks", "lexical", "graph", "graph_completion", "rag_completion", "summaries", "temporal",
    "similar",
)  # fmt: skip
WORDS_AND_VECTORS: Final = Weights(titles=0, entities=0, spreading=0)
_WEIGHTS: Final = Weights()
_UNKNOWN: Final = resonance.Vitals()
_NO_PAIRS: Final = (np.zeros(0, np.int64), np.zeros(0, np.int64))
_FIXED: Final = {
    "lexical": TEXT_ONLY, "rag_completion": WORDS_AND_VECTORS, "similar": WORDS_AND_VECTORS,
}  # fmt: skip
"""Kinds that look at words, or words and vectors, whatever the options say; no intent adds."""
_ANSWERED: Final = ("rag_completion", "graph_completion")
_OF_ONE_DOCUMENT: Final = 8  # passages that a summary is made of
_BUILT_IN: Final = Synonyms(SYNONYMS)


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to search, beside the query.

    Attributes
    ----------
    weights : of the ways to relevance
    axes : weight by axis of resonance, in place of the intent's
    vitals : what is known of the passages beside their text
    tags : of the context that the query comes from
    now : a moment with a time zone; the clock where None
    synonyms : looked at where fewer passages than asked for hold a word of the query
    allowed : (n,) bool, passages that may be found and lead to others; all where None
    once : (n,) bool, those that may be found, so that none is that says the same; all where None
    between : documents by kind and what joins them, over which an intent adds more; none where None
    superseded : (m,) newer and (m,) older passages; no older one stands before its newer ones
    holds : whether a triplet is told; all are where None
    """

    weights: Weights = _WEIGHTS
    axes: Mapping[str, float] | None = None
    vitals: resonance.Vitals = _UNKNOWN
    tags: Collection[str] = ()
    now: datetime | None = None
    synonyms: Synonyms | None = _BUILT_IN
    allowed: npt.NDArray[np.bool_] | None = None
    once: npt.NDArray[np.bool_] | None = None
    between: Between | None = None
    superseded: tuple[Ints, Ints] = _NO_PAIRS
    holds: Callable[[Triplet], bool] | None = None


def search(
    corpus: Corpus,
    query: str,
    *,
    k: int = 10,
    kind: str = "chunks",
    intent: str = intents.AUTO,
    vector: npt.NDArray[np.float32] | None = None,
    completer: Completer | None = None,
    options: Options | None = None,
) -> Found:
    """The k passages that resonate most with a query.

    Relevance comes by words, vectors, names that the query says, and what these lead to over links,
    shared entities and learned associations; the hundred most relevant are then weighed by the five
    axes of the intent, which may add documents that follow from them.  Equal scores stand in the
    order of the passages.

    Parameters
    ----------
    query : any text; a blank one finds nothing.  For ``"similar"``, the id of a passage or a text
    k : at most this many hits, ≥ 1
    kind : ``"chunks"`` passages; ``"lexical"`` by words alone; ``"graph"`` with what the passages
        state; ``"summaries"`` one a document, summed up by the completer, else cut to the sentences
        nearest to the query; ``"temporal"`` of the times that the query says; ``"similar"``
        passages like one; ``"rag_completion"`` and ``"graph_completion"`` with the answer of a
        completer, from words and vectors alone or from all
    intent : one of six, or ``"auto"``: the one that the query's words tell
    vector : of the query, of length 1, in the space of the corpus's vectors
    completer : for summaries and the two kinds with an answer; without one those return what it
        would be given

    Raises
    ------
    ParameterError
        an option is outside its range
    ProviderError
        the completer did not answer
    """
    check.integer("k", k, 1)
    check.choice("kind", kind, KINDS)
    if not isinstance(query, str):
        raise ParameterError(f"query: expected a text, got {type(query).__name__}")
    if vector is not None and corpus.vectors is not None:
        vector = _checked(vector, corpus.vectors.shape[1])
    options = options or Options()
    now = options.now or datetime.now(UTC)
    moment = check.microseconds("now", now)
    purpose = intents.chosen(intent, query)
    # Checked even where nothing is found.
    resonance.axis_weights(purpose, options.axes)
    note = ""
    allowed = np.ones(len(corpus), np.bool_) if options.allowed is None else options.allowed
    weights = _FIXED.get(kind, options.weights)
    if kind == "similar":
        query, vector, without = _like(corpus, query, vector)
        if without is not None:
            allowed = allowed & (np.arange(len(corpus)) != without)
    if kind == "temporal":
        period = period_of(query, now)
        if period is None:
            note = "the query says no time that is understood, so hits of all times are given"
        else:
            allowed = within(corpus.years, corpus.texts, options.vitals.updated, period, allowed)
    if not query.strip() or not allowed.any():
        return Found(hits=(), intent=purpose, kind=kind, note=note)
    found = relevance(
        corpus, query, vector=vector, weights=weights, synonyms=options.synonyms, fewest=k,
        allowed=allowed,
    )  # fmt: skip
    total = np.nan_to_num(found.total, nan=0.0, posinf=0.0, neginf=0.0)
    if options.once is not None:
        allowed = allowed & options.once
    newer, older = options.superseded
    given = ranked(
        corpus, np.where(allowed, total, 0), k=k, purpose=purpose, axes=options.axes,
        vitals=options.vitals, tags=options.tags, now=moment, allowed=allowed,
        between=None if kind in _FIXED else options.between,
        heirs=heirs_of(newer[allowed[newer]].tolist(), older[allowed[newer]].tolist()),
        one_a_document=kind == "summaries",
    )  # fmt: skip
    hits = _hits(corpus, found, given, weights)
    known = corpus.text.vocabulary.find(list(found.asked.terms)) >= 0
    if not note and not known.any():
        note = "no passage has a word of the query" + (
            ", so these are near in other ways" if hits else ""
        )
    if kind == "summaries":
        hits, note = _summaries(corpus, query, hits, given, completer)
    told = kind in ("graph", "graph_completion")
    triplets = _triplets(corpus, hits, options.holds) if told else ()
    answer = None
    if kind in _ANSWERED and hits:
        if completer is None:
            note = "no completer is given, so these are the passages that it would answer from"
        else:
            answer = completed(completer, query, hits, triplets)
    return Found(hits=hits, intent=purpose, kind=kind, triplets=triplets, answer=answer, note=note)


def _checked(vector: Any, dimensions: int) -> npt.NDArray[np.float32]:
    given: npt.NDArray[np.float32] = np.asarray(vector, np.float32)
    if given.shape != (dimensions,):
        raise ParameterError(f"vector: expected shape ({dimensions},), got {given.shape}")
    if not np.isfinite(given).all():
        raise ParameterError("vector: expected finite numbers, got NaN or infinity")
    return given


def _like(
    corpus: Corpus, query: str, vector: Any
) -> tuple[str, npt.NDArray[np.float32] | None, int | None]:
    """The text and vector of a passage whose id is given, and its row."""
    row = corpus.row_of.get(query)
    if row is None:
        return query, vector, None
    own = None if corpus.vectors is None else corpus.vectors[row]
    return corpus.texts[row], own, row


def _hits(corpus: Corpus, found: Relevance, given: Ranked, weights: Weights) -> tuple[Hit, ...]:
    made = []
    texts = several(corpus.texts, given.rows.tolist())
    for row, text, score, parts in zip(
        given.rows.tolist(), texts, given.score.tolist(), given.parts.tolist(), strict=True
    ):
        document = int(corpus.document[row])
        made.append(
            Hit(
                document_id=corpus.document_ids[document],
                passage_id=corpus.passage_ids[row],
                title=corpus.titles[document],
                text=text,
                score=score,
                parts=Parts(**dict(zip(intents.AXES, parts, strict=True))),
                text_score=float(found.direct[row]),
                name_score=float(found.named[row]),
                activation=float(found.activation[row]),
                path=_path(corpus, found, given, row, weights),
            )
        )
    return tuple(made)


def _path(
    corpus: Corpus, found: Relevance, given: Ranked, row: int, weights: Weights
) -> tuple[Step, ...]:
    """How activation came, and from there over the edges that handed a score on."""
    steps: list[Step] = []
    while row in given.came:
        origin, relation = given.came[row]
        steps.append(Step("expansion", relation, corpus.passage_ids[row]))
        row = origin
    return (*path_to(corpus, found, row, weights), *reversed(steps))


def _summaries(
    corpus: Corpus, query: str, hits: tuple[Hit, ...], given: Ranked, completer: Completer | None
) -> tuple[tuple[Hit, ...], str]:
    """Hits whose text is a summary, and a note on how it was made."""
    if completer is None:
        asked = dict.fromkeys(terms(query), 1.0)
        note = "no completer is given, so summaries are sentences of the text"
        return tuple(excerpt(hit, asked, corpus.text) for hit in hits), note
    made = []
    for row, hit in zip(given.rows.tolist(), hits, strict=True):
        own = given.weighed[corpus.document[given.weighed] == corpus.document[row]]
        used = sorted({row, *own[: _OF_ONE_DOCUMENT - 1].tolist()})
        passages = [
            *zip(several(corpus.passage_ids, used), several(corpus.texts, used), strict=True)
        ]
        made.append(replace(hit, text=summarised(completer, query, hit.title, passages)))
    return tuple(made), ""


def _triplets(
    corpus: Corpus, hits: Sequence[Hit], holds: Callable[[Triplet], bool] | None
) -> tuple[tuple[str, str, str, str], ...]:
    """What the passages state, twenty each at most."""
    out: list[tuple[str, str, str, str]] = []
    for hit in hits:
        said = corpus.stated(corpus.row_of[hit.passage_id])
        if holds is not None:
            said = [one for one in said if holds(one)]
        out += [(*one, hit.passage_id) for one in said[:20]]
    return tuple(out)
