"""Mappings with a text as documents: rows of a table, objects of a JSON file, items of a list."""

from __future__ import annotations

import contextlib
import datetime
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from hebbgraph.errors import InputError
from hebbgraph.ingest.documents import Document, sha256

TEXTS: Final = (
    "text",
    "content",
    "body",
    "passage",
    "contents",
    "abstract",
    "message",
    "description",
)
_IDS: Final = ("id", "_id", "doc_id", "document_id", "uuid", "idx")
TITLES: Final = ("title", "name", "heading", "subject", "headline")
TIMES: Final = ("time", "timestamp", "date", "created_at", "create_time", "datetime", "ts")


def document_of(
    record: Mapping[str, Any],
    *,
    where: str,
    id: str | None = None,
    source: str = "",
    span: tuple[int, int] | None = None,
    digest: str | None = None,
) -> Document:
    """A mapping as a document.

    Text is its first of text, content, body, …; where it has none of these, all its plain values
    as ``name: value`` lines. Likewise id, title and time; source, kind and tags; what is left
    over goes into the metadata; of a mapping with a kind, those plain values too.

    Parameters
    ----------
    record : the mapping
    where : what messages call it
    id : if it gives none itself; None takes a hash of its content
    source, span, digest : of the document

    Raises
    ------
    InputError
        a value is not what its name says, or there is no text at all

    Examples
    --------
    >>> document_of({"id": 7, "title": "T", "body": "B", "lang": "en"}, where="item 0").metadata
    {'lang': 'en'}
    """
    used: set[str] = set()

    def first(names: tuple[str, ...]) -> Any:
        for name in names:
            if record.get(name) not in (None, ""):
                used.add(name)
                return record[name]
        return None

    given, title, time = first(_IDS), first(TITLES), first(TIMES)
    text = first(TEXTS)
    if text is None and not any(name in record for name in TEXTS):
        rest = {key: value for key, value in record.items() if key not in used}
        text = "\n".join(f"{key}: {value}" for key, value in rest.items() if _is_plain(value))
        # What has a kind is told by its properties, which must stay apart for the ontology.
        used |= (
            set()
            if record.get("kind")
            else {key for key, value in rest.items() if _is_plain(value)}
        )
        if not text and title is None:
            raise InputError(f"{where}: expected a text, came {_listed(record)}")
    text = _text(text if text is not None else "", f"{where}: text")
    title = _text(title if title is not None else "", f"{where}: title")
    kind = _text(record.get("kind") or "", f"{where}: kind")
    tags = record.get("tags") or ()
    if isinstance(tags, str):
        tags = [tag for tag in tags.replace(";", ",").split(",") if tag.strip()]
    if isinstance(tags, set | frozenset):
        tags = sorted(tags, key=str)  # the order of a set is another in every process
    if not isinstance(tags, Iterable):
        raise InputError(f"{where}: tags: expected text or a list, came {type(tags).__name__}")
    tags = tuple(_text(tag, f"{where}: tags").strip() for tag in tags)
    known = used | {"kind", "tags", "source", *TEXTS[:1]}
    metadata = {key: value for key, value in record.items() if key not in known}
    digest = digest or sha256(f"{title}\n{text}".encode())
    own = _text(given, f"{where}: id") if given is not None else id or f"text-{digest[:16]}"
    named = record.get("source") or source
    return Document(
        own,
        title,
        text,
        time=moment(time, f"{where}: time"),
        source=named if isinstance(named, str) else json.dumps(named),
        sha256=digest,
        span=span,
        kind=kind,
        tags=tags,
        metadata=metadata,
    )


def moment(value: object, where: str) -> datetime.datetime | None:
    """A time of any kind as aware UTC; None and "" are none.

    Raises
    ------
    InputError
        it is no time

    Examples
    --------
    >>> moment("2024-05-01T09:00:00+09:00", "item 0").isoformat()
    '2024-05-01T00:00:00+00:00'
    >>> moment(1714521600, "item 0").isoformat()
    '2024-05-01T00:00:00+00:00'
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = datetime.datetime.fromisoformat(value.strip())
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day, tzinfo=datetime.UTC)
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=datetime.UTC)
        return value.astimezone(datetime.UTC)
    return _epoch(value, where)


def _epoch(value: object, where: str) -> datetime.datetime | None:
    import pyarrow as pa

    from hebbgraph.times import parse_times

    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InputError(f"{where}: expected a time, came {value!r}")
    try:
        times: Any = parse_times(pa.array([value]), name="time", where=lambda _: where)
    except (InputError, OverflowError):
        raise InputError(f"{where}: expected ISO 8601 or an epoch number, came {value!r}") from None
    found: datetime.datetime | None = times[0].as_py()
    return found


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) and value != ""


def _text(value: object, where: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"{where}: expected text, came {type(value).__name__}")
    text = str(value)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(f"{where}: expected text, came half a surrogate pair") from None
    return text


def _listed(record: Mapping[str, Any]) -> str:
    names = ", ".join(list(record)[:8])
    return f"the keys {names}" if names else "an empty mapping"
