"""Chunks, their gap curve and sizes, and matplotlib Axes -> drawn on these; the colours, and lines with a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from caesura_lab.curves import Curve
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.cutting import Cutting

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import-not-found, unused-ignore]

TINTS = ("#cfe6f7", "#fbe3b8", "#c5ead9", "#f3d3e4")
EDGES = ("#1d6fa5", "#96610a", "#0a7554", "#a03a75")
INK, THRESHOLD = "#33312d", "#c22f10"
CROWDED = 300
"""More chunks than this are too narrow to be seen one by one, and so are eight times as many gaps."""


def draw_gaps(axes: Axes, cutting: Cutting, drawn: Curve, title: str) -> None:
    """The curve, its threshold where the cut goes by these scores, and the chunks."""
    count = len(cutting.spans)
    for number, (start, end) in enumerate(cutting.spans if count <= CROWDED else ()):
        axes.axvspan(start, end, color=TINTS[number % len(TINTS)], linewidth=0)
        if number:
            axes.axvline(start, color=EDGES[number % len(EDGES)], linewidth=0.8, zorder=1.5)
    if len(drawn.places) <= 8 * CROWDED:
        axes.plot(drawn.places, drawn.scores, color=INK, linewidth=1.1, marker=".", markersize=3 if count < 200 else 0)
        said = ""
    else:
        _crowd(axes, drawn)
        said = ",\nmedian and range"
    if drawn.exact and drawn.threshold is not None:
        level(axes, drawn.threshold, f"threshold\n{drawn.threshold:.3f}")
    for number, (start, end) in enumerate(cutting.spans, 1):
        if end - start > 0.012 * len(cutting.text):
            axes.annotate(
                str(number),
                ((start + end) / 2, 0.01),
                xycoords=("data", "axes fraction"),
                ha="center",
                fontsize=8,
                color=EDGES[(number - 1) % len(EDGES)],
            )
    axes.set_title(f"{title}, {count:,} chunk{'s' * (count != 1)}", loc="left", fontsize=11, parse_math=False)
    axes.set_ylabel(("gap score" if drawn.exact else "gap (3 sentences\non either side)") + said)
    axes.set_xlabel("place in the text, characters")
    axes.set_xlim(0, max(len(cutting.text), 1))
    axes.margins(y=0.1)  # room for the numbers under the curve
    axes.xaxis.set_major_formatter("{x:,.0f}")


def draw_sizes(axes: Axes, cutting: Cutting, sizing: Sizing, unit: str) -> None:
    """A bar per chunk, as wide as the chunk and as high as its size."""
    spans = np.array(cutting.spans, float).reshape(-1, 2)
    sizes = [sizing.sizer(chunk) for chunk in cutting.chunks]
    if len(spans) <= CROWDED:
        colours = [EDGES[number % len(EDGES)] for number in range(len(spans))]
        axes.bar(spans[:, 0], sizes, width=spans[:, 1] - spans[:, 0], align="edge", color=colours, alpha=0.75)
    else:
        axes.plot(spans.mean(axis=1), sizes, color=EDGES[0], linestyle="", marker=".", markersize=2)
        axes.set_ylim(0, 1.1 * max(*sizes, sizing.size or 0))
    if sizing.size is not None:
        level(axes, sizing.size, f"limit\n{sizing.size:,}", ":")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel(f"size,\n{unit}")
    axes.set_xlabel("place in the text, characters")


def level(axes: Axes, value: float, name: str, style: str = "--") -> None:
    """A line across the Axes, and right of it, where that covers nothing, its name and value."""
    axes.axhline(value, color=THRESHOLD, linestyle=style, linewidth=1.3)
    axes.annotate(
        name,
        (1, value),
        xycoords=("axes fraction", "data"),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize=9,
        color=THRESHOLD,
        annotation_clip=False,
    )


def _crowd(axes: Axes, drawn: Curve) -> None:
    """More gaps than there are points on a screen: of each stretch of them the median, the lowest and the highest."""
    stretches = [(part, drawn.scores[part]) for part in np.array_split(np.arange(len(drawn.places)), CROWDED)]
    middles = [np.median(drawn.places[part]) for part, _ in stretches]
    low, median, high = np.array([np.quantile(scores, (0, 0.5, 1)) for _, scores in stretches]).T
    axes.fill_between(middles, low, high, color=EDGES[0], alpha=0.3, linewidth=0)
    axes.plot(middles, median, color=INK, linewidth=1.1)
