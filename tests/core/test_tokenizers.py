"""`tokens(encode)` counts what the tokenizers that people have return; what the plugins count by default."""

from __future__ import annotations

from collections import UserDict
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizers import tiktoken_sizer

from caesura import Limits, SettingError, Splitter, sentences, tokens
from caesura.text.refine import refine

TEXT = "The river rose in the night. Naïve 中文 👍🏽!\r\n\r\nIt fell again, and the mill was gone.\x00\ud800"
CLEAN = TEXT.replace("\ud800", "\ufffd")


def embed(texts: Any) -> Any:
    return np.ones((len(texts), 2))


def holds(size: Any, limit: int) -> None:
    for trim in (True, False):
        chunks = Splitter(Limits(limit), size, trim=trim).split(TEXT * 3, embed)
        assert max(size(chunk.text) for chunk in chunks) <= limit
        assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join((TEXT * 3).split())


# --- tiktoken ---------------------------------------------------------------------------------------------------------


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


# --- Hugging Face tokenizers ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """A byte-level BPE with two special tokens, trained here."""
    library = pytest.importorskip("tokenizers")
    made = library.Tokenizer(library.models.BPE())
    made.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=True)
    trainer = library.trainers.BpeTrainer(
        vocab_size=320, special_tokens=["<s>", "</s>"], initial_alphabet=library.pre_tokenizers.ByteLevel.alphabet()
    )
    made.train_from_iterator([CLEAN] * 4, trainer)
    made.post_processor = library.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    return made


def test_an_encoding_of_the_tokenizers_library_has_a_length(tokenizer: Any) -> None:
    assert tokens(tokenizer.encode)(TEXT) == len(tokenizer.encode(CLEAN).ids) > 20
    holds(tokens(tokenizer.encode), 12)


def test_special_tokens_are_counted_where_the_tokenizer_adds_them(tokenizer: Any) -> None:
    assert tokens(tokenizer.encode)("night") - len(tokenizer.encode("night", add_special_tokens=False)) == 2
    assert tokens(tokenizer.encode)("") == 2


def test_a_limit_under_what_special_tokens_take_is_refused(tokenizer: Any) -> None:
    with pytest.raises(SettingError, match="max_size=2 is too small for a single character"):
        Splitter(Limits(2), tokens(tokenizer.encode)).split("night", embed)


# --- the callables of transformers ------------------------------------------------------------------------------------


@dataclass
class LikeTransformers:
    """A tokenizer with the interface of transformers: `encode` -> ids, a call -> a mapping with lists beside them."""

    def encode(self, text: str) -> list[int]:
        return [101, *(len(word) for word in text.split()), 102]

    def tokenize(self, text: str) -> list[str]:
        return text.split()

    def __call__(self, text: str) -> UserDict[str, list[int]]:
        ids = self.encode(text)
        return UserDict(input_ids=ids, token_type_ids=[0] * len(ids), attention_mask=[1] * len(ids))


def test_encode_and_tokenize_of_transformers_are_counted() -> None:
    assert tokens(LikeTransformers().encode)("one two three") == 5
    assert tokens(LikeTransformers().tokenize)("one two three") == 3
    holds(tokens(LikeTransformers().encode), 5)


def test_a_tokenizer_that_returns_a_mapping_is_refused_and_not_counted_by_its_keys() -> None:
    with pytest.raises(SettingError, match="encode"):
        tokens(LikeTransformers())("one two three four")


@pytest.mark.parametrize("returned", [None, 7, "one two"], ids=repr)
def test_what_has_no_tokens_is_refused(returned: Any) -> None:
    with pytest.raises(SettingError, match="encode"):
        tokens(lambda text: returned)("one two")


@pytest.mark.parametrize("encode", [None, "cl100k_base", 5], ids=repr)
def test_what_cannot_be_called_is_refused_at_once(encode: Any) -> None:
    with pytest.raises(SettingError, match="encode"):
        tokens(encode)


# --- both plugins' defaults -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["DoublePassSemanticSplitter", "SemanticPercentileSplitter"])
def test_langchains_plugin_counts_characters(name: str) -> None:
    splitter = getattr(pytest.importorskip("langchain_caesura"), name)()
    text = "The mill was gone. " * 400
    assert 1000 < max(map(len, splitter.split_text(text))) <= 2000


@pytest.mark.parametrize("name", ["DoublePassSemanticSplitter", "SemanticPercentileSplitter"])
def test_llama_indexs_plugin_counts_tokens_of_the_global_tokenizer(name: str) -> None:
    core = pytest.importorskip("llama_index.core")
    parser = getattr(pytest.importorskip("llama_index.node_parser.caesura"), name)
    count = pytest.importorskip("llama_index.core.utils").get_tokenizer()
    nodes = parser()([core.Document(text="The mill was gone. " * 400)])
    assert 256 < max(len(count(node.text)) for node in nodes) <= 512
