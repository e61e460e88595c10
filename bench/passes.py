"""Whole passes: in memory, from the command line, on the demo graph and on Debian's packages."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import machine
from bench.machine import Measurement, against, figure

NODES, EDGES = 74, 294
REPEATS = 5
HEAVY = ("numpy", "numba", "scipy", "pyarrow", "lance", "lancedb", "rich")
STEPS = str(Path(__file__).with_name("steps.py"))

Row = tuple[str, str, str, str, str, str]


def row(name: str, one: Measurement, target: float, *, scale: float = 1.0) -> Row:
    """A line of the table; ``scale`` 1000 prints milliseconds."""
    unit = "ms" if scale == 1000.0 else "s"
    spread = f"{figure(min(one.seconds) * scale)}–{figure(max(one.seconds) * scale)}"
    peak = "–" if one.peak_mib is None else figure(one.peak_mib)
    return (name, f"{figure(one.median * scale)} {unit}", spread, peak,
            f"< {target * scale:g} {unit}", against(one.median, target))  # fmt: skip


def small_graph() -> Row:
    """One pass over a graph in memory, kernels warm."""
    start = machine.process(STEPS, "small", str(NODES), str(EDGES), "200")
    seconds = tuple(float(value) for value in start.result.split())
    label = f"plastify, {NODES} nodes, {EDGES} edges, in memory"
    return row(label, Measurement(seconds, start.peak_mib), 0.005, scale=1000.0)


def start_up() -> tuple[Row, str]:
    """``hebbgraph --help`` as a process, and what it imports."""
    one = repeated(lambda: machine.hebbgraph("--help"), 10)
    check = (
        "import sys; from hebbgraph.cli.main import main; main(['--help'], standalone_mode=False); "
        "print('modules:', *{name.split('.')[0] for name in sys.modules})"
    )
    said = machine.process("-c", check).result.splitlines()[-1].split()
    heavy = [name for name in HEAVY if name in said]
    note = f"`hebbgraph --help` imports {', '.join(heavy) or 'none'} of {', '.join(HEAVY)}."
    return row("hebbgraph --help, process", one, 0.25), note


def on_copies(store: Path, *arguments: str) -> Measurement:
    """``hebbgraph plastify`` of a fresh copy of a store for each repeat, after one warm-up."""

    def once() -> Measurement:
        copy = store.with_name("copy.lance")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(store, copy)
        return machine.hebbgraph("plastify", str(copy), "--quiet", *arguments)

    return repeated(once, REPEATS)


def repeated(once: Callable[[], Measurement], repeats: int) -> Measurement:
    once()
    return machine.merged([once() for _ in range(repeats)])


def debian(folder: Path) -> list[Row]:
    """Import and pass over the Debian dependency graph."""
    file = machine.DATA / "debian-deps" / "deps.tsv"
    if not file.exists():
        print("debian-deps: skipped, its data set is not here\n", flush=True)
        return []
    store = folder / "debian.lance"

    def bring_in() -> Measurement:
        shutil.rmtree(store, ignore_errors=True)
        return machine.hebbgraph("import", str(file), str(store), "--relation", "field", "-q")

    return [
        row("debian-deps: hebbgraph import, process", repeated(bring_in, REPEATS), 10.0),
        row("debian-deps: hebbgraph plastify, process", on_copies(store), 8.0),
    ]


def main() -> int:
    machine.heading(
        "Whole passes", "numpy", "numba", "pyarrow", "pylance",
        warm_up=f"one warm-up, then {REPEATS} repeats (200 in memory, 10 of --help), median; "
        "kernels compiled and cached, a fresh copy of the store each time",
    )  # fmt: skip
    rows: list[Any] = []
    with tempfile.TemporaryDirectory(prefix="hebbgraph-bench-") as name:
        folder = Path(name)
        rows.append(small_graph())
        line, note = start_up()
        rows.append(line)
        demo = folder / "demo.lance"
        machine.process(STEPS, "demo", str(demo))
        rows.append(row("demo graph: hebbgraph plastify, process", on_copies(demo), 3.0))
        rows += debian(folder)
    header = ("", "median", "fastest–slowest", "peak MiB", "target", "")
    machine.table(header, rows)
    print(f"{note}\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
