"""A text in, the chunks of langchain-experimental's SemanticChunker and of ours out: what their comparisons share."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import pytest
from fakes.langchain.splitters import Bag, scattered
from langchain_core.embeddings import Embeddings

from langchain_caesura import SemanticPercentileSplitter, StaticEmbeddings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    theirs = pytest.importorskip("langchain_experimental.text_splitter", reason="the session `peers` installs it")

SemanticChunker = theirs.SemanticChunker
like = SemanticPercentileSplitter.like_semantic_chunker


class Remembering(Embeddings):
    """An embedder asked once per text, however many splitters share it."""

    def __init__(self, inner: Embeddings) -> None:
        self.inner, self.rows = inner, {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        new = list(dict.fromkeys(text for text in texts if text not in self.rows))
        if new:
            self.rows.update(zip(new, self.inner.embed_documents(new), strict=True))
        return [self.rows[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


EMBEDDERS = {"words": Remembering(Bag(scattered)), "static": Remembering(StaticEmbeddings())}


def normal(chunks: Sequence[str]) -> list[str]:
    return [" ".join(chunk.split()) for chunk in chunks]


def both(embeddings: Embeddings, text: str, **settings: object) -> tuple[list[str], list[str]]:
    """Our chunks and theirs, with one space for any whitespace, since that is what theirs puts between sentences."""
    ours = like(embeddings, **settings).split_text(text)
    return normal(ours), normal(SemanticChunker(embeddings, **settings).split_text(text))
