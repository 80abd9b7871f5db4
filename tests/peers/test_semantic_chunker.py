"""`like_semantic_chunker` cuts where langchain-experimental's SemanticChunker does."""

from __future__ import annotations

import re

import pytest
from fakes.langchain.splitters import Bag, scattered
from fakes.splitters.semantic_chunkers import EMBEDDERS, SemanticChunker, both, like
from fakes.texts.essays import essay, every_essay
from langchain_core.embeddings import Embeddings

pytestmark = pytest.mark.peers
SENTENCES = r"(?<=[.?!])\s+"
TYPES = ("percentile", "standard_deviation", "interquartile", "gradient")
AMOUNTS = [
    *(("percentile", amount) for amount in (0, 10, 50, 80, 97.5, 100)),
    *(("standard_deviation", amount) for amount in (-0.5, 0, 1, 2.5)),
    *(("interquartile", amount) for amount in (-0.5, 0, 0.5, 1)),
    *(("gradient", amount) for amount in (0, 50, 80, 99)),
]


def assert_same(embeddings: Embeddings, text: str, **settings: object) -> None:
    ours, theirs = both(embeddings, text, **settings)
    assert ours == theirs


every_embedder = pytest.mark.parametrize("embedder", EMBEDDERS)


@every_embedder
@every_essay
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("buffer_size", [0, 1, 2, 3])
def test_breaks_are_equal_at_the_defaults(embedder: str, name: str, kind: str, buffer_size: int) -> None:
    assert_same(EMBEDDERS[embedder], essay(name), breakpoint_threshold_type=kind, buffer_size=buffer_size)


@every_embedder
@every_essay
@pytest.mark.parametrize(("kind", "amount"), AMOUNTS)
def test_breaks_are_equal_at_other_amounts(embedder: str, name: str, kind: str, amount: float) -> None:
    settings = {"breakpoint_threshold_type": kind, "breakpoint_threshold_amount": amount}
    assert_same(EMBEDDERS[embedder], essay(name), **settings)


@every_embedder
@every_essay
@pytest.mark.parametrize("number", [1, 2, 5, 17, 60, -1])
@pytest.mark.parametrize("buffer_size", [0, 1])
def test_breaks_are_equal_for_a_number_of_chunks_where_theirs_gives_that_number(
    embedder: str, name: str, number: int, buffer_size: int
) -> None:
    """-1 is one less than there are sentences. Rounding makes theirs give one chunk more now and then."""
    text = essay(name)
    number = len(re.split(SENTENCES, text)) - 1 if number < 0 else number
    settings = {"number_of_chunks": number, "buffer_size": buffer_size}
    ours, theirs = both(EMBEDDERS[embedder], text, **settings)
    assert len(ours) == number
    assert ours == theirs if len(theirs) == number else within_one(ours, theirs)


@every_embedder
def test_breaks_are_equal_for_nearly_every_number_of_chunks(embedder: str) -> None:
    text, equal = essay("superlinear"), 0
    numbers = range(1, len(re.split(SENTENCES, text)), 5)
    for number in numbers:
        ours, theirs = both(EMBEDDERS[embedder], text, number_of_chunks=number)
        equal += ours == theirs
        assert ours == theirs or within_one(ours, theirs)
    assert equal >= 0.7 * len(numbers)


def within_one(ours: list[str], theirs: list[str]) -> bool:
    """Whether theirs is ours with one break more."""
    merged = ([*theirs[:at], f"{theirs[at]} {theirs[at + 1]}", *theirs[at + 2 :]] for at in range(len(theirs) - 1))
    return ours in merged


@pytest.mark.parametrize("regex", [r"\n\s*\n", r"\n+", r"(?<=[.?!,;])\s+"])
@every_essay
def test_breaks_are_equal_with_another_regex(name: str, regex: str) -> None:
    assert_same(EMBEDDERS["static"], essay(name), sentence_split_regex=regex)


@every_essay
def test_an_amount_beside_a_number_of_chunks_is_passed_over_by_both(name: str) -> None:
    assert_same(EMBEDDERS["words"], essay(name), number_of_chunks=7, breakpoint_threshold_amount=20)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("text", ["One.", "One dog. Two cats.", "One dog. Two cats. Three dogs.", "A. B. C. D."])
def test_breaks_are_equal_in_short_texts(kind: str, text: str) -> None:
    if (kind, text) != ("gradient", "One dog. Two cats."):
        assert_same(Bag(scattered), text, breakpoint_threshold_type=kind, buffer_size=0)


@every_essay
def test_the_documents_are_the_chunks_with_exact_places_which_theirs_are_not(name: str) -> None:
    text = essay(name)
    made = like(EMBEDDERS["static"], add_start_index=True).create_documents([text])
    theirs = SemanticChunker(EMBEDDERS["static"], add_start_index=True).create_documents([text])
    assert all(text.startswith(document.page_content, document.metadata["start_index"]) for document in made)
    assert not all(text.startswith(document.page_content, document.metadata["start_index"]) for document in theirs)
