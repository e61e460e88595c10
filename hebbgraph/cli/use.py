"""``record``, ``expect`` and ``decay``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hebbgraph.cli.output import emit, output_options, progress

if TYPE_CHECKING:
    from rich.console import Console


@click.command("record")
@click.argument("store")
@click.argument("file")
@output_options
def record_command(store: str, file: str, as_json: bool, quiet: bool) -> None:
    """Note in STORE what was used together; the next pass learns from it.

    FILE is JSON Lines, - is standard input: {"nodes": ["a", "b"], "outcome": 0.5, "time":
    "2025-06-01T12:00Z", "kind": "search", "context": …, "id": "…"}.  Only nodes is required; an
    outcome is in [-1, 1], failure to success; of equal ids the first counts.
    """
    import hebbgraph
    from hebbgraph.interop.episode_lines import read_episodes

    opened = hebbgraph.open(store)
    episodes, where = read_episodes(file)
    with progress(quiet=quiet) as phase:
        phase("recording")
        number = opened.record_many(episodes, where=where)

    def show(console: Console) -> None:
        console.print(f"{number:,} episodes recorded; `hebbgraph plastify {store}` learns from "
                      "them", soft_wrap=True, markup=False)  # fmt: skip

    emit({"store": store, "recorded": number}, show, as_json=as_json, quiet=quiet)


@click.command("expect")
@click.argument("store")
@click.argument("nodes", nargs=-1, required=True)
@click.option("--seeking", multiple=True, metavar="NODE", help="What is sought; repeatable.")
@click.option("-k", type=int, default=10, show_default=True, help="How many to list.")
@output_options
def expect_command(
    store: str, nodes: tuple[str, ...], seeking: tuple[str, ...], k: int, as_json: bool,
    quiet: bool,
) -> None:  # fmt: skip
    """What most likely follows NODES in STORE, the latest node last, by what was recorded."""
    import hebbgraph

    with progress(quiet=quiet) as phase:
        phase("looking back")
        likely = hebbgraph.open(store).expect(nodes, k=k, seeking=seeking)

    def show(console: Console) -> None:
        for one in likely:
            console.print(f"{one.chance:6.1%}  {one.node}", markup=False, soft_wrap=True)

    emit([one._asdict() for one in likely], show, as_json=as_json, quiet=quiet)


@click.command("decay")
@click.argument("store")
@click.option(
    "--time-constant",
    type=float,
    metavar="DAYS",
    help="τ of e^(-t/τ), by which unused edges fade; 30 days by default.",
)
@click.option("--half-life", type=float, metavar="DAYS", help="Give this in its place.")
@click.option(
    "--min-activations",
    type=int,
    default=1,
    show_default=True,
    help="Uses inside the window that keep a node's edges from fading.",
)
@click.option(
    "--temporal-window",
    type=float,
    default=30.0,
    show_default=True,
    metavar="DAYS",
    help="How far back use counts.",
)
@click.option(
    "--min-weight", type=float, default=0.1, show_default=True, help="What weights fade towards."
)
@output_options  # fmt: skip
def decay_command(store: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """Let the edges of STORE fade that use has left, and do nothing else.

    An edge that nothing has dated starts its clock now.
    """
    import hebbgraph

    if options["time_constant"] is not None and options["half_life"] is not None:
        raise click.UsageError("--time-constant and --half-life say the same; give one")
    stated = {name: value for name, value in options.items() if value is not None}
    snapshot = hebbgraph.open(store).decay(**stated)
    faded = 0 if snapshot is None else snapshot.figures["faded_edges"]
    seq = None if snapshot is None else snapshot.seq

    def show(console: Console) -> None:
        done = "nothing written" if seq is None else f"snapshot {seq}"
        console.print(f"{faded:,} edges faded: {done}")

    emit({"store": store, "faded_edges": faded, "snapshot": seq}, show,
         as_json=as_json, quiet=quiet)  # fmt: skip
