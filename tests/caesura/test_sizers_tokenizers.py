"""`tokens` counts what the tokenizers of Hugging Face return, and refuses what has no tokens."""

from __future__ import annotations

from collections import UserDict
from dataclasses import dataclass
from typing import Any

import pytest
from fakes.embedders.tokenizers import CLEAN, TEXT, embed, holds

from caesura import Limits, SettingError, Splitter, tokens


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
