"""Node parser of several sizes: large nodes to read, and within them small ones to search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Annotated, Any, cast

from llama_index.core.bridge.pydantic import Field, WithJsonSchema, pydantic
from llama_index.core.schema import BaseNode
from llama_index.core.utils import get_tqdm_iterable

from caesura.hierarchy import Hierarchy
from caesura.host.settings import CUTS, hierarchy_levels
from caesura.types import Cut, Sizer
from llama_index.node_parser.caesura.base import Prepared, SemanticParser
from llama_index.node_parser.caesura.metadata_budget import (
    REMEDY,
    TextBudget,
    budget_warnings,
    nested_chunks_within,
    text_budget,
)
from llama_index.node_parser.caesura.node_metadata import NodeMetadata
from llama_index.node_parser.caesura.nodes import Levels, build_levels, document_id, link_levels
from llama_index.node_parser.caesura.serialization import check_pickles, cut_from_dict, cut_to_dict
from llama_index.node_parser.caesura.splitters import LevelCut


class SemanticHierarchyParser(SemanticParser):
    """Cuts documents at several sizes, each within the one before: search the small nodes, return the large ones.

    Returns for each document the nodes of all levels, each before its children and these before what follows. A node is
    an exact slice of the document (`start_char_idx`, `end_char_idx`) of at most its level's size in tokens, metadata
    counted. PARENT and CHILD go from level to level; NEXT and PREVIOUS join neighbours of a level, over the borders of
    their parents too. A text is kept once: a node that would be its parent's only child is left out, and its parent
    stands in its place, with the neighbours that it would have, so that a document that fits the smallest size is one
    node. What `get_leaf_nodes` finds tiles the document, whatever the levels they are of. A level that the metadata of
    a document leaves no room in is left out for that document, with a warning.

    Every sentence is embedded once for all levels. Ids are made of document id, level and text, equal
    texts numbered.
    """

    chunk_sizes: list[int] = Field(
        default_factory=lambda: [600, 120],
        description="The most tokens a node of each level may have, metadata counted, coarse to fine. Nodes are near "
        "two thirds of it, 400 and 80.",
    )
    cut: Annotated[pydantic.SkipValidation[LevelCut | Cut], WithJsonSchema({"type": ["string", "object"]})] = Field(
        default="optimal",
        description="How each level is cut: optimal, double_pass, percentile, cluster, or any (vectors, sizes, limits) "
        "-> breaks, such as caesura.OptimalCut(), which knows of no size to be near.",
    )
    embed_chunks: bool = Field(
        default=False,
        description="Give the smallest nodes the mean of their sentences' vectors, or what a model with embed_document "
        "makes of all their texts of a document, so that an index on the same model embeds none.",
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "SemanticHierarchyParser"

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """See `SerializableParser`."""
        cut = self.cut if isinstance(self.cut, str) else cut_to_dict(self.cut, self.cache_tag)
        return {**super().to_dict(**kwargs), "cut": cut}

    @classmethod
    def _revive(cls, settings: dict[str, Any], resolved: dict[str, Any], trusted: bool) -> None:
        super()._revive(settings, resolved, trusted)
        if "cut" in settings and settings["cut"] not in list(CUTS):
            settings["cut"] = cut_from_dict(settings["cut"], trusted)

    def __getstate__(self) -> dict[str, Any]:
        check_pickles("cut", self.cut)
        return super().__getstate__()

    def _stages(self, size: Sizer) -> Hierarchy:
        levels = hierarchy_levels(chunk_sizes=self.chunk_sizes, cut=self.cut)
        return Hierarchy(levels, **self._common_settings(size))

    def _make_room(
        self, prepared: Prepared, nodes: Sequence[BaseNode], size: Sizer, places: NodeMetadata | None
    ) -> Prepared:
        if not (self.embed_headings or any(node.metadata for node in nodes)):
            return prepared
        pairs = zip(nodes, prepared.texts, strict=True)
        budgets = [self._level_budgets(node, text, size, places) for node, text in pairs]
        finest = [levels[-1] for levels in budgets]
        hierarchy = cast(Hierarchy, prepared.stages)
        limits = [levels[-1].limits(size, hierarchy.levels[len(levels) - 1][0]) for levels in budgets]
        warnings = [*self._depth_warnings(budgets), *budget_warnings(finest, size)]
        stages = replace(hierarchy, depths=tuple(map(len, budgets)))
        return prepared._replace(stages=stages, limits=limits, warnings=warnings)

    def _level_budgets(self, node: BaseNode, text: str, size: Sizer, places: NodeMetadata | None) -> list[TextBudget]:
        """What a node leaves of the sizes that it leaves room in, and of the first in any case."""
        bare = node if places is None else places.strip(node)
        first = text_budget(bare, text, size, self.chunk_sizes[0])
        budgets = [
            replace(first, chunk_size=chunk_size, setting=f"chunk_sizes[{number}]")
            for number, chunk_size in enumerate(self.chunk_sizes)
        ]
        used = [budgets[0], *takewhile(lambda budget: budget.has_room(size), budgets[1:])]
        room = 0 if places is None else places.room(node, text, size, used[-1].left)
        return [replace(budget, taken=budget.taken + room) for budget in used]

    def _depth_warnings(self, budgets: Sequence[list[TextBudget]]) -> list[str]:
        """What to warn of: one message, of the document that leaves out most levels."""
        shallow = [levels for levels in budgets if len(levels) < len(self.chunk_sizes)]
        if not shallow:
            return []
        levels = max(shallow, key=lambda levels: levels[0].taken)
        worst, depth = levels[0], len(levels)
        several = f" ({len(shallow)} documents leave levels out)" if len(shallow) > 1 else ""
        message = (
            f"the metadata of document {document_id(worst.node)!r} takes {worst.taken} tokens, which leaves no room in "
            f"chunk_sizes {self.chunk_sizes[depth:]}: it is cut at {self.chunk_sizes[:depth]} only{several}; {REMEDY}, "
            f"or raise the sizes"
        )
        return [message]

    def _build_nodes(
        self,
        nodes: Sequence[BaseNode],
        prepared: Prepared,
        results: list[Any],
        places: NodeMetadata | None,
        show_progress: bool,
    ) -> list[BaseNode]:
        size, chunk_sizes = cast(Hierarchy, prepared.stages).size, self.chunk_sizes if self.include_metadata else None
        built: list[BaseNode] = []
        all_levels: list[Levels] = []
        for node, nested in get_tqdm_iterable(list(zip(nodes, results, strict=True)), show_progress, "Parsing nodes"):
            bare = node if places is None else places.strip(node)
            chunks = nested_chunks_within(bare, nested, size, chunk_sizes)
            own, levels = build_levels(bare, chunks, self.id_func, self.include_metadata)
            if places is not None and self.include_metadata and any(chunks):
                places.write(node, list(zip(chunks, levels, self.chunk_sizes, strict=False)), size)
            if self.embed_chunks and any(chunks):
                vectors = nested.levels[len(chunks) - 1].vectors(chunks[-1]).tolist()
                for each, vector in zip(levels[-1], vectors, strict=True):
                    each.embedding = vector
            built += own
            all_levels.append(levels)
        if self.include_prev_next_rel:
            link_levels(all_levels, len(self.chunk_sizes))
        return built
