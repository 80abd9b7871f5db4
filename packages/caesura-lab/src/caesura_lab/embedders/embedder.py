"""`static`, `openai:MODEL`, `sentence-transformers:NAME`, `spacy:NAME`, or any function -> an `Embedder`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura import Background, SettingError, calibrate
from caesura.size import without_surrogates
from caesura.types import Embed
from caesura.vectors import own_rows
from caesura_lab.embedders.openai import openai_model
from caesura_lab.embedders.sentence_transformers import sentence_transformer
from caesura_lab.embedders.spacy import spacy_pipeline

KINDS = ("static", "openai:MODEL", "sentence-transformers:NAME", "spacy:NAME")
LOADERS: dict[str, Callable[[str], Embed]] = {
    "openai": openai_model,
    "sentence-transformers": sentence_transformer,
    "spacy": spacy_pipeline,
}


@dataclass(frozen=True)
class Embedder:
    """A function, texts -> rows, with the name it goes by and its background, which is made when it is first needed."""

    name: str
    embed: Embed
    ready: Background | None = None

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts -> (n, d) rows. None are embedded for no texts."""
        shown = [without_surrogates(text) for text in texts]  # which no API takes
        return own_rows(self.embed(shown), len(shown)) if texts else np.zeros((0, 0), np.float32)

    @cached_property
    def background(self) -> Background:
        """What unrelated texts have in common for this embedder: its own, or one call with 64 short texts."""
        return self.ready or calibrate(self.embed)


def embedder(given: str | Embed | Embedder = "static") -> Embedder:
    """A name, or a function of a list of str -> an embedder.

    Raises `SettingError` for a name that is none, a library that is not installed, a model that it does not find, or
    an API key that is not set.
    """
    if isinstance(given, Embedder):
        return given
    if not isinstance(given, str):
        if not callable(given):
            raise SettingError(f"embedder must be one of {', '.join(KINDS)}, or a function, got {given!r:.80}")
        return Embedder(getattr(given, "__name__", type(given).__name__), given)
    if given == "static":
        from caesura_static import StaticEmbedder  # its vectors are read when they are wanted

        return Embedder(given, StaticEmbedder())
    kind, _, name = given.partition(":")
    if kind in LOADERS and name:
        return Embedder(given, LOADERS[kind](name))
    raise SettingError(f"embedder must be one of {', '.join(KINDS)}, got {given!r}")
