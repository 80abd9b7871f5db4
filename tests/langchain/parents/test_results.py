"""What a question returns: as many parents as asked for, best first, as copies."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_parent_fakes import DOCUMENTS, SPLITTINGS, TEXTS, every_splitting, kept, retriever, rows

QUESTION = "Does the captain steer the ship by the compass?"


@every_splitting
@pytest.mark.parametrize("k", [1, 2, 5])
def test_k_counts_parents_and_none_comes_twice(settings: dict[str, Any], k: int) -> None:
    made = retriever(**settings, k=k)
    made.add_documents(DOCUMENTS)
    found = made.invoke(QUESTION)
    assert len(found) == k == len({document.page_content for document in found})
    assert len(made.invoke(QUESTION, k=3)) == 3


@every_splitting
async def test_async_finds_the_same(settings: dict[str, Any]) -> None:
    one, other = retriever(**settings), retriever(**settings)
    one.add_documents(DOCUMENTS)
    await other.aadd_documents(DOCUMENTS)
    assert rows(one) == rows(other)
    assert await other.ainvoke(QUESTION) == one.invoke(QUESTION)


def test_what_is_returned_is_a_copy_all_through() -> None:
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents(DOCUMENTS)
    for parent in made.invoke(QUESTION):
        parent.metadata["nested"]["list"].append("changed")
        parent.metadata["matches"].clear()
    again = made.invoke(QUESTION)
    assert [len(parent.metadata["nested"]["list"]) for parent in again] == [1] * 4
    assert all("matches" not in parent.metadata for parent in kept(made).values())


def test_a_whole_document_comes_back_with_its_id_and_what_was_added_is_not_changed() -> None:
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents(DOCUMENTS)
    for parent in made.invoke(QUESTION):
        assert parent.page_content == TEXTS[parent.id]
    assert all(set(document.metadata) == {"source", "version", "nested"} for document in DOCUMENTS)
