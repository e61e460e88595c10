"""What search reads: passages, their text index and vectors, and what joins them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from hebbgraph.errors import InputError
from hebbgraph.ingest.rules.relations import TOGETHER
from hebbgraph.ingest.rules.titles import base_title
from hebbgraph.retrieval.bm25 import TextIndex, text_index
from hebbgraph.retrieval.naming import Names, names_of

if TYPE_CHECKING:
    from hebbgraph.ingest.documents import Document
    from hebbgraph.ingest.extraction import Extraction
    from hebbgraph.ingest.passages import Passage

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Joins:
    """A weighted relation between two kinds of rows, read by its first.

    Attributes
    ----------
    indptr : (n + 1,) int64
    target : (m,) int64, ascending within a row
    weight : (m,) float32; below 0 where failures were learned
    """

    indptr: Ints
    target: Ints
    weight: Floats

    def of(self, row: int) -> tuple[Ints, Floats]:
        """Targets of a row and their weights."""
        begin, end = self.indptr[row], self.indptr[row + 1]
        return self.target[begin:end], self.weight[begin:end]


def joins(source: Any, target: Any, weight: Any | None = None, *, n_rows: int) -> Joins:
    """Pairs as `Joins`; a pair given twice has the sum of its weights.

    Parameters
    ----------
    source, target : (m,) integers, the first below ``n_rows``
    weight : (m,) numbers; 1 where None
    """
    source, target = np.asarray(source, np.int64), np.asarray(target, np.int64)
    weight = np.ones(source.size) if weight is None else np.asarray(weight, np.float64)
    order = np.lexsort((target, source))
    source, target, weight = source[order], target[order], weight[order]
    first = np.ones(source.size, np.bool_)
    first[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    begin = np.flatnonzero(first)
    total = np.add.reduceat(weight, begin) if begin.size else weight
    indptr = np.concatenate([[0], np.cumsum(np.bincount(source[begin], minlength=n_rows))])
    return Joins(indptr.astype(np.int64), target[begin], total.astype(np.float32))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Corpus:
    """Everything that a search reads, in memory and unchanging.

    Passages are rows 0, 1, …; those of one document stand together.

    Attributes
    ----------
    passage_ids, texts : (n,)
    document : (n,) int64, row of the document of each passage
    document_ids, titles : (d,)
    text : of titles and texts
    vectors : (n, dimensions) float32 of length 1, or None
    links : passage to documents whose titles it says, or that it links to
    mentions, mentioned_in : passage to entities and back
    associations : passage to passages, what learning joined; both ways
    relations : entity to entities, what a passage says of the two in words; both ways
    entity_names : (e,)
    triplets : subject, predicate and object, names all three, of every statement
    stated_in : passage to rows of ``triplets``
    title_names, entities : names that a query may say, of documents and of entities
    first : (d + 1,) int64, the first passage of each document
    told : (d,) int64, passages with a link to each document
    """

    passage_ids: Sequence[str]
    texts: Sequence[str]
    document: Ints
    document_ids: Sequence[str]
    titles: Sequence[str]
    text: TextIndex
    vectors: Floats | None
    links: Joins
    mentions: Joins
    mentioned_in: Joins
    associations: Joins
    relations: Joins
    entity_names: Sequence[str]
    triplets: Sequence[tuple[str, str, str]]
    stated_in: Joins
    title_names: Names
    entities: Names
    first: Ints = field(init=False)
    told: Ints = field(init=False)

    def __post_init__(self) -> None:
        n_documents = len(self.document_ids)
        if (np.diff(self.document) < 0).any():
            raise InputError("document: expected each document's passages together, in its order")
        first = np.searchsorted(self.document, np.arange(n_documents + 1)).astype(np.int64)
        object.__setattr__(self, "first", first)
        told = np.bincount(self.links.target, minlength=n_documents).astype(np.int64)
        object.__setattr__(self, "told", told)

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Passage id to row."""
        return {name: row for row, name in enumerate(self.passage_ids)}

    def __len__(self) -> int:
        return len(self.passage_ids)

    def __repr__(self) -> str:
        return (
            f"Corpus({len(self):,} passages, {len(self.document_ids):,} documents, "
            f"{len(self.entity_names):,} entities)"
        )

    def learned(self, source: Any, target: Any, weight: Any) -> Corpus:
        """The corpus with these associations of passages, in place of those it has.

        Parameters
        ----------
        source, target : (m,) rows of passages, each pair once
        weight : (m,) numbers; below 0 keeps the two apart
        """
        both = joins(
            np.concatenate([source, target]), np.concatenate([target, source]),
            np.concatenate([weight, weight]), n_rows=len(self),
        )  # fmt: skip
        return replace(self, associations=both)


