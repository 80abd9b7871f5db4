"""A text, or lines that are the units, and an embedder -> the chunks of the peers, each by its own interface.

For retrieval a peer is set as people set it. Peers give strings; `located` finds them in the text again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from embedders import ForChonkie, ForLangChain, ForLlamaIndex, Memo
from numpy.typing import NDArray

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # langchain-experimental announces its end when imported
    from langchain_experimental.text_splitter import SemanticChunker

import chonkie
from langchain_text_splitters import MarkdownTextSplitter, RecursiveCharacterTextSplitter
from llama_index.core import Document
from llama_index.core.node_parser import (
    MarkdownNodeParser,
    SemanticDoubleMergingSplitterNodeParser,
    SemanticSplitterNodeParser,
    SentenceSplitter,
)


class Peer(Protocol):
    """(text, embedder) -> chunks, or the (m, 2) ranges of chunks that overlap."""

    def __call__(self, text: str, memo: Memo) -> list[str] | NDArray[np.intp]: ...


OnUnits = Callable[[str, "int | None", Memo], list[str]]
"""(lines, number of chunks or None, embedder) -> chunks: each line is a unit, and there is no limit to size."""

UNLIMITED = 1_000_000_000
THRESHOLDS = ("percentile", "standard_deviation", "interquartile", "gradient")
LANGCHAIN = "LangChain SemanticChunker, {}"
LLAMA_INDEX = "LlamaIndex SemanticSplitter"
DOUBLE_MERGING = "LlamaIndex double merging"
CHONKIE = "Chonkie SemanticChunker"
RECURSIVE = "recursive"
FIXED = "fixed size"


def recursive(text: str, size: int, memo: Memo | None = None) -> list[str]:
    """LangChain's recursive splitter, without overlap."""
    return RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0).split_text(text)


def tutorial(text: str, memo: Memo) -> NDArray[np.intp]:
    """LangChain's recursive splitter as its tutorials set it: 1,000 characters, 200 of overlap."""
    splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)
    chunks = [(each.metadata["start_index"], len(each.page_content)) for each in splitter.create_documents([text])]
    return np.array([(start, start + size) for start, size in chunks], np.intp).reshape(-1, 2)


def sentence_splitter(text: str, memo: Memo, **settings: int) -> NDArray[np.intp]:
    """LlamaIndex's default splitter; sizes in tokens."""
    nodes: list[Any] = SentenceSplitter(**settings).get_nodes_from_documents([Document(text=text)])
    return np.array([(node.start_char_idx, node.end_char_idx) for node in nodes], np.intp).reshape(-1, 2)


def langchain_markdown(text: str, memo: Memo) -> list[str]:
    """LangChain's recursive splitter with Markdown's separators."""
    return MarkdownTextSplitter(chunk_size=400, chunk_overlap=0).split_text(text)


def llama_index_markdown(text: str, memo: Memo) -> list[str]:
    """LlamaIndex's sections of Markdown, and its sentence splitter within them."""
    rest = SentenceSplitter(chunk_size=128, chunk_overlap=0)
    return [piece for section in _contents(MarkdownNodeParser(), text) for piece in rest.split_text(section)]


def chonkie_recursive(text: str, memo: Memo) -> list[str]:
    """Chonkie's RecursiveChunker, 500 characters."""
    return [chunk.text for chunk in chonkie.RecursiveChunker(tokenizer="character", chunk_size=500).chunk(text)]


def chonkie_semantic(text: str, memo: Memo, size: int = 600) -> list[str]:
    """Chonkie's SemanticChunker with its own maximum, then its recursive chunker for single long sentences."""
    chunks = chonkie.SemanticChunker(embedding_model=ForChonkie(memo), chunk_size=size).chunk(text)
    rest = chonkie.RecursiveChunker(tokenizer="character", chunk_size=size)
    return [piece.text for chunk in chunks for piece in rest.chunk(chunk.text)]


def langchain_semantic(text: str, memo: Memo) -> list[str]:
    """LangChain's SemanticChunker at its defaults, which know no size."""
    return SemanticChunker(ForLangChain(memo)).split_text(text)


