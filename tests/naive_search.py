"""Relevance passage by passage, over dense weights between every two nodes."""

from __future__ import annotations

import math

import naive_spreading
import numpy as np


def rarity(passages):
    return 0.0 if passages < 2 else 1 / math.log(2 + passages) ** 2


def network(found, weights):
    """Weights between passages, documents and entities, above zero and below it."""
    n, d, e = len(found), len(found.document_ids), len(found.entity_names)
    both = np.zeros((n + d + e, n + d + e))

    def rare(entity):
        return rarity(len(found.mentioned_in.of(entity)[0]))

    for row in range(n):
        both[n + found.document[row], row] = 1.0
        for document, weight in zip(*found.links.of(row), strict=True):
            told = sum(document in found.links.of(other)[0] for other in range(n))
            both[row, n + document] = weights.links * weight / math.log(2 + told)
        for entity, weight in zip(*found.mentions.of(row), strict=True):
            both[row, n + d + entity] = weights.mentions * weight * rare(entity)
            both[n + d + entity, row] = weights.mentions * weight * rare(entity)
        for other, weight in zip(*found.associations.of(row), strict=True):
            both[row, other] = weights.associations * weight
    for entity in range(e):
        for other, weight in zip(*found.relations.of(entity), strict=True):
            root = math.sqrt(rare(entity) * rare(other))
            both[n + d + entity, n + d + other] = weights.relations * weight * root
    return naive_spreading.Dense(np.maximum(both, 0), np.maximum(-both, 0))


def best_passage(found, document, score):
    rows = [row for row in range(len(found)) if found.document[row] == document]
    return max(rows, key=lambda row: (score[row], -row)) if rows else None


def relevance(found, said, weights):
    """Match, names and activation of every passage, from the terms and names that a query says."""
    n = len(found)
    worth = {term: found.text.scores({term: 1.0}).tolist() for term in said.terms}
    words = [sum(worth[term][row] for term in said.terms) for row in range(n)]
    most = max(words, default=0)
    direct = [word / most if most else 0.0 for word in words]
    start = list(direct)
    for _, documents in said.titles:
        chosen = [best_passage(found, one, direct) for one in documents.tolist()]
        chosen = [row for row in chosen if row is not None]
        for row in chosen:
            start[row] += weights.titles / len(chosen)
    for _, entities in said.entities:
        for entity in entities.tolist():
            rows = found.mentioned_in.of(entity)[0].tolist()
            for row in rows:
                start[row] += weights.entities * rarity(len(rows)) / len(entities)
    seeds = sorted((row for row in range(n) if start[row] > 0), key=lambda row: (-start[row], row))
    seeds = seeds[: weights.seeds]
    if not seeds:
        return start
    amount = np.zeros(n + len(found.document_ids) + len(found.entity_names))
    for row in seeds:
        amount[row] = start[seeds[0]] * (start[row] / start[seeds[0]]) ** weights.sharpness
    novelty = weights.novelty * min(1.0, said.names / 0.5)
    match = list(direct)
    for term in said.terms:
        share = sum(amount[row] for row in seeds if worth[term][row] > 0) / amount.sum()
        for row in range(n):
            match[row] -= novelty * share * worth[term][row] / most
    match = [max(one, 0.0) for one in match]
    came = naive_spreading.activation(
        network(found, weights), amount, damping=weights.damping, depth=weights.depth
    )
    total = [match[row] + start[row] - direct[row] for row in range(n)]
    for row in range(n):
        total[row] += weights.spreading * came[row] * (weights.unasked + match[row])
    for document in range(len(found.document_ids)):
        row = best_passage(found, document, match)
        if row is not None:
            total[row] += weights.spreading * came[n + document] * (1 + match[row])
    return total
