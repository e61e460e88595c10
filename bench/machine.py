"""The machine, and how time and memory are measured on it."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import gc
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DATA = Path(__file__).parents[2] / "shared" / "data"
SEED = 0
THREADS = min(2, os.cpu_count() or 1)
MIB = 1 << 20


@dataclass(frozen=True)
class Measurement:
    """Repeats of one task.

    Attributes
    ----------
    seconds : wall time of every repeat, warm-up left out
    peak_mib : largest resident memory; None where it cannot be told
    result : what the last repeat returned
    """

    seconds: tuple[float, ...]
    peak_mib: float | None
    result: Any = None

    @property
    def median(self) -> float:
        """Median of the repeats, in seconds."""
        return statistics.median(self.seconds)

    @property
    def spread(self) -> str:
        """Fastest to slowest repeat."""
        return f"{min(self.seconds):.3g}–{max(self.seconds):.3g}"


def measure(
    tasks: Mapping[str, Callable[[], Any]],
    *,
    repeats: int = 5,
    limit: float = float("inf"),
    slow: float = 10.0,
) -> dict[str, Measurement]:
    """Run tasks in turn, so that a busy moment of the machine hits all of them alike.

    Each runs once to warm up, which also tells its memory; one that takes longer than ``limit``
    seconds then is not repeated, and its warm-up stands as its only repeat; one over ``slow``
    seconds is repeated three times.
    """
    warm = {name: _warm_up(task) for name, task in tasks.items()}
    runs: dict[str, list[Measurement]] = {name: [] for name in tasks}
    for turn in range(repeats):
        for name, task in tasks.items():
            took = warm[name].median
            if took > limit or (took > slow and turn >= 3):
                continue
            runs[name][-1:] = [dataclasses.replace(one, result=None) for one in runs[name][-1:]]
            runs[name].append(_once(task))
    return {
        name: dataclasses.replace(merged(several), peak_mib=warm[name].peak_mib)
        if several
        else warm[name]
        for name, several in runs.items()
    }


def merged(runs: Sequence[Measurement]) -> Measurement:
    """Repeats of one task as one measurement."""
    peaks = [one.peak_mib for one in runs if one.peak_mib is not None]
    seconds = tuple(second for one in runs for second in one.seconds)
    return Measurement(seconds, max(peaks, default=None), runs[-1].result)


def _once(task: Callable[[], Any]) -> Measurement:
    gc.collect()
    started = time.perf_counter()
    result = task()
    return Measurement((time.perf_counter() - started,), None, result)


def _warm_up(task: Callable[[], Any]) -> Measurement:
    """One run; its memory is what the process grew by at its peak."""
    gc.collect()
    _give_back_free_memory()
    before = _resident_mib("VmRSS") if _reset_peak() else None
    one = _once(task)
    peak = None if before is None else max(_resident_mib("VmHWM") - before, 0.0)
    return dataclasses.replace(one, peak_mib=peak)


def _give_back_free_memory() -> None:
    # Otherwise a task that fits in what an earlier one freed would seem to need nothing.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _reset_peak() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _resident_mib(name: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def resident_peak() -> float:
    """Largest resident memory of this process so far, in MiB; 0 where it cannot be told."""
    return _resident_mib("VmHWM")


def process(*arguments: str) -> Measurement:
    """Run this Python with arguments; time and peak memory of the whole process, and its stdout.

    Keep the calling process small: a child's peak counts from what its parent held.
    """
    command = [sys.executable, *arguments]
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=child_environment()) as child:
        assert child.stdout is not None
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit code {child.returncode}")
    peak = usage.ru_maxrss / (MIB if sys.platform == "darwin" else 1024)
    return Measurement((seconds,), peak, output.decode())


def hebbgraph(*arguments: str) -> Measurement:
    """Run a command of ``hebbgraph`` as a process."""
    start = "from hebbgraph.cli.main import main; main(prog_name='hebbgraph')"
    return process("-c", start, *arguments)


def child_environment() -> dict[str, str]:
    """The environment with the repository on Python's path, installed or not."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "kernels"), os.environ.get("PYTHONPATH", "")])
    return os.environ | {"PYTHONPATH": path.rstrip(os.pathsep)}


def heading(title: str, *libraries: str, warm_up: str) -> None:
    """Print what the figures below it were measured with."""
    versions = ", ".join(f"{name} {_version(name)}" for name in libraries)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(
        f"## {title}\n\n"
        f"- machine: {_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB; "
        f"{platform.system()} {platform.machine()}; load before {load}\n"
        f"- Python {platform.python_version()}, {versions}\n"
        f"- seed {SEED}, {THREADS} threads; {warm_up}\n",
        flush=True,
    )


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a Markdown table and a blank line."""
    print(f"| {' | '.join(header)} |")
    print(f"|{'---|' * len(header)}")
    for row in rows:
        print(f"| {' | '.join(str(cell) for cell in row)} |")
    print(flush=True)


def figure(value: float) -> str:
    """Three digits."""
    return f"{value:.3g}" if value < 100 else f"{value:,.0f}"


def against(value: float, target: float) -> str:
    """Whether a target was met."""
    return "met" if value <= target else f"missed by {value / target:.2f}×"
