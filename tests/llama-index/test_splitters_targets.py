"""`target_size` and `chunk_size` in tokens: what either means alone, both, and none; metadata's room; levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.articles import article
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import at_lines, cache_key, parsers, same, sizes
from llama_index.core import Document
from llama_index.core.utils import get_tokenizer

from caesura import Limits, OptimalCut
from llama_index.node_parser.caesura import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticHierarchyParser,
    SemanticPercentileSplitter,
    SemanticSplitter,
)

TEXT = article(160)
SAMPLE = (Path(__file__).parents[2] / "examples" / "article.md").read_text("utf-8")
SIZES: list[tuple[dict[str, Any], int | None, int | None]] = [
    ({}, 100, 200),
    ({"target_size": "auto", "chunk_size": "auto"}, 100, 200),
    ({"target_size": 60}, 60, 120),
    ({"chunk_size": 151}, 75, 151),
    ({"target_size": 50, "chunk_size": 151}, 50, 151),
    ({"target_size": 60, "chunk_size": None}, 60, None),
    ({"target_size": None}, None, 512),
    ({"target_size": None, "chunk_size": 151}, None, 151),
    ({"chunk_size": None}, None, None),
]
DECIDING: list[tuple[Any, dict[str, Any]]] = [
    (DoublePassSemanticSplitter, {"merging_threshold": 0.3}),
    (OptimalSemanticSplitter, {"penalty": 1.0}),
    (OptimalSemanticSplitter, {"n_chunks": 5}),
    (ClusterSemanticSplitter, {"n_clusters": 5}),
    (ClusterSemanticSplitter, {"stop": "elbow"}),
    (SemanticPercentileSplitter, {"number_of_chunks": 5}),
    (SemanticPercentileSplitter, {"breakpoint_threshold_type": "gradient"}),
    (SemanticSplitter, {"cut": OptimalCut()}),
]


@parsers
@pytest.mark.parametrize(("given", "target", "largest"), SIZES, ids=str)
def test_sizes_are_what_is_given_and_what_follows_from_it(
    parser: Any, given: dict[str, Any], target: int | None, largest: int | None
) -> None:
    made = parser(embed_model=Words(), **given)
    assert made._limits() == Limits(largest, 0, target)
    same(made, parser.from_dict(made.to_dict(), embed_model=Words(), trusted=True))
    tokens = sizes(made([Document(text=TEXT)]), get_tokenizer())
    assert largest is None or max(tokens) <= largest
    if target is not None:
        assert 0.7 * target < sum(tokens) / len(tokens) < 1.3 * target
        assert min(tokens) >= 0.25 * target


def test_none_is_handed_on_by_from_defaults_where_it_means_something() -> None:
    made = DoublePassSemanticSplitter.from_defaults(target_size=None, chunk_size=None, confidence=None, structure=None)
    assert (made.target_size, made.chunk_size, made.confidence, made.structure) == (None, None, None, 0.3)
    assert DoublePassSemanticSplitter.from_defaults(target_size=None)._limits() == Limits(512)


@pytest.mark.parametrize(("parser", "settings"), DECIDING, ids=str)
def test_who_says_where_to_cut_has_no_target_unless_one_is_given(parser: Any, settings: dict[str, Any]) -> None:
    assert parser(**settings)._limits() == Limits(512)
    assert parser(chunk_size=90, **settings)._limits() == Limits(90)
    if not {"n_chunks", "n_clusters", "number_of_chunks"} & set(settings):
        assert parser(target_size=60, **settings)._limits() == Limits(120, 0, 60)
        assert cache_key(parser(target_size=60, **settings)) != cache_key(parser(**settings))


def test_the_constructors_of_peers_have_no_target() -> None:
    assert SemanticPercentileSplitter.like_semantic_splitter()._limits() == Limits()
    assert DoublePassSemanticSplitter.like_double_merging()._limits() == Limits(1000)


@parsers
def test_metadata_takes_its_room_from_the_largest_size_and_leaves_the_target(parser: Any) -> None:
    settings: dict[str, Any] = {"target_size": 40, "tokenizer": str.split, "sentence_splitter": at_lines}
    text, metadata = article(160, between="\n"), {"author": "a keeper of lamps who lives alone on the rock"}
    bare = parser(chunk_size=100, **settings)([Document(text=text)])
    told = parser(chunk_size=112, **settings)([Document(text=text, metadata=metadata)])
    assert max(sizes(told, str.split)) <= 112
    assert 30 < sum(len(node.text.split()) for node in told) / len(told) < 50
    assert abs(len(told) - len(bare)) <= 1
    narrow = parser(chunk_size=45, **settings)([Document(text=text, metadata=metadata)])
    assert max(sizes(narrow, str.split)) <= 45


def test_each_level_of_a_hierarchy_is_near_two_thirds_of_its_size() -> None:
    chunk_sizes = [300, 120, 40]
    parser = SemanticHierarchyParser(chunk_sizes=chunk_sizes, tokenizer=str.split)
    hierarchy = parser._stages(lambda text: len(text.split()))
    assert [limits.target_size for limits, _ in hierarchy.levels] == [200, 80, 26]
    nodes = parser([Document(text=SAMPLE)])
    parents = {node.parent_node.node_id for node in nodes if node.parent_node}
    for node in nodes:
        assert len(node.text.split()) <= chunk_sizes[0]
    roots = [len(node.text.split()) for node in nodes if node.parent_node is None]
    leaves = [len(node.text.split()) for node in nodes if node.node_id not in parents]
    assert 120 < sum(roots) / len(roots) < 240
    assert max(leaves) <= 40
    assert 18 < sum(leaves) / len(leaves) < 34


@parsers
def test_the_sample_article_has_no_scraps(parser: Any) -> None:
    tokens = sizes(parser()([Document(text=SAMPLE)]), get_tokenizer())
    assert max(tokens) <= 200
    assert min(tokens) >= 25
    assert 75 < sum(tokens) / len(tokens) < 125
