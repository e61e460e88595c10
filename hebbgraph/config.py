"""The configuration file: ``hebbgraph.toml`` in the current folder, or as HEBBGRAPH_CONFIG says."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hebbgraph.errors import ParameterError

NAME: Final = "hebbgraph.toml"
VARIABLE: Final = "HEBBGRAPH_CONFIG"
_KNOWN: Final = {
    "providers": ("embedder", "completer"),
    "cognify": ("functional",),
}
_ELSEWHERE: Final = ("types", "relations")
"""Tables that `hebbgraph ontology load` reads, which may stand in the same file."""


@dataclass(frozen=True)
class Config:
    """What applies where nothing else is given; None where the file says nothing.

    Attributes
    ----------
    embedder, completer : as :mod:`hebbgraph.providers.choice` takes them
    functional : relations, as ``cognify`` takes them
    """

    embedder: str | Mapping[str, Any] | None = None
    completer: str | Mapping[str, Any] | None = None
    functional: tuple[str, ...] | None = None


def config() -> Config:
    """What the configuration file says; it is read anew at each call.

    Raises
    ------
    ParameterError
        the file that is named is not there, cannot be read or is not TOML, or has a key or a value
        of another form
    """
    named = os.environ.get(VARIABLE)
    path = Path(named or NAME)
    try:
        if not named and not path.is_file():
            return Config()
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        by = f", named by {VARIABLE}," if named else ""
        raise ParameterError(f"{path}{by} cannot be read; {error.strerror}") from None
    except ValueError as error:
        raise ParameterError(f"{path}: expected TOML; {error}") from None
    _check(data, str(path))
    providers, functional = data.get("providers", {}), data.get("cognify", {}).get("functional")
    return Config(
        providers.get("embedder"),
        providers.get("completer"),
        None if functional is None else tuple(functional),
    )


def _check(data: Mapping[str, Any], where: str) -> None:
    for table, values in data.items():
        if table in _ELSEWHERE:
            continue
        if table not in _KNOWN:
            known = ", ".join((*_KNOWN, *_ELSEWHERE))
            raise ParameterError(f"{where}: expected tables of {known}, got {table!r}")
        if not isinstance(values, Mapping):
            raise ParameterError(f"{where}: {table}: expected a table [{table}], got {values!r}")
        for key in values:
            if key not in _KNOWN[table]:
                known = ", ".join(_KNOWN[table])
                raise ParameterError(f"{where}: {table}: expected keys of {known}, got {key!r}")
    for key, spec in data.get("providers", {}).items():
        if not isinstance(spec, str | Mapping):
            raise ParameterError(f"{where}: {key}: expected text or a table, got {spec!r}")
    functional = data.get("cognify", {}).get("functional", [])
    if not isinstance(functional, list) or not all(isinstance(one, str) for one in functional):
        raise ParameterError(
            f"{where}: functional: expected a list of relations, got {functional!r}"
        )
