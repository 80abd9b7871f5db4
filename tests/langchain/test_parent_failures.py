"""A store that fails at any call, before or after it has written: what is found can be returned, and all mends."""

from __future__ import annotations

from typing import Any

import pytest
from articles import article
from langchain_core.documents import Document
from langchain_fakes import Bag
from langchain_lesser_fakes import NoLookup, NoNames, Strict
from langchain_parent_fakes import kept, retriever, rows, sound, stored
from langchain_store_fakes import BrokenError, Clock, ClockedDocuments, ClockedVectors
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import ParentDocumentRetriever

OLD = [Document(article(12, seed), id=f"doc-{seed}", metadata={"version": 1}) for seed in range(3)]
NEW = [
    Document(article(12, 7), id="doc-0", metadata={"version": 2}),
    OLD[1],
    OLD[2].model_copy(update={"page_content": OLD[2].page_content + "\n\nThe parrot spoke."}),
    Document(article(12, 9), id="doc-3"),
]
STORES = {"exact": ClockedVectors, "strict": Strict, "without lookup": NoLookup, "without names": NoNames}
every_store = pytest.mark.parametrize("store", STORES.values(), ids=STORES)
before_and_after = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
SPLITTERS: dict[str, Any] = {
    "child_splitter": RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0),
    "parent_splitter": RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=0),
    "batch_size": 5,
}


def clocked(store: type[ClockedVectors]) -> tuple[ParentDocumentRetriever, Clock]:
    clock = Clock()
    return retriever(store(Bag(), clock), docstore=ClockedDocuments(clock), **SPLITTERS), clock


def state(made: ParentDocumentRetriever) -> tuple[Any, Any]:
    return rows(made), stored(made)


def expected(store: type[ClockedVectors], *steps: list[Document]) -> tuple[Any, Any]:
    made, _ = clocked(store)
    for documents in steps:
        made.add_documents(documents)
    return state(made)


def writes(store: type[ClockedVectors], then: Any) -> int:
    """How many calls that write `then` makes, after the old documents were stored."""
    made, clock = clocked(store)
    made.add_documents(OLD)
    before = len(clock.calls)
    then(made)
    return len(clock.calls) - before


@every_store
@before_and_after
def test_adding_may_fail_anywhere(store: type[ClockedVectors], after: bool) -> None:
    goal = expected(store, OLD, NEW)
    number = writes(store, lambda made: made.add_documents(NEW))
    assert number > 8
    for at in range(number):
        made, clock = clocked(store)
        made.add_documents(OLD)
        clock.at, clock.after = len(clock.calls) + at, after
        with pytest.raises(BrokenError):
            made.add_documents(NEW)
        assert sound(made)
        assert len(made.invoke("The ship and the captain", k=3)) == 3
        made.add_documents(NEW)
        assert state(made) == goal


@every_store
@before_and_after
def test_deleting_may_fail_anywhere(store: type[ClockedVectors], after: bool) -> None:
    goal = expected(store, OLD[2:])
    number = writes(store, lambda made: made.delete(["doc-0", "doc-1"]))
    assert number > 4
    for at in range(number):
        made, clock = clocked(store)
        made.add_documents(OLD)
        clock.at, clock.after = len(clock.calls) + at, after
        with pytest.raises(BrokenError):
            made.delete(["doc-0", "doc-1"])
        assert sound(made)
        assert made.invoke("The ship and the captain")
        made.delete(["doc-0", "doc-1"])
        assert state(made) == goal


@every_store
@before_and_after
def test_after_a_failure_another_change_or_a_deletion_leaves_nothing_either(
    store: type[ClockedVectors], after: bool
) -> None:
    number = writes(store, lambda made: made.add_documents(NEW))
    for at in range(number):
        made, clock = clocked(store)
        made.add_documents(OLD)
        clock.at, clock.after = len(clock.calls) + at, after
        with pytest.raises(BrokenError):
            made.add_documents(NEW)
        made.add_documents(OLD)
        made.delete(["doc-3"])
        assert state(made) == expected(store, OLD)
        made.delete(["doc-0", "doc-1", "doc-2"])
        assert state(made) == ({}, {})


@before_and_after
async def test_the_same_holds_for_async_callers(after: bool) -> None:
    goal = expected(ClockedVectors, OLD, NEW)
    number = writes(ClockedVectors, lambda made: made.add_documents(NEW))
    for at in range(number):
        made, clock = clocked(ClockedVectors)
        await made.aadd_documents(OLD)
        clock.at, clock.after = len(clock.calls) + at, after
        with pytest.raises(BrokenError):
            await made.aadd_documents(NEW)
        assert sound(made)
        assert len(await made.ainvoke("The ship and the captain", k=3)) == 3
        await made.aadd_documents(NEW)
        assert state(made) == goal


def test_an_embedder_that_fails_leaves_nothing_that_is_found() -> None:
    class Failing(Bag):
        def embed_documents(self, texts: list[str]) -> object:
            raise BrokenError

    made = retriever(ClockedVectors(Failing()), **SPLITTERS)
    with pytest.raises(BrokenError):
        made.add_documents(OLD)
    assert rows(made) == {}
    made.vectorstore.embedding = Bag()
    made.add_documents(OLD)
    assert state(made) == expected(ClockedVectors, OLD)


def test_many_documents_fail_by_the_batch_and_go_on_where_they_stopped() -> None:
    many = [Document(f"The ship number{number} sails.", id=str(number)) for number in range(450)]
    made, clock = clocked(ClockedVectors)
    clock.at = 60
    with pytest.raises(BrokenError):
        made.add_documents(many)
    done = len(rows(made))
    assert 200 <= done < 450
    assert sound(made)
    embedded = len(made.vectorstore.embedding.texts)
    made.add_documents(many)
    assert len(kept(made)) == len(rows(made)) == 450
    assert len(made.vectorstore.embedding.texts) - embedded <= 450 - done


def test_a_store_that_says_it_did_not_delete_keeps_its_parents() -> None:
    class Refusing(ClockedVectors):
        def delete(self, ids: Any = None, **kwargs: Any) -> Any:
            return False

    made = retriever(Refusing(Bag()), **SPLITTERS)
    made.add_documents(OLD)
    with pytest.raises(RuntimeError, match="did not delete"):
        made.delete(["doc-0"])
    assert sound(made)
    assert len(rows(made)) == len(expected(ClockedVectors, OLD)[0])


def test_a_store_that_takes_ids_of_its_own_is_refused() -> None:
    class Own(ClockedVectors):
        def add_documents(self, documents: list[Document], ids: Any = None, **kwargs: Any) -> list[str]:
            return super().add_documents(documents, [f"own-{one}" for one in ids])

    with pytest.raises(ValueError, match="Own gave rows ids of its own, such as 'own-"):
        retriever(Own(Bag()), **SPLITTERS).add_documents(OLD)
