"""embed_chunks: a vector store on the splitter's own embeddings asks for no chunk that splitting has embedded."""

from __future__ import annotations

import copy
import os
import pickle
import sys
import threading
import tracemalloc
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fakes.forks import fork_interrupted
from fakes.langchain.splitters import Bag
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from caesura.errors import SettingError
from caesura_retrieval.leaning import lean
from langchain_caesura import (
    ChunkEmbeddings,
    OptimalSemanticSplitter,
    ParentDocumentRetriever,
    SemanticHierarchySplitter,
    StaticEmbeddings,
)

TEXT = " ".join(
    [f"The ferry to island {number} leaves the harbour at {number}." for number in range(9)]
    + [f"Bread dough number {number} rests for {number} hours in the oven." for number in range(9)]
)


def asked(model: Bag) -> int:
    return sum(map(len, model.calls))


def test_a_store_embeds_no_chunk_again() -> None:
    model = Bag()
    splitter = OptimalSemanticSplitter(model, chunk_size=300, embed_chunks=True)
    chunks = splitter.split_documents([Document(TEXT)])
    before = asked(model)
    store = InMemoryVectorStore.from_documents(chunks, splitter.chunk_embeddings)
    assert asked(model) == before
    assert "Bread" in store.similarity_search("bread dough oven", k=1)[0].page_content


def test_all_else_goes_to_the_model() -> None:
    model = Bag()
    splitter = OptimalSemanticSplitter(model, chunk_size=300, embed_chunks=True)
    chunk, *_ = splitter.split_text(TEXT)
    model.calls.clear()
    rows = splitter.chunk_embeddings.embed_documents(["other", chunk, "other", "more"])
    assert model.calls == [["other", "more"]]
    assert rows[0] == rows[2] == model.embed_documents(["other"])[0]
    assert splitter.chunk_embeddings.embed_query(chunk) == model.embed_query(chunk)


async def test_async_does_the_same() -> None:
    model = Bag()
    splitter = OptimalSemanticSplitter(model, chunk_size=300, embed_chunks=True)
    chunks = await splitter.asplit_text(TEXT)
    own = splitter.chunk_embeddings
    model.calls.clear()
    rows = await own.aembed_documents([*chunks, "other"])
    assert model.calls == [["other"]]
    assert rows[:-1] == own.embed_documents(chunks)
    assert await own.aembed_query("ferry") == own.embed_query("ferry")


def test_a_function_may_be_the_model() -> None:
    splitter = OptimalSemanticSplitter(StaticEmbeddings.embedder, chunk_size=300, embed_chunks=True)
    store = InMemoryVectorStore.from_documents(splitter.split_documents([Document(TEXT)]), splitter.chunk_embeddings)
    assert "ferry" in store.similarity_search("When does the ferry leave?", k=1)[0].page_content
    assert all(type(value) is float for value in splitter.chunk_embeddings.embed_query("ferry"))


def test_a_chunk_has_the_mean_direction_of_its_sentences_by_the_roots_of_their_sizes() -> None:
    splitter = OptimalSemanticSplitter(chunk_size=300, embed_chunks=True)
    for text in splitter.split_text(TEXT):
        sentences = [f"{sentence.strip('.')}." for sentence in text.split(". ")]
        rows = StaticEmbeddings.embedder(sentences)
        mean = np.average(rows, axis=0, weights=np.sqrt([len(sentence) + 1 for sentence in sentences]))
        found = splitter.chunk_embeddings.embed_documents([text])[0]
        np.testing.assert_allclose(found, mean / np.linalg.norm(mean), atol=0.01 * np.abs(mean).max())


def test_an_overlap_counts_with_the_chunk_that_repeats_it() -> None:
    splitter = OptimalSemanticSplitter(chunk_size=300, chunk_overlap=80, embed_chunks=True)
    chunks = splitter.split_text(TEXT)
    rows = splitter.chunk_embeddings.embed_documents(chunks)
    again = StaticEmbeddings().embed_documents(chunks)
    cosines = [np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(rows, again, strict=True)]
    assert min(cosines) > 0.98


def room_for(count: int) -> int:
    """What so many chunks of one character with one number take."""
    own = ChunkEmbeddings(Bag())
    own.keep([chr(ord("a") + number) for number in range(count)], [[1.0]] * count)
    return own.known_bytes


def test_only_the_newest_are_kept() -> None:
    own = ChunkEmbeddings(Bag(), max_bytes=room_for(2))
    own.keep(["a", "b"], [[1.0], [2.0]])
    own.keep(["a", "c"], [[3.0], [4.0]])
    assert {text: row.tolist() for text, row in own.known.items()} == {"a": [3.0], "c": [4.0]}


def test_what_was_used_longest_ago_goes_first() -> None:
    own = ChunkEmbeddings(Bag(), max_bytes=room_for(2))
    own.keep(["a", "b"], [[1.0], [2.0]])
    assert own.embed_documents(["a"]) == [[1.0]]
    own.keep(["c"], [[3.0]])
    assert list(own.known) == ["a", "c"]


