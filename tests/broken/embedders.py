"""Embedders that each break a law, and what `check_embedder` says of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from fakes.embedders.rows_of_words import embed
from numpy.typing import NDArray

CHANCE = np.random.default_rng(0)


def one_short(texts: Sequence[str]) -> Any:
    return embed(texts)[1:]


def one_for_all(texts: Sequence[str]) -> Any:
    return embed([" ".join(texts)])


def flat(texts: Sequence[str]) -> Any:
    return embed(texts).ravel()


def ragged(texts: Sequence[str]) -> Any:
    return [[1.0] * (1 + len(text) % 3) for text in texts]


def as_words(texts: Sequence[str]) -> Any:
    return [["a", "b"] for _ in texts]


def not_numbers(texts: Sequence[str]) -> Any:
    return [[float("nan") if "\n" in text else 1.0, len(text)] for text in texts]


def unordered(texts: Sequence[str]) -> Any:
    return embed(sorted(texts, key=len))


def by_place(texts: Sequence[str]) -> Any:
    return [[place + 1.0, len(text)] for place, text in enumerate(texts)]


def padded(texts: Sequence[str]) -> Any:
    """The mean over as many words as the longest text has, unmasked."""
    longest = max(len(text.split()) for text in texts)
    return embed(texts) + 0.1 * np.array([longest - len(text.split()) for text in texts])[:, None] * [1, *[0] * 7]


def by_batch(texts: Sequence[str]) -> Any:
    return np.ones((len(texts), 4 + len(texts) % 7))


def constant(texts: Sequence[str]) -> Any:
    return np.ones((len(texts), 4))


def eating(texts: list[str]) -> Any:
    rows = embed(texts)
    texts.clear()
    return rows


def one_text(texts: Any) -> Any:
    return embed([texts.strip()])


def by_chance(texts: Sequence[str]) -> Any:
    return CHANCE.random((len(texts), 4)) - 0.5


class OneBuffer:
    """Returns a part of one and the same array every time."""

    rows = np.zeros((200, 8), np.float32)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.rows[: len(texts)] = embed(texts)
        return self.rows[: len(texts)]


async def awaited(texts: Sequence[str]) -> Any:
    return embed(texts)


BROKEN: list[tuple[Callable[[list[str]], Any], str]] = [
    (one_short, r"one row of numbers per text(?s:.*)expected \(100, d\), got \(99, 8\)"),
    (one_for_all, "one row of numbers per text"),
    (flat, "one row of numbers per text"),
    (ragged, "one row of numbers per text(?s:.*)do not stack"),
    (as_words, "one row of numbers per text"),
    (not_numbers, r"rows are finite\n  given:  .*\\n"),
    (unordered, "alone, among others, in any order and again"),
    (by_place, "1 - cosine = .* in another order"),
    (padded, "1 - cosine = .* alone"),
    (by_batch, "the same length in every call"),
    (constant, "different texts have different rows"),
    (eating, "leaves its list of texts as it is"),
    (one_text, "any list of texts(?s:.*)AttributeError"),
    (by_chance, "1 - cosine"),
    (OneBuffer(), "stay as they were"),
    (awaited, "takes a sync embedder(?s:.*)await acheck_embedder"),
]
IDS = [getattr(one, "__name__", type(one).__name__) for one, _ in BROKEN]
