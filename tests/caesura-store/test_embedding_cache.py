"""The embedding cache: each text is asked for once, whoever asks, and never another's row is returned."""

from __future__ import annotations

import asyncio
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from fakes.embedders.rows_of_words import Counting, telling

from caesura import Limits, OptimalCut, Splitter
from caesura_static import StaticEmbedder
from caesura_store.embedding_cache import async_cached, cached


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rows.db"


def test_a_text_is_asked_for_once(path: Path) -> None:
    own = Counting(telling)
    embed = cached(own, path, "own")
    first = embed(["one", "two", "one"])
    assert own.texts == ["one", "two"]
    np.testing.assert_array_equal(first, telling(["one", "two", "one"]))
    np.testing.assert_array_equal(embed(["two", "three"]), telling(["two", "three"]))
    assert own.texts == ["one", "two", "three"]
    assert (embed.asked, embed.found) == (3, 2)


def test_another_process_would_find_the_rows_in_the_file(path: Path) -> None:
    with cached(telling, path, "own") as embed:
        embed(["one", "two"])
    other = Counting(telling)
    assert cached(other, path, "own")(["two", "one"]).shape == (2, 3)
    assert other.texts == []


@pytest.mark.parametrize(("one", "other"), [("own", "other"), ("a", "a:1"), ("1:a", "a")])
def test_names_keep_models_apart(path: Path, one: str, other: str) -> None:
    cached(telling, path, one)(["text", "1:text"])
    asked = Counting(telling)
    cached(asked, path, other)(["text", "1:text"])
    assert asked.texts == ["text", "1:text"]


def test_odd_texts_have_rows_of_their_own(path: Path) -> None:
    odd = ["", " ", "\x00", "\ud800", "\udc00", "é", "e\u0301"]
    own = Counting(telling)
    embed = cached(own, path, "own")
    embed(odd)
    np.testing.assert_array_equal(embed(odd), telling(odd))
    assert own.texts == odd


def test_no_text_no_call(path: Path) -> None:
    own = Counting(telling)
    assert cached(own, path, "own")([]).shape == (0, 0)
    assert own.texts == []


def test_a_pickle_opens_the_same_file(path: Path) -> None:
    with cached(StaticEmbedder(), path, "static") as embed:
        rows = embed(["A cat."])
        copy = pickle.loads(pickle.dumps(embed))
    np.testing.assert_array_equal(copy(["A cat."]), rows)
    assert copy.found == 1


@pytest.mark.thorough
def test_a_pool_of_processes_takes_it_and_shares_the_file(path: Path) -> None:
    with cached(telling, path, "own") as embed, ProcessPoolExecutor(2, get_context("spawn")) as processes:
        embed(["one"])
        for rows in processes.map(embed, [["one", "two"], ["one", "three"]]):
            assert rows.shape == (2, 3)
        np.testing.assert_array_equal(embed(["one", "two", "three"]), telling(["one", "two", "three"]))
        assert (embed.asked, embed.found) == (1, 3)


def test_an_embedder_is_asked_for_two_thousand_texts_at_once(path: Path) -> None:
    calls = list[int]()

    def own(texts: list[str]) -> list[list[float]]:
        calls.append(len(texts))
        return telling(texts)

    cached(own, path, "own")([f"text {number}" for number in range(4001)])
    assert calls == [2000, 2000, 1]


def test_threads_share_a_cache(path: Path) -> None:
    texts = [f"text {number % 50}" for number in range(400)]
    embed = cached(telling, path, "own")
    with ThreadPoolExecutor(8) as threads:
        for rows in threads.map(embed, [texts] * 16):
            np.testing.assert_array_equal(rows, np.array(telling(texts), np.float32))


def test_an_embedder_that_is_awaited(path: Path) -> None:
    own = Counting(telling)

    async def awaited(texts: list[str]) -> list[list[float]]:
        await asyncio.sleep(0)
        return own(texts)

    embed = async_cached(awaited, path, "own")
    asyncio.run(embed(["one", "two"]))
    np.testing.assert_array_equal(asyncio.run(embed(["two", "three"])), telling(["two", "three"]))
    assert own.texts == ["one", "two", "three"]


def test_an_edit_of_one_sentence_in_a_hundred_embeds_at_most_two(path: Path) -> None:
    sentences = [f"Sentence number {number} tells of harbour {number * 7 % 101}." for number in range(500)]
    own = Counting(telling)
    embed = cached(own, path, "own")
    splitter = Splitter(limits=Limits(400), cut=OptimalCut())
    splitter.split(" ".join(sentences), embed)
    assert len(own.texts) == 500
    for number in range(0, 500, 100):
        sentences[number + 37] = f"This one was edited, number {number}."
    splitter.split(" ".join(sentences), embed)
    assert len(own.texts) - 500 <= 0.02 * 500
