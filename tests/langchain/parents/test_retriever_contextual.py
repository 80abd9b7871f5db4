"""A retriever over embeddings of whole documents: what stores take, what an edit asks for and writes again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
from fakes.embedders.document_embedders import Together, document_rows
from fakes.langchain.passages import document, lines, made
from fakes.langchain.retrievers import kept, parts, rows
from fakes.langchain.stores import BrokenError, ClockedVectors
from fakes.langchain.together import AwaitedTogether, TogetherEmbeddings
from fakes.servers.contextual_server import ContextualServer
from fakes.servers.conversations import FAST
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from caesura_llm.document_vectors import voyage_vectors
from caesura_retrieval.cached_documents import cached_documents
from caesura_retrieval.leaning import AROUND, lean, share_contexts
from langchain_caesura import ChunkEmbeddings, ContextualEmbeddings, ParentDocumentRetriever, SQLiteDocumentStore

LONG = [document(name, lines(23, name)) for name in ("a", "b")]


def retriever(model: Any, **settings: Any) -> Any:
    return made(ClockedVectors(model), **settings)


def vectors(one: ParentDocumentRetriever) -> dict[str, np.ndarray[Any, Any]]:
    """By document the vectors of its children, in their order, as the store has them."""
    return {
        str(kept(one)[part.key].id): np.array([rows(one)[row]["vector"] for row, _ in part.rows()])
        for part in parts(one)
    }


def obvious(texts: Sequence[str], window: int | None, share: float) -> np.ndarray[Any, Any]:
    """The slow twin: run by run, then leaned over the whole document."""
    step = window or len(texts)
    found = np.concatenate([document_rows(texts[at : at + step]) for at in range(0, len(texts), step)])
    return lean(found, share) if share else found


@pytest.mark.parametrize("batch_size", [3, 1000])
@pytest.mark.parametrize("window", [None, 5])
@pytest.mark.parametrize("share", [0, 0.4])
async def test_a_store_takes_what_the_model_makes_of_documents(
    share: float, window: int | None, batch_size: int
) -> None:
    one = retriever(TogetherEmbeddings(window), context=share, batch_size=batch_size)
    waiting = retriever(AwaitedTogether(window), context=share, batch_size=batch_size)
    one.add_documents(LONG)
    await waiting.aadd_documents(LONG)
    for each in (one, waiting):
        for long in LONG:
            wanted = obvious(long.page_content.split("\n"), window, share)
            np.testing.assert_allclose(vectors(each)[str(long.id)], wanted, atol=1e-6)
    model = one.vectorstore.embedding.embeddings
    assert model.texts == []
    runs = 2 * -(-23 // (window or 23))
    assert len(model.documents) == runs
    assert {len(chunks) for chunks in model.documents} <= {window or 23, 23 % (window or 23) or 23}
    one.invoke("Where is the anchor?")
    assert model.questions == ["Where is the anchor?"]


@pytest.mark.parametrize("share", [0, 0.4])
async def test_rows_have_a_share_of_a_context_which_is_embedded_as_a_text_by_itself(share: float) -> None:
    one, waiting = retriever(TogetherEmbeddings(5), context=share), retriever(AwaitedTogether(5), context=share)
    told = document("a", lines(23, "a"), document_context="Of ships.")
    one.add_documents([told, LONG[1]])
    await waiting.aadd_documents([told, LONG[1]])
    model = one.vectorstore.embedding.embeddings
    assert model.texts == ["Of ships."]
    for each in (one, waiting):
        own = share_contexts(obvious(lines(23, "a"), 5, 0), document_rows(["Of ships."]))
        np.testing.assert_allclose(vectors(each)["a"], lean(own, share) if share else own, atol=1e-6)
        np.testing.assert_allclose(vectors(each)["b"], obvious(lines(23, "b"), 5, share), atol=1e-6)


@pytest.mark.parametrize("share", [0, 0.4])
def test_an_edit_writes_again_all_rows_of_its_document_and_no_other(share: float) -> None:
    one, fresh = retriever(TogetherEmbeddings(), context=share), retriever(TogetherEmbeddings(), context=share)
    one.add_documents(LONG)
    model, before = one.vectorstore.embedding.embeddings, set(rows(one))
    one.add_documents(LONG)
    assert len(model.documents) == 2
    new = document("a", [*lines(11, "a"), "the parrot spoke", *lines(12, "a", 11)])
    for each in (one, fresh):
        each.add_documents([new, LONG[1]])
    assert model.documents[2:] == [new.page_content.split("\n")]
    assert one.vectorstore.written[-1] == 24
    assert before < set(rows(one))
    assert rows(one) == rows(fresh)


@pytest.mark.parametrize("share", [0, 0.4])
def test_of_a_document_over_the_window_it_writes_the_run_and_what_leans_to_it(share: float) -> None:
    one, fresh = retriever(TogetherEmbeddings(5), context=share), retriever(TogetherEmbeddings(5), context=share)
    one.add_documents(LONG)
    model = one.vectorstore.embedding.embeddings
    model.documents.clear()
    text = lines(23, "a")
    new = document("a", [*text[:17], "the parrot spoke", *text[18:]])
    for each in (one, fresh):
        each.add_documents([new, LONG[1]])
    runs = [new.page_content.split("\n")[at : at + 5] for at in range(0, 23, 5)]
    assert AROUND == 4
    assert model.documents == (runs[1:] if share else runs[3:4])
    assert one.vectorstore.written[-1] == (23 - 11 if share else 5)
    assert rows(one) == rows(fresh)


def test_with_a_cache_a_new_store_asks_for_nothing(tmp_path: Path) -> None:
    model = Together()
    with cached_documents(model, tmp_path / "rows.db", "own") as cache:
        one, other = (retriever(ContextualEmbeddings(cache)) for _ in range(2))
        one.add_documents(LONG)
        asked = len(model.documents)
        other.add_documents(LONG)
    assert len(model.documents) == asked == 2
    assert rows(one).keys() == rows(other).keys()
    for name, own in vectors(one).items():
        np.testing.assert_array_equal(own, vectors(other)[name])


def test_a_text_twice_in_a_document_has_two_vectors_and_a_view_is_a_document_by_itself() -> None:
    text = lines(9)
    text[2] = text[6] = "the captain steers the ship by the compass"
    one = retriever(TogetherEmbeddings(), context=0)
    one.add_documents([document("a", text)], views=[Document(text[2], metadata={"parent_id": "a"})])
    found = vectors(one)["a"]
    np.testing.assert_allclose(found[:9], document_rows(text), atol=1e-6)
    assert one.vectorstore.embedding.embeddings.documents == [text, [text[2]]]
    np.testing.assert_allclose(found[9], document_rows([text[2]])[0], atol=1e-6)


def test_a_document_that_was_embedded_chunk_by_chunk_is_made_anew_with_such_a_model() -> None:
    model = TogetherEmbeddings()
    one = retriever(model, context=0)
    plain = made(InMemoryVectorStore(PlainOf(model)), docstore=one.docstore, context=0)
    plain.add_documents(LONG)
    one.vectorstore.store = plain.vectorstore.store
    one.add_documents(LONG)
    np.testing.assert_allclose(vectors(one)["a"], document_rows(LONG[0].page_content.split("\n")), atol=1e-6)


class PlainOf:
    """The same model without the method."""

    def __init__(self, model: TogetherEmbeddings) -> None:
        self.embed_documents, self.embed_query = model.embed_documents, model.embed_query


def test_a_stop_in_the_middle_of_an_edit_is_mended_by_the_next_call() -> None:
    new = document("a", [*lines(11, "a"), "the parrot spoke", *lines(12, "a", 11)])
    fresh = retriever(TogetherEmbeddings())
    fresh.add_documents([new, LONG[1]])
    stops = 0
    for after in (False, True):
        one = retriever(TogetherEmbeddings())
        one.add_documents(LONG)
        clock = one.docstore.clock = one.vectorstore.clock
        clock.after = after
        for at in range(20):
            clock.calls.clear()
            clock.at = at
            try:
                one.add_documents([new, LONG[1]])
            except BrokenError:
                stops += 1
                clock.at = -1
                one.add_documents([new, LONG[1]])
                assert rows(one) == rows(fresh), (after, at)
                one.add_documents(LONG)
    assert stops >= 6


def test_in_chroma_with_documents_on_the_disk(tmp_path: Path) -> None:
    model = TogetherEmbeddings()
    store = Chroma("contextual_parents", model, persist_directory=str(tmp_path / "chroma"))
    with SQLiteDocumentStore(tmp_path / "parents.db") as parents:
        one = made(store, docstore=parents, context=0)
        one.add_documents(LONG)
        one.add_documents(LONG)
        assert model.documents == [long.page_content.split("\n") for long in LONG]
        found = store.get(include=["documents", "embeddings"])
        by_text = dict(zip(found["documents"], found["embeddings"], strict=True))
        for texts in model.documents:
            np.testing.assert_allclose([by_text[text] for text in texts], document_rows(texts), rtol=1e-5)
        assert one.invoke("b3 sailor", budget=60)[0].metadata["source"] == "b"
        assert model.questions == ["b3 sailor"]


@pytest.mark.enable_socket
async def test_over_the_wire_documents_share_a_request_and_what_is_paid_is_what_the_server_counts() -> None:
    with ContextualServer(plan=["429", "shuffled"]) as server:
        client = openai.OpenAI(base_url=server.url, api_key="any")
        model = voyage_vectors(client, "context-3", pace=FAST)
        one, waiting = (retriever(ContextualEmbeddings(model), context=0) for _ in range(2))
        one.add_documents(LONG)
        one.add_documents(LONG)
        chunks = [long.page_content.split("\n") for long in LONG]
        assert [request["inputs"] for request in server.requests] == [chunks, chunks]  # the first one was refused
        await waiting.aadd_documents(LONG)
        assert len(server.requests) == 3
        assert rows(waiting) == rows(one)
        for name, own in zip("ab", chunks, strict=True):
            np.testing.assert_allclose(vectors(one)[name], document_rows(own), rtol=1e-6)
        assert one.invoke("b3 sailor", budget=60)[0].metadata["source"] == "b"
        assert server.requests[-1] == {"model": "context-3", "inputs": [["b3 sailor"]], "input_type": "query"}
        assert model.report.input_tokens == server.tokens
        assert model.report.retries == 1


def test_a_model_that_is_forwarded_is_known_by_its_method() -> None:
    class Forwarding(Embeddings):
        def __init__(self, inner: TogetherEmbeddings) -> None:
            self.inner = inner

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise AssertionError("it has a way for documents")

        def embed_query(self, text: str) -> list[float]:
            return self.inner.embed_query(text)

    inner = TogetherEmbeddings()
    one = retriever(ChunkEmbeddings(Forwarding(inner)), context=0)
    one.add_documents(LONG)
    assert len(inner.documents) == 2
