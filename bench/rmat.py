"""Graphs to measure on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.machine import SEED

Ints = npt.NDArray[Any]
A, B, C = 0.57, 0.19, 0.19
"""Chances of three quadrants; the fourth has the rest."""


def rmat(scale: int, edge_factor: int = 16) -> tuple[Ints, Ints]:
    """Edges of an RMAT graph of 2^scale nodes: sources and targets, int64.

    Chakrabarti, Zhan and Faloutsos (2004).  Self-loops and duplicates are still there.
    """
    rng = np.random.default_rng(SEED)
    rows = edge_factor << scale
    source, target = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    for bit in range(scale):
        draw = rng.random(rows)
        source |= (draw >= A + B).astype(np.int64) << bit
        right = ((draw >= A) & (draw < A + B)) | (draw >= A + B + C)
        target |= right.astype(np.int64) << bit
    return source, target


def directed(source: Ints, target: Ints, n_nodes: int) -> tuple[Ints, Ints]:
    """Sorted by source and target, without self-loops and duplicates."""
    key = np.unique((source * n_nodes + target)[source != target])
    return key // n_nodes, key % n_nodes


def symmetric(source: Ints, target: Ints) -> tuple[Ints, Ints]:
    """CSR of the undirected simple graph: ``indptr`` int64, ``indices`` int32, rows sorted."""
    n_nodes = int(max(source.max(), target.max())) + 1
    rows, columns = directed(
        np.concatenate((source, target)), np.concatenate((target, source)), n_nodes
    )
    indptr = np.zeros(n_nodes + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=n_nodes), out=indptr[1:])
    return indptr, columns.astype(np.int32)


def read_pairs(file: Path, columns: tuple[int, int] = (0, 1)) -> tuple[Ints, Ints]:
    """Two integer columns of a tab-separated file without header."""
    pairs = np.loadtxt(file, np.int64, delimiter="\t", usecols=columns)
    return pairs[:, 0], pairs[:, 1]
