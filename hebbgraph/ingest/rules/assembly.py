"""Mentions become entities, and what was met becomes tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hebbgraph.ingest import extraction as tables
from hebbgraph.ingest import resolution
from hebbgraph.ingest.extraction import grouped
from hebbgraph.ingest.rules.kinds import TYPES
from hebbgraph.ingest.rules.relations import TOGETHER, together
from hebbgraph.ingest.rules.vocabulary import normal_form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hebbgraph.ingest.rules.hashes import Hashes
    from hebbgraph.ingest.rules.scan import Scan
    from hebbgraph.ingest.rules.titles import Titles

_BLOCK: Final = 1 << 19  # mentions whose pairs are made together
_MOST_BEARERS: Final = 8  # a title of more documents than this tells none of them
_WORD: Final = re.compile(r"[\w\u0300-\u036f]+")

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """Mentions by title, then mentions in the text.

    Attributes
    ----------
    passage, document, start, stop, last : (m,) int64
    kind : (m,) int8
    form, spelling : (m,) uint64
    full, single : (m,) bool
    counted : (m,) bool, false where the place was counted before
    n_titles : rows that are by title
    """

    passage: Ints
    document: Ints
    start: Ints
    stop: Ints
    last: Ints
    kind: npt.NDArray[np.int8]
    form: Hashes
    spelling: Hashes
    full: npt.NDArray[np.bool_]
    single: npt.NDArray[np.bool_]
    counted: npt.NDArray[np.bool_]
    n_titles: int


def key_of(name: str) -> str:
    """The words of a name in normal form, joined by spaces: what makes two names one entity.

    Examples
    --------
    >>> key_of("Jean-Luc  PICARD")
    'jean luc picard'
    """
    normal = normal_form(name)
    return " ".join(_WORD.findall(normal)) or normal


def resolved(
    rows: Rows, scan: Scan, spelled: Mapping[int, str], whole_titles: Sequence[tuple[int, int]]
) -> tuple[Ints, list[str], list[set[str]], Ints]:
    """Which entity each mention means.

    Parameters
    ----------
    rows : all mentions
    scan : for the forms explained by one another
    spelled : spelling to text
    whole_titles : form of a whole title, form of the shortened one it is an alias of

    Returns
    -------
    entity : (m,) numbers by first mention
    names : one an entity
    aliases : other spellings
    kind : (e,) the lowest of its mentions
    """
    forms, form = np.unique(rows.form, return_inverse=True)
    spelling_of = _commonest(form, rows.spelling)
    names = [spelled[one] for one in spelling_of.tolist()]
    keys = [key_of(name) for name in names]
    first_of: dict[str, int] = {}
    pairs = [(row, first_of.setdefault(key, row)) for row, key in enumerate(keys)]
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    pairs += resolution.dotted_aliases(names)
    pairs += _known(forms, whole_titles)
    clear, unclear = _explained_once(scan)
    pairs += _known(forms, clear)
    root = resolution.roots(forms.size, pairs)
    meant = root[form]
    meant = _explained_here(meant, form, rows, forms, root, unclear)
    meant = resolution.surnames(rows.document, meant, rows.last, rows.full, rows.single)
    _, first, inverse = np.unique(meant, return_index=True, return_inverse=True)
    place = np.empty(first.size, np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(first.size)
    entity = place[inverse]
    entity_names = [""] * first.size
    for number, row in zip(place.tolist(), meant[first].tolist(), strict=True):
        entity_names[number] = names[row]
    aliases: list[set[str]] = [set() for _ in entity_names]
    for pair in grouped(entity, rows.spelling.astype(np.int64))[0].tolist():
        aliases[entity[pair]].add(spelled[int(rows.spelling[pair])])
    for own, name in zip(aliases, entity_names, strict=True):
        own.discard(name)
    kind = np.full(first.size, 127, np.int64)
    np.minimum.at(kind, entity, rows.kind)
    return entity, entity_names, aliases, kind


def _commonest(form: Ints, spelling: Hashes) -> Hashes:
    """The commonest spelling of every form, the earlier one if two are."""
    first, count = grouped(form, spelling.view(np.int64))
    order = np.lexsort((first, -count, form[first]))
    head = np.ones(order.size, np.bool_)
    head[1:] = form[first[order]][1:] != form[first[order]][:-1]
    return spelling[first[order[head]]]


def _known(forms: Hashes, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs of forms as rows, where both are known."""
    row = {form: number for number, form in enumerate(forms.tolist())} if pairs else {}
    return [(row[one], row[other]) for one, other in pairs if one in row and other in row]


