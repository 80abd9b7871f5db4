"""A text, splitters and an embedder -> what page.js reads: chunks with sizes and reasons, and the gap curves."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.text.markup import structure
from caesura.types import Embed, Sizer
from caesura_lab.embedders import Embedder, remembering
from caesura_lab.inputs import Texts, texts_of
from caesura_lab.plotting import Curve, curve_of
from caesura_lab.reasons import SHOWN, reasons
from caesura_lab.sizing import sizing, token_counter
from caesura_lab.splitters.methods import Cutting, Method, Splitters, methods


def document(
    name: str, text: str, ready: Sequence[Method], embedder: Embedder, size: Sizer, count: Sizer
) -> dict[str, Any]:
    """One text as the page wants it: places in UTF-16 units beside those in characters."""
    utf16 = _utf16(text)
    curves: dict[bytes, tuple[int, dict[str, Any]]] = {}
    views = []
    for one in ready:
        cutting = one([text], embedder)[0]
        drawn = curve_of(cutting, one, embedder)
        said = _why(cutting, one, embedder, drawn)
        kept = {
            "places": utf16[drawn.places].tolist(),
            "scores": np.round(drawn.scores, 4).tolist(),
            "threshold": None if drawn.threshold is None else round(drawn.threshold, 6),
            "exact": drawn.exact,
        }
        number, _ = curves.setdefault(json.dumps(kept).encode(), (len(curves), kept))
        scores = dict(zip(drawn.places.tolist(), kept["scores"], strict=True))
        chunks = []
        rows = zip(cutting.spans, cutting.chunks, said, _begins(cutting), strict=True)
        for (start, end), piece, why, begins in rows:
            places = [int(utf16[start]), int(utf16[end]), start, end]
            chunks.append([*places, size(piece), count(piece), scores.get(begins), why])
        views.append({"splitter": one.name, "curve": number, "chunks": chunks})
    return {"name": name, "text": text, "curves": [kept for _, kept in curves.values()], "views": views}


def _why(cutting: Cutting, one: Method, embedder: Embedder, drawn: Curve) -> list[str]:
    """Why each chunk begins where it does, as far as is known."""
    if cutting.made is not None and one.make is not None:
        return reasons(cutting.made, one.make(embedder), drawn)
    known = set(drawn.places.tolist())
    starts = [0, *(start for start, _ in cutting.spans[1:])]
    edges = structure(cutting.text, starts) if cutting.spans else np.zeros(0)
    said = ["The text begins here."] if cutting.spans else []
    for start, shown in zip(starts[1:], edges.tolist(), strict=True):
        where = SHOWN.get(shown) or ("between two sentences" if start in known else "inside a sentence")
        said.append(f"Its splitter gives no reason; it begins {where}.")
    return said


def _begins(cutting: Cutting) -> list[int]:
    """Where each chunk's own text begins, after what it repeats of the one before."""
    if cutting.made is None:
        return [start for start, _ in cutting.spans]
    return [chunk.start for chunk in cutting.made.chunks()]


def _utf16(text: str) -> NDArray[np.intp]:
    """(n + 1,) for each place in characters the place in UTF-16 units, in which JavaScript counts."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.concatenate(([0], np.cumsum(1 + (codes > 0xFFFF)))).astype(np.intp)


def page(data: Mapping[str, Any], title: str) -> str:
    """Data and a title -> the HTML."""
    script, style, body = (
        files("caesura_lab").joinpath("page", f"page.{kind}").read_text("utf-8") for kind in ("js", "css", "html")
    )
    policy = "; ".join(
        (
            "default-src 'none'",
            "img-src data:",  # the empty icon, so that no browser asks for one
            f"script-src {_hash(script)}",
            f"style-src {_hash(style)}",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    # ASCII only, lone surrogates and NUL as \uXXXX; and `<` as well, so that nothing in a text ends the element
    held = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    title = escape(title.encode("utf-8", "replace").decode().replace("\0", "\ufffd"))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}"
        f'<script type="application/json" id="data">{held}</script>\n<script>{script}</script>\n</body>\n</html>\n'
    )


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"


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