def test_what_is_kept_never_takes_more_memory_than_allowed() -> None:
    cap = 1_000_000
    own = ChunkEmbeddings(Bag(), max_bytes=cap)
    rows = np.ones((500, 1536), np.float32)
    tracemalloc.start()
    for number in range(4):
        own.keep([f"{number}/{position}" for position in range(500)], rows)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(own.known) > 100
    assert used < 1.1 * cap
    own.keep(["x" * cap], [[1.0]])
    assert own.known_bytes <= cap


def test_threads_may_share_what_is_kept() -> None:
    own = ChunkEmbeddings(Bag(), max_bytes=room_for(20))
    failures: list[Exception] = []

    def work(thread: int) -> None:
        try:
            for turn in range(400):
                own.keep([f"{thread}-{turn}-{number}" for number in range(5)], [[1.0]] * 5)
                pickle.dumps(own)
        except Exception as error:
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(thread,)) for thread in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures
    own.max_bytes = 0
    own.keep(["one more"], [[1.0]])
    assert (len(own.known), own.known_bytes) == (0, 0)


@pytest.mark.parametrize("value", [-1, 1.5, None])
def test_the_memory_allowed_must_be_a_whole_number(value: object) -> None:
    with pytest.raises(SettingError, match="max_bytes"):
        ChunkEmbeddings(Bag(), max_bytes=value)


def test_by_default_nothing_is_kept() -> None:
    assert OptimalSemanticSplitter().chunk_embeddings is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda splitter: pickle.loads(pickle.dumps(splitter))])
def test_a_copy_has_vectors_of_its_own(copied: object) -> None:
    splitter = copied(OptimalSemanticSplitter(chunk_size=300, embed_chunks=True))
    chunk = splitter.split_text(TEXT)[0]
    assert chunk in splitter.chunk_embeddings.known


def test_a_hierarchy_has_no_such_setting() -> None:
    with pytest.raises(TypeError, match="embed_chunks"):
        SemanticHierarchySplitter(embed_chunks=True)


def test_with_a_context_vectors_lean_toward_those_around_and_nothing_more_is_embedded() -> None:
    plain, model = OptimalSemanticSplitter(chunk_size=300, embed_chunks=True), Bag()
    leaning = OptimalSemanticSplitter(model, chunk_size=300, embed_chunks=True, context=0.4)
    chunks = leaning.split_text(TEXT)
    before = asked(model)
    OptimalSemanticSplitter(model, chunk_size=300, embed_chunks=True).split_text(TEXT)
    assert asked(model) == 2 * before
    own = OptimalSemanticSplitter(chunk_size=300, embed_chunks=True, context=0.4)
    assert own.split_text(TEXT) == plain.split_text(TEXT)
    rows = np.array(plain.chunk_embeddings.embed_documents(plain.split_text(TEXT)))
    assert np.array(own.chunk_embeddings.embed_documents(own.split_text(TEXT))) == pytest.approx(lean(rows, 0.4))
    assert len(chunks) > 1


@pytest.mark.parametrize("context", [-1, float("nan"), "0.4", True])
def test_a_context_that_is_none_is_refused(context: object) -> None:
    with pytest.raises(SettingError, match="context"):
        OptimalSemanticSplitter(embed_chunks=True, context=context)


def test_a_context_needs_vectors() -> None:
    with pytest.raises(SettingError, match="give embed_chunks=True too"):
        OptimalSemanticSplitter(context=0.4)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_that_comes_at_a_fork_leaves_the_child_no_lock_of_another_thread() -> None:
    def hold(wait: Callable[[], None]) -> None:
        class Held(OrderedDict[str, Any]):
            def copy(self) -> Any:
                wait()
                return super().copy()

        embeddings = ChunkEmbeddings(Bag())
        embeddings.known = Held()
        copy.copy(embeddings)

    assert fork_interrupted(hold, lambda: ChunkEmbeddings(Bag()).embed_documents(["The ferry leaves."])) == 0


def test_a_model_of_another_width_is_asked_once_for_what_embeddings_around_others_knew() -> None:
    class Wide(Embeddings):
        asked = 0

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            self.asked += len(texts)
            return [[1.0] * 32 for _ in texts]

        def embed_query(self, text: str) -> list[float]:
            return [1.0] * 32

    model = Wide()
    known = ChunkEmbeddings(model)
    known.keep(["The ferry leaves at nine."], [[1.0] * 16])  # as a splitter did, when the model was another
    store = InMemoryVectorStore(known)
    retriever = ParentDocumentRetriever(vectorstore=store, docstore=InMemoryStore(), context=0)
    retriever.add_documents([Document("The ferry leaves at nine."), Document("Bread is baked at noon.")])
    assert {len(row["vector"]) for row in store.store.values()} == {32}
    assert model.asked <= 3
