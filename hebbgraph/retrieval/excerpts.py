"""A passage cut to the sentences nearest to a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from hebbgraph.ingest.readers.front_matter import front_matter
from hebbgraph.ingest.sentences import sentence_ends
from hebbgraph.retrieval.bm25 import TextIndex
from hebbgraph.retrieval.hits import Hit
from hebbgraph.retrieval.terms import terms

SENTENCES: Final = 2


def excerpt(hit: Hit, query: Mapping[str, float], index: TextIndex) -> Hit:
    """The hit with the two sentences that hold most of the query, in their order.

    Front matter is no sentence.  A term counts by how rare it is; sentences without any of them
    leave the first.
    """
    text = hit.text[front_matter(hit.text)[0] :] or hit.text
    ends = [*sentence_ends(text), len(text)]
    pieces = [
        piece
        for begin, end in zip([0, *ends], ends, strict=False)
        if (piece := text[begin:end].strip())
    ]
    if len(pieces) <= SENTENCES:
        return replace(hit, text=text)
    worth = []
    for piece in pieces:
        held = set(terms(piece)) & set(query)
        worth.append(sum(query[term] * index.rarity(term) for term in held))
    best = np.lexsort((np.arange(len(pieces)), -np.array(worth)))[:SENTENCES]
    kept = sorted(at for at in best.tolist() if worth[at] > 0) or [0]
    return replace(hit, text=" ".join(pieces[at] for at in kept))
