"""Semantic splitters, hierarchies, propositions and summaries for LlamaIndex."""

from llama_index.node_parser.caesura.embedding import ContextualEmbedding, StaticEmbedding
from llama_index.node_parser.caesura.hierarchy_parser import SemanticHierarchyParser
from llama_index.node_parser.caesura.join_pages import JoinPages
from llama_index.node_parser.caesura.nodes import from_docling, from_unstructured
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval.index import HierarchyIndex
from llama_index.node_parser.caesura.retrieval.merging import MergingRetriever
from llama_index.node_parser.caesura.splitters import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
    SemanticSplitter,
)
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
    "ClusterSemanticSplitter",
    "ContextTransformer",
    "ContextualEmbedding",
    "DescriptionTransformer",
    "DoublePassSemanticSplitter",
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
    "from_unstructured",
    "spans_of",
]

__version__ = "0.1.0"
