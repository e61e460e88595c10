"""What a search finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The five axes of one hit, each in [0, 1]."""

    relevance: float
    importance: float
    recency: float
    vitality: float
    context: float


@dataclass(frozen=True)
class Step:
    """One step of the path by which activation came.

    Attributes
    ----------
    kind : ``words``, ``title`` or ``entity`` from the query; ``link`` over a document, ``topic``
        over an entity, ``relation`` over entities that are stated of one another, ``association``,
        or ``expansion``
    via : the name, document, entities, or relation of an expansion over which it came; empty for
        words and associations
    passage : the passage it reached
    """

    kind: str
    via: str
    passage: str

    def __str__(self) -> str:
        return (
            f"{self.kind} {self.via} → {self.passage}"
            if self.via
            else f"{self.kind} → {self.passage}"
        )


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One passage that was found.

    Attributes
    ----------
    document_id, passage_id, title, text : what it is
    score : Σ weight·part, or more where an expansion handed it on
    parts : the five parts
    text_score, name_score, activation : what relevance is made of: words and vectors, names that
        the query says, what spreading brought or the passage kept; before scaling to 1
    path : how activation came, from the query to the passage
    """

    document_id: str
    passage_id: str
    title: str
    text: str
    score: float
    parts: Parts
    text_score: float
    name_score: float
    activation: float
    path: tuple[Step, ...]


@dataclass(frozen=True, kw_only=True)
class Found:
    """The hits of one search, best first but for chains of reasoning told in their order.

    Attributes
    ----------
    hits : at most k, each passage once
    intent : the one that weighed them
    kind : of the search
    triplets : subject, predicate, object and passage, where the kind asks for them
    answer : of a completer, or None
    id : by which feedback on a recorded search refers to it, or None
    note : what could not be done, or empty
    """

    hits: tuple[Hit, ...]
    intent: str
    kind: str
    triplets: tuple[tuple[str, str, str, str], ...] = ()
    answer: str | None = None
    id: str | None = None
    note: str = ""

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]
