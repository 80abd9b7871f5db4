"""Scores, thresholds and diversity, with stores that know scores, distances or neither."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.lesser_stores import Distances, NoScores, Relevance
from fakes.langchain.retrievers import DOCUMENTS, SPLITTINGS, retriever
from fakes.langchain.splitters import Bag
from langchain_core.vectorstores import InMemoryVectorStore

QUESTION = "Does the captain steer the ship by the compass?"
SEARCHES: dict[str, dict[str, Any]] = {
    "budget": {"budget": 900, "words": None, "context": 0.4},
    "parents": {"k": 5},
    "merged": {"k": 5, "merge_ratio": 0.5},
}
every_search = pytest.mark.parametrize("settings", SEARCHES.values(), ids=SEARCHES)


class OtherOrder(Relevance):
    """A store that adds up in another order in other threads, as FAISS does with another number of threads there."""

    async def asimilarity_search_with_score(self, *args: Any, **kwargs: Any) -> Any:
        found = self.similarity_search_with_score(*args, **kwargs)
        return [(row, score * (1 + (-1) ** place * 1e-7)) for place, (row, score) in enumerate(found)]


def evidence(found: Any) -> list[tuple[Any, ...]]:
    """What results that are equal may differ in."""
    return [(one.id, one.page_content, one.score, one.matches) for one in found]


@pytest.mark.parametrize("store", [InMemoryVectorStore, Relevance])
async def test_a_threshold_keeps_near_children_alone(store: Any) -> None:
    settings = {**SPLITTINGS["whole"], "search_type": "similarity_score_threshold", "k": 5}
    made = retriever(store(Bag()), **settings, search_kwargs={"score_threshold": 0.5})
    made.add_documents(DOCUMENTS)
    found = made.invoke(QUESTION)
    assert 0 < len(found) < 5
    assert all(match["score"] >= 0.5 for parent in found for match in parent.matches)
    assert await made.ainvoke(QUESTION) == found
    assert made.invoke(QUESTION, score_threshold=0.99) == []


async def test_maximal_marginal_relevance_finds_parents_without_scores() -> None:
    made = retriever(**SPLITTINGS["whole"], search_type="mmr", k=3, search_kwargs={"lambda_mult": 0.5, "fetch_k": 5})
    made.add_documents(DOCUMENTS)
    found = made.invoke(QUESTION)
    assert len(found) == 3
    assert all(parent.score is None for parent in found)
    assert all(match["score"] is None for parent in found for match in parent.matches)
    assert await made.ainvoke(QUESTION) == found


@pytest.mark.parametrize("store", [Distances, Relevance, NoScores])
async def test_stores_with_distances_or_without_scores_give_the_same_order(store: Any) -> None:
    made, exact = retriever(store(Bag()), **SPLITTINGS["whole"]), retriever(**SPLITTINGS["whole"])
    for one in (made, exact):
        one.add_documents(DOCUMENTS)
    found = made.invoke(QUESTION)
    told = 3 if store is NoScores else 4  # the fourth is as near as the fifth, which only scores tell
    assert [parent.id for parent in found][:told] == [parent.id for parent in exact.invoke(QUESTION)][:told]
    assert await made.ainvoke(QUESTION) == found
    scores = [parent.score for parent in found]
    assert scores == ([None] * 4 if store is NoScores else sorted(scores, reverse=True))


def test_the_order_is_the_stores_own_where_its_relevance_function_does_not_rise() -> None:
    class Odd(Relevance):
        def _select_relevance_score_fn(self) -> Any:
            return lambda distance: distance

    made, exact = retriever(Odd(Bag()), **SPLITTINGS["whole"]), retriever(**SPLITTINGS["whole"])
    for one in (made, exact):
        one.add_documents(DOCUMENTS)
    assert [parent.id for parent in made.invoke(QUESTION)] == [parent.id for parent in exact.invoke(QUESTION)]


@every_search
async def test_an_async_search_gives_the_scores_and_the_evidence_of_a_sync_one(settings: dict[str, Any]) -> None:
    made = retriever(Relevance(Bag()), **{**SPLITTINGS["both"], **settings})
    made.add_documents(DOCUMENTS)
    for question in (QUESTION, "cat and mouse", "bread in an oven"):
        found = evidence(made.invoke(question))
        assert found
        assert evidence(await made.ainvoke(question)) == found


@every_search
async def test_the_last_digits_of_a_stores_scores_change_no_passage_and_no_order(settings: dict[str, Any]) -> None:
    made = retriever(OtherOrder(Bag()), **{**SPLITTINGS["both"], **settings})
    made.add_documents(DOCUMENTS)
    found, awaited = made.invoke(QUESTION), await made.ainvoke(QUESTION)
    assert evidence(awaited) != evidence(found)
    assert awaited == found
    assert [one.score for one in awaited] == pytest.approx([one.score for one in found], abs=1e-5)
