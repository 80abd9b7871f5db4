"""A stream of texts -> their segmentations, one by one and in order: no more in memory than a window.

Texts are taken until they fill a window; the units of a window are embedded together,
so that many short texts fill an embedder's batches as one long text does.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

from caesura.batch import Batch
from caesura.checks import check_int
from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, embed_in_batches, run
from caesura.splitter import Stages
from caesura.types import Embed

T = TypeVar("T")
WINDOW = 1_000_000
"""Characters: some 8,000 sentences, 6 MB of vectors of the built-in model."""


def windows(things: Iterable[T], size: int, measure: Callable[[T], int]) -> Iterator[list[T]]:
    """Yields lists in order, such that all but the last measure at least `size`, and none does without its last."""
    held, filled = list[T](), 0
    for thing in things:
        held.append(thing)
        filled += measure(thing)
        if filled >= size:
            yield held
            held, filled = [], 0
    if held:
        yield held


async def awindows(things: AsyncIterable[T], size: int, measure: Callable[[T], int]) -> AsyncIterator[list[T]]:
    """`windows`, of what is awaited."""
    held, filled = list[T](), 0
    async for thing in things:
        held.append(thing)
        filled += measure(thing)
        if filled >= size:
            yield held
            held, filled = [], 0
    if held:
        yield held


def split_stream(
    splitter: Stages[T], texts: Iterable[str], embed: Embed, window: int = WINDOW, batch_size: int | None = None
) -> Iterator[T]:
    """Texts -> for each what `splitter.finish` makes of it: a `Segmentation`, or the `Nested` levels of a Hierarchy.

    splitter: a `Splitter` or a `Hierarchy`, with its background. window: texts are taken, one at least, until they have
    so many characters together. batch_size: the most texts per call of `embed`; None is a window's at once.

    Yields one result per text, in order, such that it is what the text alone would give. Takes the next texts only when
    it is asked for their results. What `texts` or `embed` raises comes after the results of the windows before.

    >>> from caesura import Limits, OptimalCut, Splitter
    >>> embed = lambda texts: [[1.0, "moon" in text] for text in texts]
    >>> for made in split_stream(Splitter(cut=OptimalCut()), ["The moon rose.", "Dogs bark."], embed):
    ...     [chunk.text for chunk in made.chunks()]
    ['The moon rose.']
    ['Dogs bark.']
    """
    check_int("window", window, 1)
    for part in windows(_check_texts(texts), window, _text_lengths()):
        batch = splitter.prepare(part)
        yield from splitter.finish(batch, run(embed_in_batches(Blocking(), embed, batch.texts, batch_size)))


async def asplit_stream(
    splitter: Stages[T],
    texts: Iterable[str] | AsyncIterable[str],
    aembed: Callable[[list[str]], Awaitable[Any]],
    window: int = WINDOW,
    batch_size: int | None = None,
    max_concurrency: int = 4,
) -> AsyncIterator[T]:
    """`split_stream` by awaiting `aembed`, up to `max_concurrency` windows at a time; results still come in order.

    At most `max_concurrency` windows are in memory: no further texts are taken until the oldest window's results are.
    What is not embedding runs in a thread. Where it is closed or cancelled, so are all calls under way.
    """
    check_int("window", window, 1)
    check_int("max_concurrency", max_concurrency, 1)
    running: deque[asyncio.Task[list[T]]] = deque()

    async def made(part: list[str]) -> list[T]:
        batch: Batch = await Awaiting().compute(splitter.prepare, part)
        rows = await embed_in_batches(Awaiting(), aembed, batch.texts, batch_size)
        return await Awaiting().compute(splitter.finish, batch, rows)

    try:
        async for part in _windows(texts, window):
            running.append(asyncio.create_task(made(part)))
            if len(running) == max_concurrency:
                for result in await running.popleft():
                    yield result
        while running:
            for result in await running.popleft():
                yield result
    finally:
        for task in running:
            task.cancel()
        for task in running:
            with suppress(asyncio.CancelledError, Exception):  # what broke off first is what is raised
                await task


def _check_texts(texts: T) -> T:
    if isinstance(texts, str):
        raise SettingError("texts must be an iterable of str, got one str: pass [text]")
    return texts


def _text_lengths() -> Callable[[str], int]:
    """What texts take of a window, one after another. It raises `SettingError` for what is none, with its place."""
    places = count()

    def measure(text: str) -> int:
        place = next(places)
        if not isinstance(text, str):
            raise SettingError(f"a document must be a str, got {type(text).__name__} at position {place}")
        return max(len(text), 1)

    return measure


async def _windows(texts: Iterable[str] | AsyncIterable[str], size: int) -> AsyncIterator[list[str]]:
    if isinstance(texts, AsyncIterable):
        async for part in awindows(texts, size, _text_lengths()):
            yield part
    else:
        for part in windows(_check_texts(texts), size, _text_lengths()):
            yield part