def corpus(
    documents: Sequence[Document],
    passages: Sequence[Passage],
    found: Extraction,
    *,
    vectors: npt.NDArray[np.float32] | None = None,
    links: Any | None = None,
) -> Corpus:
    """Make passages and what was found in them ready for search.

    Parameters
    ----------
    documents, passages, found : as :func:`hebbgraph.ingest.rules.extract.extract` takes and makes
        them, the passages in the order of the documents
    vectors : (n, dimensions) float32 of length 1, one a passage
    links : more links of the schema ``LINKS``, as of another extraction

    Raises
    ------
    InputError
        passages are not in the order of documents, or there are more or fewer vectors
    """
    n = len(passages)
    if vectors is not None and len(vectors) != n:
        raise InputError(f"vectors: expected {n:,}, one a passage, got {len(vectors):,}")
    row = {one.id: number for number, one in enumerate(documents)}
    document = np.fromiter((row[one.document] for one in passages), np.int64, n)
    titles = [one.title for one in documents]
    passage, entity = (found.mentions[name].to_numpy() for name in ("passage", "entity"))
    linked = [_links(found, document)]
    if links is not None:
        linked.append(np.stack([links["passage"].to_numpy(), links["document"].to_numpy()]))
    pairs = np.unique(np.concatenate(linked, axis=1), axis=1).astype(np.int64)
    shortened = [base_title(title) for title in titles]
    names = found.entities["name"].to_pylist()
    aliases = found.entities["aliases"].to_pylist()
    nothing = np.zeros(0, np.int64)
    said = found.relations.to_pydict()
    triplets = [
        (names[subject], predicate, names[target])
        for subject, predicate, target in zip(
            said["subject"], said["predicate"], said["object"], strict=True
        )
    ]
    stated_by = found.relations["passage"].to_numpy()
    return Corpus(
        passage_ids=[one.id for one in passages],
        texts=[one.text for one in passages],
        document=document,
        document_ids=[one.id for one in documents],
        titles=titles,
        text=text_index(
            (titles[at], one.text) for at, one in zip(document.tolist(), passages, strict=True)
        ),
        vectors=vectors,
        links=joins(*pairs, n_rows=n),
        mentions=joins(passage, entity, n_rows=n),
        mentioned_in=joins(entity, passage, n_rows=len(names)),
        associations=joins(nothing, nothing, n_rows=n),
        relations=_relations(found, len(names)),
        entity_names=names,
        triplets=triplets,
        stated_in=joins(stated_by, np.arange(len(triplets)), n_rows=n),
        title_names=names_of(
            pair for own in (titles, shortened) for pair in zip(own, range(len(own)), strict=True)
        ),
        entities=names_of(
            [*zip(names, range(len(names)), strict=True)]
            + [(alias, at) for at, own in enumerate(aliases) for alias in own]
        ),
    )


def _relations(found: Extraction, n_entities: int) -> Joins:
    """Entities of a statement, joined with weight 1 each way for every passage that makes one."""
    worded = pc.not_equal(found.relations["predicate"], TOGETHER)
    subject, target, passage = (
        found.relations[name].filter(worded).to_numpy() for name in ("subject", "object", "passage")
    )
    pairs = np.unique(
        np.stack([np.minimum(subject, target), np.maximum(subject, target), passage]), axis=1
    )[:2]
    return joins(*np.concatenate([pairs, pairs[::-1]], axis=1), n_rows=n_entities)


def _links(found: Extraction, document: Ints) -> npt.NDArray[np.int64]:
    """Passage and document of links: those told, and mentions of what a title names."""
    told = np.stack([found.links[name].to_numpy() for name in ("passage", "document")])
    named = np.flatnonzero(found.title_entities >= 0)
    order = named[np.argsort(found.title_entities[named], kind="stable")]
    entities = found.title_entities[order]
    passage, entity = (found.mentions[name].to_numpy() for name in ("passage", "entity"))
    begin, end = (np.searchsorted(entities, entity, side) for side in ("left", "right"))
    count = np.where(end - begin <= 8, end - begin, 0)  # a name of more documents tells none
    nth = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    source = np.repeat(passage, count)
    target = order[np.repeat(begin, count) + nth]
    other = document[source] != target
    return np.concatenate([told, np.stack([source[other], target[other]])], axis=1)
