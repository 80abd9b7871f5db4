"""The tokenizer of LlamaIndex's settings is in the cache key of a splitter without its own."""

from __future__ import annotations

from functools import partial
from typing import Any

import llama_index.core
import pytest
from fakes.llama_index.parsers import ONE_ARTICLE, at_lines, cache_key, letters, parsers

from caesura import SettingError


def key_or_refusal(parser: Any) -> object:
    """The key, or what cannot be mistaken for another's where one has to be asked for."""
    try:
        return cache_key(parser)
    except SettingError:
        return object()


def set_tokenizer(tokenizer: Any) -> None:
    llama_index.core.global_tokenizer = tokenizer


@parsers
@pytest.mark.parametrize(
    ("one", "other"),
    [(letters, at_lines), (partial(str.split, sep="a"), partial(str.split, sep="b")), (letters, partial(letters))],
)
def test_the_global_tokenizer_is_in_the_key(parser: Any, one: Any, other: Any) -> None:
    keys = [cache_key(parser())]
    for tokenizer in (one, other):
        set_tokenizer(tokenizer)
        keys.append(key_or_refusal(parser()))
    assert len(set(keys)) == len(keys)


@parsers
def test_the_global_tokenizer_is_in_the_key_where_it_only_weighs(parser: Any) -> None:
    made = parser(chunk_size=None, min_chunk_size=60)
    set_tokenizer(letters)
    nodes, first = made(ONE_ARTICLE), cache_key(made)
    set_tokenizer(str.split)
    assert len(made(ONE_ARTICLE)) != len(nodes)
    assert cache_key(made) != first


@parsers
def test_the_global_tokenizer_is_not_in_the_key_of_a_splitter_with_its_own(parser: Any) -> None:
    before = cache_key(parser(tokenizer=list))
    set_tokenizer(letters)
    assert cache_key(parser(tokenizer=list)) == before
