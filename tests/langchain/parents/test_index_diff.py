"""What an edit of a document plans to write: in time that grows as the document's rows do."""

from __future__ import annotations

import time

from fakes.growth import assert_time_grows
from langchain_core.documents import Document

from caesura.ids import digest
from langchain_caesura.parents.index_diff import Family, IndexWrites, Piece, RowContent, plan_index_writes
from langchain_caesura.parents.owner import Owner
from langchain_caesura.parents.record import ParentRecord, StoredSection, StoredText

OWNER = Owner("doc_id", True, "name", "caesura/documents/name/", "mark")
REPLACED = frozenset([""])


def text_of(ids: list[str]) -> StoredText:
    """A text whose rows have these ids, all written by the first call."""
    starts = list(range(len(ids)))
    joined = "".join(ids).replace("-", "")
    sections = [StoredSection(0, words="words")]
    turns = [1] * len(ids)
    return StoredText("", "print", "key", sections, len(ids), 0, joined, "", turns, starts, starts, [], [], [])


def edit(count: int) -> tuple[ParentRecord, Family]:
    """What is known of a document of so many rows, and a version of it in which the first half are others."""
    old = [digest("old", str(number)) for number in range(count)]
    new = [digest("new", str(number)) for number in range(count // 2)] + old[count // 2 :]
    record = ParentRecord("a", True, "mark", [text_of(old)])
    return record, Family(
        "a", [Piece(text_of(new), Document("text"), [RowContent(id, "", {}, True) for id in new])], REPLACED
    )


def plan(record: ParentRecord, family: Family) -> IndexWrites:
    return plan_index_writes([family], OWNER, {record.name: record}, None, frozenset())


def seconds(count: int) -> float:
    known, given = edit(count)
    began = time.process_time()
    plan(known, given)
    return time.process_time() - began


def test_an_edit_writes_what_is_new_and_deletes_what_is_gone() -> None:
    writes = plan(*edit(6))
    assert [row.content.id for row in writes.rows] == [digest("new", str(number)) for number in range(3)]
    assert writes.old_rows == [digest("old", str(number)) for number in range(3)]


def test_the_time_of_a_plan_grows_as_the_rows_do() -> None:
    plan(*edit(10))
    assert_time_grows(seconds, 500, 8000, 48)
