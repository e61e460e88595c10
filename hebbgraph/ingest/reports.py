"""What the verbs of a memory did."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hebbgraph.ingest.ontology.checking import Violation


@dataclass(frozen=True, kw_only=True)
class _Report:
    """What every verb tells.

    Attributes
    ----------
    snapshot : number of the newest snapshot afterwards
    changed : whether it is a new one
    seconds : how long it took
    """

    snapshot: int
    changed: bool
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, kw_only=True)
class AddReport(_Report):
    """What ``add`` or ``remove`` did.

    Attributes
    ----------
    added, replaced, removed, unchanged : documents
    passages : of those added and replaced
    bytes : of text read
    """

    added: int
    replaced: int
    removed: int
    unchanged: int
    passages: int
    bytes: int


@dataclass(frozen=True, kw_only=True)
class CognifyReport(_Report):
    """What ``cognify`` did.

    Attributes
    ----------
    by : rules, openie, or the name of a model
    documents, passages : of the corpus
    entities : in it
    mentions, relations, links, related, similar : edges of each kind
    superseded : facts that a newer one closed
    asked : passages put to the model by this call
    answered : passages with an answer, now or from before; all of them by rules
    failures : id of a passage to the reason why the model gave no answer; it is asked again by the
        next call
    """

    by: str
    documents: int
    passages: int
    entities: int
    mentions: int
    relations: int
    links: int
    related: int
    similar: int
    superseded: int
    asked: int
    answered: int
    failures: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class MemifyReport(_Report):
    """What ``memify`` did.

    Attributes
    ----------
    embedder : name of the model; None where no passage has words
    passages : of the corpus
    embedded : of them, by this call
    duplicates : passages with the words of an earlier one
    orphans : entities that no passage mentions, withdrawn
    vector_index : kind of the index over vectors; None where a scan is quicker
    """

    embedder: str | None
    passages: int
    embedded: int
    duplicates: int
    orphans: int
    vector_index: str | None


@dataclass(frozen=True, kw_only=True)
class PruneReport(_Report):
    """What ``prune`` did.

    Attributes
    ----------
    snapshots : kept
    removed : snapshots dropped
    bytes_freed : on disk
    answers_removed : answers of a model to texts that the memory no longer holds
    """

    snapshots: int
    removed: int
    bytes_freed: int
    answers_removed: int


@dataclass(frozen=True, kw_only=True)
class OntologyReport(_Report):
    """What defining types and relations did.

    Attributes
    ----------
    types, relations : names of what was stated
    violations : what of the memory the ontology does not allow now; it stays as it is
    """

    types: tuple[str, ...]
    relations: tuple[str, ...]
    violations: tuple[Violation, ...]


@dataclass(frozen=True, kw_only=True)
class LinkReport(_Report):
    """What ``link`` or ``unlink`` did.

    Attributes
    ----------
    added, updated, unchanged, removed : edges
    """

    added: int
    updated: int
    unchanged: int
    removed: int
