"""Where langchain-experimental's SemanticChunker is odd, and `like_semantic_chunker` is not."""

from __future__ import annotations

import re

import pytest
from fakes.langchain.splitters import Bag, scattered
from fakes.pages import ROOT
from fakes.splitters.semantic_chunkers import EMBEDDERS, SemanticChunker, both, like
from fakes.texts.essays import essay

pytestmark = pytest.mark.peers
SENTENCES = r"(?<=[.?!])\s+"


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


def test_a_files_last_newline_counts_as_a_sentence_in_theirs_so_the_breaks_are_the_same_without_it() -> None:
    text = (ROOT / "examples" / "article.md").read_text("utf-8")
    assert text.endswith("\n")
    numbers = {}
    for kind in ("percentile", "standard_deviation", "interquartile", "gradient"):
        ours, theirs = both(EMBEDDERS["static"], text, breakpoint_threshold_type=kind)
        numbers[kind] = len(ours), len(theirs), theirs.count("")
        same, bare = both(EMBEDDERS["static"], text.strip(), breakpoint_threshold_type=kind)
        assert (same, same) == (bare, ours)
    assert numbers == {
        "percentile": (7, 7, 1),
        "standard_deviation": (3, 3, 0),
        "interquartile": (9, 10, 1),
        "gradient": (7, 7, 1),
    }


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
    with pytest.raises(ValueError, match="must match whitespace alone"):
        like(Bag(), sentence_split_regex=" and ").split_text(text)
