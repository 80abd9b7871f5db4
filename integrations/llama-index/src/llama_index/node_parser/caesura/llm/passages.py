"""Documents and nodes in, passages to ask a language model about out."""

from __future__ import annotations

from llama_index.core.schema import BaseNode, IndexNode, TextNode

from caesura.edges import trim
from caesura.llm.packed import Passage
from caesura.types import Chunk, Span
from llama_index.node_parser.caesura.llm.images import has_image, image_of
from llama_index.node_parser.caesura.nodes import document_of, nodes_of, origin, text_of


def uncut(document: BaseNode) -> list[TextNode]:
    """A document -> itself as a node; none where it is blank, and no image."""
    text = text_of(document)
    start, end = trim(text, 0, len(text))
    return nodes_of(document, [(0, Chunk(text[start:end], start, end))] if start < end else [], None, True)


def passage_of(node: BaseNode, title_key: str | None, images: bool = False) -> Passage:
    """A node -> what is asked about. Where its place is not known, it starts at 0."""
    title = node.metadata.get(title_key) if title_key is not None else None
    held = (image_of(node),) if images else ()
    shown = tuple(image for image in held if image is not None)
    return Passage(text_of(node), document_of(node), origin(node) or 0, title if isinstance(title, str) else "", shown)


def place_of(node: BaseNode) -> Span | None:
    """Where a passage stands in its document, if that is known."""
    start = origin(node)
    return None if start is None else Span(start, start + len(text_of(node)))


def states(node: BaseNode) -> bool:
    """Whether a node is asked about for what it states: a leaf with text, that stands for no other node."""
    return not node.child_nodes and not isinstance(node, IndexNode) and bool(text_of(node).strip())


def goes_through(node: BaseNode) -> bool:
    """Whether a node that is not asked about stays: one with children, a reference, a picture."""
    return bool(node.child_nodes) or isinstance(node, IndexNode) or has_image(node)
