"""Node parsers that split: one for each cut of the core, and one for a cut of your own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Self

from llama_index.core.bridge.pydantic import Field, WithJsonSchema, pydantic

from caesura.cuts import CONFIDENCE, HALF_WEIGHT, STRUCTURE
from caesura.cuts.double_pass import LOOK_AHEAD
from caesura.errors import SettingError
from caesura.host.settings import (
    LinkageName,
    StopName,
    ThresholdType,
    Window,
    check_cut,
    cluster_cut,
    double_pass_cut,
    optimal_cut,
    percentile_cut,
)
from caesura.types import Cut, View
from llama_index.node_parser.caesura.base import BaseSemanticSplitter
from llama_index.node_parser.caesura.embedding import EmbedModel
from llama_index.node_parser.caesura.serialization import check_pickles, cut_from_dict, cut_to_dict


class SemanticSplitter(BaseSemanticSplitter):
    """Cuts where `cut` says: a function of your own, or one of the core's, such as ``caesura.OptimalCut()``.

    It sees one unit row per sentence, centred if `calibrated`, how many tokens each has, and the limits; it returns the
    first sentence of each new node, as an array. A node that is over `chunk_size` all the same is parted between its
    sentences. ``caesura_testing.check_cut`` holds a cut to all of it.

    `to_dict` and a pipeline's cache know a function by its module and name, a frozen dataclass by those and its fields;
    any other cut needs a `cache_tag`.
    """

    cut: Annotated[pydantic.SkipValidation[Cut], WithJsonSchema({"type": ["string", "object"]})] = Field(
        description="(vectors, sizes, limits) -> breaks: what cuts."
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "SemanticSplitter"

    def _cut(self) -> tuple[Cut, View | None]:
        return check_cut(self.cut), None

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """See `SerializableParser`."""
        return {**super().to_dict(**kwargs), "cut": cut_to_dict(self.cut, self.cache_tag)}

    @classmethod
    def _revive(cls, settings: dict[str, Any], resolved: dict[str, Any], trusted: bool) -> None:
        super()._revive(settings, resolved, trusted)
        if "cut" in settings:
            settings["cut"] = cut_from_dict(settings["cut"], trusted)

    def __getstate__(self) -> dict[str, Any]:
        check_pickles("cut", self.cut)
        return super().__getstate__()


class DoublePassSemanticSplitter(BaseSemanticSplitter):
    """Sentences grow into chunks, then chunks merge, over an interrupting formula, code block or quotation too.

    Thresholds are cosines of centred vectors, so that one setting serves every embedder; None is the default of
    `caesura.DoublePassCut`.
    """

    initial_threshold: float | None = Field(
        default=None, description="A chunk starts where the similarity of two sentences is over it; None is 0.1."
    )
    appending_threshold: float | None = Field(
        default=None,
        description="A chunk grows while its last two sentences' similarity to the next is over it; None is 0.2.",
    )
    merging_threshold: float | None = Field(
        default=None, description="Two chunks merge where their similarity is over it; None is 0.3."
    )
    look_ahead: int = Field(default=LOOK_AHEAD, description="How many chunks a merge may reach over.")
    confidence: float | None = Field(
        default=CONFIDENCE, description="How sure a cut has to be; None: what the passes leave over stands."
    )
    structure: float = Field(
        default=STRUCTURE, description="What a paragraph's end counts; a line end half of it, a heading twice."
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "DoublePassSemanticSplitter"

    @classmethod
    def like_double_merging(
        cls,
        embed_model: EmbedModel = None,
        *,
        initial_threshold: float = 0.6,
        appending_threshold: float = 0.8,
        merging_threshold: float = 0.8,
        max_chunk_size: int = 1000,
        merging_range: int = 1,
        sentence_splitter: Callable[[str], list[str]] | None = None,
        **settings: Any,
    ) -> Self:
        """The names, defaults and units of LlamaIndex's SemanticDoubleMergingSplitterNodeParser, uncentred.

        `max_chunk_size` is in characters, metadata counted. The text is never changed, so there is no
        `merging_separator`; similarity is that of `embed_model`, so there is no `language_config`.
        """
        return cls(
            embed_model=embed_model,
            calibrated=False,
            initial_threshold=initial_threshold,
            appending_threshold=appending_threshold,
            merging_threshold=merging_threshold,
            look_ahead=merging_range,
            confidence=None,
            structure=0,
            chunk_size=max_chunk_size,
            sentence_splitter=sentence_splitter,
            **{"tokenizer": list, **settings},
        )

    def _cut(self) -> tuple[Cut, View | None]:
        cut = double_pass_cut(
            initial_threshold=self.initial_threshold,
            appending_threshold=self.appending_threshold,
            merging_threshold=self.merging_threshold,
            look_ahead=self.look_ahead,
            confidence=self.confidence,
            structure=self.structure,
        )
        return cut, None


class SemanticPercentileSplitter(BaseSemanticSplitter):
    """Cuts where the gap between neighbours is among the largest of the document.

    By default three units before a gap are compared with three after it (`window="adjacent"`, `window_size=3`);
    `"overlapping"` and `"joined"` are the published form over pooled vectors and over joined text (`buffer_size=1`).
    """

    breakpoint_threshold_type: ThresholdType = Field(
        default="percentile", description="What a gap is measured against."
    )
    breakpoint_threshold_amount: float | None = Field(
        default=None, description="How much; None: 85, 3 (standard deviations), 1.5 (interquartile), 95 (gradient)."
    )
    number_of_chunks: int | None = Field(
        default=None, description="Cut into so many instead; chunk_size still holds, None lets go of it."
    )
    window: Window = Field(default="adjacent", description="What is compared: adjacent, overlapping or joined.")
    window_size: int | None = Field(default=None, description="Units on each side of a gap (adjacent); None is 3.")
    buffer_size: int | None = Field(default=None, description="Units around each (overlapping, joined); None is 1.")
    structure: float = Field(
        default=STRUCTURE,
        description="What a paragraph's end adds to a gap, in standard deviations; a line end half, a heading twice.",
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "SemanticPercentileSplitter"

    @classmethod
    def like_semantic_splitter(
        cls,
        embed_model: EmbedModel = None,
        *,
        buffer_size: int = 1,
        breakpoint_percentile_threshold: float = 95,
        sentence_splitter: Callable[[str], list[str]] | None = None,
        **settings: Any,
    ) -> Self:
        """The names, defaults and units of LlamaIndex's SemanticSplitterNodeParser: joined, uncentred, no limit."""
        return cls(
            embed_model=embed_model,
            calibrated=False,
            window="joined",
            structure=0,
            buffer_size=buffer_size,
            breakpoint_threshold_amount=breakpoint_percentile_threshold,
            sentence_splitter=sentence_splitter,
            **{"chunk_size": None, **settings},
        )

    def _cut(self) -> tuple[Cut, View | None]:
        return percentile_cut(
            breakpoint_threshold_type=self.breakpoint_threshold_type,
            breakpoint_threshold_amount=self.breakpoint_threshold_amount,
            number_of_chunks=self.number_of_chunks,
            window=self.window,
            window_size=self.window_size,
            buffer_size=self.buffer_size,
            structure=self.structure,
        )


