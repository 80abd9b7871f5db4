"""What langchain-classic's ParentDocumentRetriever stores wrongly and ours does not, fault by fault."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.retrievers import kept
from fakes.langchain.splitters import Bag
from fakes.texts.articles import article
from langchain_classic.retrievers import ParentDocumentRetriever as Classic
from langchain_core.documents import Document
from langchain_core.indexing import DocumentIndex, InMemoryRecordManager, index
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import ParentDocumentRetriever as Ours

pytestmark = pytest.mark.peers
SMALL = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0)
LARGE = RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=0)
DOCUMENTS = [Document(article(20, seed), id=f"doc-{seed}", metadata={"source": f"{seed}.md"}) for seed in range(4)]


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
    once, of_theirs = counts(ours), counts(theirs)
    assert once == (of_theirs[0], len(DOCUMENTS))
    for retriever in (theirs, ours):
        retriever.add_documents(DOCUMENTS)
    assert counts(theirs) == (2 * of_theirs[0], 2 * of_theirs[1])
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
