"""Metadata count in the size of a node: how much room they leave for text, and chunks that fit beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from llama_index.core.schema import BaseNode, MetadataMode

from caesura.cuts.limits.fit import fit_slices
from caesura.edges import merge, spans
from caesura.hierarchy import Nested
from caesura.segmentation import Segmentation, shown_span
from caesura.text.refine import BlockParts, refine
from caesura.types import BlockSegmenter, Chunk, Edges, Limits, Segmenter, Sizer
from llama_index.node_parser.caesura.node_metadata import NodeMetadata
from llama_index.node_parser.caesura.nodes import SourceNode, document_id, empty_node, first_places

SAFE_ROOM = 16
"""In less room than this even one character may not fit, for it can take several tokens."""
SMALL_ROOM = 50
"""A warning comes with less room than this, as from LlamaIndex's own splitters."""


def sizer_with_metadata(node: BaseNode, size: Sizer) -> Sizer:
    """Returns a sizer of a text with the node's metadata around it, as embedders and language models are shown both."""
    names = "metadata", "excluded_embed_metadata_keys", "excluded_llm_metadata_keys"
    shell = empty_node(node).model_copy(update={name: getattr(node, name) for name in names})
    modes = {shell.get_metadata_str(mode): mode for mode in (MetadataMode.EMBED, MetadataMode.LLM)}.values()

    def measure(text: str) -> int:
        shell.text = text
        return max([size(shell.get_content(mode)) for mode in modes])

    return measure


@dataclass(frozen=True, slots=True)
class TextBudget:
    """A node's metadata take some of the size that `setting` gives to a chunk. taken: how many tokens."""

    node: BaseNode
    text: str
    taken: int
    chunk_size: int
    setting: str = "chunk_size"

    @property
    def left(self) -> int:
        """The tokens that are left for a chunk's text."""
        return self.chunk_size - self.taken

    def has_room(self, size: Sizer) -> bool:
        """Whether each character of the text fits in what metadata leave."""
        left = self.left
        return not self.taken or (left >= 1 and (left >= SAFE_ROOM or max(map(size, set(self.text))) <= left))

    def is_small(self, size: Sizer) -> bool:
        """Whether metadata make the pieces small into which the text is cut."""
        hurts = self.chunk_size >= SMALL_ROOM or self.taken > self.left
        return self.taken > 0 and self.left < SMALL_ROOM and hurts and size(self.text) > self.left


def text_budget(node: BaseNode, text: str, size: Sizer, chunk_size: int, setting: str = "chunk_size") -> TextBudget:
    """Measures what a node's metadata take of a size; nothing, if the text is blank."""
    taken = sizer_with_metadata(node, size)("a") - size("a") if node.metadata and text.strip() else 0
    return TextBudget(node, text, taken, chunk_size, setting)


def fit_limits(
    sources: Sequence[SourceNode], setting: str, own: Limits, size: Sizer, metadata: NodeMetadata | None
) -> tuple[list[Limits], list[str]]:
    """Returns the limits of each source's smallest chunks, reduced by what its metadata take, and what to warn of.

    Fills in `counts` and `left` of each. setting: what gives the limits, which have a largest size.
    """
    assert own.max_size is not None  # noqa: S101 - the caller has looked
    budgets: list[TextBudget] = []
    for source in sources:
        budget = text_budget(source.bare, source.text, size, own.max_size, setting)
        source.counts = budget.has_room(size)
        source.left = budget.left if source.counts else 0
        budgets.append(budget)
    warnings = budget_warnings(budgets, size)
    if metadata is not None and metadata.embedded:
        more = zip(budgets, metadata.rooms(sources, size), strict=True)
        budgets = [replace(budget, taken=budget.taken + room) for budget, room in more]
        warnings = budget_warnings(budgets, size)
    pairs = zip(sources, budgets, strict=True)
    return [own.reduced(budget.left) if source.counts and budget.taken else own for source, budget in pairs], warnings


def budget_warnings(budgets: Iterable[TextBudget], size: Sizer) -> list[str]:
    """Returns at most two warnings: about the largest metadata of those that leave no room, which do not count then,
    and about the smallest room."""
    full: list[TextBudget] = []
    small: list[TextBudget] = []
    for budget in budgets:
        if not budget.has_room(size):
            full.append(budget)
        elif budget.is_small(size):
            small.append(budget)
    return [
        *_warnings(full, "no room for text, so that they do not count in the size of its nodes", "without any"),
        *_warnings(small, "{left} for the text of a chunk", f"under {SMALL_ROOM}"),
    ]


