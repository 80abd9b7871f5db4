"""Rows of whole documents: run by run as the slow twin has them, checked, kept by run and place, asked for once."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.embedders.document_embedders import Together, document_rows, words_row
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import EmbeddingError, SettingError
from caesura.background import calibrate
from caesura.sansio import Awaiting, Blocking, run
from caesura_retrieval.cached_documents import cached_documents
from caesura_retrieval.document_embedders import (
    chunk_runs,
    embed_together,
    embeds_documents,
    run_keys,
    window_runs,
)
from caesura_retrieval.leaning import SHARE, share_contexts
from caesura_store.embedding_cache import cached

A, B = [f"Tea {number} is hot." for number in range(5)], [f"Ice {number} is cold." for number in range(3)]
texts = st.lists(st.lists(st.sampled_from(["tea", "ice", "tea is hot", "x"]), max_size=7), max_size=5)


def rows(model: Any, documents: Sequence[Sequence[str]], **options: Any) -> list[np.ndarray[Any, Any]]:
    return run(embed_together(Blocking(), model, documents, **options))


def obvious(documents: Sequence[Sequence[str]], window: int | None) -> list[list[np.ndarray[Any, Any]]]:
    """The slow twin: one chunk after another, each among those of its run."""
    found = []
    for chunks in documents:
        step = window or len(chunks)
        found.append(
            [
                document_rows(chunks[place // step * step : place // step * step + step])[place % step]
                for place in range(len(chunks))
            ]
        )
    return found


class Batch(Together):
    """It takes several documents in a call, and is asked no other way."""

    def __init__(self, window: int | None = None) -> None:
        super().__init__(window)
        self.calls = 0

    def embed_document(self, chunks: list[str]) -> object:
        raise AssertionError("it takes batches")

    def embed_document_batch(self, documents: list[list[str]]) -> list[object]:
        self.calls += 1
        self.documents += documents
        return [document_rows(chunks) for chunks in documents]


class Awaited(Batch):
    def embed_document_batch(self, documents: list[list[str]]) -> list[object]:
        raise AssertionError("the async path called a sync method")

    async def aembed_document_batch(self, documents: list[list[str]]) -> list[object]:
        return super().embed_document_batch(documents)


@settings(max_examples=50)
@given(texts, st.sampled_from([None, 1, 2, 3]), st.sampled_from([Together, Batch]))
def test_every_chunk_has_the_row_of_its_run(documents: list[list[str]], window: int | None, kind: Any) -> None:
    model = kind(window)
    found = rows(model, documents)
    assert [len(own) for own in found] == [len(chunks) for chunks in documents]
    for own, wanted in zip(found, obvious(documents, window), strict=True):
        np.testing.assert_array_equal(own, np.reshape(wanted, own.shape))
    assert getattr(model, "calls", 1) <= 1


@pytest.mark.parametrize("kind", [Together, Batch, Awaited])
async def test_awaited_it_is_the_same(kind: Any) -> None:
    found = await embed_together(Awaiting(), kind(2), [A, B])
    for own, wanted in zip(found, rows(Together(2), [A, B]), strict=True):
        np.testing.assert_array_equal(own, wanted)


async def test_a_model_that_is_not_awaited_does_not_hold_the_event_loop() -> None:
    class Waiting(Together):
        def embed_document(self, chunks: list[str]) -> object:
            assert threading.current_thread() is not threading.main_thread()
            return super().embed_document(chunks)

    await embed_together(Awaiting(), Waiting(), [A])


class Odd:
    def __init__(self, returned: Any) -> None:
        self.returned = returned

    def embed_document(self, chunks: list[str]) -> object:
        return self.returned(chunks)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda chunks: [[1.0]] * (len(chunks) + 1), r"one row per chunk: expected \(3, d\), got \(4, 1\)"),
        (lambda chunks: [], r"one row per chunk: expected \(3, d\), got \(0,\)"),
        (lambda chunks: None, r"expected \(3, d\), got an array of object"),
        (lambda chunks: [["a"]] * len(chunks), r"expected \(3, d\), got an array of <U1"),
        (lambda chunks: [[1.0], [1.0, 2.0], [1.0]], r"expected \(3, d\), got rows that do not stack"),
        (lambda chunks: [[1.0], [float("nan")], [1.0]], "finite numbers: expected 3 such rows .* not at chunk 1"),
        (lambda chunks: [[1.0], [1.0], [float("inf")]], "finite numbers: expected 3 such rows .* not at chunk 2"),
    ],
)
def test_what_is_no_finite_row_per_chunk_is_refused_by_the_documents_name(returned: Any, message: str) -> None:
    with pytest.raises(EmbeddingError, match=f"embed_document.*{message}") as caught:
        rows(Odd(returned), [B], names=["the ice"])
    assert "document 'the ice'" in str(caught.value)
    with pytest.raises(EmbeddingError, match=r"for the document that begins 'Ice 0 is cold\.'"):
        rows(Odd(returned), [B])


def test_rows_of_another_length_than_those_of_another_document_are_refused() -> None:
    with pytest.raises(EmbeddingError, match="expected 5, got 3 for document 'b'"):
        rows(Odd(lambda chunks: np.eye(len(chunks))), [A, B], names="ab")


def test_a_batch_of_other_than_all_documents_is_refused() -> None:
    class Short(Batch):
        def embed_document_batch(self, documents: list[list[str]]) -> list[object]:
            return super().embed_document_batch(documents)[1:]

    with pytest.raises(EmbeddingError, match=r"the rows of each document: expected 2 of them, got 1"):
        rows(Short(), [A, B])


@pytest.mark.parametrize(
    "lost", [lambda chunks: [chunks[1:]], lambda chunks: [chunks, []], lambda chunks: [chunks[::-1]]]
)
def test_runs_that_are_not_the_document_are_refused(lost: Any) -> None:
    model = Together()
    model.runs = lost  # type: ignore[method-assign]
    with pytest.raises(EmbeddingError, match=r"runs\(\) must return all 5 chunks in their order"):
        rows(model, [A])


@settings(max_examples=40)
@given(st.lists(st.tuples(st.text(max_size=3), st.integers(0, 9))), st.integers(1, 12))
def test_window_runs_are_as_long_as_fits(pairs: list[tuple[str, int]], window: int) -> None:
    chunks, sizes = [chunk for chunk, _ in pairs], [size for _, size in pairs]
    runs = window_runs(chunks, sizes, window)
    assert [chunk for own in runs for chunk in own] == chunks
    rest = iter(sizes)
    measured = [[*islice(rest, len(own))] for own in runs]
    assert all(own and (len(own) == 1 or sum(own) <= window) for own in measured)
    assert all(sum(own) + following[0] > window for own, following in pairwise(measured))


def test_a_run_and_a_place_have_one_key() -> None:
    keys = run_keys(Together(2), A)
    assert len(set(keys)) == 5
    assert run_keys(Together(2), [*A[:2], "x", "y"])[:2] == keys[:2]
    assert run_keys(Together(), A)[0] not in keys
    assert run_keys(Together(), ["ab", "c"])[0] != run_keys(Together(), ["a", "bc"])[0]
    assert run_keys(Together(), []) == chunk_runs(Together(), []) == []


# -- the cache --------------------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rows.db"


@settings(max_examples=15)
@given(st.lists(texts, max_size=4), st.sampled_from([None, 2]))
def test_a_cache_changes_no_row_and_asks_for_no_run_again(rounds: list[list[list[str]]], window: int | None) -> None:
    import tempfile

    model = Together(window)
    with tempfile.TemporaryDirectory() as folder, cached_documents(model, f"{folder}/rows.db", "own") as kept:
        for documents in rounds:
            for own, wanted in zip(kept.embed_document_batch(documents), obvious(documents, window), strict=True):
                np.testing.assert_array_equal(own, np.reshape(wanted, own.shape))
    runs = {tuple(one) for documents in rounds for chunks in documents for one in chunk_runs(Together(window), chunks)}
    assert sorted(map(tuple, model.documents)) == sorted(runs)
    assert kept.asked == sum(map(len, runs))


def test_another_process_finds_them_and_an_edit_costs_its_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with cached_documents(Together(2), path, "own") as kept:
        kept.embed_document_batch([A, B])
    asked: list[list[str]] = []
    monkeypatch.setattr(Together, "embed_document", lambda _, chunks: asked.append(chunks) or document_rows(chunks))
    with pickle.loads(pickle.dumps(cached_documents(Together(2), path, "own"))) as again:
        again.embed_document_batch([A, B])
        again.embed_document([*A[:2], "Milk.", *A[3:]])
        assert again.asked == 2
        assert asked == [["Milk.", A[3]]]


def test_the_file_may_be_that_of_a_cache_of_texts(path: Path) -> None:
    with cached(lambda texts: [[1.0, 0.0]] * len(texts), path, "own") as plain:
        plain(A)
        with cached_documents(Odd(lambda chunks: [[0.0, 1.0]] * len(chunks)), path, "own") as kept:
            assert kept.embed_document(A).tolist() == [[0.0, 1.0]] * 5
        assert plain(A).tolist() == [[1.0, 0.0]] * 5
        assert plain.asked == 5


async def test_sync_and_async_share_the_rows(path: Path) -> None:
    model = Together()
    with cached_documents(model, path, "own") as kept:
        first = await kept.aembed_document_batch([A, B])
        for own, wanted in zip(kept.embed_document_batch([A, B]), first, strict=True):
            np.testing.assert_array_equal(own, wanted)
        assert (await kept.aembed_document(A)).tolist() == first[0].tolist()
    assert model.documents == [A, B]


def test_threads_and_tasks_that_ask_at_once_embed_a_document_once(path: Path) -> None:
    barrier = threading.Barrier(4)

    class Slow(Together):
        def embed_document(self, chunks: list[str]) -> object:
            threading.Event().wait(0.05)
            return super().embed_document(chunks)

    model = Slow()
    with cached_documents(model, path, "own") as kept:

        def ask(_: int) -> Any:
            barrier.wait()
            return kept.embed_document(A).tolist()

        with ThreadPoolExecutor(4) as pool:
            assert [*pool.map(ask, range(4))] == [document_rows(A).tolist()] * 4
        assert model.documents == [A]

        async def main() -> None:
            found = await asyncio.gather(*(kept.aembed_document(B) for _ in range(4)))
            assert [own.tolist() for own in found] == [document_rows(B).tolist()] * 4

        asyncio.run(main())
        assert model.documents == [A, B]


def test_a_failure_loses_no_step_that_came_before(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura_retrieval.cached_documents.AT_ONCE", 5)

    class Failing(Together):
        def embed_document(self, chunks: list[str]) -> object:
            if chunks == B:
                raise OSError("the line is cut")
            return super().embed_document(chunks)

    with cached_documents(Failing(), path, "own") as kept, pytest.raises(OSError, match="cut"):
        kept.embed_document_batch([A, B])
    model = Together()
    with cached_documents(model, path, "own") as again:
        again.embed_document_batch([A, B])
    assert model.documents == [B]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_is_not_kept(path: Path, value: float) -> None:
    wanted = r"for the document that begins 'Tea 0 is hot\.'"
    with (
        cached_documents(Odd(lambda chunks: [[value]] * len(chunks)), path, "own") as kept,
        pytest.raises(EmbeddingError, match=wanted),
    ):
        kept.embed_document(A)
    with cached_documents(Odd(lambda chunks: [[1.0]] * len(chunks)), path, "own") as again:
        assert again.embed_document(A).tolist() == [[1.0]] * 5


def test_questions_and_a_background_are_the_models(path: Path) -> None:
    model = Together()
    model.background = np.ones(64, np.float32)  # type: ignore[attr-defined]
    with cached_documents(model, path, "own") as kept:
        assert kept.embed_query("tea?") == words_row("tea?").tolist()
        assert embeds_documents(kept)
        np.testing.assert_array_equal(calibrate(kept).mean, model.background)
        assert kept(["tea", "ice"]).tolist() == [document_rows([text])[0].tolist() for text in ("tea", "ice")]


@pytest.mark.parametrize("model", [None, Together, "voyage", len])
def test_what_has_no_such_method_is_refused(model: Any, path: Path) -> None:
    with pytest.raises(SettingError, match="must have embed_document"):
        cached_documents(model, path, "own")


def test_a_row_with_a_share_of_its_context_keeps_its_length_and_one_of_zeros_stays() -> None:
    own = np.array([[3, 0, 0], [0, 0, 0], [0, 0.5, 0]], np.float32)
    for contexts in (np.array([0, 0, 7], np.float32), np.array([[0, 0, 7]] * 3, np.float32)):
        found = share_contexts(own, contexts)
        assert found.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), [3, 0, 0.5], rtol=1e-6)
        np.testing.assert_allclose(found[[0, 2], 2] / [found[0, 0], found[2, 1]], SHARE, rtol=1e-6)
        assert not found[1].any()
