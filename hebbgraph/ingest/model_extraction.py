"""Answers of a language model, or a published file, as an Extraction."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from hebbgraph.errors import InputError
from hebbgraph.ingest import openie
from hebbgraph.ingest.answers import Answer, Answers, content_hash
from hebbgraph.ingest.documents import Document
from hebbgraph.ingest.extraction import ENTITIES, Extraction
from hebbgraph.ingest.passages import Passage
from hebbgraph.ingest.rules.assembly import key_of
from hebbgraph.ingest.text_graph import DOCUMENT, PASSAGE

_UNTYPED = "name"


def extraction_of(
    titles: Sequence[str], passages: Sequence[Passage], answers: Sequence[Answer | None]
) -> Extraction:
    """Entities and relations that answers name; no links.

    Names are one entity if their normal forms are; its type is the one most often given.  A passage
    without an answer mentions its title alone.

    Parameters
    ----------
    titles : of each passage's document
    """
    docs = [_doc(answer or {}) for answer in answers]
    singles = [
        Document(passage.id, title, passage.text)
        for passage, title in zip(passages, titles, strict=True)
    ]
    found = openie.extraction_of(docs, singles)
    shift = np.array([passage.start for passage in passages], np.int64)
    mentions = found.mentions
    row = mentions["passage"].to_numpy()
    for name in ("start", "end"):
        place = mentions.schema.get_field_index(name)
        moved = pa.array(mentions[name].to_numpy() + shift[row])
        mentions = mentions.set_column(place, name, moved)
    types = _types(found.entities["key"].to_pylist(), answers)
    entities = found.entities.set_column(
        found.entities.schema.get_field_index("type"), ENTITIES.field("type"), pa.array(types)
    )
    return Extraction(entities, mentions, found.relations, found.links, found.title_entities)


def _doc(answer: Answer) -> dict[str, Any]:
    triples = [
        [one["subject"], one["predicate"], one["object"]] for one in answer.get("relations", ())
    ]
    names = [one["name"] for one in answer.get("entities", ())]
    return {"extracted_entities": names, "extracted_triples": triples}


def _types(keys: Sequence[str], answers: Sequence[Answer | None]) -> list[str]:
    said: dict[str, Counter[str]] = {}
    for answer in answers:
        for one in (answer or {}).get("entities", ()):
            name = " ".join(one["type"].lower().split())
            if name and name not in (DOCUMENT, PASSAGE):
                said.setdefault(key_of(one["name"]), Counter())[name] += 1
    return [
        min(said[key].items(), key=lambda item: (-item[1], item[0]))[0]
        if key in said else _UNTYPED
        for key in keys
    ]  # fmt: skip


def take_in(
    path: str | os.PathLike[str],
    answers: Answers,
    documents: Sequence[Document],
    passages: Sequence[Passage],
) -> int:
    """Keep what a published file says of the documents whose text it holds; returns how many.

    A document that was cut has each entity in the passages that name it, each relation in those
    that name both ends; what none of them names is said by the first.

    Raises
    ------
    InputError
        the file is not of the format, or holds the text of no document
    """
    held = {_plain(openie.title_and_text(doc)[1]): doc for doc in openie.read_docs(path)}
    cut: dict[str, list[Passage]] = {}
    for passage in passages:
        cut.setdefault(passage.document, []).append(passage)
    found = 0
    for document in documents:
        said = held.get(_plain(document.text))
        own = cut.get(document.id, [])
        if said is None or not own:
            continue
        found += 1
        for passage, answer in zip(own, _shared(said, own), strict=True):
            hash_ = content_hash(document.title, passage.text)
            if answers.known.get(hash_) != answer:
                answers.add(hash_, answer)
    if documents and not found:
        raise InputError(f"{path}: expected texts of documents in the memory, came none of them")
    return found


def _plain(text: str) -> str:
    return " ".join(text.split())


def _shared(doc: Mapping[str, Any], passages: Sequence[Passage]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [{"entities": [], "relations": []} for _ in passages]
    texts = [_plain(passage.text).casefold() for passage in passages]

    def at(*names: str) -> list[int]:
        wanted = [_plain(name).casefold() for name in names]
        rows = [row for row, text in enumerate(texts) if all(name in text for name in wanted)]
        return rows or [0]

    for name in doc.get("extracted_entities") or ():
        if isinstance(name, str):
            for row in at(name):
                made[row]["entities"].append({"name": name, "type": ""})
    for triple in doc.get("extracted_triples") or ():
        if isinstance(triple, list) and len(triple) == 3:
            if not all(isinstance(part, str) and part.strip() for part in triple):
                continue
            one = dict(zip(("subject", "predicate", "object"), triple, strict=True))
            for row in at(one["subject"], one["object"]):
                made[row]["relations"].append(one)
    return made
