"""Base classes of the parsers that embed: the steps of a run, some of which subclasses fill in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import is_
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Never, Self, cast

from llama_index.core.bridge.pydantic import BeforeValidator, Field, PrivateAttr, WithJsonSchema
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, MetadataMode, TextNode
from llama_index.core.utils import get_tokenizer, get_tqdm_iterable

from caesura.checks import UnknownSettingError
from caesura.errors import SettingError
from caesura.host.session import EmbeddingSession
from caesura.host.settings import TOKENS, Size, check_context, chunk_limits
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura.segmentation import Segmentation
from caesura.splitter import Splitter, Stages
from caesura.text.align import segmenter, segmenters_of
from caesura.text.sentences import units
from caesura.types import Cut, Limits, Sizer, View
from caesura_documents.caller_warning import warn_caller
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.layout import LAYOUT
from caesura_documents.outline import Outline, outline
from caesura_documents.titles import file_of
from caesura_retrieval.document_embedders import embeds_documents
from caesura_retrieval.leaning import lean
from caesura_store.setting_keys import canonical
from llama_index.node_parser.caesura.embedding_settings import EmbeddingParser, EmbedModel, token_sizer
from llama_index.node_parser.caesura.embeddings import embed_nodes_together
from llama_index.node_parser.caesura.metadata_budget import chunks_within, fit_limits
from llama_index.node_parser.caesura.node_metadata import UNASKED, NodeMetadata
from llama_index.node_parser.caesura.node_sections import SectionPlan
from llama_index.node_parser.caesura.nodes import (
    SourceNode,
    build_nodes,
    count_in_document,
    link,
    read_sources,
    set_embeddings,
)
from llama_index.node_parser.caesura.serialization import SerializableParser

Names = Annotated[
    dict[str, str],
    BeforeValidator(lambda setting: dict(ChunkMetadata.of(setting).keys)),
    WithJsonSchema({"type": ["array", "object"]}),
]
NONE_MEANS = "chunk_size", "target_size", "confidence"
"""Settings for which None has a meaning and is not the default."""


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """The settings of a parser, checked and made into what runs.

    settings: what it was made of. metadata: what nodes say of their places.
    """

    settings: tuple[Any, ...]
    size: Sizer
    stages: Stages[Any]
    metadata: NodeMetadata

    def is_made_of(self, settings: tuple[Any, ...]) -> bool:
        """Whether these are the same objects that it was made of."""
        return len(settings) == len(self.settings) and all(map(is_, settings, self.settings))

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()  # None: a pickle, or a deep copy of a parser, compiles its own settings


class Prepared(NamedTuple):
    """What a run starts with: its sources, the stages and limits by which they are cut, and what to warn of.

    metadata: None if nodes say nothing of their places and there is nothing to take away.
    """

    sources: list[SourceNode]
    size: Sizer
    stages: Stages[Any]
    metadata: NodeMetadata | None
    limits: list[Limits] | None = None
    warnings: Sequence[str] = ()
    pieces: Sequence[tuple[int, int, str]] = ()
    """What is cut, if it is not the whole of each source: the number of the source, and where in it a text stands."""


class SemanticParser(EmbeddingParser):
    """What splitters and the hierarchy share: an embedder and a tokenizer drive the core's stages."""

    metadata: Names = Field(
        default_factory=dict,
        description="What a node's metadata say about its place: a list of names such as 'headings', or a dict from "
        "such names to keys; [all names](../splitters.md#where-a-chunk-stands). Lists become one text, because vector "
        "stores take no lists: headings are joined by ' > ', types, speakers and heading_levels by ', ', and boxes are "
        "JSON. Pages, types, boxes, speakers and times are always there if the document has them. No model sees these "
        "metadata.",
    )
    embed_headings: bool = Field(
        default=False,
        description="Whether a node is embedded with the headings above it, and with the header of a table that goes "
        "on in it. They are metadata of the node and count in its size. They take at most a quarter of the room that "
        "other metadata leave. If there is too little room, the outermost headings are left out first.",
    )

    _compiled: Compiled | None = PrivateAttr(default=None)
    _filed: tuple[Compiled, Any] | None = PrivateAttr(default=None)
    _rules: Callable[[str], Outline] = PrivateAttr(default_factory=lambda: outline)
    _plans: Mapping[str, SectionPlan] = PrivateAttr(default_factory=dict)

    if TYPE_CHECKING:  # LlamaIndex promises less: a `BaseNode` has neither text nor offsets

        def get_nodes_from_documents(  # type: ignore[override]
            self, documents: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
        ) -> list[TextNode]: ...

        async def aget_nodes_from_documents(  # type: ignore[override]
            self, documents: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
        ) -> list[TextNode]: ...

    @classmethod
    def from_defaults(cls, embed_model: EmbedModel = None, **settings: Any) -> Self:
        """The constructor, under the name that LlamaIndex uses.

        None means the default. Only for chunk_size, target_size and confidence it is a value of its own.
        """
        chosen = {name: value for name, value in settings.items() if value is not None or name in NONE_MEANS}
        return cls(embed_model=embed_model, **chosen)

    def __init__(self, *unnamed: Never, **settings: Any) -> None:
        if unnamed:
            raise UnknownSettingError(
                f"{type(self).__name__} takes its settings by name, such as chunk_size=200: got {unnamed[0]!r:.80}"
            )
        super().__init__(**settings)

    def _check(self) -> None:
        if self.embed_headings and getattr(self, "embed_chunks", False):
            raise SettingError(
                "embed_headings=True is for the model of an index, and embed_chunks=True gives it the vectors of the "
                "text alone: take one of them"
            )
        self._stages(len if self.tokenizer is None else token_sizer(self.tokenizer))  # refuses a bad setting here

    # -- what subclasses say; not abstract: LlamaIndex would report a span for each -----------------------------------

    def _stages(self, size: Sizer) -> Stages[Any]:
        """The settings -> a Splitter or a Hierarchy. Raises `SettingError`."""
        raise NotImplementedError

    def _make_room(self, prepared: Prepared) -> Prepared:
        """Returns the same with the limits that metadata leave, and with what to warn of."""
        raise NotImplementedError

    def _build_nodes(self, prepared: Prepared, results: Iterable[Any]) -> list[BaseNode]:
        """Makes nodes of what the stages returned for each source."""
        raise NotImplementedError

    # -- a run --------------------------------------------------------------------------------------------------------

    @property
    def compiled(self) -> Compiled:
        """The settings as they run, made on first use and again when one of them is another object."""
        tokenizer = get_tokenizer() if self.tokenizer is None else self.tokenizer
        settings = (tokenizer, *_with_items(self.__dict__.values()))
        compiled = self._compiled
        if compiled is None or not compiled.is_made_of(settings):
            size = token_sizer(tokenizer)
            metadata = NodeMetadata.of(self.metadata, self.embed_headings, self.sentence_splitter)
            compiled = self._compiled = Compiled(settings, size, self._stages(size), metadata)
        return compiled

    def filed_settings(self) -> Any:
        """Returns what `to_dict` says, in a form to be compared.

        It is read once for the same settings, but always where there is a model, whose own settings may change.
        """
        if self.embed_model is not None:
            return canonical(self.to_dict())
        compiled = self.compiled
        if self._filed is None or self._filed[0] is not compiled:
            self._filed = compiled, canonical(self.to_dict())
        return self._filed[1]

    async def _parse(self, calls: Calls, nodes: Sequence[BaseNode], show_progress: bool) -> list[BaseNode]:
        model = self._model()
        embed, aembed = self._embed(model, show_progress)
        prepared = await calls.compute(self._prepare, nodes)
        for message in prepared.warnings:  # not in a thread: a warning shows the line that called
            warn_caller(message)
        sources, limits = prepared.sources, prepared.limits
        texts = [source.text for source in sources]
        if self._plans:
            texts, sources = [text for *_, text in prepared.pieces], [sources[at] for at, *_ in prepared.pieces]
            limits = None if limits is None else [limits[at] for at, *_ in prepared.pieces]
        segmenters = segmenters_of(prepared.stages.segment, map(file_of, [source.node.metadata for source in sources]))
        session = EmbeddingSession(
            prepared.stages, texts, model, self._cache, self.calibrated, limits, segmenters=segmenters
        )
        results = await session.split(calls, embed if isinstance(calls, Blocking) else aembed)
        shown = get_tqdm_iterable(results, show_progress, "Parsing nodes")
        built = await calls.compute(self._build_nodes, prepared, shown)
        if getattr(self, "embed_chunks", False) and embeds_documents(model):
            own = [node for node in built if node.embedding is not None]  # which have vectors of their sentences
            await embed_nodes_together(calls, model, own, MetadataMode.NONE, getattr(self, "context", 0.0))
        return built

    def _prepare(self, nodes: Sequence[BaseNode]) -> Prepared:
        compiled = self.compiled
        prepared = Prepared(read_sources(nodes), compiled.size, compiled.stages, None)
        if self.metadata or self.embed_headings or any(not UNASKED.isdisjoint(node.metadata) for node in nodes):
            metadata = compiled.metadata.with_memory(self._rules)
            metadata.read(prepared.sources, self.include_metadata)
            prepared = prepared._replace(metadata=metadata)
        prepared = self._make_room(prepared) if self.include_metadata else prepared
        return prepared._replace(pieces=self._divide(prepared)) if self._plans else prepared

    def _divide(self, prepared: Prepared) -> list[tuple[int, int, str]]:
        """Returns what is cut of each source, of one that is written in sections what is not stored."""
        pieces: list[tuple[int, int, str]] = []
        for number, source in enumerate(prepared.sources):
            found, plan = [(0, source.text)], self._plans.get(source.node.node_id)
            if plan is not None:
                limits = prepared.limits and prepared.limits[number]
                found = plan.divide(source, limits, prepared.metadata, self._rules)
            pieces += [(number, *each) for each in found]
        return pieces

    def _common_settings(self, size: Sizer) -> dict[str, Any]:
        """The settings that a Splitter and a Hierarchy have in common."""
        return {
            "size": size,
            "segment": segmenter(self.sentence_splitter, units),
            "background": self._own_background(),
        }


