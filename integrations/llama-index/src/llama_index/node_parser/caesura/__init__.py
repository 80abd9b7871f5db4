"""Semantic splitters for LlamaIndex: documents in, nodes with exact offsets and a size that holds out."""

from llama_index.node_parser.caesura.embedding import StaticEmbedding
from llama_index.node_parser.caesura.splitters import DoublePassSemanticSplitter, SemanticPercentileSplitter

__all__ = ["DoublePassSemanticSplitter", "SemanticPercentileSplitter", "StaticEmbedding"]
