"""Published results of open information extraction, read into an Extraction.

The format is that of HippoRAG (Gutiérrez and others, 2024): ``{"docs": [{"title", "text" or
"passage", "extracted_entities": […], "extracted_triples": [[subject, predicate, object], …]}]}``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbgraph.errors import InputError
from hebbgraph.ingest import extraction as tables
from hebbgraph.ingest import resolution
from hebbgraph.ingest.documents import Document, sha256
from hebbgraph.ingest.extraction import Extraction, grouped
from hebbgraph.ingest.passages import Passage
from hebbgraph.ingest.rules.assembly import key_of

if TYPE_CHECKING:
    import os


def read_openie(
    path: str | os.PathLike[str], *, ids: Sequence[str] | None = None
) -> tuple[list[Document], list[Passage], Extraction]:
    """Documents, one passage each, and the entities and relations that the file says they hold.

    Names are merged by their normal form; relation names stay as they are written. Triples that
    are not three texts are left out: models leave such behind.

    Parameters
    ----------
    path : the file
    ids : of the documents, in the order of the file; None takes the file's ``idx`` or its order

    Raises
    ------
    InputError
        the file is not of the format
    """
    docs = read_docs(path)
    if ids is not None and len(ids) != len(docs):
        raise InputError(f"ids: expected {len(docs)}, one a document of {path}, got {len(ids)}")
    documents: list[Document] = []
    passages: list[Passage] = []
    for row, doc in enumerate(docs):
        title, text = title_and_text(doc)
        own = ids[row] if ids is not None else str(doc.get("idx") or row)
        digest = sha256(text.encode())
        documents.append(Document(own, title, text, source=str(path), sha256=digest))
        body = text.strip()
        start = len(text[: len(text) - len(text.lstrip())].encode())
        end = start + len(body.encode())
        passages.append(Passage(own, 0, start, end, body, (), str(path), digest))
    return documents, passages, extraction_of(docs, documents)


def read_docs(path: str | os.PathLike[str]) -> list[Mapping[str, Any]]:
    """The list ``docs`` of a file.

    Raises
    ------
    InputError
        the file is not of the format
    """
    path = Path(path)
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read; {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path}: expected JSON; {error}") from None
    docs = value.get("docs") if isinstance(value, Mapping) else value
    wanted = ("extracted_entities", "extracted_triples")
    if not isinstance(docs, list) or not all(
        isinstance(doc, Mapping) and any(name in doc for name in wanted) for doc in docs
    ):
        raise InputError(
            f'{path}: expected {{"docs": [{{"passage", "extracted_entities", '
            '"extracted_triples"}, …]}'
        )
    return docs


class _Names:
    """Entities by normal form, in order of their first mention."""

    def __init__(self) -> None:
        self.keys: dict[str, int] = {}
        self.spelled: list[dict[str, int]] = []

    def id(self, name: str) -> int | None:
        key = key_of(name)
        if not key.strip():
            return None
        number = self.keys.setdefault(key, len(self.keys))
        if number == len(self.spelled):
            self.spelled.append({})
        own = self.spelled[number]
        own[name] = own.get(name, 0) + 1
        return number


def title_and_text(doc: Mapping[str, Any]) -> tuple[str, str]:
    """What a doc says it was extracted from."""
    text = doc.get("text") or doc.get("passage") or ""
    title = doc.get("title") or ""
    # Some write the title into the passage, as its first line.
    if not title and "passage" in doc and "\n" in text:
        title, text = text.split("\n", 1)
    return title, text


def extraction_of(docs: Sequence[Mapping[str, Any]], documents: Sequence[Document]) -> Extraction:
    """What docs say of documents of one passage each, in the same order.

    Parameters
    ----------
    docs : each with ``extracted_entities`` and ``extracted_triples``, or without
    """
    names = _Names()
    mentions: list[tuple[int, int, int, int]] = []
    triples: list[tuple[int, int, str, int]] = []
    titles = np.full(len(docs), -1, np.int64)
    for row, doc in enumerate(docs):
        text = documents[row].text
        title = names.id(documents[row].title) if documents[row].title else None
        titles[row] = -1 if title is None else title
        found = [name for name in doc.get("extracted_entities") or () if isinstance(name, str)]
        said = [
            triple
            for triple in doc.get("extracted_triples") or ()
            if isinstance(triple, list)
            and len(triple) == 3
            and all(isinstance(part, str) and part.strip() for part in triple)
        ]
        found += [name for subject, _, object_ in said for name in (subject, object_)]
        for name in dict.fromkeys(found):
            entity = names.id(name)
            if entity is not None:
                place = text.find(name)
                start = len(text[:place].encode()) if place >= 0 else 0
                mentions.append((row, entity, start, start + len(name.encode()) * (place >= 0)))
        for subject, predicate, object_ in said:
            one, other = names.keys.get(key_of(subject)), names.keys.get(key_of(object_))
            if one is not None and other is not None and one != other:
                triples.append((row, one, predicate.strip(), other))
    return _tables(names, mentions, triples, titles, len(docs))


def _tables(
    names: _Names,
    mentions: list[tuple[int, int, int, int]],
    triples: list[tuple[int, int, str, int]],
    titles: Any,
    n_documents: int,
) -> Extraction:
    n = len(names.keys)
    met = np.array(mentions, np.int64).reshape(-1, 4)
    titled = np.flatnonzero(titles >= 0)
    by_title = np.zeros((titled.size, 4), np.int64)
    by_title[:, 0], by_title[:, 1] = titled, titles[titled]
    met = np.concatenate([met, by_title])
    first, count = grouped(met[:, 0], met[:, 1])
    met = met[first]
    documents = np.bincount(met[:, 1], minlength=n)
    total = np.bincount(met[:, 1], weights=count, minlength=n).astype(np.int64)
    spelled = [max(own, key=lambda name, own=own: own[name]) for own in names.spelled]  # type: ignore[misc]
    aliases = [sorted(set(own) - {name}) for own, name in zip(names.spelled, spelled, strict=True)]
    entities = [
        np.arange(n),
        list(names.keys),
        spelled,
        ["name"] * n,
        aliases,
        total,
        documents,
        resolution.residual_idf(total, documents, n_documents),
        resolution.hubs(documents, n_documents),
    ]
    predicates = {name: number for number, name in enumerate(sorted({t[2] for t in triples}))}
    said = np.array([(row, s, predicates[p], o) for row, s, p, o in triples], np.int64)
    said = said.reshape(-1, 4)
    place, times = grouped(said[:, 0], said[:, 1], said[:, 3], said[:, 2])
    said = said[place]
    relation_names = np.array([*predicates, ""], object)[said[:, 2]]
    return Extraction(
        tables.table(entities, tables.ENTITIES),
        tables.table([*met.T, count], tables.MENTIONS),
        tables.table([said[:, 1], relation_names, said[:, 3], said[:, 0], times], tables.RELATIONS),
        tables.table([np.zeros(0)] * 2 + [[]] + [np.zeros(0)] * 3, tables.LINKS),
        titles,
    )
