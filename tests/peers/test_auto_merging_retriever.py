"""LlamaIndex's AutoMergingRetriever, fault by fault: theirs fails, ours passes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fakes.llama_index.retrievers import Awaited, Fixed, Raw, named, scored, stored, tree
from llama_index.core import StorageContext
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import BaseNode

from llama_index.node_parser.caesura import MergingRetriever

pytestmark = pytest.mark.peers


def retrievers(nodes: dict[str, BaseNode], found: Any, share: float, **kept: Any) -> tuple[Any, Any]:
    store = kept.get("store") or stored(nodes)
    context = StorageContext.from_defaults(docstore=store)
    return AutoMergingRetriever(found, context, share), MergingRetriever(found, store, share)


def test_half_of_the_children_are_not_enough_for_theirs_at_one_half() -> None:
    nodes = tree({"p": ["a", "b"]})
    their, our = retrievers(nodes, Fixed(scored(nodes, a=0.9)), 0.5)
    assert named(their.retrieve("?")) == [("a", 0.9)]
    assert named(our.retrieve("?")) == [("p", 0.9)]


def test_merging_costs_a_hit_of_theirs_its_score_and_place() -> None:
    nodes = tree({"p": ["a", "b"], "q": ["x", "y", "z"]})
    their, our = retrievers(nodes, Fixed(scored(nodes, a=0.95, x=0.6, b=0.1)), 0.6)
    assert named(their.retrieve("?")) == [("x", 0.6), ("p", 0.525)]
    assert named(our.retrieve("?")) == [("p", 0.95), ("x", 0.6)]


def test_a_child_found_twice_counts_twice_for_theirs() -> None:
    nodes = tree({"p": ["a", "b", "c", "d"]})
    their, our = retrievers(nodes, Raw([*scored(nodes, a=0.9, b=0.8), *scored(nodes, a=0.7)]), 0.6)
    assert [name for name, _ in named(their.retrieve("?"))] == ["p"]
    assert named(our.retrieve("?")) == [("a", 0.9), ("b", 0.8)]


def test_one_missing_parent_fails_the_whole_query_of_theirs() -> None:
    nodes = tree({"p": ["a", "b"], "q": ["x", "y"]})
    store = stored({name: node for name, node in nodes.items() if name != "p"})
    their, our = retrievers(nodes, Fixed(scored(nodes, a=0.9, x=0.8, y=0.7)), 0.6, store=store)
    with pytest.raises(ValueError, match="doc_id p not found"):
        their.retrieve("?")
    assert named(our.retrieve("?")) == [("a", 0.9), ("q", 0.8)]


def test_awaited_theirs_blocks_the_loop_with_sync_calls() -> None:
    nodes = tree({"p": ["a", "b"]})
    their, our = retrievers(
        nodes, Fixed(scored(nodes, a=0.9, b=0.8), awaited=True), 0.6, store=stored(nodes, Awaited())
    )
    with pytest.raises(AssertionError, match="a sync method was called"):
        asyncio.run(their.aretrieve("?"))
    assert named(asyncio.run(our.aretrieve("?"))) == [("p", 0.9)]
