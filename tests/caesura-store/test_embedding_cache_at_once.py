"""Threads and tasks that ask a cache for one text at once: one embeds it, others wait, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from fakes.embedders.rows_of_words import Counting, telling

from caesura_store.embedding_cache import async_cached, cached

BATCHES = [[f"text {(start * 7 + number) % 60}" for number in range(40)] for start in range(16)]
"""Of sixty texts, in batches that overlap."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rows.db"


def slow(texts: Sequence[str]) -> list[list[float]]:
    time.sleep(0.02)
    return telling(texts)


def test_sixteen_threads_embed_each_text_once(path: Path) -> None:
    own = Counting(slow)
    embed, together = cached(own, path, "own"), threading.Barrier(16)

    def ask(texts: list[str]) -> None:
        together.wait()
        np.testing.assert_array_equal(embed(texts), np.array(telling(texts), np.float32))

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(ask, BATCHES))
    assert sorted(own.texts) == sorted({text for batch in BATCHES for text in batch})
    assert (embed.asked, embed.found) == (60, 16 * 40 - 60)


def test_tasks_embed_each_text_once_and_leave_the_loop_free(path: Path) -> None:
    own = Counting(telling)
    turns = 0

    async def awaited(texts: list[str]) -> object:
        await asyncio.sleep(0.1)
        return own(texts)

    async def tick() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.001)
            turns += 1

    async def ask() -> list[object]:
        embed = async_cached(awaited, path, "own")
        ticking = asyncio.create_task(tick())
        rows = await asyncio.gather(*map(embed, BATCHES))
        ticking.cancel()
        return list(rows)

    for rows, batch in zip(asyncio.run(ask()), BATCHES, strict=True):
        np.testing.assert_array_equal(rows, np.array(telling(batch), np.float32))
    assert sorted(own.texts) == sorted({text for batch in BATCHES for text in batch})
    assert turns > 20


@pytest.mark.parametrize("fault", [ConnectionError, KeyboardInterrupt])
def test_one_that_waits_embeds_what_the_first_failed_to(path: Path, fault: type[BaseException]) -> None:
    begun, waiting, calls = threading.Event(), threading.Event(), list[list[str]]()

    def failing(texts: list[str]) -> list[list[float]]:
        calls.append(texts)
        if len(calls) == 1:
            begun.set()
            waiting.wait()
            raise fault
        return telling(texts)

    embed = cached(failing, path, "own")
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(embed, ["one", "two"])
        begun.wait()
        second = threads.submit(embed, ["two", "three"])
        while len(calls) < 2:  # "three", which nobody has claimed, is not waited with
            time.sleep(0.001)
        waiting.set()
        with pytest.raises(fault):
            first.result()
        assert second.result().tolist() == telling(["two", "three"])
    assert calls == [["one", "two"], ["three"], ["two"]]


def test_a_task_that_is_cancelled_gives_up_what_it_claimed(path: Path) -> None:
    calls = list[list[str]]()

    async def awaited(texts: list[str]) -> object:
        calls.append(texts)
        if len(calls) == 1:
            await asyncio.Event().wait()
        return telling(texts)

    async def ask() -> object:
        embed = async_cached(awaited, path, "own")
        first = asyncio.create_task(embed(["one"]))
        while not calls:
            await asyncio.sleep(0.001)
        second = asyncio.create_task(embed(["one"]))
        await asyncio.sleep(0.03)
        first.cancel()
        return await asyncio.wait_for(second, 10)

    np.testing.assert_array_equal(asyncio.run(ask()), telling(["one"]))
    assert calls == [["one"], ["one"]]


def test_a_cache_within_a_cache_of_the_same_name_does_not_wait_for_itself(path: Path) -> None:
    own = Counting(telling)
    assert cached(cached(own, path, "own"), path, "own")(["one"]).tolist() == telling(["one"])
    assert own.texts == ["one"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_that_is_forked_while_a_thread_embeds_does_not_wait_for_it(path: Path) -> None:
    begun, go, parent = threading.Event(), threading.Event(), os.getpid()

    def embed(texts: list[str]) -> list[list[float]]:
        if os.getpid() == parent:
            begun.set()
            go.wait(600)
        return telling(texts)

    cache = cached(embed, path, "own")
    thread = threading.Thread(target=cache, args=(["one"],))
    thread.start()
    begun.wait(600)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(cache(["one"]).tolist() != telling(["one"]))
    _, status = os.waitpid(child, 0)
    go.set()
    thread.join()
    assert status == 0
