"""A stream of texts: in order, as each alone, bounded, with back-pressure, and cleanly cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from caesura import Limits, OptimalCut, SettingError, Splitter
from caesura.hierarchy import Hierarchy, by_sizes
from caesura.stream import asplit_stream, split_stream
from caesura_static import StaticEmbedder

EMBED = StaticEmbedder()
SPLITTER = Splitter(limits=Limits(120), cut=OptimalCut())
TEXTS = [
    " ".join(f"Harbour {number} has {place} boats. The price of bonds fell {place} times." for place in range(number))
    for number in (3, 0, 9, 1, 4, 0, 17, 2, 6)
]
ALONE = [SPLITTER.split(text, EMBED) for text in TEXTS]
WINDOWS = [1, 50, 1_000, 1_000_000]


async def aembed(texts: list[str]) -> Any:
    await asyncio.sleep(0)
    return EMBED(texts)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("batch_size", [None, 1, 7])
def test_results_are_those_of_each_text_alone_in_order(window: int, batch_size: int | None) -> None:
    assert [made.chunks() for made in split_stream(SPLITTER, iter(TEXTS), EMBED, window, batch_size)] == ALONE


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("max_concurrency", [1, 2, 16])
async def test_async_gives_the_same_in_order(window: int, max_concurrency: int) -> None:
    finished = []

    async def uneven(texts: list[str]) -> Any:
        await asyncio.sleep(0.01 if len(finished) % 2 else 0)
        finished.append(texts)
        return EMBED(texts)

    async def source() -> AsyncIterator[str]:
        for text in TEXTS:
            yield text

    for texts in (iter(TEXTS), source()):
        stream = asplit_stream(SPLITTER, texts, uneven, window, max_concurrency=max_concurrency)
        assert [made.chunks() async for made in stream] == ALONE


def test_a_hierarchy_is_streamed_too() -> None:
    hierarchy = Hierarchy(by_sizes(200, 60))
    for text, made in zip(TEXTS, split_stream(hierarchy, TEXTS, EMBED, 300), strict=True):
        assert made.chunks() == hierarchy.split(text, EMBED).chunks()


def test_many_short_texts_go_into_one_call() -> None:
    calls = []

    def embed(texts: Sequence[str]) -> Any:
        calls.append(len(texts))
        return EMBED(texts)

    assert len(list(split_stream(SPLITTER, ["One boat. Two boats."] * 100, embed))) == 100
    assert calls == [200]


def test_texts_are_taken_only_when_results_are() -> None:
    taken = 0

    def source() -> Iterator[str]:
        nonlocal taken
        for text in TEXTS * 20:
            taken += 1
            yield text

    stream = split_stream(SPLITTER, source(), EMBED, 1)
    assert taken == 0
    for number, _ in zip(range(1, 6), stream, strict=False):
        assert taken == number


async def test_no_more_windows_are_open_than_asked_for() -> None:
    taken, open_calls, most = 0, 0, 0

    async def source() -> AsyncIterator[str]:
        nonlocal taken
        for text in ["One boat.", "Two boats."] * 20:
            taken += 1
            yield text

    async def embed(texts: list[str]) -> Any:
        nonlocal open_calls, most
        open_calls += 1
        most = max(most, open_calls)
        await asyncio.sleep(0.002)
        open_calls -= 1
        return EMBED(texts)

    given = 0
    async for _ in asplit_stream(SPLITTER, source(), embed, 1, max_concurrency=3):
        given += 1
        assert taken - given < 3
    assert given == 40
    assert most == 3


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
    cancelled = []

    async def embed(texts: list[str]) -> Any:
        if "Bad." in texts:
            raise ConnectionError("gone")
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


def test_no_text_no_result() -> None:
    assert list(split_stream(SPLITTER, [], EMBED)) == []


@pytest.mark.parametrize("texts", [["A boat.", None], [b"A boat."]])
def test_what_is_no_text_is_refused(texts: list[Any]) -> None:
    with pytest.raises(SettingError, match="a document must be a str, got"):
        list(split_stream(SPLITTER, texts, EMBED))


def test_one_str_is_no_stream() -> None:
    with pytest.raises(SettingError, match=r"pass \[text\]"):
        list(split_stream(SPLITTER, "A boat.", EMBED))


@pytest.mark.parametrize("window", [0, -1, 2.5])
def test_a_window_is_a_positive_whole_number(window: float) -> None:
    with pytest.raises(SettingError, match="window must be a whole number of at least 1"):
        list(split_stream(SPLITTER, TEXTS, EMBED, window))


def test_vectors_come_along() -> None:
    made = next(split_stream(SPLITTER, TEXTS[2:3], EMBED))
    assert made.vectors().shape == (len(made.chunks()), EMBED.dimension)
    assert np.isfinite(made.vectors()).all()
