"""The async half asks `aembed_documents`, and the event loop goes on meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from articles import article
from langchain_core.documents import Document
from langchain_fakes import AsyncBag, Bag, bags, every_splitter

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

    def split(text: str) -> list[str]:
        tick.clear()
        waits.append(tick.wait(10))
        return text.split(". ")

    def pieces(text: str) -> list[str]:
        return [piece + "." for piece in split(text.removesuffix("."))]

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
    on_loop: list[str] = []
    loop_thread = threading.get_ident()

    def size(text: str) -> int:
        if threading.get_ident() == loop_thread:
            on_loop.append(text)
        return len(text)

    await way(cls(AsyncBag(), chunk_size=300, chunk_overlap=80, length_function=size))
    assert on_loop == []


@every_splitter
async def test_a_heartbeat_ticks_while_a_large_text_is_cut_with_the_embedded_model(cls: Any) -> None:
    ticks, text = 0, article(6000)

    async def heartbeat() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    beating = asyncio.create_task(heartbeat())
    chunks = await cls(chunk_size=500).asplit_text(text)
    beating.cancel()
    assert ticks > 3
    assert chunks == cls(chunk_size=500).split_text(text)


@every_splitter
async def test_many_at_once_give_what_each_gives_alone(cls: Any) -> None:
    splitter = cls(AsyncBag(), chunk_size=300)
    made = await asyncio.gather(*(splitter.asplit_documents([document]) for document in DOCUMENTS * 3))
    alone = [cls(Bag(), chunk_size=300).split_documents([document]) for document in DOCUMENTS]
    assert made == alone * 3


@every_splitter
async def test_a_batch_size_splits_awaited_calls_too(cls: Any) -> None:
    embeddings = AsyncBag()
    await cls(embeddings, batch_size=9, calibrated=False).asplit_documents(DOCUMENTS)
    assert max(map(len, embeddings.calls)) == 9


@every_splitter
def test_a_splitter_goes_from_one_loop_to_another(cls: Any) -> None:
    splitter = cls(AsyncBag(), chunk_size=300)
    first = asyncio.run(splitter.asplit_documents(DOCUMENTS))
    assert asyncio.run(splitter.asplit_documents(DOCUMENTS)) == first


@every_splitter
async def test_a_fault_is_raised_to_whoever_awaits(cls: Any) -> None:
    class Down(AsyncBag):
        async def aembed_documents(self, texts: list[str]) -> object:
            raise ConnectionError("the service is down")

    with pytest.raises(ConnectionError, match="down") as caught:
        await cls(Down()).asplit_documents(DOCUMENTS)
    assert any("raised by the embedder for texts 0 to" in note for note in caught.value.__notes__)


@every_splitter
async def test_cancelling_ends_it_and_the_splitter_works_on(cls: Any) -> None:
    class Slow(AsyncBag):
        async def aembed_documents(self, texts: list[str]) -> object:
            started.set()
            await asyncio.sleep(slow)
            return bags(texts)

    slow, started = 60.0, asyncio.Event()
    splitter = cls(Slow(), chunk_size=300)
    task = asyncio.create_task(splitter.asplit_documents(DOCUMENTS))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    slow = 0.0
    assert await splitter.asplit_documents(DOCUMENTS) == cls(Bag(), chunk_size=300).split_documents(DOCUMENTS)


@every_splitter
async def test_embeddings_without_an_async_half_are_asked_in_a_thread(cls: Any) -> None:
    """The constructor takes anything with `embed_documents`; LangChain's own Embeddings fall back in this way too."""

    class Bare:
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return bags(texts)

    splitter = cls(Bare(), chunk_size=300)
    assert await splitter.asplit_documents(DOCUMENTS) == splitter.split_documents(DOCUMENTS)
