"""An embedder that writes every batch into the same array gets the chunks that it gets with a new array each time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.embedders.rows_of_words import embed
from llama_index.core import Document

from caesura import Limits, Splitter
from caesura.hierarchy import Hierarchy, by_sizes
from caesura_lab import compare, view
from caesura_scale.batch import SplitBatch
from caesura_scale.stream import split_stream
from caesura_store.embedding_cache import cached
from langchain_caesura import DoublePassSemanticSplitter, SemanticHierarchySplitter
from llama_index.node_parser.caesura import DoublePassSemanticSplitter as Parser
from llama_index.node_parser.caesura import SemanticHierarchyParser

TEXTS = [
    " ".join(f"{word} number {k} was seen." for word in ("Bread", "Tides") for k in range(9)),
    "Chess. Copper rose.",
]
SPLITTER = Splitter(Limits(300))


def reused() -> Callable[[Sequence[str]], Any]:
    array = np.zeros((100, 8), np.float32)

    def rows(texts: Sequence[str]) -> Any:
        array[: len(texts)] = embed(texts)
        return array[: len(texts)]

    return rows


def through_a_cache(rows: Any, folder: Path) -> object:
    with cached(rows, folder / "rows.db", "words") as kept:
        return [kept([text]).tolist() for text in (*TEXTS, *TEXTS)], SPLITTER.split_many(TEXTS, kept, 3)


WAYS: dict[str, Callable[[Any, Path], Any]] = {
    "split": lambda rows, _: SPLITTER.split(TEXTS[0], rows, 3),
    "split_many": lambda rows, _: SPLITTER.split_many(TEXTS, rows, 3),
    "split_stream": lambda rows, _: [
        (made.chunks(), made.vectors().tolist()) for made in list(split_stream(SPLITTER, TEXTS, rows, window=1))
    ],
    "SplitBatch": lambda rows, _: list(
        SplitBatch(SPLITTER, lambda: rows, batch_size=3)({"id": [0, 1], "text": TEXTS})["text"]
    ),
    "Hierarchy": lambda rows, _: Hierarchy(by_sizes(300, 60)).split(TEXTS[0], rows, 3).chunks(),
    "cached": through_a_cache,
    "compare": lambda rows, _: [
        row["chunks"] for row in compare(dict(zip("ab", TEXTS, strict=True)), ["double-pass"], embedder=rows)
    ],
    "view": lambda rows, _: view(dict(zip("ab", TEXTS, strict=True)), ["double-pass", "optimal"], embedder=rows).html,
    "LangChain": lambda rows, _: DoublePassSemanticSplitter(rows, batch_size=3).create_documents(TEXTS),
    "LangChain, levels": lambda rows, _: SemanticHierarchySplitter(rows, batch_size=3).create_documents(TEXTS),
    "LlamaIndex": lambda rows, _: [
        node.text for node in Parser(embed_model=rows)([Document(text=text) for text in TEXTS])
    ],
    "LlamaIndex, levels": lambda rows, _: [
        node.text
        for node in SemanticHierarchyParser(embed_model=rows, chunk_sizes=[90, 20])(
            [Document(text=text) for text in TEXTS]
        )
    ],
}


@pytest.mark.parametrize("way", WAYS)
def test_the_chunks_are_the_same(way: str, tmp_path: Path) -> None:
    for folder in ("reused", "new"):
        (tmp_path / folder).mkdir()
    assert WAYS[way](reused(), tmp_path / "reused") == WAYS[way](embed, tmp_path / "new")
