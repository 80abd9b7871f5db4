"""What langchain-classic's ParentDocumentRetriever returns wrongly and ours does not, fault by fault."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from fakes.langchain.lesser_stores import Relevance
from fakes.langchain.retrievers import kept
from fakes.langchain.splitters import Bag
from fakes.texts.articles import article
from langchain_classic.retrievers import ParentDocumentRetriever as Classic
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_experimental.text_splitter import SemanticChunker
from langchain_text_splitters import RecursiveCharacterTextSplitter
from pydantic import ValidationError

from langchain_caesura import DoublePassSemanticSplitter
from langchain_caesura import ParentDocumentRetriever as Ours

pytestmark = pytest.mark.peers
SMALL = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0)
LARGE = RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=0)
DOCUMENTS = [Document(article(20, seed), id=f"doc-{seed}", metadata={"source": f"{seed}.md"}) for seed in range(4)]
QUESTION = "Does the captain steer the ship?"


def made(cls: Any, vectors: Any = None, **settings: Any) -> Any:
    given = {"docstore": InMemoryStore(), "child_splitter": SMALL, **settings}
    return cls(vectorstore=vectors or InMemoryVectorStore(Bag()), **given)


def pair(**settings: Any) -> tuple[Any, Any]:
    return made(Classic, **settings), made(Ours, **settings)


def test_k_counts_parents() -> None:
    theirs, ours = pair(search_kwargs={"k": 4})
    loud = Document("\n\n".join(f"The captain steers the ship {number} times." for number in range(9)), id="loud")
    for retriever in (theirs, ours):
        retriever.add_documents([loud, *DOCUMENTS])
    assert len(theirs.invoke(QUESTION)) < 4
    assert len(ours.invoke(QUESTION, budget=None)) == 4


def test_scores_and_the_children_that_were_found_are_returned() -> None:
    settings = {"search_type": "similarity_score_threshold", "search_kwargs": {"k": 4, "score_threshold": 0.1}}
    theirs, ours = (made(cls, Relevance(Bag()), **settings) for cls in (Classic, Ours))
    for retriever in (theirs, ours):
        retriever.add_documents(DOCUMENTS)
    assert all(set(parent.metadata) == {"source"} for parent in theirs.invoke(QUESTION))
    for parent in ours.invoke(QUESTION):
        assert parent.score == max(match["score"] for match in parent.matches) > 0.1
        assert all(match["text"] in parent.page_content for match in parent.matches)


def test_a_missing_parent_is_told_and_others_take_its_place(caplog: pytest.LogCaptureFixture) -> None:
    theirs, ours = pair(search_kwargs={"k": 2})
    for retriever in (theirs, ours):
        retriever.add_documents(DOCUMENTS)
    before = [parent.page_content for parent in ours.invoke(QUESTION)]
    for retriever in (theirs, ours):
        lost = [key for key, parent in kept(retriever).items() if parent.page_content in before[:3]]
        retriever.docstore.mdelete(lost)
    with caplog.at_level(logging.WARNING):
        assert theirs.invoke(QUESTION) == []
        assert caplog.text == ""
        assert [parent.page_content for parent in ours.invoke(QUESTION)] == before[3:]
        assert "not in the document store" in caplog.text


def test_a_semantic_splitter_cuts_the_children() -> None:
    with pytest.raises(ValidationError, match="instance of TextSplitter"):
        made(Classic, child_splitter=SemanticChunker(Bag()))
    for cls in (Classic, Ours):
        retriever = made(cls, child_splitter=DoublePassSemanticSplitter(chunk_size=80))
        retriever.add_documents(DOCUMENTS)
        assert retriever.invoke(QUESTION)


def test_what_a_caller_does_to_a_result_does_not_reach_the_store() -> None:
    for retriever, changed in zip(pair(), (True, False), strict=True):
        retriever.add_documents([one.model_copy(deep=True) for one in DOCUMENTS])
        retriever.invoke(QUESTION)[0].metadata["note"] = "changed"
        assert any("note" in parent.metadata for parent in kept(retriever).values()) == changed


def test_children_know_their_place_in_the_document_and_theirs_in_the_parent() -> None:
    settings = {
        "child_splitter": RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0, add_start_index=True),
        "parent_splitter": LARGE,
    }
    theirs, ours = pair(**settings)
    text = DOCUMENTS[0].page_content
    theirs, ours = pair(**settings)
    for retriever in (theirs, ours):
        retriever.add_documents(DOCUMENTS[:1])
    rows = theirs.vectorstore.store.values()
    assert not all(text.startswith(row["text"], row["metadata"]["start_index"]) for row in rows)
    matches = [match for parent in ours.invoke(QUESTION, budget=10**6) for match in parent.matches]
    assert len(matches) == len(rows)
    assert all(text.startswith(match["text"], match["start_index"]) for match in matches)
