"""Node parsers that split: one for each cut of the core, and one for a cut of your own.

A cut's settings, their defaults and meanings stand in the cut's own file; here are their types, for type checkers and
editors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from llama_index.core.bridge.pydantic import Field, WithJsonSchema, pydantic
from llama_index.core.node_parser.text.utils import split_by_sentence_tokenizer

from caesura.cuts.cluster import ClusterCut, LinkageName, StopName
from caesura.cuts.double_pass import DoublePassCut
from caesura.cuts.optimal import OptimalCut
from caesura.cuts.percentile import PercentileCut, ThresholdType, Window
from caesura.errors import SettingError
from caesura.host.settings import check_own_cut, decides, make_cut, settings_of
from caesura.types import Cut, View
from llama_index.node_parser.caesura.base import BaseSemanticSplitter
from llama_index.node_parser.caesura.embedding_settings import EmbedModel

LevelCut: TypeAlias = Literal["optimal", "double_pass", "percentile", "cluster"]
"""The names of the cuts that a level of a hierarchy can have."""


class SemanticSplitter(BaseSemanticSplitter):
    """Cuts where a rule of your own says, or one of the core's cuts, such as ``caesura.OptimalCut()``.

    >>> import numpy as np
    >>> from llama_index.core import Document
    >>> document = Document(text="The tide turns. The ferry leaves. It rains. The harbour is quiet.")
    >>> splitter = SemanticSplitter(cut=lambda vectors, sizes, limits: np.arange(2, len(sizes), 2))
    >>> [node.text for node in splitter.get_nodes_from_documents([document])]
    ['The tide turns. The ferry leaves.', 'It rains. The harbour is quiet.']

    It gets one unit row per sentence, centred if `calibrated`, the number of tokens of each, and the limits. It returns
    the number of the first sentence of each new node, as an array. If a node is still over `chunk_size`, it is split
    between sentences. ``caesura_testing.check_cut`` checks a cut.

    `to_dict` and a pipeline's cache know a function by its module and name, a frozen dataclass by those and its fields;
    any other cut needs a `cache_tag`.
    """

    cut: Annotated[pydantic.SkipValidation[Cut], WithJsonSchema({"type": ["string", "object"]})] = Field(
        description="(vectors, sizes, limits) -> breaks: what cuts."
    )

    functions: ClassVar[tuple[str, ...]] = (*BaseSemanticSplitter.functions, "cut")

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "SemanticSplitter"

    def _cut(self) -> tuple[Cut, View | None]:
        return check_own_cut(self.cut), None

    def _decides(self) -> bool:
        return True


class CutParser(BaseSemanticSplitter):
    """A splitter by a cut of the core, whose settings are fields of it."""

    cut_class: ClassVar[type[Cut]]

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        own = next(one for one in cls.__mro__ if "cut_class" in vars(one))
        return own.__name__

    def _settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in settings_of(self.cut_class)}

    def _cut(self) -> tuple[Cut, View | None]:
        return make_cut(self.cut_class, self._settings())

    def _decides(self) -> bool:
        return decides(self.cut_class, self._settings())


def make_field(cut: type[Cut], name: str) -> Any:
    """A setting of a cut -> the field of its splitter."""
    own = settings_of(cut)[name]
    return Field(default=own.default, description=own.meaning)


def peer_sentences(text: str) -> list[str]:
    """Returns a text's sentences as LlamaIndex's own splitters find them, by NLTK."""
    return split_by_sentence_tokenizer()(text)


class DoublePassSemanticSplitter(CutParser):
    """Cuts texts into even chunks that follow their meaning. The default for every kind of text.

    >>> from llama_index.core import Document
    >>> text = (
    ...     "The ferry leaves at nine. It stops at two islands. "
    ...     "Bread needs flour and water. Dough rests for an hour."
    ... )
    >>> nodes = DoublePassSemanticSplitter(target_size=12).get_nodes_from_documents([Document(text=text)])
    >>> [node.text for node in nodes]
    ['The ferry leaves at nine. It stops at two islands.', 'Bread needs flour and water. Dough rests for an hour.']

    Sentences grow into chunks. Then similar chunks merge, also over a formula, code block or quotation between them.
    Thresholds are cosines of centred vectors, so one setting serves every embedder. A setting that is
    None has the value of `caesura.DoublePassCut`.
    """

    cut_class: ClassVar[type[Cut]] = DoublePassCut
    initial_threshold: float | None = make_field(DoublePassCut, "initial_threshold")
    appending_threshold: float | None = make_field(DoublePassCut, "appending_threshold")
    merging_threshold: float | None = make_field(DoublePassCut, "merging_threshold")
    look_ahead: int = make_field(DoublePassCut, "look_ahead")
    confidence: float | None = make_field(DoublePassCut, "confidence")
    structure: float = make_field(DoublePassCut, "structure")

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
        sentence_splitter: Callable[[str], list[str]] | None = peer_sentences,
        **settings: Any,
    ) -> Self:
        """The names, defaults, units and sentences of LlamaIndex's SemanticDoubleMergingSplitterNodeParser, uncentred.

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


