"""A chunk's id says of what document and text it is, the same on every run."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fakes.langchain.splitters import Bag, contents, every_splitter, places
from fakes.texts.articles import article
from langchain_core.documents import Document

from caesura import Chunk


def found(made: list[Document]) -> list[Chunk]:
    return [Chunk(text, *place) for text, place in zip(contents(made), places(made), strict=True)]


TEXT = article(16)


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
    assert not set(ids(cls, metadata={"page": 1})) & set(ids(cls, TEXT + " More.", metadata={"page": 1}))


@every_splitter
def test_a_documents_own_id_makes_its_source_of_no_account(cls: Any) -> None:
    assert ids(cls, id="a", metadata={"source": "a"}) == ids(cls, id="a", metadata={"source": "b", "page": 2})


@every_splitter
def test_a_source_in_the_metadata_is_as_good_as_an_id_when_the_text_is_edited(cls: Any) -> None:
    """What loaders give: a source, and no id. Where a document stands in another is no part of what it is known by."""
    old = ids(cls, metadata={"source": "a", "start_index": 0})
    new = ids(cls, TEXT + " More.", metadata={"source": "a", "start_index": 700, "end_index": 900})
    assert old[:5] == new[:5]


@every_splitter
def test_documents_of_one_source_that_say_the_same_have_ids_of_their_own_in_any_order(cls: Any) -> None:
    texts = ["Chapter end.", TEXT, "Chapter end.", TEXT[: len(TEXT) // 2], "Chapter end."]
    parts = [Document(page_content=text, metadata={"source": "a.html"}) for text in texts]
    made = cls(Bag(), chunk_size=200).split_documents(parts)
    assert len({chunk.id for chunk in made}) == len(made)
    assert {chunk.id for chunk in cls(Bag(), chunk_size=200).split_documents(parts[::-1])} == {one.id for one in made}


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
