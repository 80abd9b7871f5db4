"""A document and its nodes of three levels, how deep a node lies, and tokens that do not add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fakes.llama_index.parsers import ARTICLE
from llama_index.core import Document
from llama_index.core.schema import BaseNode

from llama_index.node_parser.caesura import SemanticHierarchyParser

LONG = "\n\n".join(ARTICLE.replace("lamp", f"lamp {number}") for number in range(6))
SIZES = [400, 100, 30]


def parsed(
    text: str = LONG, metadata: dict[str, Any] | None = None, **settings: Any
) -> tuple[Document, list[BaseNode]]:
    document = Document(text=text, id_="a", metadata=metadata or {})
    return document, SemanticHierarchyParser(**{"chunk_sizes": SIZES, **settings})([document])


def depth(node: BaseNode, nodes: Sequence[BaseNode]) -> int:
    by_id = {each.node_id: each for each in nodes}
    found = 0
    while node.parent_node is not None:
        node, found = by_id[node.parent_node.node_id], found + 1
    return found


def spelled(text: str) -> list[str]:
    """Tokens that do not add up: a text with a colon, as metadata has one, takes half as many again."""
    return list(text) + list(text[: len(text) // 2] if ": " in text else "")
