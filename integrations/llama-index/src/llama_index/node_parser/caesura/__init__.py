"""Semantic splitters, hierarchies, propositions, summaries for LlamaIndex: documents in, nodes of exact place out."""

from llama_index.node_parser.caesura.agentic import AgenticSplitter
from llama_index.node_parser.caesura.derived import spans_of
from llama_index.node_parser.caesura.embedding import StaticEmbedding
from llama_index.node_parser.caesura.hierarchy import SemanticHierarchyParser
from llama_index.node_parser.caesura.index import HierarchyIndex
from llama_index.node_parser.caesura.propositions import PropositionTransformer
from llama_index.node_parser.caesura.representations import (
    DescriptionTransformer,
    QuestionTransformer,
    SummaryTransformer,
)
from llama_index.node_parser.caesura.retrievers import MergingRetriever
from llama_index.node_parser.caesura.splitters import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
)
from llama_index.node_parser.caesura.stores import SQLiteDocumentStore

__all__ = [
    "AgenticSplitter",
    "ClusterSemanticSplitter",
    "DescriptionTransformer",
    "DoublePassSemanticSplitter",
    "HierarchyIndex",
    "MergingRetriever",
    "OptimalSemanticSplitter",
    "PropositionTransformer",
    "QuestionTransformer",
    "SQLiteDocumentStore",
    "SemanticHierarchyParser",
    "SemanticPercentileSplitter",
    "StaticEmbedding",
    "SummaryTransformer",
    "spans_of",
]
