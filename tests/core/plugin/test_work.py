"""A host's embedder is asked for its background where it brings none, once; that of one that brings it is taken."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from caesura import Background, Splitter
from caesura.background import TEXTS, background_of
from caesura.plugin.session import BackgroundCache, EmbeddingSession
from caesura.storage.embedding_cache import cached
from caesura_static import StaticEmbedder

TEXT = "The cat sat. The cat and the dog ran. The tax law changed. A new tax law passed."


def work(embedder: object, memory: BackgroundCache) -> EmbeddingSession[Any]:
    return EmbeddingSession(Splitter(), [TEXT], embedder, memory, calibrated=True)


class Asked:
    """The embedded model, and what it was asked for. background: what it brings."""

    def __init__(self, background: object = None) -> None:
        self.background = background
        self.calls: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> Any:
        self.calls.append(list(texts))
        return StaticEmbedder()(texts)

    async def awaited(self, texts: Sequence[str]) -> Any:
        return self(texts)


@pytest.mark.parametrize("form", [lambda mean: mean, Background], ids=["array", "Background"])
def test_an_embedder_that_brings_its_background_is_asked_for_the_texts_alone(form: Any) -> None:
    embed, memory = Asked(form(StaticEmbedder().background)), BackgroundCache()
    wanted = Splitter(background=Background(StaticEmbedder().background)).split(TEXT, StaticEmbedder())
    (made,) = work(embed, memory).run(embed)
    (again,) = asyncio.run(work(embed, memory).arun(embed.awaited))
    assert made.chunks() == again.chunks() == wanted
    assert [len(texts) for texts in embed.calls] == [4, 4]


@pytest.mark.parametrize("other", [None, True, "dark", [0.5, 0.5]], ids=repr)
def test_one_that_brings_none_is_calibrated_once_whatever_else_has_that_name(other: object) -> None:
    embed, memory = Asked(other), BackgroundCache()
    for _ in range(2):
        work(embed, memory).run(embed)
        asyncio.run(work(embed, memory).arun(embed.awaited))
    assert [len(texts) for texts in embed.calls] == [len(TEXTS), 4, 4, 4, 4]


def test_a_cache_of_the_embedded_model_brings_its_background(tmp_path: Path) -> None:
    with cached(StaticEmbedder(), tmp_path / "rows.db", "static") as embed:
        assert background_of(embed) == background_of(StaticEmbedder()) == Background(StaticEmbedder().background)
