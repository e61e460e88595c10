"""OWL, RDF, Turtle, N-Triples, N-Quads, TriG and JSON-LD, by the extra ``hebbgraph[rdf]``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from hebbgraph.errors import InputError

if TYPE_CHECKING:
    import os

_FORMATS: Final = {
    ".ttl": "TURTLE",
    ".n3": "N3",
    ".nt": "N_TRIPLES",
    ".nq": "N_QUADS",
    ".trig": "TRIG",
    ".jsonld": "JSON_LD",
    ".rdf": "RDF_XML",
    ".owl": "RDF_XML",
    ".xml": "RDF_XML",
}
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
OWL: Final = "http://www.w3.org/2002/07/owl#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
TYPE: Final = f"{RDF}type"
SUBCLASS: Final = f"{RDFS}subClassOf"
SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
_LABELS: Final = (f"{SKOS}prefLabel", f"{RDFS}label", "http://schema.org/name",
                  "http://xmlns.com/foaf/0.1/name", "http://purl.org/dc/terms/title")  # fmt: skip
_COMMENTS: Final = (f"{SKOS}definition", f"{RDFS}comment", "http://purl.org/dc/terms/description",
                    "http://schema.org/description")  # fmt: skip
_RELATIONS: Final = {
    TYPE: "is_a",
    SUBCLASS: "is_a",
    f"{RDFS}subPropertyOf": "is_a",
    f"{SKOS}broader": "is_a",
    f"{OWL}sameAs": "same_as",
    f"{OWL}equivalentClass": "same_as",
}
_ENGLISH: Final = ("en", None, "")


class Triple(NamedTuple):
    """One statement of RDF.

    Attributes
    ----------
    subject, predicate, object : IRI, ``_:`` and a number, or the text of a literal
    is_literal : whether the object is text
    language : of a literal, None where it has none
    """

    subject: str
    predicate: str
    object: str
    is_literal: bool
    language: str | None


@dataclass(frozen=True)
class Resources:
    """A graph of resources.

    Attributes
    ----------
    nodes : id (IRI, or ``_:`` and a number), name, type (the name of its class), description, and
        properties (other literals, as a map of name to text)
    edges : source, relation, target
    """

    nodes: pa.Table
    edges: pa.Table


def read_ontology(path: str | os.PathLike[str]) -> Resources:
    """Read a file of triples.

    Labels become names: the preferred one, English or without a language before others; a
    resource without a label is called by the end of its IRI. ``rdf:type``, ``rdfs:subClassOf`` and
    ``skos:broader`` become ``is_a``; other predicates keep the end of their IRI. Blank nodes with
    nothing but structure (OWL restrictions, lists) stay as they are. Nodes and edges come sorted.

    Parameters
    ----------
    path : the ending tells the format; ``.owl`` that is Turtle inside is recognised

    Raises
    ------
    InputError
        pyoxigraph is not installed, the ending is unknown, or the content is not of the format
    """
    return resources_of(read_triples(path))


def read_triples(path: str | os.PathLike[str]) -> list[Triple]:
    """The triples of a file, in its order; raises as :func:`read_ontology`."""
    file = Path(path)
    _check_ending(file.suffix, str(file))
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: cannot be read; {error.strerror}") from None
    return triples_of(data, syntax_of(file.suffix, data, str(file)), str(file))


def syntax_of(ending: str, data: bytes, where: str) -> str:
    """Name of the format, by the ending of a file.

    Raises
    ------
    InputError
        the ending is unknown
    """
    _check_ending(ending, where)
    name = _FORMATS[ending.lower()]
    if name == "RDF_XML" and not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml"):
        return "TURTLE" if b"@prefix" in data[:65536] or b"PREFIX" in data[:65536] else name
    return name


def _check_ending(ending: str, where: str) -> None:
    if ending.lower() not in _FORMATS:
        raise InputError(f"{where}: expected one of {', '.join(_FORMATS)}, came {ending!r}")


def triples_of(data: bytes, syntax: str, where: str, *, blank: str = "_:") -> list[Triple]:
    """The triples of a text, in its order; graphs of quads are left out.

    Parameters
    ----------
    blank : what ids of blank nodes begin with; a number follows, in order of occurrence

    Raises
    ------
    InputError
        pyoxigraph is not installed, or the content is not of the format
    """
    try:
        import pyoxigraph
    except ImportError:
        raise InputError(f"{where}: RDF needs pyoxigraph; pip install 'hebbgraph[rdf]'") from None
    names: dict[str, str] = {}

    def id_of(term: Any) -> str:
        if isinstance(term, pyoxigraph.BlankNode):
            return names.setdefault(term.value, f"{blank}{len(names)}")
        return str(term.value)

    out = []
    try:
        for quad in pyoxigraph.parse(
            data, format=getattr(pyoxigraph.RdfFormat, syntax), base_iri="http://example.org/"
        ):
            subject, object_ = id_of(quad.subject), quad.object
            is_literal = isinstance(object_, pyoxigraph.Literal)
            text = object_.value if is_literal else id_of(object_)
            language = object_.language if is_literal else None
            out.append(Triple(subject, quad.predicate.value, text, is_literal, language))
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{where}: expected {syntax.replace('_', ' ')}; {error}") from None
    return out


def resources_of(triples: Iterable[Triple]) -> Resources:
    """What triples say, as tables; see :func:`read_ontology`."""
    literals: dict[str, dict[str, list[tuple[str, str | None]]]] = {}
    edges: set[tuple[str, str, str]] = set()
    types: dict[str, set[str]] = {}
    for one in triples:
        if one.is_literal:
            own = literals.setdefault(one.subject, {})
            own.setdefault(one.predicate, []).append((one.object, one.language))
            continue
        if one.predicate == TYPE:
            types.setdefault(one.subject, set()).add(one.object)
        if one.object != one.subject:
            relation = _RELATIONS.get(one.predicate) or local_name(one.predicate)
            edges.add((one.subject, relation, one.object))
    ids = sorted({*literals, *(node for s, _, t in edges for node in (s, t))})
    names = {one: _best(literals.get(one, {}), _LABELS) or local_name(one) for one in ids}
    kinds = [min((names[kind] for kind in types.get(one, ())), default="") for one in ids]
    told = {*_LABELS, *_COMMENTS}
    properties = [
        [
            (local_name(predicate), "; ".join(text for text, _ in values))
            for predicate, values in sorted(literals.get(one, {}).items())
            if predicate not in told
        ]
        for one in ids
    ]
    nodes = {
        "id": pa.array(ids, pa.string()),
        "name": pa.array([names[one] for one in ids], pa.string()),
        "type": pa.array(kinds, pa.string()),
        "description": pa.array(
            [_best(literals.get(one, {}), _COMMENTS) for one in ids], pa.string()
        ),
        "properties": pa.array(properties, pa.map_(pa.string(), pa.string())),
    }
    columns = list(zip(*sorted(edges), strict=True)) or [(), (), ()]
    names_of_columns = ("source", "relation", "target")
    made = {
        name: pa.array(column, pa.string())
        for name, column in zip(names_of_columns, columns, strict=True)
    }
    return Resources(pa.table(nodes), pa.table(made))


def _best(
    literals: dict[str, list[tuple[str, str | None]]], predicates: tuple[str, ...]
) -> str | None:
    """The first literal by predicate, then by language, then by text."""
    for predicate in predicates:
        found = literals.get(predicate)
        if found:
            return min(found, key=lambda one: (one[1] not in _ENGLISH, one[1] or "", one[0]))[0]
    return None


def local_name(iri: str) -> str:
    """The end of an IRI.

    Examples
    --------
    >>> local_name("http://example.org/terms#worksFor"), local_name("_:0")
    ('worksFor', '_:0')
    """
    if iri.startswith("_:"):
        return iri
    return re.split(r"[#/]", iri.rstrip("#/"))[-1] or iri
