"""The parent retriever in LangChain's machinery: its suite, chains, callbacks, the indexing API, classic's stores."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from articles import article
from langchain_classic.retrievers import MultiVectorRetriever
from langchain_classic.retrievers import ParentDocumentRetriever as ClassicRetriever
from langchain_classic.storage import LocalFileStore, create_kv_docstore
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, aindex, index
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_fakes import Bag
from langchain_parent_fakes import kept, retriever, rows
from langchain_store_fakes import ClockedVectors
from langchain_tests.integration_tests import RetrieversIntegrationTests
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import (
    DoublePassSemanticSplitter,
    ParentDocumentRetriever,
    SemanticHierarchySplitter,
    SQLiteDocumentStore,
    StaticEmbeddings,
)

DOCUMENTS = [Document(article(20, seed), metadata={"source": f"{seed}.md"}) for seed in range(6)]
SETTINGS: dict[str, Any] = {"child_splitter": DoublePassSemanticSplitter(chunk_size=120)}
QUESTION = "Does the captain steer the ship?"


class TestStandard(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _stores(self, tmp_path: Path) -> Any:
        with SQLiteDocumentStore(tmp_path / "parents.db") as docstore:
            self.stores = {"vectorstore": InMemoryVectorStore(StaticEmbeddings()), "docstore": docstore}
            self.retriever_constructor(**self.retriever_constructor_params).add_documents(DOCUMENTS)
            yield

    @property
    def retriever_constructor(self) -> type[ParentDocumentRetriever]:
        return ParentDocumentRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {**self.stores, "child_splitter": SemanticHierarchySplitter(chunk_sizes=(400, 120))}

    @property
    def retriever_query_example(self) -> str:
        return QUESTION


async def test_it_is_a_step_of_a_chain_and_tells_callbacks() -> None:
    class Heard(BaseCallbackHandler):
        found: list[Document] = []  # noqa: RUF012

        def on_retriever_end(self, documents: Any, **kwargs: Any) -> None:
            self.found.extend(documents)

    made = retriever(**SETTINGS, k=2)
    made.add_documents(DOCUMENTS)
    chain = made | (lambda found: [document.page_content for document in found])
    heard = Heard()
    assert chain.invoke(QUESTION, config={"callbacks": [heard]}) == await chain.ainvoke(QUESTION)
    assert heard.found == made.invoke(QUESTION)
    assert [len(found) for found in made.batch([QUESTION, "bread"])] == [2, 2]


# -- the indexing API ------------------------------------------------------------------------------------------------

OPTIONS: dict[str, Any] = {"cleanup": "full", "source_id_key": "source", "key_encoder": "sha256"}


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


# -- stores that langchain-classic wrote, and stores that it reads ---------------------------------------------------

CLASSIC: dict[str, Any] = {
    "child_splitter": RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=0),
    "parent_splitter": RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=0),
}


@pytest.mark.parametrize("id_key", ["doc_id", "my_parent"])
async def test_what_classics_retriever_wrote_is_read(id_key: str) -> None:
    vectors, parents = InMemoryVectorStore(Bag()), InMemoryStore()
    classic = ClassicRetriever(vectorstore=vectors, docstore=parents, id_key=id_key, search_kwargs={"k": 40}, **CLASSIC)
    classic.add_documents(DOCUMENTS)
    made = retriever(vectors, docstore=parents, id_key=id_key, k=3)
    found = made.invoke(QUESTION)
    assert [parent.page_content for parent in found] == [parent.page_content for parent in classic.invoke(QUESTION)[:3]]
    assert [match["score"] for match in found[0].metadata["matches"]]
    assert await made.ainvoke(QUESTION) == found
    assert len(retriever(vectors, docstore=parents, id_key=id_key, k=3, merge_ratio=0.5).invoke(QUESTION)) == 3


def test_ours_is_read_by_classics_retriever() -> None:
    made = retriever(k=4, **CLASSIC)
    made.add_documents(DOCUMENTS)
    classic = MultiVectorRetriever(vectorstore=made.vectorstore, docstore=made.docstore, search_kwargs={"k": 16})
    ours = [parent.page_content for parent in made.invoke(QUESTION)]
    assert [parent.page_content for parent in classic.invoke(QUESTION)][:4] == ours


def test_documents_are_added_to_a_store_that_classic_wrote(caplog: pytest.LogCaptureFixture) -> None:
    made = retriever(InMemoryVectorStore(Bag()), **CLASSIC, k=1)
    ClassicRetriever(vectorstore=made.vectorstore, docstore=made.docstore, **CLASSIC).add_documents(DOCUMENTS)
    made.add_documents([Document("The parrot spoke.", id="parrot")])
    with caplog.at_level(logging.WARNING):
        assert [parent.page_content for parent in made.invoke("parrot")] == ["The parrot spoke."]
    assert caplog.text == ""


def test_a_document_store_of_files_takes_our_keys(tmp_path: Path) -> None:
    files = create_kv_docstore(LocalFileStore(tmp_path))
    made = retriever(docstore=files, **CLASSIC, k=2)
    odd = [one.model_copy(update={"id": f"folder/{number} é:?*"}) for number, one in enumerate(DOCUMENTS)]
    made.add_documents(odd)
    assert len(made.invoke(QUESTION)) == 2
    made.delete([str(one.id) for one in odd])
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
