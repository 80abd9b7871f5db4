"""Text splitters of LangChain: one per cut of the core with its settings, and one for a cut of your own."""

from __future__ import annotations

from typing import Any, Self, Unpack

from langchain_core.embeddings import Embeddings

from caesura.cuts import CONFIDENCE, HALF_WEIGHT, STRUCTURE
from caesura.cuts.double_pass import LOOK_AHEAD
from caesura.host.sentence_splitter import PEER_SENTENCES, at_pattern
from caesura.host.settings import (
    PEER_AMOUNTS,
    LinkageName,
    StopName,
    ThresholdType,
    Window,
    check_cut,
    cluster_cut,
    decides,
    double_pass_cut,
    optimal_cut,
    percentile_cut,
)
from caesura.types import Cut, Embed
from langchain_caesura.base import BaseSemanticSplitter, Common


class SemanticSplitter(BaseSemanticSplitter):
    """Cuts where `cut` says: a function of your own, or one of the core's, such as ``caesura.OptimalCut()``.

    cut: (Vectors, Sizes, Limits) -> Breaks. It sees one unit row per sentence, centred if `calibrated`, what each
    measures, and the limits; it returns the first sentence of each new chunk, as an array. A chunk that is over
    `chunk_size` all the same is parted between its sentences. ``caesura_testing.check_cut`` holds a cut to all of it.
    The other settings: `BaseSemanticSplitter`.

    Raises `SettingError` for what is no cut, and where a text is split for a cut that returns no breaks.
    """

    def __init__(self, embeddings: Embeddings | Embed | None = None, *, cut: Cut, **common: Unpack[Common]) -> None:
        super().__init__(embeddings, check_cut(cut), True, **common)


class DoublePassSemanticSplitter(BaseSemanticSplitter):
    """Sentences grow into chunks, then chunks merge, over an interrupting formula, code block or quotation too.

    Thresholds are cosines of centred vectors, so that one setting serves every embedder; see `caesura.DoublePassCut`.

    initial_threshold: a chunk starts where the similarity of two sentences is over it; None is 0.1.
    appending_threshold: a chunk grows while its last two sentences' similarity to the next is over it; None is 0.2.
    merging_threshold: two chunks merge where their similarity is over it; None is 0.3.
    look_ahead: how many chunks a merge may reach over.
    confidence: how sure a cut has to be; None: what the passes leave over stands.
    structure: what a paragraph's end counts; a line end half of it, a heading twice.
    The other settings: `BaseSemanticSplitter`.
    """

    def __init__(
        self,
        embeddings: Embeddings | Embed | None = None,
        *,
        initial_threshold: float | None = None,
        appending_threshold: float | None = None,
        merging_threshold: float | None = None,
        look_ahead: int = LOOK_AHEAD,
        confidence: float | None = CONFIDENCE,
        structure: float = STRUCTURE,
        **common: Unpack[Common],
    ) -> None:
        settings: dict[str, Any] = {
            "initial_threshold": initial_threshold,
            "appending_threshold": appending_threshold,
            "merging_threshold": merging_threshold,
            "look_ahead": look_ahead,
            "confidence": confidence,
            "structure": structure,
        }
        super().__init__(embeddings, double_pass_cut(**settings), decides(settings), **common)

    @classmethod
    def like_double_merging(
        cls,
        embeddings: Embeddings | Embed | None = None,
        *,
        initial_threshold: float = 0.6,
        appending_threshold: float = 0.8,
        merging_threshold: float = 0.8,
        max_chunk_size: int = 1000,
        merging_range: int = 1,
        **common: Unpack[Common],
    ) -> Self:
        """The names, defaults and units of LlamaIndex's SemanticDoubleMergingSplitterNodeParser, uncentred."""
        settings: Common = {"chunk_size": max_chunk_size, "calibrated": False, **common}
        return cls(
            embeddings,
            initial_threshold=initial_threshold,
            appending_threshold=appending_threshold,
            merging_threshold=merging_threshold,
            look_ahead=merging_range,
            confidence=None,
            structure=0,
            **settings,
        )


