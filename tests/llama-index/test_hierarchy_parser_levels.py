"""Nodes of all levels: children tile their parent, levels are chains, and a text is kept once."""

from __future__ import annotations

from itertools import pairwise

import pytest
from fakes.llama_index.hierarchies import LONG, depth, parsed
from fakes.llama_index.parsers import ARTICLE, slices
from llama_index.core.node_parser import get_child_nodes, get_deeper_nodes, get_leaf_nodes, get_root_nodes
from llama_index.core.schema import NodeRelationship


@pytest.mark.parametrize("cut", ["optimal", "double_pass", "percentile", "cluster"])
def test_leaves_and_roots_tile_the_document_and_children_their_parent(cut: str) -> None:
    document, nodes = parsed(cut=cut)
    slices(document, get_leaf_nodes(nodes))
    slices(document, get_root_nodes(nodes))
    by_id = {node.node_id: node for node in nodes}
    assert len(by_id) == len(nodes)
    for node in nodes:
        assert document.text[node.start_char_idx : node.end_char_idx] == node.text
        children = [by_id[info.node_id] for info in node.child_nodes or []]
        assert len(children) != 1
        for child in children:
            assert child.parent_node is not None
            assert child.parent_node.node_id == node.node_id
            assert node.start_char_idx <= child.start_char_idx < child.end_char_idx <= node.end_char_idx
        if children:
            assert "".join("".join(child.text.split()) for child in children) == "".join(node.text.split())


def test_every_node_but_roots_has_a_parent_that_names_it() -> None:
    _, nodes = parsed()
    named = {info.node_id for node in nodes for info in node.child_nodes or []}
    assert named == {node.node_id for node in nodes if node.parent_node is not None}
    assert {depth(node, nodes) for node in nodes} == {0, 1, 2}


def test_next_and_previous_join_a_level_over_the_borders_of_parents() -> None:
    document, nodes = parsed()
    by_id = {node.node_id: node for node in nodes}
    leaves = get_leaf_nodes(nodes)
    assert NodeRelationship.PREVIOUS not in leaves[0].relationships
    assert NodeRelationship.NEXT not in leaves[-1].relationships
    crossed = 0
    for leaf, following in pairwise(leaves):
        assert leaf.next_node.node_id == following.node_id
        assert following.prev_node.node_id == leaf.node_id
        crossed += leaf.parent_node != following.parent_node
    assert crossed > 3
    for node in nodes:
        if node.next_node is not None:
            following = by_id[node.next_node.node_id]
            assert not document.text[node.end_char_idx : following.start_char_idx].strip()
        if node.next_node is None:
            assert not document.text[node.end_char_idx :].strip()


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_level_without_short_cuts_is_one_chain(level: int) -> None:
    """Where every node of the coarser levels has children, each level is a chain of its own."""
    _, nodes = parsed()
    assert all(node.child_nodes for node in nodes if depth(node, nodes) < 2)
    tiles = [node for node in nodes if depth(node, nodes) == level]
    assert [node.next_node.node_id for node in tiles[:-1]] == [node.node_id for node in tiles[1:]]
    assert [node.prev_node.node_id for node in tiles[1:]] == [node.node_id for node in tiles[:-1]]


def test_no_text_is_kept_twice() -> None:
    document, nodes = parsed("One short sentence. And a second one.")
    assert [node.text for node in nodes] == [document.text]
    assert not {NodeRelationship.PARENT, NodeRelationship.CHILD} & set(nodes[0].relationships)
    _, nodes = parsed(ARTICLE + "\n\n# End\n\nNo more.")
    assert len({node.text for node in nodes}) == len(nodes)


def test_a_leaf_that_stands_in_for_its_parents_is_linked_to_leaves() -> None:
    document, nodes = parsed(LONG, chunk_sizes=[80, 60, 30], cut="percentile", tokenizer=str.split)
    leaves = get_leaf_nodes(nodes)
    assert {depth(leaf, nodes) for leaf in leaves} > {2}
    slices(document, leaves)
    assert [leaf.next_node.node_id for leaf in leaves[:-1]] == [leaf.node_id for leaf in leaves[1:]]


def test_the_helpers_of_llama_index_see_the_levels() -> None:
    _, nodes = parsed()
    roots = get_root_nodes(nodes)
    assert [depth(node, nodes) for node in roots] == [0] * len(roots)
    for below in (1, 2):
        assert get_deeper_nodes(nodes, depth=below) == [node for node in nodes if depth(node, nodes) == below]
    assert get_child_nodes(roots, nodes) == get_deeper_nodes(nodes, depth=1)
    assert nodes == sorted(nodes, key=lambda node: (node.start_char_idx, depth(node, nodes)))
