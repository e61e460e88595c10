"""Documents that are related: one says the title of the other, or they share tags.

The rules and their weights are those of Synaptic Memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from hebbgraph.edgelist import UNDATED
from hebbgraph.ingest.extraction import grouped
from hebbgraph.ingest.text_graph import Edges

RELATIONS: Final = ("depends_on", "learned_from", "related")
BY_TITLE: Final = {"depends_on": 0.6, "learned_from": 0.7, "related": 0.8}
BY_TAGS: Final = 0.5
LEARNED_FROM: Final = ("outcome", "decision", "tool_call")
"""Kinds of document that a lesson is learned from."""
SHORTEST: Final = 4
"""Characters of a title that counts."""
MOST: Final = 5
"""Related documents that each names."""
_TAGS: Final = 12  # of one document that are compared, the rarest

Ints = npt.NDArray[np.int64]


def related(
    links: tuple[Ints, Ints],
    titles: Sequence[str],
    kinds: Sequence[str],
    tags: Sequence[Sequence[str]],
) -> Edges:
    """Edges from each document to at most five others.

    A document that says the title of another, of four characters or more, is ``related`` to it by
    0.8; a lesson is ``learned_from`` an outcome, a decision or a tool call by 0.7; a rule
    ``depends_on`` a concept by 0.6.  Two that share two tags are ``related`` by 0.5, once a pair,
    unless a title joins them.  The strongest come first; of equals those said more often or with
    more tags in common, then the first.

    Parameters
    ----------
    links : (m,) documents that say a title, and those whose title it is
    titles, kinds, tags : of each document

    Returns
    -------
    by source and target, which are rows of documents; evidence is how many passages say the title,
    or how many tags are shared
    """
    n = len(titles)
    source, target = (np.asarray(one, np.int64) for one in links)
    long = np.array([len(title) >= SHORTEST for title in titles], np.bool_)
    said = (source != target) & long[target] if n else np.zeros(0, np.bool_)
    source, target = source[said], target[said]
    first, evidence = grouped(source, target)
    source, target = source[first], target[first]
    relation = _relations(source, target, np.array(kinds, np.str_))
    weight = np.array([BY_TITLE[name] for name in RELATIONS])[relation]
    one, other, shared = sharing(tags)
    joined = np.isin(one * n + other, np.concatenate([source * n + target, target * n + source]))
    one, other, shared = one[~joined], other[~joined], shared[~joined]
    plain = RELATIONS.index("related")
    # Each end of a pair may name it; it is stated once, by the smaller.
    ends = np.concatenate([source, one, other]), np.concatenate([target, other, one])
    evidence = np.concatenate([evidence, shared, shared])
    weight = np.concatenate([weight, np.full(2 * one.size, BY_TAGS)])
    relation = np.concatenate([relation, np.full(2 * one.size, plain)])
    kept = _best(ends[0], ends[1], weight, evidence)
    by_tags = kept >= source.size
    begin = np.where(by_tags, np.minimum(ends[0][kept], ends[1][kept]), ends[0][kept])
    end = np.where(by_tags, np.maximum(ends[0][kept], ends[1][kept]), ends[1][kept])
    place, _ = grouped(begin, end)
    row = kept[place]
    return Edges(
        source=begin[place], target=end[place], relation=relation[row].astype(np.int32),
        names=RELATIONS, evidence=evidence[row], weight=weight[row].astype(np.float32),
        time=np.full(row.size, UNDATED), more={},
    )  # fmt: skip


def _relations(source: Ints, target: Ints, kinds: npt.NDArray[np.str_]) -> Ints:
    out = np.full(source.size, RELATIONS.index("related"))
    if source.size:
        lesson = (kinds[source] == "lesson") & np.isin(kinds[target], LEARNED_FROM)
        rule = (kinds[source] == "rule") & (kinds[target] == "concept")
        out[lesson] = RELATIONS.index("learned_from")
        out[rule] = RELATIONS.index("depends_on")
    return out


def _best(source: Ints, target: Ints, weight: npt.NDArray[np.float64], evidence: Ints) -> Ints:
    """Rows of the five best of each source."""
    order = np.lexsort((target, -evidence, -weight, source))
    begin = np.searchsorted(source[order], source[order])
    kept: Ints = np.sort(order[np.arange(order.size) - begin < MOST])
    return kept


def sharing(tags: Sequence[Sequence[str]]) -> tuple[Ints, Ints, Ints]:
    """Pairs of documents that share two tags, and how many they share.

    Of more than six documents with the same two tags each is compared with the next five, and of
    more than twelve tags of a document the rarest count.

    Returns
    -------
    (m,) int64 each, the first below the second, in their order
    """
    held = Counter(tag for own in tags for tag in set(own))
    number = {tag: at for at, tag in enumerate(sorted(tag for tag, n in held.items() if n > 1))}
    rows: list[list[int]] = []
    for own in tags:
        known = sorted({tag for tag in own if tag in number}, key=lambda tag: (held[tag], tag))
        rows.append(sorted(number[tag] for tag in known[:_TAGS]))
    two = [(a * len(number) + b, row) for row, own in enumerate(rows)
           for at, a in enumerate(own) for b in own[at + 1 :]]  # fmt: skip
    keys, document = np.array(sorted(two), np.int64).reshape(-1, 2).T
    near = []
    for step in range(1, min(MOST, keys.size - 1) + 1):
        same = np.flatnonzero(keys[:-step] == keys[step:])
        near.append((document[same], document[same + step]))
    none = np.zeros(0, np.int64)
    one = np.concatenate([none, *(a for a, _ in near)])
    other = np.concatenate([none, *(b for _, b in near)])
    first, _ = grouped(one, other)
    one, other = one[first], other[first]
    sets = [set(own) for own in rows]
    shared = [len(sets[a] & sets[b]) for a, b in zip(one.tolist(), other.tolist(), strict=True)]
    return one, other, np.array(shared, np.int64)
