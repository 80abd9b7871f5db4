"""No node is over the size of its level, metadata counted; a level without room is left out, and said."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.hierarchies import LONG, SIZES, depth, parsed, spelled
from fakes.llama_index.parsers import content, sizes, slices
from llama_index.core import Document
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.utils import get_tokenizer

from caesura import SettingError
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


def test_a_level_that_metadata_leaves_no_room_in_is_left_out_and_said() -> None:
    heavy = Document(text=LONG, id_="heavy", metadata={"note": "word " * 60})
    light = Document(text=LONG, id_="light", metadata={"note": "word"})
    parser = SemanticHierarchyParser(chunk_sizes=SIZES)
    with pytest.warns(UserWarning, match=r"(?s)'heavy' takes \d+ tokens.*chunk_sizes \[30\].*cut at \[400, 100\] only"):
        nodes = parser([light, heavy, Document(text=LONG, id_="none")])
    assert content([node for node in nodes if node.ref_doc_id == "light"]) == content(parser([light]))
    own = [node for node in nodes if node.ref_doc_id == "heavy"]
    assert {depth(node, own) for node in own} == {0, 1}
    slices(heavy, get_leaf_nodes(own))
    assert all(size <= SIZES[depth(node, own)] for node, size in zip(own, sizes(own, get_tokenizer()), strict=True))
    leaves = get_leaf_nodes(own)
    assert [leaf.next_node.node_id for leaf in leaves[:-1]] == [leaf.node_id for leaf in leaves[1:]]


def test_metadata_that_leaves_no_room_anywhere_is_refused() -> None:
    with pytest.raises(SettingError, match=r"(?s)'a' takes \d+ tokens.*chunk_sizes\[0\]=400: raise"):
        parsed(LONG, {"note": "word " * 500})


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
