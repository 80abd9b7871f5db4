"""Documents in, nodes of several sizes out: large ones to read, and within them small ones to search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any, TypeAlias
from warnings import warn

import numpy as np
from llama_index.core.bridge.pydantic import Field
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode, ImageDocument, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.utils import get_tqdm_iterable

from caesura.adapter_cuts import LevelCut, levels_of
from caesura.background import Background
from caesura.hierarchy import Hierarchy, Nested
from caesura.splitter import Batch
from caesura.types import Chunk, Limits, Sizer
from caesura.vectors import own_rows
from caesura.work import Stages
from llama_index.node_parser.caesura.nodes import (
    has_room,
    limits_of,
    nested_chunks,
    nodes_of,
    taken_by_metadata,
    text_of,
)
from llama_index.node_parser.caesura.parser import SemanticParser

Levels: TypeAlias = list[list[TextNode]]
"""For each level, coarse to fine, the nodes that tile the document there: a node may stand in several levels."""


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
        return Hierarchy(levels_of(self.chunk_sizes, self.cut), **self._shared(size))

    def _limited(
        self, stages: Stages[Any], nodes: Sequence[BaseNode], size: Sizer
    ) -> tuple[Stages[Any], list[str], list[Limits] | None]:
        texts = [text_of(node) for node in nodes]
        if not self.include_metadata or not any(node.metadata for node in nodes):
            return stages, texts, None
        found = [self._depth(node, text, size) for node, text in zip(nodes, texts, strict=True)]
        if all(depth == len(self.chunk_sizes) for depth, _ in found):
            return stages, texts, [limits for _, limits in found]
        assert isinstance(stages, Hierarchy)  # noqa: S101 - what `_stages` returned
        uneven = Uneven(stages, tuple(depth for depth, _ in found), stages.background)
        return uneven, texts, [limits for _, limits in found]

    def _depth(self, node: BaseNode, text: str, size: Sizer) -> tuple[int, Limits]:
        """In how many levels the metadata leaves room, and how much in the smallest of them."""
        taken = taken_by_metadata(node, text, size)
        depth = len(self.chunk_sizes)
        while taken and depth > 1 and not has_room(text, size, self.chunk_sizes[depth - 1] - taken):
            depth -= 1
        limits = limits_of(node, text, size, self.chunk_sizes[depth - 1], 0, "chunk_sizes[0]")
        if depth < len(self.chunk_sizes):
            warn(
                f"the metadata of document {node.node_id!r} takes {taken} tokens, which leaves no room in chunk_sizes "
                f"{self.chunk_sizes[depth:]}: it is cut at {self.chunk_sizes[:depth]} only; name keys in "
                f"excluded_embed_metadata_keys and excluded_llm_metadata_keys, or raise the sizes",
                stacklevel=2,
            )
        return depth, limits

    def _wrapped(self, nodes: Sequence[BaseNode], made: list[Any], show_progress: bool) -> list[BaseNode]:
        size, counted = self._size(), self.chunk_sizes if self.include_metadata else None
        id_func = None if self.id_func is default_id_func else self.id_func
        wrapped: list[BaseNode] = []
        all_levels: list[Levels] = []
        for node, nested in get_tqdm_iterable(list(zip(nodes, made, strict=True)), show_progress, "Parsing nodes"):
            levels = nested_chunks(node, nested, size, counted)
            own, tiled = levels_of_nodes(node, levels, id_func, self.include_metadata)
            wrapped += own
            all_levels.append(tiled)
        link_levels(all_levels, len(self.chunk_sizes), self.include_prev_next_rel)
        return wrapped


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
        rows = own_rows(vectors, len(batch.texts))
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


def levels_of_nodes(
    node: BaseNode, levels: Sequence[Sequence[Chunk]], id_func: Callable[..., str] | None, include_metadata: bool
) -> tuple[list[TextNode], Levels]:
    """A document and its chunks of each level -> its nodes, in their order, and which of them stand in each level.

    A chunk that is its parent's only child has its parent's text: the parent stands for it. A parent comes before its
    children and they before what follows, so that leaves, roots and all between are in the document's order.
    """
    if isinstance(node, ImageDocument) and not any(levels):
        levels = [[Chunk("", 0, 0)]]  # so that the image is not lost
    new: list[tuple[int, Chunk]] = []
    places: list[list[int]] = []
    parents: dict[int, int] = {}
    for level, chunks in enumerate(levels):
        above = places[-1] if places else []
        starts = [new[place][1].start for place in above]
        within = np.searchsorted(starts, [chunk.start for chunk in chunks], side="right") - 1
        here: list[int] = []
        for number, chunk in enumerate(chunks):
            parent = above[int(within[number])] if above else None
            if parent is not None and new[parent][1] == chunk:
                here.append(parent)
                continue
            if parent is not None:
                parents[len(new)] = parent
            here.append(len(new))
            new.append((level, chunk))
        places.append(here)
    order = sorted(range(len(new)), key=lambda place: (new[place][1].start, new[place][0]))
    ordered = nodes_of(node, [new[place] for place in order], id_func, include_metadata)
    made = dict(zip(order, ordered, strict=True))
    children: dict[int, list[RelatedNodeInfo]] = {}
    for child, parent in parents.items():
        made[child].relationships[NodeRelationship.PARENT] = named_only(made[parent])
        children.setdefault(parent, []).append(named_only(made[child]))
    for parent, infos in children.items():
        made[parent].relationships[NodeRelationship.CHILD] = infos
    return ordered, [[made[place] for place in here] for here in places]


def link_levels(documents: Sequence[Levels], depth: int, wanted: bool) -> None:
    """Gives the neighbours of each level their NEXT and PREVIOUS, over all input nodes of one document.

    A node that stands in several levels has the neighbours of the smallest: coarse levels are linked first.
    """
    if not wanted:
        return
    for level in range(depth):
        tiles = [node for levels in documents for node in levels[min(level, len(levels) - 1)]]
        for node, following in pairwise(tiles):
            if node.ref_doc_id is not None and node.ref_doc_id == following.ref_doc_id:
                node.relationships[NodeRelationship.NEXT] = named_only(following)
                following.relationships[NodeRelationship.PREVIOUS] = named_only(node)


def named_only(node: BaseNode) -> RelatedNodeInfo:
    """A node -> what others know it by: its id, which its text is part of, and no copy of its metadata.

    LlamaIndex follows these by their ids alone. With metadata, a node would hold that of all its children.
    """
    return RelatedNodeInfo(node_id=node.node_id, node_type=node.get_type())
