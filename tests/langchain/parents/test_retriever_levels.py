"""Merge mode over the levels of a hierarchy: from small to large as far as enough is found."""

from __future__ import annotations

import pytest
from fakes.langchain.levels import SHIPS, TAXES, between, levels, merging
from fakes.langchain.retrievers import retriever, rows
from fakes.langchain.splitters import contents
from fakes.texts.articles import article
from langchain_core.documents import Document

from langchain_caesura import SemanticHierarchySplitter


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
    first = merging(0.6, 3).invoke(SHIPS[0])[0]
    assert (first.metadata["start_index"], first.metadata["end_index"]) == (0, 41)
    assert [match["text"] for match in first.matches] == SHIPS[:2]
    assert first.score == first.matches[0]["score"]


def test_a_merged_chunk_counts_for_the_next_one_beside_a_child() -> None:
    text = "\n".join(["One ship.", "Another ship.", "Bread and butter, with crumbs on it."])
    made = retriever(child_splitter=levels(100, 40, 20), merge_ratio=1, k=9, search_kwargs={"k": 99})
    made.add_documents([Document(text, id="a")])
    assert contents(made.invoke("ship")) == [text]


@pytest.mark.thorough
@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.75, 1.0])
def test_four_levels_merge_as_their_obvious_twin(ratio: float) -> None:
    splitter = SemanticHierarchySplitter(chunk_sizes=(900, 400, 160, 60))
    made = retriever(child_splitter=splitter, merge_ratio=ratio)
    document = Document(article(40), id="a")
    made.add_documents([document])
    nodes = splitter.split_documents([document])
    inside: dict[str | None, list[Document]] = {}
    for node in nodes:
        inside.setdefault(node.metadata.get("parent_id"), []).append(node)

    def present(node: Document, found: set[str]) -> bool:
        children = inside.get(node.id, [])
        share = sum(present(child, found) for child in children)
        return share >= ratio * len(children) if children else node.page_content in found

    def returned(some: list[Document], found: set[str]) -> set[str]:
        here = {node.page_content for node in some if present(node, found)}
        return here.union(*(returned(inside.get(one.id, []), found) for one in some if not present(one, found)))

    for fetched in range(1, len(rows(made)) + 1):
        made.search_kwargs, made.max_fetch, made.k = {"k": fetched}, fetched, fetched
        result = contents(made.invoke("The ship needs bread."))
        hits = made.vectorstore.similarity_search("The ship needs bread.", fetched)
        assert len(set(contents(hits))) == fetched, "the twin tells chunks by their text"
        assert sorted(result) == sorted(returned(inside[None], set(contents(hits))))
