"""Merge mode, and small texts of one's own: parents where enough of their children were found, views always."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_fakes import Bag, contents
from langchain_parent_fakes import kept, retriever, rows
from langchain_text_splitters import RecursiveCharacterTextSplitter

from caesura.errors import SettingError
from langchain_caesura import DoublePassSemanticSplitter, SemanticHierarchySplitter

LINES = RecursiveCharacterTextSplitter(chunk_size=24, chunk_overlap=0, separators=["\n"])
SHIPS = "A ship has one mast.\nA ship has one hull.\nBread has a crust.\nBread has a crumb."
TAXES = "Clerks want salt.\nA ship pays duty.\nForms have dates.\nForms have names."
DOCUMENTS = [Document(SHIPS, id="ships"), Document(TAXES, id="taxes")]


def merging(k: int = 3, fetched: int = 3, **settings: Any) -> Any:
    made = retriever(child_splitter=LINES, search_kwargs={"k": fetched}, k=k, max_fetch=fetched, **settings)
    made.add_documents(DOCUMENTS)
    return made


def test_a_parent_stands_for_its_children_where_that_share_of_them_is_found() -> None:
    """Three of the lines are found: two of four of the ships, one of four of the taxes."""
    found = merging(merge_ratio=0.5).invoke("A ship has one mast.")
    assert contents(found) == [SHIPS, "A ship pays duty."]
    assert [match["text"] for match in found[0].metadata["matches"]] == SHIPS.split("\n")[:2]
    assert found[0].metadata["relevance_score"] > found[1].metadata["relevance_score"]
    assert TAXES[found[1].metadata["start_index"] : found[1].metadata["end_index"]] == found[1].page_content
    assert found[1].metadata["doc_id"] in kept(merging())


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
    scores = [match["score"] for match in parent.metadata["matches"]]
    assert len(scores) == 2
    expected = {"max": max(scores), "mean": sum(scores) / 2, "sum": sum(scores)}[score]
    assert parent.metadata["relevance_score"] == pytest.approx(expected)


def test_a_child_found_twice_counts_once() -> None:
    class Twice(InMemoryVectorStore):
        def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> Any:
            return [pair for pair in super().similarity_search_with_score(query, k, **kwargs) for _ in range(2)]

    made = retriever(Twice(Bag()), child_splitter=LINES, merge_ratio=0.5, k=1, search_kwargs={"k": 1}, max_fetch=1)
    made.add_documents(DOCUMENTS)
    assert contents(made.invoke("A ship has one mast.")) == ["A ship has one mast."]


def test_where_the_parent_is_missing_the_children_stand_for_themselves(caplog: pytest.LogCaptureFixture) -> None:
    made = merging(merge_ratio=0.5)
    made.docstore.mdelete([key for key, parent in kept(made).items() if parent.id == "ships"])
    assert contents(made.invoke("A ship has one mast.")) == [*SHIPS.split("\n")[:2], "A ship pays duty."]
    assert "not in the document store" in caplog.text


# -- views -----------------------------------------------------------------------------------------------------------


def views() -> list[Document]:
    return [
        Document("Which vessel floats?", metadata={"parent_id": "ships", "kind": "question"}),
        Document("About vessels and loaves.", metadata={"parent_id": "ships", "kind": "summary", "list": [1]}),
        Document("About the treasury.", metadata={"doc_id": "taxes", "kind": "summary"}),
    ]


async def test_views_lead_to_their_document_beside_its_children() -> None:
    made, waiting = retriever(child_splitter=LINES, k=1), retriever(child_splitter=LINES, k=1)
    made.add_documents(DOCUMENTS, views=views())
    await waiting.aadd_documents(DOCUMENTS, views=views())
    assert rows(made) == rows(waiting)
    assert len(rows(made)) == 8 + 3
    found = made.invoke("Which vessel floats?")[0]
    assert found.id == "ships"
    assert found.metadata["matches"][0]["text"] == "Which vessel floats?"
    assert made.invoke("the treasury")[0].id == "taxes"
    assert made.invoke("Forms have names.")[0].id == "taxes"


def test_views_alone_lead_to_a_document() -> None:
    made = retriever(k=1)
    made.add_documents(DOCUMENTS, views=views())
    assert len(rows(made)) == 3
    assert made.invoke("vessels")[0].page_content == SHIPS
    with pytest.raises(SettingError, match="'new' has no views and there is no child_splitter"):
        made.add_documents([Document("New.", id="new")])


def test_a_view_always_leads_to_its_document_in_merge_mode() -> None:
    made = retriever(child_splitter=LINES, merge_ratio=0.9, k=1, search_kwargs={"k": 1})
    made.add_documents(DOCUMENTS, views=views())
    assert made.invoke("Which vessel floats?")[0].id == "ships"
    assert contents(made.invoke("Forms have names.")) == ["Forms have names."]


async def test_what_was_found_can_be_added_again_and_made_views_of() -> None:
    splitter = SemanticHierarchySplitter(chunk_sizes=(100, 50, 20), sentence_splitter=lambda text: text.split("\n"))
    source = retriever(child_splitter=splitter, merge_ratio=1, k=1, search_kwargs={"k": 1}, max_fetch=1)
    source.add_documents(DOCUMENTS)
    child = source.invoke("A ship pays duty.")[0]
    assert {"sibling_count", "caesura_levels"} <= set(child.metadata)
    made = retriever(child_splitter=LINES, merge_ratio=1, k=1)
    view = child.model_copy(update={"metadata": {**child.metadata, "parent_id": "again"}})
    made.add_documents([Document(TAXES, id="again", metadata=child.metadata)], views=[view])
    assert contents(made.invoke(child.page_content)) == [TAXES]
    made.add_documents([Document(TAXES, id="again", metadata=child.metadata)])
    assert len(made.invoke("Forms have dates.", k=4)) == 1


def test_views_are_updated_and_deleted_with_their_document() -> None:
    made = retriever(k=1)
    made.add_documents(DOCUMENTS, views=views())
    before = rows(made)
    made.add_documents(DOCUMENTS, views=views())
    assert rows(made) == before
    made.add_documents(DOCUMENTS[:1], views=views()[1:2])
    assert {row["text"] for row in rows(made).values()} == {"About vessels and loaves.", "About the treasury."}
    made.delete(["ships"])
    assert {row["text"] for row in rows(made).values()} == {"About the treasury."}


def test_views_of_chunks_point_to_the_chunks_ids() -> None:
    chunks = DoublePassSemanticSplitter(chunk_size=50).split_documents(DOCUMENTS)
    questions = [Document(f"question{number}", metadata={"parent_id": one.id}) for number, one in enumerate(chunks)]
    made = retriever(k=1)
    assert made.add_documents(chunks, views=questions) == [chunk.id for chunk in chunks]
    assert [made.invoke(f"question{number}")[0].page_content for number in range(len(chunks))] == contents(chunks)


@pytest.mark.parametrize("metadata", [{}, {"parent_id": "none"}, {"parent_id": None}, {"doc_id": "none"}])
def test_a_view_of_nothing_is_refused_before_anything_is_written(metadata: dict[str, Any]) -> None:
    made = retriever(child_splitter=LINES)
    with pytest.raises(SettingError, match="must have the id of one of the documents as its parent_id"):
        made.add_documents(DOCUMENTS, views=[Document("About.", metadata=metadata)])
    assert made.docstore.store == {}


def test_views_of_documents_that_are_still_to_be_cut_are_refused() -> None:
    for settings in (
        {"child_splitter": LINES, "parent_splitter": LINES},
        {"child_splitter": SemanticHierarchySplitter()},
    ):
        made = type(retriever())(vectorstore=InMemoryVectorStore(Bag()), docstore=InMemoryStore(), **settings)
        with pytest.raises(SettingError, match="or a SemanticHierarchySplitter returns parts of them: cut first"):
            made.add_documents(DOCUMENTS, views=views())
