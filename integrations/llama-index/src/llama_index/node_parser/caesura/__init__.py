"""Semantic splitters, hierarchies, propositions and summaries for LlamaIndex."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from llama_index.node_parser.caesura.conversations import (
    from_mail,
    from_messages,
    from_slack,
    from_transcript,
    from_whatsapp,
)
from llama_index.node_parser.caesura.embeddings import ContextualEmbedding, StaticEmbedding
from llama_index.node_parser.caesura.hierarchy_parser import SemanticHierarchyParser
from llama_index.node_parser.caesura.html import from_html
from llama_index.node_parser.caesura.join_pages import JoinPages
from llama_index.node_parser.caesura.nodes import from_docling, from_pdf, from_pymupdf, from_unstructured
from llama_index.node_parser.caesura.retrieval.bm25 import BM25Retriever
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval.found_node import FoundNode
from llama_index.node_parser.caesura.retrieval.index import HierarchyIndex
from llama_index.node_parser.caesura.retrieval.merging_retriever import MergingRetriever
from llama_index.node_parser.caesura.splitters import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
    SemanticSplitter,
)

if TYPE_CHECKING:
    from llama_index.node_parser.caesura.transformers.agentic import AgenticSplitter
    from llama_index.node_parser.caesura.transformers.contexts import ContextTransformer
    from llama_index.node_parser.caesura.transformers.passage_nodes import spans_of
    from llama_index.node_parser.caesura.transformers.propositions import PropositionTransformer
    from llama_index.node_parser.caesura.transformers.representations import (
        DescriptionTransformer,
        QuestionTransformer,
        SummaryTransformer,
    )

__all__ = [
    "AgenticSplitter",
    "BM25Retriever",
    "ClusterSemanticSplitter",
    "ContextTransformer",
    "ContextualEmbedding",
    "DescriptionTransformer",
    "DoublePassSemanticSplitter",
    "FoundNode",
    "HierarchyIndex",
    "JoinPages",
    "MergingRetriever",
    "OptimalSemanticSplitter",
    "PropositionTransformer",
    "QuestionTransformer",
    "SQLiteDocumentStore",
    "SemanticHierarchyParser",
    "SemanticPercentileSplitter",
    "SemanticSplitter",
    "StaticEmbedding",
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
    "spans_of",
]

__version__ = "0.2.0"

_LATER = {
    "AgenticSplitter": "agentic",
    "ContextTransformer": "contexts",
    "DescriptionTransformer": "representations",
    "PropositionTransformer": "propositions",
    "QuestionTransformer": "representations",
    "SummaryTransformer": "representations",
    "spans_of": "passage_nodes",
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