def _explained_once(
    scan: Scan,
) -> tuple[list[tuple[int, int]], dict[tuple[int, int], int]]:
    """Short forms with one long form in all the corpus, and (passage, short) to long of others."""
    longs: dict[int, set[int]] = {}
    for short, long in zip(scan.short.tolist(), scan.long.tolist(), strict=True):
        longs.setdefault(short, set()).add(long)
    clear = [(short, next(iter(found))) for short, found in longs.items() if len(found) == 1]
    unclear = {
        (passage, short): long
        for passage, short, long in zip(
            scan.explained_in.tolist(), scan.short.tolist(), scan.long.tolist(), strict=True
        )
        if len(longs[short]) > 1
    }
    return clear, unclear


def _explained_here(
    meant: Ints,
    form: Ints,
    rows: Rows,
    forms: Hashes,
    root: Ints,
    unclear: Mapping[tuple[int, int], int],
) -> Ints:
    """Short forms of several long ones, each by what its own document explains."""
    if not unclear:
        return meant
    row_of = {one: number for number, one in enumerate(forms.tolist())}
    document_of = dict(zip(rows.passage.tolist(), rows.document.tolist(), strict=True))
    here = {
        (document_of[passage], row_of[short]): row_of[long]
        for (passage, short), long in unclear.items()
        if short in row_of and long in row_of
    }
    meant = meant.copy()
    shorts = np.unique([short for _, short in here])
    for row in np.flatnonzero(np.isin(form, shorts)).tolist():
        long = here.get((int(rows.document[row]), int(form[row])))
        if long is not None:
            meant[row] = root[long]
    return meant


def entity_table(
    rows: Rows,
    entity: Ints,
    names: Sequence[str],
    aliases: Sequence[set[str]],
    kind: Ints,
    n_documents: int,
) -> pa.Table:
    """Entities of the schema ``ENTITIES``."""
    n = len(names)
    count = np.bincount(entity[rows.counted], minlength=n)
    first, _ = grouped(rows.document, entity)
    documents = np.bincount(entity[first], minlength=n)
    columns: list[Any] = [
        np.arange(n),
        [key_of(name) for name in names],
        list(names),
        np.array(TYPES, object)[kind],
        [sorted(own) for own in aliases],
        count,
        documents,
        resolution.residual_idf(count, documents, n_documents),
        resolution.hubs(documents, n_documents),
    ]
    return tables.table(columns, tables.ENTITIES)


def mention_table(rows: Rows, entity: Ints) -> pa.Table:
    """Mentions of the schema ``MENTIONS``; what the text says comes before the title."""
    order = np.roll(np.arange(entity.size), -rows.n_titles)
    first, count = grouped(rows.passage[order], entity[order])
    chosen = order[first]
    columns = [rows.passage[chosen], entity[chosen], rows.start[chosen], rows.stop[chosen], count]
    return tables.table(columns, tables.MENTIONS)


