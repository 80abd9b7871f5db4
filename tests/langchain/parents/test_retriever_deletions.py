"""What is deleted or emptied leaves nothing of it, and all of the others."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.retrievers import DOCUMENTS, SPLITTINGS, edited, every_splitting, kept, retriever, rows
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedDocuments, ClockedVectors
from langchain_core.documents import Document

from langchain_caesura.parents.record import record_key


@every_splitting
async def test_deleting_leaves_nothing_of_it_and_all_of_the_others(settings: dict[str, Any]) -> None:
    made, others = retriever(**settings), retriever(**settings)
    made.add_documents(DOCUMENTS)
    others.add_documents(DOCUMENTS[2:])
    assert made.delete(["doc-0", "none", "doc-0"])["succeeded"] == ["doc-0"]
    assert (await made.adelete(["doc-1"]))["num_deleted"] == 1
    assert rows(made) == rows(others)
    assert made.docstore.store == others.docstore.store
    assert made.delete(["doc-0"]) == {"num_deleted": 0, "succeeded": [], "num_failed": 0, "failed": []}


def test_deleting_and_changing_one_document_touches_its_own_rows_alone() -> None:
    documents = ClockedDocuments()
    made = retriever(docstore=documents, **SPLITTINGS["whole"])
    made.add_documents(DOCUMENTS)
    own = [key for key, parent in kept(made).items() if parent.id == "doc-3"]
    documents.asked.clear()
    made.delete(["doc-3"])
    made.add_documents([edited(DOCUMENTS[3])])
    assert record_key(made.owner.prefix, "doc-3") in documents.asked
    assert set(documents.asked) <= {record_key(made.owner.prefix, "doc-3"), *own}


@pytest.mark.parametrize("ids", [None, "doc-0"])
def test_deleting_takes_a_list_of_ids(ids: Any) -> None:
    with pytest.raises(ValueError, match="ids must be a list"):
        retriever(**SPLITTINGS["whole"]).delete(ids)


@pytest.mark.parametrize("text", ["", " \n "])
def test_a_blank_document_stores_no_parent_and_replaces_what_was_there(text: str) -> None:
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents([Document(text, id="doc-0")])
    assert kept(made) == {}
    assert rows(made) == {}
    made.add_documents(DOCUMENTS[:1])
    made.add_documents([Document(text, id="doc-0")])
    assert kept(made) == {}
    assert rows(made) == {}


def test_adding_and_deleting_nothing_is_nothing() -> None:
    vectors, documents = ClockedVectors(Bag()), ClockedDocuments()
    made = retriever(vectors, docstore=documents, **SPLITTINGS["whole"])
    assert made.add_documents([]) == []
    assert made.delete([])["succeeded"] == []
    assert (vectors.clock.calls, documents.clock.calls) == ([], [])
