"""A whole pass over a store of 10 M edges, beside Lance reading and writing the same columns.

Both are timed as whole processes, in turn, each on a fresh copy of the store.  The pass does its
counting of shared neighbours on top (phase ``co-occurrence``), which is told apart.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import machine
from bench.machine import Measurement, against, figure
from bench.steps import EDGES, NODES, RMAT_EDGE_FACTOR, RMAT_SCALE

REPEATS = 5
TARGET_RATIO = 3.0
TARGET_MIB = 2.5 * 1024
SUPPORT, COMPETITION = "co-occurrence", "competition"
HERE = Path(__file__).parent
KINDS = {
    "uniform": f"{EDGES:,} edges drawn uniformly over {NODES:,} nodes",
    "skewed": f"RMAT {RMAT_SCALE}, edge factor {RMAT_EDGE_FACTOR}",
}


def fresh(store: Path) -> Path:
    """A copy on disk, settled before the clock starts."""
    copy = store.with_name("copy.lance")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(store, copy)
    os.sync()
    return copy


def plastify(store: Path) -> Measurement:
    copy = str(fresh(store))
    return machine.hebbgraph("plastify", copy, "--no-discover", "--json")


def lance_alone(store: Path, values: Path) -> Measurement:
    script = str(HERE / "lance_alone.py")
    return machine.process(script, str(fresh(store)), str(values))


def inside(runs: Sequence[Measurement], key: str | None = None) -> dict[str, float]:
    """Medians of the seconds that the processes themselves report."""
    told: list[dict[str, Any]] = [json.loads(one.result) for one in runs]
    parts = [one[key] if key else one for one in told]
    return {name: statistics.median(part[name] for part in parts) for name in parts[0]}


def without(runs: Sequence[Measurement], *phases: str) -> float:
    """Median of whole processes less some of their phases."""
    return statistics.median(
        one.median - sum(json.loads(one.result)["seconds"][name] for name in phases) for one in runs
    )


def compare(kind: str, folder: Path) -> None:
    store, values = folder / "data.lance", folder / "values"
    values.mkdir()
    size = machine.process(str(HERE / "steps.py"), "store", kind, str(store)).result.strip()
    warm_up = json.loads(plastify(store).result)
    machine.process(str(HERE / "steps.py"), "values", str(folder / "copy.lance"), str(values))
    lance_alone(store, values)
    ours, lance = [], []
    for _ in range(REPEATS):
        ours.append(plastify(store))
        lance.append(lance_alone(store, values))
    phases, steps = inside(ours, "seconds"), inside(lance)
    whole, alone = machine.merged(ours), machine.merged(lance)
    apart = without(ours, SUPPORT)
    rest = without(ours, SUPPORT, COMPETITION)
    io = steps["read"] + steps["write"]
    print(f"**{kind}**: {KINDS[kind]}: {size}; {warm_up['updated_edges']:,} edges updated\n")
    machine.table(
        ("", "median s", "fastest–slowest", "peak MiB"),
        [
            ("hebbgraph plastify --no-discover, whole process", figure(whole.median),
             whole.spread, figure(whole.peak_mib or 0)),
            ("… without the support kernel", figure(apart), "", ""),
            ("… without it and competition", figure(rest), "", ""),
            *((f"… phase {name}", figure(value), "", "") for name, value in phases.items()),
            ("… outside the phases: start, reading, commit",
             figure(whole.median - sum(phases.values())), "", ""),
            ("Lance alone, whole process", figure(alone.median), alone.spread,
             figure(alone.peak_mib or 0)),
            *((f"… {name}", figure(value), "", "") for name, value in steps.items()),
        ],
    )  # fmt: skip
    machine.table(
        ("target", "measured", ""),
        [
            (f"without the kernel ≤ {TARGET_RATIO:g} × Lance alone, whole processes",
             f"{apart / alone.median:.2f} ×", against(apart, TARGET_RATIO * alone.median)),
            ("without competition too, which Lance has nothing beside",
             f"{rest / alone.median:.2f} ×", against(rest, TARGET_RATIO * alone.median)),
            ("without the kernel, to Lance's reading and writing inside its process",
             f"{apart / io:.2f} ×", against(apart, TARGET_RATIO * io)),
            (f"peak memory ≤ {TARGET_MIB:,.0f} MiB", f"{figure(whole.peak_mib or 0)} MiB",
             against(whole.peak_mib or 0, TARGET_MIB)),
        ],
    )  # fmt: skip


def main() -> int:
    machine.heading(
        "A store of 10 M edges", "numpy", "numba", "pyarrow", "pylance",
        warm_up=f"one warm-up of each, then {REPEATS} repeats in turn on fresh copies, median; "
        "files in the page cache",
    )  # fmt: skip
    for kind in KINDS:
        with tempfile.TemporaryDirectory(prefix="hebbgraph-bench-") as name:
            compare(kind, Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
