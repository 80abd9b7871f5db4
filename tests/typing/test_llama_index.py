"""What a user of the LlamaIndex plugin writes: mypy and pyright check the types that come of it, pytest runs it."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import numpy as np
from llama_index.core import Document, MockEmbedding
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, NodeWithScore, TextNode, TransformComponent
from llama_index.core.storage.docstore import BaseDocumentStore
from llama_index.core.vector_stores import MetadataFilters

from caesura import Adjacent, Limits, PercentileCut
from caesura.types import Breaks, Sizes, Vectors
from llama_index.node_parser.caesura import (
    BM25Retriever,
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    HierarchyIndex,
    OptimalSemanticSplitter,
    SemanticHierarchyParser,
    SemanticPercentileSplitter,
    SemanticSplitter,
    SQLiteDocumentStore,
    StaticEmbedding,
)

TEXT = "Bread dough rises because yeast makes gas. A warm kitchen helps the yeast. The moon pulls at the sea."


def in_pairs(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    return np.arange(2, len(vectors), 2)


def of_lists(texts: list[str]) -> list[list[float]]:
    return [[1.0, "moon" in text] for text in texts]


def test_splitters_are_node_parsers() -> None:
    parsers: list[NodeParser] = [
        DoublePassSemanticSplitter(chunk_size=20),
        OptimalSemanticSplitter(embed_model=MockEmbedding(embed_dim=8), target_size=15),
        ClusterSemanticSplitter(embed_model=of_lists, n_clusters=2, calibrated=False),
        SemanticPercentileSplitter.like_semantic_splitter(StaticEmbedding()),
        SemanticSplitter(cut=in_pairs, chunk_size=20),
        SemanticSplitter(embed_model=StaticEmbedding(), cut=PercentileCut(gaps=Adjacent(2))),
        SemanticHierarchyParser.from_defaults(chunk_sizes=[64, 16]),
    ]
    for parser in parsers:
        assert_type(parser.get_nodes_from_documents([Document(text=TEXT)]), list[BaseNode])


async def test_the_same_awaited() -> None:
    transformer: TransformComponent = DoublePassSemanticSplitter(chunk_size=20)
    assert len(await transformer.acall([Document(text=TEXT)])) > 1


def test_a_dict_brings_back_its_own_class() -> None:
    splitter = ClusterSemanticSplitter(n_clusters=2)
    assert_type(ClusterSemanticSplitter.from_dict(splitter.to_dict()), ClusterSemanticSplitter)
    assert_type(SemanticPercentileSplitter.like_semantic_splitter(), SemanticPercentileSplitter)


def test_embeddings_indexes_and_stores_are_llama_indexs(tmp_path: Path) -> None:
    embedding: BaseEmbedding = StaticEmbedding()
    filed = SQLiteDocumentStore(tmp_path / "nodes.db")
    store: BaseDocumentStore = filed
    index = HierarchyIndex(
        transformations=[SemanticHierarchyParser(chunk_sizes=[64, 16])], embed_model=embedding, docstore=store
    )
    index.upsert([Document(text=TEXT)])
    assert_type(HierarchyIndex.from_documents([], embed_model=embedding), HierarchyIndex)
    retriever = index.as_retriever(similarity_top_k=2)
    assert_type(retriever, BaseRetriever)
    assert_type(retriever.retrieve("Why does dough rise?"), list[NodeWithScore])
    filed.close()


def test_the_retriever_of_words_is_llama_indexs(tmp_path: Path) -> None:
    nodes = [TextNode(text=TEXT)]
    retriever: BaseRetriever = BM25Retriever(nodes, similarity_top_k=3, filters=MetadataFilters(filters=[]))
    assert_type(retriever.retrieve("Why does dough rise?"), list[NodeWithScore])
    filed = BM25Retriever.from_defaults(nodes=nodes, path=tmp_path / "words.db")
    assert_type(filed, BM25Retriever)
    assert_type(filed.insert_nodes(nodes), None)
    filed.close()


def test_what_is_wrong_is_an_error_before_it_runs() -> None:
    def wrong() -> None:
        DoublePassSemanticSplitter(chunk_size="80")  # type: ignore[arg-type]
        DoublePassSemanticSplitter(chunksize=80)  # type: ignore[call-arg]
        DoublePassSemanticSplitter(cut=in_pairs)  # type: ignore[call-arg]
        BM25Retriever(similarity_top_k="3")  # type: ignore[arg-type]
        BM25Retriever(path=3)  # type: ignore[arg-type]
        SemanticSplitter(cut=len)  # type: ignore[arg-type]
        SemanticSplitter()  # type: ignore[call-arg]
        DoublePassSemanticSplitter(embed_model="openai")  # type: ignore[arg-type]

    assert callable(wrong)
