"""What a trace of the parent retriever says: its vector store and its embedder, as one of a vector store does."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from langchain_caesura import BM25Retriever, ParentDocumentRetriever, StaticEmbeddings


class Metadata(BaseCallbackHandler):
    """The name and the metadata of the retriever's run."""

    said: dict[str, Any]
    name: str

    def on_retriever_start(
        self, serialized: Any, query: str, *, metadata: dict[str, Any] | None = None, **rest: Any
    ) -> None:
        self.said, self.name = metadata or {}, rest["name"]


class Hidden(InMemoryVectorStore):
    """A vector store that does not say what embeds for it."""

    @property
    def embeddings(self) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize("context", [0, None])
@pytest.mark.parametrize("how", ["sync", "async"])
async def test_a_trace_names_the_store_and_the_embedder_as_a_vector_stores_retriever_does(
    context: float | None, how: str
) -> None:
    store = InMemoryVectorStore(StaticEmbeddings())
    settings = {} if context is None else {"context": context}
    retriever = ParentDocumentRetriever(vectorstore=store, docstore=InMemoryStore(), **settings)
    retriever.add_documents([Document("Tea is hot.", id="tea")])
    traces = Metadata()
    config: Any = {"callbacks": [traces]}
    found = retriever.invoke("tea", config) if how == "sync" else await retriever.ainvoke("tea", config)
    assert found[0].page_content == "Tea is hot."
    assert traces.said["ls_vector_store_provider"] == "InMemoryVectorStore"
    assert traces.said["ls_embedding_provider"] == "StaticEmbeddings"
    assert traces.said["ls_retriever_name"] == "parentdocument"


def test_a_trace_says_how_much_is_wanted() -> None:
    traces = Metadata()
    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(StaticEmbeddings()), docstore=InMemoryStore(), k=3
    )
    retriever.add_documents([Document("Tea is hot.", id="tea")])
    retriever.invoke("tea", {"callbacks": [traces]}, budget=70)
    assert (traces.said["budget"], traces.said["k"]) == (70, 3)


def test_a_store_that_hides_its_embedder_is_named_alone() -> None:
    store: VectorStore = Hidden(StaticEmbeddings())
    traces = Metadata()
    retriever = ParentDocumentRetriever(vectorstore=store, docstore=InMemoryStore(), context=0)
    retriever.invoke("tea", {"callbacks": [traces]})
    assert traces.said["ls_vector_store_provider"] == "Hidden"
    assert "ls_embedding_provider" not in traces.said


def test_a_name_tells_it_from_langchain_classics_retriever_in_traces() -> None:
    vectors = InMemoryVectorStore(StaticEmbeddings())
    traces = Metadata()
    for settings, shown in (({}, "ParentDocumentRetriever"), ({"name": "passages"}, "passages")):
        retriever = ParentDocumentRetriever(vectorstore=vectors, docstore=InMemoryStore(), **settings)  # type: ignore[arg-type]
        retriever.invoke("tea", {"callbacks": [traces]})
        assert traces.name == shown
        assert traces.said["ls_retriever_name"] == shown.removesuffix("Retriever").lower()


def test_a_trace_of_words_names_the_retriever() -> None:
    traces = Metadata()
    BM25Retriever(name="words").invoke("tea", {"callbacks": [traces]})
    assert (traces.name, traces.said["ls_retriever_name"]) == ("words", "words")
