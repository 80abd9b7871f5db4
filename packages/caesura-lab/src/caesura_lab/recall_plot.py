"""The picture of what retrievers find: a mark for each within each budget, and how sure its distance to the best is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura_lab.measuring import Measured
from caesura_lab.plotting import EDGES, INK, THRESHOLD, open_axes

if TYPE_CHECKING:
    from caesura_lab.plotting import Axes

QUIET = "#77736b"


def plot_recalls(measured: Measured) -> Axes:
    """What `measure` found -> the first of the matplotlib Axes, one for each budget. Nothing is shown or saved.

    A mark is at what a retriever found, the line through it as far as it may be off the best one. Raises `ImportError`
    where matplotlib is not installed.
    """
    names = [str(row["retriever"]) for row in measured.table if str(row["retriever"]) in measured.recalls]
    count = len(measured.budgets)
    figure, axes = open_axes(
        1,
        count,
        sharex=True,
        sharey=True,
        squeeze=False,
        figsize=(2 + 3.4 * count, 1.5 + 0.42 * len(names)),
    )
    for place, budget in enumerate(measured.budgets):
        draw_budget(axes[0, place], measured, names, place, budget)
    asked = len(measured.questions)
    figure.supxlabel(
        f"recall, mean of {asked} question{'s' * (asked != 1)}; lines: 95 % of the distance to the best.\n"
        "A hollow mark: the distance may be chance.",
        fontsize=9,
        color=QUIET,
    )
    first: Axes = axes[0, 0]
    return first


def draw_budget(axes: Axes, measured: Measured, names: list[str], place: int, budget: int) -> None:
    """The marks of one budget, from the top; the best one's recall as a line through all."""
    rows = {str(row["retriever"]): row for row in measured.table}
    means = {name: float(measured.recalls[name][place].mean()) for name in names}
    best = max(means.values())
    axes.axvline(100 * best, color=THRESHOLD, linestyle="--", linewidth=1.0, zorder=1)
    for at, name in enumerate(names):
        own, verdict = measured.behind[budget][name], rows[name][f"against_best_{budget}"]
        colour = EDGES[0] if verdict != "worse" else QUIET
        low, high = 100 * (best - own.high), 100 * (best - own.low)
        axes.plot([low, high], [at, at], color=colour, linewidth=1.6, zorder=2)
        hollow = verdict == "may be chance"
        axes.plot(
            100 * means[name], at, marker="o", markersize=7, color=colour, markerfacecolor="white" if hollow else colour
        )
        axes.annotate(
            f"{100 * means[name]:.1f}",
            (100 * means[name], at),
            xytext=(0, 8),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            color=INK,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},  # so that no line crosses it
        )
    axes.set_title(f"within {budget:,} characters", loc="left", fontsize=10)
    axes.set_yticks(range(len(names)), names, parse_math=False)
    axes.set_ylim(len(names) - 0.5, -0.7)
    axes.xaxis.set_major_formatter("{x:.0f} %")
    axes.margins(x=0.08)
    axes.grid(axis="x", color="#ddd8cf", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(labelsize=9)
    axes.tick_params(axis="y", length=0)
