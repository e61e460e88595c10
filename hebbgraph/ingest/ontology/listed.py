"""Names in messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

_MOST: Final = 30


def one(wanted: str, known: Iterable[str]) -> str:
    """A name that is not known, a near one, and those there are.

    Examples
    --------
    >>> one("concpt", ["concept", "rule"])
    '"concpt" (did you mean concept?) among concept, rule'
    """
    names = sorted(known)
    folded = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(wanted.casefold(), folded, n=1)
    hint = f" (did you mean {folded[close[0]]}?)" if close else ""
    rest = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
    return f'"{wanted}"{hint} among {", ".join(names[:_MOST]) or "none"}{rest}'
