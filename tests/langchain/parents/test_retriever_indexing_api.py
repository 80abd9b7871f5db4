"""The retriever under LangChain's indexing API: its own suites, nothing twice, nothing stale, parents by document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.retrievers import kept, retriever, rows
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedVectors
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, aindex, index
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests.indexer import AsyncDocumentIndexTestSuite, DocumentIndexerTestSuite

from langchain_caesura import (
    DoublePassSemanticSplitter,
    ParentDocumentRetriever,
    SQLiteDocumentStore,
    StaticEmbeddings,
)

DOCUMENTS = [Document(article(20, seed), metadata={"source": f"{seed}.md"}) for seed in range(6)]
SETTINGS: dict[str, Any] = {"child_splitter": DoublePassSemanticSplitter(chunk_size=120)}
OPTIONS: dict[str, Any] = {"cleanup": "full", "source_id_key": "source", "key_encoder": "sha256"}


@pytest.fixture(params=["memory", "file"])
def empty(request: Any, tmp_path: Path) -> Iterator[ParentDocumentRetriever]:
    vectors = InMemoryVectorStore(StaticEmbeddings())
    if request.param == "memory":
        yield ParentDocumentRetriever(vectorstore=vectors, docstore=InMemoryStore())
        return
    with SQLiteDocumentStore(tmp_path / "texts.db") as docstore:
        yield ParentDocumentRetriever(vectorstore=vectors, docstore=docstore)


class TestDocumentIndex(DocumentIndexerTestSuite):
    @pytest.fixture
    def index(self, empty: ParentDocumentRetriever) -> ParentDocumentRetriever:
        return empty


class TestAsyncDocumentIndex(AsyncDocumentIndexTestSuite):
    @pytest.fixture
    async def index(self, empty: ParentDocumentRetriever) -> ParentDocumentRetriever:
        return empty


def counts(result: Any) -> tuple[int, int, int]:
    return result["num_added"], result["num_deleted"], result["num_skipped"]


async def test_the_second_run_of_index_adds_and_deletes_nothing() -> None:
    vectors = ClockedVectors(Bag())
    made, records = retriever(vectors, **SETTINGS), InMemoryRecordManager("parents")
    assert counts(index(DOCUMENTS, records, made, **OPTIONS)) == (6, 0, 0)
    before, embedded = rows(made), len(vectors.embedding.texts)
    assert counts(index(DOCUMENTS, records, made, **OPTIONS)) == (0, 0, 6)
    assert counts(await aindex(DOCUMENTS, records, made, **OPTIONS)) == (0, 0, 6)
    assert rows(made) == before
    assert len(vectors.embedding.texts) == embedded


@pytest.mark.parametrize("cleanup", ["full", "incremental", "scoped_full"])
async def test_index_updates_parents_and_children_and_leaves_nothing_stale(cleanup: str) -> None:
    options = {**OPTIONS, "cleanup": cleanup}
    made, waiting = retriever(**SETTINGS), retriever(**SETTINGS)
    records, others = InMemoryRecordManager("one"), InMemoryRecordManager("other")
    changed = [DOCUMENTS[0].model_copy(update={"page_content": "The parrot spoke."}), *DOCUMENTS[1:]]
    for documents in (DOCUMENTS, changed):
        result = index(documents, records, made, **options)
        assert counts(await aindex(documents, others, waiting, **options)) == counts(result)
    assert counts(result) == (1, 1, 5)
    assert {parent.page_content for parent in kept(made).values()} == {one.page_content for one in changed}
    assert rows(made) == rows(waiting)
    assert set(made.docstore.store) == set(waiting.docstore.store)
    assert len(rows(made)) == sum(len(SETTINGS["child_splitter"].split_text(one.page_content)) for one in changed)


def test_index_without_documents_empties_both_stores_and_forced_it_embeds_again() -> None:
    vectors = ClockedVectors(Bag())
    made, records = retriever(vectors, **SETTINGS), InMemoryRecordManager("parents")
    index(DOCUMENTS, records, made, **OPTIONS)
    embedded = len(vectors.embedding.texts)
    index(DOCUMENTS, records, made, **OPTIONS, force_update=True)
    assert len(vectors.embedding.texts) == 2 * embedded == 2 * len(rows(made))
    assert counts(index([], records, made, **OPTIONS)) == (0, 6, 0)
    assert made.docstore.store == rows(made) == {}


async def test_an_index_gives_its_parents_by_document() -> None:
    made = retriever(**SETTINGS)
    named = made.add_documents(DOCUMENTS, ids=[f"{number}" for number in range(6)])
    assert {parent.page_content for parent in made.get(named[:2])} == {one.page_content for one in DOCUMENTS[:2]}
    assert await made.aget(["5", "none", "5"]) == made.get(["5"])
    assert made.get(["none"]) == []
