"""A text and a splitter -> a picture: the gap curve with its threshold, the chunks shaded, their sizes under it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from caesura import SettingError
from caesura.types import Embed
from caesura_lab.curves import curve_of
from caesura_lab.drawing import draw_gaps, draw_sizes
from caesura_lab.embedders.embedder import Embedder
from caesura_lab.embedders.wrappers import remembering
from caesura_lab.inputs import Texts, texts_of
from caesura_lab.sizing import Sizing, sizing
from caesura_lab.splitters.methods import Given, method

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import-not-found, unused-ignore]

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
    (name, text), embed = next(iter(held.items())), remembering(embedder)
    sizes = sizing(size, min_size, overlap, unit, tokenizer)
    one = method(splitter, sizes)
    cutting = one([text], embed)[0]
    drawn = curve_of(cutting, one, embed)
    if axes is not None:
        draw_gaps(axes, cutting, drawn, f"{name}: {one.name}")
        return axes
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError('a picture needs matplotlib: pip install "caesura-lab[plot]"') from error
    _, (above, below) = cast(Any, pyplot).subplots(
        2, 1, sharex=True, figsize=(10, 5), height_ratios=(3, 1.4), layout="constrained"
    )
    draw_gaps(above, cutting, drawn, f"{name}: {one.name}")
    draw_sizes(below, cutting, one.sizing if one.limited else Sizing(None, sizer=sizes.sizer), unit)
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
