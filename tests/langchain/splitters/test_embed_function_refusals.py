"""What is no embedder, or returns what no embedder does, is refused with the remedy."""

from __future__ import annotations

from typing import Any

import pytest
from articles import article
from langchain_fakes import bags, every_splitter

from caesura import EmbeddingError, SettingError
from langchain_caesura import StaticEmbeddings


async def awaited(texts: list[str]) -> Any:
    return bags(texts)


class Encoder:
    """As sentence-transformers' models are: it can be called, and means something else."""

    def __call__(self, tensors: Any) -> Any:
        raise AssertionError("called")

    def encode(self, texts: list[str]) -> Any:
        return bags(texts)


@every_splitter
@pytest.mark.parametrize("function", [len, lambda _: None, lambda texts: bags(texts)[1:]])
def test_what_a_function_returns_is_checked_as_any_embedders(cls: Any, function: Any) -> None:
    with pytest.raises(EmbeddingError, match="one row per text"):
        cls(function, calibrated=False).split_text(article())


@every_splitter
@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        ("openai", "got 'openai'"),
        (3, "got 3"),
        (StaticEmbeddings, "a class: pass an instance"),
        (awaited, "has to be awaited: pass a sync one"),
        (Encoder(), "pass its method encode"),
    ],
)
def test_what_is_no_embedder_is_refused_with_the_remedy(cls: Any, value: Any, remedy: str) -> None:
    with pytest.raises(SettingError, match=rf"embeddings must have embed_documents.*list of str -> rows.*{remedy}"):
        cls(value)
