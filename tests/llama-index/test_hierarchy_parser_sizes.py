"""No node is over the size of its level, metadata counted."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.hierarchies import LONG, SIZES, depth, parsed, spelled
from fakes.llama_index.parsers import sizes, slices
from llama_index.core import Document
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.utils import get_tokenizer

from llama_index.node_parser.caesura import SemanticHierarchyParser


@pytest.mark.parametrize("metadata", [{}, {"title": "A lamp, bread and taxes", "year": 1921}])
def test_no_node_is_over_the_size_of_its_level_metadata_counted(metadata: dict[str, Any]) -> None:
    _, nodes = parsed(LONG, metadata)
    measured = sizes(nodes, get_tokenizer())
    for node, size in zip(nodes, measured, strict=True):
        assert size <= SIZES[depth(node, nodes)]
        assert node.metadata == metadata
    assert max(measured) > SIZES[1]


def test_sizes_hold_where_those_of_metadata_and_text_do_not_add_up() -> None:
    document, nodes = parsed(LONG, {"k": "v"}, chunk_sizes=[600, 200, 60], tokenizer=spelled)
    slices(document, get_leaf_nodes(nodes))
    by_id = {node.node_id: node for node in nodes}
    for node, size in zip(nodes, sizes(nodes, spelled), strict=True):
        assert size <= [600, 200, 60][depth(node, nodes)]
        for info in node.child_nodes or []:
            assert node.start_char_idx <= by_id[info.node_id].start_char_idx
            assert by_id[info.node_id].end_char_idx <= node.end_char_idx


@pytest.mark.parametrize("chunk_sizes", [[114, 40, 24], [75, 40, 24], [40, 39, 24]])
def test_levels_nest_where_one_has_no_room_for_the_blank_before_a_line_of_code(chunk_sizes: list[int]) -> None:
    text = " unquestionablyThe cat sat. The cat sat. A tax on salt, paid yearly; "
    parser = SemanticHierarchyParser(chunk_sizes=chunk_sizes, tokenizer=spelled)
    nodes = parser([Document(text=text, metadata={"note": "a"})])
    known: set[str] = set()
    for node in nodes:
        assert node.parent_node is None or node.parent_node.node_id in known
        assert len(node.child_nodes or []) != 1
        known.add(node.node_id)
