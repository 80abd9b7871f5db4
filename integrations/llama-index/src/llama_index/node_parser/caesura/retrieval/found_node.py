"""What a retriever found, and why, and the title of the document that it is of."""

from __future__ import annotations

from llama_index.core.schema import BaseNode, NodeWithScore

from caesura_documents.titles import title_of
from caesura_retrieval.ranking import Evidence


class FoundNode(NodeWithScore):
    """A node that was found, with its score, and what the score is made of.

    The node's metadata are those of its document, and where the text stands in it: of a document with pages
    ``page_start``, ``page_end`` and ``page_label_start``, the printed number. [All
    names](../splitters.md#where-a-chunk-stands) can be chosen.

    evidence: of a passage, that of the best text in it. A postprocessor that makes a new `NodeWithScore` of the node
    drops it.
    """

    evidence: Evidence

    @classmethod
    def class_name(cls) -> str:
        return "FoundNode"


def add_title(node: BaseNode, text: str = "") -> BaseNode:
    """Returns a node with the title of its document as `title` in its metadata, hidden from models.

    A node that has one stays as it is, as does one of a document of which nobody knows title or file. text: what the
    document begins with, as far as it is known, which is read for a title.
    """
    said = {key: value for key, value in node.metadata.items() if key != "headings" or not text}  # those of the node
    title = "" if "title" in said else title_of(said, text)
    if not title:
        return node
    names = ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys")
    hidden = {name: [*getattr(node, name), "title"] for name in names}
    return node.model_copy(update={"metadata": {**node.metadata, "title": title}, **hidden})
