"""Bad input gets one line that says what, where and what to do; the store stays as it was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import tree

import hebbgraph
from hebbgraph.cli.main import main

HEAD = "source,target,weight,relation,time\n"

CASES = {
    "empty file": ("", r"edges\.csv: .*empty"),
    "header only": (HEAD, r"edges\.csv: .*(no rows|header)"),
    "missing column": ("a,b\n1,2\n", r"edges\.csv: .*source.*--source"),
    "text weight": (HEAD + "a,b,1,x,\na,c,abc,x,\n", r'edges\.csv line 3: weight "abc" is not a number'),
    "nan weight": (HEAD + "a,b,nan,x,\n", r"edges\.csv line 2: weight nan is not a finite number"),
    "inf weight": (HEAD + "a,b,inf,x,\n", r"edges\.csv line 2: weight inf is not a finite number"),
    "negative weight": (HEAD + "a,b,-1,x,\n", r"edges\.csv line 2: weight -1\.0 is not .* at least 0"),
    "no weight": (HEAD + "a,b,1,x,\na,c,,x,\n", r"edges\.csv line 3: weight"),
    "null source": (HEAD + "a,b,1,x,\n,c,1,x,\n", r"edges\.csv line 3: source is empty"),
    "null target": (HEAD + "a,,1,x,\n", r"edges\.csv line 2: target is empty"),
    "null relation": (HEAD + "a,b,1,x,\nb,c,1,,\n", r"edges\.csv line 3: relation is empty"),
    "one node": (HEAD + "a,a,1,x,\n", r"edges\.csv: expected edges between two nodes, got 1 self-loops"),
    "unicode": (HEAD + "caf\u00e9,b,1,x,\ncafe\u0301,b,1,x,\n", r"edges\.csv line 2.*edges\.csv line 3.*--ids normalize"),
    "blanks": (HEAD + "a b,c,1,x,\na b ,c,1,x,\n", r"edges\.csv line 2.*edges\.csv line 3.*--ids normalize"),
    "naive beside zoned": (HEAD + "a,b,1,x,2024-01-01T00:00:00Z\nb,c,1,x,2024-01-01T00:00:00\n", r"edges\.csv line \d: .*(zone|UTC)"),
    "seconds beside milliseconds": (HEAD + "a,b,1,x,1700000000\nb,c,1,x,1700000000000\n", r"edges\.csv line 3: .*--time-unit"),
    "numbers beside dates": (HEAD + "a,b,1,x,1700000000\nb,c,1,x,2024-01-01\n", r"edges\.csv line \d: time"),
    "no time at all": (HEAD + "a,b,1,x,yesterday\n", r'edges\.csv line 2: time "yesterday"'),
    "ragged row": (HEAD + "a,b,1,x,\na,b\n", r"edges\.csv line 3: .*5.*2"),
    "not UTF-8": (HEAD.encode() + b"a,\xff,1,x,\n", r"edges\.csv line 2: .*UTF-8"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    hebbgraph.Store.create("data.lance", hebbgraph.Graph.from_edges(["p"], ["q"]))
    return tmp_path


def fail(*arguments: str, stdin: bytes | None = None) -> str:
    result = CliRunner().invoke(main, arguments, input=stdin)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert re.fullmatch(r"Error: [^\n]+\n", result.stderr), result.stderr
    return result.stderr


@pytest.mark.parametrize("store", ["data.lance", "new.lance"])
@pytest.mark.parametrize("name", CASES)
def test_bad_edges(folder, name, store):
    content, message = CASES[name]
    path = folder / "edges.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = tree(folder)
    assert re.search(message, fail("import", "edges.csv", store)), name
    assert tree(folder) == before


def test_missing_file_and_missing_store(folder):
    assert "nothing.csv: no such file" in fail("import", "nothing.csv", "new.lance")
    for command in (["plastify"], ["info"], ["history"], ["diff"], ["compact"], ["restore"]):
        arguments = [*command, "nothing.lance", *(["0"] if command == ["restore"] else [])]
        assert "nothing.lance: no such store" in fail(*arguments)
    (folder / "plain").mkdir()
    assert "without either" in fail("plastify", "plain")


def test_unknown_nodes(folder):
    assert 'no node "z" among 2' in fail("explain", "data.lance", "p", "z")
    assert 'no node "z" among 2' in fail("neighbors", "data.lance", "z")


def test_missing_named_column(folder):
    (folder / "edges.csv").write_text("source,target,wt\na,b,1\n")
    message = fail("import", "edges.csv", "new.lance", "--weight", "weigth")
    assert "weigth" in message
    assert "wt" in message


@pytest.mark.parametrize(
    ("content", "first"),
    [
        ("1700000000", "2023-11-14 22:13:20"),
        ("1700000000000", "2023-11-14 22:13:20"),
        ("2023-11-15T07:13:20+09:00", "2023-11-14 22:13:20"),
        ("2023-11-14", "2023-11-14 00:00:00"),
    ],
)
def test_times_of_any_kind_are_read(folder, content, first):
    (folder / "edges.csv").write_text(HEAD + f"a,b,1,x,{content}\n")
    result = CliRunner().invoke(main, ["import", "edges.csv", "t.lance"])
    assert result.exit_code == 0, result.output
    moment = hebbgraph.open("t.lance").graph().to_arrow()["time"][0].as_py()
    assert f"{moment:%Y-%m-%d %H:%M:%S}" == first


def test_what_looks_bad_but_is_fine(folder):
    rows = [
        ("김철수", "🧠"), ("x" * 100_000, "y"), (str(2**40), "007"), ("NA", "null"), ("a,b", 'c"d'),
    ]  # fmt: skip
    text = "source,target\n" + "".join(
        ",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows
    )
    (folder / "edges.csv").write_text(text)
    result = CliRunner().invoke(main, ["import", "edges.csv", "fine.lance"])
    assert result.exit_code == 0, result.output
    graph = hebbgraph.open("fine.lance").graph()
    assert {tuple(map(str, (graph.neighbors(a)))) for a, _ in rows} == {(b,) for _, b in rows}


def test_large_integer_ids(folder):
    (folder / "edges.csv").write_text(f"source,target\n{2**40},{2**62}\n{2**40},7\n")
    CliRunner().invoke(main, ["import", "edges.csv", "big.lance"])
    assert hebbgraph.open("big.lance").graph().neighbors(2**40) == [7, 2**62]


def test_one_edge_learns_nothing_and_says_so(folder):
    result = CliRunner().invoke(main, ["plastify", "data.lance"])
    assert result.exit_code == 0
    assert "nothing new, nothing written" in result.output
