"""The README's own commands run, and print what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "docs" / "forgetting.md"]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)


def _sessions(page: Path) -> list[tuple[str, str]]:
    """Commands after ``$`` with the output that follows them."""
    found = []
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def _masked(text: str) -> list[str]:
    """Lines without what differs from run to run: seconds, clock times, trailing blanks."""
    text = re.sub(r"^seconds +[\d.]+", "seconds *", text, flags=re.M)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?", "*", text)
    return [line.rstrip() for line in text.splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_sessions_print_what_the_page_shows(page, tmp_path):
    bin_folder = str(Path(sys.executable).parent)
    environment = os.environ | {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100",
    }  # fmt: skip
    sessions = _sessions(page)
    assert sessions
    for command, shown in sessions:
        if command.startswith("make "):
            command = "hebbgraph demo"  # what the target runs once it is installed
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        printed, wanted = _masked(done.stdout), _masked(shown)
        if "…" in wanted:
            cut = wanted.index("…")
            printed, wanted = printed[:cut], wanted[:cut]
        assert printed == wanted, command


DOCS = [
    ROOT / "docs" / f"{name}.md"
    for name in (
        "discovery",
        "clusters",
        "providers",
        "ingest",
        "learning",
        "memory",
        "ontology",
        "retrieval",
        "spreading",
    )
]


@pytest.mark.parametrize("page", [*PAGES, *DOCS], ids=lambda page: page.name)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = blocks(page, "python")
    assert found
    space: dict[str, object] = {}
    for block in found:
        exec(compile(block, str(page), "exec"), space)
