"""An embedder that fails is named, with what was needed, what came and for which texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from fakes.langchain.splitters import AsyncBag, Bag, bags, every_splitter
from fakes.texts.articles import article

from caesura import CaesuraError, EmbeddingError
from caesura.background import TEXTS

TEXT = article(30)
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

    with pytest.raises(
        EmbeddingError, match=r"one length: for these texts they have 8 numbers, .* 9; give one embedder"
    ):
        cls(Bag(rows)).split_text(TEXT)
    with pytest.raises(EmbeddingError, match=r"these texts they have 256 numbers, .* its background was made of 2;"):
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
