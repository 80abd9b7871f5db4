"""Retrieval, measured in characters: what the chunks that are found hold of each question's answer.

Where one question is scored, `own` are the (m, 2) ranges of the chunks in the order of their rank, empty for a chunk of
another text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura import SettingError
from caesura.checks import check_int
from caesura.types import Embed
from caesura.vectors import as_rows, normalize
from caesura_lab.embedders import Embedder
from caesura_lab.inputs import Texts, prepare_inputs
from caesura_lab.questions import Question
from caesura_lab.sizing import make_sizing
from caesura_lab.splitters.methods import AnySplitters, Cutting

PerQuestion = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What `evaluate` found: (q,) arrays, one number per question.

    recall, precision, iou: of the top k chunks, by characters. precision_omega: of all chunks that hold some of the
    answer. sizes: (n,) of all chunks, in characters.
    """

    recall: PerQuestion
    precision: PerQuestion
    iou: PerQuestion
    precision_omega: PerQuestion
    wrong_first: PerQuestion
    """1 where the first chunk is of another text than the question."""
    wrong_top: PerQuestion
    """The share of the top k chunks that are of other texts."""
    retrieved: PerQuestion
    """The summed lengths of the top k chunks."""
    budgets: dict[int, PerQuestion]
    """Recall within each budget of characters."""
    sizes: NDArray[np.int64]

    def means(self) -> dict[str, float]:
        """The mean of each measure over the questions, the number of chunks and their mean size."""
        names = ("recall", "precision", "iou", "precision_omega", "wrong_first", "wrong_top", "retrieved")
        means = {name: float(getattr(self, name).mean()) for name in names}
        means |= {f"recall_{budget}": float(row.mean()) for budget, row in self.budgets.items()}
        return means | {"chunks": float(len(self.sizes)), "mean_chunk": float(self.sizes.mean())}


def evaluate(
    chunks: Mapping[str, ArrayLike],
    vectors: Mapping[str, ArrayLike],
    questions: Sequence[Question],
    question_vectors: ArrayLike,
    k: int = 5,
    budgets: Sequence[int] = (1_000, 4_000),
) -> Scores:
    """Chunks (m, 2) and vectors (m, d) by the name of their text, and questions with (q, d) vectors -> `Scores`.

    The chunk that crosses a budget counts with as many of its first characters as there is room for, as text that
    is cut to fit a prompt does; so a budget is spent to the last character whatever the chunks' size.

    Equal cosines rank as the chunks come; a zero row's cosine is 0. Chunks may overlap. Raises `SettingError` where
    chunks are no ranges or a text is not among them, `EmbeddingError` where there is not one vector per chunk and
    question.
    """
    check_int("k", k, 1)
    for budget in budgets:
        check_int("budget", budget, 1)
    ranges, corpus = _flatten(chunks, vectors, questions)
    rows = np.concatenate([normalize(as_rows(vectors[name], len(own))) for name, own in ranges.items()])
    cosines = normalize(as_rows(question_vectors, len(questions))) @ rows.T
    flat = np.concatenate(list(ranges.values()))
    sizes = flat[:, 1] - flat[:, 0]
    scores: list[list[float]] = []
    for question, likeness in zip(questions, cosines, strict=True):
        order = np.argsort(-likeness, kind="stable")
        is_own = corpus == question.corpus
        own = np.where(is_own[:, None], flat, 0)  # another text's chunk holds none of the answer
        row = score_top(question, own[order[:k]], int(sizes[order[:k]].sum()))
        row.append(precision_omega(question, own))
        row += [float(not is_own[order[0]]), 1 - float(is_own[order[:k]].mean())]
        row += [recall_within(question, own[order], sizes[order], budget) for budget in budgets]
        scores.append(row)
    columns = np.array(scores).reshape(len(questions), 7 + len(budgets)).T
    recall, precision, iou, retrieved, omega, first, top, *within = columns
    return Scores(recall, precision, iou, omega, first, top, retrieved, dict(zip(budgets, within, strict=True)), sizes)


