"""Rows by size -> a plot of costs against it, both by logarithm, on a white ground, which any page shows alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from tables import Row

TIMES = {
    "search, ours, ms": "a search, ours",
    "search, store, ms": "a search, LanceDB's",
    "update, ours, ms": "an update, ours",
    "delete, ours, ms": "a deletion, ours",
}
SIZES = {"disk, MB": "disk", "text, MB": "text", "peak, MB": "memory while writing"}
COLOURS = ("#2563a8", "#b4690e", "#1f7a4d", "#8e3c86")
INK, GRID = "#33302b", "#ddd8cf"
APART = 1.28
"""Labels stand so far apart, as a ratio."""


def number(value: object) -> float:
    """A cell of a table -> its number."""
    return float(str(value).replace(",", ""))


def spread(places: Sequence[float]) -> list[float]:
    """Heights of labels -> heights that are apart, in the same order."""
    made = list(places)
    order = sorted(range(len(places)), key=places.__getitem__)
    for below, above in pairwise(order):
        made[above] = max(made[above], made[below] * APART)
    return made


def draw(rows: Sequence[Row], path: Path) -> None:
    """Writes an SVG of two panels: milliseconds and megabytes, each against the number of chunks."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    style = {
        "font.family": "sans-serif",
        "font.size": 9.5,
        "text.color": INK,
        "axes.edgecolor": GRID,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "svg.fonttype": "none",
        "svg.hashsalt": "scale",
    }
    chunks = [number(row["chunks"]) for row in rows]
    with pyplot.rc_context(style):
        figure, panels = pyplot.subplots(1, 2, figsize=(9.6, 3.6), facecolor="white")
        for axes, lines, title in zip(panels, (TIMES, SIZES), ("milliseconds of processor", "megabytes"), strict=True):
            axes.set(xscale="log", yscale="log", xlabel="chunks in the index")
            axes.set_title(title, loc="left", fontsize=10.5)
            axes.grid(color=GRID, linewidth=0.6)
            axes.spines[["top", "right"]].set_visible(False)
            ends = spread([number(rows[-1][name]) for name in lines])
            for (name, label), colour, end in zip(lines.items(), COLOURS, ends, strict=False):
                axes.plot(chunks, [number(row[name]) for row in rows], "o-", color=colour, linewidth=1.8, markersize=4)
                axes.annotate(
                    label, (chunks[-1] * 1.25, end), color=colour, va="center", annotation_clip=False, fontsize=9.5
                )
        figure.tight_layout(w_pad=9)
        figure.subplots_adjust(right=0.85)
        figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
        pyplot.close(figure)
