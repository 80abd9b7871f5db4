"""Texts and splitters -> one self-contained page: the chunks in colour, the gap curve, and why each chunk begins."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from caesura.types import Embed
from caesura_lab.embedders.embedder import Embedder
from caesura_lab.embedders.wrappers import remembering
from caesura_lab.inputs import Texts, texts_of
from caesura_lab.page.data import document
from caesura_lab.page.html import page
from caesura_lab.sizing import sizing
from caesura_lab.splitters.methods import Splitters, methods
from caesura_lab.token_counters import token_counter

DEFAULT = ("double-pass", "optimal", "cluster", "percentile")


@dataclass(frozen=True, slots=True)
class Page:
    """A page: `html` is all of it; in a notebook it shows itself."""

    html: str = field(repr=False)
    height: int = 720
    """Pixels, in a notebook."""

    def save(self, path: str | Path) -> Path:
        """Writes the page -> its path."""
        Path(path).write_text(self.html, encoding="utf-8", newline="\n")
        return Path(path)

    def _repr_html_(self) -> str:
        return (
            f'<iframe sandbox="allow-scripts" style="width:100%;height:{self.height}px;border:1px solid #8886" '
            f'srcdoc="{escape(self.html)}"></iframe>'
        )


def view(
    texts: Texts,
    splitters: Splitters = None,
    *,
    embedder: str | Embed | Embedder = "static",
    size: int | None = None,
    min_size: int = 0,
    overlap: int = 0,
    unit: str = "characters",
    tokenizer: str = "wordpiece",
) -> Page:
    """Texts and splitters -> a `Page`. splitters: as `compare` takes them; None: our four.

    Every text is embedded once for all splitters of ours. Raises `SettingError`, `ReadingError`, and what a splitter
    raises.
    """
    held, embed = texts_of(texts), remembering(embedder)
    sizes = sizing(size, min_size, overlap, unit, tokenizer)
    ready = methods(DEFAULT if splitters is None else splitters, sizes)
    count = token_counter(tokenizer)
    documents = [document(name, text, ready, embed, sizes.sizer, count) for name, text in held.items()]
    return Page(page({"unit": unit, "documents": documents}, next(iter(held))))
