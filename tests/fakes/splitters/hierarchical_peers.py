"""A text and sizes in, LlamaIndex's hierarchical parser and ours out: what their comparisons share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core import Document
from llama_index.core.node_parser import HierarchicalNodeParser

from llama_index.node_parser.caesura import SemanticHierarchyParser

SIZES = [256, 64, 24]
TEXT = "\n\n".join(
    f"Ship {number} left the harbour at dawn. Yes. It carried {number} tons of salt. The crew were paid in salt. Yes.\n"
    f"On day {number} the fog came down. Nobody saw the lamp. The keeper rang the bell until noon. Yes."
    for number in range(12)
)


def document(text: str = TEXT, **fields: Any) -> Document:
    return Document(text=text, id_="d", **fields)


def theirs(sizes: Sequence[int] = SIZES) -> HierarchicalNodeParser:
    """Theirs, of sentences; the first use of their sentence splitter fails where nltk refuses its data."""
    for _ in range(2):
        try:
            parser = HierarchicalNodeParser.from_defaults(chunk_sizes=list(sizes), chunk_overlap=0)
            parser.get_nodes_from_documents([document("One. Two.")])
        except PermissionError:
            continue
        return parser
    raise AssertionError("nltk refuses its data for good")


def ours(sizes: Sequence[int] = SIZES) -> SemanticHierarchyParser:
    return SemanticHierarchyParser(chunk_sizes=list(sizes))
