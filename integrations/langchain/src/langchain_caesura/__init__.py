"""Semantic splitters for LangChain: documents in, chunks with exact positions and a size that holds out."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from langchain_caesura.bm25 import BM25Retriever
from langchain_caesura.conversations import from_mail, from_messages, from_slack, from_transcript, from_whatsapp
from langchain_caesura.documents import ScoredDocument
from langchain_caesura.embeddings import ChunkEmbeddings, ContextualEmbeddings, StaticEmbeddings
from langchain_caesura.hierarchy_splitter import SemanticHierarchySplitter
from langchain_caesura.html import from_html
from langchain_caesura.parents.retriever import ParentDocumentRetriever
from langchain_caesura.parsers import from_docling, from_pdf, from_pymupdf, from_unstructured, join_pages
from langchain_caesura.splitters import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
    SemanticSplitter,
)
from langchain_caesura.stores import SQLiteDocumentStore

if TYPE_CHECKING:
    from langchain_caesura.transformers.agentic import AgenticSplitter
    from langchain_caesura.transformers.contexts import ContextTransformer
    from langchain_caesura.transformers.propositions import PropositionTransformer
    from langchain_caesura.transformers.representations import (
        DescriptionTransformer,
        QuestionTransformer,
        SummaryTransformer,
    )

__all__ = [
    "AgenticSplitter",
    "BM25Retriever",
    "ChunkEmbeddings",
    "ClusterSemanticSplitter",
    "ContextTransformer",
    "ContextualEmbeddings",
    "DescriptionTransformer",
    "DoublePassSemanticSplitter",
    "OptimalSemanticSplitter",
    "ParentDocumentRetriever",
    "PropositionTransformer",
    "QuestionTransformer",
    "SQLiteDocumentStore",
    "ScoredDocument",
    "SemanticHierarchySplitter",
    "SemanticPercentileSplitter",
    "SemanticSplitter",
    "StaticEmbeddings",
    "SummaryTransformer",
    "from_docling",
    "from_html",
    "from_mail",
    "from_messages",
    "from_pdf",
    "from_pymupdf",
    "from_slack",
    "from_transcript",
    "from_unstructured",
    "from_whatsapp",
    "join_pages",
]

__version__ = "0.2.0"

_LATER = {
    "AgenticSplitter": "agentic",
    "ContextTransformer": "contexts",
    "DescriptionTransformer": "representations",
    "PropositionTransformer": "propositions",
    "QuestionTransformer": "representations",
    "SummaryTransformer": "representations",
}
"""What asks a language model, and its module in transformers/: loaded on first use, since it needs the extra `llm`."""

if find_spec("caesura_llm") is None:  # so that `import *` takes the rest
    for _name in _LATER:
        __all__.remove(_name)


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.transformers.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
