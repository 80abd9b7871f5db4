"""A batch of questions: answered in order, so many at once, and a fault is its own question's alone."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Barrier, Lock
from typing import Any

import pytest
from fakes.langchain.retrievers import retriever
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import BrokenError
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_caesura import ParentDocumentRetriever, SemanticHierarchySplitter

DOCUMENTS = [Document(article(30, seed), id=f"doc-{seed}") for seed in range(4)]
QUESTIONS = ["Does the captain steer?", "bread in the oven", "the cat and a mouse", "tax refund"]


class Meeting(InMemoryVectorStore):
    """A store that counts the searches that go on at once, each of which waits until `together` do."""

    def __init__(self, together: int) -> None:
        super().__init__(Bag())
        self.barrier, self.lock, self.now, self.most = Barrier(together, timeout=600), Lock(), 0, 0

    def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> list[tuple[Document, float]]:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            self.barrier.wait()
            if query == "broken":
                raise BrokenError(query)
            return super().similarity_search_with_score(query, k, **kwargs)
        finally:
            with self.lock:
                self.now -= 1


def searched(together: int, **settings: Any) -> tuple[ParentDocumentRetriever, Meeting]:
    store = Meeting(together)
    made = retriever(store, child_splitter=SemanticHierarchySplitter(chunk_sizes=(400, 120)), k=2, **settings)
    made.add_documents(DOCUMENTS)
    return made, store


def one_by_one(questions: Sequence[str], **settings: Any) -> list[list[Document]]:
    made, _ = searched(1, **settings)
    return [made.invoke(question) for question in questions]


@pytest.mark.thorough
@pytest.mark.parametrize("settings", [{}, {"merge_ratio": 0.5}], ids=["parents", "merged"])
@pytest.mark.parametrize("together", [1, 2, 4])
def test_a_batch_of_questions_is_answered_in_order_and_no_more_at_once_than_wanted(
    together: int, settings: dict[str, Any]
) -> None:
    made, store = searched(together, **settings)
    assert made.batch(QUESTIONS, config={"max_concurrency": together}) == one_by_one(QUESTIONS, **settings)
    assert store.most == together


async def test_an_awaited_batch_is_answered_as_a_batch_is() -> None:
    made, _ = searched(1)
    assert await made.abatch(QUESTIONS, config={"max_concurrency": 2}) == made.batch(QUESTIONS) == one_by_one(QUESTIONS)


def test_a_batch_gives_answers_as_they_come_each_with_its_number() -> None:
    made, _ = searched(1)
    assert [found for _, found in sorted(made.batch_as_completed(QUESTIONS), key=lambda pair: pair[0])] == one_by_one(
        QUESTIONS
    )


def test_a_question_that_fails_spoils_none_of_the_others() -> None:
    made, _ = searched(1)
    first, broken, last = made.batch([QUESTIONS[0], "broken", QUESTIONS[1]], return_exceptions=True)
    assert [first, last] == one_by_one(QUESTIONS[:2])
    assert isinstance(broken, BrokenError)
    with pytest.raises(BrokenError):
        made.batch([QUESTIONS[0], "broken"])


def test_a_batch_takes_what_a_call_takes() -> None:
    made, _ = searched(1)
    assert [len(found) for found in made.batch(QUESTIONS[:2], k=1)] == [1, 1]
