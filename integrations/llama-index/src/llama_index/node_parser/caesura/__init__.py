"""Semantic splitters, hierarchies, propositions, summaries for LlamaIndex: documents in, nodes of exact place out."""

from llama_index.node_parser.caesura.embedding import StaticEmbedding
from llama_index.node_parser.caesura.hierarchy import SemanticHierarchyParser
from llama_index.node_parser.caesura.llm.agentic import AgenticSplitter
from llama_index.node_parser.caesura.llm.derived import spans_of
from llama_index.node_parser.caesura.llm.descriptions import DescriptionTransformer
from llama_index.node_parser.caesura.llm.propositions import PropositionTransformer
from llama_index.node_parser.caesura.llm.representations import QuestionTransformer, SummaryTransformer
from llama_index.node_parser.caesura.retrieval.index import HierarchyIndex
from llama_index.node_parser.caesura.retrieval.retrievers import MergingRetriever
from llama_index.node_parser.caesura.retrieval.stores import SQLiteDocumentStore
from llama_index.node_parser.caesura.splitters.cluster import ClusterSemanticSplitter
from llama_index.node_parser.caesura.splitters.double_pass import DoublePassSemanticSplitter
from llama_index.node_parser.caesura.splitters.optimal import OptimalSemanticSplitter
from llama_index.node_parser.caesura.splitters.percentile import SemanticPercentileSplitter
from llama_index.node_parser.caesura.splitters.semantic import SemanticSplitter

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
    "SemanticSplitter",
    "StaticEmbedding",
    "SummaryTransformer",
    "spans_of",
]
