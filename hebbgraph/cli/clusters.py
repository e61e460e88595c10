"""``clusters``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hebbgraph.cli.output import emit, output_options

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 20


@click.command("clusters")
@click.argument("store")
@click.option(
    "--weight-threshold",
    type=float,
    default=1.0,
    show_default=True,
    help="Edges above it are strong; a new edge has 1.0.",
)
@click.option("--min-cluster-size", type=int, default=3, show_default=True, help="Fewest members.")
@click.option(
    "--resolution",
    type=float,
    default=1.0,
    show_default=True,
    help="Above 1 more and smaller clusters.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=SHOWN,
    show_default=True,
    help="Clusters to list, largest first; --json lists all.",
)
@click.option("--snapshot", type=int, help="Show those of a snapshot, and find none anew.")
@click.option("--dry-run", is_flag=True, help="Show what would be found, write nothing.")
@output_options  # fmt: skip
def clusters_command(
    store: str, weight_threshold: float, min_cluster_size: int, resolution: float, limit: int,
    snapshot: int | None, dry_run: bool, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Group strongly connected nodes of STORE, and commit the groups if they changed.

    A cluster that continues an earlier one keeps its number.
    """
    import hebbgraph

    opened = hebbgraph.open(store)
    if snapshot is None:
        found = opened.cluster(
            weight_threshold=weight_threshold, min_cluster_size=min_cluster_size,
            resolution=resolution, dry_run=dry_run,
        )  # fmt: skip
    else:
        found = opened.clusters(snapshot)
    seen = None if dry_run and snapshot is None else opened.snapshot(snapshot).seq
    listed = found.to_dicts()

    def show(console: Console) -> None:
        from rich.markup import escape
        from rich.table import Table

        figures = found.figures()
        state = "dry run, nothing written" if seen is None else f"snapshot {seen}"
        console.print(f"[bold]{escape(store)}[/bold]  {state}", soft_wrap=True)
        if not listed:
            console.print(
                f"no clusters: no {min_cluster_size} nodes hang together by edges above "
                f"{weight_threshold:g}; learn more, or lower --weight-threshold"
            )
            return
        table = Table(box=None, padding=(0, 2, 0, 0))
        for name in ("id", "size", "cohesion", "stability"):
            table.add_column(name, justify="right")
        table.add_column("most central", overflow="fold")
        for row in listed[:limit]:
            table.add_row(str(row["id"]), f"{row['size']:,}", f"{row['cohesion']:.2f}",
                          f"{row['stability']:.2f}", escape(row["name"]))  # fmt: skip
        console.print(table)
        if len(listed) > limit:
            console.print(f"… and {len(listed) - limit:,} more")
        console.print(
            f"{len(listed):,} clusters hold {figures['clustered_nodes']:,} of "
            f"{figures['nodes']:,} nodes"
        )

    document = {"store": store, "snapshot": seen, **found.figures(), "next_id": found.next_id}
    emit({**document, "clusters": listed}, show, as_json=as_json, quiet=quiet)
