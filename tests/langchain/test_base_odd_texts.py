"""Texts that break other splitters: blank, odd, endless, or the same again and again."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.splitters import Bag, every_splitter, places
from fakes.texts.articles import letters
from langchain_core.documents import Document

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
    assert len(cls(chunk_size=100, target_size=None).split_text(text)) <= 2 * len(text) / 100


@every_splitter
def test_equal_sentences_are_cut_near_the_target(cls: Any) -> None:
    assert {len(chunk) for chunk in cls(chunk_size=100).split_text("The same again. " * 50)} <= {31, 47, 63}


@every_splitter
def test_two_sentences_that_are_alike_are_one_chunk(cls: Any) -> None:
    assert len(cls(Bag(), calibrated=False).split_text("A cat purrs. A cat purrs.")) == 1


def test_two_sentences_can_be_two_chunks() -> None:
    assert (
        len(
            DoublePassSemanticSplitter(Bag(), calibrated=False, target_size=None, confidence=None).split_text(
                "A cat purrs. Taxes rose."
            )
        )
        == 2
    )


@every_splitter
@pytest.mark.parametrize("text", ["a\x00b. \x00. c\x00", "\x00" * 50, "One.\x00Two.\x00\x00 Three."])
def test_nul_is_a_character_like_others(cls: Any, text: str) -> None:
    made = cls(chunk_size=10, add_start_index=True).create_documents([text])
    assert all(text[start:end] == one.page_content for (start, end), one in zip(places(made), made, strict=True))
    assert letters("".join(one.page_content for one in made)) == letters(text)


@every_splitter
@pytest.mark.parametrize("text", ["a\ud800b. c\udc00.", "\ud800" * 20, "One. \udfff Two. \ud83d Three."])
def test_lone_surrogates_stay_in_chunks_and_never_reach_the_embeddings(cls: Any, text: str) -> None:
    embeddings = Bag()
    made = cls(embeddings, chunk_size=12, add_start_index=True).create_documents([text])
    assert all(text[start:end] == one.page_content for (start, end), one in zip(places(made), made, strict=True))
    assert letters("".join(one.page_content for one in made)) == letters(text)
    assert all(one.id for one in made)
    for shown in embeddings.texts:
        shown.encode("utf-8")
    assert cls(chunk_size=12).split_text(text) == [
        one.page_content for one in cls(chunk_size=12).create_documents([text])
    ]


@every_splitter
@pytest.mark.parametrize("unit", ["x", "word ", "中", "e\u0301", "a,b; "])
def test_a_hundred_thousand_characters_without_a_stop_are_cut_to_size(cls: Any, unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    embeddings = Bag()
    chunks = cls(embeddings, chunk_size=1000, calibrated=False).split_text(text)
    assert min(map(len, chunks)) >= 1
    assert max(map(len, chunks)) <= 1000
    assert letters("".join(chunks)) == letters(text)
    assert max(map(len, embeddings.texts)) <= 1000


@every_splitter
def test_without_a_limit_a_line_without_a_stop_is_one_chunk(cls: Any) -> None:
    assert cls(Bag(), chunk_size=None).split_text("x" * 100_000) == ["x" * 100_000]


@every_splitter
def test_cr_lf_is_never_parted_and_marks_stay_with_their_letters(cls: Any) -> None:
    text = "e\u0301" * 100 + "\r\n" + "👨‍👩‍👧" * 30 + "\r\n\r\n" + "🇩🇪" * 40
    chunks = cls(chunk_size=16, strip_whitespace=False).split_text(text)
    assert letters("".join(chunks)) == letters(text)
    assert not any(chunk[0] in "\u0301\u200d\n" or chunk[-1] in "\u200d\r" for chunk in chunks)
