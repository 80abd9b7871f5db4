"""Chunks of a node in, nodes out that know place, source and each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from llama_index.core.node_parser.node_utils import build_nodes_from_splits
from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageDocument,
    MetadataMode,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)

from caesura.adapter import chunk_id
from caesura.errors import SettingError
from caesura.size import without_surrogates
from caesura.types import Chunk


def text_of(node: BaseNode) -> str:
    """A node -> its text, without metadata. Raises `SettingError` for a text that LlamaIndex cannot make records of."""
    text = node.get_content(metadata_mode=MetadataMode.NONE)
    if isinstance(node, Document) and without_surrogates(text) != text:
        at = next(place for place, mark in enumerate(text) if "\ud800" <= mark <= "\udfff")
        raise SettingError(
            f"document {node.node_id!r} has a lone surrogate at {at}, which LlamaIndex cannot hash: "
            f"replace it, as text.encode('utf-8', 'replace').decode() does"
        )
    return text


def nodes_of(
    node: BaseNode,
    chunks: Sequence[tuple[int, Chunk]],
    id_func: Callable[..., str] | None,
    include_metadata: bool,
) -> list[TextNode]:
    """A node, and levels and chunks -> nodes with exact offsets in the document, its metadata and its source.

    Without an `id_func`, ids are made of the node's id, level, span and text. An image without text gives one node, so
    that it is not lost.
    """
    if not chunks and isinstance(node, ImageDocument):
        chunks = [(0, Chunk("", 0, 0))]
    if not chunks:
        return []
    shell = build_nodes_from_splits([""], node)[0]
    source, first = node.source_node or shell.source_node, origin(node)
    made: list[TextNode] = []
    for number, (level, chunk) in enumerate(chunks):
        span = chunk.start, chunk.end
        name = chunk_id(node.node_id, level, *span, chunk.text) if id_func is None else id_func(number, node)
        if not isinstance(name, str):
            raise SettingError(f"id_func must return a str, got {name!r:.80}")
        start, end = (None, None) if first is None else (first + chunk.start, first + chunk.end)
        fields = {  # a copy: pydantic need not look again at what came from a node and from us
            "id_": name,
            "text": chunk.text,
            "embedding": None,
            "start_char_idx": start,
            "end_char_idx": end,
            "metadata": dict(node.metadata) if include_metadata else {},
            "excluded_embed_metadata_keys": list(node.excluded_embed_metadata_keys),
            "excluded_llm_metadata_keys": list(node.excluded_llm_metadata_keys),
            "relationships": {NodeRelationship.SOURCE: source},
        }
        made.append(shell.model_copy(update=fields))
    return made


def document_of(node: BaseNode) -> str:
    """A node -> the id of its document."""
    return node.ref_doc_id or node.node_id


def origin(node: BaseNode) -> int | None:
    """Where the node's text starts in its document: 0 for a document, None where that is not known."""
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    if start is not None and end is not None:
        return start if end - start == len(node.get_content(metadata_mode=MetadataMode.NONE)) else None
    return 0 if node.source_node is None else None


def named_only(node: BaseNode) -> RelatedNodeInfo:
    """A node -> what others know it by: its id, which its text is part of, and no copy of its metadata.

    LlamaIndex follows these by their ids alone. With metadata, a node would hold that of all its children.
    """
    return RelatedNodeInfo(node_id=node.node_id, node_type=node.get_type())


def link(nodes: Iterable[BaseNode], known_by: Callable[[BaseNode], RelatedNodeInfo] = named_only) -> None:
    """Gives neighbours of one document their PREVIOUS and NEXT. known_by: what a node is to others."""
    for (node, info), (following, next_info) in pairwise((node, known_by(node)) for node in nodes):
        if node.ref_doc_id is not None and node.ref_doc_id == following.ref_doc_id:
            node.relationships[NodeRelationship.NEXT] = next_info
            following.relationships[NodeRelationship.PREVIOUS] = info
