"""Documents cut into passages: whole sentences up to a budget of tokens."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.errors import ParameterError
from hebbgraph.ingest.sentences import sentence_ends

if TYPE_CHECKING:
    from hebbgraph.ingest.documents import Document

_FIRST_WHOLE: Final = 0x1100  # Hangul Jamo; every script from here on costs a token a character
_QUARTERS: Final = 4


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document.

    Attributes
    ----------
    document : id of the document
    ordinal : 0, 1, … within it
    start, end : bytes of the document's text in UTF-8; ``text`` is exactly what they hold. In a
        text or Markdown file that is UTF-8 without a mark they are the file's own
    text : without blanks at its ends
    headings : titles of the headings it stands under, from the highest
    source, sha256 : of the document
    """

    document: str
    ordinal: int
    start: int
    end: int
    text: str
    headings: tuple[str, ...]
    source: str
    sha256: str

    @property
    def id(self) -> str:
        """Unique among the passages of distinct documents."""
        return f"{self.document}#{self.ordinal}"


def passages(document: Document, *, max_tokens: int = 256, overlap: int = 0) -> list[Passage]:
    """Cut a document into passages.

    Tokens are estimated without a model: a quarter for each character, one for each of Hangul,
    Kana, Han and all that stands above them in Unicode. A passage holds whole sentences; one that
    is longer than the budget is cut between words, and between characters where there are none.
    A heading begins a passage unless the one before has less than a quarter of its budget.

    Parameters
    ----------
    document : what is cut
    max_tokens : of a passage, ≥ 16
    overlap : tokens of whole sentences that a passage repeats from the one before, at most half of
        `max_tokens`

    Returns
    -------
    passages : in order; together they hold every character that is no blank. None for blank text

    Raises
    ------
    ParameterError
        an option is outside its range

    Examples
    --------
    >>> from hebbgraph.ingest.documents import Document
    >>> text = "One sentence stands here. Another one follows it. And a third one."
    >>> for passage in passages(Document("a", "", text), max_tokens=16):
    ...     print(passage.start, passage.end, passage.text)
    0 49 One sentence stands here. Another one follows it.
    50 66 And a third one.
    """
    check.integer("max_tokens", max_tokens, 16)
    check.integer("overlap", overlap, 0)
    if overlap > max_tokens // 2:
        raise ParameterError(
            f"overlap: expected at most half of max_tokens ({max_tokens // 2}), got {overlap}"
        )
    text = document.text
    offsets = None if text.isascii() else byte_offsets(text)
    budget = max_tokens * _QUARTERS
    if len(text) <= budget // _QUARTERS and not document.headings:
        cuts = [(0, len(text))]
    else:
        cuts = _cuts(document, _costs(text), budget, overlap * _QUARTERS)
    made: list[Passage] = []
    starts = [heading.start for heading in document.headings]
    paths = _paths(document)
    for begin, end in cuts:
        piece = text[begin:end]
        stripped = piece.strip()
        if not stripped:
            continue
        begin += len(piece) - len(piece.lstrip())
        end = begin + len(stripped)
        made.append(
            Passage(
                document.id,
                len(made),
                begin if offsets is None else int(offsets[begin]),
                end if offsets is None else int(offsets[end]),
                stripped,
                paths[bisect.bisect_right(starts, begin)],
                document.source,
                document.sha256,
            )
        )
    return made


def _costs(text: str) -> npt.NDArray[np.int64]:
    """Running sums of quarter tokens over characters: (n + 1,) int64."""
    if text.isascii():
        return np.arange(len(text) + 1)
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    costs = np.zeros(points.size + 1, np.int64)
    np.cumsum(np.where(points >= _FIRST_WHOLE, _QUARTERS, 1), out=costs[1:])
    return costs


def byte_offsets(text: str) -> npt.NDArray[np.int64]:
    """Where every character begins in UTF-8, and the end: (n + 1,) int64."""
    if text.isascii():
        return np.arange(len(text) + 1)
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    offsets = np.zeros(points.size + 1, np.int64)
    sizes = 1 + (points >= 0x80).astype(np.int8) + (points >= 0x800) + (points >= 0x10000)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def _cuts(
    document: Document, costs: npt.NDArray[np.int64], budget: int, overlap: int
) -> list[tuple[int, int]]:
    """Stretches of characters, in order."""
    text = document.text
    heads = np.array([heading.start for heading in document.headings], np.int64)
    ends = sentence_ends(text)
    if heads.size:
        ends = np.union1d(ends, heads[heads > 0])
    ends = _with_cuts_inside(text, ends, costs, budget)
    bounds = np.concatenate([[0], ends])
    spent = costs[bounds]
    is_head = np.isin(bounds, heads)
    places, totals, head_places = bounds.tolist(), spent.tolist(), np.flatnonzero(is_head).tolist()
    cuts: list[tuple[int, int]] = []
    first = 0
    while first < len(places) - 1:
        last = bisect.bisect_right(totals, totals[first] + budget) - 1
        last = max(last, first + 1)
        # The first heading that comes when a quarter of the budget is used ends the passage.
        used = bisect.bisect_left(totals, totals[first] + budget // 4)
        head = bisect.bisect_left(head_places, max(used, first + 1))
        if head < len(head_places) and head_places[head] < last:
            last = head_places[head]
        cuts.append((places[first], places[last]))
        if last == len(places) - 1:
            break
        back = bisect.bisect_left(totals, totals[last] - overlap)
        # What is repeated leaves room for at least one sentence that is new.
        back = max(back, bisect.bisect_left(totals, totals[last + 1] - budget))
        first = last if is_head[last] else min(max(back, first + 1), last)
    return cuts


def _with_cuts_inside(
    text: str, ends: npt.NDArray[np.int64], costs: npt.NDArray[np.int64], budget: int
) -> npt.NDArray[np.int64]:
    """`ends` with more of them inside sentences that are over the budget."""
    begins = np.concatenate([[0], ends[:-1]])
    more: list[int] = []
    for long in np.flatnonzero(costs[ends] - costs[begins] > budget).tolist():
        begin, end = int(begins[long]), int(ends[long])
        while costs[end] - costs[begin] > budget:
            # The most that fits; then back to a blank, if one is near.
            limit = int(np.searchsorted(costs, costs[begin] + budget, side="right")) - 1
            blank = max(text.rfind(" ", begin, limit), text.rfind("\n", begin, limit))
            begin = blank + 1 if blank > (begin + limit) // 2 else limit
            more.append(begin)
    return np.union1d(ends, np.array(more, np.int64)) if more else ends


def _paths(document: Document) -> list[tuple[str, ...]]:
    """Titles in force before the first heading, after the first, and so on."""
    path: list[tuple[int, str]] = []
    paths: list[tuple[str, ...]] = [()]
    for heading in document.headings:
        path = [(level, title) for level, title in path if level < heading.level]
        path.append((heading.level, heading.title))
        paths.append(tuple(title for _, title in path))
    return paths
