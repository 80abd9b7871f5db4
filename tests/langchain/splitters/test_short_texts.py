"""What comes of texts that are blank, short, or the same again and again."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_fakes import Bag, every_splitter

from langchain_caesura import DoublePassSemanticSplitter


@every_splitter
@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t\r\n", "\u3000\u00a0\u2028", "\x1c\x1d\x85"])
def test_a_blank_text_gives_no_chunk(cls: Any, text: str) -> None:
    for strip in (True, False):
        splitter = cls(strip_whitespace=strip, add_start_index=True)
        assert splitter.split_text(text) == []
        assert splitter.create_documents([text], [{"a": 1}]) == []


@every_splitter
def test_blank_documents_among_others_shift_nothing(cls: Any) -> None:
    given = [Document(page_content=text, metadata={"i": i}) for i, text in enumerate(["", "One.", "  ", "Two.", ""])]
    assert [(one.page_content, one.metadata["i"]) for one in cls().split_documents(given)] == [("One.", 1), ("Two.", 3)]


@every_splitter
@pytest.mark.parametrize("text", ["One sentence.", "no stop", "?", "x", "***", "1", " padded "])
def test_one_sentence_is_one_chunk(cls: Any, text: str) -> None:
    assert cls().split_text(text) == [text.strip()]
    assert cls(Bag()).split_text(text) == [text.strip()]


@every_splitter
def test_equal_sentences_are_cut_only_by_size(cls: Any) -> None:
    chunks = cls(chunk_size=100).split_text("The same again. " * 50)
    assert max(map(len, chunks)) <= 100
    assert sum(chunk.count("The same again.") for chunk in chunks) == 50


@every_splitter
def test_equal_sentences_fill_chunks(cls: Any) -> None:
    text = "The same again. " * 50
    assert len(cls(chunk_size=100).split_text(text)) <= 2 * len(text) / 100


@every_splitter
def test_two_sentences_that_are_alike_are_one_chunk(cls: Any) -> None:
    assert len(cls(Bag(), calibrated=False).split_text("A cat purrs. A cat purrs.")) == 1


def test_two_sentences_can_be_two_chunks() -> None:
    assert len(DoublePassSemanticSplitter(Bag(), calibrated=False).split_text("A cat purrs. Taxes rose.")) == 2
