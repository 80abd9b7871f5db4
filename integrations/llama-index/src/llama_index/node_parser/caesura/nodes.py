"""Input nodes -> the sizes their chunks may have; chunks -> nodes that know place, source and each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import cast

from llama_index.core.node_parser.node_utils import IdFuncCallable, build_nodes_from_splits
from llama_index.core.schema import BaseNode, Document, ImageDocument, MetadataMode, NodeRelationship, TextNode

from caesura.adapter import chunk_id
from caesura.cuts.fit import fit_slices
from caesura.edges import merge, spans, trim
from caesura.errors import SettingError
from caesura.segmentation import Segmentation
from caesura.size import without_surrogates
from caesura.text.refine import refine
from caesura.types import Chunk, Limits, Sizer

NARROW = 16
"""Room for less than this may be too little for a single character, which can take several tokens."""


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


def limits_of(node: BaseNode, text: str, size: Sizer, chunk_size: int, min_chunk_size: int) -> Limits:
    """A node -> what its metadata leaves of `chunk_size` for a chunk. Raises `SettingError` where that is nothing."""
    if not node.metadata or not text.strip():
        return Limits(chunk_size, min_chunk_size)
    measure = rendered(node, size)
    taken = measure("a") - size("a")
    room = chunk_size - taken
    if room < 1 or (room < NARROW and max(map(size, set(text))) > room):
        raise SettingError(
            f"the metadata of document {node.node_id!r} takes {taken} tokens, which leaves no room in "
            f"chunk_size={chunk_size}: raise chunk_size, or name keys in excluded_embed_metadata_keys and "
            f"excluded_llm_metadata_keys"
        )
    return Limits(room, min(min_chunk_size, room))


def rendered(node: BaseNode, size: Sizer) -> Sizer:
    """A node -> a sizer that measures a text as an embedder or a language model is shown it, metadata around it."""
    shell = build_nodes_from_splits([""], node)[0]
    shell.metadata = node.metadata

    def measure(text: str) -> int:
        shell.text = text
        return max(map(size, {shell.get_content(mode) for mode in (MetadataMode.EMBED, MetadataMode.LLM)}))

    return measure


def chunks_of(node: BaseNode, made: Segmentation, size: Sizer, chunk_size: int | None) -> list[Chunk]:
    """A node and its segmentation -> chunks such that none measures over `chunk_size` with the node's metadata, if that
    is to be counted (None: not).

    The sizes of metadata and text need not add up, so the whole is measured; a chunk that is too large after all is cut
    at a sentence, or within one.
    """
    chunks = made.chunks()
    if chunk_size is None or not node.metadata or not chunks:
        return chunks
    measure, text, units = rendered(node, size), made.text, made.units
    if all(measure(chunk.text) <= chunk_size for chunk in chunks):
        return chunks
    breaks = fit_slices(made.breaks, made.sizes, lambda a, b: measure(text[units[a] : units[b]].strip()) <= chunk_size)
    edges = refine(text, merge(units, breaks), measure, chunk_size)
    bare = [trim(text, *span) for span in spans(edges)]
    return [Chunk(text[start:end], start, end) for start, end in bare if start < end]


def nodes_of(
    node: BaseNode, chunks: Sequence[Chunk], id_func: Callable[[int, BaseNode], str] | None, include_metadata: bool
) -> list[TextNode]:
    """A node and its chunks -> nodes with exact offsets in the document, its metadata and its source.

    Without an `id_func`, ids are made of the node's id, span and text. An image without text gives one node, so that
    it is not lost.
    """
    if not chunks and isinstance(node, ImageDocument):
        chunks = [Chunk("", 0, 0)]

    def content_id(number: int, document: BaseNode) -> str:
        chunk = chunks[number]
        return chunk_id(document.node_id, 0, chunk.start, chunk.end, chunk.text)

    named = cast(IdFuncCallable, id_func or content_id)
    made = build_nodes_from_splits([chunk.text for chunk in chunks], node, id_func=named)
    first = origin(node)
    for wrapped, chunk in zip(made, chunks, strict=True):
        wrapped.embedding = None
        if include_metadata:
            wrapped.metadata = dict(node.metadata)
        if node.source_node is not None:
            wrapped.relationships[NodeRelationship.SOURCE] = node.source_node
        if first is not None:
            wrapped.start_char_idx, wrapped.end_char_idx = first + chunk.start, first + chunk.end
    return made


def link(nodes: Sequence[BaseNode]) -> None:
    """Gives neighbours of one document their PREVIOUS and NEXT."""
    for (node, info), (following, next_info) in pairwise((node, node.as_related_node_info()) for node in nodes):
        if node.ref_doc_id is not None and node.ref_doc_id == following.ref_doc_id:
            node.relationships[NodeRelationship.NEXT] = next_info
            following.relationships[NodeRelationship.PREVIOUS] = info


def origin(node: BaseNode) -> int | None:
    """Where the node's text starts in its document: 0 for a document, None where that is not known."""
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    if start is not None and end is not None:
        return start if end - start == len(node.get_content(metadata_mode=MetadataMode.NONE)) else None
    return 0 if node.source_node is None else None
