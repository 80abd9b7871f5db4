"""What a document without an id is known by, over many calls and many documents that say the same."""

from __future__ import annotations

from typing import Any

from langchain_classic.retrievers import ParentDocumentRetriever
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_caesura import DoublePassSemanticSplitter, StaticEmbeddings

TEXT = "The contract ends in May. The tenant leaves the key with the porter."


def test_equal_texts_with_other_metadata_stay_apart_over_calls() -> None:
    store, splitter = InMemoryVectorStore(StaticEmbeddings()), DoublePassSemanticSplitter()
    for user in ("alice", "bob"):
        store.add_documents(splitter.split_documents([Document(TEXT, metadata={"user": user})]))
    found = store.similarity_search("contract", k=9)
    assert {document.metadata["user"] for document in found} == {"alice", "bob"}


def test_the_same_document_again_keeps_its_ids_whatever_the_order_of_its_metadata() -> None:
    splitter = DoublePassSemanticSplitter()
    one = splitter.split_documents([Document(TEXT, metadata={"a": 1, "b": [2, {"c": None}]})])
    other = splitter.split_documents([Document(TEXT, metadata={"b": [2, {"c": None}], "a": 1})])
    assert [document.id for document in one] == [document.id for document in other]


def test_an_object_in_metadata_that_has_no_repr_of_its_own_gives_the_same_id_wherever_it_lies() -> None:
    def chunks(*things: object) -> list[str | None]:
        given = [Document(TEXT, metadata={"k": [thing]}) for thing in things]
        return [document.id for one in given for document in DoublePassSemanticSplitter().split_documents([one])]

    held = object(), object()
    assert repr(held[0]) != repr(held[1])
    assert len(set(chunks(*held))) == len(set(chunks(held[0])))
    assert len(set(chunks(lambda: 1, lambda: 2))) == len(set(chunks(held[0])))
    for different in (1, 2), ("crash at 0xa", "crash at 0xb"):
        assert len(set(chunks(*different))) == 2 * len(set(chunks(held[0])))


def test_metadata_of_any_kind_is_taken() -> None:
    metadata: dict[Any, Any] = {1: {2, 3}, "when": object, None: b"x"}
    assert DoublePassSemanticSplitter().split_documents([Document(TEXT, metadata={"k": metadata})])[0].id


def test_every_parent_is_found_where_pages_say_the_same() -> None:
    store, parents = InMemoryVectorStore(StaticEmbeddings()), InMemoryStore()
    retriever = ParentDocumentRetriever(
        vectorstore=store, docstore=parents, child_splitter=DoublePassSemanticSplitter(chunk_size=40)
    )
    retriever.add_documents([Document(TEXT, metadata={"source": "a.pdf", "page": page}) for page in (1, 2)])
    reached = {document.metadata["doc_id"] for document in store.similarity_search("contract", k=99)}
    assert reached == set(parents.yield_keys())


def test_a_chunk_of_a_chunk_keeps_its_place_in_the_document() -> None:
    text = " ".join(f"Sentence number {number} says {number * number}." for number in range(40))
    outer = DoublePassSemanticSplitter(chunk_size=300, add_start_index=True).split_documents([Document(text)])
    for again in (True, False):
        inner = DoublePassSemanticSplitter(chunk_size=60, add_start_index=again).split_documents(outer)
        for document in inner:
            start = document.metadata["start_index"]
            assert text[start : start + len(document.page_content)] == document.page_content