def _warnings(budgets: Sequence[TextBudget], leaves: str, several: str) -> list[str]:
    if not budgets:
        return []
    least = min(budgets, key=lambda budget: budget.left)
    others = f" (in {len(budgets)} documents {several})" if len(budgets) > 1 else ""
    message = (
        f"the metadata of document {document_id(least.node)!r} takes {least.taken} tokens of {least.setting}="
        f"{least.chunk_size}, which leaves {leaves.format(left=least.left)}{others}: raise {least.setting}, or name "
        f"keys in excluded_embed_metadata_keys and excluded_llm_metadata_keys"
    )
    return [message]


def chunks_within(
    source: SourceNode, segmentation: Segmentation, size: Sizer, chunk_size: int | None, segment: Segmenter
) -> list[Chunk]:
    """A source and its segmentation -> chunks that measure at most `chunk_size` with the source's metadata.

    chunk_size: None if metadata do not count. segment: what made the units. The sizes of metadata and text need not add
    up, so both are measured together. A chunk that is too large after all is cut at a sentence, or within one.
    """
    chunks = segmentation.chunks()
    if chunk_size is None or not source.bare.metadata or not source.counts or not chunks:
        return chunks
    measure, text, units = sizer_with_metadata(source.bare, size), segmentation.text, segmentation.units
    if all(measure(chunk.text) <= chunk_size for chunk in chunks):
        return chunks
    breaks = fit_slices(
        segmentation.breaks,
        segmentation.sizes,
        lambda first, end: measure(_slice(segmentation, units[first], units[end]).text) <= chunk_size,
    )
    edges = merge(units, breaks)
    edges = refine(text, edges, measure, chunk_size, None, segmentation.is_code, _block_parts(segment))
    return trimmed_slices(segmentation, edges)


def _block_parts(segment: Segmenter) -> BlockParts | None:
    return segment.block_parts if isinstance(segment, BlockSegmenter) else None


def nested_chunks_within(
    source: SourceNode, nested: Nested, size: Sizer, chunk_sizes: Sequence[int] | None, segment: Segmenter
) -> list[list[Chunk]]:
    """A source and its levels -> the chunks of each level, each within one of the level before.

    chunk_sizes: what a chunk of each level measures at most with the metadata; None if metadata do not count. segment:
    what made the units.
    """
    levels = nested.chunks()
    if chunk_sizes is not None and source.bare.metadata and source.counts and any(levels):
        levels = _fit_nested(nested, levels, sizer_with_metadata(source.bare, size), chunk_sizes, _block_parts(segment))
    return _same_in_all(levels)


def _fit_nested(
    nested: Nested,
    levels: Sequence[list[Chunk]],
    measure: Sizer,
    chunk_sizes: Sequence[int],
    block_parts: BlockParts | None,
) -> list[list[Chunk]]:
    fitting: list[list[Chunk]] = []
    added: Edges | None = None  # the edges of the level before, once it has some that its segmentation has not
    for segmentation, chunks, largest in zip(nested.levels, levels, chunk_sizes, strict=True):
        if added is None and all(measure(chunk.text) <= largest for chunk in chunks):
            fitting.append(chunks)
            continue
        edges = segmentation.edges if added is None else np.union1d(segmentation.edges, added)
        added = refine(segmentation.text, edges, measure, largest, None, segmentation.is_code, block_parts)
        fitting.append(trimmed_slices(segmentation, added))
    return fitting


def _same_in_all(levels: list[list[Chunk]]) -> list[list[Chunk]]:
    """Returns the levels with chunks of the finest level in place of those that differ from them in indentation alone.

    One level may have had room for the indentation of a first line, and another not.
    """
    if not any(chunk.text[0].isspace() for chunks in levels for chunk in chunks):
        return levels
    places = [list(zip(first_places(chunks), chunks, strict=True)) for chunks in levels]
    finest = {(start, chunk.end): chunk for own in places for start, chunk in own}
    return [[finest[start, chunk.end] for start, chunk in own] for own in places]


def trimmed_slices(segmentation: Segmentation, edges: Edges) -> list[Chunk]:
    """Returns the slices of the text between edges, without whitespace around them."""
    shown = (_slice(segmentation, *span) for span in spans(edges))
    return [chunk for chunk in shown if chunk.text]


def _slice(segmentation: Segmentation, start: int, end: int) -> Chunk:
    span = shown_span(segmentation.text, int(start), int(end), segmentation.is_code)
    return Chunk(segmentation.text[span.start : span.end], *span)
