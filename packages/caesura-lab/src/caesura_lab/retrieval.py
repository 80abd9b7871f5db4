"""Chunks as character ranges, their vectors, questions and theirs -> recall, precision and IoU of each question.

The protocol is that of Chroma's chunking report (2024). All chunks of all texts are in one index, ranked by cosine;
what is counted is characters, never chunks:

- recall: the share of the answer's characters that the top k chunks hold, each counted once;
- precision: those characters over the summed lengths of the top k chunks, those from other texts included;
- IoU: those characters over that sum and the answer's characters that are missing;
- precision-omega: the IoU of all chunks that hold a character of the answer, which no ranking enters;
- recall within a budget: the share of the answer that the first `budget` characters of the ranked chunks hold. Recall
  of the top k favours large chunks; this does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura import SettingError
from caesura.errors import whole
from caesura.vectors import normalised, own_rows
from caesura_lab.question import Question
from caesura_lab.relevance import precision_omega, recall_within, top

Row = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What `evaluate` found: (q,) arrays, one number per question, and the (n,) sizes of all chunks in characters."""

    recall: Row
    precision: Row
    iou: Row
    precision_omega: Row
    retrieved: Row
    """The summed lengths of the top k chunks."""
    budgets: dict[int, Row]
    """Recall within each budget of characters."""
    sizes: NDArray[np.int64]

    def means(self) -> dict[str, float]:
        """The mean of each measure over the questions, the number of chunks and their mean size."""
        names = ("recall", "precision", "iou", "precision_omega", "retrieved")
        found = {name: float(getattr(self, name).mean()) for name in names}
        found |= {f"recall_{budget}": float(row.mean()) for budget, row in self.budgets.items()}
        return found | {"chunks": float(len(self.sizes)), "mean_chunk": float(self.sizes.mean())}


def evaluate(
    chunks: Mapping[str, ArrayLike],
    vectors: Mapping[str, ArrayLike],
    questions: Sequence[Question],
    question_vectors: ArrayLike,
    k: int = 5,
    budgets: Sequence[int] = (1_000, 4_000),
    whole_chunks: bool = False,
) -> Scores:
    """Chunks (m, 2) and vectors (m, d) by the name of their text, and questions with (q, d) vectors -> `Scores`.

    The chunk that crosses a budget counts with as many of its first characters as there is room for, as text that
    is cut to fit a prompt does; so a budget is spent to the last character whatever the chunks' size. With
    `whole_chunks` it and all after it are left out instead: then a first chunk over the budget retrieves nothing.

    Equal cosines rank as the chunks come; a zero row's cosine is 0. Chunks may overlap. Raises `SettingError` where
    chunks are no ranges or a text is not among them, `EmbeddingError` where there is not one vector per chunk and
    question.
    """
    whole("k", k, 1)
    for budget in budgets:
        whole("budget", budget, 1)
    ranges, corpus = _flat(chunks, vectors, questions)
    rows = np.concatenate([normalised(own_rows(vectors[name], len(own))) for name, own in ranges.items()])
    cosines = normalised(own_rows(question_vectors, len(questions))) @ rows.T
    flat = np.concatenate(list(ranges.values()))
    sizes = flat[:, 1] - flat[:, 0]
    found: list[list[float]] = []
    for question, likeness in zip(questions, cosines, strict=True):
        order = np.argsort(-likeness, kind="stable")
        own = np.where((corpus == question.corpus)[:, None], flat, 0)  # another text's chunk holds none of the answer
        row = top(question, own[order[:k]], int(sizes[order[:k]].sum()))
        row.append(precision_omega(question, own))
        row += [recall_within(question, own[order], sizes[order], budget, whole_chunks) for budget in budgets]
        found.append(row)
    recall, precision, iou, retrieved, omega, *within = np.array(found).reshape(len(questions), 5 + len(budgets)).T
    return Scores(recall, precision, iou, omega, retrieved, dict(zip(budgets, within, strict=True)), sizes)


def _flat(
    chunks: Mapping[str, ArrayLike], vectors: Mapping[str, ArrayLike], questions: Sequence[Question]
) -> tuple[dict[str, NDArray[np.int64]], NDArray[np.str_]]:
    """The chunks of each text that has any, and for all of them, one after the other, the name of their text."""
    if not questions:
        raise SettingError("there must be a question to measure with, got none")
    for what, names in (("chunks", chunks), ("vectors", vectors)):
        if without := ({question.corpus for question in questions} | set(chunks)) - set(names):
            raise SettingError(f"there are no {what} for the texts {', '.join(sorted(without))}")
    ranges = {name: _ranges(name, own) for name, own in chunks.items()}
    ranges = {name: own for name, own in ranges.items() if len(own)}
    if not ranges:
        raise SettingError("there must be a chunk to retrieve, got none in any text")
    return ranges, np.repeat(list(ranges), [len(own) for own in ranges.values()])


def _ranges(name: str, chunks: ArrayLike) -> NDArray[np.int64]:
    array: NDArray[Any] = np.asarray(chunks)
    if array.size and (array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu"):
        raise SettingError(f"chunks of {name!r} must be (m, 2) whole numbers, got {array.dtype} {array.shape}")
    array = array.astype(np.int64).reshape(-1, 2)
    wrong = array[(array[:, 0] < 0) | (array[:, 0] >= array[:, 1])]
    if len(wrong):
        raise SettingError(f"a chunk must be a range 0 <= start < end, got {wrong[0].tolist()} in {name!r}")
    return array
