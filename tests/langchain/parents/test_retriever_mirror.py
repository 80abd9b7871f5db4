"""`mirror` stores what is given and forgets what is not, of this retriever alone."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.failures import FULL
from fakes.langchain.passages import LINES
from fakes.langchain.retrievers import DOCUMENTS, edited, kept, retriever, rows, stored
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore

from caesura.errors import SettingError
from langchain_caesura import ParentDocumentRetriever
from langchain_caesura.parents.words import word_index

every_mode = pytest.mark.parametrize("mode", [{}, FULL], ids=["plain", "full"])


@every_mode
async def test_what_is_not_given_is_forgotten_and_async_is_the_same(mode: dict[str, Any]) -> None:
    made, waiting, fresh = (retriever(child_splitter=LINES, **mode) for _ in range(3))
    for one in (made, waiting):
        one.add_documents(DOCUMENTS)
    wanted = [edited(DOCUMENTS[0]), *DOCUMENTS[2:4]]
    names = ["doc-0", "doc-2", "doc-3"]
    assert made.mirror(wanted) == await waiting.amirror(wanted) == (0, 1, 2, 2)
    fresh.add_documents(wanted)
    assert rows(made) == rows(waiting) == rows(fresh)
    assert stored(made) == stored(waiting) == stored(fresh)
    written = len(made.vectorstore.clock.calls)
    assert made.mirror(wanted) == (0, 0, 3, 0)
    assert len(made.vectorstore.clock.calls) == written
    with pytest.raises(SettingError, match=r"given no documents, .* all 3 that .* such as \['doc-0', "):
        made.mirror([])
    with pytest.raises(SettingError, match="given no documents"):
        await made.amirror([])
    assert rows(made) == rows(fresh)
    made.delete(names)
    assert made.mirror([]) == await made.amirror([]) == (0, 0, 0, 0)
    assert made.docstore.store == rows(made) == {}
    if mode:
        assert word_index(made.docstore, made.owner.name).names() == []


def test_another_retrievers_documents_stay() -> None:
    one = retriever(child_splitter=LINES)
    other = retriever(one.vectorstore, docstore=one.docstore, child_splitter=LINES, id_key="other")
    for each in (one, other):
        each.add_documents(DOCUMENTS)
    one.mirror(DOCUMENTS[:1])
    assert len(one.get([str(each.id) for each in DOCUMENTS])) == 1
    assert len(other.get([str(each.id) for each in DOCUMENTS])) == 5
    assert len(kept(one)) == 1 + 5


def test_pages_of_a_source_come_in_several_calls_and_stay() -> None:
    made = retriever(child_splitter=LINES, source_id_key="source", **FULL)
    pages = [Document(f"Page {page} of the harbour book.", metadata={"source": "a", "page": page}) for page in range(6)]
    for page in pages:
        assert made.add_documents([page]) == ["a"]
    assert len(made.get(["a"])) == len(rows(made)) == len(made.invoke("harbour book")) == 6
    alike = [Document(f"Leaf {leaf}.", metadata={"source": "b"}) for leaf in range(3)]
    made.add_documents(alike)
    assert len(made.get(["b"])) == 3
    with pytest.warns(UserWarning, match="3 earlier documents of the source 'b'"):
        made.add_documents([Document("Another leaf.", metadata={"source": "b"})])
    assert len(made.get(["b"])) == 4
    assert made.mirror([pages[1], pages[4]]) == (0, 1, 0, 1)  # documents are counted by their ids
    assert {one.metadata["page"] for one in made.get(["a", "b"])} == {1, 4}
    assert made.delete(["a"])["num_deleted"] == 1
    assert made.docstore.store == rows(made) == {}


def test_an_empty_vector_store_beside_a_full_document_store_is_told(caplog: pytest.LogCaptureFixture) -> None:
    documents, word = InMemoryStore(), DOCUMENTS[0].page_content.split()[0]
    retriever(docstore=documents, child_splitter=LINES, **FULL).add_documents(DOCUMENTS)
    made = retriever(docstore=documents, child_splitter=LINES, **FULL)
    made.invoke(word)
    assert "the vector store found nothing, but the document store has" in caplog.text
    caplog.clear()
    made.add_documents(DOCUMENTS)
    assert made.invoke(word)
    assert not caplog.text


def owned(user: str, *files: str, version: int = 0) -> list[Document]:
    return [
        Document(
            f"{user} has {file} in version {version}.", metadata={"source": f"{user}/{file}", "user": user, "n": page}
        )
        for file in files
        for page in range(2)
    ]


def users(made: ParentDocumentRetriever) -> dict[str, set[str]]:
    """The documents that are stored, by user."""
    found: dict[str, set[str]] = {"anna": set(), "bert": set()}
    for text in kept(made).values():
        found[text.metadata["user"]].add(text.page_content)
    return found


@every_mode
async def test_a_scope_makes_the_documents_of_one_user_whole_and_touches_no_other(mode: dict[str, Any]) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source", **mode)
    anna, bert = {"user": "anna"}, {"user": "bert"}
    assert made.mirror(owned("anna", "a", "b"), scope=anna) == (2, 0, 0, 0)
    assert await made.amirror(owned("bert", "a"), scope=bert) == (1, 0, 0, 0)
    before = {key: value for key, value in made.docstore.store.items() if "bert" in value.page_content}
    assert made.mirror(owned("anna", "b", version=1), scope=anna) == (0, 1, 0, 1)
    assert users(made) == {"anna": {"anna has b in version 1."}, "bert": {"bert has a in version 0."}}
    assert await made.amirror(owned("anna", "c"), scope=anna) == (1, 0, 0, 1)
    with pytest.raises(SettingError, match="given no documents"):
        made.mirror([], scope=anna)
    assert {key: made.docstore.store.get(key) for key in before} == before
    assert made.mirror(owned("bert", "a")) == (0, 0, 1, 1)


@pytest.mark.parametrize("scope", [{"user": "bert"}, {"user": None}, {"user": "anna", "team": 1}, {}, "anna"])
async def test_what_is_not_in_the_scope_is_refused_before_anything_is_written(scope: Any) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    with pytest.raises(SettingError, match="scope"):
        made.mirror([*owned("anna", "a")], scope=scope)
    with pytest.raises(SettingError, match="scope"):
        await made.amirror([*owned("anna", "a")], scope=scope)
    assert made.docstore.store == rows(made) == {}


def test_what_is_not_in_the_scope_is_named_by_its_source() -> None:
    trip = Document("The ticket.", metadata={"source": "trip", "user": "bert"})
    with pytest.raises(SettingError, match=r"the document of source 'trip' has \{'user': 'bert'\}"):
        retriever().mirror([trip], scope={"user": "anna"})


def test_a_source_that_several_users_have_is_refused_and_of_one_that_goes_each_keeps_its_own() -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    book = [
        Document(f"Page {page} of {user}.", metadata={"source": "book", "page": page, "user": user})
        for page, user in enumerate(["anna", "bert"])
    ]
    made.add_documents(book)
    with pytest.raises(SettingError, match=r"'book' is stored for documents outside of the scope \{'user': 'anna'\}"):
        made.mirror(book[:1], scope={"user": "anna"})
    assert users(made) == {"anna": {"Page 0 of anna."}, "bert": {"Page 1 of bert."}}
    assert made.mirror(owned("anna", "a"), scope={"user": "anna"}) == (1, 0, 0, 1)
    assert users(made) == {"anna": {"anna has a in version 0."}, "bert": {"Page 1 of bert."}}
    assert [one.page_content for one in made.invoke("Page of bert", k=1)] == ["Page 1 of bert."]


OF_BERT: list[dict[str, Any]] = [
    {"filter": {"user": "bert"}},
    {"filter": {"$and": [{"user": {"$eq": "bert"}}]}},
    {"filter": {"user": {"$in": ["bert"]}}},
    {"filter": lambda row: row.metadata["user"] == "bert"},
    {"filter": {"user": "bert"}, "namespace": "bert"},
]


@pytest.mark.filterwarnings("ignore:4 of 6 documents added do not pass")
@pytest.mark.parametrize("search", OF_BERT, ids=["equal", "and", "in", "function", "namespace"])
async def test_without_a_scope_a_filtered_retriever_deletes_nothing_that_it_hides(search: dict[str, Any]) -> None:
    whole = retriever(child_splitter=LINES)
    whole.add_documents([*owned("anna", "a", "b"), *owned("bert", "a")], [*"abcdef"])
    before = {**whole.docstore.store}, rows(whole)
    made = whole.model_copy(update={"search_kwargs": search})
    said = r"mirror\(\) would delete 4 documents that the retriever's own filter .* (hides|may hide), such as 'a': .*"
    remedy = (
        r"scope= (\{'user': 'bert'\}|the metadata that only documents which may go have); if all may go, .* without"
    )
    with pytest.raises(SettingError, match=said + remedy) as refused:
        made.mirror(owned("bert", "a"), ["e", "f"])
    assert "anna" not in str(refused.value)
    with pytest.raises(SettingError, match=said):
        await made.amirror(owned("bert", "a", version=1), ["e", "f"])
    assert (whole.docstore.store, rows(whole)) == before
    assert made.mirror(owned("bert", "a", version=1), ["e", "f"], scope={"user": "bert"}) == (0, 2, 0, 0)
    everything = [*owned("anna", "a", "b"), *owned("bert", "a", version=1)]
    assert made.mirror(everything, [*"abcdef"]) == (0, 0, 6, 0)
    assert whole.mirror(owned("bert", "a", version=1), ["e", "f"]) == (0, 0, 2, 4)


def test_what_a_filter_shows_is_deleted_without_a_scope() -> None:
    made = retriever(child_splitter=LINES, search_kwargs={"filter": {"user": "anna"}})
    made.add_documents(owned("anna", "a"), ["a", "b"])
    assert made.mirror(owned("anna", "a")[:1], ["a"]) == (0, 0, 1, 1)
    assert len(kept(made)) == 1


@pytest.mark.parametrize(("source_key", "ids"), [("source", None), (None, ["a"])])
def test_without_a_scope_a_filtered_retriever_takes_no_hidden_document_of_the_same_name(
    source_key: str | None, ids: list[str] | None
) -> None:
    whole = retriever(child_splitter=LINES, source_id_key=source_key)
    whole.add_documents([Document("Of Anna.", metadata={"source": "a", "user": "anna"})], ids)
    made = whole.model_copy(update={"search_kwargs": {"filter": {"user": "bert"}}})
    with pytest.raises(SettingError, match=r"would delete 1 documents .*\{'user': 'bert'\} hides, such as 'a'"):
        made.mirror([Document("Of Bert.", metadata={"source": "a", "user": "bert"})], ids)
    assert [text.page_content for text in kept(whole).values()] == ["Of Anna."]
