"""A text, or lines that are the units, and an embedder -> the chunks of the peers, each by its own interface.

For retrieval a peer is cut to a cap as its makers advise: by its own limit where it has one, and by its framework's
recursive splitter for what is still larger. Peers give strings; `located` finds them in the text again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from embedders import ForChonkie, ForLangChain, ForLlamaIndex, Memo
from numpy.typing import NDArray

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # langchain-experimental announces its end when imported
    from langchain_experimental.text_splitter import SemanticChunker

import chonkie
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core import Document
from llama_index.core.node_parser import (
    SemanticDoubleMergingSplitterNodeParser,
    SemanticSplitterNodeParser,
    SentenceSplitter,
)


class Capped(Protocol):
    """(text, cap in characters, embedder) -> chunks."""

    def __call__(self, text: str, cap: int, memo: Memo) -> list[str]: ...


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


def recursive(text: str, cap: int, memo: Memo | None = None) -> list[str]:
    """LangChain's recursive splitter, without overlap."""
    return RecursiveCharacterTextSplitter(chunk_size=cap, chunk_overlap=0).split_text(text)


def fixed(text: str, cap: int, memo: Memo | None = None) -> list[str]:
    """Every `cap` characters."""
    return [text[start : start + cap] for start in range(0, len(text), cap)]


def sentence_splitter(text: str, cap: int, memo: Memo | None = None) -> list[str]:
    """LlamaIndex's default splitter, sizes counted in characters, without overlap."""
    return SentenceSplitter(chunk_size=cap, chunk_overlap=0, tokenizer=list).split_text(text)


def langchain(kind: Any) -> Capped:
    """SemanticChunker by one of its thresholds, then LangChain's recursive splitter."""

    def split(text: str, cap: int, memo: Memo) -> list[str]:
        chunks = SemanticChunker(ForLangChain(memo), breakpoint_threshold_type=kind).split_text(text)
        return [piece for chunk in chunks for piece in recursive(chunk, cap)]

    return split


def llama_index(text: str, cap: int, memo: Memo) -> list[str]:
    """SemanticSplitterNodeParser, then LlamaIndex's sentence splitter."""
    parser = SemanticSplitterNodeParser.from_defaults(embed_model=ForLlamaIndex(memo))
    return [piece for chunk in _contents(parser, text) for piece in sentence_splitter(chunk, cap)]


def double_merging(text: str, cap: int, memo: Memo) -> list[str]:
    """Double merging with its own maximum, then LlamaIndex's sentence splitter for single long sentences."""
    parser = SemanticDoubleMergingSplitterNodeParser.from_defaults(embed_model=ForLlamaIndex(memo), max_chunk_size=cap)
    return [piece for chunk in _contents(parser, text) for piece in sentence_splitter(chunk, cap)]


def chonkie_semantic(text: str, cap: int, memo: Memo) -> list[str]:
    """Chonkie's SemanticChunker with its own maximum, then its recursive chunker for single long sentences."""
    chunks = chonkie.SemanticChunker(embedding_model=ForChonkie(memo), chunk_size=cap).chunk(text)
    rest = chonkie.RecursiveChunker(tokenizer="character", chunk_size=cap)
    return [piece.text for chunk in chunks for piece in rest.chunk(chunk.text)]


CAPPED: dict[str, Capped] = {
    RECURSIVE: recursive,
    FIXED: fixed,
    "LlamaIndex SentenceSplitter": sentence_splitter,
    **{LANGCHAIN.format(kind.replace("_", " ")): langchain(kind) for kind in THRESHOLDS},
    LLAMA_INDEX: llama_index,
    DOUBLE_MERGING: double_merging,
    CHONKIE: chonkie_semantic,
}


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
