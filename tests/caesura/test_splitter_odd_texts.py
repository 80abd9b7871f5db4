"""Texts of one sentence, without a stop, of odd characters or of whitespace: nothing is lost, and all fits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fakes.embedders.rows_of_words import Counting, embed

import caesura
from caesura import Chunk, ClusterCut, Count, DoublePassCut, Limits, OptimalCut, PercentileCut, Splitter, words
from caesura_testing import check_chunks


@pytest.mark.parametrize("cut", [DoublePassCut(), PercentileCut(), PercentileCut(threshold=Count(5))], ids=str)
def test_one_sentence_is_one_chunk(cut: object) -> None:
    assert Splitter(cut=cut).split("  Just this. ", embed) == [Chunk("Just this.", 2, 12)]
    assert Splitter(cut=cut, trim=False).split("  Just this. ", embed) == [Chunk("  Just this. ", 0, 13)]


@pytest.mark.parametrize("size", [len, words])
def test_a_long_line_without_a_stop_is_cut_to_size(size: Callable[[str], int]) -> None:
    line = ("lorem ipsum " * 8334)[:100_000]
    embedder = Counting()
    chunks = Splitter(limits=Limits(200), size=size).split(line, embedder)
    check_chunks(line, chunks, size=size, max_size=200)
    assert max(size(text) for text in embedder.texts) <= 200
    assert len(embedder.calls) == 1


def test_a_long_word_is_cut_to_size() -> None:
    chunks = Splitter(limits=Limits(1000)).split("x" * 100_000, embed)
    assert [chunk.start for chunk in chunks] == list(range(0, 100_000, 1000))


@pytest.mark.parametrize(
    "text",
    [
        "a\x00b. \x00",
        "\ud800 lone. And \udfff.",
        "One.\r\nTwo.\r\n\r\nThree.",
        "Cafe\u0301. Nai\u0308ve.",
        "\u0301",
        "\ufeffText.",
    ],
    ids=ascii,
)
@pytest.mark.parametrize("limits", [Limits(), Limits(4)], ids=str)
def test_odd_characters_are_kept_and_reach_the_embedder_as_valid_text(text: str, limits: Limits) -> None:
    embedder = Counting()
    chunks = Splitter(limits=limits).split(text, embedder)
    check_chunks(text, chunks, max_size=limits.max_size)
    for shown in embedder.texts:
        shown.encode("utf-8")


@pytest.mark.parametrize("text", ["a\u3000", "\u3000a", "a\u3000b", "\u3000"])
def test_whitespace_over_the_limit_is_no_reason_to_refuse_a_text(text: str) -> None:
    chunks = Splitter(limits=Limits(2), size=caesura.utf8_bytes).split(text, embed)
    assert "".join(chunk.text for chunk in chunks) == "".join(text.split())


@pytest.mark.parametrize("cut", [OptimalCut(), ClusterCut()], ids=str)
def test_a_sentence_again_and_again_leaves_no_scrap_at_the_start(cut: OptimalCut | ClusterCut) -> None:
    row = np.random.default_rng(0).normal(size=256)
    text = "The sea is calm today.\n\nThe sea is calm today. " * 150
    chunks = Splitter(Limits(1000), cut=cut).split(text, lambda texts: np.tile(row, (len(texts), 1)))
    assert [len(chunk.text) for chunk in chunks[:3]] == [962, 985, 985]
