"""`like_semantic_chunker` cuts by the published distances, to the number of chunks, uncentred and unlimited."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest
from articles import article
from langchain_fakes import Bag

from langchain_caesura import SemanticPercentileSplitter

like = SemanticPercentileSplitter.like_semantic_chunker
REGEX = r"(?<=[.?!])\s+"
TEXT = article(60)


def distances(buffer_size: int) -> list[float]:
    """The published distances, by hand."""
    sentences = re.split(REGEX, TEXT)
    windows = [" ".join(sentences[max(i - buffer_size, 0) : i + buffer_size + 1]) for i in range(len(sentences))]
    rows = np.array(Bag().embed_documents(windows))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return [1 - float(a @ b) for a, b in itertools.pairwise(rows)]


def cut_behind(places_: list[int]) -> list[str]:
    sentences = re.split(REGEX, TEXT)
    return [" ".join(group) for group in np.split(np.array(sentences), [at + 1 for at in places_])]


@pytest.mark.parametrize("buffer_size", [0, 1, 2])
def test_by_default_it_cuts_over_the_ninety_fifth_percentile(buffer_size: int) -> None:
    found = distances(buffer_size)
    over = [i for i, distance in enumerate(found) if distance > np.percentile(found, 95)]
    assert like(Bag(), buffer_size).split_text(TEXT) == cut_behind(over)


@pytest.mark.parametrize(("kind", "amount"), [("standard_deviation", 3), ("interquartile", 1.5), ("gradient", 95)])
def test_the_amounts_of_the_other_types_are_theirs(kind: Any, amount: float) -> None:
    default = like(Bag(), breakpoint_threshold_type=kind).split_text(TEXT)
    assert default == like(Bag(), breakpoint_threshold_type=kind, breakpoint_threshold_amount=amount).split_text(TEXT)


@pytest.mark.parametrize("number", [1, 2, 7, 30, 60, 500])
def test_a_number_of_chunks_is_the_number_of_chunks(number: int) -> None:
    assert len(like(Bag(), number_of_chunks=number).split_text(TEXT)) == min(number, 60)


def test_a_number_of_chunks_wins_over_an_amount_as_theirs_does() -> None:
    assert len(like(Bag(), number_of_chunks=7, breakpoint_threshold_amount=50).split_text(TEXT)) == 7


def test_it_is_uncentred_unlimited_and_embeds_what_they_embed() -> None:
    embeddings = Bag()
    text = "One dog. " + "x" * 9000 + ". Two cats."
    assert len(like(embeddings, breakpoint_threshold_amount=100).split_text(text)) == 1
    assert embeddings.calls == [
        [f"One dog. {'x' * 9000}.", f"One dog. {'x' * 9000}. Two cats.", f"{'x' * 9000}. Two cats."]
    ]
