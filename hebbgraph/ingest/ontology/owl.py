"""Types and relations of OWL and RDF Schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hebbgraph.ingest.ontologies import (
    OWL,
    RDF,
    RDFS,
    SUBCLASS,
    TYPE,
    XSD,
    Triple,
    local_name,
    read_triples,
    resources_of,
)
from hebbgraph.ingest.ontology.model import ANY, Ontology, Property, Relation, Type

if TYPE_CHECKING:
    import os

DOMAIN: Final = f"{RDFS}domain"
RANGE: Final = f"{RDFS}range"

_VOCABULARY: Final = (OWL, RDF, RDFS, XSD)
_CLASSES: Final = frozenset((f"{OWL}Class", f"{RDFS}Class"))
_DATA: Final = f"{OWL}DatatypeProperty"
_OBJECT: Final = f"{OWL}ObjectProperty"
_INTEGERS: Final = (
    "integer", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger",
    "nonPositiveInteger", "negativeInteger", "unsignedInt", "unsignedLong", "unsignedShort",
)  # fmt: skip
_VALUES: Final = {
    **dict.fromkeys((f"{XSD}{name}" for name in _INTEGERS), "integer"),
    **dict.fromkeys((f"{XSD}{name}" for name in ("decimal", "double", "float")), "number"),
    **dict.fromkeys((f"{XSD}{name}" for name in ("date", "dateTime", "dateTimeStamp")), "time"),
    f"{XSD}boolean": "boolean",
    **dict.fromkeys((f"{XSD}{name}" for name in ("string", "normalizedString", "token")), "text"),
    **dict.fromkeys((f"{XSD}anyURI", f"{RDF}langString", f"{XSD}time", f"{XSD}gYear"), "text"),
}
_LITERAL: Final = (f"{RDFS}Literal",)
_AT_LEAST: Final = tuple(
    f"{OWL}{name}"
    for name in ("cardinality", "minCardinality", "qualifiedCardinality", "minQualifiedCardinality")
)


def read_owl(path: str | os.PathLike[str]) -> Ontology:
    """Classes, their properties, and relations of a file, unchecked against each other.

    A class becomes a type of its label, or of the end of its IRI where it has none or another has
    the same; ``rdfs:subClassOf`` its parents.  A datatype property with a domain becomes a property
    of that type, named by the end of its IRI, of the type of its range, required where the class is
    restricted to at least one.  An object property becomes a relation, with its domains and ranges
    as pairs; several are alternatives.

    Raises
    ------
    InputError
        the file cannot be read as RDF; see :func:`hebbgraph.ingest.ontologies.read_ontology`
    """
    triples = read_triples(path)
    known = _index(triples)
    owned: dict[str, list[str]] = {}
    for one in filter(known.is_data, known.kinds):
        for iri in known.ends(one, DOMAIN):
            owned.setdefault(iri, []).append(one)
    types = {}
    for iri, name in known.names.items():
        own = {local_name(one): known.property(one, required=False) for one in owned.get(iri, ())}
        above = list(known.above(iri))
        for one in above:
            field = known.required(one)
            if field is not None:
                own[local_name(field)] = known.property(field, required=True)
        parents = [known.names[one] for one in above if one in known.names and one != iri]
        types[name] = Type(name, tuple(dict.fromkeys(parents)), known.said(iri), own)
    relations = {}
    for one in known.kinds:
        if known.is_relation(one):
            ends = [known.class_names(one, predicate) for predicate in (DOMAIN, RANGE)]
            # Without any class at either end everything may be joined: no constraint.
            sources, targets = (names or [ANY] * any(ends) for names in ends)
            pairs = tuple((source, target) for source in sources for target in targets)
            relations[local_name(one)] = Relation(local_name(one), pairs, known.said(one))
    return Ontology(types, relations)


@dataclass(frozen=True, kw_only=True)
class _Index:
    """Triples by subject and predicate.

    Attributes
    ----------
    objects : of subject and predicate, in the order of the file
    kinds : what each subject is by ``rdf:type``
    names : of the classes, by IRI
    descriptions : of all that has one, by IRI
    """

    objects: Mapping[tuple[str, str], list[str]]
    kinds: Mapping[str, set[str]]
    names: Mapping[str, str]
    descriptions: Mapping[str, str | None]

    def get(self, subject: str, predicate: str) -> list[str]:
        return self.objects.get((subject, predicate), [])

    def said(self, iri: str) -> str:
        return self.descriptions.get(iri) or ""

    def is_data(self, iri: str) -> bool:
        """Whether it is a property whose values are literals."""
        kinds, ranges = self.kinds[iri], self.get(iri, RANGE)
        return _DATA in kinds or (
            f"{RDF}Property" in kinds and any(one in _VALUES or one in _LITERAL for one in ranges)
        )

    def is_relation(self, iri: str) -> bool:
        """Whether it is a property whose values are resources."""
        kinds = self.kinds[iri]
        return _OBJECT in kinds or (f"{RDF}Property" in kinds and not self.is_data(iri))

    def listed(self, head: str) -> Iterator[str]:
        """Members of an RDF list."""
        seen = set()
        while head != f"{RDF}nil" and head not in seen:
            seen.add(head)
            yield from self.get(head, f"{RDF}first")
            head = next(iter(self.get(head, f"{RDF}rest")), f"{RDF}nil")

    def ends(self, iri: str, predicate: str) -> list[str]:
        """Domains or ranges, unions of classes resolved."""
        out = []
        for one in self.get(iri, predicate):
            unions = self.get(one, f"{OWL}unionOf")
            out += [member for head in unions for member in self.listed(head)] or [one]
        return out

    def class_names(self, iri: str, predicate: str) -> list[str]:
        """Names of the classes at one end of a relation; none where it may be anything."""
        ends = self.ends(iri, predicate)
        return [self.names[one] for one in ends if one in self.names]

    def above(self, iri: str) -> Iterator[str]:
        """Superclasses and restrictions; of an equivalent class what it is an intersection of."""
        open_ = self.get(iri, SUBCLASS)[::-1]
        open_ += [one for one in self.get(iri, f"{OWL}equivalentClass") if one.startswith("_:")]
        heads = self.get(iri, f"{OWL}intersectionOf")
        open_ += [member for head in heads for member in self.listed(head)][::-1]
        seen: set[str] = set()
        while open_:
            one = open_.pop()
            if one in seen:
                continue
            seen.add(one)
            yield one
            if one.startswith("_:"):
                heads = self.get(one, f"{OWL}intersectionOf")
                open_ += [member for head in heads for member in self.listed(head)][::-1]

    def required(self, restriction: str) -> str | None:
        """The property of literals that a restriction asks for at least once."""
        for field in self.get(restriction, f"{OWL}onProperty"):
            counts = [text for name in _AT_LEAST for text in self.get(restriction, name)]
            some = self.get(restriction, f"{OWL}someValuesFrom")
            at_least_one = bool(some) or any(text.strip().lstrip("+0").isdigit() for text in counts)
            if field in self.kinds and self.is_data(field) and at_least_one:
                return field
        return None

    def property(self, iri: str, *, required: bool) -> Property:
        kinds = [_VALUES.get(one, "any") for one in self.get(iri, RANGE)]
        return Property(kinds[0] if len(set(kinds)) == 1 else "any", required, self.said(iri))


def _index(triples: list[Triple]) -> _Index:
    objects: dict[tuple[str, str], list[str]] = {}
    kinds: dict[str, set[str]] = {}
    classes: set[str] = set()
    for one in triples:
        objects.setdefault((one.subject, one.predicate), []).append(one.object)
        if one.predicate == TYPE:
            kinds.setdefault(one.subject, set()).add(one.object)
            classes |= {one.subject} if one.object in _CLASSES else set()
        elif one.predicate == SUBCLASS:
            classes |= {one.subject, one.object}
    rows = resources_of(triples).nodes.to_pylist()
    named = {
        row["id"]: row["name"]
        for row in rows
        if row["id"] in classes and not row["id"].startswith((*_VOCABULARY, "_:"))
    }
    return _Index(
        objects=objects, kinds=kinds, names=_distinct(named),
        descriptions={row["id"]: row["description"] for row in rows},
    )  # fmt: skip


def _distinct(names: Mapping[str, str]) -> dict[str, str]:
    """Names by IRI; of classes that share one, the end of the IRI, or all of it."""
    out = dict(names)
    for name_of in (local_name, str):
        count = Counter(out.values())
        out |= {iri: name_of(iri) for iri, name in out.items() if count[name] > 1}
    return out
