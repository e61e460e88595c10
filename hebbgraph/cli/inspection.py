"""``info``, ``explain`` and ``neighbors``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hebbgraph.cli.output import emit, output_options

if TYPE_CHECKING:
    from rich.console import Console

    from hebbgraph.graph import Graph


@click.command("info")
@click.argument("store")
@click.option("--snapshot", type=int, help="Which one; the newest by default.")
@output_options
def info_command(store: str, snapshot: int | None, as_json: bool, quiet: bool) -> None:
    """What STORE holds: nodes, edges, relations, weights, the last pass."""
    import hebbgraph
    from hebbgraph.summary import summarise

    opened = hebbgraph.open(store)
    seen = opened.snapshot(snapshot) if opened.current else None
    document = summarise(opened.graph(snapshot)) | {
        "store": store,
        "snapshot": None if seen is None else seen.to_dict(),
    }

    def show(console: Console) -> None:
        from rich.markup import escape

        from hebbgraph.cli.report import figures

        when = "not yet learned" if seen is None else (
            f"snapshot {seen.seq}, {seen.operation} {seen.created_at:%Y-%m-%d %H:%M} UTC"
        )  # fmt: skip
        console.print(f"[bold]{escape(store)}[/bold]  {when}", soft_wrap=True)
        table = figures()
        for name in ("nodes", "edges", "inferred"):
            table.add_row(name, f"{document[name]:,}")
        table.add_row("kind", "directed" if document["directed"] else "undirected")
        spread = "{min:.3f} / {mean:.3f} / {max:.3f}".format(**document["weight"])
        table.add_row("weight, least / mean / greatest", spread)
        if document["plasticity_score"] is not None:
            table.add_row("plasticity score", f"{document['plasticity_score']:.4f}")
        console.print(table)
        for title, counts in (("relations", document["relations"]), ("types", document["types"])):
            if counts:
                listed = figures(title)
                for name, count in list(counts.items())[:15]:
                    listed.add_row(escape(name), f"{count:,}")
                console.print(listed)
                if len(counts) > 15:
                    console.print(f"… and {len(counts) - 15} more")

    emit(document, show, as_json=as_json, quiet=quiet)


@click.command("explain")
@click.argument("store")
@click.argument("a")
@click.argument("b")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Shared neighbours to list.",
)
@output_options  # fmt: skip
def explain_command(store: str, a: str, b: str, limit: int, as_json: bool, quiet: bool) -> None:
    """Why nodes A and B of STORE are, or are not, associated."""
    import hebbgraph
    from hebbgraph.plasticity.parameters import DiscoveryParameters

    opened = hebbgraph.open(store)
    passes = [one for one in opened.history() if one.operation == "plastify"]
    options = None if not passes else DiscoveryParameters.from_dict(passes[-1].parameters)
    why = hebbgraph.explain(opened.graph(), a, b, parameters=options)
    tuned = opened.current.tuned if opened.current else {}
    measured = next(
        (tier for tier in tuned.get("tiers", ()) if tier["relation"] == why.relation), None
    )

    def show(console: Console) -> None:
        from hebbgraph.cli.report import show_explanation

        show_explanation(console, why, limit, measured)

    emit(why.to_dict() | {"measured": measured}, show, as_json=as_json, quiet=quiet)


@click.command("neighbors")
@click.argument("store")
@click.argument("node")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Edges to list, heaviest first; --json lists all.",
)
@output_options  # fmt: skip
def neighbors_command(store: str, node: str, limit: int, as_json: bool, quiet: bool) -> None:
    """The edges at NODE of STORE, heaviest first."""
    import hebbgraph

    graph = hebbgraph.open(store).graph()
    edges = _edges_at(graph, node)

    def show(console: Console) -> None:
        from rich.markup import escape
        from rich.table import Table

        table = Table(box=None, padding=(0, 2, 0, 0))
        table.add_column("")
        table.add_column("neighbour", overflow="fold")
        table.add_column("relation", overflow="fold")
        table.add_column("weight", justify="right")
        table.add_column("")
        for edge in edges[:limit]:
            arrow = {"out": "→", "in": "←", "both": "↔"}[edge["direction"]]
            mark = "" if not edge["inferred"] else f"inferred, {edge['confidence']:.2f}"
            table.add_row(arrow, escape(str(edge["neighbor"])), escape(edge["relation"]),
                          f"{edge['weight']:.3f}", mark)  # fmt: skip
        console.print(f"[bold]{escape(node)}[/bold]  {len(edges):,} edges", soft_wrap=True)
        console.print(table)
        if len(edges) > limit:
            console.print(f"… and {len(edges) - limit:,} more")

    emit({"node": node, "edges": edges}, show, as_json=as_json, quiet=quiet)


def _edges_at(graph: Graph, node: str) -> list[dict[str, Any]]:
    key = graph.key(node)
    found = []
    for edge in graph.incident(node):
        outgoing = int(graph.source[edge]) == key
        inferred = bool(graph.is_inferred[edge])
        other = graph.indices[edge] if outgoing else graph.source[edge]
        both = inferred or not graph.directed
        found.append(
            {
                "neighbor": graph.id(int(other)),
                "direction": "both" if both else "out" if outgoing else "in",
                "relation": graph.relation_names[graph.relation[edge]],
                "weight": float(graph.weight[edge]),
                "inferred": inferred,
                "confidence": float(graph.confidence[edge])
                if inferred and graph.confidence is not None
                else None,
            }
        )
    return sorted(found, key=lambda edge: -edge["weight"])
