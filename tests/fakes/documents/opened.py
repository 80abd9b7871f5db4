"""Documents as PyMuPDF gives them, which is not installed here: what `from_pymupdf` reads of one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


class Span(dict[str, Any]):
    """A span of `rawdict`, ten points high, whose letters are five points wide."""

    def __init__(self, text: str, left: float, base: float, font: str = "Helvetica", flags: int = 0) -> None:
        chars = [
            {"c": mark, "bbox": (left + 5 * n, base - 8, left + 5 * n + 5, base + 2), "origin": (left + 5 * n, base)}
            for n, mark in enumerate(text)
        ]
        super().__init__(size=10.0, font=font, flags=flags, chars=chars)


class Page:
    """A page as PyMuPDF gives it."""

    def __init__(
        self, lines: list[list[Span]], rotation: int = 0, matrix: tuple[float, ...] = (1, 0, 0, 1, 0, 0)
    ) -> None:
        self.rect = SimpleNamespace(width=612.0, height=792.0)
        self.rotation = rotation
        self.rotation_matrix = SimpleNamespace(**dict(zip("abcdef", matrix, strict=True)))
        self.lines = lines

    def get_label(self) -> str:
        return ""

    def get_text(self, form: str) -> dict[str, Any]:
        assert form == "rawdict"
        return {"blocks": [{"type": 1}, {"lines": [{"dir": (1.0, 0.0), "spans": spans} for spans in self.lines]}]}

    def get_drawings(self) -> list[Any]:
        return [{"rect": (72, 100, 300, 100.5)}, {"rect": (0, 0, 600, 700)}]

    def get_images(self) -> list[Any]:
        return [] if self.lines else [1]


class Opened:
    """A document as PyMuPDF gives it."""

    def __init__(self, *pages: Page) -> None:
        self.pages = pages
        self.page_count = len(pages)
        self.metadata = {"title": "Ferries", "author": None, "format": "PDF 1.7"}
        self.name = "ferry.pdf"

    def load_page(self, number: int) -> Page:
        return self.pages[number]

    def get_toc(self) -> list[Any]:
        return [[1, "Hours", 1], [2, "Elsewhere", -1]]
