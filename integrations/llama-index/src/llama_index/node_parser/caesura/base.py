"""Base classes of the parsers that embed: the stages of a run, which subclasses fill in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple, Never, Self, cast

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import BeforeValidator, Field, PrivateAttr, WithJsonSchema
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.utils import get_tqdm_iterable

from caesura.checks import UnknownSettingError
from caesura.errors import SettingError
from caesura.host.sentence_splitter import segmenter
from caesura.host.session import EmbeddingSession
from caesura.host.settings import TOKENS, Size, check_context, chunk_limits
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura.splitter import Splitter, Stages
from caesura.text.sentences import units
from caesura.types import Cut, Embed, Limits, Sizer, View
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_retrieval.document_embedders import embeds_documents
from llama_index.node_parser.caesura.caller_warning import warn_caller
from llama_index.node_parser.caesura.embedding_settings import EmbeddingParser, EmbedModel
from llama_index.node_parser.caesura.embeddings import embed_nodes_together, lean_rows
from llama_index.node_parser.caesura.metadata_budget import budget_warnings, chunks_within, text_budget
from llama_index.node_parser.caesura.node_metadata import UNASKED, NodeMetadata
from llama_index.node_parser.caesura.nodes import build_nodes, link, text_of

_dispatcher = get_dispatcher(__name__)


Names = Annotated[
    dict[str, str],
    BeforeValidator(lambda setting: dict(ChunkMetadata.of(setting).keys)),
    WithJsonSchema({"type": ["array", "object"]}),
]
NONE_MEANS = "chunk_size", "target_size", "confidence"
"""Settings of which None says something that is not their default."""


class Prepared(NamedTuple):
    """What a run starts with: the stages, the nodes' texts, what the metadata of each leaves, and what to warn of."""

    stages: Stages[Any]
    texts: list[str]
    limits: list[Limits] | None = None
    warnings: Sequence[str] = ()


class Settled:
    """The stages that a parser made last, and the values of its settings then. A copy of the parser begins without."""

    last: tuple[dict[str, Any], Any] = {}, None

    def __reduce__(self) -> tuple[type[Settled], tuple[()]]:
        return Settled, ()


