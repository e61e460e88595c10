"""``plastify`` and ``demo``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from hebbgraph.cli.output import emit, output_options, progress
from hebbgraph.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import Console


MIN_SHARED_NEIGHBORS = click.option(
    "--min-shared-neighbors",
    type=int,
    default=2,
    show_default=True,
    help="Least number of neighbours a link rests on.",
)
MAX_NEW_EDGES_PER_NODE = click.option(
    "--max-new-edges-per-node",
    default="3",
    show_default=True,
    metavar="N|all",
    help="Best partners that a node keeps.",
)
NODE_TYPES = click.option(
    "--node-type",
    "node_types",
    multiple=True,
    metavar="TYPE",
    help="Link only nodes of this type; repeatable.",
)
MEASURE = click.option(
    "--measure",
    default="overlap",
    show_default=True,
    type=click.Choice(["overlap", "jaccard", "dice", "cosine", "resource_allocation"]),
    help="What confidence is.",
)
TUNED = ("rank_by", "confidence_threshold", "shrinkage")
"""Options that `hebbgraph tune` chooses for a store."""


@click.command("plastify")
@click.argument("store")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    default=["hebbian"],
    show_default=True,
    type=click.Choice(["hebbian", "oja", "bcm", "stdp", "homeostatic", "structural"]),
    help="How evidence moves the weights; repeatable, one is applied after the other.",
)
@click.option(
    "--learning-rate",
    type=float,
    default=0.1,
    show_default=True,
    help="η of Δw = η·ln(1 + co-occurrence), and of the other rules.",
)
@click.option(
    "--competition-rate",
    type=float,
    default=0.05,
    show_default=True,
    help="What a losing edge loses of its weight.",
)
@click.option(
    "--temporal-window",
    type=float,
    default=30.0,
    show_default=True,
    metavar="DAYS",
    help="How far back dated edges count.",
)
@click.option(
    "--max-weight",
    type=float,
    default=5.0,
    show_default=True,
    help="Learning lifts no weight beyond it.",
)
@click.option(
    "--min-weight",
    type=float,
    default=0.1,
    show_default=True,
    help="Learning lowers no weight beyond it.",
)
@click.option(
    "--similarity-threshold",
    type=float,
    default=0.7,
    show_default=True,
    help="From where two targets compete.",
)
@MIN_SHARED_NEIGHBORS
@click.option(
    "--confidence-threshold",
    type=float,
    default=0.6,
    show_default=True,
    help="Least shared / min(degree) of a discovered link.",
)
@MAX_NEW_EDGES_PER_NODE
@click.option(
    "--rank-by",
    default="overlap_allocation",
    show_default=True,
    help="What makes a partner best.",
    type=click.Choice(["overlap_allocation", "resource_allocation", "confidence", "surprise"]),
)
@click.option(
    "--shrinkage",
    type=float,
    default=0.0,
    show_default=True,
    help="Distrust overlaps of small neighbourhoods.",
)
@NODE_TYPES
@MEASURE
@click.option(
    "--max-false-discovery-rate",
    type=float,
    metavar="RATE",
    help="Keep only links that are more than chance at this rate.",
)
@click.option("--discover/--no-discover", default=True, help="Whether to look for links.")
@click.option("--source", metavar="COLUMN", help="Of a plain Lance data set of edges.")
@click.option("--target", metavar="COLUMN", help="Of a plain Lance data set of edges.")
@click.option("--dry-run", is_flag=True, help="Report what would change; write nothing.")
@output_options  # fmt: skip
def plastify_command(
    store: str, source: str | None, target: str | None, max_new_edges_per_node: str,
    rules: tuple[str, ...], node_types: tuple[str, ...], dry_run: bool, as_json: bool,
    quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Let the graph in STORE learn once, and commit what it learned.

    STORE may be a plain Lance data set of edges: the other tables then live inside its folder.
    What `hebbgraph tune STORE` chose stands in for the defaults shown here.  After `hebbgraph
    cognify` links are looked for between entities, unless --node-type says otherwise.
    """
    options["max_new_edges_per_node"] = cap(max_new_edges_per_node)
    for name in TUNED:
        if not stated(name):
            del options[name]
    if node_types:
        options["node_types"] = node_types
    import hebbgraph

    with progress(quiet=quiet) as phase:
        phase("reading")
        report = hebbgraph.open(store, source=source, target=target).plastify(
            dry_run=dry_run, rule=rules, progress=phase, **options
        )

    def show(console: Console) -> None:
        from hebbgraph.cli.report import show_report

        show_report(console, store, report, dry_run=dry_run)

    emit(report.to_dict(), show, as_json=as_json, quiet=quiet)


def stated(option: str) -> bool:
    """Whether the user gave an option, rather than its default."""
    source = click.get_current_context().get_parameter_source(option)
    return source is not ParameterSource.DEFAULT


def cap(text: str) -> int | None:
    """Number of partners from the command line; None is all."""
    if text == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise ParameterError(
            f"max_new_edges_per_node: expected a whole number in [1, 10000] or all, got {text!r}"
        ) from None


@click.command("demo")
@click.argument("store", default="demo.lance")
@click.option(
    "--links",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="How many discovered links to explain.",
)
@output_options  # fmt: skip
def demo_command(store: str, links: int, as_json: bool, quiet: bool) -> None:
    """Build the demo graph in STORE, let it learn, and show what it found.

    The graph is the Python part of the Debian package graph: packages named python3-…, what they
    depend on, recommend and suggest, and their tags.
    """
    from hebbgraph.demo import run

    with progress(quiet=quiet) as phase:
        result = run(store, links=links, progress=phase)

    def show(console: Console) -> None:
        from rich.markup import escape

        from hebbgraph.cli.report import show_links, show_report

        console.print(f"Debian's Python packages\n{result.graph!r}\n", markup=False)
        show_report(console, store, result.report, dry_run=False)
        console.print()
        show_links(console, result.links)
        first = result.links[0] if result.links else None
        if first is not None:
            console.print(f"\n[dim]Look further: hebbgraph explain {escape(store)} "
                          f"{first.source} {first.target}[/dim]", soft_wrap=True)  # fmt: skip

    document = {
        "store": store,
        "report": result.report.to_dict(),
        "links": [link.to_dict() for link in result.links],
    }
    emit(document, show, as_json=as_json, quiet=quiet)