class SemanticPercentileSplitter(BaseSemanticSplitter):
    """Cuts where the gap between neighbours is among the largest of the document.

    breakpoint_threshold_type: percentile, standard_deviation, interquartile or gradient.
    breakpoint_threshold_amount: how much of it; None is 85, 3, 1.5 or 95.
    number_of_chunks: cut into so many instead; `chunk_size` still holds, None lets go of it.
    window: "adjacent" compares `window_size` (3) units before a gap with as many after it; "overlapping" and "joined"
    are the published form over pooled vectors and over joined text, `buffer_size` (1) units to each side.
    window_size: units on each side of a gap (adjacent); None is 3.
    buffer_size: units around each (overlapping, joined); None is 1.
    structure: what a paragraph's end adds to a gap, in standard deviations; a line end half of it, a heading twice.
    The other settings: `BaseSemanticSplitter`.
    """

    def __init__(
        self,
        embeddings: Embeddings | Embed | None = None,
        *,
        breakpoint_threshold_type: ThresholdType = "percentile",
        breakpoint_threshold_amount: float | None = None,
        number_of_chunks: int | None = None,
        window: Window = "adjacent",
        window_size: int | None = None,
        buffer_size: int | None = None,
        structure: float = STRUCTURE,
        **common: Unpack[Common],
    ) -> None:
        settings: dict[str, Any] = {
            "breakpoint_threshold_type": breakpoint_threshold_type,
            "breakpoint_threshold_amount": breakpoint_threshold_amount,
            "number_of_chunks": number_of_chunks,
            "window": window,
            "window_size": window_size,
            "buffer_size": buffer_size,
            "structure": structure,
        }
        cut, self._view = percentile_cut(**settings)
        super().__init__(embeddings, cut, decides(settings), **common)

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

        It cuts where that one cuts, but returns slices of the text. To that one, whitespace at a text's end (a file's
        last newline) is an empty sentence that counts; here it is nothing, so compare ``text.strip()``.
        `min_chunk_size` differs: a small chunk joins the neighbour it is closer to, the last one of a text too.
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


class OptimalSemanticSplitter(BaseSemanticSplitter):
    """The best segmentation of the whole document within `chunk_size`, by dynamic programming: `caesura.OptimalCut`.

    confidence: how sure a cut has to be, judged by the document's own noise.
    penalty: what a chunk must gain instead, whatever the noise; less makes smaller chunks.
    n_chunks: cut into so many chunks instead, where `chunk_size` allows.
    structure: what a paragraph's end takes off the penalty; a line end half of it, a heading twice.
    half_weight: a sentence of so many times the mean size counts half; 0: all sentences alike.
    The other settings: `BaseSemanticSplitter`.
    """

    def __init__(
        self,
        embeddings: Embeddings | Embed | None = None,
        *,
        confidence: float = CONFIDENCE,
        penalty: float | None = None,
        n_chunks: int | None = None,
        structure: float = STRUCTURE,
        half_weight: float = HALF_WEIGHT,
        **common: Unpack[Common],
    ) -> None:
        settings: dict[str, Any] = {
            "confidence": confidence,
            "penalty": penalty,
            "n_chunks": n_chunks,
            "structure": structure,
            "half_weight": half_weight,
        }
        super().__init__(embeddings, optimal_cut(**settings), decides(settings), **common)


class ClusterSemanticSplitter(BaseSemanticSplitter):
    """Neighbours join from the bottom up, as in hierarchical clustering, but only neighbours: `caesura.ClusterCut`.

    linkage: how far apart two groups are: "cohesion", "ward" or "average".
    n_clusters: stop at so many chunks.
    distance_threshold: stop at this distance; None: where chance explains no more (average: 0.95).
    stop: find where to stop, "elbow" or "silhouette".
    confidence: how sure a cut has to be, judged by the document's own noise.
    structure: what a paragraph's end adds to the distance; a line end half of it, a heading twice.
    half_weight: a sentence of so many times the mean size counts half; 0: all sentences alike.
    The other settings: `BaseSemanticSplitter`.
    """

    def __init__(
        self,
        embeddings: Embeddings | Embed | None = None,
        *,
        linkage: LinkageName = "cohesion",
        n_clusters: int | None = None,
        distance_threshold: float | None = None,
        stop: StopName | None = None,
        half_weight: float = HALF_WEIGHT,
        confidence: float = CONFIDENCE,
        structure: float = STRUCTURE,
        **common: Unpack[Common],
    ) -> None:
        settings: dict[str, Any] = {
            "linkage": linkage,
            "n_clusters": n_clusters,
            "distance_threshold": distance_threshold,
            "stop": stop,
            "half_weight": half_weight,
            "confidence": confidence,
            "structure": structure,
        }
        super().__init__(embeddings, cluster_cut(**settings), decides(settings), **common)
