"""The page that shows chunks in their text, with the reason for each and the gap curve."""

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
from caesura_documents.titles import own_title
from caesura_lab.embedders import Embedder, caching_embedder
from caesura_lab.inputs import Texts, collect_sources
from caesura_lab.passage_index import FoundPassage, PassageIndex, check_question
from caesura_lab.plotting import GapCurve, cutting_curve
from caesura_lab.reading import Source
from caesura_lab.reasons import EDGE_WORDS, explain_chunks
from caesura_lab.sheets import boxes_of, can_draw, choose_pages, draw_pages
from caesura_lab.sizing import make_sizing, token_counter
from caesura_lab.splitters.methods import OURS, AnySplitters, Cutting, Method, make_methods


@dataclass(frozen=True, slots=True)
class Page:
    """A page; in a notebook it shows itself. html: all of it."""

    html: str = field(repr=False)
    height: int = 720
    """Pixels, in a notebook."""

    def save(self, path: str | Path) -> Path:
        """Writes the page -> its path. Raises `OSError` if the file cannot be written."""
        Path(path).write_text(self.html, encoding="utf-8", newline="\n")
        return Path(path)

    def _repr_html_(self) -> str:
        return (
            f'<iframe sandbox="allow-scripts" style="width:100%;height:{self.height}px;border:1px solid #8886" '
            f'srcdoc="{escape(self.html)}"></iframe>'
        )


def view(
    texts: Texts,
    splitters: AnySplitters = None,
    *,
    embedder: str | Embed | Embedder = "static",
    size: int | None = None,
    min_size: int = 0,
    overlap: int = 0,
    unit: str = "characters",
    tokenizer: str = "wordpiece",
    question: str | None = None,
    budget: int = 4000,
) -> Page:
    """Texts and splitters -> a `Page`. splitters: as `compare` takes them; None: all of ours.

    question: one whose passages are marked, those that a `PassageIndex` of each splitter's chunks finds within
    `budget` characters. Every text is embedded once for all splitters of ours. Raises `SettingError`, `ReadingError`,
    and what a splitter raises.
    """
    sources, cached = collect_sources(texts), caching_embedder(embedder)
    sizing = make_sizing(size, min_size, overlap, unit, tokenizer if unit == "tokens" else None)
    methods = make_methods(list(OURS) if splitters is None else splitters, sizing)
    count = token_counter(tokenizer)
    if question is not None:
        check_question(question)
    names, contents = [source.path for source in sources], [source.text for source in sources]
    cut = [method(contents, cached, files=names) for method in methods]
    documents = [
        describe_text(source, list(zip(methods, cuttings, strict=True)), cached, sizing.sizer, count)
        for source, cuttings in zip(sources, zip(*cut, strict=True), strict=True)
    ]
    data: dict[str, Any] = {"unit": unit, "documents": documents}
    if question is not None:
        data["question"] = question
        for number, (method, cuttings) in enumerate(zip(methods, cut, strict=True)):
            index = PassageIndex.of_cuttings(sources, cuttings, method.sizing, cached)
            passages = index.find(question, budget=budget)
            for source, document in zip(sources, documents, strict=True):
                add_found(document["views"][number], passages, source.path)
    if can_draw():
        for source, document in zip(sources, documents, strict=True):
            if source.pdf:
                add_sheets(document, source)
    return Page(build_html(data, sources[0].path))


def add_found(view: dict[str, Any], passages: Sequence[FoundPassage], path: str) -> None:
    """Puts into a view of a text the passages of it that were found, the best first, and why each chunk was.

    A passage is its rank, its first and its last chunk, and the best of them."""
    view["found"], rows = [], view["chunks"]
    places = {(row[2], row[3]): at for at, row in enumerate(rows)}
    for row in rows:
        row.append(None)
    for rank, passage in enumerate(passages, 1):
        if passage.path != path:
            continue
        reasons = {(chunk.start, chunk.end): chunk.why() for chunk in passage.chunks}
        best = places[passage.chunks[0].start, passage.chunks[0].end]
        own = {at for at, row in enumerate(rows) if passage.start <= row[2] and row[3] <= passage.end} | {best}
        view["found"].append([rank, min(own), max(own), best])
        for at in own:
            said = reasons.get((rows[at][2], rows[at][3]), "it stands among chunks that were found")
            rows[at][-1] = f"Passage {rank} of {len(passages)}: {said}."


