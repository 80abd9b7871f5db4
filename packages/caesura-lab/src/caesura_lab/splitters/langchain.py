"""LangChain's splitters: settings, a `Sizing` and an embedder -> text in, strings out. Imported when made."""

from __future__ import annotations

import warnings
from typing import Any

from caesura.types import Embed
from caesura.vectors import own_rows
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.peer import Pieces, Settings


def recursive(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """At the first of several separators that gives pieces small enough."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter as Splitter

    return Splitter(**_sizes(sizing), **settings).split_text


def markdown(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """The same, at Markdown's separators."""
    from langchain_text_splitters import MarkdownTextSplitter as Splitter

    return Splitter(**_sizes(sizing), **settings).split_text


def semantic_chunker(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """By percentiles; it knows no size."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # langchain-experimental announces its end when imported
        from langchain_experimental.text_splitter import SemanticChunker

    split: Pieces = SemanticChunker(_embeddings(embed), **settings).split_text
    return split


def _sizes(sizing: Sizing) -> Settings:
    return {"chunk_size": sizing.most, "chunk_overlap": sizing.overlap, "length_function": sizing.sizer}


def _embeddings(embed: Embed) -> Any:
    from langchain_core.embeddings import Embeddings

    class Bridge(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return own_rows(embed(texts), len(texts)).tolist()  # type: ignore[no-any-return]

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    return Bridge()
