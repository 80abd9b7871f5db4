"""What is given to measure texts with measures, or is refused where it is given, by its own name."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from fakes.langchain.splitters import every_splitter
from fakes.texts.articles import article

from caesura import SettingError
from langchain_caesura import AgenticSplitter, DoublePassSemanticSplitter, SemanticHierarchySplitter


async def awaited(text: str) -> int:
    return len(text)


WRONG: list[tuple[Any, str]] = [
    (3, r"length_function must be callable, str -> int, as len is, got 3$"),
    (None, r"length_function must be callable, str -> int, as len is, got None$"),
    ("len", r"as len is, got 'len'$"),
    (
        lambda text: None,
        r"length_function must return a whole number, as len does: for .* it returned None",
    ),
    (lambda text: "x", r"for 'A short text.' it returned 'x'"),
    (lambda text: text.split(), r"it returned \['A', 'short', 'text.'\]: return how many there are"),
    (lambda text: -1, r"it returned -1"),
    (lambda text: float("nan"), r"it returned nan"),
    (lambda text: True, r"it returned True"),
    (str, r"it returned 'A short text.'"),
]


@every_splitter
@pytest.mark.parametrize(("function", "message"), WRONG)
def test_what_does_not_measure_is_refused_where_it_is_given(cls: Any, function: Any, message: str) -> None:
    for make in (cls, SemanticHierarchySplitter, partial(AgenticSplitter, None)):
        with pytest.raises(SettingError, match=message):
            make(length_function=function)


def test_one_that_has_to_be_awaited_is_refused() -> None:
    with pytest.raises(SettingError, match=r"length_function must be callable, .*, which has to be awaited"):
        DoublePassSemanticSplitter(length_function=awaited)  # type: ignore[arg-type]


def test_its_own_error_is_its_own() -> None:
    def broken(text: str) -> int:
        raise LookupError("no tokenizer here")

    with pytest.raises(LookupError, match="no tokenizer here"):
        DoublePassSemanticSplitter(length_function=broken)


@pytest.mark.parametrize("function", [len, lambda text: np.int64(len(text)), lambda text: len(text) / 1.0])
def test_whatever_measures_is_taken(function: Any) -> None:
    text = article()
    expected = DoublePassSemanticSplitter(chunk_size=300).split_text(text)
    assert DoublePassSemanticSplitter(chunk_size=300, length_function=function).split_text(text) == expected
