"""Semantic splitters for LangChain: documents in, chunks with exact positions and a size that holds out."""

from langchain_caesura.embeddings import ChunkEmbeddings, StaticEmbeddings
from langchain_caesura.hierarchy import SemanticHierarchySplitter
from langchain_caesura.retrievers import ParentDocumentRetriever
from langchain_caesura.splitters import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
)
from langchain_caesura.stores import SQLiteDocumentStore

__all__ = [
    "ChunkEmbeddings",
    "ClusterSemanticSplitter",
    "DoublePassSemanticSplitter",
    "OptimalSemanticSplitter",
    "ParentDocumentRetriever",
    "SQLiteDocumentStore",
    "SemanticHierarchySplitter",
    "SemanticPercentileSplitter",
    "StaticEmbeddings",
]
