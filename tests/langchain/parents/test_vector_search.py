"""What is asked of a vector store, and rows whose vectors are not finite, which it may have already."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.passages import document, lines, made
from fakes.langchain.splitters import Bag, scattered
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from caesura import SettingError
from langchain_caesura import StaticEmbeddings

DOCUMENTS = [document(f"{number}", lines(6, f"f{number} ")) for number in range(4)]
QUESTION = "f2 3 sailor"


class Ranked(InMemoryVectorStore):
    """A store that ranks some rows first, with scores that are not finite, as Qdrant does with rows of infinities."""

    bad: frozenset[str] = frozenset()
    score = float("nan")

    def similarity_search_with_score(self, query: str, k: int = 4, **_: Any) -> list[tuple[Document, float]]:
        found = super().similarity_search_with_score(query, k)
        return sorted(((row, self.score if row.id in self.bad else near) for row, near in found), key=self._is_good)

    def _is_good(self, pair: tuple[Document, float]) -> bool:
        return pair[0].id not in self.bad


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("budget", [None, 45, 300])
def test_a_row_without_a_finite_score_is_near_to_nothing(score: float, budget: int | None) -> None:
    store = Ranked(Bag(scattered))
    one = made(store, docstore=InMemoryStore(), budget=budget, words=0, k=2, search_kwargs={"k": 100})
    one.add_documents(DOCUMENTS[:3])
    wanted, there = one.invoke(QUESTION), set(store.store)
    one.add_documents(DOCUMENTS[3:])
    store.bad, store.score = frozenset(store.store.keys() - there), score
    found = one.invoke(QUESTION)
    assert [(each.page_content, each.score) for each in found] == [(each.page_content, each.score) for each in wanted]


def test_distances_below_zero_count_by_how_far_they_are() -> None:
    """Such as a store has that calls the inner product with its sign turned a distance."""

    class Negative(InMemoryVectorStore):
        def similarity_search_with_score(self, query: str, k: int = 4, **_: Any) -> list[tuple[Document, float]]:
            return [(row, -near) for row, near in super().similarity_search_with_score(query, k)]

    found: list[list[tuple[str, Any]]] = []
    for store in (InMemoryVectorStore(Bag(scattered)), Negative(Bag(scattered))):
        one = made(store, docstore=InMemoryStore(), budget=300, words=0)
        one.add_documents(DOCUMENTS)
        found.append([(each.page_content, pytest.approx(each.score)) for each in one.invoke(QUESTION)])
    assert found[0] == found[1]


def test_where_no_score_is_finite_words_alone_rank() -> None:
    store = Ranked(Bag(scattered))
    one = made(store, docstore=InMemoryStore(), budget=45)
    one.add_documents(DOCUMENTS)
    store.bad = frozenset(store.store)
    assert one.invoke(QUESTION)[0].page_content.startswith("f2 3 ")
    assert one.invoke(QUESTION, budget=None) == []


@pytest.mark.parametrize("options", [{}, {"filter": lambda row: True}])
def test_diverse_results_are_chosen_among_few_for_the_time_grows_with_their_square(options: dict[str, Any]) -> None:
    class Asked(InMemoryVectorStore):
        def max_marginal_relevance_search(self, query: str, k: int = 4, fetch_k: int = 20, **_: Any) -> list[Document]:
            asked.append((k, fetch_k))
            return super().max_marginal_relevance_search(query, k, fetch_k)

    asked: list[tuple[int, int]] = []
    one = made(Asked(Bag(scattered)), docstore=InMemoryStore(), search_type="mmr")
    one.add_documents(DOCUMENTS)
    one.invoke(QUESTION, **options)
    one.invoke(QUESTION, k=3, **options)
    one.invoke(QUESTION, budget=None, k=3, **options)
    assert asked == [(50, 200), (50, 200), (12, 48)]


@pytest.mark.parametrize("search_type", ["similarity", "mmr"])
async def test_a_question_is_embedded_once_however_often_it_is_searched_for(search_type: str) -> None:
    class Counted(Bag):
        def embed_query(self, text: str) -> list[float]:
            questions.append(text)
            return super().embed_query(text)

    questions: list[str] = []
    store = InMemoryVectorStore(Counted(scattered))
    one = made(store, docstore=InMemoryStore(), search_type=search_type, budget=None, k=len(DOCUMENTS))
    one.add_documents(DOCUMENTS)
    assert one.invoke(QUESTION, k=3) == await one.ainvoke(QUESTION, k=3)
    assert questions == [QUESTION] * 2
    with_k = {"search_kwargs": {"k": 1}}
    few = made(store, docstore=one.docstore, search_type=search_type, budget=None, k=3, **with_k)
    searches = []
    for name in ("similarity_search_with_score_by_vector", "max_marginal_relevance_search_by_vector"):
        search = getattr(store, name)
        store.__dict__[name] = lambda *given, search=search, **options: searches.append(1) or search(*given, **options)
    assert few.invoke(QUESTION)
    assert await few.ainvoke(QUESTION)
    assert len(searches) > 2
    assert questions == [QUESTION] * 4


class LanceDB(InMemoryVectorStore):
    """As LangChain-community's, which has no table before its first row."""

    def get_table(self) -> Any:
        return self.store or None

    def similarity_search_with_score(self, query: str, k: int = 4, **_: Any) -> list[tuple[Document, float]]:
        self.get_table().items  # noqa: B018 - None has none
        return super().similarity_search_with_score(query, k)


def test_a_store_that_has_no_table_yet_finds_nothing() -> None:
    store = LanceDB(Bag(scattered))
    one = made(store, docstore=InMemoryStore())
    assert one.invoke(QUESTION) == []
    one.add_documents(DOCUMENTS)
    assert one.invoke(QUESTION)


async def test_rows_of_different_embedders_are_told_with_the_remedy() -> None:
    store = InMemoryVectorStore(Bag(scattered))
    one = made(store, docstore=InMemoryStore())
    one.add_documents(DOCUMENTS[:2])
    store.embedding = StaticEmbeddings()
    one.add_documents(DOCUMENTS[2:])
    with pytest.raises(SettingError, match=r"rows of \d+ and of \d+ numbers, .*mirror\(documents, force=True\)"):
        one.invoke(QUESTION)
    with pytest.raises(SettingError, match=r"of different embedders"):
        await one.ainvoke(QUESTION)
    one.mirror(DOCUMENTS, force=True)
    assert "f2 3 " in one.invoke(QUESTION)[0].page_content


def test_another_fault_of_a_store_is_no_empty_answer() -> None:
    class Broken(InMemoryVectorStore):
        """A store with a fault of its own."""

        def similarity_search_with_score(self, *_: Any, **__: Any) -> Any:
            raise AttributeError("no attribute 'rows'")

    with pytest.raises(AttributeError, match="'rows'"):
        made(Broken(Bag(scattered)), docstore=InMemoryStore()).invoke(QUESTION)
