"""Texts, questions and splitters -> what retrieval finds, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from caesura.types import Embed
from caesura_lab.embedders.embedder import Embedder
from caesura_lab.inputs import Texts, prepared
from caesura_lab.question import Question
from caesura_lab.retrieval import Scores, evaluate
from caesura_lab.sizing import sizing
from caesura_lab.splitters.cutting import Cutting
from caesura_lab.splitters.methods import Splitters


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
    held, ready, embed, asked = prepared(texts, splitters, questions, embedder, sizing(size, unit=unit))
    vectors = embed([question.question for question in asked])
    found = {}
    for one in ready:
        cuttings = dict(zip(held, one(list(held.values()), embed), strict=True))
        found[one.name] = scores_of(cuttings, asked, vectors, embed, k, budgets)
    return found


def scores_of(
    cuttings: Mapping[str, Cutting],
    questions: Sequence[Question],
    vectors: NDArray[np.float32],
    embedder: Embedder,
    k: int,
    budgets: Sequence[int],
) -> Scores:
    """Cuttings by the name of their text -> scores: every chunk is embedded, and retrieved from one index of all."""
    chunks = {name: np.array(cutting.spans, np.intp).reshape(-1, 2) for name, cutting in cuttings.items()}
    flat = embedder([chunk for cutting in cuttings.values() for chunk in cutting.chunks])
    ends = np.cumsum([len(cutting.spans) for cutting in cuttings.values()])[:-1]
    rows = dict(zip(cuttings, np.split(flat, ends), strict=True))
    return evaluate(chunks, rows, questions, vectors, k, budgets)
