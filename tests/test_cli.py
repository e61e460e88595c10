"""The command line: output for people, JSON for scripts, exit codes."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner
from conftest import tree

import hebbgraph
from hebbgraph.cli import report
from hebbgraph.cli.main import main
from hebbgraph.interop.export import write_table

EDGES = "source,target,relation\nFastAPI,Python,uses\nFastAPI,HTTP,speaks\nDjango,Python,uses\nDjango,HTTP,speaks\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder; returns its result."""
    monkeypatch.chdir(tmp_path)
    Path("edges.csv").write_text(EDGES)

    def call(*arguments: str, code: int = 0, stdin: str | None = None):
        result = CliRunner().invoke(main, arguments, input=stdin)
        assert result.exit_code == code, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return call


@pytest.fixture
def learned(run):
    run("import", "edges.csv", "data.lance")
    run("plastify", "data.lance")
    return run


def shell(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hebbgraph", *arguments], capture_output=True, text=True, **options
    )


def test_journey(learned):
    assert "FastAPI ↔" not in learned("info", "data.lance").output
    assert "Django" in learned("neighbors", "data.lance", "FastAPI").output
    explained = learned("explain", "data.lance", "Django", "FastAPI").output
    assert "2 shared / min(2, 2) = 1.000" in explained
    assert "functionally_equivalent" in explained
    assert "2 added" in learned("diff", "data.lance").output
    learned("restore", "data.lance", "0")
    assert "back to snapshot 0" in learned("history", "data.lance").output
    assert "snapshots kept" in learned("compact", "data.lance", "--keep", "1").output


