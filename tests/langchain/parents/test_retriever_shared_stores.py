"""Several retrievers on one document store: each replaces and deletes what is its own."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.retrievers import DOCUMENTS, SPLITTINGS, edited, kept, retriever, rows, sound
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedVectors
from langchain_core.stores import InMemoryStore

from langchain_caesura import DoublePassSemanticSplitter, ParentDocumentRetriever

BOTH = SPLITTINGS["both"]
APART: dict[str, dict[str, Any]] = {
    "by their id_key": {**BOTH, "id_key": "parent"},
    "by the name of their collection": {**BOTH, "vectors": "second"},
}
"""How the second of two retrievers differs from the first."""


class Named(ClockedVectors):
    """A vector store whose rows are in a collection that has a name."""

    def __init__(self, name: str) -> None:
        super().__init__(Bag())
        self.collection_name = name


def pair(second: dict[str, Any]) -> tuple[ParentDocumentRetriever, ParentDocumentRetriever]:
    """Two retrievers on one document store."""
    settings = dict(second)
    shared = InMemoryStore()
    one = retriever(Named("first"), docstore=shared, **BOTH)
    return one, retriever(Named(settings.pop("vectors", "first")), docstore=shared, **settings)


@pytest.mark.parametrize("second", APART.values(), ids=APART)
async def test_what_one_retriever_writes_takes_nothing_from_another(second: dict[str, Any]) -> None:
    one, two = pair(second)
    one.add_documents(DOCUMENTS)
    before, parents = rows(one), set(kept(one))
    await two.aadd_documents(DOCUMENTS)
    two.add_documents([edited(DOCUMENTS[0])])
    assert rows(one) == before
    assert parents <= set(kept(one))
    assert sound(one)
    assert sound(two)
    one.add_documents(DOCUMENTS)
    assert rows(one) == before
    assert "parrot" in two.invoke("parrot spoke", k=1)[0].page_content


@pytest.mark.parametrize("second", APART.values(), ids=APART)
async def test_each_deletes_its_own_and_the_last_leaves_nothing(second: dict[str, Any]) -> None:
    one, two = pair(second)
    for each in (one, two):
        each.add_documents(DOCUMENTS)
    parents = one.get(["doc-0"])
    assert two.delete(["doc-0"])["num_deleted"] == 1
    assert two.delete(["doc-0"])["num_deleted"] == 0
    assert two.get(["doc-0"]) == []
    assert one.get(["doc-0"]) == parents
    assert sound(one)
    names = [str(document.id) for document in DOCUMENTS]
    two.delete(names)
    await one.adelete(names)
    assert not rows(one)
    assert not rows(two)
    assert not one.docstore.store


def test_one_that_cuts_in_another_way_now_replaces_what_it_wrote() -> None:
    one, two = pair(APART["by the name of their collection"])
    for each in (one, two):
        each.add_documents(DOCUMENTS)
    again = retriever(one.vectorstore, docstore=one.docstore, child_splitter=DoublePassSemanticSplitter(chunk_size=90))
    again.add_documents(DOCUMENTS)
    assert max(len(row["text"]) for row in rows(again).values()) <= 90
    assert sound(again)
    assert sound(two)


def test_two_id_keys_share_one_vector_store() -> None:
    one = retriever(**BOTH)
    two = retriever(one.vectorstore, docstore=one.docstore, **{**BOTH, "id_key": "parent"})
    one.add_documents(DOCUMENTS)
    before = rows(one)
    two.add_documents(DOCUMENTS)
    assert rows(two).items() >= before.items()
    two.delete([str(document.id) for document in DOCUMENTS])
    assert rows(one) == before
    assert sound(one)
