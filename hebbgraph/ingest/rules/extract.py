"""Passages to an Extraction by rule: two walks over the text, the rest on arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hebbgraph.ingest.extraction import Extraction
from hebbgraph.ingest.rules.assembly import (
    Rows,
    entity_table,
    link_table,
    mention_table,
    relation_table,
    resolved,
)
from hebbgraph.ingest.rules.kinds import Kind
from hebbgraph.ingest.rules.marks import marks_of
from hebbgraph.ingest.rules.relations import REACH
from hebbgraph.ingest.rules.scan import Scan, chunks_of, scan
from hebbgraph.ingest.rules.titles import Forms, Titles, base_title, forms_of, titles_of
from hebbgraph.ingest.rules.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hebbgraph.ingest.documents import Document
    from hebbgraph.ingest.passages import Passage

Ints = npt.NDArray[np.int64]


def extract(
    documents: Sequence[Document], passages: Sequence[Passage], *, reach: int = REACH
) -> Extraction:
    """Entities, mentions, relations and links of passages, by rule.

    Parameters
    ----------
    documents : all whose passages are given, and others whose titles are looked for
    passages : of those documents, each document's together and in order
    reach : a mention is ``mentioned_with`` the next so many of its sentence; 0 leaves these out,
        which are far more than all other relations

    Examples
    --------
    >>> from hebbgraph.ingest.documents import Document
    >>> from hebbgraph.ingest.passages import passages
    >>> text = "Ada Lovelace worked with Charles Babbage. Babbage designed the Analytical Engine."
    >>> document = Document("ada", "Ada Lovelace", text)
    >>> found = extract([document], passages(document))
    >>> found.entities["name"].to_pylist()
    ['Ada Lovelace', 'Charles Babbage', 'Analytical Engine']
    >>> found.relations["predicate"].to_pylist()
    ['mentioned_with', 'worked_with', 'designed', 'mentioned_with']
    """
    row = {document.id: number for number, document in enumerate(documents)}
    document = np.fromiter((row[one.document] for one in passages), np.int64, len(passages))
    vocabulary = Vocabulary()
    chunks = list(chunks_of(passages, vocabulary))
    names = [one.title for one in documents]
    bases = [base_title(name) for name in names]
    # A single word that the texts also use in small letters says too little by itself.
    bases = ["" if base.lower() in vocabulary else base for base in bases]
    whole, base = forms_of(names, vocabulary), forms_of(bases, vocabulary)
    titles = titles_of(whole, base)
    marks = marks_of(documents, passages, row)
    found = scan(passages, chunks, vocabulary, titles, marks.spans)
    del chunks  # the words of all texts are as large as the texts
    rows = _rows(found, passages, document, titles, whole, base)
    spelled = dict(found.spelled)
    for forms, texts in ((base, bases), (whole, names)):
        spelled |= zip(forms.spelling.tolist(), texts, strict=True)
    shortened = np.flatnonzero(titles.is_base)
    pairs = list(zip(whole.form[shortened].tolist(), titles.own[shortened].tolist(), strict=True))
    entity, entity_names, aliases, kind = resolved(rows, found, spelled, pairs)
    title_entities = np.full(len(documents), -1, np.int64)
    title_entities[rows.document[: rows.n_titles]] = entity[: rows.n_titles]
    for number in shortened[title_entities[shortened] >= 0].tolist():
        aliases[title_entities[number]].add(names[number])
    return Extraction(
        entity_table(rows, entity, entity_names, aliases, kind, len(documents)),
        mention_table(rows, entity),
        relation_table(rows, found, entity, reach),
        link_table(found, titles, document, marks.links),
        title_entities,
    )


def _rows(
    found: Scan,
    passages: Sequence[Passage],
    document: Ints,
    titles: Titles,
    whole: Forms,
    base: Forms,
) -> Rows:
    """Each passage mentions its document's title, and then what its text does."""
    titled = np.flatnonzero(titles.own[document] != 0)
    own = document[titled]
    is_base = titles.is_base[own]
    start = np.array([one.start for one in passages], np.int64)
    end = np.array([one.end for one in passages], np.int64)
    head = np.ones(len(passages), np.bool_)
    head[1:] = document[1:] != document[:-1]
    # What overlaps the passage before was counted there.
    before = np.where(head, 0, np.roll(end, 1))
    none = np.zeros(titled.size, np.bool_)

    def joined(name: str) -> Any:
        of_titles = np.where(is_base, getattr(base, name)[own], getattr(whole, name)[own])
        return np.concatenate([of_titles, getattr(found, name)])

    return Rows(
        passage=np.concatenate([titled, found.passage]),
        document=np.concatenate([own, document[found.passage]]),
        start=np.concatenate([start[titled], found.start]),
        stop=np.concatenate([start[titled], found.stop]),
        last=joined("last"),
        kind=np.concatenate([np.full(titled.size, Kind.TITLE, np.int8), found.kind]),
        form=joined("form"),
        spelling=joined("spelling"),
        full=joined("full"),
        single=np.concatenate([none, found.single]),
        counted=np.concatenate([head[titled], found.start >= before[found.passage]]),
        n_titles=int(titled.size),
    )
