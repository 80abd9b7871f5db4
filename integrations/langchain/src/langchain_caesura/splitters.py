"""Text splitters of LangChain: one per cut of the core with its settings, and one for a cut of your own.

A cut's settings, their defaults and meanings stand in the cut's own file; here are their types, for type checkers and
editors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

from langchain_core.embeddings import Embeddings

from caesura.cuts.cluster import ClusterCut, LinkageName, StopName
from caesura.cuts.double_pass import DoublePassCut
from caesura.cuts.optimal import OptimalCut
from caesura.cuts.percentile import PercentileCut, ThresholdType, Window
from caesura.errors import SegmentError, SettingError
from caesura.host.settings import check_own_cut, decides, make_cut, settings_of
from caesura.types import Cut, Embed
from langchain_caesura.base import BaseSemanticSplitter, SplitterSettings

PEER_AMOUNTS: dict[str, float] = {"percentile": 95, "standard_deviation": 3, "interquartile": 1.5, "gradient": 95}
"""The amounts that LangChain's SemanticChunker takes where none is given."""
PEER_SENTENCES = r"(?<=[.?!])\s+"
"""Where LangChain's SemanticChunker parts sentences."""


@dataclass(frozen=True, slots=True)
class at_pattern:  # noqa: N801 - used as a function: at_pattern(regex)
    """A sentence splitter that parts a text wherever a regular expression matches whitespace or nothing.

    Raises `SegmentError` where a match takes other characters away, unless a group keeps them.
    """

    pattern: str

    def __post_init__(self) -> None:
        try:
            re.compile(self.pattern)
        except (re.error, TypeError) as error:
            raise SettingError(f"sentence_split_regex={self.pattern!r} is no regular expression: {error}") from error

    def __call__(self, text: str) -> list[str]:
        for match in re.finditer(self.pattern, text):
            kept = "".join(group for group in match.groups() if group)
            if len("".join(kept.split())) < len("".join(match[0].split())):
                raise SegmentError(
                    f"sentence_split_regex={self.pattern!r} must match whitespace alone, which may go missing: it "
                    f"takes {match[0]!r:.40} away at {match.start()}, where chunks are slices of the text. Let it look "
                    f"back at what ends a sentence, as {PEER_SENTENCES!r} does, or keep that in a group: ([.!?])"
                )
        return [piece for piece in re.split(self.pattern, text) if piece]


class SemanticSplitter(BaseSemanticSplitter):
    """Cuts where a rule of your own says, or one of the core's cuts, such as ``caesura.OptimalCut()``.

    >>> import numpy as np
    >>> text = "The tide turns. The ferry leaves. It rains. The harbour is quiet."
    >>> SemanticSplitter(cut=lambda vectors, sizes, limits: np.arange(2, len(sizes), 2)).split_text(text)
    ['The tide turns. The ferry leaves.', 'It rains. The harbour is quiet.']

    cut: (Vectors, Sizes, Limits) -> Breaks. It gets one unit row per sentence, centred if `calibrated`, the size of
    each sentence, and the limits. It returns the number of the first sentence of each new chunk, as an array. If a
    chunk is still over `chunk_size`, it is split between sentences. ``caesura_testing.check_cut`` checks a cut.
    The other settings: `BaseSemanticSplitter`.

    Raises `SettingError` for what is no cut, and where a text is split for a cut that returns no breaks.
    """

    def __init__(
        self, embeddings: Embeddings | Embed | None = None, *, cut: Cut, **common: Unpack[SplitterSettings]
    ) -> None:
        super().__init__(embeddings, check_own_cut(cut), True, **common)


class CutSplitter(BaseSemanticSplitter):
    """A splitter by a cut of the core, whose settings it takes beside those of `BaseSemanticSplitter`.

    Its heirs name the cut. They declare its settings for type checkers alone: the constructor that runs is this one.
    """

    cut_class: ClassVar[type[Cut]]
    __signature__: ClassVar[Signature | None]

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "cut_class" in vars(cls):
            cls.__signature__ = _signature_for(cls.cut_class)
            said = [f"{name}: {setting.meaning}" for name, setting in settings_of(cls.cut_class).items()]
            cls.__doc__ = "\n    ".join(
                [f"{cls.__doc__}".rstrip(), "", *said, "The other settings: `BaseSemanticSplitter`."]
            )
        elif "__init__" in vars(cls):
            cls.__signature__ = None  # a user's heir is called as its own constructor says

    def __init__(self, embeddings: Embeddings | Embed | None = None, **settings: Any) -> None:
        own = {name: settings.pop(name) for name in settings_of(self.cut_class) if name in settings}
        cut, self._view = make_cut(self.cut_class, own)
        super().__init__(embeddings, cut, decides(self.cut_class, own), **settings)


def _signature_for(cut: type[Cut]) -> Signature:
    """A cut's class -> what the constructor of its splitter takes, for `help` and for the check of unknown settings."""
    first = Parameter(
        "embeddings", Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation="Embeddings | Embed | None"
    )
    own = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=setting.default, annotation=setting.type)
        for name, setting in settings_of(cut).items()
    ]
    return Signature([first, *own, Parameter("common", Parameter.VAR_KEYWORD, annotation="Unpack[SplitterSettings]")])


