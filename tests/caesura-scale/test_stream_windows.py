"""A stream takes no more than is wanted of it: many short texts in one call, so many windows at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import pytest

from caesura import Limits, OptimalCut, SettingError, Splitter
from caesura_scale.stream import asplit_stream, split_stream
from caesura_static import StaticEmbedder

EMBED = StaticEmbedder()
SPLITTER = Splitter(limits=Limits(120), cut=OptimalCut())


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
        for text in ["One boat.", "", "Two boats."] * 20:
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


@pytest.mark.parametrize("window", [0, -1, 2.5])
def test_a_window_is_a_positive_whole_number(window: float) -> None:
    with pytest.raises(SettingError, match="window must be a whole number of at least 1"):
        list(split_stream(SPLITTER, ["One boat."], EMBED, window))
