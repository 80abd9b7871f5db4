"""What is repeated of the chunk before, and when a small chunk joins a neighbour."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from fakes.langchain.splitters import Bag, every_splitter, places
from fakes.texts.articles import article

from langchain_caesura import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
)

FINER: dict[Any, dict[str, Any]] = {
    DoublePassSemanticSplitter: {"confidence": None},
    OptimalSemanticSplitter: {"penalty": 0.1},
    ClusterSemanticSplitter: {"distance_threshold": 0.1},
    SemanticPercentileSplitter: {"breakpoint_threshold_amount": 50},
}
"""What makes chunks under the smallest size."""


@every_splitter
def test_overlap_works_without_a_size(cls: Any) -> None:
    made = cls(Bag(), chunk_size=None, chunk_overlap=60, add_start_index=True).create_documents([article(60)])
    overlaps = [one[1] - two[0] for one, two in pairwise(places(made))]
    assert 0 < max(overlaps) <= 60


@every_splitter
@pytest.mark.parametrize("target", [None, 100])
@pytest.mark.parametrize("overlap", [1, 30, 60, 120])
def test_an_overlap_is_whole_sentences_and_never_the_whole_chunk_before(
    cls: Any, overlap: int, target: int | None
) -> None:
    text = article(80)
    sentence_starts = {0, *(at + 2 for at in range(len(text) - 2) if text[at : at + 2] == ". ")}
    settings: dict[str, Any] = {"embeddings": Bag(), "add_start_index": True, "target_size": target}
    wide = places(cls(chunk_size=260, chunk_overlap=overlap, **settings).create_documents([text]))
    bare = places(cls(chunk_size=260 - overlap, **settings).create_documents([text]))
    assert [end for _, end in wide] == [end for _, end in bare]
    assert all(start in sentence_starts for start, _ in wide)
    for (before, _), (start, _), (own, _) in zip(bare, wide[1:], bare[1:], strict=False):
        assert before < start <= own
        assert own - start <= overlap + 1
    assert overlap < 60 or any(one < two for (one, _), (two, _) in zip(wide, bare, strict=True))


@pytest.mark.parametrize("cls", FINER)
@pytest.mark.parametrize("smallest", [50, 120])
def test_a_small_chunk_is_left_only_where_no_neighbour_has_room(cls: Any, smallest: int) -> None:
    text = article(80)
    settings: dict[str, Any] = {"chunk_size": 300, "target_size": None, "add_start_index": True}
    settings |= FINER[cls]
    plain = places(cls(Bag(), **settings).create_documents([text]))
    made = places(cls(Bag(), min_chunk_size=smallest, **settings).create_documents([text]))
    assert min(end - start for start, end in plain) < smallest
    assert max(end - start for start, end in made) <= 300
    for one, two in pairwise(made):
        small = min(one[1] - one[0], two[1] - two[0]) < smallest
        assert not small or two[1] - one[0] > 300
    assert len(made) < len(plain)
