"""``tune``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hebbgraph.cli.output import emit, output_options, progress
from hebbgraph.cli.passes import (
    MAX_NEW_EDGES_PER_NODE,
    MEASURE,
    MIN_SHARED_NEIGHBORS,
    NODE_TYPES,
    cap,
)

if TYPE_CHECKING:
    from rich.console import Console

    from hebbgraph.plasticity.tuning import Measured, Tuning

SHOWN_TRIALS = 5


@click.command("tune")
@click.argument("store")
@MIN_SHARED_NEIGHBORS
@MAX_NEW_EDGES_PER_NODE
@NODE_TYPES
@MEASURE
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random split.")
@click.option("--source", metavar="COLUMN", help="Of a plain Lance data set of edges.")
@click.option("--target", metavar="COLUMN", help="Of a plain Lance data set of edges.")
@click.option("--dry-run", is_flag=True, help="Report the choice; write nothing.")
@output_options  # fmt: skip
def tune_command(
    store: str, source: str | None, target: str | None, max_new_edges_per_node: str,
    node_types: tuple[str, ...], dry_run: bool, as_json: bool, quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Choose ranking, threshold and shrinkage for STORE by edges that are held out.

    The choice is stored, and `hebbgraph plastify STORE` takes it as its defaults from then on. It
    replaces the defaults only where it is better beyond chance.
    """
    import hebbgraph

    with progress(quiet=quiet) as phase:
        phase("reading")
        tuning = hebbgraph.open(store, source=source, target=target).tune(
            dry_run=dry_run, node_types=node_types or None, progress=phase,
            max_new_edges_per_node=cap(max_new_edges_per_node), **options,
        )  # fmt: skip

    def show(console: Console) -> None:
        from rich.markup import escape

        done = "dry run, nothing written" if dry_run else "plastify takes it from here"
        what = f"a choice was made: {done}" if tuning.changed else "the defaults stand"
        console.print(f"[bold]{escape(store)}[/bold]  {what}", soft_wrap=True)
        _show(console, tuning)

    emit(tuning.to_dict(), show, as_json=as_json, quiet=quiet)


def _show(console: Console, tuning: Tuning) -> None:
    from rich.table import Table

    from hebbgraph.cli.report import figures

    chosen = figures()
    for name, value in tuning.options.items():
        chosen.add_row(name.replace("_", " "), f"{value:g}" if name != "rank_by" else value)
    console.print(chosen)

    def row(table: Table, name: str, one: Measured) -> None:
        table.add_row(
            name, f"{one.proposed:,}", f"{one.found:,}", f"{one.precision:.3f}", f"{one.recall:.3f}"
        )

    measured = Table(
        title=f"On {tuning.chosen.held_out:,} edges that had no say in it",
        title_justify="left", box=None, title_style="bold", padding=(0, 2, 0, 0),
    )  # fmt: skip
    measured.add_column("")
    for name in ("proposed", "found", "precision", "recall"):
        measured.add_column(name, justify="right")
    row(measured, "defaults", tuning.default)
    if tuning.changed:
        row(measured, "chosen", tuning.chosen)
    for tier in tuning.tiers:
        if tier.precision is not None:
            measured.add_row(
                f"  confidence \u2265 {tier.confidence:g}" if tier.confidence else "  the rest",
                f"{tier.proposed:,}", f"{tier.found:,}", f"{tier.precision:.3f}", "",
            )  # fmt: skip
    console.print(measured)
    console.print("[dim]A proposal that was not held out may still be right: precision is a lower "
                  "bound.[/dim]", soft_wrap=True)  # fmt: skip
    best = ", ".join(
        f"{one.rank_by} \u2265 {one.confidence_threshold:g} k {one.shrinkage:g}: {one.found:,}"
        for one in tuning.trials[:SHOWN_TRIALS]
    )
    console.print(f"[dim]best of {len(tuning.trials)} settings on validation: {best}[/dim]",
                  soft_wrap=True)  # fmt: skip
