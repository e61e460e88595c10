"""Which column plays which role, by its name."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from hebbgraph.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Aligned: the first source name whose own target name is there too wins.
_SOURCES: Final = ("source", "src", "from", "head", "subject", "u", "start", "source_id", "from_id")
_TARGETS: Final = ("target", "dst", "to", "tail", "object", "v", "end", "target_id", "to_id")
_RELATIONS: Final = ("relation", "rel", "predicate", "type", "label", "relationship")
_EDGE_ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "source": _SOURCES,
    "target": _TARGETS,
    "relation": (*_RELATIONS, "relationship_name", "edge_type"),
    "weight": ("weight", "w", "value", "score"),
    "time": ("time", "timestamp", "date", "t", "created_at", "datetime"),
}
_NODE_ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("id", "node", "name", "key", "node_id"),
    "type": ("type", "kind", "label", "category"),
}
_LISTED: Final = 20


def recognise_columns(names: Sequence[str], *, name: str, **given: str | None) -> dict[str, str]:
    """Map each role that `names` can fill to the column that fills it.

    Parameters
    ----------
    names : the columns that the data has
    name : what messages call the data
    given : role to column, or None to recognise it; any of source, target, relation, weight,
        time for edges; id, type for nodes. Roles not passed are recognised too

    Raises
    ------
    InputError
        a given column is missing or plays two roles, or a source, target or id is not recognised

    Examples
    --------
    >>> recognise_columns(["Src", "Dst", "w"], name="edges.csv")
    {'source': 'Src', 'target': 'Dst', 'weight': 'w'}
    >>> recognise_columns(["key", "kind"], name="nodes.csv", id=None)
    {'id': 'key', 'type': 'kind'}
    """
    is_node = "id" in given
    roles = _NODE_ROLES if is_node else _EDGE_ROLES
    found: dict[str, str] = {}
    for role, column in given.items():
        if column is None:
            continue
        require_column(names, column, name=name)
        if column in found.values():
            other = next(key for key, value in found.items() if value == column)
            raise InputError(
                f"{name}: column {column!r} is given as {other} and as {role}; "
                "give each role a column of its own"
            )
        found[role] = column
    if not is_node and "source" not in found and "target" not in found:
        found |= _pair(names, set(found.values()))
    for role, synonyms in roles.items():
        if role not in found:
            column = _match(names, synonyms, set(found.values()))
            if column is not None:
                found[role] = column
    _refuse_missing(names, found, ("id",) if is_node else ("source", "target"), name)
    for column in found.values():
        if list(names).count(column) > 1:
            raise InputError(f"{name}: two columns are called {column!r}; rename one")
    return {role: found[role] for role in roles if role in found}


def require_column(names: Sequence[str], column: str, *, name: str) -> None:
    """Raise InputError, with the closest match, unless `column` is one of `names`."""
    if column in names:
        return
    folded = {other.casefold(): other for other in names}
    close = difflib.get_close_matches(column.casefold(), folded, n=1)
    hint = f"did you mean {folded[close[0]]!r}? " if close else ""
    raise InputError(f"{name}: no column {column!r}; {hint}columns found: {_listed(names)}")


def _pair(names: Sequence[str], taken: set[str]) -> dict[str, str]:
    for exactly in (True, False):
        for source, target in zip(_SOURCES, _TARGETS, strict=True):
            left = _match(names, (source,), taken, exactly=exactly)
            right = _match(names, (target,), taken, exactly=exactly)
            if left is not None and right is not None:
                return {"source": left, "target": right}
    return {}


def _match(
    names: Sequence[str], synonyms: Sequence[str], taken: set[str], *, exactly: bool = False
) -> str | None:
    free = [column for column in names if column not in taken]
    for synonym in synonyms:
        if synonym in free:
            return synonym
    if exactly:
        return None
    folded = {column.casefold(): column for column in reversed(free)}
    return next((folded[synonym] for synonym in synonyms if synonym in folded), None)


def _refuse_missing(
    names: Sequence[str], found: Mapping[str, str], required: Sequence[str], name: str
) -> None:
    # The command line has other ids than a node's.
    option = {"id": "node-id"}
    missing = [role for role in required if role not in found]
    if not missing:
        return
    expected = " and a ".join(missing)
    article = "an" if missing == ["id"] else "a"
    by_name = " ".join(f"--{option.get(role, role)} COLUMN" for role in required)
    by_number = " ".join(
        f"--{option.get(role, role)} {place}" for place, role in enumerate(required, 1)
    )
    raise InputError(
        f"{name}: expected {article} {expected} column, found {_listed(names)}; pass {by_name}, "
        f"or column numbers such as {by_number} for a CSV or TSV file without a header"
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(column) for column in names[:_LISTED])
    rest = len(names) - _LISTED
    return f"{shown} and {rest} more" if rest > 0 else shown or "none"