class SemanticParser(EmbeddingParser):
    """What splitters and the hierarchy share: an embedder and a tokenizer drive the core's stages."""

    metadata: Names = Field(
        default_factory=dict,
        description="What a node's metadata say of its place: names of caesura_documents.chunk_metadata.NAMES, or a "
        "dict of name and key. As vector stores take no lists, headings are one text joined by ' > ', types and "
        "heading_levels by ', ', and boxes are JSON. Pages, types and boxes of a document that has them come unasked. "
        "No model is shown any of it.",
    )
    embed_headings: bool = Field(
        default=False,
        description="Embed headings and the header of a table that goes on, as metadata of the node that count in its "
        "size. They take a quarter of what other metadata leave at most: the outermost headings are left out first, in "
        "the metadata too.",
    )

    _settled: Settled = PrivateAttr(default_factory=Settled)

    @classmethod
    def from_defaults(cls, embed_model: EmbedModel = None, **settings: Any) -> Self:
        """The constructor, under the name that LlamaIndex uses. None means the default, save where it means more."""
        chosen = {name: value for name, value in settings.items() if value is not None or name in NONE_MEANS}
        return cls(embed_model=embed_model, **chosen)

    def __init__(self, *unnamed: Never, **settings: Any) -> None:
        if unnamed:
            raise UnknownSettingError(
                f"{type(self).__name__} takes its settings by name, such as chunk_size=200: got {unnamed[0]!r:.80}"
            )
        super().__init__(**settings)
        if self.embed_headings and getattr(self, "embed_chunks", False):
            raise SettingError(
                "embed_headings=True is for the model of an index, and embed_chunks=True gives it the vectors of the "
                "text alone: take one of them"
            )
        self._settle(len if self.tokenizer is None else self._size())  # so that a bad setting is refused here

    # -- what subclasses say; not abstract: LlamaIndex would report a span for each -----------------------------------

    def _stages(self, size: Sizer) -> Stages[Any]:
        """The settings -> a Splitter or a Hierarchy. Raises `SettingError`."""
        raise NotImplementedError

    def _make_room(
        self, prepared: Prepared, nodes: Sequence[BaseNode], size: Sizer, places: NodeMetadata | None
    ) -> Prepared:
        """The same with what the nodes' metadata leaves of the limits, and with what to warn of."""
        raise NotImplementedError

    def _build_nodes(
        self,
        nodes: Sequence[BaseNode],
        prepared: Prepared,
        results: list[Any],
        places: NodeMetadata | None,
        show_progress: bool,
    ) -> list[BaseNode]:
        """What the stages returned for each node -> nodes."""
        raise NotImplementedError

    # -- a run --------------------------------------------------------------------------------------------------------

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        model = self._model()
        embed, _ = self._embed(model, show_progress)
        places = self._places(nodes)
        prepared = self._prepare(nodes, places)
        results = self._session(prepared, model).run(embed)
        built = self._build_nodes(nodes, prepared, results, places, show_progress)
        run(self._embed_together(Blocking(), model, built))
        return built

    @_dispatcher.span
    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        model = self._model()
        _, aembed = self._embed(model, show_progress)
        places = self._places(nodes)
        prepared = await Awaiting().compute(self._prepare, nodes, places)
        results = await self._session(prepared, model).arun(aembed)
        built = await Awaiting().compute(self._build_nodes, nodes, prepared, results, places, show_progress)
        await self._embed_together(Awaiting(), model, built)
        return built

    async def _embed_together(self, calls: Calls, model: BaseEmbedding | Embed, built: Sequence[BaseNode]) -> None:
        """Gives the nodes that have vectors of their sentences those that the model makes of their document's."""
        if getattr(self, "embed_chunks", False) and embeds_documents(model):
            nodes = [node for node in built if node.embedding is not None]
            await embed_nodes_together(calls, model, nodes, MetadataMode.NONE, getattr(self, "context", 0.0))

    def places(self) -> NodeMetadata:
        """What nodes say of their places, by the settings."""
        return NodeMetadata.of(self.metadata, self.embed_headings, self.sentence_splitter)

    def _places(self, nodes: Sequence[BaseNode]) -> NodeMetadata | None:
        """The same, if there is anything to say or a layout to take away."""
        asked = self.metadata or self.embed_headings or any(not UNASKED.isdisjoint(node.metadata) for node in nodes)
        return self.places() if asked else None

    def _prepare(self, nodes: Sequence[BaseNode], places: NodeMetadata | None) -> Prepared:
        size = self._size()
        if places is not None and self.include_metadata:
            for node in nodes:
                places.check(node)
        prepared = Prepared(self._settle(size), [text_of(node) for node in nodes])
        return self._make_room(prepared, nodes, size, places) if self.include_metadata else prepared

    def _settle(self, size: Sizer) -> Stages[Any]:
        """The stages, which are made and checked again only where a setting is not what it was."""
        settings, stages = self._settled.last
        same = stages is not None and all(
            settings[name] == value if isinstance(value, list) else settings[name] is value for name, value in self
        )
        if not same or stages.size != size:
            stages = self._stages(size)
            now = {name: value.copy() if isinstance(value, list) else value for name, value in self}
            self._settled.last = now, stages
        return cast(Stages[Any], stages)

    def _session(self, prepared: Prepared, model: BaseEmbedding | Embed) -> EmbeddingSession[Any]:
        """Not in a thread: a warning shows the line that called."""
        for message in prepared.warnings:
            warn_caller(message)
        return EmbeddingSession(prepared.stages, prepared.texts, model, self._cache, self.calibrated, prepared.limits)

    def _common_settings(self, size: Sizer) -> dict[str, Any]:
        """The settings that a Splitter and a Hierarchy have in common."""
        return {
            "size": size,
            "segment": segmenter(self.sentence_splitter, units),
            "background": self._own_background(),
        }


def index_metadata(transformations: Iterable[Any]) -> NodeMetadata:
    """What the nodes say of their places that transformations make: the last of our parsers says it."""
    made = [each.places() for each in transformations if isinstance(each, SemanticParser) and each.include_metadata]
    return (made or [NodeMetadata()])[-1]


