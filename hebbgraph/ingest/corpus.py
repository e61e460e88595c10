"""Between documents, passages and the rows that a store keeps of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import schema
from hebbgraph.ingest.classify import classify
from hebbgraph.ingest.documents import Document, Heading, Link
from hebbgraph.ingest.passages import Passage, passages
from hebbgraph.providers.words import words

_SHARED = ["title", "source", "sha256", "time", "node_set", "tags", "kind"]
"""Columns of a passage that say what its document's say."""


def fingerprint(
    document: Document, *, node_set: Sequence[str], max_tokens: int, overlap: int
) -> str:
    """Hash of all that a row says of a document but its key and the path it was read from.

    The path is left out so that a folder named in another way is no change.
    """
    said = [
        document.id, document.title, document.text, _iso(document.time), document.sha256,
        document.span, document.kind, document.tags, dict(document.metadata), list(node_set),
        max_tokens, overlap,
        [[one.start, one.level, one.title] for one in document.headings],
        [[one.start, one.end, one.target] for one in document.links],
    ]  # fmt: skip
    text = json.dumps(said, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _iso(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()


def rows_of(
    documents: Iterable[tuple[Document, str]],
    *,
    node_set: Sequence[str],
    max_tokens: int,
    overlap: int,
) -> tuple[pa.Table, pa.Table]:
    """Rows of ``documents`` and of ``passages`` without keys.

    Parameters
    ----------
    documents : each with its fingerprint
    """
    listed: dict[str, list[Any]] = {field.name: [] for field in schema.DOCUMENTS}
    cut: list[Passage] = []
    texts: list[str] = []
    place: list[int] = []
    for row, (document, own) in enumerate(documents):
        found = classify(document)
        start, end = document.span or (None, None)
        said = {
            "id": document.id, "title": document.title, "text": document.text,
            "time": document.time, "source": document.source, "start": start, "end": end,
            "sha256": document.sha256, "kind": found.kind, "tags": found.tags,
            "keywords": found.keywords, "scenarios": found.scenarios, "node_set": node_set,
            "headings": [
                {"start": one.start, "level": one.level, "title": one.title}
                for one in document.headings
            ],
            "links": [
                {"start": one.start, "end": one.end, "target": one.target}
                for one in document.links
            ],
            "metadata": json.dumps(_said(document), ensure_ascii=False, default=str),
            "max_tokens": max_tokens, "overlap": overlap, "fingerprint": own,
        }  # fmt: skip
        for name, value in said.items():
            listed[name].append(value)
        if document.syntax:
            continue
        named = words(document.title) if document.title.strip() else []
        made = passages(document, max_tokens=max_tokens, overlap=overlap)
        cut += made
        texts += [" ".join([*named, *words(one.text)]) for one in made]
        place += [row] * len(made)
    of_documents = _table(listed, schema.DOCUMENTS)
    names = ("id", "document", "ordinal", "headings", "text", "start", "end")
    own_columns = {name: [getattr(one, name) for one in cut] for name in names}
    shared = of_documents.select(_SHARED).take(pa.array(place, pa.int64()))
    columns = {**own_columns, "words": texts, **dict(zip(_SHARED, shared.columns, strict=True))}
    return of_documents, _table(columns, schema.PASSAGES)


def _said(document: Document) -> dict[str, Any]:
    """Metadata with the kind, if the source gave it: so it is known to be no guess."""
    return {**document.metadata, **({"kind": document.kind} if document.kind else {})}


def _table(columns: Mapping[str, Any], kinds: pa.Schema) -> pa.Table:
    size = len(columns["id"])
    return pa.table({
        field.name: columns[field.name]
        if isinstance(columns.get(field.name), pa.ChunkedArray)
        else pa.array(columns.get(field.name, [None] * size), field.type)
        for field in kinds
        if field.name != "key"
    })  # fmt: skip


def marked(rows: pa.Table) -> npt.NDArray[np.bool_]:
    """(d,) bool, which documents have headings or links."""
    several = (pc.greater(pc.list_value_length(rows[name]), 0) for name in ("headings", "links"))
    found: npt.NDArray[np.bool_] = pc.or_(*several).to_numpy()
    return found


def documents_of(rows: pa.Table, *, all_texts: bool) -> list[Document]:
    """Documents as extraction takes them, in the order of the rows.

    Parameters
    ----------
    all_texts : False leaves out the texts of documents without headings and links, whose passages
        tell all
    """
    texts = rows["text"] if all_texts else pc.if_else(pa.array(marked(rows)), rows["text"], "")
    columns = [rows[name].to_pylist() for name in ("id", "title", "source", "sha256")]
    return [
        Document(
            id_, title, text, source=source, sha256=sha256,
            headings=tuple(Heading(**one) for one in headings),
            links=tuple(Link(**one) for one in links),
        )
        for id_, title, source, sha256, text, headings, links in zip(
            *columns, texts.to_pylist(), rows["headings"].to_pylist(), rows["links"].to_pylist(),
            strict=True,
        )
    ]  # fmt: skip


def passages_of(rows: pa.Table) -> list[Passage]:
    """Passages as extraction takes them, in the order of the rows."""
    names = ["document", "ordinal", "start", "end", "text", "headings", "source", "sha256"]
    columns = (rows[name].to_pylist() for name in names)
    return [
        Passage(document, ordinal, start, end, text, tuple(headings), source, sha256)
        for document, ordinal, start, end, text, headings, source, sha256 in zip(
            *columns, strict=True
        )
    ]
