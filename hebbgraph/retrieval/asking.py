"""One question to an opened memory, with all that it may be told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from hebbgraph import check
from hebbgraph.errors import ParameterError
from hebbgraph.retrieval.filters import Filters, allowed, moment
from hebbgraph.retrieval.hits import Found
from hebbgraph.retrieval.intents import EXPANSIONS, chosen
from hebbgraph.retrieval.opened import Opened
from hebbgraph.retrieval.relevance import Weights
from hebbgraph.retrieval.search import KINDS, Options, search
from hebbgraph.retrieval.terms import SYNONYMS, Synonyms

if TYPE_CHECKING:
    from hebbgraph.providers.protocols import Completer


def ask(
    here: Opened,
    query: str,
    *,
    k: int,
    search_type: str,
    intent: str,
    filters: Filters,
    weights: Weights | None = None,
    axes: Mapping[str, float] | None = None,
    context_tags: str | Collection[str] = (),
    synonyms: Iterable[Sequence[str]] | None = None,
    completer: Completer | None = None,
    now: datetime | None = None,
) -> Found:
    """Search an opened memory; options as of :meth:`hebbgraph.Memory.find`."""
    check.choice("search_type", search_type, KINDS)
    text = query if isinstance(query, str) else ""
    inside, once, told = allowed(here.catalogue, filters)
    if not told and not len(here.corpus):
        told = "the memory has no passages; `add` brings them"
    then = moment("as_of", filters.as_of, last=True)
    now = now or then
    options = Options(
        axes=axes, vitals=here.vitals(now), now=now, allowed=inside, once=once,
        between=here.catalogue.between if EXPANSIONS[chosen(intent, text)] else None,
        tags=(context_tags,) if isinstance(context_tags, str) else tuple(context_tags),
    )  # fmt: skip
    if weights is not None:
        if not isinstance(weights, Weights):
            raise ParameterError(f"weights: expected Weights, got {type(weights).__name__}")
        options = replace(options, weights=weights)
    if synonyms is not None:
        options = replace(options, synonyms=Synonyms((*SYNONYMS, *_groups(synonyms))))
    if then is not None:
        options = replace(
            options,
            superseded=here.catalogue.superseded(then),
            holds=here.catalogue.holds(then),
        )
    found = search(
        here.corpus, query, k=k, kind=search_type, intent=intent, vector=here.vector(text),
        completer=completer, options=options,
    )  # fmt: skip
    return replace(found, note="; ".join(filter(None, (told, here.note, found.note))))


def _groups(synonyms: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    groups = []
    for number, group in enumerate(synonyms):
        if isinstance(group, str) or not all(isinstance(word, str) for word in group):
            raise ParameterError(f"synonyms: expected groups of words, got {group!r} at {number}")
        if len(group) < 2:
            raise ParameterError(
                f"synonyms: expected two words or more in a group, got {list(group)} at {number}"
            )
        groups.append(tuple(group))
    return groups
