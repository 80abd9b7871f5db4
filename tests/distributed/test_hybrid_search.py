"""Words by the vector store's own hybrid search, here Qdrant's in local mode: it finds what vectors do not."""

from __future__ import annotations

import random
from typing import Any
from zlib import crc32

import pytest

pytest.importorskip("qdrant_client", reason="the session `distributed` installs it")
from langchain_core.documents import Document as LangChainDocument
from langchain_core.stores import InMemoryStore
from langchain_qdrant import QdrantVectorStore, RetrievalMode, SparseEmbeddings, SparseVector
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core import Document as LlamaIndexDocument
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.vector_stores.qdrant import QdrantVectorStore as LlamaIndexQdrant
from qdrant_client import QdrantClient, models

from caesura_retrieval.words import terms
from langchain_caesura import ParentDocumentRetriever, StaticEmbeddings
from llama_index.node_parser.caesura import HierarchyIndex, SemanticHierarchyParser, StaticEmbedding

SERIALS = [f"QX-{number}" for number in random.Random(7).sample(range(1000, 9999), 300)]
WANTED = SERIALS[211]
QUESTION = f"Where is the pump {WANTED}?"
TEXTS = {serial: f"The pump {serial} is in hall {at}, by the window." for at, serial in enumerate(SERIALS)}
TEXTS[WANTED] = f"Painted green in the spring, a gift of the harbour office to the school: {WANTED}."


class Words(SparseEmbeddings):
    """Each word counts once."""

    def embed_query(self, text: str) -> SparseVector:
        numbers = sorted({crc32(word.encode()) for word in terms(text)})
        return SparseVector(indices=numbers, values=[1.0] * len(numbers))

    def embed_documents(self, texts: list[str]) -> list[SparseVector]:
        return [self.embed_query(text) for text in texts]


def encode(texts: list[str]) -> tuple[list[list[int]], list[list[float]]]:
    """The same for LlamaIndex."""
    rows = Words().embed_documents(texts)
    return [row.indices for row in rows], [row.values for row in rows]


def langchain(mode: RetrievalMode) -> ParentDocumentRetriever:
    hybrid: dict[str, Any] = {"sparse_embedding": Words(), "sparse_vector_params": {"modifier": models.Modifier.IDF}}
    store = QdrantVectorStore.construct_instance(
        StaticEmbeddings(),
        client_options={"location": ":memory:"},
        collection_name="pumps",
        retrieval_mode=mode,
        **(hybrid if mode is RetrievalMode.HYBRID else {}),
    )
    made = ParentDocumentRetriever(
        vectorstore=store,
        docstore=InMemoryStore(),
        child_splitter=RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=0),
        words=0,
        budget=300,
        search_kwargs={"k": 20},
    )
    made.add_documents([LangChainDocument(text, id=serial) for serial, text in TEXTS.items()])
    return made


async def test_langchain_finds_a_serial_number_by_the_stores_words() -> None:
    alone, both = langchain(RetrievalMode.DENSE), langchain(RetrievalMode.HYBRID)
    assert not any(WANTED in found.page_content for found in alone.invoke(QUESTION))
    found = both.invoke(QUESTION)
    assert any(WANTED in each.page_content for each in found)
    assert sum(len(each.page_content) for each in found) <= 300
    assert await both.ainvoke(QUESTION) == found
    both.add_documents([LangChainDocument("The pump was sold.", id=WANTED)])
    assert not any(WANTED in each.page_content for each in both.invoke(QUESTION))
    both.delete(SERIALS)
    assert both.invoke(QUESTION) == []


def test_llama_index_finds_a_serial_number_by_the_stores_words() -> None:
    store = LlamaIndexQdrant(
        "pumps",
        client=QdrantClient(":memory:"),
        enable_hybrid=True,
        sparse_doc_fn=encode,
        sparse_query_fn=encode,
        sparse_config=models.SparseVectorParams(modifier=models.Modifier.IDF),
    )
    index = HierarchyIndex(
        vector_store=store,
        docstore=SimpleDocumentStore(),
        transformations=[SemanticHierarchyParser(chunk_sizes=[60, 40])],
        embed_model=StaticEmbedding(),
    )
    index.upsert([LlamaIndexDocument(text=text, id_=serial) for serial, text in TEXTS.items()])
    alone = index.as_retriever(budget=60, words=0)
    both = index.as_retriever(budget=60, words=0, vector_store_query_mode="hybrid", sparse_top_k=3, alpha=0.3)
    assert not any(WANTED in found.text for found in alone.retrieve(QUESTION))
    assert any(WANTED in found.text for found in both.retrieve(QUESTION))
    index.upsert([LlamaIndexDocument(text="The pump was sold.", id_=WANTED)])
    assert not any(WANTED in found.text for found in both.retrieve(QUESTION))
