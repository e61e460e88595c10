"""Shared-neighbour discovery, beside libraries that multiply A·Aᵀ and a plain accumulator.

A pair qualifies if its ends share enough neighbours, and these are a large enough part of the
smaller neighbourhood (overlap coefficient); joined or not, so that no peer needs a mask.  Every
task starts from the graph in its own form, made outside of its time, and finds each pair once with
its number of shared neighbours.  Ours starts from a plain symmetric CSR; ordering by degree,
relabelling and filters are inside its time, and so is relabelling by degree in the accumulator.
Pairs are consumed block by block; peers must find as many pairs, sharing as much in all.

``pairs``      all pairs on RMAT graphs, beside the peers
``cap``        the three best new partners of every node, against time and memory
``threshold``  time by threshold and by fewest shared, all pairs and the three best, beside the
               accumulator, which has all pairs each time
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from hebbgraph_kernels import measures
from hebbgraph_kernels.best import best_partners
from hebbgraph_kernels.ranking import RESOURCE_ALLOCATION
from hebbgraph_kernels.stream import qualifying_pairs

from bench import discovery_peers as peers
from bench import machine
from bench.discovery_peers import ACCUMULATOR, BY_DEGREE, SCIPY, Answer, Task
from bench.machine import MIB, Measurement, against, figure
from bench.rmat import Ints, rmat, symmetric
from bench.shapes import tagged, twin_storm

MIN_SHARED, THRESHOLD, CAP = 2, 0.6, 3
REPEATS = 5
LIMIT_SECONDS = 60.0
OURS = "hebbgraph"
Graph = tuple[Ints, Ints]
SCALES = (14, 16, 18)
ALL_PEERS_UP_TO = 16
"""Largest RMAT scale at which all peers run unless asked for."""
LIBRARIES = ("numpy", "numba", "scipy", "python-graphblas", "suitesparse-graphblas",
             "sparse_dot_topn")  # fmt: skip

AT_LEAST = {
    16: {SCIPY: 45, "GraphBLAS": 32, "sparse_dot_topn": 28, ACCUMULATOR: 6},
    18: {ACCUMULATOR: 9},
}
"""By RMAT scale, how many times longer than ours a peer is to take."""
AT_MOST = 1.3
"""How many times longer than the accumulator ours may take, whatever the threshold."""
CAPPED = f"the {CAP} best"
THRESHOLDS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
FEWEST_SHARED = (1, 2, 3, 5, 10)

PUBLISHED = 1.2
"""Million edges a second and core: 38.1 on 32 cores, on sk-2005, by Sahu (arXiv 2401.11415)."""


class Shape(NamedTuple):
    """A graph to find the best partners in.

    Attributes
    ----------
    make : the graph
    small : one like it, to compile with
    seconds : target
    mib : target of memory above the graph, None for none; or
    of_csr : the same as a multiple of the CSR's bytes
    """

    make: Callable[[], Graph]
    small: Callable[[], Graph]
    seconds: float
    mib: float | None = None
    of_csr: float | None = None


SHAPES = {
    "RMAT 20": Shape(
        lambda: symmetric(*rmat(20)), lambda: symmetric(*rmat(10)), seconds=15, of_csr=3
    ),
    "2 M items × 4 of 200 k tags": Shape(
        lambda: tagged(2_000_000, 200_000), lambda: tagged(2_000, 200), seconds=5, mib=1.5e9 / MIB
    ),
    "2 M items × 4 of 2 k tags": Shape(
        lambda: tagged(2_000_000, 2_000), lambda: tagged(20_000, 20), seconds=40
    ),
    "twin storm, 40 k of 60 k nodes on 6 hubs": Shape(
        lambda: twin_storm(60_000, 40_000, 60_155), lambda: twin_storm(6_000, 4_000, 6_000),
        seconds=1, mib=5e8 / MIB,
    ),
}  # fmt: skip


def ours(indptr: Ints, indices: Ints) -> Task:
    """``qualifying_pairs``, all of it."""
    allowed = np.ones(indptr.size - 1, bool)

    def task(min_shared: int, threshold: float) -> Answer:
        pairs = total = 0
        for _left, _right, shared, _value, _allocation in qualifying_pairs(
            indptr, indices, allowed=allowed, adjacent=True, measure=measures.OVERLAP,
            min_shared=min_shared, threshold=threshold, shrinkage=0.0,
            pairs_per_block=peers.PAIRS_PER_BLOCK, sums=False,
        ):  # fmt: skip
            pairs += shared.size
            total += int(shared.sum(dtype=np.int64))
        return pairs, total

    return task


def prepared(names: Iterable[str], graph: Graph) -> tuple[dict[str, Task], list[str]]:
    """Tasks of ours and of peers, compiled; and the peers that are not installed."""
    tasks, missing = {OURS: ours(*graph)}, []
    small = symmetric(*rmat(8))
    ours(*small)(MIN_SHARED, THRESHOLD)
    for name in names:
        try:
            peers.PEERS[name](*small)(MIN_SHARED, THRESHOLD)
            tasks[name] = peers.PEERS[name](*graph)
        except ImportError as error:
            missing.append(f"{name} ({error})")
    return tasks, missing


def timed(
    tasks: dict[str, Task], min_shared: int, threshold: float, *, repeats: int = REPEATS
) -> dict[str, Measurement]:
    bound = {name: _bind(task, min_shared, threshold) for name, task in tasks.items()}
    return machine.measure(bound, repeats=repeats, limit=LIMIT_SECONDS)


def _bind(task: Task, min_shared: int, threshold: float) -> Callable[[], Answer]:
    return lambda: task(min_shared, threshold)


def describe(indptr: Ints, indices: Ints) -> str:
    degree = np.diff(indptr)
    return (
        f"{degree.size:,} nodes, {indices.size:,} entries, largest degree {int(degree.max()):,}, "
        f"{int((degree**2).sum() / 1e6):,} M wedges"
    )


def compare(scale: int, every: bool) -> None:
    """All qualifying pairs of an RMAT graph, by ours and peers."""
    graph = symmetric(*rmat(scale))
    names = [*peers.PEERS] if every else [ACCUMULATOR, BY_DEGREE]
    tasks, missing = prepared(names, graph)
    found = timed(tasks, MIN_SHARED, THRESHOLD)
    best = found[OURS]
    rows = []
    for name, one in found.items():
        ratio = one.median / best.median
        least = AT_LEAST.get(scale, {}).get(name)
        target = f"≥ {least}×: {against(least, ratio)}" if least else ""
        answer = "the same" if one.result == best.result else f"**DIFFERS**: {one.result}"
        note = f"one run, over {LIMIT_SECONDS:.0f} s" if one.median > LIMIT_SECONDS else ""
        rows.append((
            name, figure(one.median), one.spread, f"{ratio:.2f}×", target,
            figure(one.peak_mib or 0.0), "; ".join(filter(None, (answer, note))),
        ))  # fmt: skip
    pairs, total = best.result
    print(f"**RMAT {scale}**: {describe(*graph)}; {pairs:,} pairs, which share {total:,}\n")
    header = ("", "median s", "fastest–slowest", "to ours", "target", "peak MiB above graph",
              "pairs and shared")  # fmt: skip
    machine.table(header, rows)
    if missing:
        print(f"Not installed: {', '.join(missing)}\n")


def all_pairs(scales: Iterable[int], every: bool) -> None:
    print(f"### All pairs: shared ≥ {MIN_SHARED}, overlap ≥ {THRESHOLD}\n")
    print("Left out:\n" + "".join(f"- {name}: {why}\n" for name, why in peers.LEFT_OUT.items()))
    for scale in scales:
        compare(scale, every or scale <= ALL_PEERS_UP_TO)


def capped(shapes: dict[str, Shape]) -> None:
    """The best partners of every node of some graphs, by resource allocation."""
    print(f"### The {CAP} best new partners: shared ≥ {MIN_SHARED}, overlap ≥ {THRESHOLD}\n")
    rows = []
    for name, shape in shapes.items():
        _best(*shape.small())
        graph = indptr, indices = shape.make()
        size = (indptr.nbytes + indices.nbytes) / MIB
        most = shape.mib if shape.of_csr is None else shape.of_csr * size
        one = machine.measure({OURS: _bind_best(graph)}, repeats=REPEATS, limit=LIMIT_SECONDS)[OURS]
        peak = one.peak_mib or 0.0
        rate = indices.size / 2e6 / one.median / machine.THREADS
        print(f"- {name}: {describe(indptr, indices)}", flush=True)
        rows.append((
            name, f"{one.result:,}", figure(one.median), one.spread,
            f"< {shape.seconds:g}: {against(one.median, shape.seconds)}",
            figure(peak), f"{peak / size:.2f}×",
            f"< {most:,.0f}: {against(peak, most)}" if most else "",
            f"{rate:.2g}",
        ))  # fmt: skip
    print()
    header = ("", "pairs", "median s", "fastest–slowest", "target s", "peak MiB above graph",
              "of the CSR", "target MiB", "M edges/s/core")  # fmt: skip
    machine.table(header, rows)
    print(
        f"Edges are undirected, half the entries, all of them over the whole time; exact.  "
        f"Published: {PUBLISHED} M edges/s/core (Sahu, arXiv 2401.11415, C++ on 32 cores, its best "
        f"graph), approximate: hubs are left out.\n"
    )


def _best(
    indptr: Ints, indices: Ints, min_shared: int = MIN_SHARED, threshold: float = THRESHOLD
) -> int:
    """Number of pairs in the tables of all nodes."""
    n = indptr.size - 1
    left, *_rest = best_partners(
        indptr, indices, cap=CAP, allowed=np.ones(n, bool), place=np.arange(n),
        measure=measures.OVERLAP, min_shared=min_shared, threshold=threshold, shrinkage=0.0,
        ranking=RESOURCE_ALLOCATION, population=n - 2,
    )  # fmt: skip
    return left.size


def _bind_best(graph: Graph) -> Callable[[], int]:
    return lambda: _best(*graph)


def by_threshold(scale: int) -> None:
    """Ours and the accumulator on one graph, by threshold and by fewest shared neighbours."""
    graph = symmetric(*rmat(scale))
    tasks, _missing = prepared([ACCUMULATOR, BY_DEGREE], graph)
    settings = [(MIN_SHARED, threshold) for threshold in THRESHOLDS]
    _best(*symmetric(*rmat(8)))
    settings += [(fewest, THRESHOLD) for fewest in FEWEST_SHARED if fewest != MIN_SHARED]
    print(f"### Time by threshold: RMAT {scale}, {describe(*graph)}\n")
    tasks[CAPPED] = lambda fewest, threshold: (_best(*graph, fewest, threshold), 0)
    rows: list[tuple[Any, ...]] = []
    ratios: dict[str, dict[str, float]] = {ACCUMULATOR: {}, BY_DEGREE: {}}
    limited: dict[str, float] = {}
    for fewest, threshold in settings:
        found = timed(tasks, fewest, threshold, repeats=3)
        best = found[OURS]
        capped_one = found.pop(CAPPED)
        same = all(one.result == best.result for one in found.values())
        setting = f"shared ≥ {fewest}, overlap ≥ {threshold}"
        row = [fewest, threshold, f"{best.result[0]:,}", figure(best.median)]
        for name, ratio in ratios.items():
            ratio[setting] = best.median / found[name].median
            row += [figure(found[name].median), f"{ratio[setting]:.2f}"]
        limited[setting] = capped_one.median / found[ACCUMULATOR].median
        row += [figure(capped_one.median), f"{limited[setting]:.2f}"]
        rows.append((*row, "the same" if same else "**DIFFERS**"))
    header = ("shared ≥", "overlap ≥", "pairs", "ours s", f"{ACCUMULATOR} s", "ours ÷ it",
              f"{BY_DEGREE} s", "ours ÷ it", f"{CAPPED} s", f"it ÷ {ACCUMULATOR}",
              "pairs and shared")  # fmt: skip
    machine.table(header, rows)
    for name, ratio in ratios.items():
        worst = max(ratio, key=lambda setting: ratio[setting])
        slower = [setting for setting, value in ratio.items() if value > 1]
        print(f"- beside the {name}: at most {ratio[worst]:.2f}× ({worst}), target {AT_MOST}×: "
              f"{against(ratio[worst], AT_MOST)}; pruning does not pay at: "
              f"{'; '.join(slower) or 'none of these'}")  # fmt: skip
    worst = max(limited, key=lambda setting: limited[setting])
    print(f"- {CAPPED}, beside the {ACCUMULATOR}: at most {limited[worst]:.2f}× ({worst}), target "
          f"{AT_MOST}×: {against(limited[worst], AT_MOST)}")  # fmt: skip
    print(flush=True)


def plot(file: str, scales: Iterable[int]) -> None:
    """Seconds against entries for RMAT graphs, both logarithmic."""
    from matplotlib.figure import Figure

    series: dict[str, list[tuple[int, float]]] = {}
    for scale in scales:
        graph = symmetric(*rmat(scale))
        names = [SCIPY] if scale <= ALL_PEERS_UP_TO else []
        tasks, _missing = prepared([ACCUMULATOR, BY_DEGREE, *names], graph)
        for name, one in timed(tasks, MIN_SHARED, THRESHOLD, repeats=3).items():
            series.setdefault(name, []).append((graph[1].size, one.median))
    drawing = Figure(figsize=(7, 5), layout="constrained")
    axes = drawing.subplots()
    for name, points in series.items():
        entries, seconds = zip(*points, strict=True)
        axes.loglog(entries, seconds, marker="o", label=name)
    axes.set(xlabel="entries of A", ylabel="seconds", title="All pairs, RMAT")
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.legend()
    drawing.savefig(file, dpi=150)
    print(f"### Seconds by entries, also in {file}\n")
    header = ("", *(f"{entries:,}" for entries, _seconds in series[OURS]))
    machine.table(header, [(name, *(figure(seconds) for _entries, seconds in points),
                            *[""] * (len(series[OURS]) - len(points)))
                           for name, points in series.items()])  # fmt: skip


def main() -> int:
    import numba

    parser = argparse.ArgumentParser(
        prog="python -m bench.discovery", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parts = ("pairs", "cap", "threshold")
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts, metavar="PART")
    parser.add_argument("--scales", nargs="+", type=int, default=SCALES, metavar="SCALE",
                        help="RMAT scales of `pairs`")  # fmt: skip
    parser.add_argument("--all", action="store_true",
                        help=f"all peers above scale {ALL_PEERS_UP_TO} too")  # fmt: skip
    parser.add_argument("--small", action="store_true", help="small graphs, to see that it works")
    parser.add_argument("--plot", metavar="FILE", help="draw time against entries, nothing else")
    arguments = parser.parse_args()
    numba.set_num_threads(machine.THREADS)
    machine.heading(
        "Shared-neighbour discovery", *LIBRARIES,
        warm_up=f"one warm-up, then {REPEATS} repeats in turn (3 over 10 s, by threshold and in "
        f"the plot; none over {LIMIT_SECONDS:.0f} s), median; SciPy has one thread",
    )  # fmt: skip
    small = arguments.small
    if arguments.plot:
        plot(arguments.plot, range(8, 13) if small else range(12, 19))
        return 0
    if "pairs" in arguments.parts:
        all_pairs([12] if small else arguments.scales, arguments.all)
    if "cap" in arguments.parts:
        like = {
            f"like {name}": shape._replace(make=shape.small, mib=None, of_csr=None)
            for name, shape in SHAPES.items()
        }
        capped(like if small else SHAPES)
    if "threshold" in arguments.parts:
        for scale in (12,) if small else (10, 12, 14, 16):
            by_threshold(scale)
    return 0


if __name__ == "__main__":
    sys.exit(main())