def evaluate_retrieval(
    texts: Texts,
    questions: str | Path | Sequence[Question],
    splitters: AnySplitters = None,
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
    inputs = prepare_inputs(texts, splitters, questions, embedder, make_sizing(size, unit=unit))
    vectors = inputs.question_vectors()
    return {
        method.name: score_cuttings(inputs.cut_texts(method), inputs.questions, vectors, inputs.embedder, k, budgets)
        for method in inputs.methods
    }


def score_cuttings(
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


def _flatten(
    chunks: Mapping[str, ArrayLike], vectors: Mapping[str, ArrayLike], questions: Sequence[Question]
) -> tuple[dict[str, NDArray[np.int64]], NDArray[np.str_]]:
    """The chunks of each text that has any, and for all of them, one after the other, the name of their text."""
    if not questions:
        raise SettingError("there must be a question to measure with, got none")
    for what, names in (("chunks", chunks), ("vectors", vectors)):
        if without := ({question.corpus for question in questions} | set(chunks)) - set(names):
            raise SettingError(f"there are no {what} for the texts {', '.join(sorted(without))}")
    ranges = {name: _check_ranges(name, own) for name, own in chunks.items()}
    ranges = {name: own for name, own in ranges.items() if len(own)}
    if not ranges:
        raise SettingError("there must be a chunk to retrieve, got none in any text")
    return ranges, np.repeat(list(ranges), [len(own) for own in ranges.values()])


def _check_ranges(name: str, chunks: ArrayLike) -> NDArray[np.int64]:
    array: NDArray[Any] = np.asarray(chunks)
    if array.size and (array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu"):
        raise SettingError(f"chunks of {name!r} must be (m, 2) whole numbers, got {array.dtype} {array.shape}")
    array = array.astype(np.int64).reshape(-1, 2)
    wrong = array[(array[:, 0] < 0) | (array[:, 0] >= array[:, 1])]
    if len(wrong):
        raise SettingError(f"a chunk must be a range 0 <= start < end, got {wrong[0].tolist()} in {name!r}")
    return array


def merge_ranges(ranges: ArrayLike) -> NDArray[np.int64]:
    """(m, 2) ranges -> (u, 2) ranges that rise, do not touch and hold the same numbers. Empty ranges hold none.

    >>> merge_ranges([(5, 9), (0, 3), (3, 4), (6, 7)]).tolist()
    [[0, 4], [5, 9]]
    """
    array = np.asarray(ranges, np.int64).reshape(-1, 2)
    array = array[array[:, 0] < array[:, 1]]
    array = array[np.argsort(array[:, 0], kind="stable")]
    if not len(array):
        return array
    reach = np.maximum.accumulate(array[:, 1])
    first = np.flatnonzero(np.r_[True, array[1:, 0] > reach[:-1]])
    return np.column_stack([array[first, 0], reach[np.r_[first[1:] - 1, len(array) - 1]]])


def count_in_ranges(ranges: ArrayLike) -> int:
    """How many numbers the ranges hold, each counted once."""
    merged = merge_ranges(ranges)
    return int((merged[:, 1] - merged[:, 0]).sum())


def count_covered(reference: ArrayLike, ranges: ArrayLike) -> int:
    """How many numbers of `reference` are in `ranges`, each counted once however often either holds it.

    >>> count_covered([(10, 30)], [(0, 15), (12, 18), (29, 40)])
    9
    """
    wanted, merged = merge_ranges(reference), merge_ranges(ranges)
    if not len(wanted) or not len(merged):
        return 0
    # How many numbers of `merged` lie below x is linear between its edges, with slope 1 inside and 0 outside: exact.
    counts = np.cumsum(merged[:, 1] - merged[:, 0])
    below = np.column_stack([np.r_[0, counts[:-1]], counts]).ravel()
    return round(float(np.diff(np.interp(wanted, merged.ravel(), below), axis=1).sum()))


def score_top(question: Question, own: NDArray[np.int64], retrieved: int) -> list[float]:
    """The top k chunks, of their `retrieved` characters -> recall, precision, IoU and that number again."""
    wanted, hit = count_in_ranges(question.spans), count_covered(question.spans, own)
    return [hit / wanted, hit / retrieved, hit / (retrieved + wanted - hit), retrieved]


def precision_omega(question: Question, own: NDArray[np.int64]) -> float:
    """All chunks -> the IoU of those that hold a character of the answer."""
    spans = merge_ranges(question.spans)
    touching = ((own[:, :1] < spans[:, 1]) & (own[:, 1:] > spans[:, 0])).any(axis=1)
    hit = count_covered(spans, own[touching])
    return hit / (count_in_ranges(own[touching]) + count_in_ranges(spans) - hit)


def recall_within(question: Question, own: NDArray[np.int64], sizes: NDArray[np.int64], budget: int) -> float:
    """The share of the answer in the first `budget` characters of the ranked chunks."""
    spent = np.cumsum(sizes)
    fitting = int(np.searchsorted(spent, budget, side="right"))
    first = own[: fitting + 1].copy()
    if len(first) > fitting:  # the chunk that crosses the budget
        room = budget - (int(spent[fitting - 1]) if fitting else 0)
        first[-1, 1] = min(first[-1, 1], first[-1, 0] + room)
    return count_covered(question.spans, first) / count_in_ranges(question.spans)
