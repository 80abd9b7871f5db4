"""An embedder that fails is named, with what was needed, what came and for which texts. One bad row spoils nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from articles import article, letters
from langchain_fakes import AsyncBag, Bag, bags, every_splitter

from caesura import CaesuraError, EmbeddingError
from caesura.background import TEXTS

TEXT = article(30)
nan, inf = float("nan"), float("inf")

FAULTS: dict[str, tuple[Callable[[Sequence[str]], object], str]] = {
    "too few": (lambda texts: bags(texts)[:-1], r"one row per text: expected \(30, d\), got \(29, 256\)"),
    "too many": (lambda texts: [*bags(texts), [0.0] * 256], r"expected \(30, d\), got \(31, 256\)"),
    "none": (lambda texts: [], r"expected \(30, d\), got"),
    "None": (lambda texts: None, "one row per text"),
    "flat": (lambda texts: [1.0] * len(texts), r"expected \(30, d\), got \(30,\)"),
    "no dimension": (lambda texts: [[]] * len(texts), r"expected \(30, d\), got"),
    "ragged": (lambda texts: [row[: 9 + i % 2] for i, row in enumerate(bags(texts))], "rows of one length"),
    "words": (lambda texts: [["a", "b"]] * len(texts), "one row per text"),
    "a dict": (lambda texts: {"data": bags(texts)}, "one row per text"),
    "too deep": (lambda texts: [[row] for row in bags(texts)], r"expected \(30, d\), got \(30, 1, 256\)"),
}
every_fault = pytest.mark.parametrize(("rows", "message"), FAULTS.values(), ids=FAULTS)


@every_splitter
@every_fault
def test_rows_that_are_not_one_per_text_are_refused(
    cls: Any, rows: Callable[[Sequence[str]], object], message: str
) -> None:
    with pytest.raises(EmbeddingError, match=message) as caught:
        cls(Bag(rows), calibrated=False).split_text(TEXT)
    assert isinstance(caught.value, (CaesuraError, ValueError))


@every_splitter
@every_fault
async def test_awaited_rows_that_are_not_one_per_text_are_refused(
    cls: Any, rows: Callable[[Sequence[str]], object], message: str
) -> None:
    with pytest.raises(EmbeddingError, match=message):
        await cls(AsyncBag(rows), calibrated=False).asplit_text(TEXT)


@every_splitter
def test_a_dimension_that_changes_between_calls_is_refused(cls: Any) -> None:
    def rows(texts: Sequence[str]) -> object:
        return bags(texts, 8 if "The" in texts[0] and texts[0] == TEXT.split(". ")[0] + "." else 9)

    with pytest.raises(EmbeddingError, match=r"one length in every call, got \[8, 9\]"):
        cls(Bag(rows), calibrated=False, batch_size=10).split_text(TEXT)


@every_splitter
def test_a_dimension_that_is_not_the_backgrounds_is_refused(cls: Any) -> None:
    def rows(texts: Sequence[str]) -> object:
        return bags(texts, 9 if tuple(texts) == tuple(TEXTS) else 8)

    with pytest.raises(EmbeddingError, match=r"background must come from the same embedder.*\(9,\).*rows of 8"):
        cls(Bag(rows)).split_text(TEXT)
    with pytest.raises(EmbeddingError, match="background must come from the same embedder"):
        cls(Bag(), background=[0.0, 1.0]).split_text(TEXT)


@every_splitter
def test_what_an_embedder_raises_in_the_middle_comes_out_with_the_texts_it_was_for(cls: Any) -> None:
    def rows(texts: Sequence[str]) -> object:
        if any("breaks" in text for text in texts):
            raise TimeoutError("no reply")
        return bags(texts)

    text = article(12) + " Here it breaks. " + article(12)
    with pytest.raises(TimeoutError, match="no reply") as caught:
        cls(Bag(rows), calibrated=False, batch_size=5).split_text(text)
    assert caught.value.__notes__ == ["raised by the embedder for texts 10 to 14 of 25"]


@every_splitter
def test_a_failed_call_leaves_a_splitter_that_works(cls: Any) -> None:
    failing = True

    def rows(texts: Sequence[str]) -> object:
        if failing:
            raise TimeoutError
        return bags(texts)

    splitter = cls(Bag(rows), chunk_size=300)
    with pytest.raises(TimeoutError):
        splitter.split_text(TEXT)
    failing = False
    assert splitter.split_text(TEXT) == cls(Bag(), chunk_size=300).split_text(TEXT)


@every_splitter
@pytest.mark.parametrize("bad", [[0.0] * 256, [nan] * 256, [inf] * 256, [-inf, *[1.0] * 255], [1e300] * 256])
@pytest.mark.parametrize("calibrated", [True, False])
def test_one_row_that_says_nothing_does_not_turn_off_the_cutting_of_the_rest(
    cls: Any, bad: list[float], calibrated: bool
) -> None:
    def rows(texts: Sequence[str]) -> object:
        return [bad if text == "***" else row for text, row in zip(texts, bags(texts), strict=True)]

    text = f"{TEXT}\n\n***\n\n{article(30, 5)}"
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
    with pytest.raises(EmbeddingError, match="a background needs at least one row that is finite and not zero"):
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
