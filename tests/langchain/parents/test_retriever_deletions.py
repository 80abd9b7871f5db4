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


async def test_a_scope_lists_and_deletes_no_other_users_document() -> None:
    made = retriever(**SPLITTINGS["whole"])
    users = {"a": "anna", "b": "ben", "c": "anna"}
    made.add_documents([Document(f"Of {name}.", id=name, metadata={"user": user}) for name, user in users.items()])
    made.add_documents([Document("Of nobody.", id="d")])
    assert made.list_ids() == await made.alist_ids() == ["a", "b", "c", "d"]
    assert made.list_ids({"user": "anna"}) == await made.alist_ids({"user": "anna"}) == ["a", "c"]
    assert made.delete(["a", "b", "d", "e"], scope={"user": "anna"})["succeeded"] == ["a"]
    assert (await made.adelete(["b", "d"], scope={"user": "anna"}))["num_deleted"] == 0
    assert made.list_ids() == ["b", "c", "d"]
    assert [document.id for document in made.get(["a", "b", "c", "d"])] == ["b", "c", "d"]
    assert (await made.adelete(["b"], scope={"user": "ben"}))["succeeded"] == ["b"]
    assert made.list_ids({"user": "ben"}) == []


def test_of_a_source_that_users_share_a_scope_deletes_its_own_copy() -> None:
    made = retriever(source_id_key="source", **SPLITTINGS["whole"])
    for user in ("anna", "ben"):
        made.add_documents([Document("The same tide.", metadata={"source": "a.md", "user": user})])
    assert made.delete(["a.md"], scope={"user": "anna"})["succeeded"] == ["a.md"]
    assert [document.metadata["user"] for document in made.get(["a.md"])] == ["ben"]
    assert made.list_ids({"user": "anna"}) == []


@pytest.mark.parametrize("scope", [{}, "anna"])
async def test_a_scope_that_says_nothing_or_is_misspelt_deletes_nothing(scope: Any) -> None:
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents(DOCUMENTS[:1])
    for wrong in (lambda: made.delete(["doc-0"], scope=scope), lambda: made.list_ids(scope)):
        with pytest.raises(ValueError, match="scope must be metadata such as"):
            wrong()
    with pytest.raises(ValueError, match=r"delete\(\) has no setting scop=.*did you mean scope\?"):
        made.delete(["doc-0"], scop=scope)
    with pytest.raises(ValueError, match="did you mean scope"):
        await made.adelete(["doc-0"], scop=scope)
    assert made.list_ids() == ["doc-0"]


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
