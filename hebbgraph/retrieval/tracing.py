"""The path by which activation reached a passage: at every passage, the way that brought most."""

from __future__ import annotations

import numpy as np

from hebbgraph.retrieval.corpus import Corpus
from hebbgraph.retrieval.hits import Step
from hebbgraph.retrieval.relevance import Floats, Relevance, Weights, best_passages, rarity


def path_to(corpus: Corpus, found: Relevance, row: int, weights: Weights) -> tuple[Step, ...]:
    """Steps from the query to a passage; empty where nothing led to it.

    Parameters
    ----------
    found, weights : of one query
    """
    before = _strongest(corpus, found, row, weights)
    amount, kind, via, origin = before
    if amount <= 0:
        return ()
    here = Step(kind, via, corpus.passage_ids[row])
    if origin is None:
        return (here,)
    own = _by_query(corpus, found, origin, weights)
    head = Step(own[1], own[2], corpus.passage_ids[origin])
    return (head, here)


def _strongest(
    corpus: Corpus, found: Relevance, row: int, weights: Weights
) -> tuple[float, str, str, int | None]:
    best: tuple[float, str, str, int | None] = (*_by_query(corpus, found, row, weights), None)
    start: Floats = found.direct + found.named
    document = int(corpus.document[row])
    title = corpus.titles[document] or corpus.document_ids[document]
    chosen = int(best_passages(corpus, np.array([document]), found.direct)[0]) == row
    share = weights.links / float(np.log(2 + corpus.told[document]))
    for seed in found.seeds.tolist():
        linked, strength = corpus.links.of(seed)
        at = int(np.searchsorted(linked, document))
        if chosen and at < linked.size and linked[at] == document:
            amount = share * float(start[seed] * strength[at])
            best = max(best, (amount, "link", title, seed), key=lambda one: one[0])
        near, strength = corpus.associations.of(seed)
        at = int(np.searchsorted(near, row))
        if at < near.size and near[at] == row:
            amount = weights.associations * float(start[seed] * strength[at])
            best = max(best, (amount, "association", "", seed), key=lambda one: one[0])
    said = {int(one) for _, own in found.entities for one in own}
    held, strength = corpus.mentions.of(row)
    for center in found.centers.tolist() if weights.topics else ():
        if center == row:
            continue
        shared, here, there = np.intersect1d(
            held, corpus.mentions.of(center)[0], assume_unique=True, return_indices=True
        )
        for entity, a, b in zip(shared.tolist(), here.tolist(), there.tolist(), strict=True):
            if entity in said:
                continue
            amount = weights.topics * float(start[center] * found.direct[row])
            amount *= float(strength[a] * corpus.mentions.of(center)[1][b])
            amount *= rarity(corpus.mentioned_in.of(entity)[0].size)
            name = corpus.entity_names[entity]
            best = max(best, (amount, "topic", name, center), key=lambda one: one[0])
    return best


def _by_query(
    corpus: Corpus, found: Relevance, row: int, weights: Weights
) -> tuple[float, str, str]:
    """The way straight from the query that counts most: amount, kind, name."""
    best = (float(found.direct[row]), "words", "")
    document = int(corpus.document[row])
    for name, documents in found.titles:
        if document in documents and found.named[row] > 0:
            best = max(
                best, (weights.titles / documents.size, "title", name), key=lambda one: one[0]
            )
    held = corpus.mentions.of(row)[0]
    for name, entities in found.entities:
        for entity in np.intersect1d(entities, held).tolist():
            amount = rarity(corpus.mentioned_in.of(entity)[0].size) * weights.entities
            best = max(best, (amount / entities.size, "entity", name), key=lambda one: one[0])
    return best
