"""Between documents, passages and the rows that a store keeps of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import schema
from hebbgraph.ingest.classify import classify
from hebbgraph.ingest.documents import Document, Heading, Link
from hebbgraph.ingest.passages import Passage, passages
from hebbgraph.providers.words import words


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
    listed: list[dict[str, Any]] = []
    cut: list[dict[str, Any]] = []
    for document, own in documents:
        found = classify(document)
        start, end = document.span or (None, None)
        shared = {
            "title": document.title, "source": document.source, "sha256": document.sha256,
            "time": document.time, "node_set": node_set, "tags": found.tags, "kind": found.kind,
        }  # fmt: skip
        listed.append({
            **shared, "id": document.id, "text": document.text, "start": start, "end": end,
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
        })  # fmt: skip
        if document.syntax:
            continue
        named = words(document.title) if document.title.strip() else []
        cut += [
            {
                **shared, "id": one.id, "document": one.document, "ordinal": one.ordinal,
                "headings": one.headings, "text": one.text, "start": one.start, "end": one.end,
                "words": " ".join([*named, *words(one.text)]),
            }
            for one in passages(document, max_tokens=max_tokens, overlap=overlap)
        ]  # fmt: skip
    return _table(listed, schema.DOCUMENTS), _table(cut, schema.PASSAGES)


def _said(document: Document) -> dict[str, Any]:
    """Metadata with the kind, if the source gave it: so it is known to be no guess."""
    return {**document.metadata, **({"kind": document.kind} if document.kind else {})}


def _table(rows: list[dict[str, Any]], kinds: pa.Schema) -> pa.Table:
    columns = {
        field.name: pa.array([row.get(field.name) for row in rows], field.type)
        for field in kinds
        if field.name != "key"
    }
    return pa.table(columns)


def documents_of(rows: pa.Table, *, all_texts: bool) -> list[Document]:
    """Documents as extraction takes them, in the order of the rows.

    Parameters
    ----------
    all_texts : False leaves out the texts of documents without headings and links, whose passages
        tell all
    """
    marked = pc.or_(
        pc.greater(pc.list_value_length(rows["headings"]), 0),
        pc.greater(pc.list_value_length(rows["links"]), 0),
    )
    texts = rows["text"] if all_texts else pc.if_else(marked, rows["text"], "")
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
