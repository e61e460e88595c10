"""``history``, ``diff``, ``restore``, ``compact`` and ``completion``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hebbgraph.cli.output import emit, output_options

if TYPE_CHECKING:
    from rich.console import Console

    from hebbgraph.snapshots import Snapshot


@click.command("history")
@click.argument("store")
@click.option("--node", help="Draw how this node moved over the snapshots.")
@click.option("--png", metavar="FILE", help="With --node: draw it into a file too.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="With --node: edges to draw, strongest first.",
)
@output_options
def history_command(
    store: str, node: str | None, png: str | None, limit: int, as_json: bool, quiet: bool
) -> None:
    """The snapshots of STORE, oldest first, or the course of one node over them."""
    import hebbgraph

    if node is not None:
        _history_of_node(store, node, png, limit, as_json=as_json, quiet=quiet)
        return
    if png is not None:
        raise click.UsageError("--png goes with --node ID")
    history = hebbgraph.open(store).history()

    def show(console: Console) -> None:
        from rich.table import Table

        if not history:
            console.print("no snapshot yet; `hebbgraph plastify` makes the first")
            return
        table = Table(box=None, padding=(0, 2, 0, 0))
        for name in ("snapshot", "when (UTC)", "operation", "what changed"):
            table.add_column(name, overflow="fold")
        for one in history:
            when = f"{one.created_at:%Y-%m-%d %H:%M:%S}"
            table.add_row(str(one.seq), when, one.operation, _story(one))
        console.print(table)

    emit([one.to_dict() for one in history], show, as_json=as_json, quiet=quiet)


def _history_of_node(
    store: str, node: str, png: str | None, limit: int, *, as_json: bool, quiet: bool
) -> None:
    import hebbgraph

    history = hebbgraph.open(store).history_of(node, limit=limit)
    if png is not None:
        from hebbgraph.plots import node_history_png

        node_history_png(history, png)

    def show(console: Console) -> None:
        from hebbgraph.cli.node_history import show_node_history

        show_node_history(console, history)
        if png is not None:
            console.print(f"drawn → {png}", soft_wrap=True, markup=False)

    emit({"store": store, **history.to_dict(), "png": png}, show, as_json=as_json, quiet=quiet)


def _story(snapshot: Snapshot) -> str:
    figures = snapshot.figures
    if snapshot.operation == "plastify":
        return (
            f"{figures['updated_edges']:,} edges updated, "
            f"{figures['new_associations_discovered']:,} associations new, "
            f"{figures['withdrawn_associations']:,} withdrawn"
        )
    if snapshot.operation == "cluster":
        return f"{figures['clusters']:,} clusters of {figures['clustered_nodes']:,} nodes"
    if snapshot.operation == "tune":
        chosen = snapshot.tuned["options"]
        return "discovery chosen: " + ", ".join(f"{name} {chosen[name]}" for name in chosen)
    if snapshot.operation == "decay":
        return f"{figures['faded_edges']:,} edges faded"
    if snapshot.operation == "restore":
        return f"back to snapshot {snapshot.parameters['snapshot']}"
    if snapshot.operation == "create":
        return "an empty memory"
    if snapshot.operation == "import":
        return f"{figures['new_nodes']:,} new nodes, {figures['new_edges']:,} new edges"
    if snapshot.operation == "consolidate":
        return (
            f"{figures['promoted']:,} nodes promoted, {figures['demoted']:,} demoted, "
            f"{figures['expired']:,} archived"
        )
    if snapshot.operation == "forget":
        return f"{figures['nodes']:,} nodes and {figures['edges']:,} edges forgotten"
    if snapshot.operation in ("add", "remove"):
        counts = {name: figures[name] for name in ("added", "replaced", "removed")
                  if figures.get(name)}  # fmt: skip
        return "documents: " + ", ".join(f"{count:,} {name}" for name, count in counts.items())
    if snapshot.operation == "cognify":
        return f"{figures['entities']:,} entities of {figures['passages']:,} passages"
    if snapshot.operation == "memify":
        return f"{figures['passages']:,} passages indexed, {figures['duplicates']:,} duplicates"
    return ", ".join(
        f"{value:,} {name.replace('_', ' ')}"
        for name, value in figures.items()
        if isinstance(value, int)
    )


@click.command("diff", context_settings={"ignore_unknown_options": True})
@click.argument("store")
@click.argument("old", type=int, default=-2)
@click.argument("new", type=int, default=-1)
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Edges to list of each kind.",
)
@output_options  # fmt: skip
def diff_command(store: str, old: int, new: int, limit: int, as_json: bool, quiet: bool) -> None:
    """Edges that differ from snapshot OLD to NEW; by default what the last commit did."""
    import hebbgraph
    from hebbgraph.diff import KINDS

    diff = hebbgraph.open(store).diff(old, new)

    def show(console: Console) -> None:
        from rich.markup import escape

        console.print(f"snapshot {diff.old} → {diff.new}")
        for kind in KINDS:
            table = getattr(diff, kind)
            console.print(f"[bold]{table.num_rows:,} {kind}[/bold]")
            for edge in table.slice(0, limit).to_pylist():
                console.print(
                    f"  {escape(str(edge['source']))} —{escape(edge['relation'])}→ "
                    f"{escape(str(edge['target']))}  {_weights(edge)}",
                    soft_wrap=True,
                )
            if table.num_rows > limit:
                console.print(f"  … and {table.num_rows - limit:,} more")

    emit(diff.to_dict(limit), show, as_json=as_json, quiet=quiet)


def _weights(edge: dict[str, Any]) -> str:
    known = [edge[name] for name in ("weight_before", "weight_after") if edge[name] is not None]
    return " → ".join(f"{weight:.3f}" for weight in known)


@click.command("restore")
@click.argument("store")
@click.argument("snapshot", type=int)
@output_options
def restore_command(store: str, snapshot: int, as_json: bool, quiet: bool) -> None:
    """Make an earlier SNAPSHOT of STORE the newest again; nothing in between is lost."""
    import hebbgraph

    done = hebbgraph.open(store).restore(snapshot)

    def show(console: Console) -> None:
        console.print(f"snapshot {done.seq} is snapshot {done.parameters['snapshot']} again")

    emit(done.to_dict(), show, as_json=as_json, quiet=quiet)


@click.command("compact")
@click.argument("store")
@click.option("--keep", type=int, help="Keep only this many of the newest snapshots.")
@output_options
def compact_command(store: str, keep: int | None, as_json: bool, quiet: bool) -> None:
    """Delete table versions that no snapshot of STORE names."""
    import hebbgraph

    done = hebbgraph.open(store).compact(keep=keep)

    def show(console: Console) -> None:
        console.print(
            f"{done['bytes_freed'] / 1e6:,.1f} MB freed, {done['snapshots']} snapshots kept"
        )

    emit(done, show, as_json=as_json, quiet=quiet)


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a SHELL.

    \b
    eval "$(hebbgraph completion bash)"
    """  # noqa: D301 - \b is for click
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    made = kind(ctx.find_root().command, {}, "hebbgraph", "_HEBBGRAPH_COMPLETE")
    # The bash script's own check asks the shell for its version; ours only prints.
    click.echo(made.source_template % made.source_vars())
