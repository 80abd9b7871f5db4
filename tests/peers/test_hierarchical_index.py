"""An index over LlamaIndex's HierarchicalNodeParser, as its documentation builds it: theirs fails, ours passes."""

from __future__ import annotations

import pytest
from fakes.splitters.hierarchical_peers import document, ours, theirs
from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from llama_index.node_parser.caesura import HierarchyIndex, StaticEmbedding

pytestmark = pytest.mark.peers


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
        states.append((set(our.index_struct.nodes_dict), set(our.docstore.docs)))
    assert states[0] == states[1]
    our.delete("d")
    assert (our.index_struct.nodes_dict, our.docstore.docs) == ({}, {})


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