class DoublePassSemanticSplitter(CutSplitter):
    """Cuts texts into even chunks that follow their meaning. The default for every kind of text.

    >>> text = (
    ...     "The ferry leaves at nine. It stops at two islands. "
    ...     "Bread needs flour and water. Dough rests for an hour."
    ... )
    >>> DoublePassSemanticSplitter(target_size=50).split_text(text)
    ['The ferry leaves at nine. It stops at two islands.', 'Bread needs flour and water. Dough rests for an hour.']

    Sentences grow into chunks. Then similar chunks merge, also over a formula, code block or quotation between them.
    Thresholds are cosines of centred vectors, so one setting serves every embedder. See `caesura.DoublePassCut`.
    """

    cut_class: ClassVar[type[Cut]] = DoublePassCut

    if TYPE_CHECKING:

        def __init__(
            self,
            embeddings: Embeddings | Embed | None = None,
            *,
            initial_threshold: float | None = ...,
            appending_threshold: float | None = ...,
            merging_threshold: float | None = ...,
            look_ahead: int = ...,
            confidence: float | None = ...,
            structure: float = ...,
            **common: Unpack[SplitterSettings],
        ) -> None: ...


class SemanticPercentileSplitter(CutSplitter):
    """Cuts where neighbouring sentences differ most, as LangChain's `SemanticChunker` does: `caesura.PercentileCut`.

    >>> text = (
    ...     "The ferry leaves at nine. It stops at two islands. "
    ...     "Bread needs flour and water. Dough rests for an hour."
    ... )
    >>> SemanticPercentileSplitter(number_of_chunks=2).split_text(text)
    ['The ferry leaves at nine. It stops at two islands.', 'Bread needs flour and water. Dough rests for an hour.']
    """

    cut_class: ClassVar[type[Cut]] = PercentileCut

    if TYPE_CHECKING:

        def __init__(
            self,
            embeddings: Embeddings | Embed | None = None,
            *,
            breakpoint_threshold_type: ThresholdType = ...,
            breakpoint_threshold_amount: float | None = ...,
            number_of_chunks: int | None = ...,
            window: Window = ...,
            window_size: int | None = ...,
            buffer_size: int | None = ...,
            structure: float = ...,
            **common: Unpack[SplitterSettings],
        ) -> None: ...

    @classmethod
    def like_semantic_chunker(
        cls,
        embeddings: Embeddings | Embed | None = None,
        buffer_size: int = 1,
        add_start_index: bool = False,
        breakpoint_threshold_type: ThresholdType = "percentile",
        breakpoint_threshold_amount: float | None = None,
        number_of_chunks: int | None = None,
        sentence_split_regex: str = PEER_SENTENCES,
        min_chunk_size: int | None = None,
        **settings: Any,
    ) -> Self:
        """The names, order, defaults and units of LangChain's SemanticChunker: joined, uncentred, no limit.

        It cuts where that one cuts, but returns slices of the text. Compare ``text.strip()``: that one counts
        whitespace at a text's end, such as a file's last newline, as an empty sentence. `min_chunk_size` differs too:
        a small chunk joins the neighbour that it is closer to, also at a text's end.
        """
        amount = breakpoint_threshold_amount
        if amount is None and number_of_chunks is None:
            amount = PEER_AMOUNTS.get(breakpoint_threshold_type)
        common: dict[str, Any] = {
            "chunk_size": None,
            "calibrated": False,
            "add_start_index": add_start_index,
            "sentence_splitter": at_pattern(sentence_split_regex),
            "min_chunk_size": min_chunk_size or 0,
            **settings,
        }
        return cls(
            embeddings,
            breakpoint_threshold_type=breakpoint_threshold_type,
            breakpoint_threshold_amount=None if number_of_chunks is not None else amount,
            number_of_chunks=number_of_chunks,
            window="joined",
            buffer_size=buffer_size,
            structure=0,
            **common,
        )


class OptimalSemanticSplitter(CutSplitter):
    """Finds the subjects of a text, or the best cuts for a given number of chunks: `caesura.OptimalCut`.

    >>> text = (
    ...     "The ferry leaves at nine. It stops at two islands. "
    ...     "Bread needs flour and water. Dough rests for an hour."
    ... )
    >>> OptimalSemanticSplitter(n_chunks=2).split_text(text)
    ['The ferry leaves at nine. It stops at two islands.', 'Bread needs flour and water. Dough rests for an hour.']

    It compares all segmentations within `chunk_size`, by dynamic programming.
    """

    cut_class: ClassVar[type[Cut]] = OptimalCut

    if TYPE_CHECKING:

        def __init__(
            self,
            embeddings: Embeddings | Embed | None = None,
            *,
            confidence: float = ...,
            penalty: float | None = ...,
            n_chunks: int | None = ...,
            structure: float = ...,
            half_weight: float = ...,
            **common: Unpack[SplitterSettings],
        ) -> None: ...


class ClusterSemanticSplitter(CutSplitter):
    """Joins neighbouring sentences from the bottom up, as hierarchical clustering does: `caesura.ClusterCut`.

    >>> text = (
    ...     "The ferry leaves at nine. It stops at two islands. "
    ...     "Bread needs flour and water. Dough rests for an hour."
    ... )
    >>> ClusterSemanticSplitter(n_clusters=2).split_text(text)
    ['The ferry leaves at nine. It stops at two islands.', 'Bread needs flour and water. Dough rests for an hour.']
    """

    cut_class: ClassVar[type[Cut]] = ClusterCut

    if TYPE_CHECKING:

        def __init__(
            self,
            embeddings: Embeddings | Embed | None = None,
            *,
            linkage: LinkageName = ...,
            n_clusters: int | None = ...,
            distance_threshold: float | None = ...,
            stop: StopName | None = ...,
            half_weight: float = ...,
            confidence: float = ...,
            structure: float = ...,
            **common: Unpack[SplitterSettings],
        ) -> None: ...
