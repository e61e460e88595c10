"""The setting of search, chosen on the queries of one set alone: coordinate ascent on a grid.

What is judged is the mean of recall at 5 and nDCG@10.  From ``START`` every parameter is tried in
turn, in the order of ``GRID``, at each of its values, and takes the best if that is more than
``LEAST`` better: less is what one passage of a few hundred moves, so that what a set cannot tell
stays where it started.  Turns go on until none changes anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from bench import machine
from bench.retrieval_sets import figures

LEAST: Final = 0.001
START: Final[Mapping[str, Any]] = {
    "vectors": 0.5, "titles": 1.0, "entities": 0.3, "spreading": 8.0, "unasked": 0.5,
    "novelty": 0.5, "sharpness": 4.0, "mentions": 1.0, "relations": 0.2, "damping": 0.5, "depth": 3,
}  # fmt: skip
GRID: Final[Mapping[str, Sequence[Any]]] = {
    "sharpness": (2.0, 3.0, 4.0, 6.0, 8.0),
    "spreading": (0.0, 4.0, 8.0, 16.0, 24.0, 32.0),
    "novelty": (0.0, 0.3, 0.5, 0.7, 0.9),
    "unasked": (0.0, 0.25, 0.5, 1.0),
    "mentions": (0.0, 0.25, 0.5, 1.0, 2.0),
    "relations": (0.0, 0.2, 0.5, 1.0),
    "damping": (0.3, 0.5, 0.7, 0.85),
    "depth": (1, 2, 3, 4, 6),
    "titles": (0.0, 0.5, 1.0, 2.0),
    "entities": (0.0, 0.1, 0.2, 0.3, 0.5),
    "vectors": (0.0, 0.1, 0.3, 0.5, 0.7),
}


def worth(case: Any, weights: Any) -> float:
    """Mean of recall at 5 and nDCG@10 over the queries of a set."""
    from bench.retrieval import ranked

    score = figures(ranked(case, weights, range(len(case.queries))), case.queries)
    return (score["recall5"] + score["ndcg"]) / 2


def chosen(case: Any) -> tuple[Any, list[tuple[str, Any, float]]]:
    """The weights that a set chooses, and the parameter, value and worth of every change."""
    from hebbgraph.retrieval.relevance import Weights

    weights = Weights(**START)
    best = worth(case, weights)
    changes: list[tuple[str, Any, float]] = [("start", "", best)]
    changed = True
    while changed:
        changed = False
        for name, values in GRID.items():
            tried = [(worth(case, replace(weights, **{name: value})), value) for value in values]
            most, value = max(tried, key=lambda one: one[0])
            if most > best + LEAST:
                weights, best, changed = replace(weights, **{name: value}), most, True
                changes.append((name, value, most))
    return weights, changes


def main(name: str) -> None:
    """Choose on a set, and print the setting."""
    from bench.retrieval import prepared

    weights, changes = chosen(prepared(name))
    machine.table(
        (name, "", "(R@5 + nDCG@10)/2"),
        [(parameter, str(value), f"{found:.4f}") for parameter, value, found in changes],
    )
    print("The setting:", ", ".join(f"{one}={getattr(weights, one):g}" for one in START))
