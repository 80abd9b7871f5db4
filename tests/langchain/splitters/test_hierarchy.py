"""Documents of several sizes from one pass: nested, in their places, down to the shortest text."""

from __future__ import annotations

import pytest
from articles import article, letters
from langchain_core.documents import Document
from langchain_fakes import contents

from langchain_caesura import SemanticHierarchySplitter

TEXT = article(80, 3)
SIZES = (900, 300, 100)


def by_level(documents: list[Document]) -> dict[int, list[Document]]:
    found: dict[int, list[Document]] = {}
    for document in documents:
        found.setdefault(document.metadata["level"], []).append(document)
    return found


def test_each_chunk_lies_in_its_parent_and_is_the_slice_at_its_place() -> None:
    made = SemanticHierarchySplitter(chunk_sizes=SIZES).split_documents([Document(TEXT, id="a")])
    known = {document.id: document for document in made}
    levels = by_level(made)
    assert sorted(levels) == [0, 1, 2]
    assert len(known) == len(made)
    assert len(levels[0]) < len(levels[1]) < len(levels[2])
    for document in made:
        start, end, level = (document.metadata[key] for key in ("start_index", "end_index", "level"))
        assert TEXT[start:end] == document.page_content
        assert len(document.page_content) <= SIZES[level]
        assert set(document.metadata) == {"level", "start_index", "end_index"} | ({"parent_id"} if level else set())
        if level:
            parent = known[document.metadata["parent_id"]].metadata
            assert parent["level"] == level - 1
            assert parent["start_index"] <= start < end <= parent["end_index"]
    for documents in levels.values():
        assert letters("".join(contents(documents))) == letters(TEXT)


def test_a_short_document_has_an_id_of_its_own_at_every_level() -> None:
    made = SemanticHierarchySplitter(chunk_sizes=SIZES).split_documents([Document("The tide turns.")])
    assert contents(made) == ["The tide turns."] * 3
    assert len({document.id for document in made}) == 3


@pytest.mark.parametrize("text", ["", " \n\n "])
def test_a_blank_document_gives_nothing(text: str) -> None:
    assert SemanticHierarchySplitter().create_documents([text]) == []


def test_a_chunk_of_a_chunk_has_its_place_in_the_document() -> None:
    outer = Document(TEXT[200:900], metadata={"start_index": 200})
    for one in SemanticHierarchySplitter(chunk_sizes=(300, 100)).split_documents([outer]):
        assert TEXT[one.metadata["start_index"] : one.metadata["end_index"]] == one.page_content