@pytest.mark.parametrize(
    "arguments",
    [
        ["import", "edges.csv", "data.lance"],
        ["plastify", "data.lance"],
        ["plastify", "data.lance", "--dry-run"],
        ["info", "data.lance"],
        ["history", "data.lance"],
        ["diff", "data.lance"],
        ["explain", "data.lance", "Django", "FastAPI"],
        ["neighbors", "data.lance", "Django"],
        ["export", "data.lance", "out.parquet"],
        ["compact", "data.lance"],
        ["restore", "data.lance", "0"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_json_is_one_document_and_quiet_is_silent(learned, arguments):
    assert isinstance(json.loads(learned(*arguments, "--json").stdout), dict | list)
    assert learned(*arguments, "--quiet").output == ""


def test_report_has_the_source_documents_keys(run):
    run("import", "edges.csv", "data.lance")
    report = json.loads(run("plastify", "data.lance", "--json").stdout)
    assert report["status"] == "completed"
    assert report["processed_nodes"] == 4
    assert report["new_associations_discovered"] == 2
    assert report["new_associations_avg_confidence"] == 1.0
    assert report["nodes_with_new_associations"] == 4
    assert {"updated_edges", "plasticity_score", "seconds", "weights"} <= set(report)
    assert report["snapshot"] == 1


@pytest.mark.parametrize(
    "suffix", ["csv", "tsv", "jsonl", "parquet", "arrow", "csv.gz", "tsv.zst", "lance"]
)
def test_export_then_import_loses_nothing(learned, suffix):
    learned("import", "-", "data.lance", "--format", "csv", "--time", "t", "--weight", "w",
            stdin="source,target,w,t\nFastAPI,김철수,2.5,2024-01-02T03:04:05.000006Z\n🧠,\"a,\"\"b\",1,\n")  # fmt: skip
    learned("plastify", "data.lance")
    learned("export", "data.lance", f"e.{suffix}", "--nodes", f"n.{suffix}")
    learned("import", f"e.{suffix}", "again.lance", "--nodes", f"n.{suffix}")
    one, two = hebbgraph.open("data.lance").graph(), hebbgraph.open("again.lance").graph()
    rows = [_rows(graph) for graph in (one, two)]
    assert rows[0] == rows[1]
    assert set(one.ids_of(range(one.n_nodes)).to_pylist()) == set(
        two.ids_of(range(two.n_nodes)).to_pylist()
    )
    assert json.loads(learned("plastify", "again.lance", "--json").stdout)["changed"] is False


def _rows(graph):
    rows = graph.to_arrow().to_pylist()
    return sorted(rows, key=lambda row: (row["source"], row["target"], row["relation"]))


def test_export_to_stdout(learned):
    out = learned("export", "data.lance", "-", "--format", "csv").stdout
    rows = list(csv.DictReader(out.splitlines()))
    assert len(rows) == 6
    assert {row["relation"] for row in rows} == {"uses", "speaks", "functionally_equivalent"}


def test_export_leaves_an_older_file_when_it_fails(learned, monkeypatch):
    Path("out.csv").write_text("mine")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(hebbgraph.interop.export.WRITERS, "csv", fail)
    result = learned("export", "data.lance", "out.csv", code=1)
    assert result.stderr == "Error: out.csv: cannot be written (No space left on device)\n"
    assert Path("out.csv").read_text() == "mine"
    assert sorted(path.name for path in Path().iterdir()) == ["data.lance", "edges.csv", "out.csv"]


def test_import_merges_into_a_store(learned):
    Path("more.csv").write_text("source,target,relation\nFlask,Python,uses\nFlask,HTTP,speaks\n")
    output = learned("import", "more.csv", "data.lance").output
    assert "1 new nodes, 2 new edges" in output
    report = json.loads(learned("plastify", "data.lance", "--json").stdout)
    assert report["new_associations_discovered"] == 2


def test_importing_again_says_that_nothing_is_new(learned):
    before = tree(Path("data.lance"))
    assert "nothing new, nothing written" in learned("import", "edges.csv", "data.lance").output
    document = json.loads(learned("import", "edges.csv", "data.lance", "--json").stdout)
    assert (document["changed"], document["new_edges"]) == (False, 0)
    assert tree(Path("data.lance")) == before


def test_import_says_which_columns_it_read(run):
    Path("c.csv").write_text("film,entity,released\na,b,1999\n")
    output = run("import", "c.csv", "d.lance", "--source", "film", "--target", "entity").output
    assert "read source 'film', target 'entity'; ignored 'released'" in output


def test_plastify_says_how_many_edges_are_too_old(run):
    Path("old.csv").write_text("source,target,time\na,b,2001-01-01\nb,c,2001-01-01\na,c,\n")
    run("import", "old.csv", "old.lance")
    assert re.search(r"outside the temporal window +2\b", run("plastify", "old.lance").output)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_an_undirected_store_comes_back_undirected_with_its_metrics(run, suffix):
    run("import", "edges.csv", "u.lance", "--undirected")
    run("plastify", "u.lance")
    run("export", "u.lance", f"e.{suffix}", "--nodes", f"n.{suffix}")
    run("import", f"e.{suffix}", "again.lance", "--nodes", f"n.{suffix}")
    one, two = hebbgraph.open("u.lance").graph(), hebbgraph.open("again.lance").graph()
    assert two.directed is False
    assert two.nodes_to_arrow().equals(one.nodes_to_arrow())


def test_explain_says_why_not(learned):
    Path("more.csv").write_text("source,target\nFlask,Python\n")
    learned("import", "more.csv", "data.lance")
    assert "1 shared, fewer than 2" in learned("explain", "data.lance", "Flask", "Django").output
    assert (
        "expected two different nodes"
        in learned("explain", "data.lance", "Flask", "Flask", code=1).stderr
    )


def test_explain_says_where_a_partner_stands(run):
    """a is like b in all three of its neighbours, like c … n in two."""
    rows = [f"{one},{near}" for one in "ab" for near in "XYZ"]
    rows += [f"{one},{near}" for one in "cdefghijklmn" for near in "XY"]
    Path("many.csv").write_text("\n".join(["source,target", *rows]))
    run("import", "many.csv", "data.lance")
    run("plastify", "data.lance")
    assert "by overlap allocation: 1st of 13 partners of a, 1st of 13 of b" in (
        run("explain", "data.lance", "a", "b").output
    )
    assert "2nd of 13 partners of a, 1st of 13 of c" in (
        run("explain", "data.lance", "a", "c").output
    )
    said = json.loads(run("explain", "data.lance", "c", "n", "--json").output)
    assert said["rank_by"] == "overlap_allocation"
    assert said["source_standing"] == {"position": 13, "partners": 13}  # all alike, n the last id
    joined = run("explain", "data.lance", "a", "X").output
    assert "partner" not in joined
    assert json.loads(run("explain", "data.lance", "a", "X", "--json").output)[
        "source_standing"
    ] is None  # fmt: skip


@pytest.mark.parametrize(
    ("number", "said"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"),
     (21, "21st"), (100, "100th"), (1111, "1,111th"), (1102, "1,102nd")],
)  # fmt: skip
def test_ordinals(number, said):
    assert report._ordinal(number) == said


def test_duplicates_and_self_loops_are_counted(run):
    Path("d.csv").write_text("source,target\na,b\na,b\na,a\nb,c\n")
    output = run("import", "d.csv", "data.lance").output
    assert "duplicates merged: 1" in output
    assert "self loops dropped: 1" in output


def test_nodes_file_and_types(run):
    Path("n.csv").write_text("id,type\nFastAPI,framework\nDjango,framework\nlonely,thing\n")
    run("import", "edges.csv", "data.lance", "--nodes", "n.csv")
    report = json.loads(run("plastify", "data.lance", "--node-type", "framework", "--json").stdout)
    assert report["processed_nodes"] == 5
    assert report["new_associations_discovered"] == 1
    message = run("plastify", "data.lance", "--node-type", "frame", code=1).stderr
    assert "no node is of type 'frame'; there are" in message


def test_exit_code_2_is_wrong_usage(run):
    assert "No such option" in run("plastify", "x", "--nonsense", code=2).output
    assert "Missing argument" in run("import", "edges.csv", code=2).output
    assert "No such command" in run("nonsense", code=2).output


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--learning-rate", "-1", "learning_rate: expected a number in [0, 100], got -1.0"),
        ("--learning-rate", "nan", "learning_rate: expected a number in [0, 100], got nan"),
        ("--competition-rate", "1.5", "competition_rate: expected a number in [0, 1], got 1.5"),
        ("--temporal-window", "0", "temporal_window: expected a number in (0, 3.65e+06], got 0.0"),
        ("--max-weight", "0", "max_weight: expected a number in (0, 1e+06], got 0.0"),
        ("--min-weight", "9", "min_weight: expected a number in [0, 5], got 9.0"),
        ("--similarity-threshold", "2", "similarity_threshold: expected a number in (0, 1], got 2.0"),
        ("--min-shared-neighbors", "0", "min_shared_neighbors: expected a whole number in [1, 2147483647], got 0"),
        ("--confidence-threshold", "7", "confidence_threshold: expected a number in [0, 1], got 7.0"),
        ("--max-new-edges-per-node", "0", "max_new_edges_per_node: expected a whole number in [1, 10000]"),
        ("--max-new-edges-per-node", "x", "max_new_edges_per_node: expected a whole number in [1, 10000] or all"),
        ("--shrinkage", "-1", "shrinkage: expected a number in [0, ∞), got -1.0"),
    ],
)  # fmt: skip
def test_parameters_out_of_range(learned, option, value, message):
    before = tree(Path("data.lance"))
    result = learned("plastify", "data.lance", option, value, code=1)
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert tree(Path("data.lance")) == before


def test_help_is_light():
    """``--help`` must not wait for numerical libraries."""
    script = (
        "import sys\nfrom click.testing import CliRunner\nfrom hebbgraph.cli.main import main\n"
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0\n"
        "heavy = {'numba', 'numpy', 'scipy', 'pyarrow', 'lance', 'lancedb', 'rich', 'ollama'}\n"
        "sys.exit(repr(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_command_and_option_has_help():
    for name, command in main.commands.items():
        assert command.help, name
        for option in command.params:
            if option.param_type_name == "option":
                assert option.help, (name, option.name)


def test_pipes_have_no_colour_and_a_closed_pipe_is_quiet(learned):
    done = shell("info", "data.lance")
    assert done.returncode == 0
    assert "\x1b[" not in done.stdout
    closed = subprocess.run(
        f"{sys.executable} -m hebbgraph export data.lance - --format jsonl | head -1",
        shell=True, capture_output=True, text=True,
    )  # fmt: skip
    assert closed.stdout.startswith("{")
    assert closed.stderr == ""


def test_no_color_on_a_terminal(learned):
    import pty

    controller, terminal = pty.openpty()
    environment = os.environ | {"NO_COLOR": "1", "TERM": "xterm-256color"}
    subprocess.run(
        [sys.executable, "-m", "hebbgraph", "info", "data.lance"],
        stdout=terminal, env=environment, check=True,
    )  # fmt: skip
    os.close(terminal)
    shown = os.read(controller, 65536).decode()
    os.close(controller)
    assert "nodes" in shown
    assert "\x1b[3" not in shown


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion_scripts(run, shell_name):
    assert "_HEBBGRAPH_COMPLETE" in run("completion", shell_name).output
    environment = os.environ | {
        "_HEBBGRAPH_COMPLETE": "bash_complete", "COMP_WORDS": "hebbgraph pl", "COMP_CWORD": "1",
    }  # fmt: skip
    assert "plastify" in shell(env=environment).stdout


def test_demo(run):
    document = json.loads(run("demo", "--json").stdout)
    assert document["report"]["new_associations_discovered"] > 1000
    assert len(document["links"]) == 5
    assert all(link["shared_neighbors"] for link in document["links"])
    graph = hebbgraph.open("demo.lance").graph()
    for name in ("fastapi", "django", "flask", "pydantic", "pytest"):
        assert graph.neighbors(f"python3-{name}")
    assert "Links that nobody wrote down" in run("demo").output
    run("import", "edges.csv", "mine.lance")
    assert "not a demo store" in run("demo", "mine.lance", code=1).stderr


def test_write_table_knows_its_formats(tmp_path):
    with pytest.raises(hebbgraph.errors.InputError, match="got '.xls'"):
        write_table(pa.table({"a": [1]}), tmp_path / "x.xls")


def test_export_writes_through_links_and_pipes(learned):
    Path("real.csv").write_text("old")
    Path("link.csv").symlink_to("real.csv")
    learned("export", "data.lance", "link.csv")
    assert Path("link.csv").is_symlink()
    assert Path("real.csv").read_text().startswith('"source"')
    os.mkfifo("pipe")
    reader = subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE, text=True)
    learned("export", "data.lance", "pipe", "--format", "csv")
    assert reader.communicate(timeout=30)[0].startswith('"source"')
    assert Path("pipe").is_fifo()


def test_export_refuses_one_place_for_two_tables(learned):
    message = learned("export", "data.lance", "x.csv", "--nodes", "x.csv", code=1).stderr
    assert "edges and nodes cannot both go there" in message
    message = learned("export", "data.lance", "-", "--format", "csv", "--json", code=1).stderr
    assert "edges and --json cannot both go to standard output" in message
    assert "got a folder" in learned("export", "data.lance", ".", "--format", "csv", code=1).stderr


def test_brackets_in_paths_are_no_markup(run):
    assert "x[/red]x.lance" in run("import", "edges.csv", "x[/red]x.lance").output
    assert "x[/red]x.lance" in run("plastify", "x[/red]x.lance").output


def test_import_into_an_empty_folder(run):
    Path("empty").mkdir()
    assert "4 new nodes" in run("import", "edges.csv", "empty").output


def test_node_options_go_with_a_node_file(run):
    assert (
        "go with --nodes"
        in run("import", "edges.csv", "d.lance", "--node-type", "t", code=2).output
    )


def test_merged_rows_keep_one_property_whatever_their_order(run):
    found = []
    for rows in ("a,b,1\na,b,2\n", "a,b,2\na,b,1\n"):
        Path("p.csv").write_text("from,to,p\n" + rows)
        store = f"p{len(found)}.lance"
        run("import", "p.csv", store, "--property", "p")
        found.append(hebbgraph.open(store).graph().to_arrow()["properties"].to_pylist())
    assert found[0] == found[1] == ['{"p": 1}']


def test_huge_numbers_are_out_of_range(learned):
    message = learned("plastify", "data.lance", "--min-shared-neighbors", "9" * 20, code=1).stderr
    assert "expected a whole number in [1, 2147483647]" in message


def test_ascii_terminals(learned):
    done = shell(
        "explain", "data.lance", "Django", "FastAPI", env=os.environ | {"PYTHONIOENCODING": "ascii"}
    )
    assert done.returncode == 0
    assert "shared" in done.stdout


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "arrow"])
def test_text_ids_that_look_like_integers_stay_text(run, suffix):
    table = pa.table({"source": ["10", "9", "10"], "target": ["9", "8", "8"]})
    store = hebbgraph.Store.create("t.lance", hebbgraph.Graph.from_arrow(table))
    run("export", "t.lance", f"e.{suffix}", "--nodes", f"n.{suffix}")
    run("import", f"e.{suffix}", "again.lance", "--nodes", f"n.{suffix}")
    again = hebbgraph.open("again.lance").graph()
    assert again.node_ids.equals(store.graph().node_ids)


