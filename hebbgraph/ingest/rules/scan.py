"""All texts of a corpus, looked at piece by piece, into one set of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hebbgraph.ingest.passages import byte_offsets
from hebbgraph.ingest.rules import relations
from hebbgraph.ingest.rules.acronyms import explained
from hebbgraph.ingest.rules.hashes import Hashes, stretches
from hebbgraph.ingest.rules.kinds import Kind
from hebbgraph.ingest.rules.mentions import evidence_of, mentions_of, runs_at
from hebbgraph.ingest.rules.packed import Packed, pack
from hebbgraph.ingest.rules.tokens import SEPARATOR, Tokens, tokens_of
from hebbgraph.ingest.rules.vocabulary import Flag

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hebbgraph.ingest.passages import Passage
    from hebbgraph.ingest.rules.mentions import Mentions
    from hebbgraph.ingest.rules.titles import Titles
    from hebbgraph.ingest.rules.vocabulary import Vocabulary

_CHUNK: Final = 1 << 20  # characters that are looked at together

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Spans = list[tuple[int, int, int]]


@dataclass(frozen=True)
class Scan:
    """Everything met in the texts, in their order.

    Attributes
    ----------
    passage, start, stop : (m,) int64, row of the passage, and bytes of its document
    kind, form, spelling, last, full : (m,) as of :class:`~hebbgraph.ingest.rules.mentions.Mentions`
    single : (m,) bool, names of one word
    sentence : (m,) int64, ascending
    subject, object : (r,) int64, rows of the mentions that a predicate joins
    predicate : (r,) names
    short, long : (a,) uint64, forms explained by one another
    explained_in : (a,) int64, row of the passage
    hit_passage, hit_start, hit_stop, hit_title : (h,) int64, titles met
    spelled : spelling to how it is written
    """

    passage: Ints
    start: Ints
    stop: Ints
    kind: npt.NDArray[np.int8]
    form: Hashes
    spelling: Hashes
    last: Ints
    full: Bools
    single: Bools
    sentence: Ints
    subject: Ints
    object: Ints
    predicate: npt.NDArray[Any]
    short: Hashes
    long: Hashes
    explained_in: Ints
    hit_passage: Ints
    hit_start: Ints
    hit_stop: Ints
    hit_title: Ints
    spelled: Mapping[int, str]


def scan(
    passages: Sequence[Passage],
    chunks: Sequence[tuple[int, Packed]],
    vocabulary: Vocabulary,
    titles: Titles,
    spans: Mapping[int, Spans],
) -> Scan:
    """Look for mentions in every passage.

    Parameters
    ----------
    passages : the texts
    chunks : their words, see :func:`chunks_of`
    vocabulary : of all of them
    titles : what is looked for besides
    spans : row of a passage to start, end (characters) and kind of what its format marks
    """
    evidence = evidence_of([packed for _, packed in chunks], vocabulary)
    spelled: dict[int, str] = {}
    columns: list[dict[str, Any]] = []
    rows = sentences = 0
    for first, packed in chunks:
        tokens = packed.tokens
        starts = _text_starts(passages, first, tokens)
        marked = [
            (start + int(starts[row - first]), end + int(starts[row - first]), kind)
            for row in range(first, first + starts.size)
            if row in spans
            for start, end, kind in spans[row]
        ]
        short_forms = explained(tokens.text)
        marked += [(begin, end, Kind.TERM) for begin, end, _, _ in short_forms]
        marked += [(begin, end, Kind.NAME) for _, _, begin, end in short_forms]
        nouns = relations.concepts(tokens, vocabulary)
        marked += [(begin, end, Kind.CONCEPT) for _, begin, end in nouns]
        found, hits = mentions_of(tokens, vocabulary, evidence, titles, marked)
        _spell(found, tokens, spelled)
        said = relations.stated(tokens, found, vocabulary.flags)
        is_a = relations.defined(tokens, found, nouns)
        offsets = byte_offsets(tokens.text)
        base = np.array([one.start for one in passages[first : first + starts.size]], np.int64)
        base -= offsets[starts]
        unit = tokens.unit[found.begin]
        short, long, at = _explained_forms(tokens, vocabulary, short_forms)
        columns.append(
            {
                "passage": first + unit.astype(np.int64),
                "start": offsets[found.start] + base[unit],
                "stop": offsets[found.stop] + base[unit],
                "kind": found.kind,
                "form": found.form,
                "spelling": found.spelling,
                "last": found.last,
                "full": found.full,
                "single": _single(found, tokens, vocabulary),
                "sentence": sentences + tokens.sentence[found.begin].astype(np.int64),
                "subject": rows + np.concatenate([said.subject, is_a.subject]),
                "object": rows + np.concatenate([said.object, is_a.object]),
                "predicate": np.array([*said.predicate, *is_a.predicate], object),
                "short": short,
                "long": long,
                "explained_in": first + at,
                "hit_passage": first + hits.unit.astype(np.int64),
                "hit_start": offsets[hits.start] + base[hits.unit],
                "hit_stop": offsets[hits.stop] + base[hits.unit],
                "hit_title": hits.title,
            }
        )
        rows += found.begin.size
        sentences += int(tokens.sentence.max(initial=0)) + 1
    joined = {name: np.concatenate([one.pop(name) for one in columns]) for name in [*columns[0]]}
    return Scan(**joined, spelled=spelled)


def chunks_of(passages: Sequence[Passage], vocabulary: Vocabulary) -> Iterator[tuple[int, Packed]]:
    """Passages by the megabyte: the first of each chunk, and its words; one chunk at least.

    Parameters
    ----------
    vocabulary : grows by the words
    """
    first = size = 0
    for row, passage in enumerate(passages):
        size += len(passage.text)
        if size >= _CHUNK or row == len(passages) - 1:
            texts = [one.text for one in passages[first : row + 1]]
            yield first, pack(texts, tokens_of(texts, vocabulary))
            first, size = row + 1, 0
    if not passages:
        yield 0, pack([""], tokens_of([""], vocabulary))


def _text_starts(passages: Sequence[Passage], first: int, tokens: Tokens) -> Ints:
    """Where each text of a chunk begins, in characters."""
    starts, place, row = [], 0, first
    while place < len(tokens.text) and row < len(passages):
        starts.append(place)
        place += len(passages[row].text) + len(SEPARATOR)
        row += 1
    return np.array(starts, np.int64)


def _spell(found: Mentions, tokens: Tokens, spelled: dict[int, str]) -> None:
    unique, place = np.unique(found.spelling, return_index=True)
    starts, stops = found.start[place].tolist(), found.stop[place].tolist()
    for spelling, start, stop in zip(unique.tolist(), starts, stops, strict=True):
        if spelling not in spelled:
            # A name may go on over the end of a wrapped line.
            spelled[spelling] = " ".join(tokens.text[start:stop].split())


def _single(found: Mentions, tokens: Tokens, vocabulary: Vocabulary) -> Bools:
    """Names of one word that may be short for a longer one; capitals alone are acronyms."""
    upper = (vocabulary.flags[tokens.word[found.begin]] & Flag.UPPER) > 0
    single: Bools = (found.kind == Kind.NAME) & (found.end - found.begin == 1) & ~upper
    return single


def _explained_forms(
    tokens: Tokens, vocabulary: Vocabulary, short_forms: list[tuple[int, int, int, int]]
) -> tuple[Hashes, Hashes, Ints]:
    long, _ = runs_at(tokens, [(begin, end, 0) for begin, end, _, _ in short_forms])
    short, _ = runs_at(tokens, [(begin, end, 0) for _, _, begin, end in short_forms])
    hashes = stretches(vocabulary.normal_ids[tokens.word])
    unit = tokens.unit[short.begin].astype(np.int64)
    return hashes.of(short.begin, short.end), hashes.of(long.begin, long.end), unit
