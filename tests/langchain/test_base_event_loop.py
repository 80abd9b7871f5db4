"""The async half blocks no event loop: nothing is embedded, cut or measured on its thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from fakes.langchain.splitters import AsyncBag, Bag, every_splitter
from fakes.texts.articles import article
from langchain_core.documents import Document

from caesura_static import StaticEmbedder
from langchain_caesura import OptimalSemanticSplitter
from langchain_caesura.base import SAMPLE

DOCUMENTS = [Document(page_content=article(seed=seed)) for seed in range(3)]
WAYS = {
    "asplit_text": lambda splitter: splitter.asplit_text(DOCUMENTS[0].page_content),
    "asplit_documents": lambda splitter: splitter.asplit_documents(DOCUMENTS),
    "acreate_documents": lambda splitter: splitter.acreate_documents([one.page_content for one in DOCUMENTS]),
    "atransform_documents": lambda splitter: splitter.atransform_documents(DOCUMENTS),
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@every_splitter
@every_way
async def test_the_async_half_never_asks_embed_documents(cls: Any, way: Callable[[Any], Any]) -> None:
    embeddings = AsyncBag()
    assert await way(cls(embeddings, chunk_size=300)) == await way(cls(Bag(), chunk_size=300))
    assert len(embeddings.calls) == 2


@every_splitter
@every_way
async def test_the_loop_goes_on_while_texts_are_cut(cls: Any, way: Callable[[Any], Any]) -> None:
    """The segmenter waits for a tick of the loop, which a blocked loop never gives."""
    tick, waits = threading.Event(), []

    def pieces(text: str) -> list[str]:
        tick.clear()
        waits.append(tick.wait(600))
        return [piece + "." for piece in text.removesuffix(".").split(". ")]

    async def heartbeat() -> None:
        while True:
            tick.set()
            await asyncio.sleep(0.001)

    beating = asyncio.create_task(heartbeat())
    await way(cls(AsyncBag(), chunk_size=300, sentence_splitter=pieces))
    beating.cancel()
    assert waits
    assert all(waits)


@every_splitter
@every_way
async def test_nothing_is_measured_on_the_loops_own_thread(cls: Any, way: Callable[[Any], Any]) -> None:
    threads: list[int] = []

    def size(text: str) -> int:
        threads.append(threading.get_ident())
        return len(text)

    splitter = cls(AsyncBag(), chunk_size=300, chunk_overlap=80, length_function=size)
    threads.clear()  # where it is made, a short text is measured
    await way(splitter)
    assert threads
    assert threading.get_ident() not in threads


@every_way
async def test_a_function_in_which_an_iterator_runs_out_is_told_and_never_waited_for(way: Callable[[Any], Any]) -> None:
    def runs_out(text: Any) -> Any:
        return next(iter(()))

    def measures(text: str) -> int:
        return len(text) if text == SAMPLE else next(iter(()))

    for settings in ({"embeddings": runs_out}, {"sentence_splitter": runs_out}, {"length_function": measures}):
        with pytest.raises(RuntimeError, match="raised StopIteration: an iterator has run out"):
            await asyncio.wait_for(way(OptimalSemanticSplitter(**settings)), 10)


@every_splitter
async def test_the_built_in_model_is_asked_in_a_thread_of_its_own(cls: Any) -> None:
    threads: list[int] = []
    ask = StaticEmbedder.__call__

    def noted(self: StaticEmbedder, texts: list[str]) -> Any:
        threads.append(threading.get_ident())
        return ask(self, texts)

    with patch.object(StaticEmbedder, "__call__", noted):
        await cls(chunk_size=300).asplit_documents(DOCUMENTS)
    assert threads
    assert threading.get_ident() not in threads
