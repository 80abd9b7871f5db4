"""A cut in, a LangChain text splitter out: a cut of one's own, or the core's with all that it can be told."""

from __future__ import annotations

from typing import Unpack

from langchain_core.embeddings import Embeddings

from caesura.adapter import EmbedFunction
from caesura.adapter_cuts import own_cut
from caesura.types import Cut
from langchain_caesura.base import BaseSemanticSplitter, Common


class SemanticSplitter(BaseSemanticSplitter):
    """Cuts where `cut` says: a function of your own, or one of the core's, such as ``caesura.OptimalCut()``.

    cut: (Vectors, Sizes, Limits) -> Breaks. It sees one unit row per sentence, centred if `calibrated`, what each
    measures, and the limits; it returns the first sentence of each new chunk, as an array. A chunk that is over
    `chunk_size` all the same is parted between its sentences. ``caesura.testing.check_cut`` holds a cut to all of it.
    The other settings: `BaseSemanticSplitter`.

    Raises `SettingError` for what is no cut, and where a text is split for a cut that returns no breaks.
    """

    def __init__(
        self, embeddings: Embeddings | EmbedFunction | None = None, *, cut: Cut, **common: Unpack[Common]
    ) -> None:
        super().__init__(embeddings, own_cut(cut), **common)
