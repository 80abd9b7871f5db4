"""Documents in, nodes of several sizes out: large ones to read, and within them small ones to search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import Any

import numpy as np
from llama_index.core.bridge.pydantic import Field
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode
from llama_index.core.utils import get_tqdm_iterable

from caesura.background import Background
from caesura.hierarchy import Hierarchy, Nested
from caesura.plugin.session import Stages
from caesura.plugin.settings import LevelCut, hierarchy_levels
from caesura.splitter import Batch
from caesura.types import Limits, Sizer
from caesura.vectors import as_rows
from llama_index.node_parser.caesura.base import Prepared, SemanticParser
from llama_index.node_parser.caesura.metadata_budget import (
    REMEDY,
    TextBudget,
    budget_warnings,
    nested_chunks_within,
    text_budget,
)
from llama_index.node_parser.caesura.nodes import Levels, document_of, build_levels, link_levels, text_of


@dataclass(frozen=True, slots=True)
class Uneven:
    """A hierarchy, for documents of which some have no room in its smallest levels: `depths` says how many each has."""

    hierarchy: Hierarchy
    depths: tuple[int, ...]
    background: Background | None

    def prepare(self, texts: Sequence[str], limits: Sequence[Limits] | None = None) -> Batch:
        """As `Hierarchy.prepare`; limits: those of each document's own smallest level."""
        return self.hierarchy.prepare(texts, limits)

    def finish(self, batch: Batch, vectors: Any) -> list[Nested]:
        """As `Hierarchy.finish`."""
        rows = as_rows(vectors, len(batch.texts))
        ends = np.cumsum([0, *(int(np.count_nonzero(sizes)) for sizes in batch.sizes)])
        made: list[Nested] = []
        for depth, group in groupby(range(len(batch.documents)), self.depths.__getitem__):
            places = list(group)
            first, last = places[0], places[-1] + 1
            texts = slice(int(ends[first]), int(ends[last]))
            part = Batch(
                batch.documents[first:last],
                batch.units[first:last],
                batch.texts[texts],
                batch.limits[first:last],
                batch.sizes[first:last],
            )
            own = replace(self.hierarchy, levels=self.hierarchy.levels[:depth], background=self.background)
            made += own.finish(part, rows[texts])
        return made


class SemanticHierarchyParser(SemanticParser):
    """Cuts documents at several sizes, each within the one before: search the small nodes, return the large ones.

    Returns for each document the nodes of all levels, each before its children and these before what follows. A node is
    an exact slice of the document (`start_char_idx`, `end_char_idx`) of at most its level's size in tokens, metadata
    counted. PARENT and CHILD go from level to level; NEXT and PREVIOUS join neighbours of a level, over the borders of
    their parents too. A text is kept once: a node that would be its parent's only child is left out, and its parent
    stands in its place, with the neighbours that it would have, so that a document that fits the smallest size is one
    node. What `get_leaf_nodes` finds tiles the document, whatever the levels they are of. A level that the metadata of
    a document leaves no room in is left out for that document, with a warning.

    Every sentence is embedded once for all levels. Ids are made of document id, level, span and text.
    """

    chunk_sizes: list[int] = Field(
        default_factory=lambda: [2048, 512, 128],
        description="The most tokens a node of each level may have, metadata counted, coarse to fine.",
    )
    cut: LevelCut = Field(
        default="optimal", description="How each level is cut: optimal, double_pass, percentile or cluster."
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "SemanticHierarchyParser"

    def _stages(self, size: Sizer) -> Hierarchy:
        return Hierarchy(hierarchy_levels(self.chunk_sizes, self.cut), **self._shared(size))

    def _ready(self, stages: Stages[Any], nodes: Sequence[BaseNode], size: Sizer) -> Prepared:
        texts = [text_of(node) for node in nodes]
        if not self.include_metadata or not any(node.metadata for node in nodes):
            return Prepared(stages, texts)
        rooms = [self._rooms(node, text, size) for node, text in zip(nodes, texts, strict=True)]
        finest = [levels[-1] for levels in rooms]
        limits = [room.limits(size) for room in finest]
        warnings = [*self._left_out(rooms), *budget_warnings(finest, size)]
        depths = tuple(map(len, rooms))
        if set(depths) != {len(self.chunk_sizes)}:
            assert isinstance(stages, Hierarchy)  # noqa: S101 - what `_stages` returned
            stages = Uneven(stages, depths, stages.background)
        return Prepared(stages, texts, limits, warnings)

    def _rooms(self, node: BaseNode, text: str, size: Sizer) -> list[TextBudget]:
        """What a node leaves of the sizes that it leaves room in, and of the first in any case."""
        first = text_budget(node, text, size, self.chunk_sizes[0])
        every = [
            replace(first, chunk_size=chunk_size, setting=f"chunk_sizes[{number}]")
            for number, chunk_size in enumerate(self.chunk_sizes)
        ]
        return [every[0], *takewhile(lambda room: room.serves(size), every[1:])]

    def _left_out(self, rooms: Sequence[list[TextBudget]]) -> list[str]:
        """What to warn of: one message, of the document that leaves out most."""
        cut = [levels for levels in rooms if len(levels) < len(self.chunk_sizes)]
        if not cut:
            return []
        worst = max((levels[0] for levels in cut), key=lambda room: room.taken)
        depth = next(len(levels) for levels in cut if levels[0] is worst)
        several = f" ({len(cut)} documents leave levels out)" if len(cut) > 1 else ""
        message = (
            f"the metadata of document {document_of(worst.node)!r} takes {worst.taken} tokens, which leaves no room in "
            f"chunk_sizes {self.chunk_sizes[depth:]}: it is cut at {self.chunk_sizes[:depth]} only{several}; {REMEDY}, "
            f"or raise the sizes"
        )
        return [message]

    def _wrapped(self, nodes: Sequence[BaseNode], made: list[Any], show_progress: bool) -> list[BaseNode]:
        size, counted = self._size(), self.chunk_sizes if self.include_metadata else None
        id_func = None if self.id_func is default_id_func else self.id_func
        wrapped: list[BaseNode] = []
        all_levels: list[Levels] = []
        for node, nested in get_tqdm_iterable(list(zip(nodes, made, strict=True)), show_progress, "Parsing nodes"):
            levels = nested_chunks_within(node, nested, size, counted)
            own, tiled = build_levels(node, levels, id_func, self.include_metadata)
            wrapped += own
            all_levels.append(tiled)
        if self.include_prev_next_rel:
            link_levels(all_levels, len(self.chunk_sizes))
        return wrapped
