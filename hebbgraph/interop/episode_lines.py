"""Episodes as JSON Lines: one object a line, streamed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from hebbgraph.errors import InputError


def read_episodes(path: str) -> tuple[Iterator[dict[str, Any]], Callable[[int], str]]:
    """Episodes of a file, ``-`` is standard input, one by one; blank lines are skipped.

    Returns
    -------
    episodes : iterator of the objects
    where : how a message calls an episode, by its number from 0

    Raises
    ------
    InputError
        there is no such file; while iterating, a line is no JSON object
    """
    name = "standard input" if path == "-" else Path(path).name
    if path != "-" and not Path(path).is_file():
        raise InputError(f'{path}: no such file; expected JSON Lines such as {{"nodes": ["a"]}}')
    lines: list[int] = []

    def where(number: int) -> str:
        return f"{name} line {lines[number]}"

    return _objects(path, name, lines), where


def _objects(path: str, name: str, lines: list[int]) -> Iterator[dict[str, Any]]:
    with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                item = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(
                    f"{name} line {number}: expected one JSON object a line ({error})"
                ) from None
            if not isinstance(item, dict):
                raise InputError(
                    f"{name} line {number}: expected one JSON object a line, got {line[:40]!r}"
                )
            lines.append(number)
            yield item
