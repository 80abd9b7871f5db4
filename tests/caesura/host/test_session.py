"""A host's embedder is asked for its background where it brings none, once; that of one that brings it is taken."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from caesura import Background, EmbeddingError, Splitter
from caesura.background import TEXTS, background_of
from caesura.host.session import BackgroundCache, EmbeddingSession
from caesura_static import StaticEmbedder
from caesura_store.embedding_cache import cached

TEXT = "The cat sat. The cat and the dog ran. The tax law changed. A new tax law passed."


def work(embedder: object, memory: BackgroundCache) -> EmbeddingSession[Any]:
    return EmbeddingSession(Splitter(), [TEXT], embedder, memory, calibrated=True)


class Asked:
    """The built-in model, and what it was asked for. background: what it brings."""

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


def test_a_background_that_has_to_be_loaded_is_asked_for_beside_the_event_loop() -> None:
    threads: set[int] = set()

    class Loading:
        @property
        def background(self) -> Any:
            threads.add(threading.get_ident())
            return StaticEmbedder().background

    asyncio.run(work(Loading(), BackgroundCache()).arun(Asked().awaited))
    assert threads
    assert threading.get_ident() not in threads


def test_a_cache_of_the_built_in_model_brings_its_background(tmp_path: Path) -> None:
    with cached(StaticEmbedder(), tmp_path / "rows.db", "static") as embed:
        assert background_of(embed) == background_of(StaticEmbedder()) == Background(StaticEmbedder().background)


def test_an_embedder_that_calls_its_own_splitter_is_told_so_and_does_not_hang() -> None:
    cache = BackgroundCache()

    def embed(texts: Sequence[str]) -> Any:
        if len(texts) == len(TEXTS):
            work(embed, cache).run(embed)
        return StaticEmbedder()(texts)

    async def aembed(texts: Sequence[str]) -> Any:
        if len(texts) == len(TEXTS):
            await work(aembed, cache).arun(aembed)
        return StaticEmbedder()(texts)

    with pytest.raises(EmbeddingError, match=r"would wait for itself: give that splitter another embedder"):
        work(embed, cache).run(embed)
    with pytest.raises(EmbeddingError, match="would wait for itself"):
        asyncio.run(work(aembed, cache).arun(aembed))
    assert work(StaticEmbedder(), cache).run(StaticEmbedder())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_that_is_forked_while_a_thread_calibrates_calibrates_by_itself() -> None:
    cache, begun, go = BackgroundCache(), threading.Event(), threading.Event()
    parent = os.getpid()

    def embed(texts: Sequence[str]) -> Any:
        if len(texts) == len(TEXTS) and os.getpid() == parent:
            begun.set()
            go.wait(600)
        return StaticEmbedder()(texts)

    thread = threading.Thread(target=lambda: work(embed, cache).run(embed))
    thread.start()
    begun.wait(600)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        work(embed, cache).run(embed)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    go.set()
    thread.join()
    assert status == 0
