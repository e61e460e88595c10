"""Which column plays which role, by its name."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from hebbgraph.errors import InputError

KNOWN = {
    "source": "source src from head subject u start source_id from_id",
    "target": "target dst to tail object v end target_id to_id",
    "relation": "relation rel predicate type label relationship relationship_name edge_type",
    "weight": "weight w value score",
    "time": "time timestamp date t created_at datetime",
    "id": "id node name key node_id",
    "type": "type kind label category",
}
"""Names that tell a column's role, the surest first; letter case does not matter."""

REQUIRED = ("source", "target", "id")


def recognise_columns(names: Sequence[str], *, name: str, **given: str | None) -> dict[str, str]:
    """Map roles to column names; one column plays one role.

    Parameters
    ----------
    names : columns found
    name : how a message calls the file
    given : role to column name, or None to recognise it

    Raises
    ------
    InputError
        a given column is missing, or a required role cannot be recognised

    Examples
    --------
    >>> recognise_columns(["src", "dst", "w"], name="e.csv", source=None, target=None, weight=None)
    {'source': 'src', 'target': 'dst', 'weight': 'w'}
    """
    found: dict[str, str] = {}
    for role, column in given.items():
        if column is not None:
            found[role] = _given(column, names, name, role)
    for role, column in given.items():
        if column is None:
            free = [one for one in names if one not in found.values()]
            match = _recognised(role, free)
            if match is not None:
                found[role] = match
    missing = [role for role in given if role in REQUIRED and role not in found]
    if missing:
        options = " ".join(f"--{role} COLUMN" for role in given if role in REQUIRED)
        raise InputError(
            f"{name}: no column is recognised as {' or '.join(missing)} among "
            f"{', '.join(map(repr, names))}; name them with {options}"
            " (numbers from 1 if the file has no header)"
        )
    return {role: found[role] for role in given if role in found}


def _given(column: str, names: Sequence[str], name: str, role: str) -> str:
    if column in names:
        return column
    near = difflib.get_close_matches(column, names, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise InputError(
        f"{name}: no column {column!r} for {role} among {', '.join(map(repr, names))}{hint}"
    )


def _recognised(role: str, names: Sequence[str]) -> str | None:
    folded = {name.casefold(): name for name in reversed(names)}
    for known in KNOWN[role].split():
        if known in names:
            return known
        if known in folded:
            return folded[known]
    return None
