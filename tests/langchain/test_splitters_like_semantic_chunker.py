"""`like_semantic_chunker` cuts by the published distances, at the published sentences, to the number of chunks."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest
from fakes.langchain.splitters import Bag
from fakes.texts.articles import article

from caesura import SegmentError, SettingError
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


def test_a_regex_decides_what_a_sentence_is() -> None:
    embeddings = Bag()
    like(embeddings, 0, sentence_split_regex=r"\n+").split_text("One line. And on.\nAnother\n\n\nThird ")
    assert embeddings.texts == ["One line. And on.", "Another", "Third"]
    embeddings = Bag()
    like(embeddings, 0, sentence_split_regex=r"(?<=[。！？])").split_text("猫は家で眠る。税は払う！船は着く？")
    assert embeddings.texts == ["猫は家で眠る。", "税は払う！", "船は着く？"]


def test_a_regex_with_a_group_for_whitespace_is_taken() -> None:
    embeddings = Bag()
    like(embeddings, 0, sentence_split_regex=r"(?<=\.)(\s+)").split_text("One.  Two. Three.")
    assert embeddings.texts == ["One.", "Two.", "Three."]


@pytest.mark.parametrize(("regex", "taken"), [(r"[.!?]", r"'\.'"), (r"\.\s*", r"'\. '"), (r"(\s*)\w$", "'d'")])
def test_a_regex_that_takes_more_than_whitespace_away_is_refused_with_what_it_takes(regex: str, taken: str) -> None:
    with pytest.raises(SegmentError, match=rf"must match whitespace alone.* takes {taken} away at \d+, .*\(\?<="):
        like(Bag(), sentence_split_regex=regex).split_text("One cat. One dog. One bird")


@pytest.mark.parametrize("regex", [r"([.!?])", r"([.!?]+)\s*", r"(?<=[.!?])"])
def test_a_regex_may_keep_in_a_group_what_it_takes(regex: str) -> None:
    text = "One cat. One dog! One bird"
    assert "".join("".join(like(Bag(), sentence_split_regex=regex).split_text(text)).split()) == "Onecat.Onedog!Onebird"


def test_a_regex_that_is_none_is_refused_where_it_is_given() -> None:
    with pytest.raises(SettingError, match="sentence_split_regex"):
        like(Bag(), sentence_split_regex="(unclosed")
