"""A reader between whose search and whose fetching of parents a document is changed: it gets the new version."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.retrievers import retriever
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedVectors
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import (
    DoublePassSemanticSplitter,
    ParentDocumentRetriever,
    SemanticHierarchySplitter,
    SQLiteDocumentStore,
)
from langchain_caesura.parents.record import RECORDS
from langchain_caesura.stores import SlicedDocument, StoredSlices

QUESTION = "Where is the honey sold?"
LINES = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0, separators=["\n"])
MILLS = Document("The mill stands in the inlet.\nIts wheel turns.", id="mill")
MODES: dict[str, dict[str, Any]] = {
    "whole": {"child_splitter": DoublePassSemanticSplitter(chunk_size=80)},
    "both": {"child_splitter": LINES, "parent_splitter": DoublePassSemanticSplitter(chunk_size=200)},
    "hierarchy": {"child_splitter": SemanticHierarchySplitter(chunk_sizes=(400, 200, 80))},
    "merging": {"child_splitter": SemanticHierarchySplitter(chunk_sizes=(400, 200, 80)), "merge_ratio": 0.1},
    "mmr": {"child_splitter": LINES, "search_type": "mmr"},
    "threshold": {
        "child_splitter": LINES,
        "search_type": "similarity_score_threshold",
        "search_kwargs": {"score_threshold": 0.01},
    },
    "passages": {"child_splitter": LINES, "budget": 120, "words": None, "context": 0.4},
    "words alone": {"child_splitter": LINES, "budget": 120, "words": 99, "search_kwargs": {"k": 1}},
    "views": {},
}
every_mode = pytest.mark.parametrize("settings", MODES.values(), ids=MODES)


class Interrupted:
    """A document store that lets another write, as often as it is told, before it hands out parents."""

    waiting: list[Callable[[], None]] = []  # noqa: RUF012
    before_records = False

    def mget(self, keys: Sequence[str]) -> list[Any]:
        if self.waiting and keys[0].startswith(RECORDS) == self.before_records:
            *rest, change = self.waiting
            self.waiting = []  # the writer reads too
            change()
            self.waiting = rest
        return super().mget(keys)  # type: ignore[misc]


class InterruptedMemory(Interrupted, InMemoryStore):
    """In memory."""


class InterruptedFile(Interrupted, SQLiteDocumentStore):
    """On disk."""


class InterruptedSlices(SQLiteDocumentStore):
    """On disk; lets another write when a text is opened, before slices of it are read."""

    waiting: list[Callable[[], None]] = []  # noqa: RUF012

    def mget_sliced(
        self, keys: Sequence[str], ranges: Iterable[tuple[str, int, int]] = ()
    ) -> dict[str, SlicedDocument]:
        found = super().mget_sliced(keys, ranges)
        if self.waiting and any(isinstance(each.page_content, StoredSlices) for each in found.values()):
            self.waiting.pop()()
        return found


def bees(version: int) -> Document:
    return Document(f"Anna sells the honey at the market.\nThis is version {version}.", id="bees")


def long(version: int, name: str = "bees") -> Document:
    """A document of which slices are read, with the answer at its end."""
    lines = [f"Wheel {number} turns in the inlet." for number in range(900)]
    return Document("\n".join([*lines, f"Anna sells the honey at market {version}."]), id=name)


def told(made: ParentDocumentRetriever, version: int) -> None:
    """The document is as it is in this version."""
    views = [Document(f"Where honey is sold {version}", metadata={"parent_id": "bees"})]
    made.add_documents([bees(version)], views=views if made.child_splitter is None else ())


def stocked(settings: dict[str, Any], docstore: Any = None, vectors: Any = None) -> ParentDocumentRetriever:
    """A retriever of two documents, of which one will change."""
    made = retriever(vectors, docstore=InterruptedMemory() if docstore is None else docstore, k=1, **settings)
    views = [Document("The wheel.", metadata={"parent_id": "mill"})]
    made.add_documents([MILLS], views=views if made.child_splitter is None else ())
    told(made, 0)
    return made


@every_mode
@pytest.mark.parametrize("times", [1, 2, 3])
async def test_a_document_that_changes_while_it_is_read_is_found_in_its_new_version(
    settings: dict[str, Any], times: int, caplog: pytest.LogCaptureFixture
) -> None:
    made = stocked(settings)
    for start, read in ((1, made.invoke), (11, None)):
        made.docstore.waiting = [lambda number=start + turn: told(made, number) for turn in reversed(range(times))]
        found = await made.ainvoke(QUESTION) if read is None else read(QUESTION)
        assert not made.docstore.waiting
        assert len(found) == 1
        assert "honey" in found[0].page_content
    assert not caplog.records, "nothing is amiss"


def test_a_document_store_on_disk_is_read_in_the_same_way(tmp_path: Path) -> None:
    with InterruptedFile(tmp_path / "parents.db") as store:
        made = stocked(MODES["whole"], store)
        store.waiting = [lambda: told(made, 1)]
        assert made.invoke(QUESTION)[0].page_content == bees(1).page_content


@pytest.mark.parametrize("times", [1, 3])
def test_a_long_document_that_changes_while_slices_of_it_are_read_is_found_in_its_new_version(
    tmp_path: Path, times: int, caplog: pytest.LogCaptureFixture
) -> None:
    with InterruptedSlices(tmp_path / "parents.db") as store:
        made = retriever(None, docstore=store, k=1, **MODES["passages"])
        made.add_documents([long(0)])
        store.waiting = [lambda number=9 - turn: made.add_documents([long(number)]) for turn in range(times)]
        [found] = made.invoke(QUESTION)
        assert not store.waiting
        assert "honey at market 9" in found.page_content
        assert long(9).page_content[found.metadata["start_index"] :].startswith(found.page_content)
    assert not caplog.records


@pytest.mark.parametrize("changing", [1, pytest.param(3, marks=pytest.mark.thorough)])
async def test_long_documents_that_change_at_every_read_hide_no_other(
    tmp_path: Path, changing: int, caplog: pytest.LogCaptureFixture
) -> None:
    """What is left of the budget without them is filled too."""
    names = [f"bees {number}" for number in range(changing)]
    others = [Document(f"Ben sells the honey of hive {number}.", id=f"hive {number}") for number in range(9)]
    with InterruptedSlices(tmp_path / "parents.db") as store:
        made = retriever(None, docstore=store, **MODES["passages"])
        made.add_documents([*others, *(long(0, name) for name in names)])

        def change(number: int) -> None:
            left, store.waiting = store.waiting, []
            made.add_documents([long(number, name) for name in names])
            store.waiting = left

        for read in (made.invoke, None):
            store.waiting = [lambda number=number: change(number) for number in range(200, 0, -1)]
            found = made.invoke(QUESTION) if read else await made.ainvoke(QUESTION)
            assert len(store.waiting) >= 200 - 6 * (2 + 2 * changing), "so many reads at most"
            assert [one.page_content.startswith("Ben sells the honey") for one in found] == [True] * 4
            assert sum(len(one.page_content) for one in found) <= 120
            assert f"{changing} documents changed during each of 6 searches, such as 'bees 0'" in caplog.text
            caplog.clear()


@pytest.mark.parametrize("search_type", ["similarity", "mmr"])
async def test_more_rows_than_are_fetched_of_what_changes_hide_no_other(
    search_type: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Though words lead to none of the others."""
    others = [Document(f"Ben sells the honey of hive {number}.", id=f"hive {number}") for number in range(2)]
    store, versions = InterruptedMemory(), count()
    store.before_records = True
    settings = {**MODES["passages"], "words": 0, "search_type": search_type, "search_kwargs": {"k": 8}}
    made = retriever(None, docstore=store, **settings)

    def change() -> None:
        lines = (f"Where is the honey of row {row} sold {next(versions)}?" for row in range(20))
        made.add_documents([Document("\n".join(lines), id="bees")])

    made.add_documents(others)
    change()
    for awaited in (False, True):
        store.waiting = [change] * 50
        found = await made.ainvoke(QUESTION) if awaited else made.invoke(QUESTION)
        assert 30 <= len(store.waiting) < 50 - 6
        assert {one.page_content for one in found} == {one.page_content for one in others}
        assert "1 documents changed during each of 6 searches, such as 'bees'" in caplog.text
        caplog.clear()


