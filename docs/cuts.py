"""Three sections of the sample article in, docs/cut-*.svg out: what each cut sees, and where it cuts.

Run by `nox -s pages`. The curves are the lab's; bars and trees are drawn here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("svg")
from matplotlib import pyplot

from caesura import Background, ClusterCut, DoublePassCut, Limits, OptimalCut, PercentileCut, Segmentation, Splitter
from caesura.cuts.scores.noise import Noise
from caesura_lab import plot
from caesura_lab.plotting import EDGES, INK, TINTS, centre_units, draw_level, save_figure
from caesura_static import StaticEmbedder

HERE = Path(__file__).parent
ARTICLE = (HERE.parent / "examples" / "article.md").read_text("utf-8")
FIRST, LAST = "## The tide mill", "## Counting birds"
TEXT = ARTICLE[ARTICLE.index(FIRST) : ARTICLE.index(LAST)].rstrip()
EMBED = StaticEmbedder()
SPLITTER = Splitter(Limits(2000), background=Background(EMBED.background))
GROWN = DoublePassCut(merging_threshold=1, look_ahead=0, confidence=None)
"""The first pass alone: no similarity is over 1."""


def cut(how: Any) -> Segmentation:
    """The text, cut."""
    splitter = replace(SPLITTER, cut=how)
    batch = splitter.prepare([TEXT])
    return splitter.finish(batch, EMBED(batch.texts))[0]


def main() -> None:
    """Draws the four pictures."""
    axes = plot({"percentile": TEXT}, replace(SPLITTER, cut=PercentileCut()))
    drawn(axes, "PercentileCut()", "percentile")

    passes = {
        "sentences and blocks": None,
        "first pass: they grow": GROWN,
        "second pass: they merge": DoublePassCut(confidence=None),
        "what is left over joins": DoublePassCut(),
    }
    drawn(bars(passes, marked="what is left over joins"), "DoublePassCut()", "double-pass")

    penalties = {f"penalty {penalty:g}": OptimalCut(penalty=penalty) for penalty in (0.5, 0.8, 1.5, 3)}
    rows = {"confidence 0.95": OptimalCut(), **penalties}
    drawn(bars(rows, marked="confidence 0.95"), "OptimalCut()", "optimal")
    drawn(tree(), "ClusterCut(structure=0)", "cluster")


def bars(rows: Mapping[str, Any], marked: str) -> Any:
    """The name of each row -> the cut that it shows, None for every unit; and the row of the default -> the axes."""
    _, axes = pyplot.subplots(figsize=(10, 0.42 * len(rows) + 1.2), layout="constrained")
    for row, how in enumerate(rows.values()):
        made = cut(PercentileCut() if how is None else how)
        edges = made.units if how is None else made.edges
        for number, (start, end) in enumerate(pairwise(edges.tolist())):
            tint, edge = TINTS[number % 4], EDGES[number % 4]
            axes.barh(row, end - start, 0.72, start, facecolor=tint, edgecolor=edge, linewidth=0.8)
            if how is not None and end - start > 60:
                middle = (start + end) / 2
                axes.text(middle, row, str(number + 1), ha="center", va="center", fontsize=8, color=edge)
    axes.set_yticks(range(len(rows)), list(rows), fontsize=9.5, color=INK)
    for label in axes.get_yticklabels():
        label.set_fontweight("bold" if label.get_text() == marked else "normal")
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    return axes


def tree() -> Any:
    """The order in which neighbours join, from the bottom up, and the distance at which `ClusterCut` stops."""
    how = ClusterCut(structure=0)
    made = cut(how)
    held, vectors = centre_units(made, SPLITTER.background)
    merges = how.tree(vectors, made.sizes[held])
    noise = Noise.of(vectors, merges.weights)
    count = noise.settle(merges.within, how.confidence)
    last = len(merges.heights) - count
    level = float(merges.heights[last : last + 2].mean())
    ends = np.append(made.units[held], len(TEXT))
    _, axes = pyplot.subplots(figsize=(10, 4.2), layout="constrained")
    for number, chunk in enumerate(made.chunks()):
        axes.axvspan(chunk.start, chunk.end, color=TINTS[number % 4], linewidth=0)
        middle = (chunk.start + chunk.end) / 2
        axes.annotate(
            str(number + 1),
            (middle, 0.94),
            xycoords=("data", "axes fraction"),
            ha="center",
            fontsize=9,
            color=EDGES[number % 4],
        )
    group = {unit: (unit, unit + 1, (ends[unit] + ends[unit + 1]) / 2, 0.0) for unit in range(len(held))}
    starts = {unit + 1: unit for unit in range(len(held))}  # by the end of a group, its first unit
    for gap, height in zip(merges.order.tolist(), merges.heights.tolist(), strict=True):
        left, right = group[starts[gap]], group[gap]
        line = [(left[2], left[3]), (left[2], height), (right[2], height), (right[2], right[3])]
        axes.plot(*zip(*line, strict=True), color=INK, linewidth=1, alpha=1 if height <= level else 0.35)
        group[left[0]] = (left[0], right[1], (left[2] + right[2]) / 2, height)
        starts[right[1]] = left[0]
    draw_level(axes, level, f"chance\n{level:.2f}")
    axes.set_ylim(0, 1.15 * float(merges.heights.max()))
    axes.set_ylabel("distance at which\nneighbours join")
    return axes


def drawn(axes: Any, title: str, name: str) -> None:
    """Names the sections of the text above the axes, and saves them."""
    below = axes.get_figure().axes[-1]
    for at in [place for place in range(len(TEXT)) if TEXT.startswith("## ", place)]:
        axes.axvline(at, color=INK, linewidth=1, linestyle=":", ymax=1.02, clip_on=False)
        axes.annotate(
            TEXT[at + 3 : TEXT.index("\n", at)],
            (at, 1.02),
            xycoords=("data", "axes fraction"),
            xytext=(3, 0),
            textcoords="offset points",
            fontsize=9,
            color=INK,
            style="italic",
        )
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_title(title + "\n", loc="left", fontsize=11)
    axes.set_xlim(0, len(TEXT))
    below.set_xlabel("place in the text, characters; a dotted line is a heading")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    save_figure(axes, HERE / f"cut-{name}.svg")
    pyplot.close("all")


if __name__ == "__main__":
    main()
