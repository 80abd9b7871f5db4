"""Writes of documents to a vector store and a document store, in an order that any failure leaves fit.

A record of each document, kept in the document store, says what the stores hold for it: no store is ever searched
through. The order: the record of all that is and will be there; new parents; new children; away with old children; away
with old parents; the record of what is there now. So a child that can be found has a parent that can be returned, and
whatever a failure left is known to the next call for that document, which tidies it up. What another owner's record
knows stays: retrievers that differ share a document store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TypeVar

from langchain_core.documents import Document
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore

from caesura.errors import SettingError
from caesura.sansio import Calls
from langchain_caesura.parents.children import LEVELS
from langchain_caesura.parents.records import (
    RETRIES,
    Family,
    IndexDiff,
    Owner,
    Record,
    read_records,
    record_entry,
    record_key,
)
from langchain_caesura.parents.splitting import DocumentInput, ParentSplitter

T = TypeVar("T")

DOCUMENTS = 200
"""Names whose documents are best cut and written together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer:
    """Two stores, whose records these are, the most rows that one call of the vector store takes, and how stores are
    called."""

    calls: Calls
    vectorstore: VectorStore
    docstore: BaseStore[str, Document]
    owner: Owner
    batch_size: int

    async def add(self, inputs: dict[str, DocumentInput], splitter: ParentSplitter, force: bool) -> None:
        """Stores the documents of each name in place of what was stored under it; nothing where nothing has changed.

        A vector store that is new, was emptied or is an older copy gets what it lacks. force: whether what has not
        changed is stored, and so embedded, anew.
        """
        fingerprints = await self.calls.compute(splitter.fingerprints, inputs)
        records, others = await self._records(list(inputs))
        records = await self._mark_incomplete(records)
        changed = {
            name: own for name, own in inputs.items() if force or not _is_current(records.get(name), fingerprints[name])
        }
        families = await splitter.split(self.calls, changed, fingerprints)
        if families:
            await self._write(families, records, others, force)

    async def delete(self, names: Sequence[str]) -> list[str]:
        """Deletes all that is stored for these names, and nothing else -> the names that there was a record of."""
        records, others = await self._records(names)
        if records:
            await self._write([Family(name, "") for name in records], records, others, False)
        return list(records)

    async def get(self, names: Sequence[str]) -> list[Document]:
        """Returns the parents that are stored for these names, without what lies between them and their children."""
        names, keys = list(dict.fromkeys(names)), list[str]()
        parents: list[Document | None] = []
        for _ in range(1 + RETRIES):
            before, (records, _) = keys, await self._records(names)
            keys = [key for record in records.values() for key in record.parents if not key.startswith(LEVELS)]
            parents = await self.calls.call(self.docstore.mget, self.docstore.amget, keys) if keys else []
            if None not in parents or keys == before:
                break
        return [parent for parent in parents if parent is not None]

    async def _records(self, names: Sequence[str]) -> tuple[dict[str, Record], dict[str, list[Record]]]:
        """Returns our record of each name, and those of other owners.

        Ours under other settings are those whose rows this vector store has.
        """
        keys = [record_key(name) for name in names]
        entries = await self.calls.call(self.docstore.mget, self.docstore.amget, keys)
        records = {name: read_records(entry) for name, entry in zip(names, entries, strict=True)}
        perhaps = [
            child
            for record in chain.from_iterable(records.values())
            if record.owner != self.owner and record.owner.may_be(self.owner)
            for child in _telling_rows(record)
        ]
        present = await self._present_ids(perhaps)
        ours: dict[str, Record] = {}
        others: dict[str, list[Record]] = {}
        for name, several in records.items():
            own = [record for record in several if self._is_ours(record, present)]
            if record := Record.merge(own, self.owner):
                ours[name] = record
            others[name] = [record for record in several if record not in own]
        return ours, others

    def _is_ours(self, record: Record, present: Set[str] | None) -> bool:
        """present: which of the rows that tell there are; None where the vector store cannot say."""
        if record.owner == self.owner or not record.owner.may_be(self.owner):
            return record.owner == self.owner
        rows = _telling_rows(record)
        return present is None or not rows or not present.isdisjoint(rows)

    async def _mark_incomplete(self, records: dict[str, Record]) -> dict[str, Record]:
        """Returns the records; one whose last row the vector store does not have is incomplete, and so mended.

        Rows are written in a record's order. So a store that lacks some, as it is new, was emptied, or is a copy from
        before they were written, lacks the last; to ask for them all would be to read the store through at every call.
        """
        last = {name: record.children[-1] for name, record in records.items() if record.complete and record.children}
        present = await self._present_ids(list(last.values()))
        lost = {name for name, child in last.items() if present is not None and child not in present}
        return {
            name: replace(record, complete=record.complete and name not in lost) for name, record in records.items()
        }

    async def _present_ids(self, ids: Sequence[str]) -> set[str] | None:
        """Returns which of these rows the vector store has; None where it cannot say, or returns rows without ids."""
        present: set[str] = set()
        for some in batches(ids, self.batch_size):
            try:
                rows = await self.calls.call(self.vectorstore.get_by_ids, self.vectorstore.aget_by_ids, some)
            except NotImplementedError:
                return None
            own = {row.id for row in rows if row.id is not None}
            if rows and not own:
                return None
            present |= own
        return present

    async def _write(
        self, families: Sequence[Family], records: dict[str, Record], others: dict[str, list[Record]], force: bool
    ) -> None:
        """Stores families in place of what the records know. One without parents is away, with its record."""
        calls, docstore = self.calls, self.docstore
        doubtful = [child for record in records.values() if not record.complete for child in record.children]
        present = await self._present_ids(doubtful)
        diffs = await calls.compute(
            lambda: [
                IndexDiff.of(family, self.owner, records.get(family.name), others[family.name], present, force)
                for family in families
            ]
        )
        parents = [pair for diff in diffs for pair in diff.parents]
        await calls.call(docstore.mset, docstore.amset, [_entry(diff, diff.pending) for diff in diffs] + parents)
        for rows in batches((row for diff in diffs for row in diff.children), self.batch_size):
            await self._add_rows(rows)
        for keys in batches((key for diff in diffs for key in diff.old_children), self.batch_size):
            if await calls.call(self.vectorstore.delete, self.vectorstore.adelete, keys) is False:
                raise RuntimeError(f"{type(self.vectorstore).__name__} did not delete {len(keys)} rows; try again")
        if old := [key for diff in diffs for key in diff.old_parents]:
            await calls.call(docstore.mdelete, docstore.amdelete, old)
        if entries := [_entry(diff, diff.final) for diff in diffs if diff.final.fingerprint or diff.others]:
            await calls.call(docstore.mset, docstore.amset, entries)
        if gone := [record_key(diff.final.name) for diff in diffs if not diff.final.fingerprint and not diff.others]:
            await calls.call(docstore.mdelete, docstore.amdelete, gone)

    async def _add_rows(self, rows: list[Document]) -> None:
        """Adds rows to the vector store. Raises `SettingError` where it gives them other ids."""
        store, ids = self.vectorstore, [row.id for row in rows]
        returned = await self.calls.call(store.add_documents, store.aadd_documents, rows, ids=ids)
        if isinstance(returned, list) and len(returned) == len(ids) and set(returned).isdisjoint(ids):
            raise SettingError(
                f"{type(store).__name__} gave rows ids of its own, such as {returned[0]!r}, in place of {ids[0]!r}: it "
                f"must keep the ids that it is given, else nothing could be updated or deleted"
            )


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Items -> lists of at most `size` of them."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def _entry(diff: IndexDiff, record: Record) -> tuple[str, Document]:
    """The records of other owners, and ours while there is something to say."""
    return record_entry(
        record.name, [*diff.others, record] if record is diff.pending or record.fingerprint else diff.others
    )


def _telling_rows(record: Record) -> list[str]:
    """A record -> the rows of which a vector store has one, if it is the record's."""
    return record.children[-1:] if record.complete else record.children


def _is_current(record: Record | None, fingerprint: str) -> bool:
    return record is not None and record.complete and record.fingerprint == fingerprint
