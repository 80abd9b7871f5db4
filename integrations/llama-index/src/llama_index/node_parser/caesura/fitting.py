"""A node and what a text was cut into in, chunks out such that none measures too much with the node's metadata."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from llama_index.core.schema import BaseNode

from caesura.cuts.slices import fit_slices
from caesura.edges import merge, spans, trim
from caesura.hierarchy import Nested
from caesura.segmentation import Segmentation
from caesura.text.refine import refine
from caesura.types import Chunk, Edges, Sizer
from llama_index.node_parser.caesura.room import rendered


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
