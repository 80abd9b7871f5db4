"""What is deleted or emptied leaves nothing of it, and all of the others."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.retrievers import DOCUMENTS, SPLITTINGS, edited, every_splitting, kept, retriever, rows
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedDocuments, ClockedVectors
from langchain_core.documents import Document

from caesura.errors import SettingError
from langchain_caesura import ParentDocumentRetriever
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


OF_BEN: dict[str, Any] = {"filter": {"user": "ben"}}


@pytest.fixture
def shared() -> ParentDocumentRetriever:
    """A retriever without a filter, with a document of Anna and two of Ben."""
    made = retriever(**SPLITTINGS["whole"])
    users = {"a": "anna", "b": "ben", "c": "ben"}
    made.add_documents([Document(f"Of {name}.", id=name, metadata={"user": user}) for name, user in users.items()])
    return made


@pytest.mark.parametrize(
    ("search", "said"),
    [
        (OF_BEN, r"hides, such as 'a': give as scope= \{'user': 'ben'\}; if all"),
        ({"filter": {"user": {"$in": ["ben"]}}}, "may hide, such as '[ab]': give as scope= the metadata that only"),
        ({"filter": lambda row: row.metadata["user"] == "ben"}, "may hide, such as"),
        (OF_BEN | {"namespace": "ben"}, "may hide, such as"),
    ],
    ids=["equal", "in", "function", "namespace"],
)
async def test_without_a_scope_a_filtered_retriever_deletes_nothing_that_it_hides(
    search: dict[str, Any], said: str, shared: ParentDocumentRetriever
) -> None:
    made = shared.model_copy(update={"search_kwargs": search})
    with pytest.raises(SettingError, match=r"delete\(\) would delete \d documents .* filter .*" + said) as refused:
        made.delete(["b", "a", "none"])
    assert "anna" not in str(refused.value)
    with pytest.raises(SettingError, match=said):
        await made.adelete(["b", "a", "none"])
    assert made.list_ids() == ["a", "b", "c"]
    assert made.delete(["none"])["num_deleted"] == 0
    assert made.delete(["b", "a"], scope={"user": "ben"})["succeeded"] == ["b"]


def test_without_a_scope_a_filtered_retriever_deletes_what_it_shows(shared: ParentDocumentRetriever) -> None:
    assert shared.model_copy(update={"search_kwargs": OF_BEN}).delete(["c"])["succeeded"] == ["c"]
    assert shared.list_ids() == ["a", "b"]


@pytest.mark.parametrize(
    "condition",
    [
        {"user": "ben"},
        {"$and": [{"user": {"$eq": "ben"}}, {"types": {"$ne": "index"}}]},
        lambda row: row.metadata["user"] == "ben",
    ],
    ids=["equal", "and", "function"],
)
async def test_what_the_own_filter_hides_is_not_read_by_its_id(condition: Any, shared: ParentDocumentRetriever) -> None:
    made = shared.model_copy(update={"search_kwargs": {"filter": condition}})
    assert [document.id for document in made.get(["a", "b", "none"])] == ["b"]
    assert [document.id for document in await made.aget(["a", "b"])] == ["b"]


async def test_what_is_outside_of_a_scope_is_not_read_by_its_id(shared: ParentDocumentRetriever) -> None:
    for own in ({}, {"filter": "user = 'ben'"}, OF_BEN):
        made = shared.model_copy(update={"search_kwargs": own})
        assert [document.id for document in made.get(["a", "b"], scope={"user": "ben"})] == ["b"]
        assert [document.id for document in await made.aget(["a", "b"], scope={"user": "anna"})] == ["a"]
    with pytest.raises(SettingError, match=r"get\(\) has no setting scop=.*did you mean scope\?"):
        shared.get(["a"], scop={"user": "ben"})
    with pytest.raises(SettingError, match="scope must be metadata such as"):
        await shared.aget(["a"], scope={})


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
