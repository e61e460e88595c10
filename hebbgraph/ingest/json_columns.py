"""JSON of many rows at once, byte for byte what :mod:`json` writes of each."""

from __future__ import annotations

import json
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

ENCODE: Final = json.JSONEncoder(ensure_ascii=False).encode
_ESCAPED: Final = r'["\\\x00-\x1f]'


def strings(values: pa.Array) -> pa.Array:
    r"""Each text as a JSON string.

    Examples
    --------
    >>> print(*strings(pa.array(["plain", 'a "quotation"'])))
    "plain" "a \"quotation\""
    """
    quoted = pc.binary_join_element_wise('"', values, '"', "")
    odd = pc.match_substring_regex(values, _ESCAPED)
    if not pc.any(odd).as_py():
        return quoted
    encoded = pa.array(map(ENCODE, values.filter(odd).to_pylist()), pa.string())
    return pc.replace_with_mask(quoted, odd, encoded)


def lists(values: pa.Array) -> pa.Array:
    """Each list of texts as a JSON array.

    Examples
    --------
    >>> lists(pa.array([["a", "b"], []])).to_pylist()
    ['["a", "b"]', '[]']
    """
    kind = pa.list_(pa.string())
    said = pa.ListArray.from_arrays(values.offsets, strings(values.values), kind)
    return pc.binary_join_element_wise("[", pc.binary_join(said, ", "), "]", "")


def joined(*parts: Any) -> pa.Array:
    """Texts and columns of text, one after another."""
    return pc.binary_join_element_wise(*parts, "")
