"""Rows of any form and length are taken; one that says nothing spoils no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from fakes.langchain.splitters import Bag, bags, every_splitter
from fakes.texts.articles import article, letters

from caesura import EmbeddingError

TEXT = article(16)
nan, inf = float("nan"), float("inf")


@every_splitter
@pytest.mark.parametrize("bad", [[0.0] * 256, [nan] * 256, [inf] * 256, [-inf, *[1.0] * 255], [1e300] * 256])
@pytest.mark.parametrize("calibrated", [True, False])
def test_one_row_that_says_nothing_does_not_turn_off_the_cutting_of_the_rest(
    cls: Any, bad: list[float], calibrated: bool
) -> None:
    def rows(texts: Sequence[str]) -> object:
        return [bad if text == "***" else row for text, row in zip(texts, bags(texts), strict=True)]

    text = f"{TEXT}\n\n***\n\n{article(16, 5)}"
    chunks = cls(Bag(rows), chunk_size=400, calibrated=calibrated).split_text(text)
    assert len(chunks) >= 3
    assert letters("".join(chunks)) == letters(text)


@every_splitter
@pytest.mark.parametrize("value", [0.0, nan, inf])
def test_rows_that_all_say_nothing_still_give_chunks_within_the_size(cls: Any, value: float) -> None:
    splitter = cls(Bag(lambda texts: [[value] * 4] * len(texts)), chunk_size=200, calibrated=False)
    chunks = splitter.split_text(TEXT)
    assert max(map(len, chunks)) <= 200
    assert letters("".join(chunks)) == letters(TEXT)


@every_splitter
@pytest.mark.parametrize("value", [0.0, nan])
def test_a_calibration_that_says_nothing_is_refused(cls: Any, value: float) -> None:
    with pytest.raises(
        EmbeddingError, match=r"sample texts.*: at least one row must be finite and not zero, got none in 64"
    ):
        cls(Bag(lambda texts: [[value] * 4] * len(texts))).split_text(TEXT)


@every_splitter
@pytest.mark.parametrize(
    "form", [np.array, tuple, lambda rows: np.array(rows, np.float16), lambda rows: [np.array(r) for r in rows]]
)
def test_rows_may_come_as_arrays_or_tuples(cls: Any, form: Callable[[object], object]) -> None:
    expected = cls(Bag(), chunk_size=300).split_text(TEXT)
    assert cls(Bag(lambda texts: form(bags(texts))), chunk_size=300).split_text(TEXT) == expected


@every_splitter
def test_the_length_of_rows_is_of_no_account(cls: Any) -> None:
    def scaled(texts: Sequence[str]) -> object:
        return [[value * 1e-12 for value in row] for row in bags(texts)]

    assert cls(Bag(scaled), chunk_size=300).split_text(TEXT) == cls(Bag(), chunk_size=300).split_text(TEXT)
