"""A passage and a text made of it in, what a node of that text has out; and where such a node rests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode, NodeRelationship

from caesura.adapter import digest
from caesura.errors import SettingError
from caesura.llm.spans import as_text, from_text, hull
from caesura.types import Span
from llama_index.node_parser.caesura.nodes import document_of

HIDDEN = ("view", "spans", "kept", "topic")
"""What neither an embedder nor a language model is shown of the metadata that we add."""


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


def fields_of(
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
    name = document_of(node) if place else node.node_id
    if id_func is None or id_func is default_id_func:
        made_id = digest(name, view, as_text(spans or ()), text)
    else:
        made_id = id_func(number, node)
    if not isinstance(made_id, str):
        raise SettingError(f"id_func must return a str, got {made_id!r:.80}")
    inherited = {key: value for key, value in node.metadata.items() if key not in added} if include_metadata else {}
    metadata = {**inherited, "view": view, **{key: value for key, value in added.items() if value is not None}}
    hidden = [key for key in HIDDEN if key == "view" or key in added]
    return {
        "id_": made_id,
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
