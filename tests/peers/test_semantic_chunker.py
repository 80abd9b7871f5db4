"""`like_semantic_chunker` cuts where langchain-experimental's SemanticChunker cuts, and where not, these tests say so."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from functools import cache

import pytest
from langchain_core.embeddings import Embeddings
from langchain_fakes import ESSAYS, Bag, bags

from langchain_caesura import SemanticPercentileSplitter, StaticEmbeddings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from langchain_experimental.text_splitter import SemanticChunker

pytestmark = pytest.mark.peers

like = SemanticPercentileSplitter.like_semantic_chunker
SENTENCES = r"(?<=[.?!])\s+"
NAMES = ("mit", "superlinear", "worked")
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


EMBEDDERS = {"bag": Remembering(Bag()), "static": Remembering(StaticEmbeddings())}


@cache
def essay(name: str) -> str:
    path = ESSAYS / f"{name}.txt"
    if not path.is_file():
        pytest.skip("needs the essays in ../shared/data/essays, beside the repository")
    return path.read_text(encoding="utf-8").strip()


def normal(chunks: Sequence[str]) -> list[str]:
    return [" ".join(chunk.split()) for chunk in chunks]


def assert_same(embeddings: Embeddings, text: str, **settings: object) -> None:
    theirs = normal(SemanticChunker(embeddings, **settings).split_text(text))
    ours = normal(like(embeddings, **settings).split_text(text))
    assert ours == theirs


every_essay = pytest.mark.parametrize("name", NAMES)
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
@pytest.mark.parametrize("number", [1, 2, 5, 17, 60])
@pytest.mark.parametrize("buffer_size", [0, 1])
def test_breaks_are_equal_for_a_number_of_chunks(embedder: str, name: str, number: int, buffer_size: int) -> None:
    assert_same(EMBEDDERS[embedder], essay(name), number_of_chunks=number, buffer_size=buffer_size)


@every_embedder
@every_essay
def test_breaks_are_equal_for_all_sentences_but_one(embedder: str, name: str) -> None:
    number = len(re.split(SENTENCES, essay(name))) - 1
    assert_same(EMBEDDERS[embedder], essay(name), number_of_chunks=number)


@pytest.mark.parametrize("regex", [r"\n\s*\n", r"\n", r"(?<=[.?!,;])\s+"])
@every_essay
def test_breaks_are_equal_with_another_regex(name: str, regex: str) -> None:
    assert_same(EMBEDDERS["static"], essay(name), sentence_split_regex=regex)


@every_essay
def test_an_amount_beside_a_number_of_chunks_is_passed_over_by_both(name: str) -> None:
    assert_same(EMBEDDERS["bag"], essay(name), number_of_chunks=7, breakpoint_threshold_amount=20)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("text", ["One.", "One dog. Two cats.", "One dog. Two cats. Three dogs."])
def test_breaks_are_equal_in_texts_of_one_two_and_three_sentences(kind: str, text: str) -> None:
    assert_same(Bag(), text, breakpoint_threshold_type=kind, buffer_size=0)


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
    assert len(like(EMBEDDERS["bag"], **settings).split_text(text)) == number
    assert len(SemanticChunker(EMBEDDERS["bag"], **settings).split_text(text)) == number - 1


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
    assert "and" not in "".join(SemanticChunker(Bag(bags), sentence_split_regex=" and ").split_text(text))
    with pytest.raises(ValueError, match="pieces must be the text in order"):
        like(Bag(), sentence_split_regex=" and ").split_text(text)
