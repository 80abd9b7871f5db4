"""Code written once for sync and async hosts: which calls it makes, where, and what it raises."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable

import numpy as np
import pytest

from caesura import EmbeddingError, SettingError
from caesura.sansio import Awaiting, Blocking, Calls, embed_in_batches, run


def double(number: int) -> int:
    return 2 * number


async def adouble(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


async def quotients(calls: Calls, *numbers: int) -> list[object]:
    """What 20 is, parted by each number: by a call of the host."""

    def divide(number: int) -> int:
        return 20 // number

    async def adivide(number: int) -> int:
        await asyncio.sleep(0)
        return 20 // number

    found: list[object] = []
    for number in numbers:
        try:
            found.append(await calls.call(divide, adivide, number))
        except ZeroDivisionError as error:
            found.append(str(error))
    return found


@pytest.mark.parametrize(
    "host",
    [
        lambda numbers: run(quotients(Blocking(), *numbers)),
        lambda numbers: asyncio.run(quotients(Awaiting(), *numbers)),
    ],
    ids=["blocking", "awaiting"],
)
def test_each_call_returns_or_raises_where_it_stands(host: Callable[[list[int]], list[object]]) -> None:
    assert host([4, 0, 5]) == [5, "integer division or modulo by zero", 4]
    assert host([]) == []


def test_an_exception_goes_through_every_level_and_its_traceback_names_them() -> None:
    async def inner(calls: Calls) -> int:
        return await calls.call(lambda: 1 // 0, adouble)  # type: ignore[arg-type, return-value]

    async def outer(calls: Calls) -> int:
        return await inner(calls)

    with pytest.raises(ZeroDivisionError) as caught:
        run(outer(Blocking()))
    assert {"inner", "outer"} <= {entry.name for entry in caught.traceback}


def test_run_works_within_a_running_event_loop() -> None:
    async def main() -> int:
        return run(Blocking().call(double, adouble, 4))

    assert asyncio.run(main()) == 8


def test_what_awaits_something_else_is_refused() -> None:
    with pytest.raises(RuntimeError, match="must be given Blocking"):
        run(asyncio.sleep(0))


def test_what_is_computed_is_beside_the_event_loop_and_in_the_callers_context() -> None:
    name = contextvars.ContextVar("name", default="")

    def compute() -> tuple[threading.Thread, str]:
        return threading.current_thread(), name.get()

    async def main() -> tuple[threading.Thread, str]:
        name.set("mine")
        return await Awaiting().compute(compute)

    thread, seen = asyncio.run(main())
    assert thread is not threading.main_thread()
    assert seen == "mine"
    assert run(Blocking().compute(compute))[0] is threading.current_thread()


def rows_of(texts: str | list[str], batch_size: int | None, embed: Callable[[list[str]], object]) -> np.ndarray:
    return run(embed_in_batches(Blocking(), embed, list(texts), batch_size))


def test_an_awaited_embedder_gives_the_same_rows() -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[float(ord(text))] for text in texts]

    async def aembed(texts: list[str]) -> list[list[float]]:
        await asyncio.sleep(0)
        return embed(texts)

    awaited: Callable[[list[str]], Awaitable[object]] = aembed
    found = asyncio.run(embed_in_batches(Awaiting(), awaited, "abcde", 2))
    assert found.tolist() == rows_of("abcde", 2, embed).tolist()


@pytest.mark.parametrize(
    ("batch_size", "calls"), [(None, ["abcde"]), (2, ["ab", "cd", "e"]), (5, ["abcde"]), (9, ["abcde"])]
)
def test_texts_are_asked_for_in_order_and_in_batches(batch_size: int | None, calls: list[str]) -> None:
    asked: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked.append("".join(texts))
        return [[float(ord(text))] for text in texts]

    rows = rows_of("abcde", batch_size, embed)
    assert asked == calls
    assert rows.tolist() == [[97], [98], [99], [100], [101]]


def test_no_text_asks_for_nothing() -> None:
    assert rows_of([], None, lambda texts: pytest.fail("asked")).shape == (0, 0)


@pytest.mark.parametrize("batch_size", [0, -1, True, 1.5])
def test_a_batch_size_must_be_a_whole_number(batch_size: object) -> None:
    with pytest.raises(SettingError, match=rf"^batch_size must be a whole number of at least 1, got {batch_size}$"):
        rows_of(["a"], batch_size, lambda texts: [[1.0]])  # type: ignore[arg-type]


def test_a_dimension_that_changes_between_calls_is_refused() -> None:
    widths = iter([2, 3, 2])
    with pytest.raises(EmbeddingError, match=r"rows of one length in every call, got \[2, 3\]"):
        rows_of("abc", 1, lambda texts: np.ones((1, next(widths))))


def test_an_embedders_exception_comes_out_with_a_note_of_its_texts() -> None:
    broken = ConnectionError("gone")

    def embed(texts: list[str]) -> list[list[float]]:
        if "c" in texts:
            raise broken
        return [[1.0]] * len(texts)

    with pytest.raises(ConnectionError) as caught:
        rows_of("abcde", 2, embed)
    assert caught.value is broken
    assert caught.value.__notes__ == ["raised by the embedder for texts 2 to 3 of 5"]


def test_an_embedder_that_uses_its_array_again_changes_no_row_that_it_returned() -> None:
    buffer = np.zeros((2, 1), np.float32)

    def embed(texts: list[str]) -> np.ndarray:
        buffer[: len(texts), 0] = [ord(text) for text in texts]
        return buffer[: len(texts)]

    assert rows_of("abcde", 2, embed).tolist() == [[97], [98], [99], [100], [101]]
    first = rows_of("ab", None, embed)
    rows_of("cd", None, embed)
    assert first.tolist() == [[97], [98]]


def runs_out(texts: object) -> list[list[float]]:
    return next(iter(()))


async def aruns_out(texts: object) -> list[list[float]]:
    return next(iter(()))


@pytest.mark.parametrize(
    "host",
    [
        lambda: run(embed_in_batches(Blocking(), runs_out, ["a"])),
        lambda: asyncio.run(embed_in_batches(Awaiting(), aruns_out, ["a"])),
        lambda: asyncio.run(embed_in_batches(Awaiting(), runs_out, ["a"])),
        lambda: asyncio.run(asyncio.wait_for(Awaiting().compute(runs_out, "a"), 20)),
        lambda: run(Blocking().compute(runs_out, "a")),
    ],
)
def test_a_function_in_which_an_iterator_runs_out_is_named_and_never_waited_for(host: Callable[[], object]) -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        host()


def test_an_embedder_in_which_an_iterator_runs_out_is_told_with_its_texts() -> None:
    with pytest.raises(RuntimeError, match=r"runs_out at .* raised StopIteration: an iterator has run out") as caught:
        run(embed_in_batches(Blocking(), runs_out, ["a"]))
    assert caught.value.__notes__ == ["raised by the embedder for texts 0 to 0 of 1"]


async def test_a_thread_that_writes_is_waited_for_also_where_the_caller_is_cancelled_twice() -> None:
    begun, goes_on, done = threading.Event(), threading.Event(), list[bool]()

    def write() -> None:
        begun.set()
        goes_on.wait(600)
        done.append(True)

    for call in (lambda: Awaiting().compute(write), lambda: Awaiting().write(write, lambda: asyncio.to_thread(write))):
        begun.clear()
        goes_on.clear()
        done.clear()
        task = asyncio.ensure_future(call())
        await asyncio.to_thread(begun.wait)
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0.01)
        assert not task.done()
        goes_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert done
