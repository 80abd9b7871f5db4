"""Metadata count in the size of a node: how much room they leave for text, and chunks that fit beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from llama_index.core.schema import BaseNode, MetadataMode

from caesura.cuts.limits.fit import fit_slices
from caesura.edges import merge, spans
from caesura.errors import SettingError
from caesura.hierarchy import Nested
from caesura.segmentation import Segmentation, shown_span
from caesura.text.refine import refine
from caesura.types import Chunk, Edges, Limits, Sizer
from llama_index.node_parser.caesura.node_metadata import NodeMetadata
from llama_index.node_parser.caesura.nodes import SourceNode, document_id, empty_node, first_places

SAFE_ROOM = 16
"""In less room than this even one character may not fit, for it can take several tokens."""
SMALL_ROOM = 50
"""A warning comes with less room than this, as from LlamaIndex's own splitters."""
REMEDY = "name keys in excluded_embed_metadata_keys and excluded_llm_metadata_keys"


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

    def limits(self, size: Sizer, own: Limits | None = None) -> Limits:
        """Returns the limits of the cut. Raises `SettingError` if there is no room."""
        if not self.has_room(size):
            raise SettingError(
                f"the metadata of document {document_id(self.node)!r} takes {self.taken} tokens, which leaves no room "
                f"in {self.setting}={self.chunk_size}: raise {self.setting}, or {REMEDY}"
            )
        if own is not None and own.max_size == self.left:
            return own
        return (own or Limits()).reduced(self.left)


def text_budget(node: BaseNode, text: str, size: Sizer, chunk_size: int) -> TextBudget:
    """Measures what a node's metadata take of a size; nothing, if the text is blank."""
    taken = sizer_with_metadata(node, size)("a") - size("a") if node.metadata and text.strip() else 0
    return TextBudget(node, text, taken, chunk_size)


class Fitted(NamedTuple):
    """What the metadata of sources leave: of each the number of levels, and the limits of the finest of these."""

    depths: list[int]
    limits: list[Limits]
    warnings: list[str]


def fit_levels(
    sources: Sequence[SourceNode], levels: Mapping[str, Limits], size: Sizer, metadata: NodeMetadata | None
) -> Fitted:
    """Reduces the limits of each level by what metadata take.

    levels: the limits by the names of the settings that give them, coarse to fine. A source is cut at no level that
    its metadata leave no room in. Raises `SettingError` if that is the first.
    """
    named = [(name, limits.max_size) for name, limits in levels.items() if limits.max_size is not None]
    budgets: list[list[TextBudget]] = []
    for source in sources:
        first = text_budget(source.bare, source.text, size, named[0][1])
        every = [replace(first, chunk_size=largest, setting=name) for name, largest in named]
        budgets.append([every[0], *takewhile(lambda budget: budget.has_room(size), every[1:])])
        source.left = budgets[-1][-1].left
    if metadata is not None and metadata.embedded:
        rooms = metadata.rooms(sources, size)
        budgets = [
            [replace(budget, taken=budget.taken + room) for budget in own]
            for own, room in zip(budgets, rooms, strict=True)
        ]
    given = list(levels.values())
    limits = [own[-1].limits(size, given[len(own) - 1]) for own in budgets]
    warnings = [*_depth_warnings(budgets, named), *budget_warnings([own[-1] for own in budgets], size)]
    return Fitted([*map(len, budgets)], limits, warnings)


def _depth_warnings(budgets: Sequence[list[TextBudget]], named: Sequence[tuple[str, int]]) -> list[str]:
    """Returns one warning, about the document that leaves out the most levels; none if no document does."""
    shallow = [own for own in budgets if len(own) < len(named)]
    if not shallow:
        return []
    worst, *others = max(shallow, key=lambda own: own[0].taken)
    sizes, depth = [largest for _, largest in named], len(others) + 1
    several = f" ({len(shallow)} documents leave levels out)" if len(shallow) > 1 else ""
    message = (
        f"the metadata of document {document_id(worst.node)!r} takes {worst.taken} tokens, which leaves no room in "
        f"chunk_sizes {sizes[depth:]}: it is cut at {sizes[:depth]} only{several}; {REMEDY}, or raise the sizes"
    )
    return [message]


def budget_warnings(budgets: Iterable[TextBudget], size: Sizer) -> list[str]:
    """Returns one warning, about the smallest budget; none if no budget is small."""
    small = [budget for budget in budgets if budget.is_small(size)]
    if not small:
        return []
    least = min(small, key=lambda budget: budget.left)
    several = f" (in {len(small)} documents under {SMALL_ROOM})" if len(small) > 1 else ""
    message = (
        f"the metadata of document {document_id(least.node)!r} takes {least.taken} tokens of {least.setting}="
        f"{least.chunk_size}, which leaves {least.left} for the text of a chunk{several}: raise {least.setting}, or "
        f"{REMEDY}"
    )
    return [message]


def fit_chunks(
    sources: Sequence[SourceNode], segmentations: Sequence[Segmentation], size: Sizer, chunk_size: int | None
) -> list[list[Chunk]]:
    """Sources, and the segmentation of each -> the chunks of each, see `chunks_within`."""
    pairs = zip(sources, segmentations, strict=True)
    return [chunks_within(source.bare, segmentation, size, chunk_size) for source, segmentation in pairs]


def chunks_within(node: BaseNode, segmentation: Segmentation, size: Sizer, chunk_size: int | None) -> list[Chunk]:
    """A node and its segmentation -> chunks that measure at most `chunk_size` with the node's metadata.

    chunk_size: None if metadata do not count. The sizes of metadata and text need not add up, so both are measured
    together. A chunk that is too large after all is cut at a sentence, or within one.
    """
    chunks = segmentation.chunks()
    if chunk_size is None or not node.metadata or not chunks:
        return chunks
    measure, text, units = sizer_with_metadata(node, size), segmentation.text, segmentation.units
    if all(measure(chunk.text) <= chunk_size for chunk in chunks):
        return chunks
    breaks = fit_slices(
        segmentation.breaks,
        segmentation.sizes,
        lambda first, end: measure(_slice(segmentation, units[first], units[end]).text) <= chunk_size,
    )
    edges = refine(text, merge(units, breaks), measure, chunk_size, is_code=segmentation.is_code)
    return trimmed_slices(segmentation, edges)


def nested_chunks_within(
    node: BaseNode, nested: Nested, size: Sizer, chunk_sizes: Sequence[int] | None
) -> list[list[Chunk]]:
    """A node and its levels -> the chunks of each level, each within one of the level before.

    chunk_sizes: what a chunk of each level measures at most with the node's metadata; None if metadata do not count.
    """
    levels = nested.chunks()
    if chunk_sizes is not None and node.metadata and any(levels):
        levels = _fit_nested(nested, levels, sizer_with_metadata(node, size), chunk_sizes)
    return _same_in_all(levels)


def _fit_nested(
    nested: Nested, levels: Sequence[list[Chunk]], measure: Sizer, chunk_sizes: Sequence[int]
) -> list[list[Chunk]]:
    fitting: list[list[Chunk]] = []
    added: Edges | None = None  # the edges of the level before, once it has some that its segmentation has not
    for segmentation, chunks, largest in zip(nested.levels, levels, chunk_sizes, strict=False):
        if added is None and all(measure(chunk.text) <= largest for chunk in chunks):
            fitting.append(chunks)
            continue
        edges = segmentation.edges if added is None else np.union1d(segmentation.edges, added)
        added = refine(segmentation.text, edges, measure, largest, is_code=segmentation.is_code)
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
