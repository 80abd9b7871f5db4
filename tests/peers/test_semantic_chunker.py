"""`like_semantic_chunker` cuts where langchain-experimental's SemanticChunker does; where not, these tests say so."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

import pytest
from essays import essay, every_essay
from langchain_core.embeddings import Embeddings
from langchain_fakes import Bag, scattered

from langchain_caesura import SemanticPercentileSplitter, StaticEmbeddings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from langchain_experimental.text_splitter import SemanticChunker

pytestmark = pytest.mark.peers

like = SemanticPercentileSplitter.like_semantic_chunker
SENTENCES = r"(?<=[.?!])\s+"
TYPES = ("percentile", "standard_deviation", "interquartile", "gradient")
AMOUNTS = [
    *(("percentile", amount) for amount in (0, 10, 50, 80, 97.5, 100)),
    *(("standard_deviation", amount) for amount in (-0.5, 0, 1, 2.5)),
    *(("interquartile", amount) for amount in (-0.5, 0, 0.5, 1)),
    *(("gradient", amount) for amount in (0, 50, 80, 99)),
]


class Remembering(Embeddings):
    """An embedder asked once per text, however many splitters share it."""

    def __init__(self, inner: Embeddings) -> None:
        self.inner, self.rows = inner, {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        new = list(dict.fromkeys(text for text in texts if text not in self.rows))
        if new:
            self.rows.update(zip(new, self.inner.embed_documents(new), strict=True))
        return [self.rows[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


EMBEDDERS = {"words": Remembering(Bag(scattered)), "static": Remembering(StaticEmbeddings())}


def normal(chunks: Sequence[str]) -> list[str]:
    return [" ".join(chunk.split()) for chunk in chunks]


def both(embeddings: Embeddings, text: str, **settings: object) -> tuple[list[str], list[str]]:
    """Our chunks and theirs, with one space for any whitespace, since that is what theirs puts between sentences."""
    ours = like(embeddings, **settings).split_text(text)
    return normal(ours), normal(SemanticChunker(embeddings, **settings).split_text(text))


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


# -- where theirs is odd ---------------------------------------------------------------------------------------------


def test_all_sentences_as_number_of_chunks_gives_them_all_where_theirs_gives_one_fewer() -> None:
    text = essay("superlinear")
    number = len(re.split(SENTENCES, text))
    settings = {"number_of_chunks": number, "buffer_size": 0}
    assert len(like(EMBEDDERS["words"], **settings).split_text(text)) == number
    assert len(SemanticChunker(EMBEDDERS["words"], **settings).split_text(text)) == number - 1


def test_two_sentences_are_one_chunk_by_gradient_too_where_theirs_gives_two() -> None:
    ours, theirs = both(Bag(scattered), "One dog. Two cats.", breakpoint_threshold_type="gradient")
    assert ours == ["One dog. Two cats."]
    assert theirs == ["One dog.", "Two cats."]


def test_ties_give_the_number_asked_for_where_theirs_gives_one_chunk() -> None:
    text = " ".join(["The same again."] * 12)
    settings = {"number_of_chunks": 4, "buffer_size": 0}
    assert len(like(Bag(), **settings).split_text(text)) == 4
    assert len(SemanticChunker(Bag(), **settings).split_text(text)) == 1


def test_whitespace_at_the_end_is_nothing_where_theirs_embeds_an_empty_sentence() -> None:
    text = "One dog. Two cats. Three ships. "
    ours, theirs = Bag(), Bag()
    chunks = like(ours, buffer_size=0).split_text(text)
    SemanticChunker(theirs, buffer_size=0).split_text(text)
    assert theirs.texts == [*ours.texts, ""]
    assert chunks == like(Bag(), buffer_size=0).split_text(text.strip())


def test_a_blank_line_is_no_sentence_where_theirs_embeds_an_empty_one() -> None:
    ours, theirs = Bag(), Bag()
    for splitter in (like(ours, 0, sentence_split_regex=r"\n"), SemanticChunker(theirs, 0, sentence_split_regex=r"\n")):
        splitter.split_text("One dog\n\nTwo cats\nThree ships")
    assert ours.texts == ["One dog", "Two cats", "Three ships"]
    assert theirs.texts == ["One dog", "", "Two cats", "Three ships"]


def test_an_empty_text_gives_no_chunk_where_theirs_gives_an_empty_one() -> None:
    assert like(Bag()).split_text("") == []
    assert SemanticChunker(Bag()).split_text("") == [""]


def test_a_small_chunk_joins_a_neighbour_where_theirs_can_leave_a_small_last_one() -> None:
    text = "The cat has a tail. The cat has a claw. The cat has a paw. Tax."
    settings = {"buffer_size": 0, "breakpoint_threshold_amount": 50, "min_chunk_size": 10}
    assert SemanticChunker(Bag(), **settings).split_text(text)[-1] == "Tax."
    assert all(len(chunk) >= 10 for chunk in like(Bag(), **settings).split_text(text))


def test_a_regex_that_takes_letters_away_is_refused_where_theirs_loses_them() -> None:
    text = "One dog and two cats and three ships"
    assert "and" not in "".join(SemanticChunker(Bag(), sentence_split_regex=" and ").split_text(text))
    with pytest.raises(ValueError, match="pieces must be the text in order"):
        like(Bag(), sentence_split_regex=" and ").split_text(text)
