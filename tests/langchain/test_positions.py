"""A chunk is a slice of its document, `start_index` says where, and the id says of what."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from articles import article, letters
from langchain_core.documents import Document
from langchain_fakes import SPLITTERS, Bag, contents, every_splitter, places

from caesura import Chunk
from caesura.testing import check_chunks

ODD = {
    "duplicates": "Yes. It was late in the year. Yes. No. Yes. It was late in the year. No. " * 6,
    "cr lf": article(30, between="\r\n") + "\r\n\r\n" + article(20, 3, "\r\n\r\n"),
    "cjk": "猫は家で眠る。税は毎年払う。猫は家で眠る。船は港に着く！税は毎年払う？" * 8,
    "emoji": "A family 👨‍👩‍👧 naps. A flag 🇩🇪 flies. A thumb 👍🏽 is up. " * 8,
    "combining": "Cafe\u0301 no\u0308el a\u0300\u0316\u0342. Re\u0301sume\u0301 sent. " * 10,
    "right to left": "مرحبا بالعالم. كيف حالك؟ שלום עולם. " * 10,
    "wide spaces": "\u3000\u00a0 First here.\u2028\u2028Second there.\t\tThird nowhere.\x1c\x85 " * 8,
    "essay": article(60, between="\n\n"),
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


# -- ids -------------------------------------------------------------------------------------------------------------

TEXT = article(30)


def ids(cls: Any, text: str = TEXT, **fields: Any) -> list[str]:
    made = cls(Bag(), chunk_size=200).split_documents([Document(page_content=text, **fields)])
    return [chunk.id for chunk in made]


@every_splitter
def test_ids_are_distinct_uuids_and_the_same_on_every_run(cls: Any) -> None:
    found = ids(cls, id="a")
    assert found == ids(cls, id="a")
    assert len(set(found)) == len(found) > 3
    assert all(str(UUID(one)) == one for one in found)


@every_splitter
def test_ids_tell_documents_apart(cls: Any) -> None:
    assert not set(ids(cls, id="a")) & set(ids(cls, id="b"))
    assert not set(ids(cls, metadata={"source": "a"})) & set(ids(cls, metadata={"source": "b"}))
    assert not set(ids(cls, metadata={"source": "a"})) & set(ids(cls, TEXT + " More.", metadata={"source": "a"}))


@every_splitter
def test_a_documents_own_id_makes_its_source_of_no_account(cls: Any) -> None:
    assert ids(cls, id="a", metadata={"source": "a"}) == ids(cls, id="a", metadata={"source": "b", "page": 2})


@every_splitter
def test_an_edited_text_keeps_no_id_but_those_of_chunks_that_stay_as_they_are(cls: Any) -> None:
    edited = TEXT[:-10] + "x" + TEXT[-9:]
    old, new = ids(cls, id="a"), ids(cls, edited, id="a")
    chunks = [
        set(zip(ids(cls, text, id="a"), cls(Bag(), chunk_size=200).split_text(text), strict=True))
        for text in (TEXT, edited)
    ]
    assert old[-1] not in new
    assert {one for one, _ in chunks[0]} & {one for one, _ in chunks[1]} == {one for one, _ in chunks[0] & chunks[1]}


@every_splitter
def test_equal_chunks_at_two_places_have_two_ids(cls: Any) -> None:
    made = cls(Bag(), chunk_size=20).create_documents(["The same again. " * 6])
    assert len({chunk.page_content for chunk in made}) == 1
    assert len({chunk.id for chunk in made}) == len(made) == 6


@every_splitter
def test_equal_pages_of_one_source_have_ids_of_their_own(cls: Any) -> None:
    """A store that is given one id twice keeps one row, or refuses both."""
    pages = [
        Document(page_content="This page is left blank.", metadata={"source": "a.pdf", "page": i}) for i in range(3)
    ]
    assert len({chunk.id for chunk in cls().split_documents(pages)}) == 3
