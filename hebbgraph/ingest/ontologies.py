"""OWL, RDF, Turtle, N-Triples, N-Quads, TriG and JSON-LD, by the extra ``hebbgraph[rdf]``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

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
_RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
_SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
_LABELS: Final = (f"{_SKOS}prefLabel", f"{_RDFS}label", "http://schema.org/name",
                  "http://xmlns.com/foaf/0.1/name", "http://purl.org/dc/terms/title")  # fmt: skip
_COMMENTS: Final = (f"{_SKOS}definition", f"{_RDFS}comment", "http://purl.org/dc/terms/description",
                    "http://schema.org/description")  # fmt: skip
_RELATIONS: Final = {
    f"{_RDF}type": "is_a",
    f"{_RDFS}subClassOf": "is_a",
    f"{_RDFS}subPropertyOf": "is_a",
    f"{_SKOS}broader": "is_a",
    "http://www.w3.org/2002/07/owl#sameAs": "same_as",
    "http://www.w3.org/2002/07/owl#equivalentClass": "same_as",
}
_ENGLISH: Final = ("en", None, "")


@dataclass(frozen=True)
class Ontology:
    """A graph of resources.

    Attributes
    ----------
    nodes : id (IRI, or ``_:`` and a number), name, type (the name of its class), description, and
        properties (other literals, as a map of name to text)
    edges : source, relation, target
    """

    nodes: pa.Table
    edges: pa.Table


def read_ontology(path: str | os.PathLike[str]) -> Ontology:
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
    try:
        import pyoxigraph
    except ImportError:
        raise InputError(f"{path}: RDF needs pyoxigraph; pip install 'hebbgraph[rdf]'") from None
    file = Path(path)
    if file.suffix.lower() not in _FORMATS:
        raise InputError(f"{file}: expected one of {', '.join(_FORMATS)}, came {file.suffix!r}")
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: cannot be read; {error.strerror}") from None
    name = _FORMATS[file.suffix.lower()]
    if name == "RDF_XML" and not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml"):
        name = "TURTLE" if b"@prefix" in data[:65536] or b"PREFIX" in data[:65536] else name
    syntax = getattr(pyoxigraph.RdfFormat, name)
    base = "http://example.org/"
    try:
        quads = list(pyoxigraph.parse(data, format=syntax, base_iri=base))
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{file}: expected {name.replace('_', ' ')}; {error}") from None
    return _graph(quads, pyoxigraph)


def _graph(quads: list[Any], rdf: Any) -> Ontology:
    literals: dict[str, dict[str, list[tuple[str, str | None]]]] = {}
    edges: set[tuple[str, str, str]] = set()
    types: dict[str, set[str]] = {}
    blanks: dict[str, str] = {}

    def id_of(term: Any) -> str:
        if isinstance(term, rdf.BlankNode):
            return blanks.setdefault(term.value, f"_:{len(blanks)}")
        return str(term.value)

    for quad in quads:
        subject, predicate = id_of(quad.subject), quad.predicate.value
        if isinstance(quad.object, rdf.Literal):
            own = literals.setdefault(subject, {})
            own.setdefault(predicate, []).append((quad.object.value, quad.object.language))
            continue
        target = id_of(quad.object)
        if predicate == f"{_RDF}type":
            types.setdefault(subject, set()).add(target)
        if target != subject:
            edges.add((subject, _RELATIONS.get(predicate) or local_name(predicate), target))
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
    return Ontology(pa.table(nodes), pa.table(made))


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
    return re.split(r"[#/]", iri.rstrip("#/"))[-1] or iri
