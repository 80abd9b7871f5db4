"""Nodes -> passages for a model; texts made of passages -> the fields of their nodes."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

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
"""Metadata keys of ours that neither embedders nor language models are shown."""
SOURCES = ("file_path", "file_name", "source", "url")
"""Metadata keys under which readers say where a document is from."""


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


def image_of(node: BaseNode) -> Image | None:
    """The picture of a node or a document, for a message; None where there is none.

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
    """Returns whether a node has a picture, without reading it."""
    names = ("image", "image_path", "image_url")
    resource = getattr(node, "image_resource", None)
    values = [getattr(node, name, None) for name in names]
    values += [getattr(resource, name, None) for name in ("data", "path", "url")]
    return any(values)


def whole_node(document: BaseNode) -> list[TextNode]:
    """A document -> itself as a node; none for a blank document that is no image."""
    text = text_of(document)
    start, end = trim(text, 0, len(text))
    return build_nodes(
        NodeMetadata().strip(document), [(0, Chunk(text[start:end], start, end))] if start < end else [], None, True
    )


class PassageNode(NamedTuple):
    """A node, its text, its document's id, and where the text starts in the document; None where that is not known."""

    node: BaseNode
    text: str
    document_id: str
    start: int | None

    @property
    def place(self) -> Span | None:
        """Where the text stands in the document, if that is known."""
        return None if self.start is None else Span(self.start, self.start + len(self.text))

    @property
    def has_statements(self) -> bool:
        """Whether the node is asked about for what it states: a leaf with text, that stands for no other node."""
        return not self.node.child_nodes and not isinstance(self.node, IndexNode) and bool(self.text.strip())


def read_nodes(nodes: Iterable[BaseNode]) -> list[PassageNode]:
    """Reads text, document and place of each node."""
    read = []
    for node in nodes:
        read.append(PassageNode(node, text_of(node), document_id(node), origin(node)))
    return read


def nodes_with_statements(nodes: Iterable[BaseNode]) -> list[PassageNode]:
    """Reads nodes and keeps those whose statements are asked about."""
    return [one for one in read_nodes(nodes) if one.has_statements]


def passages_of(nodes: Iterable[PassageNode], title_key: str | None) -> list[Passage]:
    """Nodes -> the passages that a model is asked about."""
    rows = []
    for node, text, document, start in nodes:
        title = node.metadata.get(title_key) if title_key is not None else None
        source = next((str(node.metadata[key]) for key in SOURCES if node.metadata.get(key)), "")
        rows.append((text, document, start, title if isinstance(title, str) else "", (), source))
    return [Passage(*row) for row in rows]


def passages_with_images(nodes: Sequence[PassageNode], title_key: str | None) -> Iterator[Passage]:
    """Nodes with pictures -> passages with images, which are read as they are needed."""
    for one, passage in zip(nodes, passages_of(nodes, title_key), strict=True):
        image = image_of(one.node)
        yield passage if image is None else replace(passage, images=(image,))


def passes_through(node: BaseNode) -> bool:
    """Returns whether a node stays that is not asked about: one with children, a reference or a picture."""
    return bool(node.child_nodes) or isinstance(node, IndexNode) or has_image(node)


@dataclass(frozen=True, slots=True)
class DerivedText:
    """A text that was made of a passage, for a node of its own.

    passage: whose metadata it gets. spans: where the text rests in the document; None where that is not known. added:
    metadata; what is None takes the passage's away, but ``spans``, which become one string. number: what an `id_func`
    is told.
    """

    passage: PassageNode
    text: str
    spans: Sequence[Span] | None
    added: dict[str, Any]
    number: int


def derived_fields(
    view: str, derived: Sequence[DerivedText], id_func: Callable[..., str] | None, include_metadata: bool
) -> list[dict[str, Any]]:
    """Texts -> the fields of their nodes: metadata, source and templates of the passage, and their own place and id.

    Without an `id_func`, an id is made of the document's id (of the passage's, where the place is not known), the view,
    the place and the text.
    """
    places: list[Span | None] = []
    written: list[str] = []
    for one in derived:
        places.append(hull(one.spans) if one.spans else None)
        written.append(as_text(one.spans or ()))
    ids = []
    for one, place, spans in zip(derived, places, written, strict=True):
        if id_func is None or id_func is default_id_func:
            ids.append(digest(one.passage.document_id if place else one.passage.node.node_id, view, spans, one.text))
        else:
            ids.append(id_func(one.number, one.passage.node))
    columns = zip(derived, places, written, ids, strict=True)
    return [_fields(view, *column, include_metadata) for column in columns]


def _fields(
    view: str, derived: DerivedText, place: Span | None, spans: str, node_id: str, include_metadata: bool
) -> dict[str, Any]:
    if not isinstance(node_id, str):
        raise SettingError(f"id_func must return a str, got {node_id!r:.80}")
    node, added = derived.passage.node, derived.added
    if "spans" in added:
        added = {**added, "spans": spans or None}
    inherited = {key: value for key, value in node.metadata.items() if key not in added} if include_metadata else {}
    hidden = [key for key in HIDDEN if key == "view" or key in added]
    return {
        "id_": node_id,
        "text": derived.text,
        "start_char_idx": place and place.start,
        "end_char_idx": place and place.end,
        "metadata": {**inherited, "view": view, **{key: value for key, value in added.items() if value is not None}},
        "excluded_embed_metadata_keys": list(dict.fromkeys([*node.excluded_embed_metadata_keys, *hidden])),
        "excluded_llm_metadata_keys": list(dict.fromkeys([*node.excluded_llm_metadata_keys, *hidden])),
        "relationships": {NodeRelationship.SOURCE: node.source_node or node.as_related_node_info()},
        **{name: getattr(node, name) for name in ("text_template", "metadata_template") if hasattr(node, name)},
        "metadata_seperator": getattr(node, "metadata_separator", None) or getattr(node, "metadata_seperator", "\n"),
    }
