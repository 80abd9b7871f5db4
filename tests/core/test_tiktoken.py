"""`tokens` counts what tiktoken returns, and knows without counting what surely fits."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from fakes.sizers import tiktoken_sizer
from fakes.tokenizers import CLEAN, TEXT, holds
from hypothesis import given
from hypothesis import strategies as st

from caesura import sentences, tokens
from caesura.text.refine import refine


@pytest.fixture(scope="module")
def encoding() -> Any:
    sizer = tiktoken_sizer()
    if sizer is None:
        pytest.skip("needs tiktoken and the data that llama-index-core carries")
    return sizer.encode.__self__


@pytest.mark.parametrize("method", ["encode", "encode_ordinary"])
def test_tiktoken_returns_a_list_of_numbers(encoding: Any, method: str) -> None:
    encode = getattr(encoding, method)
    assert tokens(encode)(TEXT) == len(encode(CLEAN)) > 20
    assert tokens(encode)("") == 0
    holds(tokens(encode), 17)


@given(st.text(max_size=60), st.integers(1, 80))
def test_what_surely_fits_fits(encoding: Any, text: str, limit: int) -> None:
    for encode in (encoding.encode_ordinary, partial(encoding.encode, allowed_special="all")):
        size = tokens(encode)
        assert size(text) <= limit or not size.surely(text, limit)
        assert size.surely(text, max(1, 4 * len(text)))
    assert not tokens(str.split).surely("a", 9)  # of others nothing is known


def test_short_sentences_are_not_counted_to_know_that_they_fit(encoding: Any) -> None:
    def counted(encode: Any) -> int:
        seen: list[str] = []
        size = tokens(encode)
        with patch.object(tokens, "__call__", lambda self, text: seen.append(text) or len(encode(text))):
            refine(TEXT * 3, sentences(TEXT * 3), size, 200)
        return len(seen)

    assert counted(encoding.encode_ordinary) == 0
    assert counted(lambda text: encoding.encode_ordinary(text)) >= 9


def test_tiktoken_may_return_an_array(encoding: Any) -> None:
    assert tokens(encoding.encode_to_numpy)(TEXT) == len(encoding.encode(CLEAN))


def test_special_tokens_in_a_text_are_text(encoding: Any) -> None:
    assert tokens(encoding.encode_ordinary)("a <|endoftext|> b") > 5
    holds(tokens(encoding.encode_ordinary), 16)
