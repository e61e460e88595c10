"""Edge support A∘(A·Aᵀ), beside three libraries that can count it.

Every task gets the graph in its own form and gives back the shared neighbours of edges.  Ours
starts from a plain symmetric CSR; ordering by degree, relabelling and orientation are inside its
time.  Ours and GraphBLAS count for both entries of an edge, networkit once; ours stands a second
time with each edge once.  Building and edge-indexing the peers' graphs is outside of theirs.
igraph only lists the triangles: making counts of them is not in its time, a lower bound.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench import machine, peers
from bench.rmat import Ints, read_pairs, rmat, symmetric

REPEATS = 5
LIMIT_SECONDS = 60.0
IGRAPH_TRIANGLES = 30_000_000
"""igraph returns a Python tuple a triangle, about 150 bytes each."""

DATA_SETS = {
    "wiki-Vote": ("edges.tsv", (0, 1)),
    "soc-slashdot0902": ("edges.tsv", (0, 1)),
    "kg-fb13": ("train.tsv", (0, 2)),
}
SCALES = (16, 18)
OURS, ONCE = "hebbgraph, every entry", "hebbgraph, each edge once"


def graphs() -> Iterator[tuple[str, Ints, Ints]]:
    """Name and symmetric CSR of every graph that is at hand."""
    for name, (file, columns) in DATA_SETS.items():
        path = machine.DATA / name / file
        if path.exists():
            yield name, *symmetric(*read_pairs(path, columns))
        else:
            print(f"{name}: skipped, its data set is not here\n", flush=True)
    for scale in SCALES:
        yield f"RMAT {scale}", *symmetric(*rmat(scale))


def upper_triangle(indptr: Ints, indices: Ints) -> tuple[Ints, Ints]:
    """CSR of the entries above the diagonal: each undirected edge once."""
    kept = np.repeat(np.arange(indptr.size - 1), np.diff(indptr)) < indices
    return np.concatenate(([0], np.cumsum(kept)))[indptr], indices[kept]


def compare(name: str, indptr: Ints, indices: Ints) -> None:
    from hebbgraph_kernels.support import edge_support

    expected = edge_support(indptr, indices, indptr, indices)
    triangles = int(expected.sum(dtype=np.int64)) // 6
    upper_indptr, upper = upper_triangle(indptr, indices)
    tasks: dict[str, Callable[[], Any]] = {
        OURS: lambda: edge_support(indptr, indices, indptr, indices),
        ONCE: lambda: edge_support(indptr, indices, upper_indptr, upper),
    }
    number = peers.undirected_numbers(indptr, indices)
    checks: dict[str, Callable[[Any], Ints]] = {
        OURS: lambda counts: counts, ONCE: lambda counts: counts[number],
    }  # fmt: skip
    notes = {OURS: "", ONCE: ""}
    for peer, prepare in peers.PEERS.items():
        if peer == "igraph" and triangles > IGRAPH_TRIANGLES:
            notes[peer] = "left out: a Python tuple for each triangle"
            continue
        try:
            tasks[peer], checks[peer] = prepare(indptr, indices)
            notes[peer] = ""
        except ImportError as error:
            notes[peer] = f"left out: {error}"
    found = machine.measure(tasks, repeats=REPEATS, limit=LIMIT_SECONDS)
    ours = found[OURS].median
    rows = []
    for who, note in notes.items():
        if who not in found:
            rows.append((who, "–", "–", "–", "–", note))
            continue
        one = found[who]
        same = np.array_equal(checks[who](one.result), expected)
        if one.median > LIMIT_SECONDS:
            note = f"one run, over {LIMIT_SECONDS:.0f} s"
        peak = "–" if one.peak_mib is None else machine.figure(one.peak_mib)
        answer = "all counts equal" if same else "**COUNTS DIFFER**"
        rows.append((who, machine.figure(one.median), one.spread, f"{one.median / ours:.2f}×",
                     peak, "; ".join(filter(None, (answer, note)))))  # fmt: skip
    print(
        f"**{name}**: {indptr.size - 1:,} nodes, {indices.size:,} entries, "
        f"largest degree {int(np.diff(indptr).max()):,}, {triangles:,} triangles\n"
    )
    header = ("", "median s", "fastest–slowest", "to ours", "peak MiB above graph", "answer")
    machine.table(header, rows)


def main() -> int:
    import numba

    numba.set_num_threads(machine.THREADS)
    machine.heading(
        "Edge support A∘(A·Aᵀ)", "numpy", "numba", "networkit", "igraph", "python-graphblas",
        "suitesparse-graphblas",
        warm_up=f"one warm-up, then {REPEATS} repeats in turn (3 over 10 s), median",
    )  # fmt: skip
    for name, indptr, indices in graphs():
        compare(name, indptr, indices)
    return 0


if __name__ == "__main__":
    sys.exit(main())
