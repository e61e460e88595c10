"""JSON and JSON Lines: records, conversations, or one object."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hebbgraph.errors import InputError
from hebbgraph.ingest.decoding import decoded
from hebbgraph.ingest.documents import Document, sha256
from hebbgraph.ingest.readers.chat import conversation_of, read_conversation
from hebbgraph.ingest.readers.records import TEXTS, document_of

if TYPE_CHECKING:
    from hebbgraph.ingest.readers.source import Source


def read(data: bytes, source: Source) -> Iterator[Document]:
    """A file that is one JSON value: conversations, a list of records, or one record.

    An object whose only list of records lies under some key is read as that list.

    Raises
    ------
    InputError
        it is no JSON, or a record has no text
    """
    text, _ = decoded(data, source.name, encoding=source.encoding)
    if not text.strip():
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name}: expected JSON; {error}") from None
    yield from _documents(value, source, sha256(data))


def _documents(value: object, source: Source, digest: str) -> Iterator[Document]:
    found = conversation_of(value)
    if found:
        yield from read_conversation(*found, source.id, source.name)
        return
    records = value if isinstance(value, list) else _only_list(value)
    if records is None:
        if not isinstance(value, Mapping):
            raise InputError(
                f"{source.name}: expected records with a text, came {type(value).__name__}"
            )
        yield document_of(value, where=source.name, id=source.id, source=source.name, digest=digest)
        return
    for number, record in enumerate(records):
        yield from record_documents(
            record, f"{source.name} item {number}", f"{source.id}#{number}", source.name
        )


def record_documents(
    record: object, where: str, id: str, source: str, span: tuple[int, int] | None = None
) -> Iterator[Document]:
    """The documents of one record: several if it is a conversation."""
    found = conversation_of(record)
    if found:
        given = record.get("id") or record.get("uuid") if isinstance(record, Mapping) else None
        yield from read_conversation(*found, given if isinstance(given, str) else id, source)
    elif isinstance(record, str):
        yield document_of({"text": record}, where=where, id=id, source=source, span=span)
    elif isinstance(record, Mapping):
        yield document_of(record, where=where, id=id, source=source, span=span)
    else:
        raise InputError(f"{where}: expected an object, came {type(record).__name__}")


def _only_list(value: object) -> list[Any] | None:
    if not isinstance(value, Mapping) or any(name in value for name in TEXTS):
        return None
    lists = [
        item
        for item in value.values()
        if isinstance(item, list) and item and all(isinstance(one, Mapping) for one in item)
    ]
    return lists[0] if len(lists) == 1 else None


def read_lines(data: bytes, source: Source) -> Iterator[Document]:
    """A file with one JSON value a line; each document knows the bytes of its line.

    Raises
    ------
    InputError
        a line is no JSON, or has no text
    """
    text, encoding = decoded(data, source.name, encoding=source.encoding)
    is_own = encoding == "utf-8"
    body = data if is_own else text.encode()
    del text  # as large as the file, or several times
    begin = number = 0
    while begin < len(body):
        end = body.find(b"\n", begin)
        end = end if end >= 0 else len(body)
        line, number = body[begin:end], number + 1
        span = (begin, end) if is_own else None
        begin = end + 1
        if not line.strip():
            continue
        where = f"{source.name} line {number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: expected JSON; {error}") from None
        yield from record_documents(record, where, f"{source.id}#{number}", source.name, span)
