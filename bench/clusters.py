"""Community detection by the libraries that could do it: quality, time, determinism.

Every library is given the same symmetric weighted matrix.  Modularity and the adjusted Rand index
are worked out here, alike for all.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from bench import machine
from bench.cluster_peers import METHODS, Method
from bench.machine import SEED, figure
from bench.rmat import Ints

SEEDS = range(5)
SMALL = 250_000
TOO_SLOW = "leidenalg Leiden"
"""Takes minutes on all but the small graphs."""


def planted(
    groups: int, size: int, inside: float, outside: float, *, heavy: float = 1.0
) -> tuple[Any, Ints]:
    """A planted partition: mean degrees inside and outside, and how much heavier inside edges are.

    Returns a symmetric CSR and the planted labels.
    """
    rng = np.random.default_rng(SEED)
    n = groups * size
    label = np.repeat(np.arange(groups), size)
    within = round(n * inside / 2)
    first = rng.integers(0, n, within)
    second = first // size * size + rng.integers(0, size, within)
    far = rng.integers(0, n, (2, round(n * outside / 2)))
    source, target = np.concatenate((first, far[0])), np.concatenate((second, far[1]))
    order = rng.permutation(n)
    weight = np.where(label[source] == label[target], heavy, 1.0) * rng.uniform(
        0.5, 1.5, source.size
    )
    truth = np.empty(n, np.int64)
    truth[order] = label
    return symmetric(order[source], order[target], weight, n), truth


def symmetric(source: Ints, target: Ints, weight: npt.NDArray[Any], n: int) -> Any:
    """Undirected simple CSR, float64, sorted."""
    from scipy.sparse import csr_array

    kept = source != target
    half = csr_array((weight[kept], (source[kept], target[kept])), shape=(n, n))
    whole = csr_array(half + half.T, dtype=np.float64)
    whole.sort_indices()
    return whole


def modularity(matrix: Any, label: Ints) -> float:
    """Newman's, weighted."""
    entries = matrix.tocoo()
    source, target = entries.coords
    total = entries.data.sum()
    inside = entries.data[label[source] == label[target]].sum() / total
    share = np.bincount(label, matrix.sum(axis=1)) / total
    return float(inside - (share**2).sum())


def adjusted_rand(one: Ints, other: Ints) -> float:
    """Hubert and Arabie (1985)."""
    from scipy.sparse import coo_array

    cells = coo_array((np.ones(one.size), (one, other))).tocsr().data

    def pairs(counts: npt.NDArray[Any]) -> float:
        return float((counts * (counts - 1) / 2).sum())

    both, first, second = pairs(cells), pairs(np.bincount(one)), pairs(np.bincount(other))
    chance = first * second / pairs(np.array([one.size]))
    return (both - chance) / ((first + second) / 2 - chance)


def real(name: str) -> tuple[Any, Ints | None] | None:
    """A data set, its direction dropped, with labels where it has them."""
    from bench.holdout import read

    found = read(name)
    if found is None:
        return None
    n, edges = found
    return symmetric(edges[:, 0], edges[:, 1], np.ones(len(edges)), n), None


def debian() -> tuple[Any, Ints | None] | None:
    """Packages of Debian by their dependencies."""
    path = machine.DATA / "debian-deps" / "deps.tsv"
    if not path.exists():
        return None
    rows = [line.split("\t")[:2] for line in path.read_text("utf-8").splitlines()[1:]]
    _, key = np.unique(np.array(rows), return_inverse=True)
    source, target = key.reshape(-1, 2).T
    n = int(key.max()) + 1
    return symmetric(source, target, np.ones(source.size), n), None


def run(title: str, matrix: Any, truth: Ints | None) -> None:
    rows = []
    for name, (make, _, _) in METHODS.items():
        if name == TOO_SLOW and matrix.nnz > SMALL:
            continue
        method = make(matrix)
        first = machine.measure({name: lambda m=method: m(SEED)}, repeats=0)[name]
        timed = [timed_run(method, seed) for seed in SEEDS]
        labels = [label for label, _, _ in timed]
        same = [np.array_equal(labels[0], again) for again in (first.result, method(SEED))]
        between = [adjusted_rand(labels[0], other) for other in labels[1:]]
        found = [adjusted_rand(each, truth) for each in labels] if truth is not None else []
        rows.append(
            (name, figure(statistics.median(wall for _, wall, _ in timed)),
             figure(statistics.median(cpu for _, _, cpu in timed)), figure(first.peak_mib or 0),
             f"{statistics.mean(modularity(matrix, each) for each in labels):.4f}",
             f"{statistics.mean(found):.3f}" if found else "–",
             f"{statistics.mean(between):.3f}", "yes" if all(same) else "no",
             f"{int(labels[0].max()) + 1:,}")
        )  # fmt: skip
    n, entries = matrix.shape[0], matrix.nnz // 2
    print(f"**{title}**: {n:,} nodes, {entries:,} edges\n")
    machine.table(
        ("", "wall s", "CPU s", "MiB", "modularity", "Rand to planted", "Rand between seeds",
         "same again", "communities"),
        rows,
    )  # fmt: skip


def timed_run(method: Method, seed: int) -> tuple[Ints, float, float]:
    """Labels, wall seconds, and seconds of all threads."""
    wall, cpu = time.perf_counter(), time.process_time()
    label = method(seed)
    return label, time.perf_counter() - wall, time.process_time() - cpu


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.clusters")
    parser.add_argument("--small", action="store_true", help="leave the million edges out")
    small = parser.parse_args().small
    libraries = sorted({library for _, library, _ in METHODS.values()})
    machine.heading(
        "Communities", *libraries, "networkx", "scipy",
        warm_up="one warm-up, then five seeds: medians of time, means of the rest; on a busy "
        "machine trust CPU seconds",
    )  # fmt: skip
    shapes = [
        ("planted, clear", *planted(200, 50, 16, 8)),
        ("planted, unclear", *planted(200, 50, 12, 14)),
        ("planted in the weights", *planted(200, 50, 8, 16, heavy=5)),
    ]
    for name in ("ca-CondMat", "soc-slashdot0902", "debian-deps"):
        found = debian() if name == "debian-deps" else real(name)
        if found is not None:
            shapes.append((name, *found))
    if not small:
        shapes.append(("planted, large", *planted(2000, 50, 12, 8)))
    for shape in shapes:
        run(*shape)
    return 0


if __name__ == "__main__":
    sys.exit(main())
