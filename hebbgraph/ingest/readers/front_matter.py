"""Front matter: names and values between two lines ``---`` at the head of a Markdown file."""

from __future__ import annotations

import re
from typing import Final

_BLOCK: Final = re.compile(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.S | re.M)
_PAIR: Final = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?")
_ITEM: Final = re.compile(r"[ \t]*-[ \t]+(.+)")


def front_matter(text: str) -> tuple[int, dict[str, str | list[str]]]:
    r"""Where front matter ends, and what it says: single values, and lists of them.

    Parameters
    ----------
    text : of a whole file

    Returns
    -------
    offset of the first character after it, 0 where there is none; names, in small letters, to
    values. Of YAML only this is read; anything deeper is passed over

    Examples
    --------
    >>> front_matter("---\ntitle: 'A b'\ntags: [x, y]\naliases:\n  - z\n---\nText")
    (49, {'title': 'A b', 'tags': ['x', 'y'], 'aliases': ['z']})
    """
    block = _BLOCK.match(text)
    if block is None:
        return 0, {}
    said: dict[str, str | list[str]] = {}
    name = ""
    for line in block[1].splitlines():
        if pair := _PAIR.fullmatch(line.rstrip()):
            name, value = pair[1].lower(), _without_comment(pair[2] or "")
            is_list = value.startswith("[") and value.endswith("]")
            said[name] = _listed(value[1:-1].split(",")) if is_list else _bare(value)
        elif (item := _ITEM.fullmatch(line.rstrip())) and name:
            before = said[name]
            said[name] = [*(before if isinstance(before, list) else []), *_listed([item[1]])]
        elif line.strip():
            name = ""
    return (block.end(), said) if said or not block[1].strip() else (0, {})


def _listed(values: list[str]) -> list[str]:
    return [bare for value in values if (bare := _bare(value))]


def _bare(value: str) -> str:
    value = value.strip()
    if value[:1] in ("'", '"') and value.endswith(value[0]) and len(value) > 1:
        return value[1:-1].strip()
    return _without_comment(value)


def _without_comment(value: str) -> str:
    if value.lstrip()[:1] in ("'", '"'):
        return value.strip()
    return re.split(r"(?:^|\s)#(?:\s|$)", value, maxsplit=1)[0].strip()
