"""Chunks in vector stores and under the indexing API: the same again adds nothing, an edit leaves nothing stale."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.splitters import contents, every_splitter
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_caesura import StaticEmbeddings

DOCUMENTS = [Document(article(20, seed), metadata={"source": f"{seed}.md"}, id=f"doc-{seed}") for seed in range(3)]


@every_splitter
def test_a_store_keeps_the_ids_of_chunks_so_that_adding_again_adds_nothing(cls: Any) -> None:
    store = InMemoryVectorStore(StaticEmbeddings())
    chunks = cls(chunk_size=300).split_documents(DOCUMENTS)
    assert store.add_documents(chunks) == [chunk.id for chunk in chunks]
    store.add_documents(cls(chunk_size=300).split_documents(DOCUMENTS))
    assert len(store.store) == len(chunks)


@pytest.mark.filterwarnings("ignore:Using SHA-1")
@pytest.mark.parametrize("key_encoder", ["sha1", "sha256", lambda document: document.id], ids=["sha1", "sha256", "id"])
@every_splitter
def test_indexing_the_same_again_adds_nothing(cls: Any, key_encoder: Any) -> None:
    records, store = InMemoryRecordManager("test"), InMemoryVectorStore(StaticEmbeddings())
    records.create_schema()
    settings = {"cleanup": "full", "source_id_key": "source", "key_encoder": key_encoder}
    chunks = cls(chunk_size=300, add_start_index=True).split_documents(DOCUMENTS)
    first = index(chunks, records, store, **settings)
    again = index(cls(chunk_size=300, add_start_index=True).split_documents(DOCUMENTS), records, store, **settings)
    assert first["num_added"] == len(chunks) == len(store.store)
    assert (again["num_added"], again["num_skipped"], again["num_deleted"]) == (0, len(chunks), 0)


@every_splitter
def test_an_edited_document_replaces_its_rows_and_leaves_no_stale_one(cls: Any) -> None:
    records, store = InMemoryRecordManager("test"), InMemoryVectorStore(StaticEmbeddings())
    records.create_schema()
    settings: dict[str, Any] = {"cleanup": "full", "source_id_key": "source", "key_encoder": lambda one: one.id}
    splitter = cls(chunk_size=300)
    index(splitter.split_documents(DOCUMENTS), records, store, **settings)
    edited = [DOCUMENTS[0].model_copy(update={"page_content": article(20, 0).replace("cat", "dog")}), *DOCUMENTS[1:]]
    done = index(splitter.split_documents(edited), records, store, **settings)
    kept = {row["text"] for row in store.store.values()}
    assert done["num_added"] > 0
    assert done["num_deleted"] > 0
    assert done["num_skipped"] > 0
    assert kept == set(contents(splitter.split_documents(edited)))
