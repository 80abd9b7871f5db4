"""A text and a splitter -> a picture: the gap curve with its threshold, the chunks shaded, their sizes under it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from caesura import SettingError
from caesura.types import Embed
from caesura_lab.comparison import Texts, texts_of
from caesura_lab.curves import Curve, curve, plain
from caesura_lab.embedders import Embedder, Remembering
from caesura_lab.embedders import embedder as embedder_of
from caesura_lab.methods import Cutting, Given, method
from caesura_lab.peers import Sizing
from caesura_lab.sizers import limit, sizer

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import-not-found, unused-ignore]

TINTS = ("#cfe6f7", "#fbe3b8", "#c5ead9", "#f3d3e4")
EDGES = ("#1d6fa5", "#96610a", "#0a7554", "#a03a75")
INK, THRESHOLD = "#33312d", "#c22f10"
CROWDED = 300
"""More chunks than this are too narrow to be seen one by one, and so are eight times as many gaps."""
KINDS = (".png", ".svg", ".pdf")


def plot(
    texts: Texts,
    splitter: Given = "percentile",
    *,
    embedder: str | Embed | Embedder = "static",
    size: int | None = None,
    min_size: int = 0,
    overlap: int = 0,
    unit: str = "characters",
    tokenizer: str = "wordpiece",
    axes: Axes | None = None,
) -> Axes:
    """One text, or a file, and a splitter -> the matplotlib Axes of the gap curve.

    Above, how different the text is on either side of each gap, with the threshold where the splitter cuts by one, and
    the chunks shaded; below, on Axes that share its x, the size of each chunk and the limit. axes: draws the curve
    alone into yours, and opens no figure. Nothing is shown or saved: ``plot(…).figure.savefig("gaps.png")``.

    Raises `SettingError` for more than one text, `ImportError` where matplotlib is not installed.
    """
    held = texts_of(texts)
    if len(held) != 1:
        raise SettingError(f"a picture shows one text, got {len(held)}: {', '.join(sorted(held)[:5])}")
    (name, text), measure = next(iter(held.items())), sizer(unit, tokenizer)
    sizing = Sizing(limit(size, unit), min_size, overlap, measure)
    embed = embedder_of(embedder)
    embed = Embedder(embed.name, Remembering(embed.embed), embed.background)
    one = method(splitter, sizing)
    cutting = one([text], embed)[0]
    drawn = _curve(cutting, one.make(embed) if one.make else None, embed)
    if axes is not None:
        _gaps(axes, cutting, drawn, f"{name}: {one.name}")
        return axes
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError('a picture needs matplotlib: pip install "caesura-lab[plot]"') from error
    _, (above, below) = cast(Any, pyplot).subplots(
        2, 1, sharex=True, figsize=(10, 5), height_ratios=(3, 1.4), layout="constrained"
    )
    _gaps(above, cutting, drawn, f"{name}: {one.name}")
    _sizes(below, cutting, one.sizing if one.limited else Sizing(None, sizer=measure), unit)
    above.set_xlabel("")
    return cast("Axes", above)


def save(axes: Axes, path: str | Path) -> Path:
    """The figure of the Axes -> a file, png, svg or pdf by its suffix, the same bytes for the same figure."""
    path, suffix = Path(path), kind(path)
    import matplotlib

    metadata: dict[str, Any] = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with matplotlib.rc_context({"svg.hashsalt": "caesura"}):
        cast(Any, axes.figure).savefig(path, dpi=110, metadata=metadata[suffix])
    return path


def kind(path: str | Path) -> str:
    """The name of a picture -> .png, .svg or .pdf. Raises `SettingError` for another."""
    suffix = Path(path).suffix.lower()
    if suffix not in KINDS:
        raise SettingError(f"a picture must be one of {', '.join(KINDS)}, got {Path(path).name!r}")
    return suffix


def _curve(cutting: Cutting, splitter: Any, embedder: Embedder) -> Curve:
    if cutting.made is not None and splitter is not None:
        return curve(cutting.made, splitter.background, splitter.cut)
    return curve(plain(cutting.text, embedder), embedder.background)


def _gaps(axes: Axes, cutting: Cutting, drawn: Curve, title: str) -> None:
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
        axes.axhline(drawn.threshold, color=THRESHOLD, linestyle="--", linewidth=1.3)
        _beside(axes, drawn.threshold, f"threshold\n{drawn.threshold:.3f}")
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


def _crowd(axes: Axes, drawn: Curve) -> None:
    """More gaps than there are points on a screen: of each stretch of them the median, the lowest and the highest."""
    stretches = [(part, drawn.scores[part]) for part in np.array_split(np.arange(len(drawn.places)), CROWDED)]
    middles = [np.median(drawn.places[part]) for part, _ in stretches]
    low, median, high = np.array([np.quantile(scores, (0, 0.5, 1)) for _, scores in stretches]).T
    axes.fill_between(middles, low, high, color=EDGES[0], alpha=0.3, linewidth=0)
    axes.plot(middles, median, color=INK, linewidth=1.1)


def _beside(axes: Axes, value: float, text: str) -> None:
    """What a line across the Axes is, right of it, where it covers nothing."""
    axes.annotate(
        text,
        (1, value),
        xycoords=("axes fraction", "data"),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize=9,
        color=THRESHOLD,
        annotation_clip=False,
    )


def _sizes(axes: Axes, cutting: Cutting, sizing: Sizing, unit: str) -> None:
    """A bar per chunk, as wide as the chunk and as high as its size."""
    spans = np.array(cutting.spans, float).reshape(-1, 2)
    sizes = [sizing.sizer(cutting.chunk(number)) for number in range(len(spans))]
    if len(spans) <= CROWDED:
        colours = [EDGES[number % len(EDGES)] for number in range(len(spans))]
        axes.bar(spans[:, 0], sizes, width=spans[:, 1] - spans[:, 0], align="edge", color=colours, alpha=0.75)
    else:
        axes.plot(spans.mean(axis=1), sizes, color=EDGES[0], linestyle="", marker=".", markersize=2)
        axes.set_ylim(0, 1.1 * max(*sizes, sizing.size or 0))
    if sizing.size is not None:
        axes.axhline(sizing.size, color=THRESHOLD, linestyle=":", linewidth=1.2)
        _beside(axes, sizing.size, f"limit\n{sizing.size:,}")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel(f"size,\n{unit}")
    axes.set_xlabel("place in the text, characters")
