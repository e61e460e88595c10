"""``consolidate``, ``unarchive``, ``forget`` and ``correct``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hebbgraph.cli.output import emit, output_options

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console

LISTED = 20
"""Nodes and edges that are listed for people; --json lists all."""


@click.command("consolidate")
@click.argument("store")
@click.option("--dry-run", is_flag=True, help="List what would move; write nothing.")
@click.option("--explain", metavar="NODE", help="Why one node stands in its tier; write nothing.")
@output_options
def consolidate_command(
    store: str, dry_run: bool, explain: str | None, as_json: bool, quiet: bool
) -> None:
    """Move the nodes of STORE between tiers, one step, and archive what was hardly used.

    \b
    L0 raw  → L1 at 3 uses, or archived after 72 hours
    L1      → L2 at 10 uses, or archived after 90 days
    L2      → L3 at 10 outcomes, 80 % of them successes, or archived after 365 days
    L3      → L2 below 60 % successes
    """  # noqa: D301 - \b is for click
    import hebbgraph

    opened = hebbgraph.open(store)
    if explain is not None:
        why = hebbgraph.explain_tier(opened.graph(), explain)
        emit(why.to_dict(), lambda console: console.print(str(why), markup=False),
             as_json=as_json, quiet=quiet)  # fmt: skip
        return
    report = opened.consolidate(dry_run=dry_run)

    def show(console: Console) -> None:
        would = "would be " if dry_run else ""
        tiers = " → ".join(
            " / ".join(f"{count:,}" for count in counts)
            for counts in (report.tiers_before, report.tiers_after)
        )
        console.print(f"L0 / L1 / L2 / L3: {tiers}")
        console.print(
            f"{report.promoted:,} {would}promoted, {report.demoted:,} {would}demoted, "
            f"{len(report.expired):,} {would}archived with {report.archived_edges:,} edges, "
            f"{len(report.revived):,} {would}back; {report.protected:,} kept for their failures"
        )
        _list(console, report.expired)

    emit(report.to_dict(), show, as_json=as_json, quiet=quiet)


@click.command("unarchive")
@click.argument("store")
@click.argument("nodes", nargs=-1, required=True)
@output_options
def unarchive_command(store: str, nodes: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    """Bring NODES of STORE back from the archive, with all that they had learned."""
    import hebbgraph

    done = hebbgraph.open(store).unarchive(nodes)

    def show(console: Console) -> None:
        console.print("{nodes:,} nodes and {edges:,} edges are back".format(**done.figures))

    emit(done.to_dict(), show, as_json=as_json, quiet=quiet)


@click.command("forget")
@click.argument("store")
@click.option("--node", "nodes", multiple=True, metavar="ID", help="A node; may be repeated.")
@click.option(
    "--edge",
    "edges",
    multiple=True,
    nargs=2,
    metavar="SOURCE TARGET",
    help="All edges from one node to another; may be repeated.",
)
@click.option("--source", help="All that has it as source in its properties, and no other.")
@click.option("--after", metavar="TIME", help="Edges and episodes from this moment on, ISO 8601.")
@click.option("--before", metavar="TIME", help="Edges and episodes up to this moment.")
@click.option("--dry-run", is_flag=True, help="Report what would go, and what with it.")
@click.option(
    "--purge", is_flag=True, help="Leave no byte of it: every earlier snapshot of STORE goes too."
)
@output_options  # fmt: skip
def forget_command(
    store: str, nodes: tuple[str, ...], edges: tuple[tuple[str, str], ...], source: str | None,
    after: str | None, before: str | None, dry_run: bool, purge: bool, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Forget nodes, edges, a source or a time span of STORE.

    Earlier snapshots still hold what is forgotten, and `hebbgraph restore` brings it back, unless
    it is purged. --purge alone purges what was forgotten before.
    """
    import hebbgraph

    report = hebbgraph.open(store).forget(
        nodes, edges=edges, source=source, after=_moment("--after", after),
        before=_moment("--before", before), dry_run=dry_run, purge=purge,
    )  # fmt: skip

    def show(console: Console) -> None:
        from rich.markup import escape

        if not report.changed:
            console.print("there is nothing of it")
            return
        console.print(
            f"{len(report.nodes):,} nodes, {report.edges.num_rows + report.archived_edges:,} edges "
            f"and {report.episodes_gone:,} episodes {'would go' if dry_run else 'are gone'}; "
            f"{report.episodes - report.episodes_gone:,} episodes and the evidence of "
            f"{report.evidence:,} edges {'would lose' if dry_run else 'have lost'} a node"
        )
        if report.purged:
            console.print(f"with every byte of it, and {report.snapshots_gone:,} snapshots")
        if report.mentions:
            console.print(f"the properties of {report.mentions:,} nodes and edges still name it")
        if dry_run:
            _list(console, report.nodes)
            for edge in report.edges.slice(0, LISTED).to_pylist():
                text = "{source} —{relation}→ {target}  {because}".format(**edge)
                console.print(f"  {escape(text)}", soft_wrap=True)

    emit(report.to_dict(), show, as_json=as_json, quiet=quiet)


def _moment(option: str, text: str | None) -> datetime | None:
    """A moment from the command line; UTC where it states no zone."""
    from datetime import UTC, datetime

    from hebbgraph.errors import ParameterError

    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ParameterError(
            f"{option}: expected a time such as 2025-06-01T12:00, got {text!r}"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@click.command("correct")
@click.argument("store")
@click.argument("wrong", nargs=-1, required=True)
@click.option("--right", multiple=True, metavar="NODE", help="What is right in its place.")
@click.option("--cue", multiple=True, metavar="NODE", help="What they are answers to.")
@click.option("--context", help="Text to keep with it.")
@output_options
def correct_command(
    store: str, wrong: tuple[str, ...], right: tuple[str, ...], cue: tuple[str, ...],
    context: str | None, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Say that the nodes WRONG are no answer to a cue; the next pass unlearns it.

    Without --cue, that they do not belong together.
    """
    import hebbgraph

    recorded = hebbgraph.open(store).correct(wrong, right=right, cue=cue, context=context)

    def show(console: Console) -> None:
        console.print(f"{recorded:,} corrections recorded; `hebbgraph plastify` learns from them")

    emit({"recorded": recorded}, show, as_json=as_json, quiet=quiet)


def _list(console: Console, nodes: tuple[str | int, ...]) -> None:
    for node in nodes[:LISTED]:
        console.print(f"  {node}", markup=False, soft_wrap=True)
    if len(nodes) > LISTED:
        console.print(f"  … and {len(nodes) - LISTED:,} more")
