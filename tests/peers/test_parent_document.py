"""Where langchain-classic's ParentDocumentRetriever goes wrong and ours does not, fault by fault."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from articles import article
from langchain_classic.retrievers import ParentDocumentRetriever as Classic
from langchain_core.documents import Document
from langchain_core.indexing import DocumentIndex, InMemoryRecordManager, index
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_experimental.text_splitter import SemanticChunker
from langchain_fakes import Bag
from langchain_lesser_fakes import Relevance
from langchain_parent_fakes import kept
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


def counts(retriever: Any) -> tuple[int, int]:
    return len(retriever.vectorstore.store), len(kept(retriever))


def pair(**settings: Any) -> tuple[Any, Any]:
    return made(Classic, **settings), made(Ours, **settings)


def test_ids_are_given_for_documents_that_are_cut() -> None:
    theirs, ours = pair(parent_splitter=LARGE)
    with pytest.raises(ValueError, match="uneven list of documents and ids"):
        theirs.add_documents(DOCUMENTS, ids=[one.id for one in DOCUMENTS])
    assert ours.add_documents(DOCUMENTS, ids=["a", "b", "c", "d"]) == ["a", "b", "c", "d"]


def test_the_same_documents_again_add_nothing() -> None:
    theirs, ours = pair(parent_splitter=LARGE)
    for retriever in (theirs, ours):
        retriever.add_documents(DOCUMENTS)
    once = counts(ours)
    assert counts(theirs) == once
    for retriever in (theirs, ours):
        retriever.add_documents(DOCUMENTS)
    assert counts(theirs) == (2 * once[0], 2 * once[1])
    assert counts(ours) == once


def test_a_changed_document_leaves_no_stale_child() -> None:
    theirs, ours = pair()
    for retriever in (theirs, ours):
        retriever.add_documents(DOCUMENTS[:1], ids=["a"])
        retriever.add_documents([Document("The parrot spoke.")], ids=["a"])
    assert counts(theirs)[0] > 1
    assert counts(ours) == (1, 1)


def test_a_document_is_deleted() -> None:
    theirs, ours = pair()
    ours.add_documents(DOCUMENTS)
    assert not hasattr(theirs, "delete")
    ours.delete([one.id for one in DOCUMENTS])
    assert counts(ours) == (0, 0)


def test_k_counts_parents() -> None:
    theirs, ours = pair(search_kwargs={"k": 4})
    loud = Document("\n\n".join(f"The captain steers the ship {number} times." for number in range(9)), id="loud")
    for retriever in (theirs, ours):
        retriever.add_documents([loud, *DOCUMENTS])
    assert len(theirs.invoke(QUESTION)) < 4
    assert len(ours.invoke(QUESTION)) == 4


def test_scores_and_the_children_that_were_found_are_returned() -> None:
    settings = {"search_type": "similarity_score_threshold", "search_kwargs": {"k": 4, "score_threshold": 0.1}}
    theirs, ours = (made(cls, Relevance(Bag()), **settings) for cls in (Classic, Ours))
    for retriever in (theirs, ours):
        retriever.add_documents(DOCUMENTS)
    assert all(set(parent.metadata) == {"source"} for parent in theirs.invoke(QUESTION))
    for parent in ours.invoke(QUESTION):
        assert parent.metadata["relevance_score"] == max(match["score"] for match in parent.metadata["matches"]) > 0.1
        assert all(match["text"] in parent.page_content for match in parent.metadata["matches"])


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


def test_a_metadata_field_that_a_document_lacks_is_no_failure() -> None:
    theirs, ours = pair(child_metadata_fields=["source", "page"])
    with pytest.raises(KeyError, match="page"):
        theirs.add_documents(DOCUMENTS)
    ours.add_documents(DOCUMENTS)
    assert all(row["metadata"]["source"] for row in ours.vectorstore.store.values())


def test_a_document_store_that_fails_leaves_no_child_without_a_parent() -> None:
    class Failing(InMemoryStore):
        def mset(self, key_value_pairs: Any) -> None:
            raise OSError("the disk is full")

    theirs, ours = pair(docstore=Failing())
    for retriever in (theirs, ours):
        with pytest.raises(OSError, match="full"):
            retriever.add_documents(DOCUMENTS)
    assert counts(theirs)[0] > 50
    assert counts(ours) == (0, 0)


def test_an_empty_document_stores_no_parent_that_nobody_can_find() -> None:
    theirs, ours = pair()
    for retriever in (theirs, ours):
        retriever.add_documents([Document("", id="empty")])
    assert counts(theirs) == (0, 1)
    assert counts(ours) == (0, 0)


def test_a_semantic_splitter_cuts_the_children() -> None:
    with pytest.raises(ValidationError, match="instance of TextSplitter"):
        made(Classic, child_splitter=SemanticChunker(Bag()))
    for cls in (Classic, Ours):
        retriever = made(cls, child_splitter=DoublePassSemanticSplitter(chunk_size=80))
        retriever.add_documents(DOCUMENTS)
        assert retriever.invoke(QUESTION)


def test_the_indexing_api_takes_it_and_the_second_run_adds_nothing() -> None:
    theirs, ours = pair(parent_splitter=LARGE)
    records = InMemoryRecordManager("parents")
    options: dict[str, Any] = {"cleanup": "full", "key_encoder": "sha256"}
    assert not isinstance(theirs, DocumentIndex)
    with pytest.raises(TypeError, match="should be either a VectorStore or a DocumentIndex"):
        index(DOCUMENTS, records, theirs, **options)
    assert index(DOCUMENTS, records, ours, **options)["num_added"] == 4
    again = index(DOCUMENTS, records, ours, **options)
    assert (again["num_added"], again["num_deleted"], again["num_skipped"]) == (0, 0, 4)


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
    for retriever, right in ((theirs, False), (ours, True)):
        retriever.add_documents(DOCUMENTS[:1])
        rows = retriever.vectorstore.store.values()
        assert all(text.startswith(row["text"], row["metadata"]["start_index"]) for row in rows) == right
