"""Ids of nodes of all levels are those of level and text, or numbered; relationships hold ids alone."""

from __future__ import annotations

from uuid import UUID

import pytest
from fakes.llama_index.hierarchies import LONG, depth, parsed
from fakes.llama_index.parsers import content, numbered
from llama_index.core.schema import NodeRelationship

from caesura import SettingError
from caesura.ids import chunk_ids


def test_relationships_hold_ids_and_no_copies_of_metadata() -> None:
    _, nodes = parsed(LONG, {"title": "t"})
    for node in nodes:
        for relation, info in node.relationships.items():
            infos = info if isinstance(info, list) else [info]
            wanted = {"title": "t"} if relation == NodeRelationship.SOURCE else {}
            assert all(each.metadata == wanted for each in infos)


def test_ids_are_those_of_level_and_text() -> None:
    _, nodes = parsed()
    assert content(nodes) == content(parsed()[1])
    assert [node.node_id for node in nodes] == chunk_ids(("a", depth(node, nodes), node.text) for node in nodes)
    assert all(str(UUID(node.node_id)) == node.node_id for node in nodes)


def test_id_func_numbers_the_nodes_of_a_document_and_relationships_follow() -> None:
    _, nodes = parsed(id_func=numbered)
    assert [node.node_id for node in nodes] == [f"a/{number}" for number in range(len(nodes))]
    assert {info.node_id for node in nodes for info in node.child_nodes or []} < {node.node_id for node in nodes}
    with pytest.raises(SettingError, match="id_func must return a str, got 7"):
        parsed(id_func=lambda i, doc: 7)