AS_USED: dict[str, Peer] = {
    "recursive 1,000, overlap 200": tutorial,
    "LangChain MarkdownTextSplitter 400": langchain_markdown,
    "LlamaIndex SentenceSplitter, defaults": sentence_splitter,
    "LlamaIndex SentenceSplitter, 128 tokens": partial(sentence_splitter, chunk_size=128, chunk_overlap=0),
    "LlamaIndex MarkdownNodeParser, 128 tokens": llama_index_markdown,
    "Chonkie RecursiveChunker 500": chonkie_recursive,
    "Chonkie SemanticChunker 600": chonkie_semantic,
    "LangChain SemanticChunker": langchain_semantic,
}
"""What people split with to search."""


def langchain_on_lines(kind: Any) -> OnUnits:
    """SemanticChunker that takes a line for a sentence."""

    def split(lines: str, count: int | None, memo: Memo) -> list[str]:
        return SemanticChunker(
            ForLangChain(memo), breakpoint_threshold_type=kind, number_of_chunks=count, sentence_split_regex=r"\n"
        ).split_text(lines)

    return split


def llama_index_on_lines(lines: str, count: int | None, memo: Memo) -> list[str]:
    """SemanticSplitterNodeParser that takes a line for a sentence; it takes no number of chunks."""
    parser = SemanticSplitterNodeParser.from_defaults(embed_model=ForLlamaIndex(memo), sentence_splitter=_lines)
    return _contents(parser, lines)


def double_merging_on_lines(lines: str, count: int | None, memo: Memo) -> list[str]:
    """Double merging that takes a line for a sentence; it takes no number of chunks."""
    parser = SemanticDoubleMergingSplitterNodeParser.from_defaults(
        embed_model=ForLlamaIndex(memo), sentence_splitter=_lines, max_chunk_size=UNLIMITED
    )
    return _contents(parser, lines)


def chonkie_on_lines(lines: str, count: int | None, memo: Memo) -> list[str]:
    """Chonkie's SemanticChunker that takes a line for a sentence; it takes no number of chunks."""
    return [
        chunk.text
        for chunk in chonkie.SemanticChunker(
            embedding_model=ForChonkie(memo), chunk_size=UNLIMITED, delim="\n", min_characters_per_sentence=1
        ).chunk(lines)
    ]


def recursive_on_lines(lines: str, count: int | None, memo: Memo) -> list[str]:
    """The recursive splitter with the smallest size that gives at most `count` chunks."""
    low, high = 1, len(lines)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if len(recursive(lines, middle)) <= (count or 1) else (middle + 1, high)
    return recursive(lines, low)


def equal_on_lines(lines: str, count: int | None, memo: Memo) -> list[str]:
    """`count` pieces of equally many lines."""
    return ["\n".join(part) for part in np.array_split(np.array(lines.split("\n"), object), count or 1)]


ON_UNITS: dict[str, OnUnits] = {
    **{LANGCHAIN.format(kind.replace("_", " ")): langchain_on_lines(kind) for kind in THRESHOLDS},
    LLAMA_INDEX: llama_index_on_lines,
    DOUBLE_MERGING: double_merging_on_lines,
    CHONKIE: chonkie_on_lines,
}
GIVEN: dict[str, OnUnits] = {
    **{LANGCHAIN.format(kind.replace("_", " ")): langchain_on_lines(kind) for kind in THRESHOLDS[:1]},
    RECURSIVE: recursive_on_lines,
    FIXED: equal_on_lines,
}
"""Peers that can be told the number of chunks. LangChain's thresholds then all are the percentile that gives it."""


def located(text: str, pieces: Sequence[str]) -> tuple[NDArray[np.intp], int]:
    """Pieces in the text's order, whose whitespace may have changed -> their (m, 2) ranges, and how many are not there.

    Pieces of whitespace alone are no chunks and are left out.
    """
    at = np.flatnonzero([not character.isspace() for character in text])
    bare = "".join(text.split())
    ranges, lost, cursor = [], 0, 0
    for piece in pieces:
        wanted = "".join(piece.split())
        found = bare.find(wanted, cursor)
        if wanted and found >= 0:
            cursor = found + len(wanted)
            ranges.append((at[found], at[cursor - 1] + 1))
        elif wanted:
            lost += 1
    return np.array(ranges, np.intp).reshape(-1, 2), lost


def _lines(text: str) -> list[str]:
    return text.split("\n") if "\n" not in text else [line + "\n" for line in text.split("\n")]


def _contents(parser: Any, text: str) -> list[str]:
    return [node.get_content() for node in parser.get_nodes_from_documents([Document(text=text)])]
