"""Documents that are related: one says the title of the other or points to it, or they share tags.

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
BY_LINK: Final = {"depends_on": 0.6, "learned_from": 0.7, "related": 0.8}
BY_TAGS: Final = 0.5
LEARNED_FROM: Final = ("outcome", "decision", "tool_call")
"""Kinds of document that a lesson is learned from."""
SHORTEST: Final = 4
"""Characters of a title that counts."""
MOST: Final = 5
"""Related documents that each names."""
_TAGS: Final = 12  # of one document that are compared, the rarest

Ints = npt.NDArray[np.int64]


def related(links: tuple[Ints, Ints], kinds: Sequence[str], tags: Sequence[Sequence[str]]) -> Edges:
    """Edges from each document to at most five others.

    A document that says the title of another or points to it is ``related`` to it by 0.8; a lesson
    is ``learned_from`` an outcome, a decision or a tool call by 0.7; a rule ``depends_on`` one that
    is a concept by 0.6.  Two that share two tags are ``related`` by 0.5, once a pair, unless a link
    joins them.  The strongest come first; of equals those said more often or with more tags in
    common, then the first.

    Parameters
    ----------
    links : (m,) documents that say a title or hold a link, and those that are meant
    kinds, tags : of each document

    Returns
    -------
    by source and target, which are rows of documents; evidence is how many passages say so,
    or how many pairs of tags two share
    """
    n = len(kinds)
    source, target = (np.asarray(one, np.int64) for one in links)
    said = source != target
    source, target = source[said], target[said]
    first, evidence = grouped(source, target)
    source, target = source[first], target[first]
    relation = _relations(source, target, np.array(kinds, np.str_))
    weight = np.array([BY_LINK[name] for name in RELATIONS])[relation]
    one, other, shared = sharing(tags)
    by_link = np.minimum(source, target) * n + np.maximum(source, target)
    joined = np.isin(one * n + other, by_link)
    one, other, shared = one[~joined], other[~joined], shared[~joined]
    plain = RELATIONS.index("related")
    # Each end of a pair may name it; it is stated once, by the smaller.
    ends = np.concatenate([source, one, other]), np.concatenate([target, other, one])
    evidence = np.concatenate([evidence, shared, shared])
    weight = np.concatenate([weight, np.full(2 * one.size, BY_TAGS)])
    relation = np.concatenate([relation, np.full(2 * one.size, plain)])
    kept = _best(n, *ends, weight, evidence)
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


def _best(n: int, source: Ints, target: Ints, weight: npt.NDArray[np.float64], said: Ints) -> Ints:
    """Rows of the five best of each source, of n documents."""
    weaker = np.searchsorted(np.unique(-weight), -weight)
    most = int(said.max(initial=1))
    # One number sorts far quicker than four; it would overflow from some ten million documents on.
    order = np.argsort(((source * 4 + weaker) * most + most - said) * n + target)
    new = np.flatnonzero(np.diff(source[order], prepend=-1))
    place = np.arange(order.size) - np.repeat(new, np.diff(np.append(new, order.size)))
    kept: Ints = np.sort(order[place < MOST])
    return kept


def sharing(tags: Sequence[Sequence[str]]) -> tuple[Ints, Ints, Ints]:
    """Pairs of documents that share two tags, and how many pairs of tags they share.

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
    keys, document = _tag_pairs(rows, len(number))
    near = []
    for step in range(1, min(MOST, keys.size - 1) + 1):
        same = np.flatnonzero(keys[:-step] == keys[step:])
        near.append((document[same], document[same + step]))
    none = np.zeros(0, np.int64)
    one = np.concatenate([none, *(a for a, _ in near)])
    other = np.concatenate([none, *(b for _, b in near)])
    first, common = grouped(one, other)
    return one[first], other[first], common


def _tag_pairs(rows: Sequence[Sequence[int]], size: int) -> tuple[Ints, Ints]:
    """Every two tags of each document as one number, and the document, sorted by both."""
    length = np.array([len(own) for own in rows], np.int64)
    keys, document = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for tags in range(2, length.max(initial=0) + 1):
        same = np.flatnonzero(length == tags)
        held = np.array([rows[row] for row in same.tolist()], np.int64).reshape(-1, tags)
        one, other = np.triu_indices(tags, 1)
        keys.append((held[:, one] * size + held[:, other]).ravel())
        document.append(np.repeat(same, one.size))
    key, row = np.concatenate(keys), np.concatenate(document)
    order = np.lexsort((row, key))
    return key[order], row[order]
