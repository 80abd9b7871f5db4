"""Rows that were embedded before: their texts are not embedded again, and their vectors are the same to the bit."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import pytest

from caesura.errors import EmbeddingError
from caesura.sansio import Awaiting, Blocking, run
from caesura_retrieval.row_plan import RowEmbedder, RowLine, RowMemory

TEXTS = [f"text {number}" for number in range(30)]
EDITED = [*TEXTS[:12], "a new one", *TEXTS[12:]]


class Model:
    """A row of each text, which no float32 can hold. Keeps what it was asked."""

    def __init__(self, width: int = 5) -> None:
        self.width = width
        self.asked: list[str] = []
        self.faulty: dict[str, float] = {}

    async def __call__(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        return [self._row(text) for text in texts]

    def _row(self, text: str) -> list[float]:
        if text in self.faulty:
            return [self.faulty[text]] * self.width
        return np.random.default_rng([*text.encode()]).normal(size=self.width).tolist()  # type: ignore[no-any-return]


def vectors(
    model: Model, memory: RowMemory | None, texts: Sequence[str], share: float = 0.4, context: str = ""
) -> list[list[float]]:
    """The vectors of texts of one document, in a write of its own."""
    line = RowLine("a", texts, [context] * len(texts), share)
    return run(RowEmbedder(Blocking(), model, memory=memory).vectors([(line, range(len(texts)))]))[0]


@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize("context", ["", "of ferries"])
def test_what_is_new_alone_is_embedded_and_vectors_are_as_without_a_memory(share: float, context: str) -> None:
    model, memory = Model(), RowMemory()
    vectors(model, memory, TEXTS, share, context)
    model.asked.clear()
    assert vectors(model, memory, EDITED, share, context) == vectors(Model(), None, EDITED, share, context)
    assert model.asked == ["a new one"]


def test_rows_of_another_length_are_of_another_model_so_that_all_others_are_forgotten() -> None:
    model, memory = Model(), RowMemory()
    vectors(model, memory, TEXTS)
    model.width = 7
    assert vectors(model, memory, EDITED) == vectors(Model(7), None, EDITED)
    assert {row.shape for row in memory.known.values()} == {(7,)}


@pytest.mark.parametrize("number", [0.0, float("nan"), float("inf")])
def test_a_row_that_no_store_may_be_given_is_asked_for_again(number: float) -> None:
    model, memory = Model(), RowMemory()
    model.faulty = {TEXTS[3]: number}
    vectors(model, memory, TEXTS)
    model.faulty.clear()
    model.asked.clear()
    assert vectors(model, memory, TEXTS) == vectors(Model(), None, TEXTS)
    assert model.asked == [TEXTS[3]]


def test_a_failure_forgets_nothing_and_keeps_nothing() -> None:
    model, memory = Model(), RowMemory()
    vectors(model, memory, TEXTS)

    async def fail(texts: list[str]) -> list[list[float]]:
        raise ConnectionError(texts)

    line = RowLine("a", EDITED, [""] * len(EDITED))
    with pytest.raises(ConnectionError, match="a new one"):
        run(RowEmbedder(Blocking(), fail, memory=memory).vectors([(line, range(len(EDITED)))]))
    model.asked.clear()
    vectors(model, memory, EDITED)
    assert model.asked == ["a new one"]


class Stopped(Model):
    """Raises an error in its third call."""

    calls = 0

    async def __call__(self, texts: list[str]) -> list[list[float]]:
        self.calls += 1
        if self.calls == 3:
            raise ConnectionError("the line is down")
        return await super().__call__(texts)


@pytest.mark.parametrize("width", [5, 7])
def test_rows_that_came_before_a_failure_are_not_asked_for_again(width: int) -> None:
    model, memory, line = Stopped(width), RowMemory(), RowLine("a", TEXTS, [""] * len(TEXTS), 0.4)
    vectors(Model(), memory, TEXTS[25:])  # with a width of 7, these are another model's

    def write() -> list[list[float]]:
        embedder = RowEmbedder(Blocking(), model, memory=memory, batch_size=8)
        return run(embedder.vectors([(line, range(len(TEXTS)))]))[0]

    with pytest.raises(ConnectionError, match="down"):
        write()
    assert model.asked == TEXTS[:16]
    assert write() == vectors(Model(width), None, TEXTS)
    assert model.asked == TEXTS[: 25 if width == 5 else 30]


@pytest.mark.parametrize("requests", [1, 3, 20])
async def test_of_calls_that_are_under_way_at_once_each_that_answers_is_kept_where_one_fails(requests: int) -> None:
    model, memory, under_way, most = Model(), RowMemory(), 0, 0
    failing = {TEXTS[9]}

    async def embed(texts: list[str]) -> list[list[float]]:
        nonlocal under_way, most
        most = max(most, under_way := under_way + 1)
        await asyncio.sleep(0)
        under_way -= 1
        if not failing.isdisjoint(texts):
            raise ConnectionError("the line is down")
        return await model(texts)

    async def write() -> list[list[float]]:
        embedder = RowEmbedder(Awaiting(), embed, memory=memory, batch_size=4, requests=requests)
        return (await embedder.vectors([(RowLine("a", TEXTS, [""] * len(TEXTS), 0.4), range(len(TEXTS)))]))[0]

    with pytest.raises(ConnectionError, match="down"):
        await write()
    assert (under_way, most) == (0, min(requests, 8))
    assert {*memory.known} == {*model.asked}
    assert len(model.asked) in {1: [8], 3: range(8, 27), 20: [26]}[requests]
    failing.clear()
    assert await write() == vectors(Model(), None, TEXTS)
    assert len(model.asked) == len(TEXTS)


@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize("known", [[], TEXTS[28:]])
def test_rows_of_several_lengths_are_not_kept_so_that_the_next_write_is_whole(share: float, known: list[str]) -> None:
    """Each call of four texts may be the faulty one, and a part of it."""
    for faulty in range(1, 8):
        for part in (1, 4):
            model, memory, calls = Model(), RowMemory(), list[int]()
            vectors(model, memory, known)

            async def embed(texts: list[str]) -> list[list[float]]:
                calls.append(len(texts))  # noqa: B023
                rows = await model(texts)  # noqa: B023
                return [[*row, 1.0] for row in rows[:part]] + rows[part:] if len(calls) == faulty else rows  # noqa: B023

            line = RowLine("a", TEXTS, [""] * len(TEXTS), share)
            embedder = RowEmbedder(Blocking(), embed, memory=memory, batch_size=4)
            with suppress(EmbeddingError):
                assert run(embedder.vectors([(line, range(len(TEXTS)))]))[0] == vectors(Model(), None, TEXTS, share)
            assert len({row.shape for row in memory.known.values()}) <= 1
            assert vectors(model, memory, TEXTS, share) == vectors(Model(), None, TEXTS, share)


def test_memory_is_bounded_and_what_was_used_longest_ago_goes_first() -> None:
    memory = RowMemory()
    vectors(Model(), memory, TEXTS)
    each, model = memory.known_bytes // len(TEXTS), Model()
    small = RowMemory(max_bytes=20 * each + each // 2)
    vectors(model, small, TEXTS)
    assert list(small.known) == TEXTS[-20:]
    assert small.known_bytes <= small.max_bytes
    vectors(model, small, TEXTS[10:12])
    vectors(model, small, ["a", "b"])
    assert list(small.known) == [*TEXTS[14:], *TEXTS[10:12], "a", "b"]
    small.forget()
    assert (len(small.known), small.known_bytes) == (0, 0)


def test_a_copy_goes_its_own_way() -> None:
    memory = RowMemory()
    memory.keep(["tide"], [[0.6, 0.8]])
    copied = pickle.loads(pickle.dumps(memory))
    memory.forget()
    assert copied.find(["tide", "moon"])["tide"].tolist() == [0.6, 0.8]
    assert not memory.find(["tide"])
