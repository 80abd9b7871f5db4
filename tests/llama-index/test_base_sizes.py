"""`chunk_size` is a promise in tokens: of the global tokenizer, of one's own, or in characters."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.parsers import ARTICLE, REPEATED, letters, parsers, sizes
from llama_index.core import Document, Settings
from llama_index.core.utils import get_tokenizer

from caesura import SettingError


@parsers
@pytest.mark.parametrize("chunk_size", [1, 2, 3, 7, 20, 64, 512])
def test_tokens_are_those_of_the_global_tokenizer(parser: Any, chunk_size: int) -> None:
    nodes = parser(chunk_size=chunk_size)([Document(text=ARTICLE), Document(text=REPEATED)])
    assert max(sizes(nodes, get_tokenizer())) <= chunk_size


@parsers
@pytest.mark.parametrize("chunk_size", [5, 17, 100, 1000])
@pytest.mark.parametrize("target", [None, 5])
def test_list_as_tokenizer_counts_characters(parser: Any, chunk_size: int, target: int | None) -> None:
    settings: dict[str, Any] = {"target_size": target, "tokenizer": list}
    nodes = parser(chunk_size=chunk_size, **settings)([Document(text=ARTICLE)])
    assert max(len(node.text) for node in nodes) <= chunk_size
    counted = parser(chunk_size=chunk_size + 6, **settings)([Document(text=ARTICLE, metadata={"k": "v"})])
    assert max(sizes(counted, list)) <= chunk_size + 6
    assert [node.text for node in counted] == [node.text for node in nodes]


@parsers
def test_a_tokenizer_of_ones_own_is_used(parser: Any) -> None:
    nodes = parser(chunk_size=9, tokenizer=str.split)([Document(text=ARTICLE)])
    assert 5 < max(sizes(nodes, str.split)) <= 9


@parsers
def test_the_tokenizer_of_the_settings_is_used(parser: Any) -> None:
    Settings.tokenizer = letters
    nodes = parser(chunk_size=50)([Document(text=ARTICLE)])
    assert 20 < max(sizes(nodes, letters)) <= 50


@pytest.mark.thorough
@parsers
def test_no_chunk_size_is_no_limit(parser: Any) -> None:
    document = Document(text="The same cat sat. " * 3000, metadata={"long": "x " * 1000})
    (node,) = parser(chunk_size=None)([document])
    assert (node.start_char_idx, node.end_char_idx) == (0, len(document.text) - 1)


@parsers
def test_small_nodes_join_a_neighbour_where_that_fits(parser: Any) -> None:
    document = Document(text=ARTICLE)
    small = sizes(parser(chunk_size=200)([document]), get_tokenizer())
    joined = sizes(parser(chunk_size=200, min_chunk_size=40)([document]), get_tokenizer())
    assert min(joined) >= 40 > min(small)
    assert max(joined) <= 200


@parsers
@pytest.mark.parametrize("tokenizer", [len, lambda text: {"input_ids": list(text), "attention_mask": list(text)}])
def test_a_tokenizer_that_returns_no_list_is_refused_with_a_remedy(parser: Any, tokenizer: Any) -> None:
    with pytest.raises(SettingError, match="tokenizer"):
        parser(tokenizer=tokenizer)([Document(text=ARTICLE)])