def _with_items(values: Iterable[Any]) -> Iterator[Any]:
    """Settings, each before what it holds: a list and a dict can be changed where they are."""
    for value in values:
        yield value
        if isinstance(value, dict):
            yield from value
            yield from value.values()
        elif isinstance(value, list):
            yield from value


@dataclass(frozen=True, slots=True)
class _OtherParser:
    """A parser that is not ours. It is given documents without their layouts, which it would copy to each node; its
    nodes say of their places what those of our parsers do, where it tells their offsets."""

    parser: NodeParser
    metadata: NodeMetadata

    def __call__(self, nodes: Sequence[BaseNode], **options: Any) -> Sequence[BaseNode]:
        return run(self._parse(Blocking(), nodes, options))

    async def acall(self, nodes: Sequence[BaseNode], **options: Any) -> Sequence[BaseNode]:
        return await self._parse(Awaiting(), nodes, options)

    async def _parse(self, calls: Calls, nodes: Sequence[BaseNode], options: Mapping[str, Any]) -> Sequence[BaseNode]:
        sources = {source.node.node_id: source for source in read_sources(nodes) if LAYOUT in source.node.metadata}
        await calls.compute(self.metadata.read, sources.values(), self.parser.include_metadata)
        bare = [sources[node.node_id].bare if node.node_id in sources else node for node in nodes]
        parsed = await calls.call(self.parser, self.parser.acall, bare, **options)
        made = await calls.compute(count_in_document, parsed)
        if sources and self.parser.include_metadata:
            await calls.compute(self.metadata.place, sources, made)
        return made


