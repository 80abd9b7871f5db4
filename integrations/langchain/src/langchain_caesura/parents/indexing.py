"""Writes to a vector store, a document store and an index of words, in an order that any failure leaves fit.

A record of each name, kept in the document store, says what the stores hold for it, and what of that is returned: no
store is ever searched through. The order: the record of all that is and will be there, what is returned being as it
was; new texts; new rows; words; the record that returns what is new; away with old rows; of what goes, away with its
words, and the record that returns nothing; away with old texts; the record of what is there now. So a row that can be
found and that the record returns has a text, and whatever a failure left is returned by nothing, and is known to the
next call for that name, which tidies it up. What another owner's record knows stays: retrievers that differ share a
document store.

Locks keep the writers of one machine apart. Those of several see, before they write a record again, that it is not the
one they wrote, and begin anew with what it says: the last one's stays.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from random import random
from typing import TypeVar

from langchain_core.documents import Document
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore

from caesura.sansio import Calls
from caesura_retrieval.row_plan import RowEmbedder
from caesura_retrieval.upkeep import Changes, batches, find_lost, find_present
from caesura_retrieval.word_index import WordIndex
from langchain_caesura.embeddings import ChunkEmbeddings, prepared_rows
from langchain_caesura.parents.index_diff import Family, IndexDiff
from langchain_caesura.parents.inputs import DocumentInput
from langchain_caesura.parents.record import (
    RECORDS,
    RETRIES,
    Owner,
    ParentRecord,
    StoredText,
    read_records,
    record_entry,
    record_key,
)
from langchain_caesura.parents.rows import TextEmbedder, embed_rows, place_rows
from langchain_caesura.parents.splitting import ParentSplitter
from langchain_caesura.parents.words import document_lock
from langchain_caesura.vector_store_quirks import check_ids_kept, refuses_known_ids

T = TypeVar("T")
DOCUMENTS = 200
"""How many names are cut and written together."""
PAUSE = 0.1
"""Seconds at most, by chance, until what another machine came between is begun anew; each time so much more."""
OVERTAKEN = "other machines keep writing the same documents: add them once more, from one machine"


class OvertakenError(RuntimeError):
    """Another machine wrote a document while this one did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer:
    """Two stores, whose records these are, the most rows that one call of the vector store takes, and how stores are
    called."""

    calls: Calls
    vectorstore: VectorStore
    docstore: BaseStore[str, Document]
    owner: Owner
    batch_size: int
    words: Callable[[], WordIndex | None]
    """Opens the index of words, which is asked for where some are to be written or to go."""
    embeddings: ChunkEmbeddings | None = None
    """What the vector store embeds with, where its rows are to lean toward their context, know their headings, or are
    made of all of a document's together."""

    async def add(
        self, inputs: dict[str, DocumentInput], splitter: ParentSplitter, *, force: bool, alone: bool = False
    ) -> Changes:
        """Stores the documents of each name in place of what was stored for them; nothing where nothing has changed.
        Returns what was done, by names.

        A vector store that is new, was emptied or is an older copy gets what it lacks. force: whether what has not
        changed is stored, and so embedded, anew. alone: whether all other documents of the names go.
        """
        splitter, changes = replace(splitter, model=self.embeddings and self.embeddings.together), Changes()
        for some in batches(inputs, DOCUMENTS):
            lock = document_lock(self.docstore, some)
            try:
                await self.calls.call(lock.__enter__, lock.__aenter__)
                own = {name: inputs[name] for name in some}
                fingerprints = await self.calls.compute(splitter.fingerprints, own)
                work = partial(self._add, own, splitter, fingerprints, force, alone)
                changes = changes.plus(await self._repeated(work))
            finally:
                lock.__exit__()
        return changes

    async def _add(
        self,
        inputs: dict[str, DocumentInput],
        splitter: ParentSplitter,
        fingerprints: dict[str, dict[str, str]],
        force: bool,
        alone: bool,
    ) -> Changes:
        records, others = await self._records(list(inputs))
        records = await self._mark_incomplete(records)
        changed: dict[str, DocumentInput] = {}
        gone: dict[str, frozenset[str]] = {}
        for name, own in inputs.items():
            known = {} if force else _current(records.get(name))
            changed[name] = own.without(
                {each for each, wanted in fingerprints[name].items() if known.get(each) == wanted}
            )
            parts = records[name].parts if (alone or own.replaces) and name in records else []
            gone[name] = frozenset(part.identity for part in parts) - own.identities.keys()
            if not changed[name].identities and not gone[name]:
                del changed[name]
        families = await splitter.split(self.calls, changed, fingerprints, self.owner)
        families = [replace(family, replaced=family.replaced | gone[family.name]) for family in families]
        if families:
            now, others = await self._records([family.name for family in families])
            if any(_claims(now.get(family.name)) != _claims(records.get(family.name)) for family in families):
                raise OvertakenError(OVERTAKEN)
            await self._write(families, records, others, force, splitter.context)
        updated = len(changed.keys() & records.keys())
        return Changes(len(changed) - updated, updated, len(inputs) - len(changed))

    async def delete(self, names: Sequence[str]) -> list[str]:
        """Deletes all that is stored for these names, and nothing else -> the names that there was a record of."""
        deleted: dict[str, None] = {}
        for some in batches(dict.fromkeys(names), DOCUMENTS):
            lock = document_lock(self.docstore, some)
            try:
                await self.calls.call(lock.__enter__, lock.__aenter__)
                await self._repeated(partial(self._delete, some, deleted))
            finally:
                lock.__exit__()
        return list(deleted)

    async def _delete(self, names: Sequence[str], deleted: dict[str, None]) -> None:
        records, others = await self._records(names)
        deleted.update(dict.fromkeys(records))
        if records:
            await self._write([Family(name, alone=True) for name in records], records, others, False, 0.0)

    async def names(self) -> list[str]:
        """Returns the names that there is a record of ours of."""
        calls, store = self.calls, self.docstore
        found: list[str] = []
        keys = await calls.compute(_record_keys, store)
        for some in batches(keys, DOCUMENTS):
            entries = await calls.call(store.mget, store.amget, some)
            names = [records[0].name for entry in entries if (records := read_records(entry))]
            found += (await self._records(names))[0]
        return found

    async def parts(self, names: Sequence[str]) -> list[tuple[StoredText, Document]]:
        """Returns what is stored for these names, with the texts, of one moment."""
        names, keys = list(dict.fromkeys(names)), list[str]()
        found: list[tuple[StoredText, Document]] = []
        for _ in range(1 + RETRIES):
            before, (records, _others) = keys, await self._records(names)
            parts = [part for record in records.values() for part in record.parts if part.key]
            keys = [part.key for part in parts]
            texts = await self.calls.call(self.docstore.mget, self.docstore.amget, keys) if keys else []
            found = [(part, text) for part, text in zip(parts, texts, strict=True) if text is not None]
            if None not in texts or keys == before:
                break
        return found

    async def _records(self, names: Sequence[str]) -> tuple[dict[str, ParentRecord], dict[str, list[ParentRecord]]]:
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
        ours: dict[str, ParentRecord] = {}
        others: dict[str, list[ParentRecord]] = {}
        for name, several in records.items():
            own = [record for record in several if self._is_ours(record, present)]
            if record := ParentRecord.merge(own, self.owner):
                ours[name] = record
            others[name] = [record for record in several if record not in own]
        return ours, others

    def _is_ours(self, record: ParentRecord, present: Set[str] | None) -> bool:
        """present: which of the rows that tell there are; None where the vector store cannot say."""
        if record.owner == self.owner or not record.owner.may_be(self.owner):
            return record.owner == self.owner
        rows = _telling_rows(record)
        return present is None or not rows or not present.isdisjoint(rows)

    async def _mark_incomplete(self, records: dict[str, ParentRecord]) -> dict[str, ParentRecord]:
        """Returns the records; one whose last row the vector store does not have is incomplete, and so mended."""
        last = {name: row for name, record in records.items() if record.complete and (row := record.last())}
        present = await self._present_ids(list(last.values()))
        lost = find_lost(last, present)
        return {
            name: replace(record, complete=record.complete and name not in lost) for name, record in records.items()
        }

    async def _present_ids(self, ids: Sequence[str]) -> set[str] | None:
        """Returns which of these rows the vector store has; None where it cannot say, or returns rows without ids."""

        async def fetch(some: list[str]) -> list[str | None]:
            rows = await self.calls.call(self.vectorstore.get_by_ids, self.vectorstore.aget_by_ids, some)
            return [row.id for row in rows]

        return await find_present(fetch, ids, self.batch_size)

    async def _repeated(self, work: Callable[[], Awaitable[T]]) -> T:
        """Does it again where another machine came between. Raises `OvertakenError` where one always does."""
        for turn in range(RETRIES):
            try:
                return await work()
            except OvertakenError:
                pause = random() * PAUSE * (turn + 1)  # noqa: S311 - it keeps no secret
                await self.calls.compute(time.sleep, pause)
        return await work()

    async def _check_last(self, entries: Sequence[tuple[str, Document]]) -> None:
        """Raises `OvertakenError` where a record is not as we wrote it last."""
        now = await self.calls.call(self.docstore.mget, self.docstore.amget, [key for key, _ in entries])
        for found, (_, own) in zip(now, entries, strict=True):
            if found is None or found.page_content != own.page_content:
                raise OvertakenError(OVERTAKEN)

    async def _write(
        self,
        families: Sequence[Family],
        records: dict[str, ParentRecord],
        others: dict[str, list[ParentRecord]],
        force: bool,
        share: float,
    ) -> None:
        """Stores families in place of what the records know. One without parts is away, with its record."""
        calls, docstore = self.calls, self.docstore
        doubtful = [row for record in records.values() if not record.complete for row in record.known()]
        present = await self._present_ids(doubtful)
        diffs = await calls.compute(
            lambda: [
                IndexDiff.of(family, self.owner, records.get(family.name), others[family.name], present, force)
                for family in families
            ]
        )
        texts = [pair for diff in diffs for pair in diff.texts]
        first = [_entry(diff, diff.first) for diff in diffs]
        await calls.write(docstore.mset, docstore.amset, first + texts)
        written = set().union(*(diff.written for diff in diffs))
        rows = [row for family in families for piece in family.pieces for row in piece.rows if row.id in written]
        await self._add_rows(rows, families, share)
        await self._put_words([diff for diff in diffs if diff.final.parts])
        await self._check_last(first)
        if then := [_entry(diff, diff.then if diff.leaves else diff.final) for diff in diffs if diff.final.parts]:
            await calls.write(docstore.mset, docstore.amset, then)
        await self._delete_rows([key for diff in diffs for key in diff.old_rows])
        away = [diff for diff in diffs if not diff.final.parts]  # what fails till here is found as it was
        await self._put_words(away)
        if away:
            await self._check_last([_entry(diff, diff.first) for diff in away])
            then += [_entry(diff, diff.then) for diff in away]
            await calls.write(docstore.mset, docstore.amset, then[-len(away) :])
        if old := [key for diff in diffs for key in diff.old_texts]:
            await calls.write(docstore.mdelete, docstore.amdelete, old)
        if any(diff.leaves for diff in diffs):
            await self._check_last(list((dict(first) | dict(then)).items()))
        if entries := [
            _entry(diff, diff.final) for diff in diffs if (diff.leaves if diff.final.parts else diff.others)
        ]:
            await calls.write(docstore.mset, docstore.amset, entries)
        if gone := [record_key(diff.final.name) for diff in diffs if not diff.final.parts and not diff.others]:
            await calls.write(docstore.mdelete, docstore.amdelete, gone)

    async def _add_rows(self, rows: Sequence[Document], families: Sequence[Family], share: float) -> None:
        """Adds rows to the vector store. Raises `SettingError` where it gives them other ids."""
        store, embed = self.vectorstore, None
        if self.embeddings is not None:
            texts = TextEmbedder(self.calls, self.embeddings, self.batch_size)
            embedder = RowEmbedder(self.calls, texts, self.embeddings.together)
            embed = partial(embed_rows, embedder, place_rows(families), share)
        for some in batches(rows, self.batch_size):
            vectors = {} if embed is None else await embed(some)
            ids = [str(row.id) for row in some]
            if refuses_known_ids(store):
                there = await self._present_ids(ids) or set()  # also what no record knows: the documents may be gone
                await self._delete_rows([key for key in ids if key in there])
            with prepared_rows(vectors):
                returned = await self.calls.write(store.add_documents, store.aadd_documents, some, ids=ids)
            check_ids_kept(store, ids, returned)

    async def _put_words(self, diffs: Sequence[IndexDiff]) -> None:
        words = {name: texts for diff in diffs for name, texts in diff.words.items()}
        if words and (index := await self.calls.compute(self.words)) is not None:
            await self.calls.compute(index.put, words)

    async def _delete_rows(self, rows: Sequence[str]) -> None:
        for keys in batches(rows, self.batch_size):
            if await self.calls.write(self.vectorstore.delete, self.vectorstore.adelete, keys) is False:
                raise RuntimeError(f"{type(self.vectorstore).__name__} did not delete {len(keys)} rows; try again")


def _entry(diff: IndexDiff, record: ParentRecord) -> tuple[str, Document]:
    """The records of other owners, and ours while there is something to say."""
    ours = [] if record is diff.final and not record.parts else [record]
    return record_entry(record.name, [*diff.others, *ours])


def _record_keys(store: BaseStore[str, Document]) -> list[str]:
    """The keys of records. LangChain's store on Redis takes a prefix to be a whole key, and finds none."""
    return list(store.yield_keys(prefix=RECORDS)) or [key for key in store.yield_keys() if key.startswith(RECORDS)]


def _claims(record: ParentRecord | None) -> ParentRecord | None:
    """What a record says that there is, whether it is sure of it or not."""
    return None if record is None else replace(record, complete=True)


def _telling_rows(record: ParentRecord) -> list[str]:
    """A record -> the rows of which a vector store has one, if it is the record's."""
    last = record.last() if record.complete else None
    return list(record.known()) if last is None else [last]


def _current(record: ParentRecord | None) -> dict[str, str]:
    """A record -> the fingerprints of the documents that need nothing, where nothing is in doubt."""
    return {} if record is None or not record.complete else {part.identity: part.fingerprint for part in record.parts}
