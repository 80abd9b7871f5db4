"""Gap curves, and the pictures of them: the curve with its threshold, the chunks shaded, their sizes under it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from caesura import Background, PercentileCut, Segmentation, SettingError, Splitter
from caesura.cuts.scores.gaps import Adjacent
from caesura.types import Embed, ScoredCut, Vectors
from caesura.vectors import unit_rows
from caesura_lab.embedders import Embedder, caching_embedder
from caesura_lab.inputs import Texts, collect_texts
from caesura_lab.sizing import Sizing, make_sizing
from caesura_lab.splitters.methods import AnySplitter, Cutting, Method, make_method, segment

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes

TINTS = ("#cfe6f7", "#fbe3b8", "#c5ead9", "#f3d3e4")
EDGES = ("#1d6fa5", "#96610a", "#0a7554", "#a03a75")
INK, THRESHOLD = "#33312d", "#c22f10"
CROWDED = 300
"""More chunks than this are too narrow to be seen one by one, and so are eight times as many gaps."""
PICTURE_SUFFIXES = (".png", ".svg", ".pdf")


@dataclass(frozen=True, slots=True, eq=False)
class GapCurve:
    """The gaps between sentences: (m,) `places`, first characters of what comes after each, and (m,) `scores`.

    A score is 1 less a cosine, so 0 to 2: how different the text after the gap is from that before it. threshold: what
    a score must be over for a cut, or None where the cut does not go by one. exact: whether the cut went by these very
    scores; else they are those of the three sentences on either side, drawn for comparison.
    """

    places: NDArray[np.intp]
    scores: NDArray[np.float64]
    threshold: float | None = None
    exact: bool = False


def plot(
    texts: Texts,
    splitter: AnySplitter = "percentile:target_size=none",
    *,
    embedder: str | Embed | Embedder = "static",
    size: int | None = None,
    min_size: int = 0,
    overlap: int = 0,
    unit: str = "characters",
    tokenizer: str | None = None,
    axes: Axes | None = None,
) -> Axes:
    """One text, or a file, and a splitter -> the matplotlib Axes of the gap curve.

    Above, how different the text is on either side of each gap, with the threshold where the splitter cuts by one, and
    the chunks shaded; below, on Axes that share its x, the size of each chunk and the limit. axes: draws the curve
    alone into yours, and opens no figure. Nothing is shown or saved: ``plot(…).figure.savefig("gaps.png")``.

    Raises `SettingError` for more than one text, `ImportError` where matplotlib is not installed.
    """
    by_name = collect_texts(texts)
    if len(by_name) != 1:
        raise SettingError(f"a picture shows one text, got {len(by_name)}: {', '.join(sorted(by_name)[:5])}")
    (name, text), cached = next(iter(by_name.items())), caching_embedder(embedder)
    sizing = make_sizing(size, min_size, overlap, unit, tokenizer)
    method = make_method(splitter, sizing)
    cutting = method([text], cached, files=[name])[0]
    curve, title = cutting_curve(cutting, method, cached), f"{name}: {method.name}"
    if axes is not None:
        draw_gaps(axes, cutting, curve, title)
        return axes
    _, (above, below) = open_axes(2, 1, sharex=True, figsize=(10, 5), height_ratios=(3, 1.4))
    draw_gaps(above, cutting, curve, title)
    draw_sizes(below, cutting, method.sizing if method.limited else Sizing(None, sizer=sizing.sizer), unit)
    above.set_xlabel("")
    return cast("Axes", above)


def open_axes(rows: int, columns: int, **settings: Any) -> tuple[Any, Any]:
    """A new figure of matplotlib's, and its Axes. Raises `ImportError` where it is not installed."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError('a picture needs matplotlib: pip install "caesura-lab[plot]"') from error
    figure, axes = cast(Any, pyplot).subplots(rows, columns, layout="constrained", **settings)
    return figure, axes