class OptimalSemanticSplitter(BaseSemanticSplitter):
    """The best segmentation of the whole document within `chunk_size`, by dynamic programming.

    As sure as `confidence` says, by a `penalty` for each chunk, or by `n_chunks`: see `caesura.OptimalCut`.
    """

    confidence: float = Field(
        default=CONFIDENCE, description="How sure a cut has to be, judged by the document's own noise."
    )
    penalty: float | None = Field(
        default=None, description="What a chunk must gain instead, whatever the noise; less makes smaller chunks."
    )
    n_chunks: int | None = Field(default=None, description="Cut into so many chunks instead, where chunk_size allows.")
    structure: float = Field(
        default=STRUCTURE,
        description="What a paragraph's end takes off the penalty; a line end half of it, a heading twice.",
    )
    half_weight: float = Field(
        default=HALF_WEIGHT,
        description="A sentence of so many times the mean size counts half; 0: all sentences alike.",
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "OptimalSemanticSplitter"

    def _cut(self) -> tuple[Cut, View | None]:
        cut = optimal_cut(
            confidence=self.confidence,
            penalty=self.penalty,
            n_chunks=self.n_chunks,
            structure=self.structure,
            half_weight=self.half_weight,
        )
        return cut, None


class ClusterSemanticSplitter(BaseSemanticSplitter):
    """Neighbours join from the bottom up, as in hierarchical clustering, but only neighbours: see `caesura.ClusterCut`.

    They join while chance explains how far apart they are, or up to one of `distance_threshold`, `n_clusters`, `stop`.
    """

    linkage: LinkageName = Field(
        default="cohesion", description="How far apart two groups are: cohesion, ward or average."
    )
    n_clusters: int | None = Field(default=None, description="Stop at so many chunks.")
    distance_threshold: float | None = Field(
        default=None, description="Stop at this distance; None: where chance explains no more (average: 0.95)."
    )
    stop: StopName | None = Field(default=None, description="Find where to stop: elbow or silhouette.")
    confidence: float = Field(
        default=CONFIDENCE, description="How sure a cut has to be, judged by the document's own noise."
    )
    structure: float = Field(
        default=STRUCTURE,
        description="What a paragraph's end adds to the distance; a line end half of it, a heading twice.",
    )
    half_weight: float = Field(
        default=HALF_WEIGHT,
        description="A sentence of so many times the mean size counts half; 0: all sentences alike.",
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "ClusterSemanticSplitter"

    def _cut(self) -> tuple[Cut, View | None]:
        cut = cluster_cut(
            linkage=self.linkage,
            n_clusters=self.n_clusters,
            distance_threshold=self.distance_threshold,
            stop=self.stop,
            half_weight=self.half_weight,
            confidence=self.confidence,
            structure=self.structure,
        )
        return cut, None


SPLITTERS: tuple[type[BaseSemanticSplitter], ...] = (
    DoublePassSemanticSplitter,
    SemanticPercentileSplitter,
    OptimalSemanticSplitter,
    ClusterSemanticSplitter,
    SemanticSplitter,
)


def splitter_from_dict(data: dict[str, Any], trusted: bool) -> BaseSemanticSplitter:
    """What `to_dict` of one of these returned -> the splitter. Raises `SettingError` for another parser's."""
    for splitter in SPLITTERS:
        if splitter.class_name() == data.get("class_name"):
            return splitter.from_dict(data, trusted)
    raise SettingError(
        f"from_dict() cannot make a splitter of class {data.get('class_name')}: pass it, from_dict(data, splitter=…)"
    )
