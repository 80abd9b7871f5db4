"""Semantic splitters for LangChain: documents in, chunks with exact positions and a size that holds out."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from langchain_caesura.chunk_embeddings import ChunkEmbeddings
from langchain_caesura.embeddings import StaticEmbeddings
from langchain_caesura.parents.retriever import ParentDocumentRetriever
from langchain_caesura.splitters.cluster import ClusterSemanticSplitter
from langchain_caesura.splitters.double_pass import DoublePassSemanticSplitter
from langchain_caesura.splitters.hierarchy import SemanticHierarchySplitter
from langchain_caesura.splitters.optimal import OptimalSemanticSplitter
from langchain_caesura.splitters.percentile import SemanticPercentileSplitter
from langchain_caesura.splitters.semantic import SemanticSplitter
from langchain_caesura.stores import SQLiteDocumentStore

if TYPE_CHECKING:
    from langchain_caesura.llm.agentic import AgenticSplitter
    from langchain_caesura.llm.descriptions import DescriptionTransformer
    from langchain_caesura.llm.propositions import PropositionTransformer
    from langchain_caesura.llm.representations import QuestionTransformer, SummaryTransformer

__all__ = [
    "AgenticSplitter",
    "ChunkEmbeddings",
    "ClusterSemanticSplitter",
    "DescriptionTransformer",
    "DoublePassSemanticSplitter",
    "OptimalSemanticSplitter",
    "ParentDocumentRetriever",
    "PropositionTransformer",
    "QuestionTransformer",
    "SQLiteDocumentStore",
    "SemanticHierarchySplitter",
    "SemanticPercentileSplitter",
    "SemanticSplitter",
    "StaticEmbeddings",
    "SummaryTransformer",
]

_LATER = {
    "AgenticSplitter": "agentic",
    "DescriptionTransformer": "descriptions",
    "PropositionTransformer": "propositions",
    "QuestionTransformer": "representations",
    "SummaryTransformer": "representations",
}
"""What asks a language model, and where in llm/ it is: who only splits does not load it."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.llm.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
