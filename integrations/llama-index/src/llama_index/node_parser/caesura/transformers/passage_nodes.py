"""Nodes of texts that were made of passages: what they inherit, where they rest; and passages of nodes."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode, IndexNode, NodeRelationship, TextNode

from caesura.edges import trim
from caesura.errors import SettingError
from caesura.ids import digest
from caesura.types import Chunk, Span
from caesura_llm.conversation import Image
from caesura_llm.passages import Passage
from caesura_llm.spans import as_text, from_text, hull
from llama_index.node_parser.caesura.node_metadata import NodeMetadata
from llama_index.node_parser.caesura.nodes import build_nodes, document_id, origin, text_of

HIDDEN = ("view", "spans", "kept", "topic")
"""What neither an embedder nor a language model is shown of the metadata that we add."""


SOURCES = ("file_path", "file_name", "source", "url")
"""Under which names readers say in the metadata where a document is from."""


def spans_of(node: BaseNode) -> tuple[Span, ...]:
    """A node -> where in its document the sentences are that it rests on: those of a proposition or a topic, or its own
    place; none where that is not known.

    >>> from llama_index.core.schema import TextNode
    >>> spans_of(TextNode(text="Tea is hot.", metadata={"spans": "0-11 80-92"}))
    (Span(start=0, end=11), Span(start=80, end=92))
    """
    if "spans" in node.metadata:
        return from_text(node.metadata["spans"])
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    return () if start is None or end is None else (Span(start, end),)


def node_fields(
    node: BaseNode,
    view: str,
    text: str,
    spans: Sequence[Span] | None,
    added: dict[str, Any],
    id_func: Callable[..., str] | None,
    number: int,
    include_metadata: bool,
) -> dict[str, Any]:
    """What a node made of a passage's text has: the passage's metadata, source and templates, and a place of its own.

    spans: None where the place is not known. added: metadata; what is None takes the passage's away. Without an
    `id_func`, the id is made of the document's (of the passage's, where the place is not known), and of view, place and
    text.
    """
    place = hull(spans) if spans else None
    name = document_id(node) if place else node.node_id
    if id_func is None or id_func is default_id_func:
        node_id = digest(name, view, as_text(spans or ()), text)
    else:
        node_id = id_func(number, node)
    if not isinstance(node_id, str):
        raise SettingError(f"id_func must return a str, got {node_id!r:.80}")
    inherited = {key: value for key, value in node.metadata.items() if key not in added} if include_metadata else {}
    metadata = {**inherited, "view": view, **{key: value for key, value in added.items() if value is not None}}
    hidden = [key for key in HIDDEN if key == "view" or key in added]
    return {
        "id_": node_id,
        "text": text,
        "start_char_idx": place and place.start,
        "end_char_idx": place and place.end,
        "metadata": metadata,
        "excluded_embed_metadata_keys": list(dict.fromkeys([*node.excluded_embed_metadata_keys, *hidden])),
        "excluded_llm_metadata_keys": list(dict.fromkeys([*node.excluded_llm_metadata_keys, *hidden])),
        "relationships": {NodeRelationship.SOURCE: node.source_node or node.as_related_node_info()},
        **{name: getattr(node, name) for name in ("text_template", "metadata_template") if hasattr(node, name)},
        "metadata_seperator": getattr(node, "metadata_separator", None) or getattr(node, "metadata_seperator", "\n"),
    }


def image_of(node: BaseNode) -> Image | None:
    """The picture of a node or a document, as one that a message can carry; None where it has none.

    Raises `SettingError` for a path that cannot be read.
    """
    resource = getattr(node, "image_resource", None)
    data = getattr(node, "image", None) or getattr(resource, "data", None)
    path = getattr(node, "image_path", None) or getattr(resource, "path", None)
    url = getattr(node, "image_url", None) or getattr(resource, "url", None)
    kind = getattr(node, "image_mimetype", None) or getattr(resource, "mimetype", None)
    if not data and path is None:
        return None if url is None else Image(str(url))
    try:
        content = b64decode(data) if data else Path(str(path)).read_bytes()
    except (OSError, ValueError) as error:
        raise SettingError(f"the image of node {node.node_id!r} cannot be read: {error}") from error
    return Image.of(content, kind)


def has_image(node: BaseNode) -> bool:
    """Whether a node has a picture, which is not read for that."""
    names = ("image", "image_path", "image_url")
    resource = getattr(node, "image_resource", None)
    values = [getattr(node, name, None) for name in names]
    values += [getattr(resource, name, None) for name in ("data", "path", "url")]
    return any(values)


def whole_node(document: BaseNode) -> list[TextNode]:
    """A document -> itself as a node; none where it is blank, and no image."""
    text = text_of(document)
    start, end = trim(text, 0, len(text))
    return build_nodes(
        NodeMetadata().strip(document), [(0, Chunk(text[start:end], start, end))] if start < end else [], None, True
    )


def passage_of(node: BaseNode, title_key: str | None, images: bool = False) -> Passage:
    """A node -> what is asked about."""
    title = node.metadata.get(title_key) if title_key is not None else None
    image = image_of(node) if images else None
    shown = () if image is None else (image,)
    named = title if isinstance(title, str) else ""
    source = next((str(node.metadata[key]) for key in SOURCES if node.metadata.get(key)), "")
    return Passage(text_of(node), document_id(node), origin(node), named, shown, source)


def place_of(node: BaseNode) -> Span | None:
    """Where a passage stands in its document, if that is known."""
    start = origin(node)
    return None if start is None else Span(start, start + len(text_of(node)))


def has_statements(node: BaseNode) -> bool:
    """Whether a node is asked about for what it states: a leaf with text, that stands for no other node."""
    return not node.child_nodes and not isinstance(node, IndexNode) and bool(text_of(node).strip())


def passes_through(node: BaseNode) -> bool:
    """Whether a node that is not asked about stays: one with children, a reference, a picture."""
    return bool(node.child_nodes) or isinstance(node, IndexNode) or has_image(node)
