"""What the parent retriever returns: as many parents as asked for, best first, with the small texts that were found."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from articles import article
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_fakes import Bag
from langchain_lesser_fakes import Distances, NoScores, Relevance
from langchain_parent_fakes import kept, retriever, rows
from langchain_store_fakes import ClockedVectors
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import DoublePassSemanticSplitter, SemanticHierarchySplitter

TEXTS = {f"doc-{seed}": article(30, seed) for seed in range(8)}
DOCUMENTS = [
    Document(text, id=name, metadata={"source": f"{name}.md", "even": number % 2 == 0, "nested": {"list": [number]}})
    for number, (name, text) in enumerate(TEXTS.items())
]
SPLITTERS: dict[str, dict[str, Any]] = {
    "ours": {"child_splitter": DoublePassSemanticSplitter(chunk_size=120)},
    "both ours": {
        "child_splitter": DoublePassSemanticSplitter(chunk_size=120),
        "parent_splitter": DoublePassSemanticSplitter(chunk_size=500),
    },
    "hierarchy": {"child_splitter": SemanticHierarchySplitter(chunk_sizes=(500, 250, 120))},
    "recursive": {"child_splitter": RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=30)},
    "both recursive": {
        "child_splitter": RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=0),
        "parent_splitter": RecursiveCharacterTextSplitter(chunk_size=500, chunk_overlap=60),
    },
}
every_splitter = pytest.mark.parametrize("settings", SPLITTERS.values(), ids=SPLITTERS)
QUESTION = "Does the captain steer the ship by the compass?"


@every_splitter
@pytest.mark.parametrize("k", [1, 2, 5])
def test_k_counts_parents_and_none_comes_twice(settings: dict[str, Any], k: int) -> None:
    made = retriever(**settings, k=k)
    made.add_documents(DOCUMENTS)
    found = made.invoke(QUESTION)
    assert len(found) == k == len({document.page_content for document in found})
    assert len(made.invoke(QUESTION, k=3)) == 3


@every_splitter
async def test_async_finds_the_same(settings: dict[str, Any]) -> None:
    one, other = retriever(**settings), retriever(**settings)
    one.add_documents(DOCUMENTS)
    await other.aadd_documents(DOCUMENTS)
    assert rows(one) == rows(other)
    assert await other.ainvoke(QUESTION) == one.invoke(QUESTION)


@every_splitter
def test_matches_say_where_in_the_document_the_children_are_and_how_near(settings: dict[str, Any]) -> None:
    made = retriever(**settings, k=5)
    made.add_documents(DOCUMENTS)
    bests: list[float] = []
    for parent in made.invoke(QUESTION):
        text = TEXTS[parent.metadata["source"].removesuffix(".md")]
        assert parent.metadata["matches"]
        for match in parent.metadata["matches"]:
            assert text[match["start_index"] : match["end_index"]] == match["text"]
            assert match["text"] in parent.page_content
            assert rows(made)[match["id"]]["text"] == match["text"]
        bests.append(parent.metadata["relevance_score"])
        assert bests[-1] == max(match["score"] for match in parent.metadata["matches"])
        json.dumps(parent.metadata, allow_nan=False)
    assert bests == sorted(bests, reverse=True)


@every_splitter
def test_parents_are_slices_in_their_places_and_children_lie_within_them(settings: dict[str, Any]) -> None:
    made = retriever(**settings)
    made.add_documents(DOCUMENTS)
    for parent in kept(made).values():
        text = TEXTS[parent.metadata["source"].removesuffix(".md")]
        start = parent.metadata.get("start_index", 0)
        assert text[start : parent.metadata.get("end_index", len(text))] == parent.page_content
        assert parent.metadata["nested"]["list"]
    for row in rows(made).values():
        parent = kept(made)[row["metadata"]["doc_id"]]
        place = parent.metadata.get("start_index", 0)
        assert place <= row["metadata"]["start_index"] < row["metadata"]["end_index"]
        assert row["metadata"]["end_index"] <= place + len(parent.page_content)
        assert row["text"] in parent.page_content


def test_what_is_returned_is_a_copy_all_through() -> None:
    made = retriever(**SPLITTERS["ours"])
    made.add_documents(DOCUMENTS)
    for parent in made.invoke(QUESTION):
        parent.metadata["nested"]["list"].append("changed")
        parent.metadata["matches"].clear()
    again = made.invoke(QUESTION)
    assert [len(parent.metadata["nested"]["list"]) for parent in again] == [1] * 4
    assert all("matches" not in parent.metadata for parent in kept(made).values())


def test_a_whole_document_comes_back_with_its_id_and_what_was_added_is_not_changed() -> None:
    made = retriever(**SPLITTERS["ours"])
    made.add_documents(DOCUMENTS)
    for parent in made.invoke(QUESTION):
        assert parent.page_content == TEXTS[parent.id]
    assert all(set(document.metadata) == {"source", "even", "nested"} for document in DOCUMENTS)


# -- how it searches -------------------------------------------------------------------------------------------------


def test_more_is_fetched_where_one_parent_takes_all_places_and_only_then() -> None:
    vectors = ClockedVectors(Bag())
    made = retriever(vectors, child_splitter=RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=0), k=2)
    loud = "\n\n".join(f"ship captain compass number{number}" for number in range(100))
    made.add_documents([Document(loud, id="loud"), Document("One ship lies still.", id="quiet")])
    assert [parent.id for parent in made.invoke("ship captain compass")] == ["loud", "quiet"]
    assert vectors.read["search"] == 3
    made.invoke("ship captain compass", k=1)
    assert vectors.read["search"] == 4


def test_what_is_fetched_is_bounded() -> None:
    vectors = ClockedVectors(Bag())
    splitter = RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=0)
    made = retriever(vectors, child_splitter=splitter, k=2, max_fetch=50)
    loud = "\n\n".join(f"ship captain compass number{number}" for number in range(100))
    made.add_documents([Document(loud, id="loud"), Document("One ship lies still.", id="quiet")])
    assert [parent.id for parent in made.invoke("ship captain compass")] == ["loud"]
    assert vectors.read["search"] == 3  # 8, 32 and 50


def test_a_filter_passes_through_from_the_settings_and_from_the_call() -> None:
    made = retriever(**SPLITTERS["ours"], k=8, search_kwargs={"filter": lambda one: one.metadata["even"]})
    made.add_documents(DOCUMENTS)
    assert {parent.id for parent in made.invoke(QUESTION)} == {"doc-0", "doc-2", "doc-4", "doc-6"}
    odd = made.invoke(QUESTION, filter=lambda one: not one.metadata["even"])
    assert {parent.id for parent in odd} == {"doc-1", "doc-3", "doc-5", "doc-7"}


@pytest.mark.parametrize("store", [InMemoryVectorStore, Relevance])
async def test_a_threshold_keeps_near_children_alone(store: Any) -> None:
    settings = {**SPLITTERS["ours"], "search_type": "similarity_score_threshold", "k": 8}
    made = retriever(store(Bag()), **settings, search_kwargs={"score_threshold": 0.5})
    made.add_documents(DOCUMENTS)
    found = made.invoke(QUESTION)
    assert 0 < len(found) < 8
    assert all(match["score"] >= 0.5 for parent in found for match in parent.metadata["matches"])
    assert await made.ainvoke(QUESTION) == found
    assert made.invoke(QUESTION, score_threshold=0.99) == []


async def test_maximal_marginal_relevance_finds_parents_without_scores() -> None:
    made = retriever(**SPLITTERS["ours"], search_type="mmr", k=3, search_kwargs={"lambda_mult": 0.5, "fetch_k": 5})
    made.add_documents(DOCUMENTS)
    found = made.invoke(QUESTION)
    assert len(found) == 3
    assert all("relevance_score" not in parent.metadata for parent in found)
    assert all(match["score"] is None for parent in found for match in parent.metadata["matches"])
    assert await made.ainvoke(QUESTION) == found


@pytest.mark.parametrize("store", [Distances, Relevance, NoScores])
async def test_stores_with_distances_or_without_scores_give_the_same_order(store: Any) -> None:
    made, exact = retriever(store(Bag()), **SPLITTERS["ours"]), retriever(**SPLITTERS["ours"])
    for one in (made, exact):
        one.add_documents(DOCUMENTS)
    found = made.invoke(QUESTION)
    assert [parent.id for parent in found] == [parent.id for parent in exact.invoke(QUESTION)]
    assert await made.ainvoke(QUESTION) == found
    scores = [parent.metadata.get("relevance_score") for parent in found]
    assert scores == ([None] * 4 if store is NoScores else sorted(scores, reverse=True))


def test_the_order_is_the_stores_own_where_its_relevance_function_does_not_rise() -> None:
    class Odd(Relevance):
        def _select_relevance_score_fn(self) -> Any:
            return lambda distance: distance

    made, exact = retriever(Odd(Bag()), **SPLITTERS["ours"]), retriever(**SPLITTERS["ours"])
    for one in (made, exact):
        one.add_documents(DOCUMENTS)
    assert [parent.id for parent in made.invoke(QUESTION)] == [parent.id for parent in exact.invoke(QUESTION)]


def test_a_missing_parent_is_a_warning_and_the_others_come(caplog: pytest.LogCaptureFixture) -> None:
    made = retriever(**SPLITTERS["ours"], k=3)
    made.add_documents(DOCUMENTS)
    best = made.invoke(QUESTION)
    gone = next(key for key, parent in kept(made).items() if parent.id == best[0].id)
    made.docstore.mdelete([gone])
    with caplog.at_level(logging.WARNING):
        found = made.invoke(QUESTION)
    assert [parent.id for parent in found[:2]] == [parent.id for parent in best[1:]]
    assert len(found) == 3
    assert gone in caplog.text


def test_rows_of_others_in_the_vector_store_are_passed_over() -> None:
    made = retriever(InMemoryVectorStore(Bag()), **SPLITTERS["ours"])
    made.vectorstore.add_documents([Document(QUESTION), Document(QUESTION, metadata={"a": 1})])
    assert made.invoke(QUESTION) == []
    made.add_documents(DOCUMENTS)
    assert len(made.invoke(QUESTION)) == 4
