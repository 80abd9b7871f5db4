"""A text, splitters and an embedder -> what page.js reads: chunks with sizes and reasons, and the gap curves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.text.structure import structure
from caesura.types import Sizer
from caesura_lab.curves import Curve, curve_of
from caesura_lab.embedders.embedder import Embedder
from caesura_lab.reasons import SHOWN, reasons
from caesura_lab.splitters.cutting import Cutting, Method


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
