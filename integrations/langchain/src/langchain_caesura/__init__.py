"""Semantic splitters for LangChain: documents in, chunks with exact positions and a size that holds out."""

from langchain_caesura.embeddings import StaticEmbeddings
from langchain_caesura.splitters import DoublePassSemanticSplitter, SemanticPercentileSplitter

__all__ = ["DoublePassSemanticSplitter", "SemanticPercentileSplitter", "StaticEmbeddings"]
