"""What asks for rows, or for anything, and those who answer it: by a call, or by an awaited one."""

import asyncio
import threading
from collections.abc import Callable, Generator

import numpy as np
import pytest

from caesura import EmbeddingError, SettingError
from caesura.sansio import adrive, drive, requests

Asking = Generator[int, int, list[object]]
Driver = Callable[[Asking, Callable[[int], int]], list[object]]


def awaited(asking: Asking, answer: Callable[[int], int]) -> list[object]:
    async def answered(wanted: int) -> int:
        await asyncio.sleep(0)
        return answer(wanted)

    async def main() -> list[object]:
        return await adrive(asking, answered)

    return asyncio.run(main())


every_driver = pytest.mark.parametrize("driven", [drive, awaited], ids=["drive", "adrive"])


@every_driver
def test_each_request_gets_its_answer_and_an_exception_comes_where_the_answer_was_awaited(driven: Driver) -> None:
    def asking() -> Asking:
        found: list[object] = [(yield 4)]
        try:
            yield 0
        except ZeroDivisionError as error:
            found.append(str(error))
        return [*found, (yield 5)]

    assert driven(asking(), lambda wanted: 20 // wanted) == [5, "integer division or modulo by zero", 4]


@every_driver
def test_an_exception_that_is_not_caught_ends_the_generator(driven: Driver) -> None:
    closed: list[bool] = []

    def asking() -> Asking:
        try:
            yield 0
        finally:
            closed.append(True)
        return []

    with pytest.raises(ZeroDivisionError):
        driven(asking(), lambda wanted: 20 // wanted)
    assert closed == [True]


@every_driver
def test_what_asks_for_nothing_returns_at_once(driven: Driver) -> None:
    def asking() -> Asking:
        return ["done"]
        yield

    assert driven(asking(), lambda wanted: pytest.fail("asked")) == ["done"]


def test_what_is_between_two_awaited_answers_is_not_on_the_event_loop() -> None:
    threads: list[threading.Thread] = []

    def asking() -> Generator[str, None, None]:
        for text in "ab":
            threads.append(threading.current_thread())
            yield text

    async def answer(text: str) -> None:
        assert threading.current_thread() is threading.main_thread()

    asyncio.run(adrive(asking(), answer))
    assert len(threads) == 2
    assert threading.main_thread() not in threads


@pytest.mark.parametrize(
    ("batch_size", "calls"), [(None, ["abcde"]), (2, ["ab", "cd", "e"]), (5, ["abcde"]), (9, ["abcde"])]
)
def test_texts_are_asked_for_in_order_and_in_batches(batch_size: int | None, calls: list[str]) -> None:
    asked: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked.append("".join(texts))
        return [[float(ord(text))] for text in texts]

    rows = drive(requests("abcde", batch_size), embed)
    assert asked == calls
    assert rows.tolist() == [[97], [98], [99], [100], [101]]


def test_no_text_asks_for_nothing() -> None:
    assert drive(requests([]), lambda texts: pytest.fail("asked")).shape == (0, 0)


@pytest.mark.parametrize("batch_size", [0, -1, True, 1.5])
def test_a_batch_size_must_be_a_whole_number(batch_size: object) -> None:
    with pytest.raises(SettingError, match=rf"^batch_size must be a whole number of at least 1, got {batch_size}$"):
        drive(requests(["a"], batch_size), lambda texts: [[1.0]])  # type: ignore[arg-type]


def test_a_dimension_that_changes_between_calls_is_refused() -> None:
    widths = iter([2, 3, 2])
    with pytest.raises(EmbeddingError, match=r"rows of one length in every call, got \[2, 3\]"):
        drive(requests("abc", 1), lambda texts: np.ones((1, next(widths))))


def test_an_embedders_exception_comes_out_with_a_note_of_its_texts() -> None:
    broken = ConnectionError("gone")

    def embed(texts: list[str]) -> list[list[float]]:
        if "c" in texts:
            raise broken
        return [[1.0]] * len(texts)

    with pytest.raises(ConnectionError) as caught:
        drive(requests("abcde", 2), embed)
    assert caught.value is broken
    assert caught.value.__notes__ == ["raised by the embedder for texts 2 to 3 of 5"]
