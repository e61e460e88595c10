"""Types and relations as people write them: mappings of a TOML file, or of JSON."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hebbgraph.errors import InputError
from hebbgraph.ingest.ontology import listed
from hebbgraph.ingest.ontology.model import VALUE_TYPES, Ontology, Property, Relation, Type

if TYPE_CHECKING:
    import os

_ALSO: Final = {
    "string": "text", "str": "text", "float": "number", "int": "integer", "bool": "boolean",
    "date": "time", "datetime": "time", "array": "list", "dict": "object",
}  # fmt: skip
"""What JSON Schema and Python call value types."""


def read(data: Mapping[str, Any], where: str) -> Ontology:
    """Types and relations of ``{"types": […], "relations": […]}``, unchecked against each other.

    Parameters
    ----------
    data : other keys are passed over
    where : what messages call it

    Raises
    ------
    InputError
        an entry is not of the form, or a name stands twice
    """
    types = [
        type_of(entry, f"{where}: type {number}")
        for number, entry in enumerate(_entries(data, "types", where), 1)
    ]
    relations = [
        relation_of(entry, f"{where}: relation {number}")
        for number, entry in enumerate(_entries(data, "relations", where), 1)
    ]
    for word, names in (
        ("type", [one.name for one in types]),
        ("relation", [one.name for one in relations]),
    ):
        for name in names:
            if names.count(name) > 1:
                raise InputError(f'{where}: {word} "{name}" stands twice; keep one')
    return Ontology({one.name: one for one in types}, {one.name: one for one in relations})


def read_toml(path: str | os.PathLike[str]) -> Ontology:
    """The tables ``[[types]]`` and ``[[relations]]`` of a TOML file; see ``docs/ontology.md``.

    Raises
    ------
    InputError
        the file cannot be read, is not TOML, or an entry is not of the form
    """
    try:
        data = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read; {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path}: expected TOML; {error}") from None
    return read(data, str(path))


def type_of(entry: Any, where: str) -> Type:
    """A type of ``{"name", "parent", "description", "properties"}``.

    Examples
    --------
    >>> type_of({"name": "incident", "properties": {"minutes": "int"}}, "x").properties["minutes"]
    Property(type='integer', required=False, description='')
    """
    _check_keys(entry, ("name", "parent", "description", "properties"), where)
    name = _name(entry.get("name"), f"{where}: name")
    parent = entry.get("parent") or ()
    if not isinstance(parent, str | list | tuple):
        raise InputError(f"{where}: parent: expected a name or several, came {parent!r}")
    parents = (parent,) if isinstance(parent, str) else parent
    return Type(
        name,
        tuple(dict.fromkeys(_name(one, f"{where}: parent") for one in parents)),
        _text(entry.get("description"), f"{where}: description"),
        properties_of(entry.get("properties") or {}, f"{where}: properties"),
    )


def properties_of(entries: Any, where: str) -> dict[str, Property]:
    """Properties of a mapping of names to a value type or ``{"type", "required", "description"}``.

    Raises
    ------
    InputError
        it is none, or the type of a value is not known
    """
    if not isinstance(entries, Mapping):
        raise InputError(f"{where}: expected a mapping of names to types, came {entries!r}")
    out: dict[str, Property] = {}
    for key, entry in entries.items():
        name = _name(key, where)
        own = {"type": entry} if isinstance(entry, str) else entry
        _check_keys(own, ("type", "required", "description"), f"{where}: {name}")
        kind = own.get("type", "text")
        kind = _ALSO.get(kind, kind) if isinstance(kind, str) else kind
        if kind not in VALUE_TYPES:
            raise InputError(
                f"{where}: {name}: expected a type of {', '.join(VALUE_TYPES)}, came {kind!r}"
            )
        required = own.get("required", False)
        if not isinstance(required, bool):
            raise InputError(
                f"{where}: {name}: required: expected true or false, came {required!r}"
            )
        description = _text(own.get("description"), f"{where}: {name}: description")
        out[name] = Property(kind, required, description)
    return out


def relation_of(entry: Any, where: str) -> Relation:
    """A relation of ``{"name", "pairs", "description"}``."""
    _check_keys(entry, ("name", "pairs", "description"), where)
    name = _name(entry.get("name"), f"{where}: name")
    return Relation(
        name,
        pairs_of(entry.get("pairs") or (), f"{where}: pairs"),
        _text(entry.get("description"), f"{where}: description"),
    )


def pairs_of(entries: Any, where: str) -> tuple[tuple[str, str], ...]:
    """Pairs of names of types.

    Raises
    ------
    InputError
        an entry is not a pair of names
    """
    if isinstance(entries, str) or not hasattr(entries, "__iter__"):
        raise InputError(f"{where}: expected pairs of source and target types, came {entries!r}")
    pairs: dict[tuple[str, str], None] = {}
    for entry in entries:
        if not isinstance(entry, list | tuple) or len(entry) != 2:
            raise InputError(f"{where}: expected a pair of types [source, target], came {entry!r}")
        pairs[_name(entry[0], where), _name(entry[1], where)] = None
    return tuple(pairs)


def _entries(data: Mapping[str, Any], key: str, where: str) -> list[Any]:
    entries = data.get(key, [])
    if not isinstance(entries, list):
        raise InputError(f"{where}: {key}: expected a list of tables [[{key}]], came {entries!r}")
    return entries


def _check_keys(entry: Any, allowed: tuple[str, ...], where: str) -> None:
    if not isinstance(entry, Mapping):
        raise InputError(f"{where}: expected a table with {', '.join(allowed)}, came {entry!r}")
    for key in entry:
        if key not in allowed:
            raise InputError(f"{where}: no key {listed.one(str(key), allowed)}")


def _name(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: expected a name, came {value!r}")
    return value.strip()


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str | None):
        raise InputError(f"{where}: expected text, came {value!r}")
    return value or ""
