"""What a retriever found, and why."""

from __future__ import annotations

from llama_index.core.schema import NodeWithScore

from caesura_retrieval.ranking import Evidence


class FoundNode(NodeWithScore):
    """A node that was found, with its score, and what the score is made of.

    evidence: of a passage, that of the best text in it. A postprocessor that makes a new `NodeWithScore` of the node
    drops it.
    """

    evidence: Evidence

    @classmethod
    def class_name(cls) -> str:
        return "FoundNode"
