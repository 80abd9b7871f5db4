"""Filters of the retriever of words: what passes is found, however many do not."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from pydantic import ValidationError

from caesura.errors import SettingError
from langchain_caesura import BM25Retriever

DOCUMENTS = [
    Document(f"ferry {number}", id=f"{number}", metadata={"user": "anna" if number % 500 == 499 else "ben"})
    for number in range(1500)
]


def of_anna(document: Document) -> bool:
    return document.metadata["user"] == "anna"


@pytest.fixture(scope="module")
def retriever() -> BM25Retriever:
    return BM25Retriever.from_documents(DOCUMENTS)


@pytest.mark.parametrize("passing", [{"user": "anna"}, of_anna])
async def test_what_passes_is_found_though_most_of_what_has_the_words_does_not(
    passing: Any, retriever: BM25Retriever
) -> None:
    wanted = {"499", "999", "1499"}
    assert {document.id for document in retriever.invoke("ferry", filter=passing)} == wanted
    own = retriever.model_copy(update={"filter": passing})
    assert {document.id for document in await own.ainvoke("ferry")} == wanted
    assert len(own.invoke("ferry", k=2)) == 2
    assert len(own.invoke("ferry", filter=None)) == 4
    assert wanted.isdisjoint(document.id for document in own.invoke("ferry", filter={"user": "ben"}))


def test_all_that_a_filter_names_must_be_equal_and_be_there() -> None:
    one = BM25Retriever.from_texts(["ferry"], [{"user": "anna", "pages": [1, 2], "note": None}])
    for passing in ({}, {"user": "anna"}, {"pages": [1, 2], "user": "anna"}, {"note": None}):
        assert len(one.invoke("ferry", filter=passing)) == 1
    for hidden in ({"user": "ben"}, {"pages": [1]}, {"user": "anna", "year": 2018}, {"none": None}):
        assert one.invoke("ferry", filter=hidden) == []


@pytest.mark.parametrize("wrong", ["anna", {"$or": [{"user": "anna"}]}, {"page": {"$gte": 3}}, ["user"]])
def test_a_filter_with_operators_or_of_another_kind_is_refused(wrong: Any, retriever: BM25Retriever) -> None:
    with pytest.raises(SettingError, match=r"filter .*function"):
        retriever.invoke("ferry", filter=wrong)
    with pytest.raises(ValidationError, match="filter"):
        BM25Retriever(filter=wrong)


@pytest.mark.parametrize("key", ["user", "tenant_id"])
async def test_words_that_a_filter_hides_find_nothing_beside_them(key: str) -> None:
    """Though they come in one call and of one source; also when a document has become another user's."""

    def of(user: str, name: str, text: str) -> Document:
        return Document(text, id=name, metadata={"source": "notes.md", key: user})

    tides, salary = of("anna", "tides", "Anna writes of tides."), of("ben", "salary", "Ben earns a salary.")
    one = BM25Retriever.from_documents([tides, salary])
    assert one.invoke("salary", filter={key: "anna"}) == []
    assert [each.id for each in await one.ainvoke("salary", filter={key: "ben"})] == ["salary"]
    one.delete(["salary"])
    one.add_documents([tides, of("anna", "salary", "Ben earns a salary.")])
    assert [each.id for each in one.invoke("salary", filter={key: "anna"})] == ["salary", "tides"]
    one.delete(["salary"])
    one.add_documents([salary])
    one.add_documents([tides])
    assert one.invoke("salary", filter={key: "anna"}) == []


async def test_a_scope_lists_and_deletes_no_other_users_document() -> None:
    texts, users = ["ferry a", "ferry b", "ferry c"], ["anna", "ben", "anna"]
    one = BM25Retriever.from_texts(texts, [{"user": user} for user in users], ids=["a", "b", "c"])
    assert one.list_ids() == await one.alist_ids() == ["a", "b", "c"]
    assert one.list_ids({"user": "anna"}) == await one.alist_ids({"user": "anna"}) == ["a", "c"]
    assert one.delete(["b", "a", "d"], scope={"user": "anna"})["succeeded"] == ["a"]
    assert (await one.adelete(["b"], scope={"user": "anna"}))["num_deleted"] == 0
    assert [document.id for document in one.invoke("ferry")] == one.list_ids() == ["b", "c"]
    for wrong, said in (({"scope": {}}, "scope must be metadata"), ({"scop": {"user": "anna"}}, "did you mean scope")):
        with pytest.raises(SettingError, match=said):
            one.delete(["b"], **wrong)


@pytest.mark.parametrize("own", [{"user": "anna"}, of_anna])
async def test_without_a_scope_nothing_that_the_own_filter_hides_is_deleted_or_read(own: Any) -> None:
    whole = BM25Retriever.from_texts(["ferry a", "ferry b"], [{"user": "anna"}, {"user": "ben"}], ids=["a", "b"])
    one = whole.model_copy(update={"filter": own})
    with pytest.raises(SettingError, match=r"delete\(\) would delete 1 documents .* hides?, such as 'b': give as"):
        one.delete(["a", "b"])
    with pytest.raises(SettingError, match="such as 'b'"):
        await one.adelete(["b"])
    assert [each.id for each in one.get(["a", "b"])] == [each.id for each in await one.aget(["a", "b"])] == ["a"]
    assert [each.id for each in one.get(["a", "b"], scope={"user": "ben"})] == ["b"]
    assert one.delete(["a"])["succeeded"] == ["a"]
    assert one.delete(["b"], scope={"user": "anna"})["num_deleted"] == 0
    assert one.delete(["b"], scope={"user": "ben"})["succeeded"] == ["b"]
    for wrong, said in (({"scope": "anna"}, "scope must be metadata"), ({"scop": {}}, "did you mean scope")):
        with pytest.raises(SettingError, match=said):
            one.get(["b"], **wrong)
