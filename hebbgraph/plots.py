"""Plots for files; matplotlib is loaded when one is drawn."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbgraph.errors import MissingPackageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hebbgraph.node_history import EdgeHistory, NodeHistory

SCRIPTS = ("Noto Sans CJK KR", "Noto Sans KR", "Malgun Gothic", "Apple SD Gothic Neo",
           "NanumGothic", "UnDotum", "Noto Sans CJK JP", "WenQuanYi Zen Hei")  # fmt: skip
"""Fonts for what DejaVu lacks, those at hand are used."""
LONGEST_NAME = 40


def node_history_png(history: NodeHistory, file: str | os.PathLike[str]) -> None:
    """Draw a node's weights and activation over the snapshots.

    Lines break where a value is missing.  Letters that no installed font has are boxes.

    Raises
    ------
    MissingPackageError
        matplotlib is not installed
    """
    try:
        import matplotlib
        from matplotlib import font_manager
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator
    except ImportError as error:
        raise MissingPackageError(
            f"plots need matplotlib, which cannot be imported ({error}); "
            "install it with `pip install 'hebbgraph[plots]'`"
        ) from None
    known = {font.name for font in font_manager.fontManager.ttflist}
    families = ["DejaVu Sans", *(name for name in SCRIPTS if name in known)]
    with matplotlib.rc_context({"font.family": families, "font.size": 9}):
        figure = Figure(figsize=(8, 5), dpi=150, layout="constrained")
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        x = history.snapshots
        colors = matplotlib.colormaps["tab10"]
        for at, edge in enumerate(history.edges):
            _line(upper, x, edge.weight, _label(edge, history), color=colors(at % 10))
        _line(upper, x, history.mean_weight, f"mean of {history.edges_seen:,} edges",
              color="black", linewidth=2.2, linestyle="--")  # fmt: skip
        upper.set_ylabel("weight")
        upper.set_title(f"{_plain(str(history.node))}: weights and activation by snapshot",
                        loc="left")  # fmt: skip
        figure.legend(*upper.get_legend_handles_labels(), loc="outside right upper",
                      frameon=False, fontsize=8)  # fmt: skip
        _line(lower, x, history.activation, "activation", color="tab:red")
        lower.set_ylabel("activation")
        lower.set_ylim(bottom=0)
        lower.set_xlabel("snapshot")
        lower.xaxis.set_major_locator(MaxNLocator(integer=True))
        for axes in (upper, lower):
            axes.grid(alpha=0.25)
            axes.spines[["top", "right"]].set_visible(False)
        with warnings.catch_warnings():
            # What no font at hand can write is a box, and would be a warning for every letter.
            warnings.filterwarnings("ignore", message="Glyph")
            figure.savefig(os.fspath(file), format="png")


def _line(axes: Axes, x: Any, y: Any, label: str, **style: Any) -> None:
    axes.plot(x, y, label=label, marker="o", markersize=3, **{"linewidth": 1.3, **style})
    if np.isnan(y).all():
        axes.text(0.5, 0.5, "never measured", transform=axes.transAxes, ha="center", alpha=0.6)


def _label(edge: EdgeHistory, history: NodeHistory) -> str:
    outgoing = edge.source == history.node
    other, arrow = (edge.target, "→") if outgoing else (edge.source, "←")
    if edge.inferred:
        arrow = "↔"
    return _plain(f"{arrow} {other} ({edge.relation})")


def _plain(text: str) -> str:
    """Text that matplotlib does not take for mathematics, cut to a length that fits."""
    short = text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"
    return short.replace("$", r"\$")
