"""What an intent adds to the documents found, and the order in which it tells them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hebbgraph.errors import ParameterError
from hebbgraph.retrieval.intents import CHAIN, Step

Edge = tuple[int, int, str, float]
"""Source, target, relation, weight."""


@dataclass(frozen=True)
class Reached:
    """How a document came by its score.

    Attributes
    ----------
    score : its own, or what the document it was reached from handed on
    origin : that document; None where the score is its own
    relation : of the edge between the two
    """

    score: float
    origin: int | None = None
    relation: str = ""


def expanded(
    scores: Mapping[int, float],
    kinds: Sequence[str],
    edges_at: Callable[[Sequence[int]], Sequence[Edge]],
    steps: Sequence[Step],
    *,
    rounds: int = 1,
) -> dict[int, Reached]:
    """Scores of documents found and of what an intent's steps add to them.

    Inhibitory edges lead nowhere, and nothing is handed on above the score it comes from.

    Parameters
    ----------
    scores : by document found, ≥ 0
    kinds : of all documents
    edges_at : the edges at some documents, in either direction
    steps : of ``EXPANSIONS``
    rounds : how often they are taken, each time from all that is reached

    Returns
    -------
    by document; of several ways to one the highest counts, of equals the first

    Raises
    ------
    ParameterError
        a document lies outside ``kinds``
    """
    out = {document: Reached(score) for document, score in scores.items()}
    for _ in range(rounds if steps else 0):
        before = {document: one.score for document, one in out.items()}
        for source, target, relation, weight in edges_at(list(before)):
            if not (0 <= source < len(kinds) and 0 <= target < len(kinds)):
                raise ParameterError(
                    f"edges: expected documents below {len(kinds)}, got {source}, {target}"
                )
            for step in steps if weight > 0 else ():
                here, there = (target, source) if step.backward else (source, target)
                if here not in before or (step.kind and kinds[here] != step.kind):
                    continue
                if step.relation and relation != step.relation:
                    continue
                share = min(step.factor * weight, 1.0) if step.weighted else step.factor
                score = before[here] * share
                if score > 0 and (there not in out or score > out[there].score):
                    out[there] = Reached(score, here, relation)
    return out


def chained(
    documents: Sequence[int], kinds: Sequence[str], edges: Sequence[Edge], steps: Sequence[Step]
) -> list[int]:
    """Places of hits, so that each chain of reasoning is told from its decision to its lesson.

    A chain are the documents of kinds in ``CHAIN`` that edges of the steps' relations join.  It
    stands where its best hit stands, and holds all its hits: decisions, outcomes, lessons, each
    kind as it was.  Other hits stay where they are.

    Parameters
    ----------
    documents : of the hits, best first
    edges : at them
    """
    told = {step.relation for step in steps}
    joined = {one: one for one in documents}

    def head(one: int) -> int:
        while joined[one] != one:
            one = joined[one]
        return one

    chains = set()
    for source, target, relation, weight in edges:
        ends = (source, target)
        if (
            relation in told
            and weight > 0
            and all(one in joined and kinds[one] in CHAIN for one in ends)
        ):
            joined[head(source)] = head(target)
            chains |= {source, target}
    place: dict[int, int] = {}
    for at, one in enumerate(documents):
        place.setdefault(head(one), at)

    def key(at: int) -> tuple[int, int, int]:
        one = documents[at]
        return (place[head(one)], CHAIN[kinds[one]], at) if one in chains else (at, 0, at)

    return sorted(range(len(documents)), key=key)