class SemanticPercentileSplitter(CutParser):
    """Cuts where neighbouring sentences differ most, as LlamaIndex's semantic splitter does: `caesura.PercentileCut`.

    >>> from llama_index.core import Document
    >>> text = (
    ...     "The ferry leaves at nine. It stops at two islands. "
    ...     "Bread needs flour and water. Dough rests for an hour."
    ... )
    >>> nodes = SemanticPercentileSplitter(number_of_chunks=2).get_nodes_from_documents([Document(text=text)])
    >>> [node.text for node in nodes]
    ['The ferry leaves at nine. It stops at two islands.', 'Bread needs flour and water. Dough rests for an hour.']
    """

    cut_class: ClassVar[type[Cut]] = PercentileCut
    breakpoint_threshold_type: ThresholdType = make_field(PercentileCut, "breakpoint_threshold_type")
    breakpoint_threshold_amount: float | None = make_field(PercentileCut, "breakpoint_threshold_amount")
    number_of_chunks: int | None = make_field(PercentileCut, "number_of_chunks")
    window: Window = make_field(PercentileCut, "window")
    window_size: int | None = make_field(PercentileCut, "window_size")
    buffer_size: int | None = make_field(PercentileCut, "buffer_size")
    structure: float = make_field(PercentileCut, "structure")

    @classmethod
    def like_semantic_splitter(
        cls,
        embed_model: EmbedModel = None,
        *,
        buffer_size: int = 1,
        breakpoint_percentile_threshold: float = 95,
        sentence_splitter: Callable[[str], list[str]] | None = peer_sentences,
        **settings: Any,
    ) -> Self:
        """The names, defaults, units and sentences of LlamaIndex's SemanticSplitterNodeParser: joined, uncentred, no
        limit."""
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


class OptimalSemanticSplitter(CutParser):
    """Finds the subjects of a text, or the best cuts for a given number of chunks: `caesura.OptimalCut`.

    >>> from llama_index.core import Document
    >>> text = (
    ...     "The ferry leaves at nine. It stops at two islands. "
    ...     "Bread needs flour and water. Dough rests for an hour."
    ... )
    >>> nodes = OptimalSemanticSplitter(n_chunks=2).get_nodes_from_documents([Document(text=text)])
    >>> [node.text for node in nodes]
    ['The ferry leaves at nine. It stops at two islands.', 'Bread needs flour and water. Dough rests for an hour.']

    It compares all segmentations within `chunk_size`, by dynamic programming.
    """

    cut_class: ClassVar[type[Cut]] = OptimalCut
    confidence: float = make_field(OptimalCut, "confidence")
    penalty: float | None = make_field(OptimalCut, "penalty")
    n_chunks: int | None = make_field(OptimalCut, "n_chunks")
    structure: float = make_field(OptimalCut, "structure")
    half_weight: float = make_field(OptimalCut, "half_weight")


class ClusterSemanticSplitter(CutParser):
    """Joins neighbouring sentences from the bottom up, as hierarchical clustering does: `caesura.ClusterCut`.

    >>> from llama_index.core import Document
    >>> text = (
    ...     "The ferry leaves at nine. It stops at two islands. "
    ...     "Bread needs flour and water. Dough rests for an hour."
    ... )
    >>> nodes = ClusterSemanticSplitter(n_clusters=2).get_nodes_from_documents([Document(text=text)])
    >>> [node.text for node in nodes]
    ['The ferry leaves at nine. It stops at two islands.', 'Bread needs flour and water. Dough rests for an hour.']

    They join while chance explains how far apart they are, or up to one of `distance_threshold`, `n_clusters`, `stop`.
    """

    cut_class: ClassVar[type[Cut]] = ClusterCut
    linkage: LinkageName = make_field(ClusterCut, "linkage")
    n_clusters: int | None = make_field(ClusterCut, "n_clusters")
    distance_threshold: float | None = make_field(ClusterCut, "distance_threshold")
    stop: StopName | None = make_field(ClusterCut, "stop")
    confidence: float = make_field(ClusterCut, "confidence")
    structure: float = make_field(ClusterCut, "structure")
    half_weight: float = make_field(ClusterCut, "half_weight")


SPLITTERS: tuple[type[BaseSemanticSplitter], ...] = (*CutParser.__subclasses__(), SemanticSplitter)


def splitter_from_dict(data: dict[str, Any], trusted: bool) -> BaseSemanticSplitter:
    """What `to_dict` of one of these returned -> the splitter. Raises `SettingError` for another parser's."""
    for splitter in SPLITTERS:
        if splitter.class_name() == data.get("class_name"):
            return splitter.from_dict(data, trusted)
    raise SettingError(
        f"from_dict() cannot make a splitter of class {data.get('class_name')}: pass it, from_dict(data, splitter=…)"
    )
