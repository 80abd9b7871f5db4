"""`sentence_split_regex` decides what a sentence is, and loses no letter."""

from __future__ import annotations

import pytest
from articles import article
from langchain_fakes import Bag

from caesura import SegmentError, SettingError
from langchain_caesura import SemanticPercentileSplitter

like = SemanticPercentileSplitter.like_semantic_chunker
TEXT = article(60)


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
