"""`check_sizer` passes what keeps the laws, and says of each broken sizer which law it breaks, where, and why."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from sizers import SIZERS, tiktoken_sizer

from caesura import tokens
from caesura.testing import check_sizer
from caesura.types import Sizer


@pytest.mark.parametrize(("size", "most"), SIZERS.values(), ids=SIZERS)
def test_a_sound_sizer_passes(size: Sizer, most: int) -> None:
    check_sizer(size, max_size=most)


def test_openais_tokenizer_passes() -> None:
    found = tiktoken_sizer()
    if found is None:
        pytest.skip("needs tiktoken and the data that llama-index-core carries")
    check_sizer(found, max_size=16)


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


@pytest.mark.parametrize(("size", "said"), BROKEN, ids=lambda one: getattr(one, "__name__", type(one).__name__))
def test_a_broken_sizer_is_caught(size: Sizer, said: str) -> None:
    with pytest.raises(AssertionError, match=said) as caught:
        check_sizer(size)
    assert re.search(r"\n  given:  .+\n  found:  .+\n  remedy: .+", str(caught.value))


def test_a_code_point_over_the_limit_is_shown() -> None:
    def with_two_more(text: str) -> list[str]:
        return ["[CLS]", *text, "[SEP]"]

    size = tokens(with_two_more)
    check_sizer(size, max_size=3, pickled=False)
    with pytest.raises(AssertionError, match=r"at most max_size=2(?s:.*)found:  3(?s:.*)what the tokenizer adds"):
        check_sizer(size, max_size=2, pickled=False)
