"""Segmentation error, 0 (equal) to 1: Pk and WindowDiff of the breaks that a splitter finds against the true ones.

Both slide a window over the text and compare unit i with unit i + k, for each of the n - k such pairs. Pk (Beeferman,
Berger and Lafferty 1999) asks whether the two segmentations agree on the two being in one segment, WindowDiff
(Pevzner and Hearst 2002) whether they agree on how many breaks lie between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura import SettingError
from caesura.checks import check_int
from caesura.types import Embed
from caesura_lab.embedders import Embedder
from caesura_lab.inputs import Texts, prepare_inputs
from caesura_lab.sizing import make_sizing
from caesura_lab.splitters.methods import WORD, AnySplitters
from caesura_lab.tables import Row, Table


def window(reference: ArrayLike, units: int) -> int:
    """The window k that is usual: half the mean true segment's length in units, rounded (half to even), 1 or more."""
    check_int("units", units, 1)
    return max(1, round(units / (len(_check_breaks("reference", reference, units)) + 1) / 2))


def pk(reference: ArrayLike, hypothesis: ArrayLike, units: int, k: int | None = None) -> float:
    """The share of pairs k units apart on which two segmentations disagree about their being in one segment.

    reference, hypothesis: breaks, the first unit of each segment but the first. k: by default `window`.
    Returns 0.0 for one unit, which has no pairs. Raises `SettingError` where breaks do not rise within 1..units - 1, or
    `k` leaves no pair.

    >>> pk([5], [5], 10), pk([5], [], 10)
    (0.0, 0.25)
    """
    expected, actual = _count_breaks_between(reference, hypothesis, units, k)
    return float(((expected > 0) != (actual > 0)).mean()) if len(expected) else 0.0


def window_diff(reference: ArrayLike, hypothesis: ArrayLike, units: int, k: int | None = None) -> float:
    """The share of pairs k units apart on which two segmentations disagree about the number of breaks between them.

    Takes, returns and raises as `pk` does.

    >>> window_diff([5], [5, 6], 10, k=3)  # of 7 windows, 3 see one break too many
    0.42857142857142855
    """
    expected, actual = _count_breaks_between(reference, hypothesis, units, k)
    return float((expected != actual).mean()) if len(expected) else 0.0


def evaluate_segmentation(
    texts: Texts,
    breaks: Mapping[str, ArrayLike] | ArrayLike,
    splitters: AnySplitters = None,
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
    inputs = prepare_inputs(texts, splitters, None, embedder, make_sizing(size, unit=unit))
    by_name = inputs.texts
    if not isinstance(breaks, Mapping):
        breaks = dict.fromkeys(by_name, breaks) if len(by_name) == 1 else {}
    if without := sorted(set(by_name) - set(breaks)):
        raise SettingError(f"breaks must be given for each text by its name, none for {', '.join(without[:5])}")
    words = {name: np.array([word.start() for word in WORD.finditer(text)], np.intp) for name, text in by_name.items()}
    true = {
        name: _break_words(_check_places(name, breaks[name], len(text)), words[name]) for name, text in by_name.items()
    }
    rows: list[Row] = []
    for method in inputs.methods:
        cuttings = inputs.cut_texts(method)
        cases = [
            (true[name], _break_words([start for start, _ in cutting.spans], words[name]), max(len(words[name]), 1))
            for name, cutting in cuttings.items()
        ]
        rows.append(
            {
                "splitter": method.name,
                "pk": float(np.mean([pk(*case) for case in cases])),
                "window_diff": float(np.mean([window_diff(*case) for case in cases])),
                "chunks": sum(len(cutting.spans) for cutting in cuttings.values()),
            }
        )
    segments = sum(len(each) + 1 for each in true.values())
    notes = (
        f"{len(by_name)} text{'s' * (len(by_name) > 1)} of {segments} segments; 0 is right, the lower the better.",
    )
    return Table(tuple(rows), "Segmentation error", notes, frozenset(("pk", "window_diff")))


def _check_places(name: str, breaks: ArrayLike, length: int) -> ArrayLike:
    places = np.asarray(breaks)
    whole = places.ndim == 1 and places.dtype.kind in "iu"
    if places.size and not (whole and places.min() >= 1 and places.max() < length):
        raise SettingError(f"breaks of {name!r} must be whole numbers in 1..{length - 1}, got {breaks!r:.80}")
    return places


def _break_words(places: ArrayLike, words: NDArray[np.intp]) -> NDArray[np.intp]:
    """The first words of segments, each once, without the first and the end of the text."""
    firsts = np.unique(np.searchsorted(words, places))
    return firsts[(firsts > 0) & (firsts < len(words))].astype(np.intp)


def _count_breaks_between(
    reference: ArrayLike, hypothesis: ArrayLike, units: int, k: int | None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The number of breaks between unit i and unit i + k, for each pair, in both segmentations."""
    k = window(reference, units) if k is None else k
    check_int("k", k, 1)
    if k >= units > 1:
        raise SettingError(f"k must be under the number of units, {units}, so that there is a pair, got {k}")
    expected, actual = (
        np.searchsorted(_check_breaks(name, breaks, units), np.arange(units), side="right")
        for name, breaks in (("reference", reference), ("hypothesis", hypothesis))
    )
    return expected[k:] - expected[:-k], actual[k:] - actual[:-k]


def _check_breaks(name: str, breaks: ArrayLike, units: int) -> NDArray[Any]:
    array = np.asarray(breaks)
    if not array.size:
        return np.zeros(0, np.intp)
    if array.ndim != 1 or array.dtype.kind not in "iu" or (array[1:] <= array[:-1]).any():
        raise SettingError(
            f"{name} must be whole numbers that rise, the first unit of each new segment, got {breaks!r}"
        )
    if array[0] < 1 or array[-1] >= units:
        raise SettingError(
            f"{name} must lie in 1..{units - 1} for {units} units, got {array[0]}..{array[-1]}; "
            f"neither the start nor the end of the text is a break"
        )
    return array