def add_sheets(document: dict[str, Any], source: Source) -> None:
    """Puts into the data of a PDF the pictures of pages, by their numbers: first those with passages that were found,
    and where on its pages each chunk stands."""
    chunks = [(view, found) for view in document["views"] for found in view.get("found", ())]
    chunks.sort(key=lambda one: one[1][0])
    spans = [(view["chunks"][first][2], view["chunks"][last][3]) for view, (_, first, last, _) in chunks]
    document["sheets"] = draw_pages(source, choose_pages(source, spans))
    for view in document["views"]:
        view["boxes"] = [boxes_of(source, row[2], row[3]) for row in view["chunks"]]


def describe_text(
    source: Source, cuttings: Sequence[tuple[Method, Cutting]], embedder: Embedder, size: Sizer, count: Sizer
) -> dict[str, Any]:
    """One text as the page wants it: places in UTF-16 units beside those in characters."""
    utf16 = _utf16_places(source.text)
    curves: dict[str, tuple[int, dict[str, Any]]] = {}
    views: list[dict[str, Any]] = []
    for method, cutting in cuttings:
        curve = cutting_curve(cutting, method, embedder)
        points = {
            "places": utf16[curve.places].tolist(),
            "scores": np.round(curve.scores, 4).tolist(),
            "threshold": None if curve.threshold is None else round(curve.threshold, 6),
            "exact": curve.exact,
        }
        number, _ = curves.setdefault(json.dumps(points), (len(curves), points))
        scores = dict(zip(curve.places.tolist(), points["scores"], strict=True))
        reasons = _explain(cutting, method, embedder, curve)
        chunks = []
        rows = zip(cutting.spans, cutting.chunks, reasons, _own_starts(cutting), strict=True)
        for (start, end), chunk, reason, own_start in rows:
            places = [int(utf16[start]), int(utf16[end]), start, end]
            chunks.append([*places, size(chunk), count(chunk), scores.get(own_start), reason])
        views.append({"splitter": method.name, "curve": number, "chunks": chunks})
    for view in views if source.layout else ():
        view["pages"] = [source.pages(row[2], row[3]) for row in view["chunks"]]
    own = {"name": source.path, "title": own_title(source.metadata, source.text), "text": source.text}
    return {**own, "curves": [points for _, points in curves.values()], "views": views}


def _explain(cutting: Cutting, method: Method, embedder: Embedder, curve: GapCurve) -> list[str]:
    """Why each chunk begins where it does, as far as is known."""
    if cutting.segmentation is not None and method.splitter_for is not None:
        return explain_chunks(cutting.segmentation, method.splitter_for(embedder), curve)
    if not cutting.spans:
        return []
    units = set(curve.places.tolist())
    starts = [0, *(start for start, _ in cutting.spans[1:])]
    reasons = ["The text begins here."]
    for start, strength in zip(starts[1:], structure(cutting.text, starts).tolist(), strict=True):
        where = EDGE_WORDS.get(strength) or ("between two sentences" if start in units else "inside a sentence")
        reasons.append(f"Its splitter gives no reason; it begins {where}.")
    return reasons


def _own_starts(cutting: Cutting) -> list[int]:
    """Where each chunk's own text begins, after what it repeats of the one before."""
    if cutting.segmentation is None:
        return [start for start, _ in cutting.spans]
    return [chunk.start for chunk in cutting.segmentation.chunks()]


def _utf16_places(text: str) -> NDArray[np.intp]:
    """(n + 1,) for each place in characters the place in UTF-16 units, in which JavaScript counts."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.concatenate(([0], np.cumsum(1 + (codes > 0xFFFF)))).astype(np.intp)


def build_html(data: Mapping[str, Any], title: str, name: str = "page", sources: Sequence[str] = ()) -> str:
    """Data and a title -> the HTML. name: of its files. sources: more rules of what the page may ask for."""
    script, style, body = (
        files("caesura_lab").joinpath("page", f"{name}.{kind}").read_text("utf-8") for kind in ("js", "css", "html")
    )
    policy = "; ".join(
        (
            "default-src 'none'",
            "img-src data:",  # pages of a PDF, and the empty icon, so that no browser asks for one
            f"script-src {_policy_hash(script)}",
            f"style-src {_policy_hash(style)}",
            *sources,
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    # ASCII only, lone surrogates and NUL as \uXXXX; and `<` as well, so that nothing in a text ends the element
    payload = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    title = escape(title.encode("utf-8", "replace").decode().replace("\0", "\ufffd"))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}"
        f'<script type="application/json" id="data">{payload}</script>\n<script>{script}</script>\n</body>\n</html>\n'
    )


def _policy_hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
