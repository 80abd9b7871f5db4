"""Texts, their true breaks and splitters -> a table of the error of each splitter's breaks: Pk and WindowDiff."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura import SettingError
from caesura.types import Embed
from caesura_lab.embedders.embedder import Embedder
from caesura_lab.inputs import Texts, prepared
from caesura_lab.located import WORD
from caesura_lab.segmentation import pk, window_diff
from caesura_lab.sizing import sizing
from caesura_lab.splitters.methods import Splitters
from caesura_lab.tables.table import Row, Table


def evaluate_segmentation(
    texts: Texts,
    breaks: Mapping[str, ArrayLike] | ArrayLike,
    splitters: Splitters = None,
    *,
    embedder: str | Embed | Embedder = "static",
    size: int | None = None,
    unit: str = "characters",
) -> Table:
    """Texts and their true breaks -> a `Table` of Pk and WindowDiff, the mean over the texts.

    breaks: by the name of each text the places, in characters, at which its segments begin, the first left out; for one
    text these alone. Words are the units between which segmentations are compared, so that splitters with
    different sentences can be. Raises `SettingError` where breaks are not given for each text or lie outside.
    """
    held, ready, embed, _ = prepared(texts, splitters, None, embedder, sizing(size, unit=unit))
    if not isinstance(breaks, Mapping):
        breaks = dict.fromkeys(held, breaks) if len(held) == 1 else {}
    if without := sorted(set(held) - set(breaks)):
        raise SettingError(f"breaks must be given for each text by its name, none for {', '.join(without[:5])}")
    words = {name: np.array([match.start() for match in WORD.finditer(text)], np.intp) for name, text in held.items()}
    true = {name: _in_words(_checked(name, breaks[name], len(text)), words[name]) for name, text in held.items()}
    rows: list[Row] = []
    for one in ready:
        cuttings = dict(zip(held, one(list(held.values()), embed), strict=True))
        found = {name: _in_words([start for start, _ in made.spans], words[name]) for name, made in cuttings.items()}
        pairs = [(true[name], found[name], max(len(words[name]), 1)) for name in held]
        rows.append(
            {
                "splitter": one.name,
                "pk": float(np.mean([pk(*pair) for pair in pairs])),
                "window_diff": float(np.mean([window_diff(*pair) for pair in pairs])),
                "chunks": sum(len(cutting.spans) for cutting in cuttings.values()),
            }
        )
    segments = sum(len(each) + 1 for each in true.values())
    notes = (f"{len(held)} text{'s' * (len(held) > 1)} of {segments} segments; 0 is right, the lower the better.",)
    return Table(tuple(rows), "Segmentation error", notes, frozenset(("pk", "window_diff")))


def _checked(name: str, breaks: ArrayLike, length: int) -> ArrayLike:
    places = np.asarray(breaks)
    whole = places.ndim == 1 and places.dtype.kind in "iu"
    if places.size and not (whole and places.min() >= 1 and places.max() < length):
        raise SettingError(f"breaks of {name!r} must be whole numbers in 1..{length - 1}, got {breaks!r:.80}")
    return places


def _in_words(places: ArrayLike, words: NDArray[np.intp]) -> NDArray[np.intp]:
    """The first words of segments, each once, without the first and the end of the text."""
    found = np.unique(np.searchsorted(words, places))
    return found[(found > 0) & (found < len(words))].astype(np.intp)
