"""The path by which activation reached a passage: the one that brought most."""

from __future__ import annotations

import numpy as np

from hebbgraph.retrieval.corpus import Corpus
from hebbgraph.retrieval.hits import Step
from hebbgraph.retrieval.network import Network, rarity
from hebbgraph.retrieval.relevance import Relevance, Weights, best_passages
from hebbgraph.retrieval.ways import strongest


def path_to(corpus: Corpus, found: Relevance, row: int, weights: Weights) -> tuple[Step, ...]:
    """Steps from the query to a passage; empty where nothing led to it.

    Of all ways over the network the one over which most comes, counted as relevance counts it; a
    passage that the query finds by itself with more than that has a path of one step.

    Parameters
    ----------
    found, weights : of one query
    """
    amount, name, via = _by_query(corpus, found, row, weights)
    own = float(found.match[row] + found.named[row])
    here = (Step(name, via, corpus.passage_ids[row]),) if amount > 0 else ()
    network = found.network
    if network is None or found.activation[row] <= 0:
        return here
    document = int(corpus.document[row])
    chosen = int(best_passages(corpus, np.array([document]), found.match)[0]) == row
    best: list[int] = [row]
    for end, counted in ((row, weights.unasked), (network.documents + document, 1.0)):
        way = strongest(found.ways, end) if end == row or chosen else None
        if way is not None:
            rows, came = way
            came *= network.kept(end, weights.damping)
            came *= weights.spreading * (counted + float(found.match[row]))
            own, best = (own + came, best) if rows == [row] else max((own, best), (came, rows))
    if best == [row]:
        return here
    _, name, via = _by_query(corpus, found, best[0], weights)
    return (Step(name, via, corpus.passage_ids[best[0]]), *_steps(corpus, network, best, row))


def _steps(corpus: Corpus, network: Network, rows: list[int], last: int) -> list[Step]:
    """Steps between passages, each over a document, over entities or over nothing between."""
    steps: list[Step] = []
    document, entities = "", list[str]()
    for row in [*rows[1:], *([last] if rows[-1] != last else [])]:
        if row >= network.entities:
            entities.append(corpus.entity_names[row - network.entities])
        elif row >= network.documents:
            number = row - network.documents
            document = corpus.titles[number] or corpus.document_ids[number]
        else:
            kind = "association"
            if document:
                kind = "link"
            elif entities:
                kind = "topic" if len(entities) == 1 else "relation"
            steps.append(Step(kind, document or " – ".join(entities), corpus.passage_ids[row]))
            document, entities = "", []
    return steps


def _by_query(
    corpus: Corpus, found: Relevance, row: int, weights: Weights
) -> tuple[float, str, str]:
    """The way straight from the query that counts most: amount, kind, name."""
    best = (float(found.direct[row]), "words", "")
    if found.named[row] <= 0:
        return best
    document = int(corpus.document[row])
    for name, documents in found.asked.titles:
        if document in documents and weights.titles:
            way = (weights.titles / documents.size, "title", name)
            best = max(best, way, key=lambda one: one[0])
    held = corpus.mentions.of(row)[0]
    for name, entities in found.asked.entities:
        for entity in np.intersect1d(entities, held).tolist():
            amount = float(rarity(corpus.mentioned_in.of(entity)[0].size)) * weights.entities
            way = (amount / entities.size, "entity", name)
            best = max(best, way, key=lambda one: one[0])
    return best
