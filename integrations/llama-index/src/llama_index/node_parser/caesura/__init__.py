"""Semantic splitters and hierarchies for LlamaIndex: documents in, nodes with exact offsets and sizes that hold out."""

from llama_index.node_parser.caesura.embedding import StaticEmbedding
from llama_index.node_parser.caesura.hierarchy import SemanticHierarchyParser
from llama_index.node_parser.caesura.index import HierarchyIndex
from llama_index.node_parser.caesura.retrievers import MergingRetriever
from llama_index.node_parser.caesura.splitters import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
)
from llama_index.node_parser.caesura.stores import SQLiteDocumentStore

__all__ = [
    "ClusterSemanticSplitter",
    "DoublePassSemanticSplitter",
    "HierarchyIndex",
    "MergingRetriever",
    "OptimalSemanticSplitter",
    "SQLiteDocumentStore",
    "SemanticHierarchyParser",
    "SemanticPercentileSplitter",
    "StaticEmbedding",
]
