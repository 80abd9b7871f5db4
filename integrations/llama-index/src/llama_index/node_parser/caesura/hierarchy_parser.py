"""Node parser of several sizes: large nodes to read, and within them small ones to search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Annotated, ClassVar, cast

from llama_index.core.bridge.pydantic import Field, WithJsonSchema, pydantic
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode

from caesura.checks import check_choice, check_int
from caesura.errors import SettingError
from caesura.hierarchy import Hierarchy, Level, Nested, by_sizes
from caesura.host.settings import CUTS, check_own_cut
from caesura.types import Chunk, CountedCut, Cut, Sizer
from llama_index.node_parser.caesura.base import Prepared, SemanticParser
from llama_index.node_parser.caesura.metadata_budget import fit_limits, nested_chunks_within
from llama_index.node_parser.caesura.node_metadata import DescribedLevel
from llama_index.node_parser.caesura.nodes import Levels, References, build_levels, link_levels, set_embeddings
from llama_index.node_parser.caesura.splitters import LevelCut

IN_SECTION = "headings", "heading_levels", "table_header", "table_title", "open_blocks"
"""Names of what metadata may say of a node where it is made for its section alone."""


def hierarchy_levels(chunk_sizes: Sequence[int], cut: str | Cut) -> tuple[Level, ...]:
    """Settings -> the levels of a hierarchy, each cut in the same way. Raises `SettingError`.

    cut: the name of one of the core's, or a cut; "optimal" looks for chunks near a size, see `by_sizes`.
    """
    if isinstance(cut, str):
        check_choice("cut", cut, CUTS)
    sizes = list(chunk_sizes)
    for size in sizes:
        check_int("each of chunk_sizes", size, 1)
    if not sizes or any(below >= above for above, below in pairwise(sizes)):
        raise SettingError(f"chunk_sizes must fall from coarse to fine, such as [600, 120], got {sizes}")
    if isinstance(cut, str):
        return by_sizes(*sizes, cut=None if cut == "optimal" else CUTS[cut]())
    return by_sizes(*sizes, cut=check_own_cut(cut))


class SemanticHierarchyParser(SemanticParser):
    """Cuts documents at several sizes, each within the one before: search the small nodes, return the large ones.

    >>> from llama_index.core import Document
    >>> text = "The ferry leaves at nine. It stops at two islands. Bread needs flour and water."
    >>> parser = SemanticHierarchyParser(chunk_sizes=[16, 8])
    >>> [node.text for node in parser.get_nodes_from_documents([Document(text=text)])][:2]
    ['The ferry leaves at nine. It stops at two islands.', 'The ferry leaves at nine.']

    Returns for each document the nodes of all levels, each followed by its children. A node is an exact slice of the
    document (`start_char_idx`, `end_char_idx`) of at most its level's size in tokens, metadata counted. PARENT and
    CHILD lead from level to level. NEXT and PREVIOUS lead to the neighbours on a level, also to those with another
    parent. No text is kept twice: if a node has only one part, the part is left out and the node takes its place. So a
    document that fits the smallest size is one node. The nodes of `get_leaf_nodes` together cover the document. If
    metadata leave no room in the smallest size, they are not counted for that document, and a warning says so.

    Every sentence is embedded once for all levels. Ids are made of document id, level and text, equal
    texts numbered.
    """

    chunk_sizes: list[int] = Field(
        default_factory=lambda: [600, 120],
        description="The maximum number of tokens in a node, with metadata, for each level from large to small. Most "
        "nodes have about two thirds of it: 400 and 80.",
    )
    cut: Annotated[pydantic.SkipValidation[LevelCut | Cut], WithJsonSchema({"type": ["string", "object"]})] = Field(
        default="optimal",
        description="How each level is cut: optimal, double_pass, percentile, cluster, or any (vectors, sizes, limits) "
        "-> breaks, such as caesura.OptimalCut(). A cut that you pass aims at no size.",
    )
    embed_chunks: bool = Field(
        default=False,
        description="Give each of the smallest nodes the mean of its sentences' vectors, or the vector that a model "
        "with embed_document makes of it. An index on the same model then embeds no node again.",
    )

    functions: ClassVar[tuple[str, ...]] = (*SemanticParser.functions, "cut")

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "SemanticHierarchyParser"

    def _stages(self, size: Sizer) -> Hierarchy:
        levels = hierarchy_levels(chunk_sizes=self.chunk_sizes, cut=self.cut)
        return Hierarchy(levels, **self._common_settings(size))

    def _make_room(self, prepared: Prepared) -> Prepared:
        if not (self.embed_headings or any(source.node.metadata for source in prepared.sources)):
            return prepared
        finest, _ = cast(Hierarchy, prepared.stages).levels[-1]
        setting = f"chunk_sizes[{len(self.chunk_sizes) - 1}]"
        limits, warnings = fit_limits(prepared.sources, setting, finest, prepared.size, prepared.metadata)
        return prepared._replace(limits=limits, warnings=warnings)

    @property
    def _by_section(self) -> bool:
        """Whether the nodes of a section of a long document are the same whatever stands in the others."""
        counted = isinstance(self.cut, CountedCut) and self.cut.chunk_count is not None
        names = self.compiled.metadata.names.keys
        return self.id_func in (None, default_id_func) and not (
            self.embed_chunks or counted or names.keys() - {*IN_SECTION}
        )

    def _build_nodes(self, prepared: Prepared, results: Iterable[Nested]) -> list[BaseNode]:
        chunk_sizes = self.chunk_sizes if self.include_metadata else None
        references: References = {}
        built: list[BaseNode] = []
        all_levels: list[Levels] = []
        described: list[list[DescribedLevel]] = []
        found, depth = iter(results), len(self.chunk_sizes)
        within = partial(nested_chunks_within, size=prepared.size, chunk_sizes=chunk_sizes)
        for number, source in enumerate(prepared.sources):
            plan = self._plans.get(source.node.node_id) if self._plans else None
            nested = next(found) if plan is None else None
            if nested is not None:
                chunks = within(source, nested, segment=prepared.stages.segment)
            else:
                chunks = [[] for _ in self.chunk_sizes]
                for start in [start for at, start, _ in prepared.pieces if at == number]:
                    own_chunks = within(source, next(found), segment=prepared.stages.segment)
                    for level, some in zip(chunks, own_chunks, strict=True):
                        level += [Chunk(each.text, start + each.start, start + each.end) for each in some]
            name_nodes = None if plan is None else plan.name_nodes
            own, levels = build_levels(source.bare, chunks, self.id_func, self.include_metadata, references, name_nodes)
            if nested is not None and self.embed_chunks and any(chunks):
                set_embeddings(levels[-1], nested.levels[-1].vectors(chunks[-1]))
            built += own
            if plan is None:
                all_levels.append(levels)
            elif self.include_prev_next_rel:
                for part in plan.split_levels(levels):
                    link_levels([part], depth, references)
            most = self.chunk_sizes if source.counts else [None] * depth
            described.append(list(zip(chunks, levels, most, strict=False)))
        if self.include_prev_next_rel:
            link_levels(all_levels, depth, references)
        if prepared.metadata is not None and self.include_metadata:
            prepared.metadata.write(prepared.sources, described, prepared.size)
        return built
