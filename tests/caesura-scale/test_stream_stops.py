"""A stream that fails, is closed or cancelled gives what was there, and leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from caesura import Limits, OptimalCut, Splitter
from caesura_scale.stream import asplit_stream, split_stream
from caesura_static import StaticEmbedder

EMBED = StaticEmbedder()
SPLITTER = Splitter(limits=Limits(120), cut=OptimalCut())


def test_an_embedder_that_fails_does_so_after_the_results_before() -> None:
    def embed(texts: Sequence[str]) -> Any:
        if any("bad" in text for text in texts):
            raise ConnectionError("gone")
        return EMBED(texts)

    stream = split_stream(SPLITTER, ["A boat.", "A bad boat.", "A boat."], embed, 1)
    assert next(stream).chunks()[0].text == "A boat."
    with pytest.raises(ConnectionError):
        next(stream)


async def test_where_one_window_fails_the_others_are_cancelled() -> None:
    begun, cancelled = list[list[str]](), list[list[str]]()

    async def embed(texts: list[str]) -> Any:
        if "Bad." in texts:
            while len(begun) < 2:  # however long a thread takes to prepare the others
                await asyncio.sleep(0.001)
            raise ConnectionError("gone")
        begun.append(texts)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(texts)
            raise

    with pytest.raises(ConnectionError):
        async for _ in asplit_stream(SPLITTER, ["Bad.", "A boat.", "A car."], embed, 1):
            pass
    assert len(cancelled) == 2


async def test_a_stream_that_is_closed_leaves_nothing_behind() -> None:
    cancelled = []

    async def embed(texts: list[str]) -> Any:
        if "First." in texts:
            return EMBED(texts)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(texts)
            raise

    stream = asplit_stream(SPLITTER, ["First.", "A boat.", "A car.", "A cat."], embed, 1, max_concurrency=2)
    await anext(stream)
    await asyncio.sleep(0.05)
    await stream.aclose()
    assert cancelled == [["A boat."]]
    assert len(asyncio.all_tasks()) == 1


async def test_a_task_that_is_cancelled_cancels_what_is_under_way() -> None:
    begun, cancelled = asyncio.Event(), []

    async def embed(texts: list[str]) -> Any:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(texts)
            raise

    async def consume() -> None:
        async for _ in asplit_stream(SPLITTER, ["A boat.", "A car."], embed, 1):
            pass

    task = asyncio.create_task(consume())
    await begun.wait()
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(cancelled) == [["A boat."], ["A car."]]
