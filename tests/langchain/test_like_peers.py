"""The names, order, defaults and units of other libraries' splitters, without those libraries (see tests/peers)."""

from __future__ import annotations

import inspect
import itertools
import re
from typing import Any

import numpy as np
import pytest
from articles import article, letters
from langchain_fakes import Bag, places

from caesura import SegmentError, SettingError
from langchain_caesura import DoublePassSemanticSplitter, SemanticPercentileSplitter

like = SemanticPercentileSplitter.like_semantic_chunker
double = DoublePassSemanticSplitter.like_double_merging
REGEX = r"(?<=[.?!])\s+"
TEXT = article(60)
CHUNKER = {
    "embeddings": None,
    "buffer_size": 1,
    "add_start_index": False,
    "breakpoint_threshold_type": "percentile",
    "breakpoint_threshold_amount": None,
    "number_of_chunks": None,
    "sentence_split_regex": REGEX,
    "min_chunk_size": None,
}


def test_semantic_chunkers_arguments_come_in_its_order_with_its_defaults() -> None:
    found = inspect.signature(like).parameters
    assert [*found][: len(CHUNKER)] == [*CHUNKER]
    assert {name: found[name].default for name in CHUNKER} == CHUNKER
    assert all(found[name].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for name in CHUNKER)


def test_all_of_semantic_chunkers_arguments_go_by_position() -> None:
    splitter = like(Bag(), 0, True, "interquartile", 0.5, None, r"(?<=\.)\s+", 40)
    by_name = like(
        Bag(),
        buffer_size=0,
        add_start_index=True,
        breakpoint_threshold_type="interquartile",
        breakpoint_threshold_amount=0.5,
        sentence_split_regex=r"(?<=\.)\s+",
        min_chunk_size=40,
    )
    made = splitter.create_documents([TEXT])
    assert made == by_name.create_documents([TEXT])
    assert all(TEXT[start:end] == one.page_content for (start, end), one in zip(places(made), made, strict=True))
    assert min(len(one.page_content) for one in made) >= 40


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
    text = "One dog. " * 1 + "x" * 9000 + ". Two cats."
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


def test_a_regex_that_takes_letters_away_is_refused() -> None:
    with pytest.raises(SegmentError, match="pieces must be the text in order"):
        like(Bag(), sentence_split_regex=r"\.\s*").split_text(TEXT)


def test_a_regex_that_is_none_is_refused_where_it_is_given() -> None:
    with pytest.raises(SettingError, match="sentence_split_regex"):
        like(Bag(), sentence_split_regex="(unclosed")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"breakpoint_threshold_type": "median"}, "breakpoint_threshold_type must be one of"),
        ({"buffer_size": -1}, "buffer_size must be a whole number"),
        ({"number_of_chunks": 0}, "number_of_chunks"),
        ({"breakpoint_threshold_amount": 101}, "from 0 to 100"),
        ({"min_chunk_size": -1}, "min_chunk_size"),
    ],
)
def test_a_bad_setting_of_theirs_is_refused_by_its_name(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        like(Bag(), **settings)


def test_an_unknown_argument_is_refused() -> None:
    with pytest.raises(TypeError, match="language"):
        like(Bag(), language="en")
    with pytest.raises(TypeError, match="merging_separator"):
        double(Bag(), merging_separator=" ")


def test_our_own_settings_go_beside_theirs() -> None:
    splitter = like(Bag(), chunk_size=200, chunk_overlap=0, batch_size=9, length_function=len, strip_whitespace=True)
    assert max(map(len, splitter.split_text(TEXT))) <= 200
    assert isinstance(splitter, SemanticPercentileSplitter)


def test_double_mergings_names_and_defaults_are_theirs() -> None:
    found = inspect.signature(double).parameters
    assert {name: found[name].default for name in found if found[name].default is not inspect.Parameter.empty} == {
        "embeddings": None,
        "initial_threshold": 0.6,
        "appending_threshold": 0.8,
        "merging_threshold": 0.8,
        "max_chunk_size": 1000,
        "merging_range": 1,
    }


def test_double_merging_is_uncentred_and_counts_characters() -> None:
    embeddings = Bag()
    chunks = double(embeddings, initial_threshold=-1, appending_threshold=-1, max_chunk_size=150).split_text(TEXT)
    assert 100 < max(map(len, chunks)) <= 150
    assert len(embeddings.calls) == 1
    assert letters("".join(chunks)) == letters(TEXT)


def test_double_merging_reaches_over_an_interruption_and_further_with_merging_range() -> None:
    text = "cat paw. cat paw. tax levy. ship mast. cat paw. cat paw."
    assert len(double(Bag()).split_text(text)) == 4
    assert len(double(Bag(), merging_range=2).split_text(text)) == 1
    assert len(double(Bag(), merging_range=1).split_text(text.replace(" ship mast.", ""))) == 1
    assert len(double(Bag(), merging_range=0).split_text(text.replace(" ship mast.", ""))) == 3
