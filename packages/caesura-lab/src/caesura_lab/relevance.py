"""One question and the chunks as they are ranked -> what they hold of its answer, counted in characters.

Chunks are (m, 2) ranges of the question's text, in the order of their rank; one of another text is empty.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura_lab.intervals import covered, length, union
from caesura_lab.question import Question


def top(question: Question, own: NDArray[np.int64], retrieved: int) -> list[float]:
    """The top k chunks, of their `retrieved` characters -> recall, precision, IoU and that number again."""
    wanted, hit = length(question.spans), covered(question.spans, own)
    return [hit / wanted, hit / retrieved, hit / (retrieved + wanted - hit), retrieved]


def precision_omega(question: Question, own: NDArray[np.int64]) -> float:
    """All chunks -> the IoU of those that hold a character of the answer."""
    spans = union(question.spans)
    touching = ((own[:, :1] < spans[:, 1]) & (own[:, 1:] > spans[:, 0])).any(axis=1)
    hit = covered(spans, own[touching])
    return hit / (length(own[touching]) + length(spans) - hit)


def recall_within(
    question: Question, own: NDArray[np.int64], sizes: NDArray[np.int64], budget: int, whole_chunks: bool
) -> float:
    """The share of the answer in the first `budget` characters of the ranked chunks."""
    spent = np.cumsum(sizes)
    fitting = int(np.searchsorted(spent, budget, side="right"))
    held = own[: fitting + (not whole_chunks)].copy()
    if len(held) > fitting:  # the chunk that crosses the budget
        room = budget - (int(spent[fitting - 1]) if fitting else 0)
        held[-1, 1] = min(held[-1, 1], held[-1, 0] + room)
    return covered(question.spans, held) / length(question.spans)
