"""No chunk measures over `chunk_size`, in whatever unit, measured on the chunk that is returned."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.splitters import Bag, every_splitter
from fakes.splitters.sizers import SIZERS, tiktoken_sizer
from fakes.texts.articles import article, letters

every_sizer = pytest.mark.parametrize("name", SIZERS)
TEXT = "\n\n".join(
    (
        article(9),
        "中文没有空格。真的？" * 12,
        "word semantic The\n\n\n" * 20,
        "x" * 300 + " e\u0301" * 40,
        "👨‍👩‍👧🇩🇪👍🏽 " * 10,
        article(9, 11, "\r\n"),
    )
)


@every_splitter
@every_sizer
@pytest.mark.parametrize("chunk_size", [4, 17, 60, 500])
@pytest.mark.parametrize("strip", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_no_chunk_is_over_the_size(cls: Any, name: str, chunk_size: int, strip: bool) -> None:
    size, _ = SIZERS[name]
    splitter = cls(Bag(), chunk_size=chunk_size, length_function=size, strip_whitespace=strip)
    chunks = splitter.split_text(TEXT)
    assert max(map(size, chunks)) <= chunk_size
    assert letters("".join(chunks)) == letters(TEXT)


@every_splitter
@every_sizer
@pytest.mark.parametrize("overlap", [5, 40])
def test_no_chunk_is_over_the_size_with_its_overlap(cls: Any, name: str, overlap: int) -> None:
    size, _ = SIZERS[name]
    chunks = cls(Bag(), chunk_size=80, chunk_overlap=overlap, length_function=size).split_text(TEXT)
    assert max(map(size, chunks)) <= 80


@every_splitter
@every_sizer
def test_no_text_over_the_size_is_embedded(cls: Any, name: str) -> None:
    size, _ = SIZERS[name]
    embeddings = Bag()
    cls(embeddings, chunk_size=30, length_function=size, calibrated=False).split_text(TEXT)
    assert all(text.strip() and size(text) <= 30 for text in embeddings.texts)


@every_splitter
def test_no_size_means_no_limit(cls: Any) -> None:
    same = Bag(lambda texts: [[1.0, 2.0]] * len(texts))
    text = "One line without an end " * 500 + ". " + article(200)
    assert len(cls(same, chunk_size=None, calibrated=False).split_text(text)) == 1


@every_splitter
def test_a_size_that_one_character_does_not_fit_is_refused_by_name(cls: Any) -> None:
    with pytest.raises(ValueError, match="too small for a single character: '中'"):
        cls(Bag(), chunk_size=2, length_function=lambda text: len(text.encode())).split_text("a 中 b")


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
