"""References that were found lead to their nodes, over other references, and one node is one find."""

from __future__ import annotations

import logging

import pytest
from fakes.llama_index.retrievers import Fixed, merged, named, reference, scored, stored, tree
from llama_index.core.schema import IndexNode, NodeWithScore

from llama_index.node_parser.caesura import MergingRetriever


def test_references_are_followed_and_one_node_is_one_find() -> None:
    nodes = tree({"p": ["a", "b", "c"]})
    questions = [
        NodeWithScore(node=reference("q1", "a"), score=0.9),
        NodeWithScore(node=nodes["a"], score=0.7),
        NodeWithScore(node=reference("q2", "a"), score=0.8),
    ]
    assert merged(nodes, questions) == [("a", 0.9)]
    assert merged(nodes, questions, score="sum") == [("a", 0.9)]
    summary = NodeWithScore(node=reference("s", "p"), score=0.6)
    assert merged(nodes, [*questions, summary]) == [("p", 0.9)]


def test_references_to_references_are_followed_and_circles_end() -> None:
    nodes = tree({"p": ["a", "b", "c"]})
    nodes["q"] = reference("q", "a")
    nodes["x"], nodes["y"] = reference("x", "y"), reference("y", "x")
    first = NodeWithScore(node=reference("r", "q"), score=0.9)
    assert merged(nodes, [first]) == [("a", 0.9)]
    assert len(merged(nodes, [NodeWithScore(node=nodes["x"], score=0.5)])) == 1


def test_a_reference_to_what_is_not_there_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    nodes = tree({"p": ["a"]})
    with caplog.at_level(logging.WARNING):
        assert merged(nodes, [NodeWithScore(node=reference("q", "gone"), score=0.9)]) == [("q", 0.9)]
    assert "gone, which q refers to, is not in the docstore" in caplog.text


def test_a_reference_to_an_object_is_left_to_the_framework(caplog: pytest.LogCaptureFixture) -> None:
    nodes = tree({"p": ["a", "b", "c"]})
    inner = Fixed(scored(nodes, b=0.4))
    table = IndexNode(id_="t", text="a table", index_id="table", obj=inner)
    outer = MergingRetriever(
        Fixed([NodeWithScore(node=reference("q", "table"), score=0.9)]), stored(nodes), objects=[table]
    )
    assert named(outer.retrieve("?")) == [("b", 0.4)]
    assert caplog.text == ""
