"""Groups of synonyms in a file."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hebbgraph.errors import InputError


def read_synonyms(path: str | os.PathLike[str]) -> list[tuple[str, ...]]:
    """Groups of words that stand for one another.

    Parameters
    ----------
    path : a file in UTF-8.  ``.json``: a list of lists of words, or an object with that as
        ``synonyms``; ``.toml``: ``synonyms = [["error", "오류"], …]``; any other: a group a line,
        its words or phrases between commas, ``#`` begins a comment

    Raises
    ------
    InputError
        it is not of that form, or a group has fewer than two words
    """
    name = os.fspath(path)
    try:
        text = Path(path).read_text("utf-8-sig")
        kind = Path(path).suffix.casefold()
        if kind == ".json":
            return _groups(json.loads(text), name)
        if kind == ".toml":
            return _groups(tomllib.loads(text), name)
    except (UnicodeDecodeError, json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{name}: cannot be read: {error}") from None
    lines = (line.partition("#")[0] for line in text.splitlines())
    found = []
    for number, line in enumerate(lines, 1):
        words = [word for one in line.split(",") if (word := one.strip())]
        if words:
            found.append(_group(words, f"{name} line {number}"))
    return found


def _groups(value: Any, name: str) -> list[tuple[str, ...]]:
    listed = value.get("synonyms") if isinstance(value, Mapping) else value
    if not isinstance(listed, list):
        raise InputError(f'{name}: expected synonyms = [["word", "word"], …]')
    return [_group(one, f"{name} group {number}") for number, one in enumerate(listed, 1)]


def _group(words: Any, where: str) -> tuple[str, ...]:
    good = isinstance(words, list) and all(isinstance(one, str) and one.strip() for one in words)
    if not good or len(words) < 2:
        raise InputError(f"{where}: expected two words or more, got {words!r}")
    return tuple(words)
