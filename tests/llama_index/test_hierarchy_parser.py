"""SemanticHierarchyParser: ids, sync as async, each sentence embedded once, documents apart, settings."""

from __future__ import annotations

import pickle
from typing import Any
from uuid import UUID

import pytest
from llama_index.core import Document
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.schema import ImageDocument, NodeRelationship
from llama_index_embedding_fakes import AsyncWords, Words
from llama_index_fakes import ARTICLE, REPEATED, at_stops, content, numbered, slices
from llama_index_hierarchy_fakes import LONG, SIZES, depth, parsed

from caesura import SettingError
from caesura.adapter import chunk_id
from llama_index.node_parser.caesura import OptimalSemanticSplitter, SemanticHierarchyParser


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


@pytest.mark.filterwarnings("ignore::UserWarning")  # of metadata that leaves no room
@pytest.mark.parametrize("metadata", [{}, {"note": "word " * 60}])
async def test_async_is_sync_and_never_blocks_on_the_embedding(metadata: dict[str, Any]) -> None:
    documents = [Document(text=text, id_=str(n), metadata=metadata) for n, text in enumerate([LONG, "", REPEATED])]
    settings = {"chunk_sizes": SIZES, "sentence_splitter": at_stops}
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


def test_a_pickled_parser_makes_the_same_nodes() -> None:
    made = SemanticHierarchyParser(chunk_sizes=SIZES, embed_model=Words(), sentence_splitter=at_stops)
    document = Document(text=LONG, id_="a")
    assert content(pickle.loads(pickle.dumps(made))([document])) == content(made([document]))
