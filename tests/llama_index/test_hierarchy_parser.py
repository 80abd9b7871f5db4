"""Nodes of all levels: places, sizes, relationships and ids right at each, a text kept once, sync as async."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from llama_index.core import Document, Settings
from llama_index.core.node_parser import (
    get_child_nodes,
    get_deeper_nodes,
    get_leaf_nodes,
    get_root_nodes,
)
from llama_index.core.schema import BaseNode, ImageDocument, NodeRelationship
from llama_index.core.utils import get_tokenizer
from llama_index_fakes import ARTICLE, REPEATED, AsyncWords, Words, at_stops, content, numbered, sizes, slices

from caesura import SettingError
from caesura.adapter import chunk_id
from llama_index.node_parser.caesura import OptimalSemanticSplitter, SemanticHierarchyParser

LONG = "\n\n".join(ARTICLE.replace("lamp", f"lamp {number}") for number in range(6))
SIZES = [400, 100, 30]


def parsed(
    text: str = LONG, metadata: dict[str, Any] | None = None, **settings: Any
) -> tuple[Document, list[BaseNode]]:
    document = Document(text=text, id_="a", metadata=metadata or {})
    return document, SemanticHierarchyParser(**{"chunk_sizes": SIZES, **settings})([document])


def depth(node: BaseNode, nodes: Sequence[BaseNode]) -> int:
    by_id = {each.node_id: each for each in nodes}
    found = 0
    while node.parent_node is not None:
        node, found = by_id[node.parent_node.node_id], found + 1
    return found


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
    document, nodes = parsed(LONG, chunk_sizes=[80, 60, 30], tokenizer=str.split)
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


@pytest.mark.parametrize("metadata", [{}, {"title": "A lamp, bread and taxes", "year": 1921}])
def test_no_node_is_over_the_size_of_its_level_metadata_counted(metadata: dict[str, Any]) -> None:
    _, nodes = parsed(LONG, metadata)
    measured = sizes(nodes, get_tokenizer())
    for node, size in zip(nodes, measured, strict=True):
        assert size <= SIZES[depth(node, nodes)]
        assert node.metadata == metadata
    assert max(measured) > SIZES[1]


def spelled(text: str) -> list[str]:
    """Tokens that do not add up: a text with a colon, as metadata has one, takes half as many again."""
    return list(text) + list(text[: len(text) // 2] if ": " in text else "")


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


def test_relationships_hold_ids_and_no_copies_of_metadata() -> None:
    _, nodes = parsed(LONG, {"title": "t"})
    for node in nodes:
        for relation, info in node.relationships.items():
            infos = info if isinstance(info, list) else [info]
            wanted = {"title": "t"} if relation == NodeRelationship.SOURCE else {}
            assert all(each.metadata == wanted for each in infos)


def test_ids_are_those_of_level_span_and_text() -> None:
    _, nodes = parsed()
    assert content(nodes) == content(parsed()[1])
    for node in nodes:
        span = node.start_char_idx, node.end_char_idx
        assert node.node_id == chunk_id("a", depth(node, nodes), *span, node.text)
        assert str(UUID(node.node_id)) == node.node_id


def test_id_func_numbers_the_nodes_of_a_document_and_relationships_follow() -> None:
    _, nodes = parsed(id_func=numbered)
    assert [node.node_id for node in nodes] == [f"a/{number}" for number in range(len(nodes))]
    assert {info.node_id for node in nodes for info in node.child_nodes or []} < {node.node_id for node in nodes}
    with pytest.raises(SettingError, match="id_func must return a str, got 7"):
        parsed(id_func=lambda i, doc: 7)


@pytest.mark.parametrize("metadata", [{}, {"note": "word " * 60}])
async def test_async_is_sync_and_never_blocks_on_the_embedding(metadata: dict[str, Any]) -> None:
    documents = [Document(text=text, id_=str(n), metadata=metadata) for n, text in enumerate([LONG, "", REPEATED])]
    settings = {"chunk_sizes": SIZES, "sentence_splitter": at_stops}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("llama_index.node_parser.caesura.hierarchy.warn", lambda *_, **__: None)
        nodes = SemanticHierarchyParser(embed_model=Words(), **settings)(documents)
        awaited = await SemanticHierarchyParser(embed_model=AsyncWords(), **settings).acall(documents)
    assert content(awaited) == content(nodes)
    assert len(nodes) > 3


def test_each_sentence_is_embedded_once_for_all_levels_and_documents() -> None:
    model = Words()
    documents = [Document(text=text, id_=str(n)) for n, text in enumerate([LONG, ARTICLE])]
    SemanticHierarchyParser(chunk_sizes=SIZES, embed_model=model, sentence_splitter=at_stops)(documents)
    wanted = [piece.strip() for text in (LONG, ARTICLE) for piece in at_stops(text) if piece.strip()]
    assert model.calls == [wanted]


def test_prev_next_and_metadata_can_be_left_out() -> None:
    _, nodes = parsed(LONG, {"k": "v"}, include_prev_next_rel=False, include_metadata=False)
    assert {relation for node in nodes for relation in node.relationships} == {
        NodeRelationship.SOURCE,
        NodeRelationship.PARENT,
        NodeRelationship.CHILD,
    }
    assert all(node.metadata == {} for node in nodes)


def test_after_another_parser_places_and_sources_are_those_of_the_document() -> None:
    document = Document(text=LONG, id_="root", metadata={"title": "t"})
    pieces = OptimalSemanticSplitter(chunk_size=300)([document])
    nodes = SemanticHierarchyParser(chunk_sizes=[100, 30])(pieces)
    assert len(pieces) > 1
    leaves = get_leaf_nodes(nodes)
    slices(document, leaves)
    assert {node.ref_doc_id for node in nodes} == {"root"}
    assert [leaf.next_node.node_id for leaf in leaves[:-1]] == [leaf.node_id for leaf in leaves[1:]]


def test_documents_are_not_linked_to_each_other_and_an_image_is_not_lost() -> None:
    image = ImageDocument(image="aGVsbG8=", id_="image")
    documents = [
        Document(text=ARTICLE, id_="a"),
        Document(text=" \n", id_="blank"),
        image,
        Document(text=ARTICLE, id_="b"),
    ]
    nodes = SemanticHierarchyParser(chunk_sizes=SIZES)(documents)
    source = {node.node_id: node.ref_doc_id for node in nodes}
    for node in nodes:
        related = [node.next_node, node.prev_node, node.parent_node, *(node.child_nodes or [])]
        assert {source[info.node_id] for info in related if info is not None} <= {node.ref_doc_id}
    assert set(source.values()) == {"a", "image", "b"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"chunk_sizes": []}, "chunk_sizes must fall"),
        ({"chunk_sizes": [128, 512]}, "chunk_sizes must fall"),
        ({"chunk_sizes": [128, 128]}, "chunk_sizes must fall"),
        ({"chunk_sizes": [128, 0]}, "each of chunk_sizes must be a whole number"),
        ({"background": [0.0], "calibrated": False}, "calibrated=True"),
    ],
)
def test_bad_settings_are_refused_at_once(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        SemanticHierarchyParser(**settings)


def test_from_defaults_takes_none_for_a_default() -> None:
    assert SemanticHierarchyParser.from_defaults(chunk_sizes=None).chunk_sizes == [2048, 512, 128]
    assert SemanticHierarchyParser.class_name() == "SemanticHierarchyParser"
    Settings.transformations = [SemanticHierarchyParser()]
    assert pickle.loads(pickle.dumps(Settings.transformations[0])).chunk_sizes == [2048, 512, 128]
