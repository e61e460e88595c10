"""Spreading activation by dense algebra and by walking every path: the engine is held to it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from naive import Edge, Plain


@dataclass
class Dense:
    """Weights between every two nodes, above zero and below it."""

    plus: np.ndarray
    minus: np.ndarray

    @property
    def unit(self) -> float:
        """Mean of the weights above zero; 1 where there are none."""
        return float(self.plus[self.plus > 0].mean()) if (self.plus > 0).any() else 1.0

    @property
    def strength(self) -> np.ndarray:
        """Both signs, in mean weights."""
        return (self.plus.sum(axis=1) + self.minus.sum(axis=1)) / self.unit


def dense(graph: Plain, factors: Mapping[str, float], direction: str = "both") -> Dense:
    n = len(graph.ids)
    plus, minus = np.zeros((n, n)), np.zeros((n, n))
    for edge in graph.edges:
        weight = edge.weight * factors.get(edge.relation, 1.0)
        matrix = plus if weight > 0 else minus
        free = edge.inferred or not graph.directed
        if free or direction != "in":
            matrix[edge.source, edge.target] += abs(weight)
        if free or direction != "out":
            matrix[edge.target, edge.source] += abs(weight)
    return Dense(plus, minus)


def positive(matrix: np.ndarray, seeds: Sequence[float], d: float, depth: int | None) -> np.ndarray:
    """Activation over weights above zero: solved where depth is None, else step by step."""
    strength = matrix.sum(axis=1)
    keep = np.where(strength > 0, 1 - d, 1.0)
    step = d * (matrix / np.where(strength > 0, strength, 1.0)[:, None]).T
    arriving = np.asarray(seeds, np.float64)
    if depth is None:
        return keep * np.linalg.solve(np.eye(len(strength)) - step, arriving)
    total = np.zeros_like(arriving)
    for _ in range(depth + 1):
        total += keep * arriving
        arriving = step @ arriving
    return total


def activation(
    weights: Dense, seeds: Sequence[float], *, damping: float = 0.85, depth: int | None = None
) -> np.ndarray:
    """What the engine approximates, exactly."""
    a = positive(weights.plus, seeds, damping, depth)
    total = weights.plus.sum(axis=1) + weights.minus.sum(axis=1)
    taken = weights.minus.T @ (a / np.where(total > 0, total, 1.0))
    return a - damping * taken


def settled(
    weights: Dense, shares: np.ndarray, estimate: np.ndarray, undelivered: float, best: int,
    *, damping: float, epsilon: float, close: float,
) -> np.ndarray:  # fmt: skip
    """Estimates of push with one exact step for those close to the ``best``-th highest.

    Nothing inhibits; at a node that push did not touch the estimate is 0.
    """
    strength = weights.plus.sum(axis=1)
    touched = [node for node in range(len(strength)) if estimate[node] > 0]
    if not 0 < best < len(touched) or not strength.any():
        return estimate
    level = undelivered / max(sum(strength) - sum(strength[touched]), 1e-300)
    bar = sorted((estimate[node] for node in touched), reverse=True)[best - 1]
    out = estimate.copy()
    spent = 0.0
    for node in sorted(touched, key=lambda node: abs(estimate[node] - bar)):
        spent += strength[node] / weights.unit
        if abs(estimate[node] - bar) > close * bar or spent > 1 / ((1 - damping) * epsilon):
            break
        if strength[node] > 0:
            arriving = sum(
                weights.plus[other, node]
                * (estimate[other] / strength[other] if estimate[other] > 0 else level)
                for other in np.flatnonzero(weights.plus[:, node])
            )
            out[node] = (1 - damping) * shares[node] + damping * arriving
    return out


def strongest(
    weights: Dense, seeds: Sequence[float], node: int, *, damping: float, depth: int | None
) -> float:
    """The most that comes to a node over one simple path; 0 where there is none."""
    strength = weights.plus.sum(axis=1)

    def best(at: int, amount: float, seen: frozenset[int]) -> float:
        if at == node:
            return amount * (1 - damping if strength[at] else 1.0)
        if depth is not None and len(seen) > depth:
            return 0.0
        return max(
            (
                best(other, amount * damping * weights.plus[at, other] / strength[at],
                     seen | {other})
                for other in map(int, np.flatnonzero(weights.plus[at]))
                if other not in seen
            ),
            default=0.0,
        )  # fmt: skip

    return max(
        (best(seed, amount, frozenset((seed,))) for seed, amount in enumerate(seeds) if amount),
        default=0.0,
    )


def along(weights: Dense, seeds: Sequence[float], nodes: Sequence[int], *, damping: float) -> float:
    """What comes over one path."""
    strength = weights.plus.sum(axis=1)
    steps = [damping * weights.plus[u, v] / strength[u] for u, v in itertools.pairwise(nodes)]
    return seeds[nodes[0]] * math.prod(steps) * (1 - damping if strength[nodes[-1]] else 1.0)


def renumbered(graph: Plain, order: Sequence[int]) -> Plain:
    """The same graph with its nodes in another order."""
    place = {node: k for k, node in enumerate(order)}
    edges = [
        Edge(place[edge.source], place[edge.target], edge.relation, edge.weight)
        for edge in graph.edges
    ]
    return Plain([graph.ids[node] for node in order], edges, graph.directed)
