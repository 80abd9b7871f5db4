"""Texts, splitters and what is right -> scores: retrieval against questions, segmentation against true breaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura import SettingError
from caesura.types import Embed
from caesura_lab.comparison import Splitters, Texts, prepared, scores_of
from caesura_lab.embedders import Embedder
from caesura_lab.located import WORD
from caesura_lab.methods import Cutting
from caesura_lab.peers import Sizing
from caesura_lab.questions import Question
from caesura_lab.retrieval import Scores
from caesura_lab.segmentation import pk, window_diff
from caesura_lab.sizers import limit, sizer
from caesura_lab.tables import Row, Table


def evaluate_retrieval(
    texts: Texts,
    questions: str | Path | Sequence[Question],
    splitters: Splitters = None,
    *,
    embedder: str | Embed | Embedder = "static",
    size: int | None = None,
    unit: str = "characters",
    k: int = 5,
    budgets: Sequence[int] = (1_000, 4_000),
) -> dict[str, Scores]:
    """Texts and questions -> by the name of each splitter its `Scores`, question by question.

    All chunks of all texts are in one index, ranked by cosine; `paired_interval` says whether a difference between two
    splitters' scores is more than chance. Raises as `compare` does, and what a splitter raises.
    """
    sizing = Sizing(limit(size, unit), sizer=sizer(unit))
    held, ready, embed, asked = prepared(texts, splitters, questions, embedder, sizing)
    vectors = embed([question.question for question in asked])
    found = {}
    for one in ready:
        cuttings = dict(zip(held, one(list(held.values()), embed), strict=True))
        found[one.name] = scores_of(cuttings, asked, vectors, embed, k, budgets)
    return found


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
    sizing = Sizing(limit(size, unit), sizer=sizer(unit))
    held, ready, embed, _ = prepared(texts, splitters, None, embedder, sizing)
    if not isinstance(breaks, Mapping):
        breaks = dict.fromkeys(held, breaks) if len(held) == 1 else {}
    if without := sorted(set(held) - set(breaks)):
        raise SettingError(f"breaks must be given for each text by its name, none for {', '.join(without[:5])}")
    words = {name: np.array([match.start() for match in WORD.finditer(text)], np.intp) for name, text in held.items()}
    true = {name: _in_words(name, breaks[name], words[name], len(text)) for name, text in held.items()}
    rows: list[Row] = []
    for one in ready:
        cuttings = dict(zip(held, one(list(held.values()), embed), strict=True))
        found = {name: _starts(cutting, words[name]) for name, cutting in cuttings.items()}
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


def _in_words(name: str, breaks: ArrayLike, words: NDArray[np.intp], length: int) -> NDArray[np.intp]:
    places = np.asarray(breaks)
    whole = places.ndim == 1 and places.dtype.kind in "iu"
    if places.size and not (whole and places.min() >= 1 and places.max() < length):
        raise SettingError(f"breaks of {name!r} must be whole numbers in 1..{length - 1}, got {breaks!r:.80}")
    return _between(np.searchsorted(words, places), len(words))


def _starts(cutting: Cutting, words: NDArray[np.intp]) -> NDArray[np.intp]:
    return _between(np.searchsorted(words, [start for start, _ in cutting.spans]), len(words))


def _between(numbers: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """The first words of segments, each once, without the first and the end of the text."""
    found = np.unique(numbers)
    return found[(found > 0) & (found < count)].astype(np.intp)
