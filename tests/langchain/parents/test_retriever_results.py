"""What a question returns: as many parents as asked for, best first, as copies, each in its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.langchain.retrievers import DOCUMENTS, SPLITTINGS, TEXTS, every_splitting, kept, parts, retriever, rows
from langchain_core.documents import Document

from langchain_caesura import DoublePassSemanticSplitter
from langchain_caesura.parents.hits import parent_spans, range_span

QUESTION = "Does the captain steer the ship by the compass?"


@every_splitting
def test_k_counts_parents_and_none_comes_twice(settings: dict[str, Any]) -> None:
    made = retriever(**settings, k=2)
    made.add_documents(DOCUMENTS)
    for given, k in (({}, 2), ({"k": 1}, 1), ({"k": 3}, 3), ({"k": 5}, 5)):
        found = made.invoke(QUESTION, **given)
        assert len(found) == k == len({document.page_content for document in found})


@every_splitting
async def test_async_finds_the_same(settings: dict[str, Any]) -> None:
    one, other = retriever(**settings), retriever(**settings)
    one.add_documents(DOCUMENTS)
    await other.aadd_documents(DOCUMENTS)
    assert rows(one) == rows(other)
    assert await other.ainvoke(QUESTION) == one.invoke(QUESTION)


@pytest.mark.parametrize("settings", [{}, {"merge_ratio": 0.5}, {"budget": 100}])
def test_equal_texts_stand_in_one_order_whatever_the_order_of_writes(settings: dict[str, Any]) -> None:
    documents = [Document("The ferry leaves the pier at nine.", id=f"{number}") for number in range(6)]
    orders = []
    for order in ((0, 1, 2, 3, 4, 5), (5, 4, 3, 2, 1, 0), (3, 5, 0, 1, 4, 2)):
        made = retriever(**SPLITTINGS["whole"], **settings)
        for number in order:
            made.add_documents([documents[number]])
        orders.append([(one.id, one.score) for one in made.invoke("When does the ferry leave?", k=2)])
    assert len(orders[0]) == 2
    assert orders == [orders[0]] * 3


def test_what_is_returned_is_a_copy_all_through() -> None:
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents(DOCUMENTS)
    for parent in made.invoke(QUESTION):
        parent.metadata["nested"]["list"].append("changed")
        parent.matches.clear()
    again = made.invoke(QUESTION)
    assert [len(parent.metadata["nested"]["list"]) for parent in again] == [1] * 4
    assert all("matches" not in parent.metadata for parent in kept(made).values())


def test_a_whole_document_comes_back_with_its_id_and_what_was_added_is_not_changed() -> None:
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents(DOCUMENTS)
    for parent in made.invoke(QUESTION):
        assert parent.page_content == TEXTS[parent.id]
    assert all(set(document.metadata) == {"source", "version", "nested"} for document in DOCUMENTS)


def text_of(parent: Document) -> str:
    return TEXTS["doc-" + parent.metadata["source"].removesuffix(".md")]


@every_splitting
def test_matches_say_where_in_the_document_the_children_are_and_how_near(settings: dict[str, Any]) -> None:
    made = retriever(**settings, k=5)
    made.add_documents(DOCUMENTS)
    bests: list[float] = []
    for parent in made.invoke(QUESTION):
        text = text_of(parent)
        assert parent.matches
        for match in parent.matches:
            assert text[match["start_index"] : match["end_index"]] == match["text"]
            assert match["text"] in parent.page_content
            assert rows(made)[match["id"]]["text"] == match["text"]
        bests.append(parent.score)
        assert bests[-1] == max(match["score"] for match in parent.matches)
        json.dumps(parent.metadata, allow_nan=False)
    assert bests == sorted(bests, reverse=True)


@every_splitting
def test_parents_are_slices_in_their_places_and_children_lie_within_them(settings: dict[str, Any]) -> None:
    made = retriever(**settings)
    made.add_documents(DOCUMENTS)
    assert {one.page_content for one in kept(made).values()} == set(TEXTS.values())
    parents = made.get(list(TEXTS))
    for parent in parents:
        text = text_of(parent)
        start = parent.metadata.get("start_index", 0)
        assert text[start : parent.metadata.get("end_index", len(text))] == parent.page_content
        assert parent.metadata["nested"]["list"]
    for part in parts(made):
        text = kept(made)[part.key].page_content
        for (row, _), start, end in zip(part.rows(), part.starts, part.ends, strict=True):
            assert rows(made)[row]["text"] == text[start:end]
            assert any(text[start:end] in parent.page_content for parent in parents)
            assert not part.parents or parent_spans(part, range_span(part, start, end))


@pytest.mark.parametrize("settings", [{}, {"budget": None}], ids=["passages", "parents"])
def test_passages_say_the_title_of_their_document_unless_it_says_its_own(settings: dict[str, Any]) -> None:
    texts = {"a.md": "# Ferries\n\nThe ferry leaves at nine.", "b.md": "The ferry is late."}
    splitter = DoublePassSemanticSplitter(chunk_size=60)
    made = retriever(child_splitter=splitter, parent_splitter=DoublePassSemanticSplitter(chunk_size=200), **settings)
    made.add_documents([Document(text, metadata={"source": name}) for name, text in texts.items()])
    made.add_documents([Document("A ferry sails.", metadata={"source": "c.md", "title": ""})])
    titles = {each.metadata["source"]: each.metadata["title"] for each in made.invoke("When does the ferry leave?")}
    assert titles == {"a.md": "Ferries", "b.md": "b.md", "c.md": ""}
    renamed = made.model_copy(update={"passage_metadata": {"title": "name"}})
    found = renamed.invoke("When does the ferry leave?")
    assert {each.metadata["name"] for each in found} == {"Ferries", "b.md", "c.md"}
    assert [each.metadata["source"] for each in found if "title" in each.metadata] == ["c.md"]
