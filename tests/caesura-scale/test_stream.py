"""A stream of texts: in order, as each alone, sync and async, whatever the window."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest

from caesura import Limits, OptimalCut, SettingError, Splitter
from caesura.hierarchy import Hierarchy, by_sizes
from caesura_scale.stream import asplit_stream, split_stream
from caesura_static import StaticEmbedder

EMBED = StaticEmbedder()
SPLITTER = Splitter(limits=Limits(120), cut=OptimalCut())
TEXTS = [
    " ".join(f"Harbour {number} has {place} boats. The price of bonds fell {place} times." for place in range(number))
    for number in (3, 0, 9, 1, 4, 0, 17, 2, 6)
]
ALONE = [SPLITTER.split(text, EMBED) for text in TEXTS]
WINDOWS = [1, 50, 1_000, 1_000_000]


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


def test_no_text_no_result() -> None:
    assert list(split_stream(SPLITTER, [], EMBED)) == []


@pytest.mark.parametrize("texts", [["A boat.", None], [b"A boat."]])
def test_what_is_no_text_is_refused(texts: list[Any]) -> None:
    with pytest.raises(SettingError, match="a document must be a str, got"):
        list(split_stream(SPLITTER, texts, EMBED))


def test_one_str_is_no_stream() -> None:
    with pytest.raises(SettingError, match=r"pass \[text\]"):
        list(split_stream(SPLITTER, "A boat.", EMBED))


def test_vectors_come_along() -> None:
    made = next(split_stream(SPLITTER, TEXTS[2:3], EMBED))
    assert made.vectors().shape == (len(made.chunks()), EMBED.dimension)
    assert np.isfinite(made.vectors()).all()