class BaseSemanticSplitter(SemanticParser):
    """What all splitters share: an embedder, a size in tokens, nodes that know their place.

    A node's text is an exact slice of its document (`start_char_idx`, `end_char_idx`), and its content with metadata
    measures at most `chunk_size` tokens. Ids are made of document id and text, equal texts numbered, so that the same
    document gives the same ids, and a node keeps its own where it moves; they are as stable as the document ids are. An
    empty document gives no nodes.
    """

    chunk_size: Size = Field(
        default="auto",
        description="The most tokens a node may have, metadata counted; None: any. auto: twice target_size, 200 where "
        "neither is given, 512 without a target.",
    )
    target_size: Size = Field(
        default="auto",
        description="What each node's text is near, in tokens, metadata not counted, as far as paragraphs and turns of "
        "meaning allow; None: the cut alone says. auto: half of chunk_size, or None where a threshold, a penalty or "
        "a number says where to cut. A number of nodes excludes a target.",
    )
    min_chunk_size: int = Field(default=0, description="Nodes under so many tokens join a neighbour where that fits.")
    embed_chunks: bool = Field(
        default=False,
        description="Give nodes the mean of their sentences' vectors, or what a model with embed_document makes of "
        "all nodes' texts of a document, so that an index on the same model embeds none.",
    )
    context: float = Field(
        default=0.0,
        description="How far the vectors of embed_chunks lean toward those around each in its document; HierarchyIndex "
        "has 0.4.",
    )

    def _cut(self) -> tuple[Cut, View | None]:
        """The settings' cut, and its view if it has one. Not abstract: LlamaIndex would report a span for it."""
        raise NotImplementedError

    def _decides(self) -> bool:
        """Whether the settings say where to cut, so that by default no size is aimed at."""
        return False

    def _stages(self, size: Sizer) -> Splitter:
        cut, view = self._cut()
        check_context(self.context, self.embed_chunks)
        return Splitter(limits=self._limits(), cut=cut, view=view, **self._common_settings(size))

    def _limits(self) -> Limits:
        return chunk_limits(self.chunk_size, self.min_chunk_size, 0, self.target_size, TOKENS, self._decides())

    def _make_room(
        self, prepared: Prepared, nodes: Sequence[BaseNode], size: Sizer, places: NodeMetadata | None
    ) -> Prepared:
        own = cast(Splitter, prepared.stages).limits
        if own.max_size is None:
            return prepared
        budget = text_budget if places is None else places.budget
        budgets = [budget(node, text, size, own.max_size) for node, text in zip(nodes, prepared.texts, strict=True)]
        limits = [budget.limits(size, own) for budget in budgets]
        return prepared._replace(limits=limits, warnings=budget_warnings(budgets, size))

    def _build_nodes(
        self,
        nodes: Sequence[BaseNode],
        prepared: Prepared,
        results: list[Any],
        places: NodeMetadata | None,
        show_progress: bool,
    ) -> list[BaseNode]:
        stages = cast(Splitter, prepared.stages)
        size, chunk_size = stages.size, stages.limits.max_size if self.include_metadata else None
        built: list[BaseNode] = []
        for node, segmentation in get_tqdm_iterable(
            list(zip(nodes, results, strict=True)), show_progress, "Parsing nodes"
        ):
            bare = node if places is None else places.strip(node)
            chunks = chunks_within(bare, segmentation, size, chunk_size)
            own = build_nodes(bare, [(0, chunk) for chunk in chunks], self.id_func, self.include_metadata)
            if places is not None and self.include_metadata:
                places.write(node, [(chunks, own, chunk_size)], size)
            if self.embed_chunks and chunks:
                for each, vector in zip(
                    own, lean_rows(segmentation.vectors(chunks), self.context).tolist(), strict=True
                ):
                    each.embedding = vector
            built += own
        if self.include_prev_next_rel:
            link(built, BaseNode.as_related_node_info)  # with metadata, as LlamaIndex's own do
        return built