@every_mode
def test_a_document_that_is_deleted_while_it_is_read_gives_way_to_the_next_one(
    settings: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    made = stocked(settings | {"search_kwargs": {}, "search_type": "similarity"})
    made.docstore.waiting = [lambda: made.delete(["bees"])]
    assert all("mill" in one.page_content or "wheel" in one.page_content for one in made.invoke(QUESTION))
    assert not caplog.records


def test_parents_that_are_gone_cost_one_search_more_and_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    vectors = ClockedVectors(Bag())
    made = stocked(MODES["whole"], vectors=vectors)
    made.docstore.mdelete([key for key, one in made.docstore.store.items() if one.id == "bees"])
    with caplog.at_level(logging.WARNING):
        assert [one.id for one in made.invoke(QUESTION)] == ["mill"]
    assert vectors.read["search"] == 2
    [record] = caplog.records
    assert "1 documents of texts that two searches in a row found are not in the document store" in record.getMessage()
    assert "add_documents(documents, force=True)" in record.getMessage()


def test_what_the_warning_advises_mends_it(caplog: pytest.LogCaptureFixture) -> None:
    made = stocked(MODES["whole"])
    made.docstore.mdelete([key for key, one in made.docstore.store.items() if one.id == "bees"])
    made.add_documents([bees(0), MILLS], force=True)
    assert [one.id for one in made.invoke(QUESTION)] == ["bees"]
    assert not caplog.records


@pytest.mark.parametrize("name", ["whole", "passages"])
@pytest.mark.parametrize("before", ["records", "texts"])
def test_a_document_that_never_stands_still_ends_the_search_with_a_warning_that_names_it(
    name: str, before: str, caplog: pytest.LogCaptureFixture
) -> None:
    vectors = ClockedVectors(Bag())
    made = stocked(MODES[name], vectors=vectors)
    made.docstore.before_records = before == "records"
    made.docstore.waiting = [lambda number=number: told(made, number) for number in range(100, 1, -1)]
    made.invoke(QUESTION)
    assert vectors.read["search"] < 10
    (record,) = caplog.records
    assert "1 documents changed during each of 6 searches, such as 'bees'" in record.getMessage()


def test_documents_are_got_in_their_new_version_too() -> None:
    made = stocked(MODES["whole"])
    made.docstore.waiting = [lambda: told(made, 1)]
    assert [one.page_content for one in made.get(["bees"])] == [bees(1).page_content]


@every_mode
def test_a_document_has_rows_throughout_a_change(settings: dict[str, Any]) -> None:
    class Seen(InMemoryVectorStore):
        least = 1

        def delete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> None:
            super().delete(ids)
            here = [row for row in self.store.values() if "honey" in row["text"]]
            self.least = min(self.least, len(here))

    vectors = Seen(Bag())
    made = stocked(settings, vectors=vectors)
    told(made, 1)
    assert vectors.least == 1
