"""Graphs that are hard on shared-neighbour discovery: few tags on many items, and many twins.

Each is undirected and simple: ``indptr`` int64, ``indices`` int32, rows sorted.
"""

from __future__ import annotations

import numpy as np

from bench.machine import SEED
from bench.rmat import Ints, symmetric


def tagged(items: int, tags: int, per_item: int = 4, exponent: float = 0.8) -> tuple[Ints, Ints]:
    """CSR of items joined to tags, which are drawn with probability ∝ rank^−exponent.

    Two million items and 200,000 tags have the size of memgraph/mage issue 675.  An item that draws
    a tag twice is joined to it once.
    """
    rng = np.random.default_rng(SEED)
    chance = np.arange(1, tags + 1) ** -exponent
    drawn = rng.choice(tags, size=items * per_item, p=chance / chance.sum())
    return symmetric(np.repeat(np.arange(items), per_item), drawn + items)


def twin_storm(nodes: int, twins: int, others: int, hubs: int = 6) -> tuple[Ints, Ints]:
    """CSR where the first nodes share hubs, the last nodes: there are few ways to choose them.

    Parameters
    ----------
    nodes : all nodes, hubs included
    twins : nodes that are joined to 2 to 5 distinct hubs
    others : edges drawn at random among the nodes in between
    """
    rng = np.random.default_rng(SEED)
    chosen = [
        rng.choice(hubs, size=rng.integers(2, 6), replace=False) + nodes - hubs
        for _twin in range(twins)
    ]
    source, target = rng.integers(twins, nodes - hubs, size=(2, others))
    twin = np.repeat(np.arange(twins), [hub.size for hub in chosen])
    return symmetric(np.concatenate((twin, source)), np.concatenate((*chosen, target)))
