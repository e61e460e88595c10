"""An ontology: types with inheritance, and relations with the types that they join."""

from __future__ import annotations

import graphlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from hebbgraph.errors import InputError
from hebbgraph.ingest.ontology import listed

VALUE_TYPES: Final = ("text", "number", "integer", "boolean", "time", "list", "object", "any")
ANY: Final = "*"
"""In a pair of a relation: nodes of every type, and of none."""


@dataclass(frozen=True, slots=True)
class Property:
    """What nodes of a type say of themselves.

    Attributes
    ----------
    type : one of :data:`VALUE_TYPES`
    required : whether every node of the type must say it
    """

    type: str = "text"
    required: bool = False
    description: str = ""


@dataclass(frozen=True)
class Type:
    """A type of nodes.

    Attributes
    ----------
    parents : names of the types it is a kind of; of properties that two of them define, and
        neither is a kind of the other, that of the first stands
    properties : its own, by name; one that an ancestor defines too takes the ancestor's place
    """

    name: str
    parents: tuple[str, ...] = ()
    description: str = ""
    properties: Mapping[str, Property] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "properties", MappingProxyType(dict(self.properties)))


@dataclass(frozen=True)
class Relation:
    """A relation and what it joins.

    Attributes
    ----------
    pairs : types of source and target that it may join, their subtypes included; :data:`ANY`
        stands for all; no pair at all is no constraint
    """

    name: str
    pairs: tuple[tuple[str, str], ...] = ()
    description: str = ""


@dataclass(frozen=True)
class Ontology:
    """Types and relations by name.  Relations that are not named may join anything.

    Examples
    --------
    >>> from hebbgraph.ingest.ontology.default import default
    >>> default().ancestors("decision")
    ('knowledge',)
    >>> default().properties("decision")["rationale"].required
    True
    """

    types: Mapping[str, Type] = field(default_factory=dict)
    relations: Mapping[str, Relation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("types", "relations"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def ancestors(self, name: str) -> tuple[str, ...]:
        """Names of all that a type is a kind of, every one before its own ancestors.

        A type that is not known has none.
        """
        ended: dict[str, None] = {}
        open_ = [(name, False)]
        while open_:
            own, all_above_ended = open_.pop()
            if own in ended or own not in self.types:
                continue
            if all_above_ended:
                ended[own] = None
            else:
                open_.append((own, True))
                open_ += [(parent, False) for parent in self.types[own].parents]
        return tuple(reversed(ended))[1:]

    def is_a(self, name: str, other: str) -> bool:
        """Whether a type is another or a kind of it."""
        return other in (ANY, name) or other in self.ancestors(name)

    def properties(self, name: str) -> dict[str, Property]:
        """Own and inherited properties of a type."""
        return {key: value for key, (value, _) in self._properties(name).items()}

    def _properties(self, name: str) -> dict[str, tuple[Property, str]]:
        """With the type that defines each, those of the farthest ancestor first."""
        out: dict[str, tuple[Property, str]] = {}
        for one in reversed((name, *self.ancestors(name))):
            if one in self.types:
                out |= {key: (value, one) for key, value in self.types[one].properties.items()}
        return out

    def allowed(self, relation: str) -> tuple[tuple[str, str], ...]:
        """Pairs of types that a relation may join; without any it may join all."""
        known = self.relations.get(relation)
        return () if known is None else known.pairs

    def schema(self, name: str) -> dict[str, Any]:
        """What holds for a type, JSON-ready: properties and relations, inherited ones included.

        Raises
        ------
        InputError
            there is no such type
        """
        if name not in self.types:
            raise InputError(f"no type {listed.one(name, self.types)}; Memory.define makes one")
        own = self.types[name]
        children = [one.name for one in self.types.values() if name in one.parents]
        return {
            "name": name,
            "parents": list(own.parents),
            "ancestors": list(self.ancestors(name)),
            "children": children,
            "description": own.description,
            "properties": {
                key: property_dict(value) | {"from": origin}
                for key, (value, origin) in self._properties(name).items()
            },
            "relations": [
                {"relation": relation.name, "source": source, "target": target}
                for relation in self.relations.values()
                for source, target in relation.pairs
                if self.is_a(name, source) or self.is_a(name, target)
            ],
        }

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, as :func:`hebbgraph.ingest.ontology.definitions.read` takes it."""
        return {
            "types": [type_dict(one) for one in self.types.values()],
            "relations": [
                {
                    "name": one.name,
                    "pairs": [list(pair) for pair in one.pairs],
                    "description": one.description,
                }
                for one in self.relations.values()
            ],
        }


def property_dict(one: Property) -> dict[str, Any]:
    """JSON-ready."""
    return {"type": one.type, "required": one.required, "description": one.description}


def type_dict(one: Type) -> dict[str, Any]:
    """JSON-ready."""
    return {
        "name": one.name,
        "parent": list(one.parents),
        "description": one.description,
        "properties": {key: property_dict(value) for key, value in one.properties.items()},
    }


def extended(base: Ontology, types: Iterable[Type], relations: Iterable[Relation]) -> Ontology:
    """An ontology with further types, and further pairs of relations.

    What is there already, word for word, may come again.

    Raises
    ------
    InputError
        a type is defined already, in another way; a parent or a type of a pair is not known; types
        are kinds of each other in a circle
    """
    all_types, all_relations = dict(base.types), dict(base.relations)
    for one in types:
        if all_types.get(one.name, one) != one:
            raise InputError(
                f'type "{one.name}" is defined already, in another way; choose another name, or '
                "make a subtype, whose properties take the place of inherited ones"
            )
        all_types[one.name] = one
    for relation in relations:
        known = all_relations.get(relation.name, relation)
        pairs = dict.fromkeys((*known.pairs, *relation.pairs))
        all_relations[relation.name] = Relation(
            relation.name, tuple(pairs), relation.description or known.description
        )
    _check(all_types, all_relations)
    return Ontology(all_types, all_relations)


def _check(types: Mapping[str, Type], relations: Mapping[str, Relation]) -> None:
    for one in types.values():
        for parent in one.parents:
            if parent not in types:
                raise InputError(
                    f'type "{one.name}": no parent {listed.one(parent, types)}; define it too'
                )
    try:
        graphlib.TopologicalSorter({one.name: one.parents for one in types.values()}).prepare()
    except graphlib.CycleError as error:
        circle = " → ".join(reversed(error.args[1]))
        raise InputError(
            f"types are kinds of each other in a circle: {circle}; take one parent away"
        ) from None
    for relation in relations.values():
        for end in (end for pair in relation.pairs for end in pair):
            if end != ANY and end not in types:
                raise InputError(
                    f'relation "{relation.name}": no type {listed.one(end, types)}; define it too, '
                    f'or write "{ANY}" for every type'
                )
