"""Search: from a query to the hits that resonate with it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.errors import ParameterError
from hebbgraph.retrieval import intents, resonance
from hebbgraph.retrieval.completion import completed
from hebbgraph.retrieval.corpus import Corpus
from hebbgraph.retrieval.excerpts import excerpt
from hebbgraph.retrieval.hits import Found, Hit, Parts
from hebbgraph.retrieval.periods import period_of, within
from hebbgraph.retrieval.relevance import TEXT_ONLY, Floats, Relevance, Weights, relevance, top
from hebbgraph.retrieval.terms import SYNONYMS, Synonyms, terms
from hebbgraph.retrieval.tracing import path_to

if TYPE_CHECKING:
    from hebbgraph.providers.protocols import Completer

KINDS: Final = (
    "chunks", "lexical", "graph", "graph_completion", "rag_completion", "summaries", "temporal",
    "similar",
)  # fmt: skip
WORDS_AND_VECTORS: Final = Weights(titles=0, entities=0, spreading=0)
_WEIGHTS: Final = Weights()
_UNKNOWN: Final = resonance.Vitals()
_CANDIDATES: Final = 100
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
    allowed : (n,) bool, passages that may be found; all where None
    """

    weights: Weights = _WEIGHTS
    axes: Mapping[str, float] | None = None
    vitals: resonance.Vitals = _UNKNOWN
    tags: Collection[str] = ()
    now: datetime | None = None
    synonyms: Synonyms | None = _BUILT_IN
    allowed: npt.NDArray[np.bool_] | None = None


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
    axes of the intent.  Equal scores stand in the order of the passages.

    Parameters
    ----------
    query : any text; a blank one finds nothing.  For ``"similar"``, the id of a passage or a text
    k : at most this many hits, ≥ 1
    kind : ``"chunks"`` passages; ``"lexical"`` by words alone; ``"graph"`` with what the passages
        state; ``"summaries"`` one a document, cut to the sentences nearest to the query;
        ``"temporal"`` of the years that the query says; ``"similar"`` passages like one;
        ``"rag_completion"`` and ``"graph_completion"`` with the answer of a completer, from words
        and vectors alone or from all
    intent : one of six, or ``"auto"``: the one that the query's words tell
    vector : of the query, of length 1, in the space of the corpus's vectors
    completer : for the two kinds with an answer; without one they return what it would be given

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
    purpose = intents.chosen(intent, query)
    note = ""
    allowed = options.allowed
    without = None
    weights = {"lexical": TEXT_ONLY, "rag_completion": WORDS_AND_VECTORS}.get(kind, options.weights)
    if kind == "similar":
        query, vector, without = _like(corpus, query, vector)
        weights = WORDS_AND_VECTORS
    if kind == "temporal":
        period = period_of(query)
        if period is None:
            note = "the query says no year, so hits of all times are given"
        else:
            inside = within(corpus.texts, options.vitals.updated, period)
            allowed = inside if allowed is None else allowed & inside
    if not query.strip() or not len(corpus):
        return Found(hits=(), intent=purpose, kind=kind, note=note)
    found = relevance(
        corpus, query, vector=vector, weights=weights, synonyms=options.synonyms, fewest=k
    )
    hits = _hits(corpus, found, k, weights, purpose, options, allowed, without, kind == "summaries")
    if kind == "summaries":
        asked = dict.fromkeys(terms(query), 1.0)
        hits = tuple(excerpt(hit, asked, corpus.text) for hit in hits)
    triplets = _triplets(corpus, hits) if kind in ("graph", "graph_completion") else ()
    answer = None
    if kind in ("rag_completion", "graph_completion"):
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


def _hits(
    corpus: Corpus,
    found: Relevance,
    k: int,
    weights: Weights,
    purpose: str,
    options: Options,
    allowed: npt.NDArray[np.bool_] | None,
    without: int | None,
    one_a_document: bool,
) -> tuple[Hit, ...]:
    total = np.nan_to_num(found.total, nan=0.0, posinf=0.0, neginf=0.0)
    if allowed is not None:
        total = np.where(allowed, total, 0)
    if without is not None:
        total[without] = 0
    rows = top(total, max(_CANDIDATES, 5 * k))
    now = check.microseconds("now", options.now or datetime.now(UTC))
    parts: Floats = resonance.axes(total, rows, options.vitals, now=now, tags=options.tags)
    score = parts @ resonance.axis_weights(purpose, options.axes)
    order = np.lexsort((rows, -total[rows], -score))
    if one_a_document:
        _, first = np.unique(corpus.document[rows[order]], return_index=True)
        order = order[np.sort(first)]
    made = []
    for at in order[:k].tolist():
        row = int(rows[at])
        document = int(corpus.document[row])
        made.append(
            Hit(
                document_id=corpus.document_ids[document],
                passage_id=corpus.passage_ids[row],
                title=corpus.titles[document],
                text=corpus.texts[row],
                score=float(score[at]),
                parts=Parts(**dict(zip(intents.AXES, parts[at].tolist(), strict=True))),
                text_score=float(found.direct[row]),
                name_score=float(found.named[row]),
                activation=float(found.activation[row]),
                path=path_to(corpus, found, row, weights),
            )
        )
    return tuple(made)


def _triplets(corpus: Corpus, hits: tuple[Hit, ...]) -> tuple[tuple[str, str, str, str], ...]:
    """What the passages state, those said in words before those that stand together."""
    out: list[tuple[str, str, str, str]] = []
    for hit in hits:
        rows, _ = corpus.stated_in.of(corpus.row_of[hit.passage_id])
        said = [corpus.triplets[at] for at in rows.tolist()]
        said.sort(key=lambda one: one[1] == "mentioned_with")
        out += [(*one, hit.passage_id) for one in said[:20]]
    return tuple(out)
