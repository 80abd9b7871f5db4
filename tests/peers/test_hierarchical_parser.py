"""LlamaIndex's HierarchicalNodeParser, fault by fault: theirs fails, ours passes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from fakes.splitters.hierarchical_peers import TEXT, document, ours, theirs
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.node_parser import HierarchicalNodeParser, TokenTextSplitter, get_leaf_nodes
from llama_index.core.schema import BaseNode

pytestmark = pytest.mark.peers


def below(nodes: Sequence[BaseNode]) -> list[BaseNode]:
    return [node for node in nodes if node.parent_node is not None]


def in_place(nodes: Sequence[BaseNode]) -> list[bool]:
    return [TEXT[node.start_char_idx or 0 : node.end_char_idx or 0] == node.text for node in nodes]


def test_awaited_theirs_returns_documents_unsplit() -> None:
    for call in (
        lambda parser: parser.acall([document()]),
        lambda parser: parser.aget_nodes_from_documents([document()]),
        lambda parser: IngestionPipeline(transformations=[parser], disable_cache=True).arun(documents=[document()]),
    ):
        assert [type(node) for node in asyncio.run(call(theirs()))] == [Document]
        assert asyncio.run(call(ours())) == ours()([document()])
    assert len(theirs()([document()])) > 20


def test_theirs_has_no_next_below_the_top() -> None:
    assert not any(node.next_node for node in below(theirs()([document()])))
    leaves = get_leaf_nodes(ours()([document()]))
    assert all(node.next_node for node in leaves[:-1])


def test_offsets_of_theirs_are_in_the_parent_though_the_source_is_the_document() -> None:
    inside = below(theirs()([document()]))
    assert {node.ref_doc_id for node in inside} == {"d"}
    assert sum(in_place(inside)) < len(inside) / 2
    assert all(in_place(ours()([document()])))


def test_theirs_keeps_a_short_document_once_per_level() -> None:
    short = document("One sentence that is short.")
    assert [node.text for node in theirs()([short])] == [short.text] * 3
    assert [node.text for node in ours()([short])] == [short.text]


def test_metadata_over_the_smallest_size_stops_theirs() -> None:
    heavy = document(metadata={"note": "word " * 40})
    with pytest.raises(ValueError, match="longer than chunk size"):
        theirs()([heavy])
    with pytest.warns(UserWarning, match="chunk_sizes.*leaves no room"):
        assert len(ours()([heavy])) > 3


def test_two_parsers_of_theirs_share_a_cache_key() -> None:
    def parser(size: int) -> HierarchicalNodeParser:
        splitters: dict[str, Any] = {"one": TokenTextSplitter(chunk_size=size, chunk_overlap=0)}
        return HierarchicalNodeParser.from_defaults(node_parser_ids=["one"], node_parser_map=splitters)

    keys = {size: get_transformation_hash([document()], parser(size)) for size in (64, 512)}
    own = {size: get_transformation_hash([document()], ours([size])) for size in (64, 512)}
    assert own[64] != own[512]
    assert keys[64] == keys[512]
