"""Sizers that each break a law, and what `check_sizer` says of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def truncated(text: str) -> int:
    return min(len(text), 8191)


def fields(text: str) -> int:
    """The length of what a call of a Hugging Face tokenizer returns."""
    return len({"input_ids": list(text), "attention_mask": [1] * len(text)})


def halves(text: str) -> Any:
    return len(text) / 4


def signs(text: str) -> int:
    return len(text) - 1


def flags(text: str) -> int:
    return len(text) > 1


def lists(text: str) -> Any:
    return text.split()


def encoded(text: str) -> int:
    return len(text.encode())


class Growing:
    """Measures a little more each time."""

    calls = 0

    def __call__(self, text: str) -> int:
        self.calls += 1
        return len(text) + self.calls


BROKEN: list[tuple[Callable[[str], int], str]] = [
    (truncated, "twice as long measures more(?s:.*)switch truncation off"),
    (fields, "twice as long measures more(?s:.*)2 for 80 code points, 2 for 160"),
    (halves, r"a whole number of at least 0(?s:.*)found:  0\.0"),
    (signs, r"a whole number of at least 0\n  given:  '' (?s:.*)found:  -1"),
    (flags, "a whole number of at least 0(?s:.*)found:  False"),
    (lists, r"a whole number of at least 0(?s:.*)found:  \[\]"),
    (encoded, r"takes any text\n  given:  '\\ud800' (?s:.*)UnicodeEncodeError(?s:.*)caesura.tokens"),
    (Growing(), "the same size for the same text"),
    (lambda text: len(text), "can be pickled"),
]
IDS = [getattr(one, "__name__", type(one).__name__) for one, _ in BROKEN]
