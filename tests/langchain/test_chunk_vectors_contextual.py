"""embed_chunks with embeddings that embed a document's chunks together: a chunk's row knows what is around it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.embedders.document_embedders import Together, document_rows, words_row
from fakes.langchain.splitters import contents
from fakes.langchain.together import AwaitedTogether, TogetherEmbeddings
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from caesura.errors import EmbeddingError, SettingError
from caesura_retrieval.cached_documents import cached_documents
from caesura_retrieval.leaning import lean, share_contexts
from langchain_caesura import ContextualEmbeddings, OptimalSemanticSplitter

FERRY = " ".join(f"The ferry to island {number} leaves the harbour at {number}." for number in range(9))
BREAD = " ".join(f"Bread dough number {number} rests for {number} hours in the oven." for number in range(9))
DOCUMENTS = [Document(FERRY, metadata={"source": "ferry"}), Document(BREAD, metadata={"source": "bread"})]


def splitter(model: Any, **settings: Any) -> OptimalSemanticSplitter:
    return OptimalSemanticSplitter(model, chunk_size=200, target_size=100, embed_chunks=True, **settings)


def by_source(chunks: list[Document]) -> dict[str, list[str]]:
    names = dict.fromkeys(chunk.metadata["source"] for chunk in chunks)
    return {name: [chunk.page_content for chunk in chunks if chunk.metadata["source"] == name] for name in names}


@pytest.mark.parametrize("covered", [False, True])
@pytest.mark.parametrize("window", [None, 2])
def test_a_chunk_has_the_row_that_its_document_gives_it(window: int | None, covered: bool) -> None:
    model: Any = Together(window) if covered else TogetherEmbeddings(window)
    own = splitter(ContextualEmbeddings(model) if covered else model)
    chunks = own.split_documents(DOCUMENTS)
    asked = len(model.documents)
    wanted = [
        row
        for texts in by_source(chunks).values()
        for at in range(0, len(texts), window or len(texts))
        for row in document_rows(texts[at : at + (window or len(texts))])
    ]
    assert len(by_source(chunks)["ferry"]) > 3
    np.testing.assert_allclose(own.chunk_embeddings.embed_documents(contents(chunks)), wanted, rtol=1e-6)
    assert len(model.documents) == asked


async def test_async_does_the_same() -> None:
    one, waiting = splitter(TogetherEmbeddings()), splitter(AwaitedTogether())
    chunks, again = one.split_documents(DOCUMENTS), await waiting.asplit_documents(DOCUMENTS)
    assert contents(again) == contents(chunks)
    rows = await waiting.chunk_embeddings.aembed_documents(contents(again))
    assert rows == one.chunk_embeddings.embed_documents(contents(chunks))


@pytest.mark.parametrize("how", ["sync", "async"])
async def test_rows_have_a_share_of_a_context_which_is_embedded_as_a_text_by_itself(how: str) -> None:
    model, given = AwaitedTogether() if how == "async" else TogetherEmbeddings(), DOCUMENTS[0]
    told = Document(given.page_content, metadata={**given.metadata, "document_context": "Of ferries."})
    own = splitter(model)
    texts = contents(
        await own.asplit_documents([told, DOCUMENTS[1]]) if how == "async" else own.split_documents([told])
    )
    ferry = [text for text in texts if "ferry" in text]
    assert model.texts.count("Of ferries.") == 1
    wanted = share_contexts(document_rows(ferry), document_rows(["Of ferries."]))
    rows = await own.chunk_embeddings.aembed_documents(texts)  # type: ignore[union-attr]
    np.testing.assert_allclose(rows[: len(ferry)], wanted, rtol=1e-5)
    np.testing.assert_allclose(rows[len(ferry) :], document_rows(texts[len(ferry) :]) if how == "async" else [])


def test_cutting_still_uses_sentences() -> None:
    model = TogetherEmbeddings()
    plain = OptimalSemanticSplitter(model.embed_documents, chunk_size=200, target_size=100)
    assert splitter(model).split_text(FERRY + BREAD) == plain.split_text(FERRY + BREAD)


@pytest.mark.parametrize("kind", ["memory", "chroma"])
def test_a_store_holds_these_rows_and_questions_go_by_embed_query(kind: str) -> None:
    model = TogetherEmbeddings()
    own = splitter(model)
    chunks = own.split_documents(DOCUMENTS)
    texts, documents = len(model.texts), len(model.documents)
    store: Any
    if kind == "memory":
        store = InMemoryVectorStore.from_documents(chunks, own.chunk_embeddings)
        found = {entry["text"]: entry["vector"] for entry in store.store.values()}
    else:
        store = Chroma.from_documents(chunks, own.chunk_embeddings, collection_name="contextual")
        kept = store.get(include=["documents", "embeddings"])
        found = dict(zip(kept["documents"], kept["embeddings"], strict=True))
    assert (len(model.texts), len(model.documents)) == (texts, documents)
    for texts_of in by_source(chunks).values():
        np.testing.assert_allclose([found[text] for text in texts_of], document_rows(texts_of), rtol=1e-5)
    assert "Bread" in store.similarity_search("bread dough", k=1)[0].page_content
    assert model.questions == ["bread dough"]


def test_equal_chunks_of_two_documents_have_each_the_row_of_its_own() -> None:
    documents = [Document(f"Same words.\n\n{other} stands here.", metadata={"source": other}) for other in ("A", "B")]
    own = OptimalSemanticSplitter(TogetherEmbeddings(), chunk_size=22, target_size=None, embed_chunks=True)
    chunks = own.split_documents(documents)
    assert contents(chunks) == ["Same words.", "A stands here.", "Same words.", "B stands here."]
    rows = [*document_rows(contents(chunks)[:2]), *document_rows(contents(chunks)[2:])]
    assert not np.array_equal(rows[0], rows[2])
    for _ in range(2):
        np.testing.assert_allclose(own.chunk_embeddings.embed_documents(contents(chunks)), rows)
    one_by_one = [own.chunk_embeddings.embed_documents([text])[0] for text in contents(chunks)]
    np.testing.assert_allclose(one_by_one, rows)


def test_headings_and_the_lean_go_on_top() -> None:
    text = f"# Ferries\n\n{FERRY}\n\n# Bread\n\n{BREAD}"
    model = TogetherEmbeddings()
    own = splitter(model, embed_headings=True, context=0.4)
    chunks = own.split_text(text)
    (given,) = model.several
    assert [shown.endswith(chunk) for shown, chunk in zip(given, chunks, strict=True)] == [True] * len(chunks)
    assert any(
        shown.startswith("Bread") and chunk.startswith("Bread dough")
        for shown, chunk in zip(given, chunks, strict=True)
    )
    found = own.chunk_embeddings.embed_documents(chunks)
    np.testing.assert_allclose(found, lean(document_rows(given), 0.4), rtol=1e-5)


def test_an_edit_asks_for_the_document_again_and_with_a_cache_for_that_document_alone(tmp_path: Path) -> None:
    model = Together()
    with cached_documents(model, tmp_path / "rows.db", "own") as kept:
        own = splitter(ContextualEmbeddings(kept))
        own.split_documents(DOCUMENTS)
        model.documents.clear()
        again = own.split_documents(DOCUMENTS)
        assert model.documents == []
        edited = [DOCUMENTS[0].model_copy(update={"page_content": FERRY + " The parrot spoke."}), DOCUMENTS[1]]
        chunks = own.split_documents(edited)
    assert model.several == [by_source(chunks)["ferry"]] != [by_source(again)["ferry"]]
    assert [chunks for chunks in model.documents if len(chunks) == 1] == [["The parrot spoke."]]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda chunks: document_rows(chunks)[1:], r"expected \(\d+, d\), got \(\d+, 64\), for document 'bread'"),
        (lambda chunks: document_rows(chunks) * np.nan, "finite numbers: expected .* for document 'bread'.*at chunk 0"),
        (lambda chunks: [[1.0], *document_rows(chunks)[1:].tolist()], "rows that do not stack .* for document 'bread'"),
        (lambda chunks: document_rows(chunks)[:, 1:], "expected 64, got 63 for document 'bread'"),
    ],
)
def test_what_is_no_row_per_chunk_is_refused_by_the_documents_name(returned: Any, message: str) -> None:
    class Faulty(TogetherEmbeddings):
        def embed_document(self, chunks: list[str]) -> object:
            return returned(chunks) if "Bread" in chunks[0] else document_rows(chunks)

    with pytest.raises(EmbeddingError, match=message):
        splitter(Faulty()).split_documents(DOCUMENTS)


def test_a_failure_says_at_which_document() -> None:
    class Failing(TogetherEmbeddings):
        def embed_document(self, chunks: list[str]) -> object:
            raise OSError("the line is cut")

    with pytest.raises(OSError, match="cut") as caught:
        splitter(Failing()).split_documents(DOCUMENTS)
    assert "raised by embed_document() for document 'ferry'" in caught.value.__notes__


@pytest.mark.parametrize("model", [None, TogetherEmbeddings, "voyage-context-3", lambda texts: texts])
def test_what_has_no_such_method_cannot_be_covered(model: Any) -> None:
    with pytest.raises(SettingError, match="must have embed_document"):
        ContextualEmbeddings(model)


def test_a_model_without_a_method_for_questions_embeds_them_as_texts() -> None:
    class Bare:
        def embed_document(self, chunks: list[str]) -> object:
            return document_rows(chunks)

    embeddings = ContextualEmbeddings(Bare())
    assert embeddings.embed_query("tea") == embeddings.embed_documents(["tea"])[0] == document_rows(["tea"])[0].tolist()
    assert ContextualEmbeddings(Together()).embed_query("tea") == words_row("tea").tolist()
