"""A node's history in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from rich.console import Console

    from hebbgraph.node_history import EdgeHistory, NodeHistory

MARKS = "▁▂▃▄▅▆▇█"
ABSENT, GONE = "·", "?"
NARROWEST = 8
LONGEST_NAME = 40
BESIDE = 58
"""Columns that names and numbers take beside the marks."""


def show_node_history(console: Console, history: NodeHistory) -> None:
    """One row a measure and an edge: its course in marks, its first, last, least and greatest."""
    width = max(NARROWEST, console.width - BESIDE)
    bins = np.array_split(np.arange(history.snapshots.size), min(width, history.snapshots.size))
    first, last = history.snapshots[0], history.snapshots[-1]
    span = f"snapshot {first}" if first == last else f"snapshots {first} to {last}"
    console.print(f"[bold]{escape(str(history.node))}[/bold]  {span}", soft_wrap=True)
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("", overflow="fold", min_width=12)
    table.add_column("course", no_wrap=True)
    for name in ("first", "last", "least", "most"):
        table.add_column(name, justify="right", no_wrap=True)
    counts = np.where(history.present, history.edge_count, np.nan)
    table.add_row("activation", *_cells(history.activation, history, bins, "{:.3f}"))
    table.add_row("edges", *_cells(counts, history, bins, "{:,.0f}"))
    # Weights share one scale, so that their marks can be compared.
    drawn = np.concatenate([history.mean_weight, *(edge.weight for edge in history.edges)])
    table.add_row("mean weight", *_cells(history.mean_weight, history, bins, "{:.3f}", drawn))
    for edge in history.edges:
        table.add_row(
            _name(edge, history), *_cells(edge.weight, history, bins, "{:.3f}", drawn)
        )  # fmt: skip
    console.print(table)
    _legend(console, history, bins, drawn)


def _legend(console: Console, history: NodeHistory, bins: list[Any], drawn: Any) -> None:
    said = []
    if history.edges_seen > len(history.edges):
        said.append(f"{len(history.edges)} strongest of {history.edges_seen:,} edges")
    if not np.isnan(drawn).all() and np.nanmin(drawn) < np.nanmax(drawn):
        said.append(
            f"weights: {MARKS[0]} {np.nanmin(drawn):.3f}, {MARKS[-1]} {np.nanmax(drawn):.3f}"
        )
    if len(bins) < history.snapshots.size:
        said.append(f"a mark is up to {max(map(len, bins))} snapshots, its height their last")
    rows = (history.activation, history.mean_weight, *(edge.weight for edge in history.edges))
    if any(np.isnan(row[history.readable]).any() for row in rows):
        said.append(f"{ABSENT} not there, or not measured")
    if not history.readable.all():
        said.append(f"{GONE} tables gone")
    for line in said:
        console.print(f"[dim]{line}[/dim]")


def _cells(
    values: Any, history: NodeHistory, bins: list[Any], form: str, scale: Any | None = None
) -> tuple[str, ...]:
    known = values[~np.isnan(values)]
    if not known.size:
        return "".join(_missing(history, part) for part in bins), "–", "–", "–", "–"
    numbers = known[0], known[-1], known.min(), known.max()
    within = known if scale is None else scale[~np.isnan(scale)]
    course = _marks(values, history, bins, within.min(), within.max())
    return f"[cyan]{course}[/cyan]", *(form.format(number) for number in numbers)


def _marks(values: Any, history: NodeHistory, bins: list[Any], low: float, high: float) -> str:
    """One mark a bin: the height of its last known value; what never moves is a flat middle."""
    out = []
    for part in bins:
        known = values[part][~np.isnan(values[part])]
        if not known.size:
            out.append(_missing(history, part))
        elif high <= low:
            out.append(MARKS[len(MARKS) // 2])
        else:
            out.append(MARKS[round((known[-1] - low) / (high - low) * (len(MARKS) - 1))])
    return "".join(out)


def _missing(history: NodeHistory, part: Any) -> str:
    return ABSENT if history.readable[part].any() else GONE


def _name(edge: EdgeHistory, history: NodeHistory) -> str:
    outgoing = edge.source == history.node
    other = edge.target if outgoing else edge.source
    arrow = "↔" if edge.inferred else "→" if outgoing else "←"
    return escape(f"{arrow} {_short(str(other))} ({_short(edge.relation)})")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"
