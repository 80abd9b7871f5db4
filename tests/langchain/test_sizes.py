"""No chunk measures over `chunk_size`, in whatever unit, measured on the chunk that is returned."""

from __future__ import annotations

import os
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from articles import article, letters
from langchain_fakes import Bag, every_splitter, places
from sizers import SIZERS

from langchain_caesura import ClusterSemanticSplitter, DoublePassSemanticSplitter, OptimalSemanticSplitter

every_sizer = pytest.mark.parametrize("name", SIZERS)
TEXT = "\n\n".join(
    (
        article(25),
        "中文没有空格。真的？" * 12,
        "word semantic The\n\n\n" * 20,
        "x" * 300 + " e\u0301" * 40,
        "👨‍👩‍👧🇩🇪👍🏽 " * 10,
        article(25, 11, "\r\n"),
    )
)


@every_splitter
@every_sizer
@pytest.mark.parametrize("chunk_size", [4, 17, 60, 500])
@pytest.mark.parametrize("strip", [True, False])
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
def test_tokens_of_tiktoken_are_counted(cls: Any) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    core = find_spec("llama_index.core") if find_spec("llama_index") else None
    data = Path(core.origin).parent / "_static" / "tiktoken_cache" if core and core.origin else Path("missing")
    if not data.is_dir():
        pytest.skip("needs the tiktoken data that llama-index-core carries")
    with patch.dict(os.environ, {"TIKTOKEN_CACHE_DIR": str(data)}):
        splitter = cls.from_tiktoken_encoder("cl100k_base", embeddings=Bag(), chunk_size=40, chunk_overlap=10)
        encode = tiktoken.get_encoding("cl100k_base").encode
    chunks = splitter.split_text(TEXT)
    assert isinstance(splitter, cls)
    assert 20 < max(len(encode(chunk)) for chunk in chunks) <= 40


@every_splitter
def test_tokens_of_a_hugging_face_tokenizer_are_counted(cls: Any) -> None:
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="[UNK]")
    chunks = cls.from_huggingface_tokenizer(tokenizer, embeddings=Bag(), chunk_size=30).split_text(TEXT)
    assert max(len(tokenizer.tokenize(chunk)) for chunk in chunks) <= 30


@every_splitter
def test_no_size_means_no_limit(cls: Any) -> None:
    same = Bag(lambda texts: [[1.0, 2.0]] * len(texts))
    text = "One line without an end " * 500 + ". " + article(200)
    assert len(cls(same, chunk_size=None, calibrated=False).split_text(text)) == 1


@every_splitter
def test_overlap_works_without_a_size(cls: Any) -> None:
    made = cls(Bag(), chunk_size=None, chunk_overlap=60, add_start_index=True).create_documents([article(60)])
    overlaps = [one[1] - two[0] for one, two in pairwise(places(made))]
    assert 0 < max(overlaps) <= 60


@every_splitter
@pytest.mark.parametrize("overlap", [1, 30, 60, 120])
def test_an_overlap_is_whole_sentences_and_never_the_whole_chunk_before(cls: Any, overlap: int) -> None:
    text = article(80)
    sentence_starts = {0, *(at + 2 for at in range(len(text) - 2) if text[at : at + 2] == ". ")}
    settings: dict[str, Any] = {"embeddings": Bag(), "add_start_index": True}
    wide = places(cls(chunk_size=260, chunk_overlap=overlap, **settings).create_documents([text]))
    bare = places(cls(chunk_size=260 - overlap, **settings).create_documents([text]))
    assert [end for _, end in wide] == [end for _, end in bare]
    assert all(start in sentence_starts for start, _ in wide)
    for (before, _), (start, _), (own, _) in zip(bare, wide[1:], bare[1:], strict=False):
        assert before < start <= own
        assert own - start <= overlap + 1
    assert overlap < 60 or any(one < two for (one, _), (two, _) in zip(wide, bare, strict=True))


@every_splitter
@pytest.mark.parametrize("smallest", [50, 120])
def test_a_small_chunk_is_left_only_where_no_neighbour_has_room(cls: Any, smallest: int) -> None:
    text = article(80)
    settings: dict[str, Any] = {"chunk_size": 300, "add_start_index": True}
    finer = {DoublePassSemanticSplitter: {"min_units": 1}, OptimalSemanticSplitter: {"penalty": 0.1}}
    settings |= {ClusterSemanticSplitter: {"distance_threshold": 0.1}, **finer}.get(cls, {})
    plain = places(cls(Bag(), **settings).create_documents([text]))
    made = places(cls(Bag(), min_chunk_size=smallest, **settings).create_documents([text]))
    assert min(end - start for start, end in plain) < smallest
    assert max(end - start for start, end in made) <= 300
    for one, two in pairwise(made):
        small = min(one[1] - one[0], two[1] - two[0]) < smallest
        assert not small or two[1] - one[0] > 300
    assert len(made) < len(plain)


@every_splitter
def test_a_size_that_one_character_does_not_fit_is_refused_by_name(cls: Any) -> None:
    with pytest.raises(ValueError, match="too small for a single character: '中'"):
        cls(Bag(), chunk_size=2, length_function=lambda text: len(text.encode())).split_text("a 中 b")
