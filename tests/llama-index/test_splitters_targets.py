"""`target_size` and `chunk_size` in tokens: what either means alone, both, and none; metadata's room; levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import at_lines, cache_key, parsers, same, sizes
from fakes.texts.articles import article
from llama_index.core import Document
from llama_index.core.utils import get_tokenizer

from caesura import Limits
from llama_index.node_parser.caesura import (
    DoublePassSemanticSplitter,
    SemanticHierarchyParser,
)

TEXT = article(160)
SAMPLE = (Path(__file__).parents[2] / "examples" / "article.md").read_text("utf-8")


@parsers
@pytest.mark.parametrize(("target", "largest"), [(100, 200), (50, 151), (60, None)])
def test_nodes_are_near_the_target_and_within_the_largest_size(parser: Any, target: int, largest: int | None) -> None:
    made = parser(embed_model=Words(), target_size=target, chunk_size=largest)
    same(made, parser.from_dict(made.to_dict(), embed_model=Words(), trusted=True))
    tokens = sizes(made([Document(text=TEXT)]), get_tokenizer())
    assert largest is None or max(tokens) <= largest
    assert 0.7 * target < sum(tokens) / len(tokens) < 1.3 * target
    assert min(tokens) >= 0.25 * target


@parsers
def test_a_target_is_in_the_key_of_the_cache(parser: Any) -> None:
    assert cache_key(parser(target_size=60, chunk_size=None)) != cache_key(parser(target_size=None, chunk_size=None))


def test_none_is_handed_on_by_from_defaults_where_it_means_something() -> None:
    made = DoublePassSemanticSplitter.from_defaults(target_size=None, chunk_size=None, confidence=None, structure=None)
    assert (made.target_size, made.chunk_size, made.confidence, made.structure) == (None, None, None, 0.3)
    assert DoublePassSemanticSplitter.from_defaults(target_size=None).compiled.stages.limits == Limits(512)


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
    hierarchy = parser.compiled.stages
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
