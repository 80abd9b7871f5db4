"""LlamaIndex's HierarchicalNodeParser and AutoMergingRetriever, fault by fault: theirs fails, ours passes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.node_parser import HierarchicalNodeParser, TokenTextSplitter, get_leaf_nodes
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index_retrieval_fakes import Awaited, Fixed, Raw, named, scored, stored, tree

from llama_index.node_parser.caesura import HierarchyIndex, MergingRetriever, SemanticHierarchyParser, StaticEmbedding

pytestmark = pytest.mark.peers

SIZES = [256, 64, 24]
TEXT = "\n\n".join(
    f"Ship {number} left the harbour at dawn. Yes. It carried {number} tons of salt. The crew were paid in salt. Yes.\n"
    f"On day {number} the fog came down. Nobody saw the lamp. The keeper rang the bell until noon. Yes."
    for number in range(12)
)


def document(text: str = TEXT, **fields: Any) -> Document:
    return Document(text=text, id_="d", **fields)


def theirs(sizes: Sequence[int] = SIZES) -> HierarchicalNodeParser:
    """Theirs, of sentences; the first use of their sentence splitter fails where nltk refuses its data."""
    for _ in range(2):
        try:
            parser = HierarchicalNodeParser.from_defaults(chunk_sizes=list(sizes), chunk_overlap=0)
            parser.get_nodes_from_documents([document("One. Two.")])
        except PermissionError:
            continue
        return parser
    raise AssertionError("nltk refuses its data for good")


def ours(sizes: Sequence[int] = SIZES) -> SemanticHierarchyParser:
    return SemanticHierarchyParser(chunk_sizes=list(sizes))


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
    with pytest.warns(UserWarning, match="leaves no room in chunk_sizes"):
        assert len(ours()([heavy])) > 3


def test_two_parsers_of_theirs_share_a_cache_key() -> None:
    def parser(size: int) -> HierarchicalNodeParser:
        splitters: dict[str, Any] = {"one": TokenTextSplitter(chunk_size=size, chunk_overlap=0)}
        return HierarchicalNodeParser.from_defaults(node_parser_ids=["one"], node_parser_map=splitters)

    keys = {size: get_transformation_hash([document()], parser(size)) for size in (64, 512)}
    own = {size: get_transformation_hash([document()], ours([size])) for size in (64, 512)}
    assert own[64] != own[512]
    assert keys[64] == keys[512]


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


def gap(nodes: Sequence[BaseNode]) -> list[BaseNode]:
    """Three neighbouring leaves of one parent."""
    leaves = get_leaf_nodes(list(nodes))
    for first, second, third in zip(leaves, leaves[1:], leaves[2:], strict=False):
        if first.parent_node and {each.parent_node and each.parent_node.node_id for each in (second, third)} == {
            first.parent_node.node_id
        }:
            return [first, second, third]
    raise AssertionError("no three leaves of one parent")


def test_gaps_between_leaves_are_never_filled_by_theirs() -> None:
    for parser, filled in ((theirs(), False), (ours(), True)):
        nodes = {node.node_id: node for node in parser([document()])}
        first, middle, last = gap(list(nodes.values()))
        found = Fixed(scored(nodes, **{first.node_id: 0.9, last.node_id: 0.8}))
        their, our = retrievers(nodes, found, 1)
        retriever = our if filled else their
        assert (middle.node_id in [name for name, _ in named(retriever.retrieve("?"))]) == filled


def test_an_index_of_theirs_doubles_on_a_second_run_and_cannot_delete() -> None:
    """As their documentation builds it: leaves in the index, all nodes in its document store."""
    context = StorageContext.from_defaults()
    index = VectorStoreIndex([], storage_context=context, embed_model=StaticEmbedding(), transformations=[])
    counts = []
    for _ in range(2):
        nodes = theirs()([document()])
        context.docstore.add_documents(nodes)
        index.insert_nodes(get_leaf_nodes(nodes))
        counts.append((len(index.index_struct.nodes_dict), len(context.docstore.docs)))
    assert counts[1] == (2 * counts[0][0], 2 * counts[0][1])
    with pytest.raises(KeyError):
        index.delete_ref_doc("d", delete_from_docstore=True)
    assert isinstance(index.vector_store, SimpleVectorStore)
    assert index.vector_store.data.embedding_dict == {}
    assert len(context.docstore.docs) == counts[1][1]

    our = HierarchyIndex(transformations=[ours()], embed_model=StaticEmbedding())
    states = []
    for _ in range(2):
        our.upsert([document()])
        states.append((set(our.vector_index.index_struct.nodes_dict), set(our.docstore.docs)))
    assert states[0] == states[1]
    our.delete("d")
    assert (our.vector_index.index_struct.nodes_dict, our.docstore.docs) == ({}, {})


def test_a_pipeline_does_not_keep_the_parents_that_theirs_needs() -> None:
    store = SimpleDocumentStore()
    pipeline = IngestionPipeline(
        transformations=[theirs(), StaticEmbedding()], docstore=store, vector_store=SimpleVectorStore()
    )
    nodes = pipeline.run(documents=[document()])
    assert len(nodes) > 20
    assert list(store.docs) == ["d"]
    parents = {node.parent_node.node_id for node in nodes if node.parent_node is not None}
    assert parents.isdisjoint(store.docs)

    our = HierarchyIndex.from_documents([document()], transformations=[ours()], embed_model=StaticEmbedding())
    parents = {node.parent_node.node_id for node in our.docstore.docs.values() if node.parent_node is not None}
    assert len(parents) > 3
    assert parents <= set(our.docstore.docs)
