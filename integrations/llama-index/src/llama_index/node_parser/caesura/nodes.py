"""A node in; where its text starts in the document, and how much its metadata takes of a size, out."""

from __future__ import annotations

from llama_index.core.node_parser.node_utils import build_nodes_from_splits
from llama_index.core.schema import BaseNode, MetadataMode

from caesura.types import Sizer

PROBES = ("a", "A", "1", "(", '"', "é", "中")
"""Texts of one token or so, to measure what metadata adds to a text."""


def origin(node: BaseNode) -> int | None:
    """Where the node's text starts in its document: 0 for a document, None where that is not known."""
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    if start is not None and end is not None:
        return start if end - start == len(node.get_content(metadata_mode=MetadataMode.NONE)) else None
    return 0 if node.source_node is None else None


def metadata_size(node: BaseNode, size: Sizer) -> int:
    """The most that the metadata of a node, in the templates of the node, adds to the size of a text."""
    most = 0
    for probe in PROBES:
        wrapped = build_nodes_from_splits([probe], node)[0]
        wrapped.metadata = node.metadata
        bare = size(probe)
        most = max(most, *(size(wrapped.get_content(mode)) - bare for mode in (MetadataMode.EMBED, MetadataMode.LLM)))
    return most
