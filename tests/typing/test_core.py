"""What a user of the core writes: mypy and pyright check the types that come of it, pytest runs it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

from caesura import (
    Background,
    Batch,
    Chunk,
    ClusterCut,
    Limits,
    OptimalCut,
    Percentile,
    PercentileCut,
    Segmentation,
    Splitter,
    calibrate,
    joined,
    sentences,
    tokens,
)
from caesura.hierarchy import Hierarchy, Nested, by_sizes
from caesura.types import Breaks, Cut, Edges, Embed, Segmenter, Sizer, Sizes, Vectors
from caesura_scale.batch import SplitBatch
from caesura_scale.stream import asplit_stream, split_stream

TEXT = "The moon rose. The moon set. A dog barks."


def of_lists(texts: list[str]) -> list[list[float]]:
    """As most clients are typed."""
    return [[1.0, "moon" in text] for text in texts]


def of_sequences(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.asarray(of_lists(list(texts)), np.float32)


class Model:
    """As a model that is called."""

    def __call__(self, texts: list[str]) -> object:
        return of_lists(texts)


async def awaited(texts: list[str]) -> list[list[float]]:
    return of_lists(texts)


EMBEDDERS: list[Embed] = [of_lists, of_sequences, Model()]


def test_any_function_of_a_list_of_str_embeds() -> None:
    for embed in EMBEDDERS:
        assert_type(calibrate(embed), Background)
        assert_type(Splitter().split(TEXT, embed), list[Chunk])
    chunk = Splitter().split(TEXT, of_lists)[0]
    assert_type((chunk.text, chunk.start, chunk.end), tuple[str, int, int])


def test_the_stages_in_turn() -> None:
    splitter = Splitter(limits=Limits(max_size=40), background=None, view=joined(1))
    batch = splitter.prepare([TEXT], limits=[Limits(20)])
    assert_type(batch, Batch)
    assert_type(batch.texts, tuple[str, ...])
    (made,) = splitter.finish(batch, of_lists(list(batch.texts)))
    assert_type(made, Segmentation)
    assert_type(made.chunks(overlap=10), list[Chunk])
    assert_type(made.vectors(), NDArray[np.float32])
    assert_type(made.gaps, NDArray[np.float64] | None)


def test_own_stages_are_functions() -> None:
    def segment(text: str) -> Edges:
        return np.asarray([0, len(text)], np.intp)

    def size(text: str) -> int:
        return len(text.split())

    def cut(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        return np.arange(1, len(sizes), dtype=np.intp)

    stages: tuple[Segmenter, Sizer, Cut] = (segment, size, cut)
    assert len(Splitter(size=size, segment=segment, cut=cut).split(TEXT, of_lists)) == 1
    assert len(Splitter(size=size, segment=sentences, cut=stages[2]).split(TEXT, of_lists)) == 3
    cuts: list[Cut] = [PercentileCut(threshold=Percentile(80)), OptimalCut(n_chunks=2), ClusterCut()]
    for one in cuts:
        assert Splitter(size=tokens(str.split), cut=one).split(TEXT, of_lists)


def test_levels_and_tables() -> None:
    nested = Hierarchy(by_sizes(100, 20)).split(TEXT, of_lists)
    assert_type(nested, Nested)
    assert_type(nested.chunks(), list[list[Chunk]])
    split = SplitBatch(Splitter(Limits(40)), Model, text_column="body")
    assert len(split({"id": ["a"], "body": [TEXT]})["chunk"]) == 2


async def test_streams() -> None:
    async def texts() -> AsyncIterator[str]:
        yield TEXT

    made = split_stream(Splitter(), iter([TEXT]), of_lists)
    assert_type(made, Iterator[Segmentation])
    assert [one.text for one in made] == [TEXT]
    async for one in asplit_stream(Splitter(), texts(), awaited):
        assert_type(one, Segmentation)


def test_what_is_wrong_is_an_error_before_it_runs() -> None:
    def wrong() -> None:
        Splitter(limits=100)  # type: ignore[arg-type]
        Splitter(size=str.upper)  # type: ignore[arg-type]
        Splitter(max_size=100)  # type: ignore[call-arg]
        Splitter().split([TEXT], of_lists)  # type: ignore[arg-type]
        Splitter().limits = Limits()  # type: ignore[misc]
        SplitBatch(Splitter(), of_lists)  # type: ignore[arg-type]

    assert callable(wrong)
