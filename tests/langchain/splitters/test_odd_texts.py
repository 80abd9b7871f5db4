"""Texts that break other splitters: odd characters, and none to stop at."""

from __future__ import annotations

from typing import Any

import pytest
from articles import letters
from langchain_fakes import Bag, every_splitter, places


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
