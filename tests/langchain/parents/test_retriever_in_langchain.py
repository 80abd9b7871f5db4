"""The retriever in LangChain's machinery: its own suite, chains, batches, callbacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.retrievers import retriever
from fakes.texts.articles import article
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_classic.retrievers.document_compressors import EmbeddingsFilter
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.load import dumps, loads
from langchain_core.prompts import PromptTemplate, format_document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests

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
        def on_retriever_end(self, documents: Any, **kwargs: Any) -> None:
            told.extend(documents)

    told: list[Document] = []
    made = retriever(**SETTINGS, k=2)
    made.add_documents(DOCUMENTS)
    chain = made | (lambda found: [document.page_content for document in found])
    assert chain.invoke(QUESTION, config={"callbacks": [Heard()]}) == await chain.ainvoke(QUESTION)
    assert told == made.invoke(QUESTION)
    assert [len(found) for found in made.batch([QUESTION, "bread"])] == [2, 2]


@pytest.mark.filterwarnings("ignore:.*(beta|langchain-community)")
@pytest.mark.parametrize("budget", [None, 300])
def test_a_score_in_the_metadata_outlives_dumps_compressors_and_prompts(budget: int | None) -> None:
    made = retriever(**SETTINGS, k=2, budget=budget, score_metadata_key="relevance_score")
    made.add_documents(
        [Document(DOCUMENTS[0].page_content, metadata={"relevance_score": "of its own"}), *DOCUMENTS[1:]]
    )
    found = made.invoke(QUESTION)
    assert all(each.score is not None and each.metadata["relevance_score"] == each.score for each in found)
    assert [each.metadata for each in loads(dumps(found), allowed_objects=[Document])] == [
        each.metadata for each in found
    ]
    compressor = EmbeddingsFilter(embeddings=StaticEmbeddings(), k=1)
    (best,) = ContextualCompressionRetriever(base_compressor=compressor, base_retriever=made).invoke(QUESTION)
    assert best.metadata["relevance_score"] in [each.score for each in found]
    prompt = PromptTemplate.from_template("{relevance_score} {page_content}")
    assert format_document(found[0], prompt).startswith(f"{found[0].score} ")


def test_without_the_setting_the_metadata_say_nothing_of_scores() -> None:
    made = retriever(**SETTINGS, k=2)
    made.add_documents(DOCUMENTS)
    assert all(each.metadata.keys() <= {"source", "title"} for each in made.invoke(QUESTION))
