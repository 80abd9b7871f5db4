"""SemanticHierarchyParser: sync as async, each sentence embedded once, documents apart."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.embeddings import AsyncWords, Words
from fakes.llama_index.hierarchies import LONG, SIZES, parsed
from fakes.llama_index.parsers import ARTICLE, REPEATED, at_stops, content, slices
from llama_index.core import Document
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.schema import ImageDocument, NodeRelationship

from llama_index.node_parser.caesura import OptimalSemanticSplitter, SemanticHierarchyParser


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


def test_all_that_refer_to_a_node_share_one_reference() -> None:
    documents = [Document(text=LONG, id_="a"), Document(text=LONG, id_="b")]
    nodes = SemanticHierarchyParser(chunk_sizes=SIZES)(documents)
    found: dict[str, set[int]] = {}
    for node in nodes:
        for info in [node.next_node, node.prev_node, node.parent_node, *(node.child_nodes or [])]:
            if info is not None:
                found.setdefault(info.node_id, set()).add(id(info))
    assert found.keys() == {node.node_id for node in nodes}
    assert all(len(references) == 1 for references in found.values())
