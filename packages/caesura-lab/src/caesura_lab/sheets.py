"""Pictures of a PDF's pages, on which the page of `view` marks chunks."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from io import BytesIO
from itertools import chain, islice
from typing import Any

from caesura_documents.pdf import has_pdf_reader
from caesura_lab.reading import Source

MOST = 20
"""Pages that are shown as pictures at most: the page of `view` has them all in it."""
WIDTH = 900
"""Pixels of a picture."""
_QUALITY = 40


def can_draw() -> bool:
    """Whether what draws pages is installed."""
    return has_pdf_reader() and find_spec("PIL") is not None


def choose_pages(source: Source, found: Iterable[tuple[int, int]]) -> list[int]:
    """The numbers of the pages to draw, at most `MOST`: those of slices that were found, the best first, then the
    others from the first on."""
    wanted = (range(pages[0], pages[1] + 1) for start, end in found if (pages := source.pages(start, end)))
    every = sorted({entry["page"] for entry in source.layout})
    return sorted(islice(dict.fromkeys(chain(*wanted, every)), MOST))


def draw_pages(source: Source, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Pages of a PDF -> by the number of each its width and height in points, and its picture as an address of data."""
    from caesura_documents.printed import pdfium

    sheets: dict[int, dict[str, Any]] = {}
    for number, (width, height), picture in pdfium.render_pages(source.pdf, numbers, WIDTH):
        written = BytesIO()
        picture.convert("RGB").save(written, "WEBP", quality=_QUALITY, method=4)
        address = f"data:image/webp;base64,{b64encode(written.getvalue()).decode()}"
        sheets[number] = {"width": width, "height": height, "image": address}
    return sheets


def boxes_of(source: Source, start: int, end: int) -> list[list[float]]:
    """A slice of a PDF's text -> the boxes that it stands in, each as page, left, top, right and bottom in points."""
    return [[entry["page"], *entry["box"]] for entry in source.entries(start, end) if entry.get("box")]
