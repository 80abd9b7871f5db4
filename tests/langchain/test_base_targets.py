"""`target_size` and `chunk_size`: what either means alone, both, and none; and where a setting says where to cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.splitters import Bag, every_splitter
from fakes.texts.articles import article

from caesura import Limits, OptimalCut
from caesura.hierarchy import by_sizes
from langchain_caesura import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticHierarchySplitter,
    SemanticPercentileSplitter,
    SemanticSplitter,
)

TEXT = article(240)
ARTICLE = Path(__file__).parents[2] / "examples" / "article.md"


@every_splitter
@pytest.mark.parametrize(("target", "largest"), [(400, 800), (200, 501), (501, 501), (300, None)])
def test_chunks_are_near_the_target_and_within_the_largest_size(cls: Any, target: int, largest: int | None) -> None:
    sizes = list(map(len, cls(Bag(), target_size=target, chunk_size=largest).split_text(TEXT)))
    assert largest is None or max(sizes) <= largest
    assert 0.55 * target < sum(sizes) / len(sizes) < 1.25 * target
    assert min(sizes) >= 0.25 * target - 1  # the space before a chunk counts


@every_splitter
def test_an_overlap_takes_its_room_from_the_largest_size_and_leaves_the_target(cls: Any) -> None:
    assert cls(target_size=200, chunk_overlap=100).limits == Limits(300, 0, 200)
    assert cls(target_size=200, chunk_overlap=200, chunk_size=450).limits == Limits(250, 0, 200)
    bare = cls(Bag(), target_size=200).split_text(TEXT)
    for overlap in (50, 100, 200):
        chunks = cls(Bag(), target_size=200, chunk_overlap=overlap).split_text(TEXT)
        assert max(map(len, chunks)) <= 400
        assert sum(map(len, chunks)) / len(chunks) < sum(map(len, bare)) / len(bare) + overlap


@pytest.mark.parametrize(
    ("cls", "settings"),
    [
        (OptimalSemanticSplitter, {"n_chunks": 5}),
        (ClusterSemanticSplitter, {"n_clusters": 5}),
        (SemanticPercentileSplitter, {"number_of_chunks": 5}),
        (SemanticSplitter, {"cut": OptimalCut(n_chunks=5)}),
    ],
)
def test_a_number_of_chunks_and_a_target_exclude_one_another(cls: Any, settings: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError, match=r"^a number of chunks, 5, and target_size=300 exclude one another: leave one of them "
    ):
        cls(Bag(), target_size=300, **settings)
    assert len(cls(Bag(), chunk_size=None, **settings).split_text(TEXT)) == 5


def test_a_target_is_in_units_of_the_length_function() -> None:
    def words(text: str) -> int:
        return len(text.split())

    sizes = list(map(words, DoublePassSemanticSplitter(Bag(), target_size=40, length_function=words).split_text(TEXT)))
    assert max(sizes) <= 80
    assert 30 < sum(sizes) / len(sizes) < 50


def test_each_level_of_a_hierarchy_is_near_two_thirds_of_its_size() -> None:
    text = ARTICLE.read_text("utf-8")
    made = SemanticHierarchySplitter(chunk_sizes=(1500, 600, 150)).create_documents([text])
    for level, size in enumerate((1500, 600, 150)):
        sizes = [len(one.page_content) for one in made if one.metadata["level"] == level]
        assert max(sizes) <= size
        assert 0.4 * size < sum(sizes) / len(sizes) < 0.8 * size
    assert [limits.target_size for limits, _ in by_sizes(1500, 600, 150)] == [1000, 400, 100]
    assert [limits.target_size for limits, _ in by_sizes(1500, 600, cut=OptimalCut())] == [None, None]
