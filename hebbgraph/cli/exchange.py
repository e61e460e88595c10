"""``import`` and ``export``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hebbgraph.cli.output import emit, output_options, progress

if TYPE_CHECKING:
    from rich.console import Console

    from hebbgraph.interop.files import FileTable
    from hebbgraph.snapshots import Snapshot

FORMATS = click.Choice(["csv", "tsv", "parquet", "jsonl", "arrow", "lance"])


@click.command("import")
@click.argument("edges")
@click.argument("store")
@click.option("--format", "format_", type=FORMATS, help="Of EDGES; told by suffix or content.")
@click.option("--source", metavar="COLUMN", help="Column of source ids, or its number from 1.")
@click.option("--target", metavar="COLUMN", help="Column of target ids.")
@click.option("--relation", metavar="COLUMN", help="Column of relation names.")
@click.option("--weight", metavar="COLUMN", help="Column of weights, finite and at least 0.")
@click.option("--time", metavar="COLUMN", help="Column of times: ISO 8601 or epoch numbers.")
@click.option("--time-unit", type=click.Choice(["s", "ms", "us", "ns"]), help="Of epoch numbers.")
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="COLUMN",
    help="Keep a further column as an edge property; repeatable.",
)
@click.option("--nodes", metavar="FILE", help="File of nodes: id, type, properties.")
@click.option("--node-id", metavar="COLUMN", help="Its column of ids.")
@click.option("--node-type", metavar="COLUMN", help="Its column of types.")
@click.option(
    "--node-property",
    "node_properties",
    multiple=True,
    metavar="COLUMN",
    help="Keep a further column of it; repeatable.",
)
@click.option(
    "--directed/--undirected",
    default=None,
    help="Whether (a, b) and (b, a) differ; directed by default.",
)
@click.option(
    "--ids",
    type=click.Choice(["strict", "normalize", "exact"]),
    default="strict",
    show_default=True,
    help="Ids that differ only in Unicode form or blanks: refuse "
    "them, merge them, keep them apart.",
)
@output_options  # fmt: skip
def import_command(
    edges: str, store: str, format_: str | None, time_unit: str | None, nodes: str | None,
    node_id: str | None, node_type: str | None, node_properties: tuple[str, ...],
    properties: tuple[str, ...], directed: bool | None, ids: Any, as_json: bool, quiet: bool,
    **columns: str | None,
) -> None:  # fmt: skip
    """Bring EDGES into STORE, which is made if it is not there.

    EDGES is CSV, TSV, Parquet, JSON Lines, Arrow IPC, or a Lance data set, plain or compressed by
    gzip or zstd; - is standard input.  Into a store that exists, new edges are merged: what was
    learned stays.
    """
    from hebbgraph.errors import InputError
    from hebbgraph.graph import Graph
    from hebbgraph.interop.files import read_edges, read_nodes
    from hebbgraph.store import Store

    if nodes is None and (node_id or node_type or node_properties):
        raise click.UsageError("--node-id, --node-type and --node-property go with --nodes FILE")
    with progress(quiet=quiet) as phase:
        phase("reading")
        table = read_edges(
            edges, format=format_, time_unit=time_unit, properties=properties, **columns
        )
        listed = None
        if nodes is not None:
            listed = read_nodes(nodes, id=node_id, type=node_type, properties=node_properties)
        known = Store(store) if _holds_anything(Path(store)) else None
        before = None if known is None else known.snapshot()
        if directed is None:
            directed = _directed(table, before)
        phase("building")
        graph = Graph.from_arrow(
            table.table,
            directed=directed,
            ids=ids,
            where=table.where,
            nodes=None if listed is None else listed.table,
            where_node=table.where if listed is None else listed.where,
        )
        if graph.n_edges == 0:
            raise InputError(
                f"{table.name}: expected edges between two nodes, got {graph.self_loops:,} "
                "self-loops and nothing else; nothing was imported"
            )
        phase("writing")
        said = {"file": table.name, "nodes": None if listed is None else listed.name}
        if known is None:
            snapshot = Store.create(store, graph, parameters=said).snapshot()
        else:
            snapshot = known.add(graph, parameters=said)
    changed = before is None or snapshot.id != before.id
    document = {
        "store": store,
        "changed": changed,
        "snapshot": snapshot.seq,
        "columns": dict(table.columns),
        "ignored_columns": list(table.ignored),
        "duplicates_merged": graph.duplicates,
        "self_loops_dropped": graph.self_loops,
        "new_nodes": snapshot.figures["new_nodes"] if changed else 0,
        "new_edges": snapshot.figures["new_edges"] if changed else 0,
    }

    def show(console: Console) -> None:
        from rich.markup import escape

        console.print(f"[bold]{escape(store)}[/bold]  snapshot {snapshot.seq}", soft_wrap=True)
        read = ", ".join(f"{role} {column!r}" for role, column in table.columns.items())
        left = ", ".join(map(repr, table.ignored))
        console.print(f"  read {read}{f'; ignored {left}' if left else ''}", markup=False)
        if not changed:
            console.print("  nothing new, nothing written")
        else:
            console.print(
                f"  {document['new_nodes']:,} new nodes, {document['new_edges']:,} new edges"
            )
        for name in ("duplicates_merged", "self_loops_dropped"):
            if document[name]:
                console.print(f"  {name.replace('_', ' ')}: {document[name]:,}")

    emit(document, show, as_json=as_json, quiet=quiet)


def _holds_anything(path: Path) -> bool:
    return path.exists() and not (path.is_dir() and not any(path.iterdir()))


def _directed(table: FileTable, before: Snapshot | None) -> bool:
    """As the store is, else as an exported file says, else directed."""
    if before is not None:
        return before.reading.directed
    if "directed" in table.table.column_names and table.table.num_rows:
        return str(table.table["directed"][0]).lower() != "false"
    return True


@click.command("export")
@click.argument("store")
@click.argument("file")
@click.option("--nodes", metavar="FILE", help="Write the nodes too, with types and metrics.")
@click.option("--snapshot", type=int, help="Which one; the newest by default.")
@click.option("--format", "format_", type=FORMATS, help="Told by suffix if not given.")
@output_options
def export_command(
    store: str, file: str, nodes: str | None, snapshot: int | None, format_: str | None,
    as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Write the edges of STORE to FILE (- is standard output), with all they learned.

    `hebbgraph import FILE OTHER --nodes NODES` makes the same graph again.
    """
    import hebbgraph
    from hebbgraph.errors import InputError
    from hebbgraph.interop.export import exported_edges, exported_nodes, write_table

    if file == nodes:
        raise InputError(f"{file}: edges and nodes cannot both go there; name two files")
    if file == "-" and as_json:
        raise InputError("-: edges and --json cannot both go to standard output; name a file")
    graph = hebbgraph.open(store).graph(snapshot)
    kind = write_table(exported_edges(graph), file, format=format_)
    written = {"edges": graph.n_edges, "file": file, "format": kind}
    if nodes is not None:
        write_table(exported_nodes(graph), nodes, format=format_)
        written |= {"nodes": graph.n_nodes, "nodes_file": nodes}

    def show(console: Console) -> None:
        console.print(f"{graph.n_edges:,} edges → {file}", soft_wrap=True, markup=False)
        if nodes is not None:
            console.print(f"{graph.n_nodes:,} nodes → {nodes}", soft_wrap=True, markup=False)

    emit(written, show, as_json=as_json, quiet=quiet or file == "-")
