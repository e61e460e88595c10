"""Whether nodes and edges are what an ontology says they must be."""

from __future__ import annotations

import dataclasses
import datetime
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hebbgraph.errors import InputError, OntologyError
from hebbgraph.ids import shown
from hebbgraph.ingest.documents import Document
from hebbgraph.ingest.ontology import listed
from hebbgraph.ingest.ontology.model import Ontology
from hebbgraph.ingest.readers.records import TEXTS, TIMES, TITLES, moment

NOTHING_ADDED: Final = "nothing was added"
_MOST_TOLD: Final = 5
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that an ontology does not allow.

    Attributes
    ----------
    subject : the node or edge, as a message calls it
    constraint : what it breaks: ``kind``, ``decision.rationale``, or the name of a relation
    message : what was expected, what came, and what to do, in one line, without the subject
    """

    subject: str
    constraint: str
    message: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.message}"


def node_violations(
    ontology: Ontology, kind: str, properties: Mapping[str, Any], *, subject: str
) -> list[Violation]:
    """All that a node of a kind breaks.

    Properties that the ontology does not name may be there and hold anything.
    """
    if kind not in ontology.types:
        return [
            Violation(
                subject, "kind",
                f"no kind {listed.one(kind, ontology.types)}; define it by Memory.define or "
                "`hebbgraph ontology load`",
            )
        ]  # fmt: skip
    out = []
    for name, own in ontology.properties(kind).items():
        value = properties.get(name)
        wanted = f"{name} of kind {kind}: expected {_WANTED.get(own.type, own.type)}"
        fault = None
        if value is None or value == "":
            fault = f'{wanted}, came nothing; say it as "{name}"' if own.required else None
        elif not _IS[own.type](value):
            fault = f"{wanted}, came {_shown(value)}"
        if fault is not None:
            out.append(Violation(subject, f"{kind}.{name}", fault))
    return out


def edge_violation(
    ontology: Ontology,
    relation: str,
    source: Collection[str],
    target: Collection[str],
    *,
    subject: str,
) -> Violation | None:
    """What an edge breaks.

    Parameters
    ----------
    source, target : types of the ends, the most telling first; one must suit.  Without any only
        :data:`~hebbgraph.ingest.ontology.model.ANY` suits
    """
    allowed = ontology.allowed(relation)
    for pair in allowed:
        if all(
            any(ontology.is_a(kind, wanted) for kind in kinds or ("",))
            for kinds, wanted in zip((source, target), pair, strict=True)
        ):
            return None
    if not allowed:
        return None
    wanted = ", ".join(" → ".join(pair) for pair in allowed)
    came = " → ".join(next(iter(kinds), "no type") for kinds in (source, target))
    return Violation(
        subject, relation,
        f"{relation} joins {wanted}; came {came}; use another relation, give the ends other kinds, "
        "or allow the pair by Memory.define_relation",
    )  # fmt: skip


def refuse(violations: Iterable[Violation], *, done: str) -> None:
    """Raise what was found, if anything.

    Parameters
    ----------
    done : what was not done for it, such as ``"nothing was added"``

    Raises
    ------
    OntologyError
        with all violations, the first of them in its message
    """
    found = tuple(violations)
    if not found:
        return
    told = ". ".join(map(str, found[:_MOST_TOLD]))
    more = f" … and {len(found) - _MOST_TOLD:,} more" if len(found) > _MOST_TOLD else ""
    raise OntologyError(f"{done}: {told}{more}", found)


def stated(document: Document) -> dict[str, Any]:
    """What a document says of itself: its metadata, and title, text and time by all their names."""
    out: dict[str, Any] = dict.fromkeys(TITLES, document.title) | dict.fromkeys(
        TEXTS, document.text
    )
    out |= dict.fromkeys(TIMES, document.time)
    out |= {"tags": list(document.tags), "source": document.source, "kind": document.kind}
    return out | dict(document.metadata)


def typed(ontology: Ontology, document: Document) -> Document:
    """A document whose metadata holds numbers and booleans where its kind says so."""
    if not document.kind:
        return document
    metadata = with_types(ontology, document.kind, document.metadata)
    return dataclasses.replace(document, metadata=metadata)


def with_types(ontology: Ontology, kind: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Properties with texts read as numbers and booleans where a kind says that they are.

    CSV and RDF have no other way to say them.  What does not read so stays text.
    """
    out = dict(properties)
    for name, own in ontology.properties(kind).items():
        value = out.get(name)
        if isinstance(value, str) and own.type in _READ:
            out[name] = _READ[own.type](value)
        elif getattr(value, "shape", None) == ():
            out[name] = value.item()  # type: ignore[union-attr]
    return out


def _read_integer(text: str) -> Any:
    return int(text) if _INTEGER.fullmatch(text.strip()) else text


def _read_number(text: str) -> Any:
    try:
        return float(text) if not _INTEGER.fullmatch(text.strip()) else int(text)
    except ValueError:
        return text


def _read_boolean(text: str) -> Any:
    return {"true": True, "false": False}.get(text.strip().lower(), text)


_READ: Final[Mapping[str, Callable[[str], Any]]] = {
    "integer": _read_integer,
    "number": _read_number,
    "boolean": _read_boolean,
}


def _is_time(value: object) -> bool:
    if isinstance(value, datetime.date):
        return True
    try:
        return moment(value, "") is not None
    except InputError:
        return False


_IS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "text": lambda value: isinstance(value, str),
    "number": lambda value: (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (isinstance(value, int) or math.isfinite(value))
    ),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "time": _is_time,
    "list": lambda value: isinstance(value, list | tuple),
    "object": lambda value: isinstance(value, Mapping),
    "any": lambda _: True,
}
_WANTED: Final = {
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "time": "a time (ISO 8601 or an epoch number)",
    "list": "a list",
    "object": "a mapping",
    "any": "a value",
}


def _shown(value: object) -> str:
    return shown(value) if isinstance(value, str) else f"{shown(value)} ({type(value).__name__})"