def draw_without_screen() -> None:
    """Pictures are drawn into files from here on. Raises `SettingError` where matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError as error:
        raise SettingError('a picture needs matplotlib: pip install "caesura-lab[plot]"') from error
    matplotlib.use("Agg")


def save_figure(axes: Axes, path: str | Path) -> Path:
    """The figure of the Axes -> a file, png, svg or pdf by its suffix, the same bytes for the same figure."""
    path, suffix = Path(path), check_suffix(path)
    import matplotlib

    metadata: dict[str, Any] = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with matplotlib.rc_context({"svg.hashsalt": "caesura"}):
        cast(Any, axes.figure).savefig(path, dpi=110, metadata=metadata[suffix])
    return path


def check_suffix(path: str | Path) -> str:
    """The name of a picture -> .png, .svg or .pdf. Raises `SettingError` for another."""
    suffix = Path(path).suffix.lower()
    if suffix not in PICTURE_SUFFIXES:
        raise SettingError(f"a picture must be one of {', '.join(PICTURE_SUFFIXES)}, got {Path(path).name!r}")
    return suffix


def cutting_curve(cutting: Cutting, method: Method, embedder: Embedder) -> GapCurve:
    """A text as a splitter cut it -> its curve; where the splitter is another's, that of the text's sentences."""
    if cutting.segmentation is not None and method.splitter_for is not None:
        splitter = method.splitter_for(embedder)
        return segmentation_curve(cutting.segmentation, splitter.background, splitter.cut)
    (segmentation,) = segment(Splitter(cut=PercentileCut()), [cutting.text], embedder)
    return segmentation_curve(segmentation, embedder.background)


def segmentation_curve(segmentation: Segmentation, background: Background | None, cut: object = None) -> GapCurve:
    """A segmentation, what its rows were centred on, and the cut that made it -> the curve to draw.

    The scores of a cut that has scores are its own, else, and near a target, those of `Adjacent` windows.
    """
    text, edges = segmentation.text, segmentation.units.tolist()
    units, vectors = centre_units(segmentation, background)
    places = np.array([_first_character(text, edges[unit], edges[unit + 1]) for unit in units[1:]], np.intp)
    decides = segmentation.limits.target_size is None
    if decides and segmentation.gaps is not None and isinstance(cut, ScoredCut):
        scores = segmentation.gaps[units[1:] - 1]
        return GapCurve(places, scores, find_threshold(cut, scores), True)
    return GapCurve(places, Adjacent()(vectors, segmentation.sizes[units]))


def centre_units(segmentation: Segmentation, background: Background | None) -> tuple[NDArray[np.intp], Vectors]:
    """A segmentation -> the numbers of its units that are not blank, and their unit rows, as a cut sees them."""
    units = np.flatnonzero(segmentation.sizes)
    rows = segmentation.rows[units]
    if background is None:
        return units, unit_rows(rows)
    return units, unit_rows(rows, background.mean, background.weight)


def find_threshold(cut: object, scores: NDArray[np.float64]) -> float | None:
    """The line between the scores that a cut's threshold passes and those that it does not; None if there is none.

    Any number between the highest below and the lowest above is equal to it on these scores; this is the middle.
    """
    choose = getattr(cut, "threshold", None)
    if choose is None or not len(scores):
        return None
    over = choose(scores)
    if not over.any() or over.all():
        return None
    low, high = float(scores[~over].max()), float(scores[over].min())
    return (low + high) / 2 if low < high else None


def _first_character(text: str, start: int, end: int) -> int:
    """Where a unit's first character stands that is not blank."""
    return start + len(text[start:end]) - len(text[start:end].lstrip())


def draw_gaps(axes: Axes, cutting: Cutting, curve: GapCurve, title: str) -> None:
    """The curve, its threshold where the cut goes by these scores, and the chunks."""
    count = len(cutting.spans)
    for number, (start, end) in enumerate(cutting.spans if count <= CROWDED else ()):
        axes.axvspan(start, end, color=TINTS[number % len(TINTS)], linewidth=0)
        if number:
            axes.axvline(start, color=EDGES[number % len(EDGES)], linewidth=0.8, zorder=1.5)
    if len(curve.places) <= 8 * CROWDED:
        axes.plot(curve.places, curve.scores, color=INK, linewidth=1.1, marker=".", markersize=3 if count < 200 else 0)
        suffix = ""
    else:
        _draw_stretches(axes, curve)
        suffix = ",\nmedian and range"
    if curve.exact and curve.threshold is not None:
        draw_level(axes, curve.threshold, f"threshold\n{curve.threshold:.3f}")
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
    axes.set_ylabel(("gap score" if curve.exact else "gap (3 sentences\non either side)") + suffix)
    axes.set_xlabel("place in the text, characters")
    axes.set_xlim(0, max(len(cutting.text), 1))
    axes.margins(y=0.1)  # room for the numbers under the curve
    axes.xaxis.set_major_formatter("{x:,.0f}")


def draw_sizes(axes: Axes, cutting: Cutting, sizing: Sizing, unit: str) -> None:
    """A bar per chunk, as wide as the chunk and as high as its size."""
    spans = np.array(cutting.spans, float).reshape(-1, 2)
    sizes = [sizing.sizer(chunk) for chunk in cutting.chunks]
    limit = sizing.size if isinstance(sizing.size, int) else None
    if len(spans) <= CROWDED:
        colours = [EDGES[number % len(EDGES)] for number in range(len(spans))]
        axes.bar(spans[:, 0], sizes, width=spans[:, 1] - spans[:, 0], align="edge", color=colours, alpha=0.75)
    else:
        axes.plot(spans.mean(axis=1), sizes, color=EDGES[0], linestyle="", marker=".", markersize=2)
        axes.set_ylim(0, 1.1 * max(*sizes, limit or 0))
    if limit is not None:
        draw_level(axes, limit, f"limit\n{limit:,}", ":")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel(f"size,\n{unit}")
    axes.set_xlabel("place in the text, characters")


def _draw_stretches(axes: Axes, curve: GapCurve) -> None:
    """More gaps than there are points on a screen: of each stretch of them the median, the lowest and the highest."""
    stretches = [(part, curve.scores[part]) for part in np.array_split(np.arange(len(curve.places)), CROWDED)]
    middles = [np.median(curve.places[part]) for part, _ in stretches]
    low, median, high = np.array([np.quantile(scores, (0, 0.5, 1)) for _, scores in stretches]).T
    axes.fill_between(middles, low, high, color=EDGES[0], alpha=0.3, linewidth=0)
    axes.plot(middles, median, color=INK, linewidth=1.1)


def draw_level(axes: Axes, value: float, name: str, style: str = "--") -> None:
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
