"""Settings of both retrievers, assigned later: checked as they are when one is made."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_caesura import BM25Retriever, ParentDocumentRetriever, SemanticHierarchySplitter, StaticEmbeddings

BEES = Document("Bees swarm in May. Mills grind corn.", id="bees")


def parents() -> ParentDocumentRetriever:
    return ParentDocumentRetriever(vectorstore=InMemoryVectorStore(StaticEmbeddings()), docstore=InMemoryStore())


@pytest.mark.parametrize(
    ("make", "name", "wrong"),
    [
        (parents, "budget", -1),
        (parents, "k", True),
        (parents, "words", -1),
        (parents, "merge_ratio", 7),
        (parents, "score", "median"),
        (parents, "search_type", "nearest"),
        (parents, "parent_splitter", SemanticHierarchySplitter()),
        (BM25Retriever, "k", 0),
        (BM25Retriever, "filter", 7),
    ],
)
def test_a_wrong_setting_is_refused_when_it_is_assigned_and_changes_nothing(make: Any, name: str, wrong: Any) -> None:
    retriever = make()
    retriever.add_documents([BEES])
    before, found = getattr(retriever, name), retriever.invoke("When do bees swarm?")
    with pytest.raises(ValueError, match=f"{name}|parents and children"):
        setattr(retriever, name, wrong)
    assert getattr(retriever, name) is before
    assert retriever.invoke("When do bees swarm?") == found != []


def test_a_setting_that_fits_counts_from_the_next_search_on() -> None:
    retriever = parents()
    retriever.add_documents([BEES])
    retriever.budget = 18
    assert [each.page_content for each in retriever.invoke("When do bees swarm?")] == ["Bees swarm in May."]
