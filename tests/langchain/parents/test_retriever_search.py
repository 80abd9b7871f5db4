"""How it searches: so much that there are enough parents and no more, through filters, past what is missing."""

from __future__ import annotations

import logging

import pytest
from fakes.langchain.retrievers import DOCUMENTS, SPLITTINGS, kept, retriever
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedVectors
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

QUESTION = "Does the captain steer the ship by the compass?"


def test_more_is_fetched_where_one_parent_takes_all_places_and_only_then() -> None:
    vectors = ClockedVectors(Bag())
    made = retriever(vectors, child_splitter=RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=0), k=2)
    loud = "\n\n".join(f"ship captain compass number{number}" for number in range(100))
    made.add_documents([Document(loud, id="loud"), Document("One ship lies still.", id="quiet")])
    assert [parent.id for parent in made.invoke("ship captain compass")] == ["loud", "quiet"]
    assert vectors.read["search"] == 3
    made.invoke("ship captain compass", k=1)
    assert vectors.read["search"] == 4


def test_what_is_fetched_is_bounded() -> None:
    vectors = ClockedVectors(Bag())
    splitter = RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=0)
    made = retriever(vectors, child_splitter=splitter, k=2, max_fetch=50)
    loud = "\n\n".join(f"ship captain compass number{number}" for number in range(100))
    made.add_documents([Document(loud, id="loud"), Document("One ship lies still.", id="quiet")])
    assert [parent.id for parent in made.invoke("ship captain compass")] == ["loud"]
    assert vectors.read["search"] == 3  # 8, 32 and 50


def test_a_filter_passes_through_from_the_settings_and_from_the_call() -> None:
    made = retriever(**SPLITTINGS["whole"], search_kwargs={"filter": lambda one: one.metadata["source"] < "2.md"})
    made.add_documents(DOCUMENTS)
    assert {parent.id for parent in made.invoke(QUESTION)} == {"doc-0", "doc-1"}
    others = made.invoke(QUESTION, filter=lambda one: one.metadata["source"] > "1.md")
    assert {parent.id for parent in others} == {"doc-2", "doc-3", "doc-4"}


def test_a_missing_parent_is_a_warning_and_the_others_come(caplog: pytest.LogCaptureFixture) -> None:
    made = retriever(**SPLITTINGS["whole"], k=3)
    made.add_documents(DOCUMENTS)
    best = made.invoke(QUESTION)
    gone = next(key for key, parent in kept(made).items() if parent.id == best[0].id)
    made.docstore.mdelete([gone])
    with caplog.at_level(logging.WARNING):
        found = made.invoke(QUESTION)
    assert [parent.id for parent in found[:2]] == [parent.id for parent in best[1:]]
    assert len(found) == 3
    assert gone in caplog.text


def test_rows_of_others_in_the_vector_store_are_passed_over() -> None:
    made = retriever(InMemoryVectorStore(Bag()), **SPLITTINGS["whole"])
    made.vectorstore.add_documents([Document(QUESTION), Document(QUESTION, metadata={"a": 1})])
    assert made.invoke(QUESTION) == []
    made.add_documents(DOCUMENTS)
    assert len(made.invoke(QUESTION)) == 4