def relation_table(rows: Rows, scan: Scan, entity: Ints, reach: int) -> pa.Table:
    """Relations of the schema ``RELATIONS``: stated ones and mentions in one sentence."""
    names, stated = np.unique(np.append(scan.predicate, TOGETHER).astype(str), return_inverse=True)
    said = np.argsort(scan.object, kind="stable")
    bounds = _blocks(scan.passage)
    cuts = np.searchsorted(scan.object[said], bounds)
    # By blocks of whole passages: the pairs of all sentences together would be the peak of memory.
    parts = [
        _relations(rows, scan, entity, stated, int(low), int(high), said[one:other], reach)
        for low, high, one, other in zip(bounds, bounds[1:], cuts, cuts[1:], strict=False)
    ]
    subject, predicate, object_, passage, count = (
        np.concatenate([part[column] for part in parts]) for column in range(5)
    )
    named = pa.DictionaryArray.from_arrays(predicate, pa.array(names.tolist(), pa.string()))
    columns = [subject, named.cast(pa.string()), object_, passage, count]
    return tables.table(columns, tables.RELATIONS)


def _blocks(passage: Ints) -> Ints:
    """Bounds of blocks of mentions, each of whole passages: one block at least."""
    wanted = np.arange(_BLOCK, passage.size, _BLOCK)
    inner = np.unique(np.searchsorted(passage, passage[wanted]))
    return np.concatenate([[0], inner[inner > 0], [passage.size]]).astype(np.int64)


def _relations(
    rows: Rows,
    scan: Scan,
    entity: Ints,
    stated: Ints,
    low: int,
    high: int,
    said: Ints,
    reach: int,
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Subject, predicate, object, passage and count of mentions low ≤ m < high."""
    shift = rows.n_titles
    first, second = (low + pairs for pairs in together(scan.sentence[low:high], reach))
    a, b = entity[first + shift], entity[second + shift]
    subject = np.concatenate([np.minimum(a, b), entity[scan.subject[said] + shift]])
    object_ = np.concatenate([np.maximum(a, b), entity[scan.object[said] + shift]])
    predicate = np.concatenate([np.full(first.size, stated[-1]), stated[said]]).astype(np.int64)
    said_by = np.concatenate([second, scan.object[said]])
    kept = (subject != object_) & rows.counted[said_by + shift]
    subject, object_, predicate, said_by = (
        column[kept] for column in (subject, object_, predicate, said_by)
    )
    once, _ = grouped(scan.sentence[said_by], subject, object_, predicate)
    keys = [column[once] for column in (scan.passage[said_by], subject, object_, predicate)]
    row, count = grouped(*keys)
    passage, subject, object_, predicate = (key[row] for key in keys)
    return subject, predicate, object_, passage, count


def link_table(
    scan: Scan, titles: Titles, document: Ints, linked: Sequence[tuple[int, int, int, int]]
) -> pa.Table:
    """Links of the schema ``LINKS``, none of a document to itself.

    Parameters
    ----------
    document : (p,) document of every passage
    linked : passage, document, start and end of links that a format marks
    """
    bearers = np.diff(titles.indptr)[scan.hit_title]
    bearers = np.where(bearers <= _MOST_BEARERS, bearers, 0)
    hit = np.repeat(np.arange(bearers.size), bearers)
    nth = np.arange(hit.size) - np.repeat(np.cumsum(bearers) - bearers, bearers)
    target = titles.documents[titles.indptr[scan.hit_title[hit]] + nth]
    marked = np.array(linked, np.int64).reshape(-1, 4)
    passage = np.concatenate([scan.hit_passage[hit], marked[:, 0]])
    target = np.concatenate([target, marked[:, 1]])
    start = np.concatenate([scan.hit_start[hit], marked[:, 2]])
    stop = np.concatenate([scan.hit_stop[hit], marked[:, 3]])
    kind = np.repeat([0, 1], [hit.size, len(marked)])
    kept = np.flatnonzero(document[passage] != target)
    first, count = grouped(passage[kept], target[kept], kind[kept])
    row = kept[first]
    names = np.array(["title", "link"], object)[kind[row]]
    return tables.table(
        [passage[row], target[row], names, start[row], stop[row], count], tables.LINKS
    )