def with_rules(
    transformations: Iterable[Any],
    rules: Callable[[str], Outline],
    plans: Mapping[str, SectionPlan] = MappingProxyType({}),
) -> list[Any]:
    """Returns transformations for one run: our parsers find the outlines of texts by these rules, and the nodes of
    others say where they stand in documents that have a layout. plans: of the documents that are written in sections,
    by id; of these only the nodes are made that are not stored."""
    made: list[Any] = []
    for each in transformations:
        if isinstance(each, SemanticParser):
            each = each.model_copy()
            each._rules, each._plans = rules, plans
        elif isinstance(each, NodeParser) and not isinstance(each, SerializableParser):
            each = _OtherParser(each, NodeMetadata().with_memory(rules))
        made.append(each)
    return made


def index_metadata(transformations: Iterable[Any]) -> NodeMetadata:
    """Returns what nodes that transformations make say of their places: the last of our parsers decides."""
    ours = [each for each in transformations if isinstance(each, SemanticParser) and each.include_metadata]
    return ours[-1].compiled.metadata if ours else NodeMetadata()


class BaseSemanticSplitter(SemanticParser):
    """What all splitters share: an embedder, a size in tokens, nodes that know their place.

    A node's text is an exact slice of its document (`start_char_idx`, `end_char_idx`), and its content with metadata
    measures at most `chunk_size` tokens. Ids are made from the document's id and the text, and equal texts are
    numbered. So the same document gives the same ids, and a node keeps its id if it moves. Node ids are as stable as
    document ids. An empty document gives no nodes.
    """

    chunk_size: Size = Field(
        default="auto",
        description="The maximum number of tokens in a node, with metadata. None: no maximum. auto: twice target_size, "
        "200 if neither is given, 512 without a target.",
    )
    target_size: Size = Field(
        default="auto",
        description="The size that nodes should have, in tokens without metadata, as far as paragraphs and changes of "
        "meaning allow. None: the cut decides. auto: half of chunk_size, or None if a threshold, a penalty or a number "
        "says where to cut. A number of nodes excludes a target.",
    )
    min_chunk_size: int = Field(default=0, description="A smaller node, in tokens, joins a neighbour if both fit.")
    embed_chunks: bool = Field(
        default=False,
        description="Give each node the mean of its sentences' vectors, or the vector that a model with embed_document "
        "makes of it. An index on the same model then embeds no node again.",
    )
    context: float = Field(
        default=0.0,
        description="How much of its neighbours' vectors a vector of embed_chunks contains. HierarchyIndex has 0.4.",
    )

    def split_text(self, text: str) -> list[str]:
        """A text -> the texts of its nodes, under the name that LlamaIndex's own splitters have for it. Raises
        `SettingError` for what is no str."""
        if not isinstance(text, str):
            raise SettingError(f"split_text() takes a str, got {type(text).__name__} {text!r:.80}")
        return [node.get_content(MetadataMode.NONE) for node in self._parse_nodes([TextNode(text=text)])]

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

    def _make_room(self, prepared: Prepared) -> Prepared:
        own = cast(Splitter, prepared.stages).limits
        if own.max_size is None:
            return prepared
        limits, warnings = fit_limits(prepared.sources, "chunk_size", own, prepared.size, prepared.metadata)
        return prepared._replace(limits=limits, warnings=warnings)

    def _build_nodes(self, prepared: Prepared, results: Iterable[Segmentation]) -> list[BaseNode]:
        sources, size, results = prepared.sources, prepared.size, list(results)
        largest = cast(Splitter, prepared.stages).limits.max_size if self.include_metadata else None
        pairs, segment = zip(sources, results, strict=True), prepared.stages.segment
        chunks = [chunks_within(source, segmentation, size, largest, segment) for source, segmentation in pairs]
        nodes = [
            build_nodes(source.bare, [(0, chunk) for chunk in own], self.id_func, self.include_metadata)
            for source, own in zip(sources, chunks, strict=True)
        ]
        if prepared.metadata is not None and self.include_metadata:
            made_of = zip(sources, chunks, nodes, strict=True)
            levels = [[(own, made, largest if source.counts else None)] for source, own, made in made_of]
            prepared.metadata.write(sources, levels, size)
        if self.embed_chunks:
            for segmentation, own, made in zip(results, chunks, nodes, strict=True):
                if own:
                    rows = segmentation.vectors(own)
                    set_embeddings(made, lean(rows, self.context) if self.context else rows)
        built: list[BaseNode] = [*chain.from_iterable(nodes)]
        if self.include_prev_next_rel:
            link(built, BaseNode.as_related_node_info)  # with metadata, as LlamaIndex's own do
        return built
