"""What the metadata of passages and parents say of their place: the core's words, by the exact offsets; no layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from fakes.langchain.passages import made
from fakes.langchain.retrievers import rows
from fakes.langchain.splitters import Bag, scattered
from fakes.langchain.stores import ClockedVectors
from fakes.texts.articles import article
from langchain_core.documents import Document

from caesura.errors import SettingError
from caesura.types import Chunk
from caesura_documents.chunk_metadata import NAMES, ChunkMetadata
from caesura_documents.layout import LAYOUT
from langchain_caesura import (
    OptimalSemanticSplitter,
    SemanticHierarchySplitter,
    join_pages,
)

TEXT = "\n\n".join(f"# {title}\n\n{article(14, seed)}" for seed, title in enumerate(("Fares", "Crews", "Ropes")))
PAGES = [0, 400, 900, TEXT.index("# Ropes")]
WANTED = [name for name in NAMES if name not in ("chunk_index", "previous_id", "next_id")]
QUESTION = "cat dog garden"


def paged(text: str = TEXT, pages: Sequence[int] = PAGES, first: int = 1) -> Document:
    entries = [{"start": start, "page": number, "offset": 0} for number, start in enumerate(pages, first)]
    return Document(text, id="a", metadata={"source": "a.pdf", LAYOUT: entries})


def check(found: Sequence[Document], document: Document, names: Sequence[str] = WANTED) -> None:
    """Each is an exact slice with what a scan of the text and the core say of its place."""
    text = document.page_content
    assert found
    for one in found:
        start, end = one.metadata["start_index"], one.metadata["end_index"]
        assert text[start:end] == one.page_content
        (said,) = ChunkMetadata.of(names).describe(text, document.metadata, [Chunk(one.page_content, start, end)], [""])
        place = {"source": "a.pdf", "title": "a.pdf", "start_index": start, "end_index": end}
        assert one.metadata == {**place, **said}
        first = sum(page <= start for page in PAGES)
        pages = first, sum(page < end for page in PAGES), start - PAGES[first - 1]
        assert tuple(one.metadata[name] for name in ("page_start", "page_end", "page_offset")) == pages
        if "headings" in names:
            own = one.page_content.partition("\n")[0].removeprefix("# ")
            before = text[:start].rpartition("# ")[2].partition("\n")[0]
            assert one.metadata["headings"] == [own if one.page_content.startswith("# ") else before]
            assert one.metadata["line_start"] == text.count("\n", 0, start) + 1
            assert one.metadata["line_end"] == text.count("\n", 0, end - 1) + 1


SPLITTINGS: dict[str, dict[str, Any]] = {
    "whole": {"child_splitter": OptimalSemanticSplitter(chunk_size=200)},
    "parents": {
        "child_splitter": OptimalSemanticSplitter(chunk_size=200),
        "parent_splitter": OptimalSemanticSplitter(chunk_size=700),
    },
    "hierarchy": {"child_splitter": SemanticHierarchySplitter(chunk_sizes=(700, 200))},
}
every_splitting = pytest.mark.parametrize("settings", SPLITTINGS.values(), ids=SPLITTINGS)


@pytest.mark.thorough
@every_splitting
@pytest.mark.parametrize("wanted", [WANTED, ()], ids=["all", "nothing"])
@pytest.mark.parametrize("budget", [120, 500, 5000, None])
async def test_what_is_returned_says_where_it_stands(settings: Any, wanted: Any, budget: int | None) -> None:
    one = made(passage_metadata=wanted, budget=budget, **settings)
    one.add_documents([paged()])
    found = one.invoke(QUESTION)
    assert await one.ainvoke(QUESTION) == found
    if budget is None and settings is SPLITTINGS["whole"]:
        (whole,) = found
        assert whole.metadata.items() >= {"source": "a.pdf", "page_start": 1, "page_end": 4, "page_offset": 0}.items()
        assert LAYOUT not in whole.metadata
        return
    check(found, paged(), wanted)
    assert all(LAYOUT not in each.metadata for each in one.get(["a"]))
    for row in rows(one).values():
        assert row["metadata"].keys() == {"source", "doc_id", "caesura_row"}


def test_a_layout_that_changed_is_followed_and_embeds_nothing() -> None:
    model = Bag(scattered)
    one = made(ClockedVectors(model), **SPLITTINGS["whole"])
    one.add_documents([paged()])
    model.calls.clear()
    one.add_documents([paged(first=11)])
    assert model.calls == []
    assert {found.metadata["page_start"] for found in one.invoke(QUESTION, budget=10**5)} <= {11, 12, 13, 14}
    one.add_documents([paged(first=11)])
    assert len(one.docstore.store) == 2


def test_documents_are_known_without_their_layout() -> None:
    one = made(source_id_key="source", **SPLITTINGS["whole"])
    first, second = (Document(TEXT, metadata={"source": "a", LAYOUT: paged(first=f).metadata[LAYOUT]}) for f in (1, 5))
    one.add_documents([first])
    one.add_documents([second])
    assert len(one.get(["a"])) == 1
    assert one.get(["a"])[0].metadata["page_start"] == 5


def test_an_edit_moves_what_passages_say() -> None:
    one = made(passage_metadata=["line_start", "headings"], **SPLITTINGS["whole"])
    one.add_documents([Document(TEXT, id="a")])
    text = f"# Before\n\nOne line more.\n\n{TEXT}"
    one.add_documents([Document(text, id="a")])
    for found in one.invoke(QUESTION, budget=500):
        assert found.metadata["line_start"] == text.count("\n", 0, found.metadata["start_index"]) + 1


@pytest.mark.parametrize("settings", [{"passage_metadata": ["headings"]}, {"embed_headings": True}])
def test_metadata_of_the_users_own_is_refused_before_anything_is_embedded(settings: Any) -> None:
    model = Bag()
    one = made(**settings, child_splitter=OptimalSemanticSplitter(model))
    with pytest.raises(SettingError, match=r"has 'headings' already, 7.* passage_metadata={'headings': 'chunk_heading"):
        one.add_documents([Document(TEXT, id="a", metadata={"headings": 7})])
    assert not rows(one)
    assert not model.calls
    other = made(passage_metadata={"headings": "section"}, **SPLITTINGS["whole"])
    other.add_documents([Document(TEXT, id="a", metadata={"headings": 7})])
    assert {found.metadata["headings"] for found in other.invoke(QUESTION)} == {7}
    assert all(isinstance(found.metadata["section"], list) for found in other.invoke(QUESTION))


LINE = "{source}, pages {page_start}-{page_end}"  # the recipe's


@pytest.mark.parametrize("budget", [None, 10**4])
def test_pages_say_their_page_alike_whether_they_were_joined_or_not(budget: int | None) -> None:
    """`PyPDFLoader` counts "page" from 0, and has the printed number as "page_label"."""
    loaded = [
        Document(article(6, number), metadata={"source": name, "page": number, "page_label": str(number + 1)})
        for name in ("joined.pdf", "loose.pdf")
        for number in range(3)
    ]
    notes = Document(article(6, 9), metadata={"source": "notes.txt"})
    one = made(ClockedVectors(Bag(scattered)), budget=budget, k=9)
    one.add_documents([*join_pages(loaded[:3]), *loaded[3:], notes])
    for number in range(3):
        question = loaded[3 + number].page_content[:60]
        found = one.invoke(question)
        lines = {LINE.format(**each.metadata) for each in found if each.metadata["source"] != "notes.txt"}
        assert f"loose.pdf, pages {number + 1}-{number + 1}" in lines
        assert any(line.startswith("joined.pdf, pages ") for line in lines)
    every = one.invoke(notes.page_content[:60], budget=10**6)
    assert [each.metadata.get("page_start") for each in every if each.metadata["source"] == "notes.txt"] == [None]


def test_a_page_that_says_its_place_or_calls_it_otherwise_keeps_its_words() -> None:
    one = made(ClockedVectors(Bag(scattered)), passage_metadata={"page_start": "from", "page_end": "to"})
    one.add_documents([Document(article(6), metadata={"source": "a", "page": 4})])
    said = one.invoke("cat")[0].metadata
    assert (said["from"], said["to"], said["page"]) == (4, 4, 4)
    assert "page_start" not in said
    one = made(ClockedVectors(Bag(scattered)))
    one.add_documents([Document(article(6), metadata={"page": 4, "page_start": 7, "page_end": 8})])
    assert one.invoke("cat")[0].metadata["page_start"] == 7
