"""References lead to their node in LlamaIndex's retriever, and in our index."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.llms import Plain
from fakes.llama_index.parsers import ARTICLE
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.retrievers import RecursiveRetriever
from llama_index.core.schema import IndexNode

from llama_index.node_parser.caesura import (
    HierarchyIndex,
    MergingRetriever,
    QuestionTransformer,
    StaticEmbedding,
    SummaryTransformer,
)

ONE = [Document(text=ARTICLE, id_="a", metadata={"source": "a.txt"})]
kinds = pytest.mark.parametrize("kind", [SummaryTransformer, QuestionTransformer])


@kinds
def test_llama_indexs_recursive_retriever_follows_them(kind: Any) -> None:
    nodes = kind(Plain())(ONE)
    index = VectorStoreIndex([node for node in nodes if isinstance(node, IndexNode)], embed_model=StaticEmbedding())
    retriever = RecursiveRetriever(
        "v", {"v": index.as_retriever(similarity_top_k=1)}, node_dict={node.node_id: node for node in nodes}
    )
    (found,) = retriever.retrieve("What about bread and flour?")
    assert found.node.text.startswith("Bread needs flour")
    assert not isinstance(found.node, IndexNode)


@kinds
async def test_our_index_and_retriever_follow_them(kind: Any) -> None:
    index = HierarchyIndex(transformations=[kind(Plain())], embed_model=StaticEmbedding())
    index.upsert(ONE)
    for retriever in (index.as_retriever(None, similarity_top_k=3), index.as_retriever()):
        for found in (retriever.retrieve("What about bread?"), await retriever.aretrieve("What about bread?")):
            assert found[0].node.text.startswith("Bread needs flour")
            assert not any(isinstance(one.node, IndexNode) for one in found)
    assert isinstance(index.as_retriever(None), MergingRetriever)
    index.delete_ref_doc("a")
    assert index.docstore.docs == {}


@kinds
def test_after_an_edit_no_reference_of_an_old_node_is_found(kind: Any) -> None:
    index = HierarchyIndex(transformations=[kind(Plain())], embed_model=StaticEmbedding())
    index.upsert(ONE)
    edited = Document(text="Bread needs flour. It bakes for an hour.", id_="a", metadata={"source": "a.txt"})
    index.upsert([edited])
    fresh = HierarchyIndex(transformations=[kind(Plain())], embed_model=StaticEmbedding())
    fresh.upsert([edited])
    assert index.docstore.docs.keys() == fresh.docstore.docs.keys()
    stores = [each.vector_store for each in (index, fresh)]
    assert stores[0].data.embedding_dict.keys() == stores[1].data.embedding_dict.keys()
