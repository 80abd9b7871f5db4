"""The embedding cache: each text is asked for once, whatever happens between, and never another's row is returned."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from caesura import EmbeddingError, Limits, OptimalCut, SettingError, Splitter
from caesura.embed.cache import async_cached, cached
from caesura.store import Store
from caesura_static import StaticEmbedder


class Recording:
    """Rows that tell texts apart, and what was asked for."""

    def __init__(self, dimension: int = 3) -> None:
        self.dimension, self.asked = dimension, []

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        return [[float(len(text)), *[float(sum(map(ord, text)))] * (self.dimension - 1)] for text in texts]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rows.db"


def test_a_text_is_asked_for_once(path: Path) -> None:
    own = Recording()
    embed = cached(own, path, "own")
    first = embed(["one", "two", "one"])
    assert own.asked == ["one", "two"]
    np.testing.assert_array_equal(first, Recording()(["one", "two", "one"]))
    np.testing.assert_array_equal(embed(["two", "three"]), Recording()(["two", "three"]))
    assert own.asked == ["one", "two", "three"]
    assert (embed.asked, embed.found) == (3, 2)


def test_another_process_would_find_the_rows_in_the_file(path: Path) -> None:
    with cached(Recording(), path, "own") as embed:
        embed(["one", "two"])
    other = Recording()
    assert cached(other, path, "own")(["two", "one"]).shape == (2, 3)
    assert other.asked == []


@pytest.mark.parametrize(("one", "other"), [("own", "other"), ("a", "a:1"), ("1:a", "a")])
def test_names_keep_models_apart(path: Path, one: str, other: str) -> None:
    cached(Recording(), path, one)(["text", "1:text"])
    asked = Recording()
    cached(asked, path, other)(["text", "1:text"])
    assert asked.asked == ["text", "1:text"]


def test_odd_texts_have_rows_of_their_own(path: Path) -> None:
    odd = ["", " ", "\x00", "\ud800", "\udc00", "é", "e\u0301"]
    own = Recording()
    embed = cached(own, path, "own")
    embed(odd)
    np.testing.assert_array_equal(embed(odd), Recording()(odd))
    assert own.asked == odd


def test_a_call_that_fails_keeps_what_was_there(path: Path) -> None:
    calls = []

    def failing(texts: Sequence[str]) -> list[list[float]]:
        calls.append(list(texts))
        if "bad" in texts:
            raise ConnectionError("gone")
        return Recording()(texts)

    embed = cached(failing, path, "own")
    embed(["good"])
    with pytest.raises(ConnectionError):
        embed(["good", "bad"])
    embed(["good", "fine"])
    assert calls == [["good"], ["bad"], ["fine"]]


def test_a_wrong_number_of_rows_is_not_kept(path: Path) -> None:
    with pytest.raises(EmbeddingError, match=r"expected \(2, d\)"):
        cached(lambda texts: [[1.0]], path, "own")(["one", "two"])
    assert Store(path, "embeddings").count() == 0


def test_rows_of_another_length_under_the_same_name_are_an_error(path: Path) -> None:
    cached(Recording(3), path, "own")(["one"])
    with pytest.raises(EmbeddingError, match=r"under the name 'own': \[3, 5\].*another name"):
        cached(Recording(5), path, "own")(["one", "two"])


@pytest.mark.parametrize("name", ["", None, 7])
def test_a_model_without_a_name_is_refused(path: Path, name: str) -> None:
    with pytest.raises(SettingError, match="name must name the model"):
        cached(Recording(), path, name)


def test_no_text_no_call(path: Path) -> None:
    own = Recording()
    assert cached(own, path, "own")([]).shape == (0, 0)
    assert own.asked == []


def test_a_pickle_opens_the_same_file(path: Path) -> None:
    with cached(StaticEmbedder(), path, "static") as embed:
        rows = embed(["A cat."])
        copy = pickle.loads(pickle.dumps(embed))
    np.testing.assert_array_equal(copy(["A cat."]), rows)
    assert copy.found == 1


def test_threads_share_one(path: Path) -> None:
    texts = [f"text {number % 50}" for number in range(400)]
    embed = cached(Recording(), path, "own")
    with ThreadPoolExecutor(8) as threads:
        for rows in threads.map(embed, [texts] * 16):
            np.testing.assert_array_equal(rows, np.array(Recording()(texts), np.float32))


def test_an_embedder_that_is_awaited(path: Path) -> None:
    own = Recording()

    async def awaited(texts: list[str]) -> list[list[float]]:
        await asyncio.sleep(0)
        return own(texts)

    embed = async_cached(awaited, path, "own")
    asyncio.run(embed(["one", "two"]))
    np.testing.assert_array_equal(asyncio.run(embed(["two", "three"])), Recording()(["two", "three"]))
    assert own.asked == ["one", "two", "three"]


def test_an_edit_of_one_sentence_in_a_hundred_embeds_at_most_two(path: Path) -> None:
    sentences = [f"Sentence number {number} tells of harbour {number * 7 % 101}." for number in range(500)]
    own = Recording()
    embed = cached(own, path, "own")
    splitter = Splitter(limits=Limits(400), cut=OptimalCut())
    splitter.split(" ".join(sentences), embed)
    assert len(own.asked) == 500
    for number in range(0, 500, 100):
        sentences[number + 37] = f"This one was edited, number {number}."
    splitter.split(" ".join(sentences), embed)
    assert len(own.asked) - 500 <= 0.02 * 500
