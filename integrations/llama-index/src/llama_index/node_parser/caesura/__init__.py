"""Semantic splitters for LlamaIndex: documents in, nodes with exact offsets and a size that holds out."""

from llama_index.node_parser.caesura.embedding import StaticEmbedding
from llama_index.node_parser.caesura.splitters import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
)

__all__ = [
    "ClusterSemanticSplitter",
    "DoublePassSemanticSplitter",
    "OptimalSemanticSplitter",
    "SemanticPercentileSplitter",
    "StaticEmbedding",
]
