"""What was found in passages: entities, mentions, relations, links, as Arrow tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

ENTITIES: Final[Any] = pa.schema(
    [
        ("id", pa.int64()),  # its row
        ("key", pa.string()),  # normal form of the name, unique: the same in every extraction
        ("name", pa.string()),  # as it is spelled most often
        (
            "type",
            pa.string(),
        ),  # name, date, heading, link, tag, code, quoted, number, term, concept
        ("aliases", pa.list_(pa.string())),  # other spellings and names, sorted
        ("count", pa.int64()),  # mentions, each place of a document once
        ("documents", pa.int64()),  # documents that mention it
        ("significance", pa.float64()),  # residual idf in bits; near 0 is spread as by chance
        ("hub", pa.bool_()),  # in more than a twentieth of all documents, beyond doubt
    ]
)
MENTIONS: Final[Any] = pa.schema(
    [
        ("passage", pa.int64()),  # row of the passages
        ("entity", pa.int64()),
        ("start", pa.int64()),  # of the first, in bytes of the document; start = end: by its title
        ("end", pa.int64()),
        ("count", pa.int64()),  # in the passage
    ]
)
RELATIONS: Final[Any] = pa.schema(
    [
        ("subject", pa.int64()),
        ("predicate", pa.string()),
        ("object", pa.int64()),
        ("passage", pa.int64()),
        ("count", pa.int64()),  # sentences of the passage that say so
    ]
)
LINKS: Final[Any] = pa.schema(
    [
        ("passage", pa.int64()),
        ("document", pa.int64()),  # row of the documents
        ("kind", pa.string()),  # title: it says the title; link: it holds a link to the file
        ("start", pa.int64()),  # of the first, in bytes of the passage's document
        ("end", pa.int64()),
        ("count", pa.int64()),
    ]
)


@dataclass(frozen=True)
class Extraction:
    """What was found.

    Attributes
    ----------
    entities, mentions, relations, links : tables of the schemas of this module; mentions by
        passage and entity, relations by passage, subject, object and predicate, links by passage
        and document: each combination once
    title_entities : (d,) int64, the entity that each document's title names; -1 without a title
    """

    entities: pa.Table
    mentions: pa.Table
    relations: pa.Table
    links: pa.Table
    title_entities: npt.NDArray[np.int64]


def grouped(*keys: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rows by distinct combinations of keys, in order of the keys.

    Returns
    -------
    first : (g,) int64, the first row of each
    count : (g,) int64, how many rows it has
    """
    n = keys[0].size
    if not n:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    packed = _packed(keys)
    order = np.lexsort(keys[::-1]) if packed is None else np.argsort(packed, kind="stable")
    compared = keys if packed is None else (packed,)
    new = np.ones(n, np.bool_)
    new[1:] = np.logical_or.reduce([key[order[1:]] != key[order[:-1]] for key in compared])
    begin = np.flatnonzero(new)
    return order[begin], np.diff(np.append(begin, n))


def _packed(keys: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64] | None:
    """Keys as one number in the same order; None where it would not hold them."""
    sizes = [int(key.max()) + 1 for key in keys]
    if min(int(key.min()) for key in keys) < 0 or math.prod(sizes) >= 1 << 62:
        return None
    packed = np.zeros(keys[0].size, np.int64)
    for key, size in zip(keys, sizes, strict=True):
        packed = packed * size + key
    return packed


def table(columns: Sequence[Any], schema: Any) -> pa.Table:
    """Columns in the order of a schema, as a table of it."""
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
