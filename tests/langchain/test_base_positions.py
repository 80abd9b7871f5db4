"""A chunk is a slice of its document, and `start_index` says where."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from fakes.langchain.splitters import SPLITTERS, Bag, contents, every_splitter, places
from fakes.texts.articles import article, letters
from langchain_core.documents import Document

from caesura import Chunk
from caesura_testing import check_chunks

ODD = {
    "duplicates": "Yes. It was late in the year. Yes. No. Yes. It was late in the year. No. " * 6,
    "cr lf": article(16, between="\r\n") + "\r\n\r\n" + article(20, 3, "\r\n\r\n"),
    "cjk": "猫は家で眠る。税は毎年払う。猫は家で眠る。船は港に着く！税は毎年払う？" * 8,
    "emoji": "A family 👨‍👩‍👧 naps. A flag 🇩🇪 flies. A thumb 👍🏽 is up. " * 8,
    "combining": "Cafe\u0301 no\u0308el a\u0300\u0316\u0342. Re\u0301sume\u0301 sent. " * 10,
    "right to left": "مرحبا بالعالم. كيف حالك؟ שלום עולם. " * 10,
    "wide spaces": "\u3000\u00a0 First here.\u2028\u2028Second there.\t\tThird nowhere.\x1c\x85 " * 8,
    "essay": article(30, between="\n\n"),
}
every_text = pytest.mark.parametrize("text", ODD.values(), ids=ODD)


def found(made: list[Document]) -> list[Chunk]:
    return [Chunk(text, *place) for text, place in zip(contents(made), places(made), strict=True)]


@every_splitter
@every_text
@pytest.mark.parametrize("strip", [True, False])
def test_start_index_is_exact_and_what_lies_between_chunks_is_blank(cls: Any, text: str, strip: bool) -> None:
    splitter = cls(Bag(), chunk_size=60, add_start_index=True, strip_whitespace=strip)
    made = splitter.create_documents([text])
    check_chunks(text, found(made), max_size=60)
    assert not strip or all(chunk == chunk.strip() for chunk in contents(made))


@every_splitter
@every_text
def test_start_index_is_exact_where_chunks_overlap(cls: Any, text: str) -> None:
    alike = Bag(lambda texts: [[1.0, 2.0]] * len(texts))
    splitter = cls(alike, calibrated=False, chunk_size=260, chunk_overlap=110, add_start_index=True)
    made = splitter.create_documents([text])
    spans = places(made)
    check_chunks(text, found(made), max_size=260, overlap=True)
    assert all(one[1] < two[1] for one, two in pairwise(spans))
    assert cls is SPLITTERS[1] or any(two[0] < one[1] for one, two in pairwise(spans))


@every_splitter
@every_text
def test_every_letter_is_in_a_chunk_once(cls: Any, text: str) -> None:
    assert letters("".join(cls(Bag(), chunk_size=60).split_text(text))) == letters(text)


@every_splitter
@every_text
def test_unstripped_chunks_join_to_the_text(cls: Any, text: str) -> None:
    assert "".join(cls(Bag(), chunk_size=None, strip_whitespace=False).split_text(text)) == text
