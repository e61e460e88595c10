"""Graphs and stores that several modules use."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numba
import pytest

import hebbgraph

DATA = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def web() -> hebbgraph.Graph:
    """Two frameworks that share three neighbours, two libraries that share two, and a tail."""
    return hebbgraph.Graph.from_edges(
        ["FastAPI", "FastAPI", "FastAPI", "Django", "Django", "Django", "HTTP", "Python", "Flask"],
        ["Python", "HTTP", "Web", "Python", "HTTP", "Web", "Web", "HTTP", "Python"],
        relation=["uses", "speaks", "serves", "uses", "speaks", "serves", "on", "does", "uses"],
    )


@pytest.fixture
def store(tmp_path: Path, web: hebbgraph.Graph) -> hebbgraph.Store:
    return hebbgraph.Store.create(tmp_path / "data.lance", web)


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Waking a second thread for a dozen nodes costs more than all else in a property test."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    yield
    numba.set_num_threads(before)


@pytest.fixture(scope="session")
def compiled() -> None:
    """A pass has run: drawing a graph that has learned must not look slow to Hypothesis."""
    when = datetime(2025, 6, 1, tzinfo=UTC)
    for options in ({}, {"time": [when] * 3}, {"directed": False}):
        graph = hebbgraph.Graph.from_edges([0, 0, 1], [1, 2, 2], **options)  # type: ignore[arg-type]
        hebbgraph.plastify(graph, now=when)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data sets; tests that use it are skipped where it is absent."""
    if not DATA.is_dir():
        pytest.skip("no shared data sets here")
    return DATA


def tree(path: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes."""
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }
