"""A vector store that has less than the document store knows of: what is added again is made whole."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.retrievers import DOCUMENTS, edited, every_splitting, retriever, rows, stored
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedDocuments, ClockedVectors
from langchain_core.documents import Document

LONGER = [edited(DOCUMENTS[0], place=1.0), *DOCUMENTS[1:]]
LAST = [edited(LONGER[0], "The parrot spoke twice.", 0.6), *DOCUMENTS[1:4], edited(DOCUMENTS[4], "It spoke.", 1.0)]


class Saved(ClockedVectors):
    """A store of which a copy is saved after every write."""

    def __init__(self) -> None:
        super().__init__(Bag())
        self.copies: list[dict[str, Any]] = [{}]

    def add_documents(self, documents: list[Document], ids: list[str] | None = None, **kwargs: Any) -> list[str]:
        added = super().add_documents(documents, ids)
        self.copies.append(dict(self.store))
        return added


@pytest.mark.thorough
@every_splitting
@pytest.mark.parametrize("documents", [DOCUMENTS, [edited(DOCUMENTS[0]), *DOCUMENTS[1:]]], ids=["same", "edited"])
async def test_a_vector_store_that_is_new_or_was_emptied_is_filled_again(
    settings: dict[str, Any], documents: list[Document]
) -> None:
    fresh = retriever(**settings)
    fresh.add_documents(documents)
    for is_awaited in (False, True):
        parents = ClockedDocuments()
        retriever(docstore=parents, **settings).add_documents(DOCUMENTS)
        again = retriever(docstore=parents, **settings)
        if is_awaited:
            await again.aadd_documents(documents)
        else:
            again.add_documents(documents)
        assert rows(again) == rows(fresh)
        assert stored(again) == stored(fresh)


@pytest.mark.thorough
@every_splitting
@pytest.mark.parametrize("batch_size", [4, 1000])
def test_a_vector_store_that_is_older_than_the_document_store_is_brought_up_to_date(
    settings: dict[str, Any], batch_size: int
) -> None:
    """As one that is saved to disk at the end of a run, when the run was killed before."""
    made, fresh = retriever(Saved(), **settings, batch_size=batch_size), retriever(**settings)
    for documents in (DOCUMENTS, LONGER, LAST):
        made.add_documents(documents)
    fresh.add_documents(LAST)
    assert len(made.vectorstore.copies) > 3
    for copy in made.vectorstore.copies:
        again = retriever(**settings)
        again.vectorstore.store.update(copy)
        again.docstore.store.update(made.docstore.store)
        again.add_documents(LAST)
        assert rows(again).items() >= rows(fresh).items()
        assert stored(again) == stored(fresh)


@every_splitting
def test_rows_that_are_there_are_not_embedded_again(settings: dict[str, Any]) -> None:
    made = retriever(**settings)
    made.add_documents(DOCUMENTS)
    before, vectors = rows(made), ClockedVectors(Bag())
    half = dict(list(before.items())[: len(before) // 2])
    vectors.store.update(half)
    again = retriever(vectors, docstore=made.docstore, **settings)
    again.add_documents(DOCUMENTS)
    assert rows(again) == before
    assert len(vectors.embedding.texts) == len(before) - len(half)


@every_splitting
def test_one_row_is_asked_for_of_a_document_that_has_not_changed(settings: dict[str, Any]) -> None:
    made = retriever(**settings)
    made.add_documents(DOCUMENTS)
    made.add_documents(DOCUMENTS)
    assert made.vectorstore.read["ids"] == len(DOCUMENTS)
