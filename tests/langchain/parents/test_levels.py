"""Merge mode over the levels of a hierarchy: from small to large as far as enough is found."""

from __future__ import annotations

import logging

import pytest
from langchain_core.documents import Document
from langchain_fakes import contents
from langchain_level_fakes import SHIPS, TAXES, between, levels, merging
from langchain_parent_fakes import retriever, rows


@pytest.mark.parametrize(
    ("ratio", "fetched", "wanted"),
    [
        (None, 1, ["\n".join(SHIPS)]),
        (0.5, 1, ["\n".join(SHIPS)]),  # one of two lines, and so one of two chunks
        (0.6, 1, SHIPS[:1]),
        (0.6, 2, ["\n".join(SHIPS[:2])]),  # both lines, but one of two chunks
        (0.6, 3, ["\n".join(SHIPS[:2]), TAXES[1]]),
        (1.0, 8, ["\n".join(SHIPS), "\n".join(TAXES)]),
    ],
)
async def test_each_level_takes_the_place_of_the_one_below_where_enough_of_it_is_found(
    ratio: float | None, fetched: int, wanted: list[str]
) -> None:
    made = merging(ratio, fetched)
    found = made.invoke(SHIPS[0])
    assert contents(found) == wanted
    assert await made.ainvoke(SHIPS[0]) == found
    assert len(rows(made)) == 8
    assert len(between(made)) == 4


def test_a_chunk_between_has_its_place_its_score_and_its_matches() -> None:
    first = merging(0.6, 3).invoke(SHIPS[0])[0].metadata
    assert (first["start_index"], first["end_index"]) == (0, 41)
    assert [match["text"] for match in first["matches"]] == SHIPS[:2]
    assert first["relevance_score"] == first["matches"][0]["score"]


def test_a_merged_chunk_counts_for_the_next_one_beside_a_child() -> None:
    text = "\n".join(["One ship.", "Another ship.", "Bread and butter, with crumbs on it."])
    made = retriever(child_splitter=levels(100, 40, 20), merge_ratio=1, k=9, search_kwargs={"k": 99})
    made.add_documents([Document(text, id="a")])
    assert contents(made.invoke("ship")) == [text]


def test_where_a_chunk_between_is_missing_the_children_stand_for_themselves(caplog: pytest.LogCaptureFixture) -> None:
    made = merging(0.6, 2)
    made.docstore.mdelete([key for key, one in between(made).items() if one.page_content.startswith(SHIPS[0])])
    with caplog.at_level(logging.WARNING):
        assert contents(made.invoke(SHIPS[0])) == SHIPS[:2]
    assert "not in the document store" in caplog.text
