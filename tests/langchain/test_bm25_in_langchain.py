"""The retriever of words in LangChain's machinery: its own suites, ensembles, chains, the indexing API, copies."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.texts.articles import article
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, aindex, index
from langchain_core.load import dumps, loads
from langchain_core.prompts import PromptTemplate, format_document
from langchain_core.runnables import ConfigurableField
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests
from langchain_tests.integration_tests.indexer import AsyncDocumentIndexTestSuite, DocumentIndexerTestSuite

from langchain_caesura import BM25Retriever, ScoredDocument, SQLiteDocumentStore, StaticEmbeddings

DOCUMENTS = [Document(article(20, seed), metadata={"source": f"{seed}.md"}) for seed in range(6)]
QUESTION = "Does the captain steer the ship?"
FERRY = Document("The ferry leaves at nine.", id="ferry")
TICKETS = Document("Tickets are sold on board.", id="tickets")


@pytest.fixture(params=["memory", "file"])
def empty(request: Any, tmp_path: Path) -> Iterator[BM25Retriever]:
    if request.param == "memory":
        yield BM25Retriever()
        return
    with SQLiteDocumentStore(tmp_path / "words.db") as store:
        yield BM25Retriever(docstore=store)


class TestDocumentIndex(DocumentIndexerTestSuite):
    @pytest.fixture
    def index(self, empty: BM25Retriever) -> BM25Retriever:
        return empty


class TestAsyncDocumentIndex(AsyncDocumentIndexTestSuite):
    @pytest.fixture
    async def index(self, empty: BM25Retriever) -> BM25Retriever:
        return empty


class TestRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _stores(self, tmp_path: Path) -> Iterator[None]:
        with SQLiteDocumentStore(tmp_path / "words.db") as self.store:
            BM25Retriever.from_documents(DOCUMENTS, docstore=self.store)
            yield

    @property
    def retriever_constructor(self) -> type[BM25Retriever]:
        return BM25Retriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"docstore": self.store}

    @property
    def retriever_query_example(self) -> str:
        return QUESTION


async def test_an_ensemble_joins_it_with_vectors() -> None:
    chunks = [FERRY, TICKETS, Document("Bread rises in a warm kitchen.", id="bread")]
    vectors = InMemoryVectorStore.from_documents(chunks, StaticEmbeddings())
    both = EnsembleRetriever(
        retrievers=[BM25Retriever.from_documents(chunks), vectors.as_retriever(search_kwargs={"k": 2})]
    )
    assert both.invoke("When do ferries leave?")[0].id == "ferry"
    assert await both.ainvoke("When do ferries leave?") == both.invoke("When do ferries leave?")


async def test_it_is_a_step_of_a_chain() -> None:
    retriever = BM25Retriever.from_documents([FERRY, TICKETS])
    chain = retriever | (lambda documents: [document.id for document in documents])
    assert chain.invoke("ferry") == await chain.ainvoke("ferry") == ["ferry"]
    assert chain.batch(["ferry", "tickets"]) == [["ferry"], ["tickets"]]


def test_the_indexing_api_adds_replaces_and_deletes() -> None:
    retriever, records = BM25Retriever(), InMemoryRecordManager("words")
    options: dict[str, Any] = {"cleanup": "full", "source_id_key": "source", "key_encoder": "sha256"}
    assert index(DOCUMENTS, records, retriever, **options)["num_added"] == 6
    assert index(DOCUMENTS, records, retriever, **options)["num_skipped"] == 6
    changed = [DOCUMENTS[0].model_copy(update={"page_content": "The parrot spoke."}), *DOCUMENTS[1:]]
    result = index(changed, records, retriever, **options)
    assert (result["num_added"], result["num_deleted"]) == (1, 1)
    assert [document.page_content for document in retriever.invoke("parrot")] == ["The parrot spoke."]
    assert index([], records, retriever, **options)["num_deleted"] == 6
    assert retriever.invoke(QUESTION) == []


async def test_the_async_indexing_api_does_the_same() -> None:
    retriever, records = BM25Retriever(), InMemoryRecordManager("words")
    result = await aindex(DOCUMENTS, records, retriever, cleanup="full", key_encoder="sha256")
    assert result["num_added"] == 6
    assert len(await retriever.ainvoke(QUESTION)) == 4


def test_results_are_written_and_read_and_say_their_score_where_it_is_wanted() -> None:
    retriever = BM25Retriever.from_documents([FERRY, TICKETS], score_metadata_key="relevance_score")
    (ferry,) = retriever.invoke("ferry")
    assert isinstance(ferry, ScoredDocument)
    assert ferry.metadata == {"relevance_score": ferry.score}
    assert loads(dumps(ferry), allowed_objects=[Document]).metadata == ferry.metadata
    assert format_document(ferry, PromptTemplate.from_template("{relevance_score}")) == str(ferry.score)
    assert retriever.get(["ferry"]) == [FERRY]


def test_copies_pickles_and_other_settings_keep_the_documents(empty: BM25Retriever) -> None:
    empty.add_documents([FERRY, TICKETS])
    chosen = empty.configurable_fields(k=ConfigurableField(id="k"))
    assert len(chosen.with_config(configurable={"k": 1}).invoke("ferry tickets")) == 1
    copies = [empty.model_copy(update={"k": 1}), BM25Retriever(**dict(empty)), pickle.loads(pickle.dumps(empty))]
    for again in copies:
        assert [document.id for document in again.invoke("ferries")] == ["ferry"]
        assert '"not_implemented"' in dumps(again)
