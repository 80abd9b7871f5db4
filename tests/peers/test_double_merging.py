"""`DoublePassCut`, uncentred, cuts where LlamaIndex's double merging cuts, with an embedder that adds up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.node_parser import SemanticDoubleMergingSplitterNodeParser
from llama_index.core.schema import Document
from numpy.typing import NDArray

from caesura import DoublePassCut, Limits

pytestmark = pytest.mark.peers

CASES = 1000
TIE = 1e-9


class Additive(BaseEmbedding):
    """A text's vector is the sum over its sentences of size x row. Keeps the similarities that it was asked for."""

    _rows: dict[str, NDArray[np.float64]] = PrivateAttr(default_factory=dict)
    _asked: list[float] = PrivateAttr(default_factory=list)

    def teach(self, sentences: Sequence[str], sizes: NDArray[np.intp], rows: NDArray[np.float32]) -> None:
        self._rows = dict(zip(sentences, sizes[:, None] * rows.astype(np.float64), strict=True))
        self._asked = []

    def get_text_embedding_batch(self, texts: list[str], show_progress: bool = False, **kwargs: Any) -> list[Any]:
        return [sum(self._rows[sentence] for sentence in text.split()) for text in texts]

    def similarity(self, embedding1: Any, embedding2: Any, mode: Any = None) -> float:
        found = super().similarity(embedding1, embedding2)
        self._asked.append(float(found))
        return found

    def nearest(self, thresholds: Sequence[float]) -> float:
        """How near a similarity that was compared came to a threshold."""
        return min((abs(asked - threshold) for asked in self._asked for threshold in thresholds), default=1.0)

    def _get_text_embedding(self, text: str) -> list[float]:
        raise NotImplementedError

    def _get_query_embedding(self, query: str) -> list[float]:
        raise NotImplementedError

    async def _aget_query_embedding(self, query: str) -> list[float]:
        raise NotImplementedError


def case(seed: int) -> tuple[list[str], NDArray[np.intp], NDArray[np.float32], tuple[float, float, float], int]:
    """Sentences, sizes, rows, thresholds and a largest size: subjects that return, with more or less noise."""
    random, numbers = Random(seed), np.random.default_rng(seed)
    n = random.randint(1, 24)
    sentences = [f"{i}" + "x" * random.choice([0, 3, 10, random.randint(0, 60)]) for i in range(n)]
    subjects = numbers.normal(size=(random.randint(1, 4), 6))
    noise = random.choice([0.1, 0.5, 1.0])
    rows = subjects[numbers.integers(len(subjects), size=n)] + noise * numbers.normal(size=(n, 6))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    thresholds = (random.uniform(-0.2, 0.95), random.uniform(-0.2, 0.95), random.uniform(-0.2, 0.95))
    largest = random.choice([random.randint(1, 80), random.randint(80, 400), 10_000])
    return sentences, np.array([len(s) + 1 for s in sentences], np.intp), rows.astype(np.float32), thresholds, largest


def ours(seed: int, look_ahead: int) -> list[list[str]]:
    sentences, sizes, rows, thresholds, largest = case(seed)
    breaks = DoublePassCut(*thresholds, look_ahead, None, 0)(rows, sizes, Limits(largest + 1))
    return [group.tolist() for group in np.split(np.array(sentences), breaks)]


@cache
def embedder() -> Additive:
    return Additive(model_name="additive")


def theirs(seed: int, merging_range: int) -> list[list[str]] | None:
    """Its chunks as lists of sentences; None where a similarity is too near a threshold to tell."""
    sentences, sizes, rows, (initial, appending, merging), largest = case(seed)
    embedder().teach(sentences, sizes, rows)
    parser = SemanticDoubleMergingSplitterNodeParser(
        embed_model=embedder(),
        initial_threshold=initial,
        appending_threshold=appending,
        merging_threshold=merging,
        max_chunk_size=largest,
        merging_range=merging_range,
        merging_separator=" ",
        sentence_splitter=str.split,
    )
    nodes = parser.get_nodes_from_documents([Document(text=" ".join(sentences), id_="d")])
    return None if embedder().nearest((initial, appending, merging)) < TIE else [node.text.split() for node in nodes]


@pytest.mark.parametrize("reach", [1, 2])
def test_breaks_are_equal_on_a_thousand_random_cases(reach: int) -> None:
    skipped, shapes = 0, set()
    for seed in range(CASES):
        expected = theirs(seed, reach)
        if expected is None:
            skipped += 1
            continue
        assert ours(seed, reach) == expected, f"case {seed}"
        shapes.add(tuple(map(len, expected)))
    assert skipped <= CASES // 100
    assert len(shapes) > CASES // 3


def test_looking_further_ahead_changes_what_the_cases_give() -> None:
    assert sum(ours(seed, 1) != ours(seed, 2) for seed in range(CASES)) > 10
    assert sum(ours(seed, 0) != ours(seed, 1) for seed in range(CASES)) > 10


def two(rows: list[list[float]], initial: float) -> tuple[int, int]:
    """Two sentences -> the number of chunks, ours and theirs."""
    sizes, array = np.array([2, 2], np.intp), np.array(rows, np.float32)
    embedder().teach(["a", "b"], sizes, array)
    parser = SemanticDoubleMergingSplitterNodeParser(
        embed_model=embedder(), initial_threshold=initial, merging_threshold=1.0, sentence_splitter=str.split
    )
    with np.errstate(invalid="ignore"):
        nodes = parser.get_nodes_from_documents([Document(text="a b", id_="d")])
    breaks = DoublePassCut(initial, 1.0, 1.0, confidence=None)(array, sizes, Limits())
    return len(breaks) + 1, len(nodes)


def test_a_similarity_equal_to_the_initial_threshold_parts_as_published_where_theirs_joins() -> None:
    assert two([[1, 0], [0, 1]], 0.0) == (2, 1)


def test_a_zero_row_is_similar_to_nothing_where_theirs_joins_it() -> None:
    assert two([[1, 0], [0, 0]], 0.6) == (2, 1)