def test_forgetting_from_the_command_line(run, tmp_path):
    def said(*arguments, **options):
        return run(*arguments, **options).output

    (tmp_path / "e.csv").write_text("from,to\nann,bob\nann,cy\ndan,bob\ndan,cy\n")
    said("import", "e.csv", "s.lance")
    said("plastify", "s.lance")
    store = hebbgraph.open(tmp_path / "s.lance")
    store.record(["ann", "bob"], time="2025-01-01", outcome=1)
    store.plastify()
    assert "0 would be promoted" in said("consolidate", "s.lance", "--dry-run")
    listed = json.loads(said("consolidate", "s.lance", "--json"))
    assert listed["expired"] == ["ann", "bob"]
    assert "2 nodes and" in said("unarchive", "s.lance", "ann", "bob")
    why = json.loads(said("consolidate", "s.lance", "--explain", "ann", "--json"))
    assert (why["tier"], why["missing"]) == (0, "1 of 3 uses")
    assert "would go" in said("forget", "s.lance", "--edge", "ann", "bob", "--dry-run")
    assert "nothing of it" in said("forget", "s.lance", "--source", "x.md")
    assert "1 episodes are gone" in said(
        "forget", "s.lance", "--after", "2025-01-01", "--before", "2025-01-02T00:00Z"
    )
    assert "expected a time" in said("forget", "s.lance", "--after", "noon", code=1)
    assert "2 corrections" in said("correct", "s.lance", "bob", "--right", "cy", "--cue", "ann")
    assert "every byte" in said("forget", "s.lance", "--node", "dan", "--purge")
    assert "forgotten" in said("history", "s.lance")
