"""Input nodes -> the sizes their chunks may have; chunks -> nodes that know place, source and each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from llama_index.core.node_parser.node_utils import build_nodes_from_splits
from llama_index.core.schema import BaseNode, Document, ImageDocument, MetadataMode, NodeRelationship, TextNode

from caesura.adapter import chunk_id
from caesura.cuts.slices import fit_slices
from caesura.edges import merge, spans, trim
from caesura.errors import SettingError
from caesura.hierarchy import Nested
from caesura.segmentation import Segmentation
from caesura.size import without_surrogates
from caesura.text.refine import refine
from caesura.types import Chunk, Edges, Limits, Sizer

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


def limits_of(
    node: BaseNode, text: str, size: Sizer, chunk_size: int, min_chunk_size: int, setting: str = "chunk_size"
) -> Limits:
    """A node -> what its metadata leaves of `chunk_size` for a chunk. Raises `SettingError` where that is nothing."""
    taken = taken_by_metadata(node, text, size)
    room = chunk_size - taken
    if taken and not has_room(text, size, room):
        raise SettingError(
            f"the metadata of document {node.node_id!r} takes {taken} tokens, which leaves no room in "
            f"{setting}={chunk_size}: raise {setting}, or name keys in excluded_embed_metadata_keys and "
            f"excluded_llm_metadata_keys"
        )
    return Limits(room, min(min_chunk_size, room))


def taken_by_metadata(node: BaseNode, text: str, size: Sizer) -> int:
    """A node -> the tokens that its metadata adds to a chunk; 0 where it has none, or no chunk."""
    if not node.metadata or not text.strip():
        return 0
    return rendered(node, size)("a") - size("a")


def has_room(text: str, size: Sizer, room: int) -> bool:
    """Whether any character of the text fits into what the metadata leaves."""
    return room >= 1 and (room >= NARROW or max(map(size, set(text))) <= room)


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
    return sliced(text, edges)


def nested_chunks(node: BaseNode, made: Nested, size: Sizer, chunk_sizes: Sequence[int] | None) -> list[list[Chunk]]:
    """A node and its levels -> the chunks of each, such that none measures over its size with the node's metadata, if
    that is to be counted (None: not), and each lies within one of the level before."""
    levels = made.chunks()
    if chunk_sizes is None or not node.metadata or not any(levels):
        return levels
    measure, text = rendered(node, size), made.levels[0].text
    found: list[list[Chunk]] = []
    added: Edges | None = None  # the edges of the level before, once it has some that its segmentation has not
    for segmentation, chunks, largest in zip(made.levels, levels, chunk_sizes, strict=False):
        if added is None and all(measure(chunk.text) <= largest for chunk in chunks):
            found.append(chunks)
            continue
        edges = segmentation.edges if added is None else np.union1d(segmentation.edges, added)
        added = refine(text, edges, measure, largest)
        found.append(sliced(text, added))
    return found


def sliced(text: str, edges: Edges) -> list[Chunk]:
    """Edges -> the slices between them, without the whitespace around them."""
    bare = [trim(text, *span) for span in spans(edges)]
    return [Chunk(text[start:end], start, end) for start, end in bare if start < end]


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
