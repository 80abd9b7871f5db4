"""What goes wrong with an embedder costs the cache nothing, and is not kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from fakes.embedders.rows_of_words import telling

from caesura import EmbeddingError, SettingError
from caesura_store.embedding_cache import cached
from caesura_store.sqlite_store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rows.db"


def test_a_call_that_fails_keeps_what_was_there(path: Path) -> None:
    calls = []

    def failing(texts: Sequence[str]) -> list[list[float]]:
        calls.append(list(texts))
        if "bad" in texts:
            raise ConnectionError("gone")
        return telling(texts)

    embed = cached(failing, path, "own")
    embed(["good"])
    with pytest.raises(ConnectionError):
        embed(["good", "bad"])
    embed(["good", "fine"])
    assert calls == [["good"], ["bad"], ["fine"]]


def test_the_batches_before_a_failure_are_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura_store.embedding_cache._Cached.batch", 20)
    calls, texts = list[list[str]](), [f"text {number}" for number in range(200)]

    def failing(asked: list[str]) -> list[list[float]]:
        calls.append(asked)
        if len(calls) == 7:
            raise ConnectionError("gone")
        return telling(asked)

    embed = cached(failing, path, "own")
    with pytest.raises(ConnectionError):
        embed(texts)
    assert embed(texts).tolist() == telling(texts)
    assert [len(asked) for asked in calls] == [20] * 11
    assert [text for asked in calls[7:] for text in asked] == texts[120:]


def test_a_wrong_number_of_rows_is_not_kept(path: Path) -> None:
    with pytest.raises(EmbeddingError, match=r"expected \(2, d\)"):
        cached(lambda texts: [[1.0]], path, "own")(["one", "two"])
    assert len(list(Store(path, "embeddings").keys())) == 0


def test_rows_of_another_length_under_the_same_name_are_an_error(path: Path) -> None:
    cached(telling, path, "own")(["one"])
    with pytest.raises(EmbeddingError, match=r"under the name 'own': \[3, 5\].*another name"):
        cached(partial(telling, dimension=5), path, "own")(["one", "two"])


@pytest.mark.parametrize("name", ["", None, 7])
def test_a_model_without_a_name_is_refused(path: Path, name: str) -> None:
    with pytest.raises(SettingError, match="name must name the model"):
        cached(telling, path, name)


def test_a_run_with_the_wrong_model_leaves_nothing_behind(path: Path) -> None:
    cached(telling, path, "own")(["one"])
    with pytest.raises(EmbeddingError, match="another name"):
        cached(partial(telling, dimension=5), path, "own")(["one", "two"])
    with pytest.raises(EmbeddingError, match="another name"):
        cached(partial(telling, dimension=5), path, "own")(["three"])
    assert cached(telling, path, "own")(["one", "two", "three"]).shape == (3, 3)


def test_a_row_that_is_not_finite_is_asked_for_again(path: Path) -> None:
    answers = iter([[[float("nan"), 1.0]], [[2.0, 1.0]]])
    embed = cached(lambda texts: next(answers), path, "own")
    assert embed(["one"]).tolist() == [[0, 0]]
    assert embed(["one"]).tolist() == embed(["one"]).tolist() == [[2, 1]]
    assert embed.asked == 2
