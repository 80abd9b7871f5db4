"""Chunks and nodes of hostile texts, in characters, bytes, words and tokens, from all that cuts: each is an exact slice
within its limit, and nothing but whitespace is outside them.

It counts chunks, not texts: 5,000, and 50,000 in `nox -s thorough`. For two million, in ten minutes:

    CAESURA_EXAMPLES=2000000 python -m pytest tests/promises/test_hostile_limits.py
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from fakes.laws import at_least
from fakes.llama_index.parsers import sizes
from fakes.splitters.sizers import SIZERS, odd_encode
from fakes.texts.drawn_texts import at_stops
from llama_index.core import Document
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.node_parser import caesura as llama_index

import langchain_caesura as langchain
from caesura import (
    ClusterCut,
    Count,
    DoublePassCut,
    Limits,
    NClusters,
    OptimalCut,
    Overlapping,
    PercentileCut,
    Splitter,
    sentences,
    units,
)
from caesura.hierarchy import Hierarchy
from caesura.sizers import without_surrogates
from caesura_testing.texts import FRAGMENTS, PROSE

Found = Iterator[tuple[int | None, int, str, int, int]]
"""Level (None: none that tiles the text), the limit there, a chunk, where it starts and what it measures."""

CUTS = (
    OptimalCut(),
    OptimalCut(n_chunks=4),
    OptimalCut(0.5, half_weight=5),
    DoublePassCut(),
    DoublePassCut(look_ahead=9, confidence=None, structure=0),
    ClusterCut(),
    ClusterCut(stop=NClusters(3)),
    PercentileCut(),
    PercentileCut(Overlapping(2), Count(5)),
)
BLANKS = (" ", "\n", "\r\n", "\t", "\x0b", "\x0c", "\x1c", "\x85", "\u00a0", "\u2003", "\u2028", "\u3000")
NAMES = (
    "DoublePassSemanticSplitter",
    "OptimalSemanticSplitter",
    "ClusterSemanticSplitter",
    "SemanticPercentileSplitter",
)
TOKENIZERS: tuple[Callable[[str], list[Any]], ...] = (list, odd_encode, lambda text: list(text.encode()))


def embed(texts: Iterable[str]) -> list[list[float]]:
    return [
        [1.0 + text.count("a"), float(len(text) % 7), float(text.count("b")), float(len(text) % 5)] for text in texts
    ]


def hostile_text(rng: random.Random) -> str:
    """Prose and odd pieces with runs of whitespace between, some of which are longer than any limit."""
    pieces = []
    for _ in range(rng.choice((1, 4, 30, 80))):
        run = rng.choice((0, 0, 1, 2, 9, 60, 400, 900))
        kinds = rng.sample(BLANKS, rng.choice((1, 1, 2)))
        pieces.append("".join(rng.choice(kinds) for _ in range(run)))
        pieces.append(rng.choice(rng.choice((FRAGMENTS, PROSE))))
    return "".join(pieces)


def falling(rng: random.Random, least: int) -> list[int]:
    return sorted(
        {rng.randint(least, rng.choice((least + 8, 90, 700))) for _ in range(rng.randint(1, 3))}, reverse=True
    )


def core_splitters(rng: random.Random, text: str) -> Found:
    size, least = SIZERS[rng.choice(list(SIZERS))]
    (largest, *_), overlap = falling(rng, least), rng.choice((0, 0, 5, 60))
    room = Limits(largest, rng.randint(0, largest))
    made = Splitter(
        room, size, rng.choice((units, sentences, at_stops)), None, rng.choice(CUTS), None, rng.random() < 0.7
    )
    batch = made.prepare([text])
    for chunk in made.finish(batch, embed(batch.texts) if batch.texts else np.zeros((0, 4)))[0].chunks(overlap):
        yield 0, largest + overlap, chunk.text, chunk.start, size(chunk.text)


def core_hierarchies(rng: random.Random, text: str) -> Found:
    size, least = SIZERS[rng.choice(list(SIZERS))]
    largest, cuts = falling(rng, least), CUTS[:1] + CUTS[2:]
    levels = tuple((Limits(most), rng.choice(cuts)) for most in largest)
    nested = Hierarchy(levels, size, rng.choice((units, at_stops)), trim=rng.random() < 0.7).split(text, embed)
    for level, (most, chunks) in enumerate(zip(largest, nested.chunks(), strict=True)):
        for chunk in chunks:
            yield level, most, chunk.text, chunk.start, size(chunk.text)


def langchain_splitters(rng: random.Random, text: str) -> Found:
    size, least = SIZERS[rng.choice(list(SIZERS))]
    chunk_size, *_ = falling(rng, least)
    overlap = rng.choice((0, 0, (chunk_size - least) // 2))
    smallest = rng.randint(0, chunk_size - overlap)
    splitter = getattr(langchain, rng.choice(NAMES))(
        embed,
        chunk_size=chunk_size,
        chunk_overlap=overlap,
        min_chunk_size=smallest,
        length_function=size,
        strip_whitespace=rng.random() < 0.7,
        add_start_index=True,
        calibrated=False,
    )
    for chunk in splitter.create_documents([text]):
        yield 0, chunk_size, chunk.page_content, chunk.metadata["start_index"], size(chunk.page_content)


def langchain_hierarchies(rng: random.Random, text: str) -> Found:
    size, least = SIZERS[rng.choice(list(SIZERS))]
    largest = falling(rng, least)
    splitter = langchain.SemanticHierarchySplitter(
        embed, chunk_sizes=largest, length_function=size, strip_whitespace=rng.random() < 0.7, calibrated=False
    )
    for chunk in splitter.create_documents([text]):
        level, start = chunk.metadata["level"], chunk.metadata["start_index"]
        yield level, largest[level], chunk.page_content, start, size(chunk.page_content)


def llama_index_splitters(rng: random.Random, text: str) -> Found:
    tokenizer, metadata = rng.choice(TOKENIZERS), rng.choice(({}, {}, {"note": "a b" * rng.randint(0, 3)}))
    chunk_size, *_ = falling(rng, 24)
    settings = {"embed_model": embed, "calibrated": False, "tokenizer": tokenizer}
    parser = getattr(llama_index, rng.choice(NAMES))(chunk_size=chunk_size, **settings)
    nodes = parser([Document(text=text, id_="d", metadata=metadata)])
    for node, measured in zip(nodes, sizes(nodes, tokenizer), strict=True):
        yield 0, chunk_size, node.text, node.start_char_idx, measured


def llama_index_hierarchies(rng: random.Random, text: str) -> Found:
    tokenizer, metadata = rng.choice(TOKENIZERS), rng.choice(({}, {}, {"note": "a b" * rng.randint(0, 3)}))
    largest, cut = falling(rng, 24), rng.choice(("optimal", "double_pass", "percentile", "cluster"))
    settings = {"embed_model": embed, "calibrated": False, "tokenizer": tokenizer}
    parser = llama_index.SemanticHierarchyParser(chunk_sizes=largest, cut=cut, **settings)
    nodes = parser([Document(text=text, id_="d", metadata=metadata)])
    leaves, depth = {node.node_id for node in get_leaf_nodes(nodes)}, dict[str, int]()
    for node, measured in zip(nodes, sizes(nodes, tokenizer), strict=True):
        level = depth[node.node_id] = depth[node.parent_node.node_id] + 1 if node.parent_node else 0
        yield 0 if node.node_id in leaves else None, largest[level], node.text, node.start_char_idx, measured


WAYS = (
    core_splitters,
    core_hierarchies,
    langchain_splitters,
    langchain_hierarchies,
    llama_index_splitters,
    llama_index_hierarchies,
)


@pytest.mark.thorough
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_chunk_is_a_slice_within_its_limit_and_only_whitespace_is_outside(way: Callable[..., Found]) -> None:
    wanted, checked, number = at_least(50_000, len(WAYS)), 0, 0
    while checked < wanted:
        rng, number = random.Random(f"{way.__name__} {number}"), number + 1
        text = hostile_text(rng)
        if way.__name__.startswith("llama_index"):
            text = without_surrogates(text)
        covered: dict[int, int] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # metadata that leaves little room
            found = list(way(rng, text))
        for level, largest, chunk, start, measured in found:
            told = f"case {number - 1}: {chunk!r} at {start}"
            assert measured <= largest, told
            assert chunk.strip(), told
            assert text[start : start + len(chunk)] == chunk, told
            if level is not None:
                assert not text[covered.get(level, 0) : start].strip(), told
                covered[level] = start + len(chunk)
        assert covered or not text.strip(), f"case {number - 1}"
        assert not any(text[end:].strip() for end in covered.values()), f"case {number - 1}"
        checked += len(found)
