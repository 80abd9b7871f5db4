"""The async half asks `aembed_documents`, in batches, at once, from any loop; faults and cancelling do no harm."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fakes.langchain.splitters import AsyncBag, Bag, bags, every_splitter
from fakes.texts.articles import article
from langchain_core.documents import Document

DOCUMENTS = [Document(page_content=article(seed=seed)) for seed in range(3)]


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
