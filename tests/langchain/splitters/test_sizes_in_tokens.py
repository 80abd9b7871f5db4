"""`chunk_size` in tokens of tiktoken, or of a tokenizer of Hugging Face."""

from __future__ import annotations

from typing import Any

import pytest
from articles import article
from langchain_fakes import Bag, every_splitter
from sizers import tiktoken_sizer

TEXT = article(25) + " 中文没有空格。真的？" * 12 + " 👨‍👩‍👧🇩🇪👍🏽" * 10


@every_splitter
def test_tokens_of_tiktoken_are_counted(cls: Any) -> None:
    size = tiktoken_sizer()
    if size is None:
        pytest.skip("needs tiktoken, and its data that llama-index-core carries")
    splitter = cls.from_tiktoken_encoder("cl100k_base", embeddings=Bag(), chunk_size=40, chunk_overlap=10)
    assert isinstance(splitter, cls)
    assert 20 < max(map(size, splitter.split_text(TEXT))) <= 40


@every_splitter
def test_tokens_of_a_hugging_face_tokenizer_are_counted(cls: Any) -> None:
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="[UNK]")
    chunks = cls.from_huggingface_tokenizer(tokenizer, embeddings=Bag(), chunk_size=30).split_text(TEXT)
    assert max(len(tokenizer.tokenize(chunk)) for chunk in chunks) <= 30
