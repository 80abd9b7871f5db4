"""Layout: how many tokens a text has at least, which is seen without counting them."""

from __future__ import annotations

import os
from unittest.mock import patch

import pytest
import tiktoken
from fakes.laws import law
from fakes.pages import vocabulary
from hypothesis import given
from hypothesis import strategies as st

from llama_index.node_parser.caesura.retrieval.layout import least_tokens

TEXTS = st.lists(
    st.sampled_from([" ", "  ", "\n", "\r\n", "\t", "\xa0", "a", "tide", "'s", "//", ";", ".", "*/", "É", "潮", "12"]),
    max_size=30,
).map("".join)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
@law()
@given(TEXTS)
def test_no_text_has_fewer_tokens_than_it_surely_has(name: str, text: str) -> None:
    with patch.dict(os.environ, vocabulary()):
        encoding = tiktoken.get_encoding(name)
    assert least_tokens(text) <= len(encoding.encode(text))


def test_of_plain_words_most_tokens_are_seen() -> None:
    assert least_tokens("The mill stands by the sea.\nIt is old.") == 8
