"""Twins: nodes with identical neighbourhoods, which one row can stand for."""

from __future__ import annotations

import numpy as np
from numba import prange

from hebbgraph_kernels._jit import njit, parallel_njit

_BUCKETS_PER_NODE = 4


def _words(n: int) -> np.ndarray:
    """A well-mixed 64-bit word for each node (SplitMix64, Steele, Lea and Flood 2014)."""
    word = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: np.ndarray = word ^ (word >> np.uint64(31))
    return mixed


@parallel_njit
def _combined(indptr, indices, words):  # type: ignore[no-untyped-def]
    out = np.zeros(indptr.size - 1, np.uint64)
    for node in prange(indptr.size - 1):
        word = np.uint64(0)
        for entry in range(indptr[node], indptr[node + 1]):
            word ^= words[indices[entry]]
        out[node] = word
    return out


def fingerprints(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """(n,) uint64; twins have the same, others hardly ever."""
    out: np.ndarray = _combined(indptr, indices, _words(indptr.size - 1))
    return out


@njit
def twin_pairs(fingerprint: np.ndarray, counted: np.ndarray) -> int:
    """About how many pairs of twins there are among the nodes that count; never too few."""
    size = 1
    while size < _BUCKETS_PER_NODE * fingerprint.size:
        size *= 2
    held = np.zeros(size, np.int32)
    pairs = 0
    for node in range(fingerprint.size):
        if counted[node]:
            bucket = np.int64(fingerprint[node] & np.uint64(size - 1))
            pairs += held[bucket]
            held[bucket] += 1
    return pairs


@parallel_njit
def same_as_previous(indptr: np.ndarray, indices: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Whether each of ``nodes`` has the neighbourhood of the one before it: (k,) bool."""
    out = np.zeros(nodes.size, np.bool_)
    for k in prange(1, nodes.size):
        begin = indptr[nodes[k]]
        other = indptr[nodes[k - 1]]
        size = indptr[nodes[k] + 1] - begin
        same = size == indptr[nodes[k - 1] + 1] - other
        if same:
            for offset in range(size):
                if indices[begin + offset] != indices[other + offset]:
                    same = False
                    break
        out[k] = same
    return out
