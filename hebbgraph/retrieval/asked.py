"""What a query asks: its terms, the names it says, and how much of it is names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hebbgraph.retrieval.corpus import Corpus
from hebbgraph.retrieval.naming import name_key
from hebbgraph.retrieval.terms import terms

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """What a query says.

    Attributes
    ----------
    terms : in their order, each once
    titles, entities : names of documents and of entities, and who is called so
    names : share of the query that is names, in [0, 1]: of the rarity of its terms, that of the
        terms of titles and of words with a capital
    """

    terms: tuple[str, ...]
    titles: tuple[tuple[str, Ints], ...]
    entities: tuple[tuple[str, Ints], ...]
    names: float


def asked(corpus: Corpus, query: str) -> Asked:
    """Read a query against a corpus.

    A title that is part of a longer name of an entity that the query says is not said; nor is one
    of a single word that a query with capitals writes in small letters: "the president of …" does
    not ask for a document on presidents.  The first word of a query, and words where all have one,
    say nothing by their capital.
    """
    said = tuple(dict.fromkeys(terms(query)))
    entities = tuple(corpus.entities.said(query))
    words = query.split()
    capitals = [word for word in words[1:] if word != word.lower()]
    telling = capitals if len(capitals) < len(words) - 1 else []
    proper = {part for word in (words[:1] + capitals) for part in name_key(word).split()}
    longer = [f" {name} " for name, _ in entities]
    titles = tuple(
        (name, documents)
        for name, documents in corpus.title_names.said(query)
        if (" " in name or not capitals or name in proper or _without_case(name))
        and not any(f" {name} " in one and one != f" {name} " for one in longer)
    )
    named = {term for name, _ in titles for term in terms(name)}
    named |= {term for word in telling for term in terms(word)}
    rarity = {term: corpus.text.rarity(term) for term in said}
    whole = sum(rarity.values())
    share = sum(rarity[term] for term in said if term in named) / whole if whole else 0.0
    return Asked(terms=said, titles=titles, entities=entities, names=share)


def _without_case(name: str) -> bool:
    return name == name.upper()
