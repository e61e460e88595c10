"""Reports and explanations as tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from rich.console import Console

    from hebbgraph.plasticity.explanation import Explanation
    from hebbgraph.plasticity.report import PlasticityReport, WeightHistogram

SHOWN_NEIGHBORS = 6
BLOCKS = " ▁▂▃▄▅▆▇█"


def figures(title: str = "") -> Table:
    """An empty two-column table, names left and numbers right."""
    table = Table(title=title or None, show_header=False, box=None, padding=(0, 2, 0, 0),
                  title_justify="left", title_style="bold")  # fmt: skip
    table.add_column(style="dim")
    table.add_column(justify="right")
    return table


def show_report(console: Console, store: str, report: PlasticityReport, *, dry_run: bool) -> None:
    """Figures of a pass."""
    if dry_run:
        done = "dry run, nothing written"
    elif not report.changed:
        done = "nothing new, nothing written"
    else:
        done = f"snapshot {report.snapshot}"
    console.print(f"[bold]{escape(store)}[/bold]  {report.status}: {done}", soft_wrap=True)
    table = figures()
    if report.parameters["rule"] != "hebbian":
        table.add_row("rule", escape(report.parameters["rule"]))
    table.add_row("nodes processed", f"{report.processed_nodes:,}")
    if report.episodes_learned:
        table.add_row("episodes learned from", f"{report.episodes_learned:,}")
    table.add_row("edges updated", f"{report.updated_edges:,}")
    table.add_row("  strengthened", f"{report.strengthened_edges:,}")
    table.add_row("  weakened by competition or age", f"{report.weakened_edges:,}")
    if report.edges_from_use:
        table.add_row("  made by use", f"{report.edges_from_use:,}")
    if report.pruned_edges:
        table.add_row("edges pruned", f"{report.pruned_edges:,}")
    table.add_row("new associations", f"{report.new_associations_discovered:,}")
    if report.new_associations_discovered:
        table.add_row("  their mean confidence", f"{report.new_associations_avg_confidence:.3f}")
        table.add_row("  nodes that gained one", f"{report.nodes_with_new_associations:,}")
    if report.withdrawn_associations:
        table.add_row("associations withdrawn", f"{report.withdrawn_associations:,}")
    table.add_row("associations now", f"{report.associations:,}")
    for name, count in report.associations_by_relation.items():
        table.add_row(f"  {name}", f"{count:,}")
    if report.edges_outside_window:
        table.add_row("edges outside the temporal window", f"{report.edges_outside_window:,}")
    table.add_row("plasticity score", f"{report.plasticity_score:.4f}")
    table.add_row("seconds", f"{sum(report.seconds.values()):.3f}")
    console.print(table)
    console.print(f"[dim]weights before[/dim]  {_spark(report.weights, report.weights.before)}")
    console.print(f"[dim]weights after [/dim]  {_spark(report.weights, report.weights.after)}")


def _spark(histogram: WeightHistogram, counts: Sequence[int]) -> str:
    """Square-root scaled, so that small bins can be seen beside large ones."""
    top = max(max(histogram.before, default=0), max(histogram.after, default=0), 1)
    bars = "".join(
        BLOCKS[0 if not count else max(1, round((count / top) ** 0.5 * 8))] for count in counts
    )
    return f"{histogram.edges[0]:.2f} [cyan]{bars}[/cyan] {histogram.edges[-1]:.2f}"


def show_links(console: Console, links: Sequence[Explanation]) -> None:
    """Discovered links with the neighbours that explain them."""
    table = Table(title="Links that nobody wrote down", title_justify="left", box=None,
                  title_style="bold", padding=(0, 2, 0, 0))  # fmt: skip
    table.add_column("link", overflow="fold")
    table.add_column("confidence", justify="right")
    table.add_column("because both touch", overflow="fold")
    for link in links:
        names = [escape(str(one.id)) for one in link.shared_neighbors[:SHOWN_NEIGHBORS]]
        more = link.shared - len(names)
        table.add_row(
            f"{escape(str(link.source))} ↔ {escape(str(link.target))}",
            f"{link.confidence:.2f}",
            ", ".join(names) + (f" and {more} more" if more > 0 else ""),
        )
    console.print(table)


def _ordinal(number: int) -> str:
    teens = 10 < number % 100 < 20
    return f"{number:,}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def show_explanation(
    console: Console, why: Explanation, limit: int, measured: dict[str, Any] | None = None
) -> None:
    """The arithmetic of one pair, and how often such a pair was right on held-out edges."""
    a, b = escape(str(why.source)), escape(str(why.target))
    console.print(
        f"[bold]{a}[/bold] ({why.source_degree:,} neighbours)  ↔  "
        f"[bold]{b}[/bold] ({why.target_degree:,} neighbours)",
        soft_wrap=True,
    )
    for edge in why.edges:
        kind = "inferred" if edge["inferred"] else "observed"
        console.print(
            f"  {kind}: {escape(str(edge['source']))} —{escape(edge['relation'])}→ "
            f"{escape(str(edge['target']))}, weight {edge['weight']:.3f}",
            soft_wrap=True,
        )
    if not why.edges:
        console.print(f"  no edge between them: {why.why_not}")
    name = f"  ({why.relation})" if why.confidence >= 0.6 else ""
    console.print(
        f"  confidence = {why.shared:,} shared / min({why.source_degree:,}, "
        f"{why.target_degree:,}) = {why.confidence:.3f}{name}"
    )
    if measured is not None and measured["precision"] is not None and name:
        console.print(
            f"  measured: of {measured['proposed']:,} such proposals, {measured['found']:,} were "
            f"edges held out ({measured['precision']:.1%})"
        )
    least = min(why.source_degree, why.target_degree)
    console.print(
        f"  resource allocation = Σ 1/degree = {why.resource_allocation:.4f}, of which counts "
        f"{why.shared:,}/({why.shared:,} + {least:,} + 4): {why.overlap_allocation:.4f}"
    )
    console.print(f"  surprise = {why.surprise:.1f}: so many are shared by chance once in "
                  f"10^{why.surprise:.1f}")  # fmt: skip
    if why.source_standing is not None and why.target_standing is not None:
        ours, theirs = why.source_standing, why.target_standing
        console.print(
            f"  by {why.rank_by.replace('_', ' ')}: {_ordinal(ours.position)} of "
            f"{ours.partners:,} partner{'s' if ours.partners > 1 else ''} of {a}, "
            f"{_ordinal(theirs.position)} of {theirs.partners:,} of {b}",
            soft_wrap=True,
        )
    if not why.shared:
        return
    table = Table(box=None, padding=(0, 2, 0, 2))
    table.add_column("shared neighbour", overflow="fold")
    table.add_column("degree", justify="right")
    table.add_column("1/degree", justify="right")
    for one in why.shared_neighbors[:limit]:
        table.add_row(escape(str(one.id)), f"{one.degree:,}", f"{one.share:.4f}")
    console.print(table)
    if why.shared > limit:
        console.print(f"  … and {why.shared - limit:,} more")
