"""Families of documents in, writes to a vector store and a document store out, in an order that any failure leaves fit.

A record of each document, kept in the document store, says what the stores hold for it: no store is ever searched
through. The order: the record of all that is and will be there; new parents; new children; away with old children; away
with old parents; the record of what is there now. So a child that can be found has a parent that can be returned, and
whatever a failure left is known to the next call for that document, which tidies it up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from langchain_core.documents import Document
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore

from caesura.errors import SettingError
from caesura.sansio import Step, Steps
from langchain_caesura.parents.children import LEVELS
from langchain_caesura.parents.records import AGAIN, IndexDiff, Family, Record, record_key
from langchain_caesura.parents.splitting import ParentSplitter, DocumentInput

T = TypeVar("T")

DOCUMENTS = 200
"""Names whose documents are best cut and written together."""


@dataclass(frozen=True, slots=True)
class Indexer:
    """Two stores, what cuts documents for them, and the most rows that one call of the vector store takes."""

    vectorstore: VectorStore
    docstore: BaseStore[str, Document]
    divider: ParentSplitter
    batch_size: int

    def add(self, given: dict[str, DocumentInput], force: bool) -> Steps[None]:
        """Stores the documents of each name in place of what was stored under it; nothing where nothing has changed.

        A vector store that is new, was emptied or is an older copy gets what it lacks. force: whether what has not
        changed is stored, and so embedded, anew.
        """
        settings = self.divider.settings()
        prints = {name: one.fingerprint(settings) for name, one in given.items()}
        known = yield from self._held((yield from self._records(list(given))))
        changed = [name for name in given if force or not _current(known.get(name), prints[name])]
        families = yield from self.divider.families({name: given[name] for name in changed}, prints)
        if families:
            yield from self._write(families, known, force)

    def delete(self, names: Sequence[str]) -> Steps[list[str]]:
        """Deletes all that is stored for these names, and nothing else -> the names that there was a record of."""
        known = yield from self._records(names)
        if known:
            yield from self._write([Family(name, "") for name in known], known, False)
        return list(known)

    def get(self, names: Sequence[str]) -> Steps[list[Document]]:
        """Returns the parents that are stored for these names, without what lies between them and their children."""
        wanted: list[str] = []
        found: list[Document | None] = []
        for _ in range(1 + AGAIN):
            known = yield from self._records(list(dict.fromkeys(names)))
            before = wanted
            wanted = [one for record in known.values() for one in record.parents if not one.startswith(LEVELS)]
            found = (yield Step.of(self.docstore, "mget", wanted)) if wanted else []
            if None not in found or wanted == before:
                break
        return [document for document in found if document is not None]

    def _records(self, names: Sequence[str]) -> Steps[dict[str, Record]]:
        found = yield Step.of(self.docstore, "mget", [record_key(name) for name in names])
        return {name: Record.read(one) for name, one in zip(names, found, strict=True) if one is not None}

    def _held(self, known: dict[str, Record]) -> Steps[dict[str, Record]]:
        """Returns the records; one whose last row the vector store does not have is incomplete, and so mended.

        Rows are written in a record's order. So a store that lacks some, as it is new, was emptied, or is a copy from
        before they were written, lacks the last; to ask for them all would be to read the store through at every call.
        """
        last = {name: record.children[-1] for name, record in known.items() if record.complete and record.children}
        found = yield from self._present(list(last.values()))
        lost = {name for name, child in last.items() if found is not None and child not in found}
        return {name: replace(one, complete=False) if name in lost else one for name, one in known.items()}

    def _write(self, families: Sequence[Family], known: dict[str, Record], force: bool) -> Steps[None]:
        """Stores families in place of what the records know. One without parents is away, with its record."""
        doubtful = [child for record in known.values() if not record.complete for child in record.children]
        found = yield from self._present(doubtful)
        changes = [IndexDiff.of(family, known.get(family.name), found, force) for family in families]
        parents = [pair for one in changes for pair in one.parents]
        yield Step.of(self.docstore, "mset", [one.begun.entry() for one in changes] + parents)
        for some in batched((row for one in changes for row in one.children), self.batch_size):
            ids = [one.id for one in some]
            returned = yield Step.of(self.vectorstore, "add_documents", some, ids=ids)
            if isinstance(returned, list) and len(returned) == len(ids) and set(returned).isdisjoint(ids):
                raise SettingError(
                    f"{type(self.vectorstore).__name__} gave rows ids of its own, such as {returned[0]!r}, in place of "
                    f"{ids[0]!r}: it must keep the ids that it is given, else nothing could be updated or deleted"
                )
        for keys in batched((key for one in changes for key in one.old_children), self.batch_size):
            if (yield Step.of(self.vectorstore, "delete", keys)) is False:
                raise RuntimeError(f"{type(self.vectorstore).__name__} did not delete {len(keys)} rows; try again")
        if old := [key for one in changes for key in one.old_parents]:
            yield Step.of(self.docstore, "mdelete", old)
        if done := [one.done.entry() for one in changes if one.done.fingerprint]:
            yield Step.of(self.docstore, "mset", done)
        if gone := [record_key(one.done.name) for one in changes if not one.done.fingerprint]:
            yield Step.of(self.docstore, "mdelete", gone)

    def _present(self, ids: Sequence[str]) -> Steps[set[str] | None]:
        """Returns which of these rows the vector store has; None where it cannot say, or returns rows without ids."""
        present: set[str] = set()
        for some in batched(ids, self.batch_size):
            try:
                rows: list[Document] = yield Step.of(self.vectorstore, "get_by_ids", some)
            except NotImplementedError:
                return None
            named = {row.id for row in rows if row.id is not None}
            if rows and not named:
                return None
            present |= named
        return present


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Items -> lists of at most `size` of them."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def _current(record: Record | None, fingerprint: str) -> bool:
    return record is not None and record.complete and record.fingerprint == fingerprint
