"""Merge mode: a parent where that share of its children was found, else the children."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.retrievers import kept, retriever
from fakes.langchain.splitters import Bag, contents
from fakes.langchain.views import DOCUMENTS, LINES, SHIPS, TAXES
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore


def merging(k: int = 3, fetched: int = 3, **settings: Any) -> Any:
    made = retriever(child_splitter=LINES, search_kwargs={"k": fetched}, k=k, max_fetch=fetched, **settings)
    made.add_documents(DOCUMENTS)
    return made


def test_a_parent_stands_for_its_children_where_that_share_of_them_is_found() -> None:
    """Three of the lines are found: two of four of the ships, one of four of the taxes."""
    found = merging(merge_ratio=0.5).invoke("A ship has one mast.")
    assert contents(found) == [SHIPS, "A ship pays duty."]
    assert [match["text"] for match in found[0].matches] == SHIPS.split("\n")[:2]
    assert found[0].score > found[1].score
    assert TAXES[found[1].metadata["start_index"] : found[1].metadata["end_index"]] == found[1].page_content


@pytest.mark.parametrize(("ratio", "number"), [(0, 2), (0.25, 2), (0.5, 2), (0.51, 3), (1.0, 3)])
def test_the_share_is_at_least_so_much(ratio: float, number: int) -> None:
    assert len(merging(merge_ratio=ratio).invoke("A ship has one mast.")) == number


def test_a_share_is_that_share_whatever_its_rounding() -> None:
    """0.55 of 20 is 11, and a little more in floating point."""
    text = "\n".join(f"Line number {number:02} here." for number in range(20))
    made = retriever(child_splitter=LINES, merge_ratio=0.55, k=11, search_kwargs={"k": 11}, max_fetch=11)
    made.add_documents([Document(text, id="a")])
    assert contents(made.invoke("Line number")) == [text]


async def test_k_counts_what_is_returned_and_async_is_the_same() -> None:
    made = merging(merge_ratio=0.75, k=2, fetched=3)
    assert contents(made.invoke("A ship has one mast.")) == SHIPS.split("\n")[:2]
    assert await made.ainvoke("A ship has one mast.") == made.invoke("A ship has one mast.")


@pytest.mark.parametrize("score", ["max", "mean", "sum"])
def test_a_parents_score_is_made_of_its_childrens(score: Any) -> None:
    parent = merging(score=score, k=1).invoke("A ship has one mast.")[0]
    scores = [match["score"] for match in parent.matches]
    assert len(scores) == 2
    expected = {"max": max(scores), "mean": sum(scores) / 2, "sum": sum(scores)}[score]
    assert parent.score == pytest.approx(expected)


def test_a_child_found_twice_counts_once() -> None:
    class Twice(InMemoryVectorStore):
        def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> Any:
            return [pair for pair in super().similarity_search_with_score(query, k, **kwargs) for _ in range(2)]

    made = retriever(Twice(Bag()), child_splitter=LINES, merge_ratio=0.5, k=1, search_kwargs={"k": 1}, max_fetch=1)
    made.add_documents(DOCUMENTS)
    assert contents(made.invoke("A ship has one mast.")) == ["A ship has one mast."]


def test_a_document_that_is_missing_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    made = merging(merge_ratio=0.5)
    made.docstore.mdelete([key for key, parent in kept(made).items() if parent.id == "ships"])
    assert contents(made.invoke("A ship has one mast.")) == ["A ship pays duty."]
    assert "not in the document store" in caplog.text
