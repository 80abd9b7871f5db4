"""Writes to a vector store, a document store and an index of words, in an order that any failure leaves fit.

A record of each name, kept in the document store, lists what the stores hold for it, and says what of that is returned;
no store is ever searched through. A write takes these steps:

1. the record of all that is and will be there, which returns what was returned before; and new texts,
2. new words,
3. new rows, while a thread gives the search engine the words,
4. the record that returns what is new,
5. deletion of old rows,
6. deletion of the words of names that go, and the record that returns nothing of them,
7. deletion of old texts,
8. the record of what is there now.

So every row that can be found, and that a record returns, has a text. Nothing returns what a failure leaves, and the
next call for that name knows it and tidies it up.

Locks keep the writers of one machine apart. A writer of another machine sees, before it writes a record again, that the
record is not the one it wrote; it begins anew with what the record says, and the last writer's documents stay.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial, reduce
from random import random
from typing import Any, TypeVar

from langchain_core.documents import Document
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore

from caesura.errors import SettingError
from caesura.sansio import Calls
from caesura_retrieval.row_plan import RowEmbedder
from caesura_retrieval.upkeep import (
    Changes,
    batches,
    check_gone,
    check_same_user,
    divide,
    find_lost,
    find_present,
    is_in_scope,
    is_of_user,
    rows_per_call,
)
from caesura_retrieval.word_index import WordIndex
from langchain_caesura.embeddings import ChunkEmbeddings, covered_model, embed_by, prepared_rows
from langchain_caesura.parents.filters import check_hidden, scope_of
from langchain_caesura.parents.index_diff import Family, PlacedRow, plan_index_writes
from langchain_caesura.parents.inputs import (
    DocumentInput,
    check_in_scope,
    find_other_model,
    is_beside_other_model,
    select_changed,
    stored_turns,
    warn_of_another,
    warn_of_other_model,
)
from langchain_caesura.parents.owner import Owner
from langchain_caesura.parents.record import (
    RETRIES,
    ParentRecord,
    StoredText,
    last_rows,
    read_record,
    read_records,
    record_key,
    same_claims,
)
from langchain_caesura.parents.rows import TextEmbedder, documents_of, embed_rows, is_sketched, sketch_model
from langchain_caesura.parents.splitting import ParentSplitter
from langchain_caesura.stores import document_lock
from langchain_caesura.vector_store_quirks import awaited_add, check_ids_kept, refuses_known_ids, untrack_vectors

T = TypeVar("T")
DOCUMENTS = 200
"""How many names are cut and written together at most."""
CHARACTERS = 4_000_000
"""How many characters of documents are cut and written together at most. It bounds the memory for large documents."""
PAUSE = 0.1
"""Seconds at most, by chance, until what another machine came between is begun anew; each time so much more."""
OVERTAKEN = "other machines keep writing the same documents: add them once more, from one machine"


class OvertakenError(RuntimeError):
    """Another machine wrote a document while this one did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer:
    """Two stores, whose records these are, and how stores are called."""

    calls: Calls
    vectorstore: VectorStore
    docstore: BaseStore[str, Document]
    owner: Owner
    splitter: ParentSplitter
    """What cuts documents."""
    batch_size: int
    """The most rows that one call of the vector store takes."""
    words: WordIndex | None
    """The index of words, where it is open."""
    open_words: Callable[[], WordIndex | None]
    """Opens it, where it is not and words are to go."""
    embeddings: ChunkEmbeddings | None = None
    """Embeds as the vector store does, and keeps what was embedded last; None: the store alone embeds."""

    async def add(self, inputs: dict[str, DocumentInput], force: bool, alone: bool = False) -> Changes:
        """Stores the documents of each name in place of what was stored for them; nothing where nothing has changed.
        Returns what was done, by names.

        A vector store that is new, was emptied or is an older copy gets what it lacks. force: whether what has not
        changed is stored, and so embedded, anew. alone: whether all other documents of the names go.
        """
        if inputs and self.embeddings is not None and self.splitter.model is None:
            await self._sketch_model(self.embeddings, inputs, force, alone)
        texts = ((document.page_content for document, _ in own.identities.values()) for own in inputs.values())
        done = [
            await self._take_turn([*some], partial(self._add, some, force, alone))
            for some in divide(inputs, [sum(map(len, own)) for own in texts], DOCUMENTS, CHARACTERS)
        ]
        return reduce(Changes.plus, done) if done else Changes()

    async def _add(self, inputs: dict[str, DocumentInput], force: bool, alone: bool) -> Changes:
        is_known = any(own.embedder for own in inputs.values())
        records = await self._records(list(inputs))
        if last := last_rows(records):
            records = await self._mark_incomplete(records, last)
        changed, gone = select_changed(inputs, records, force, alone)
        if changed and not is_known and await self._is_known_now(inputs, force, alone):
            return await self._add(inputs, force, alone)
        forced = [*changed] if force else find_other_model(changed, records)
        if forced and not force:
            warn_of_other_model(forced[0], alone)
        if records and not alone:
            await self._compare(inputs, changed, records)
        if changed:
            families = await self.splitter.split(self.calls, changed, self.owner, records, gone, {*forced})
            if not same_claims(changed, await self._records(list(changed)), records):
                raise OvertakenError(OVERTAKEN)
            await self._write(families, records, frozenset(forced))
        updated = len(changed.keys() & records.keys())
        return Changes(len(changed) - updated, updated, len(inputs) - len(changed))

    async def mirror(
        self,
        inputs: dict[str, DocumentInput],
        force: bool,
        scope: Mapping[str, Any] | None,
        filters: Mapping[str, Any],
    ) -> Changes:
        """`add`, and deletes all other documents; with a scope, of those whose metadata has all of it.

        filters: the retriever's own. Raises `SettingError` where nothing is given and something would go, for what is
        not all in the scope, and where without a scope something would go that the filters hide.
        """
        own, beside = dict[str, frozenset[str]](), set[str]()
        if scope is not None:
            check_in_scope(inputs, scope)
            own, beside = await self.find_scope(scope)
            if shared := sorted(beside & inputs.keys()):
                raise SettingError(
                    f"{shared[0]!r} is stored for documents outside of the scope {scope!r} too: give ids, or sources, "
                    f"that differ"
                )
            named = {name: each for name, each in inputs.items() if name in own and not each.by_source}
            await self._compare(named, named, await self._records([*named]))
        elif inputs:
            await self._check_hidden("mirror()", await self.names() if filters else [], filters, inputs)
        changes = await self.add(inputs, force, alone=True)
        if scope is None:
            own = dict.fromkeys(await self.names(), frozenset[str]())
        gone = check_gone(sorted(own), inputs, scope, "delete(ids) does that")
        deleted = await self.delete(gone, {name: own[name] for name in beside & own.keys()})
        return changes._replace(deleted=len(deleted))

    async def _check_hidden(
        self, work: str, names: Sequence[str], filters: Mapping[str, Any], inputs: Mapping[str, DocumentInput]
    ) -> None:
        """Raises `SettingError` if a document of these names that the filters hide would go, or would become one that
        they do not hide; of filters that only the vector store can read, if any would go.

        inputs: what is stored anew, and so does not go.
        """
        wanted, hidden = scope_of(filters), list[str]()
        for some in batches(names, DOCUMENTS):
            parts = [
                (name, part.key, inputs[name].identities.get(part.identity) if name in inputs else None)
                for name, record in (await self._records(some)).items()
                for part in record.parts
                if part.key
            ]
            if wanted is None:
                hidden += [name for name, _, given in parts if given is None]
                continue
            parts = [each for each in parts if each[2] is None or is_in_scope(each[2][0].metadata, wanted)]
            keys = [key for _, key, _ in parts]
            texts = await self.calls.call(self.docstore.mget, self.docstore.amget, keys) if keys else []
            pairs = zip(parts, texts, strict=True)
            hidden += [name for (name, *_), text in pairs if text and not is_in_scope(text.metadata, wanted)]
        own = filters.get("filter") if filters.keys() == {"filter"} else dict(filters)
        check_hidden(work, list(dict.fromkeys(hidden)), own, wanted)

    async def _sketch_model(
        self, embeddings: ChunkEmbeddings, inputs: Mapping[str, DocumentInput], force: bool, alone: bool
    ) -> None:
        """Says of inputs what the model is known by that embeds them.

        The first time, it looks at one stored document, and warns where another model embedded that.
        """
        is_new = not is_sketched(embeddings)
        sketch = await sketch_model(self.calls, embeddings)
        for own in inputs.values():
            own.embedder = sketch
        if is_new and sketch and not force:
            key = await self.calls.compute(_first_key, self.docstore, self.owner.prefix)
            entries = [] if key is None else await self.calls.call(self.docstore.mget, self.docstore.amget, [key])
            for record in filter(None, map(read_record, entries)):
                goes = alone and record.name in inputs
                if not goes and is_beside_other_model(inputs, record, sketch):
                    warn_of_other_model(record.name, alone)

    async def _is_known_now(self, inputs: Mapping[str, DocumentInput], force: bool, alone: bool) -> bool:
        """Looks again at the model that is to embed inputs, which could not be reached before. Returns whether it can
        be now."""
        if self.embeddings is None or self.splitter.model is not None:
            return False
        await self._sketch_model(self.embeddings, inputs, force, alone)
        return any(own.embedder for own in inputs.values())

    async def _compare(
        self,
        inputs: Mapping[str, DocumentInput],
        changed: Mapping[str, DocumentInput],
        records: Mapping[str, ParentRecord],
    ) -> None:
        """Warns of documents that take the place of what are perhaps others of one source. Raises `SettingError` for
        those that would take the place of another user's."""
        pairs: list[tuple[str, Document, bool, bool]] = []
        keys: list[str] = []
        for name, own in changed.items():
            parts = records[name].parts if name in records else []
            replaced = dict.fromkeys((part.identity for part in parts), ("", True))  # by its id, it replaces all
            if own.by_source:
                replaced = inputs[name].find_replaced(stored_turns(parts))
            for part in parts:
                now, is_whole = replaced.get(part.identity, ("", False))
                if part.key and part.identity in replaced and now in own.identities:
                    document = own.identities[now][0]
                    if own.by_source or any(map(is_of_user, document.metadata)):
                        pairs.append((name, document, is_whole, now != part.identity))
                        keys.append(part.key)
        texts = await self.calls.call(self.docstore.mget, self.docstore.amget, keys) if keys else []
        for (name, document, is_whole, is_renamed), old in zip(pairs, texts, strict=True):
            if old is not None and not inputs[name].by_source:
                check_same_user(name, document.metadata, old.metadata)
            elif old is not None:
                warn_of_another(name, document, old, is_whole, is_renamed)

    async def delete(self, names: Sequence[str], some_of: Mapping[str, frozenset[str]] | None = None) -> list[str]:
        """Deletes all that is stored for these names, and nothing else -> the names that there was a record of.

        some_of: names of which only these documents go.
        """
        deleted: dict[str, None] = {}
        for some in batches(dict.fromkeys(names), DOCUMENTS):
            await self._take_turn(some, partial(self._delete, some, some_of or {}, deleted))
        return list(deleted)

    async def _delete(
        self, names: Sequence[str], some_of: Mapping[str, frozenset[str]], deleted: dict[str, None]
    ) -> None:
        records = await self._records(names)
        deleted.update(dict.fromkeys(records))
        if records:
            families = [
                Family(name, replaced=some_of[name]) if name in some_of else Family(name, alone=True)
                for name in records
            ]
            await self._write(families, records, frozenset())

    async def delete_given(
        self, names: Sequence[str], scope: Mapping[str, Any] | None, filters: Mapping[str, Any]
    ) -> list[str]:
        """`delete`; with a scope, of these names only the documents whose metadata has all of it. Raises
        `SettingError` where without a scope something would go that the filters hide, the retriever's own."""
        if scope is None:
            await self._check_hidden("delete()", names if filters else [], filters, {})
            return await self.delete(names)
        own, beside = await self.find_scope(scope, names)
        return await self.delete([*own], {name: own[name] for name in beside & own.keys()})

    async def find_scope(
        self, scope: Mapping[str, Any], names: Sequence[str] | None = None
    ) -> tuple[dict[str, frozenset[str]], set[str]]:
        """Returns the documents of each name whose metadata has all of the scope, and the names that have others.

        names: those to look at; None: all.
        """
        own: dict[str, frozenset[str]] = {}
        beside: set[str] = set()
        for some in batches(await self.names() if names is None else names, DOCUMENTS):
            records = await self._records(some)
            parts = [(name, part) for name, record in records.items() for part in record.parts if part.key]
            keys = [part.key for _, part in parts]
            texts = await self.calls.call(self.docstore.mget, self.docstore.amget, keys) if keys else []
            for (name, part), text in zip(parts, texts, strict=True):
                if text is not None and is_in_scope(text.metadata, scope):
                    own[name] = own.get(name, frozenset()) | {part.identity}
                else:
                    beside.add(name)
        return own, beside

    async def list_names(self, scope: Mapping[str, Any] | None) -> list[str]:
        """Returns `names`, sorted; with a scope, those of documents whose metadata has all of it."""
        return sorted(await self.names() if scope is None else (await self.find_scope(scope))[0])

    async def names(self) -> list[str]:
        """Returns the names that there is a record of ours of."""
        calls, store = self.calls, self.docstore
        found: list[str] = []
        keys = await calls.compute(_record_keys, store, self.owner.prefix)
        for some in batches(keys, DOCUMENTS):
            entries = await calls.call(store.mget, store.amget, some)
            found += [record.name for entry in entries if (record := read_record(entry))]
        return found

    async def parts(self, names: Sequence[str]) -> list[tuple[StoredText, Document]]:
        """Returns what is stored for these names, with the texts, of one moment."""
        names, keys = list(dict.fromkeys(names)), list[str]()
        found: list[tuple[StoredText, Document]] = []
        for _ in range(1 + RETRIES):
            before, records = keys, await self._records(names)
            parts = [part for record in records.values() for part in record.parts if part.key]
            keys = [part.key for part in parts]
            texts = await self.calls.call(self.docstore.mget, self.docstore.amget, keys) if keys else []
            found = [(part, text) for part, text in zip(parts, texts, strict=True) if text is not None]
            if None not in texts or keys == before:
                break
        return found

    async def _records(self, names: Sequence[str]) -> dict[str, ParentRecord]:
        """Returns the record of each name that has one."""
        keys = [record_key(self.owner.prefix, name) for name in names]
        return read_records(names, await self.calls.call(self.docstore.mget, self.docstore.amget, keys))

    async def _mark_incomplete(self, records: dict[str, ParentRecord], last: dict[str, str]) -> dict[str, ParentRecord]:
        """Returns the records; one whose last row the vector store does not have is incomplete, and so mended."""
        lost = find_lost(last, await self._present_ids(list(last.values())))
        return {
            name: replace(record, complete=record.complete and name not in lost) for name, record in records.items()
        }

    async def _present_ids(self, ids: Sequence[str]) -> set[str] | None:
        """Returns which of these rows the vector store has; None where it cannot say, or returns rows without ids."""

        async def fetch(some: list[str]) -> list[str | None]:
            rows = await self.calls.call(self.vectorstore.get_by_ids, self.vectorstore.aget_by_ids, some)
            return [row.id for row in rows]

        return await find_present(fetch, ids, self.batch_size)

    async def _take_turn(self, names: Sequence[str], work: Callable[[], Awaitable[T]]) -> T:
        """Does work while nobody else on this machine writes these names, and again if another machine came between.

        Raises `OvertakenError` if one always does.
        """
        lock = document_lock(self.docstore, names)
        try:
            await self.calls.call(lock.__enter__, lock.__aenter__)
            for turn in range(RETRIES):
                try:
                    return await work()
                except OvertakenError:
                    pause = random() * PAUSE * (turn + 1)  # noqa: S311 - it keeps no secret
                    await self.calls.compute(time.sleep, pause)
            return await work()
        finally:
            lock.__exit__()

    async def _check_last(self, entries: Sequence[tuple[str, Document]]) -> None:
        """Raises `OvertakenError` where a record is not as we wrote it last."""
        now = await self.calls.call(self.docstore.mget, self.docstore.amget, [key for key, _ in entries])
        for found, (_, own) in zip(now, entries, strict=True):
            if found is None or found.page_content != own.page_content:
                raise OvertakenError(OVERTAKEN)

    async def _write(self, families: Sequence[Family], records: dict[str, ParentRecord], forced: Set[str]) -> None:
        """Stores families in place of what the records know. One without parts is away, with its record. forced: the
        names of which all rows are written anew."""
        calls, docstore = self.calls, self.docstore
        doubtful = [row for record in records.values() if not record.complete for row in record.known()]
        present = await self._present_ids(doubtful) if doubtful else set[str]()
        writes = await calls.compute(plan_index_writes, families, self.owner, records, present, forced)
        await calls.write(docstore.mset, docstore.amset, writes.first + writes.texts)
        index, is_due = self.words, False
        if index is None and (writes.words or writes.old_words):
            index = await calls.compute(self.open_words)
        if index is not None and writes.words:
            is_due = await calls.compute(index.write, writes.words, keep=True)  # the old ones go with their rows
        rows = self._add_rows(writes.rows)
        if without := await (_beside(calls, rows, index.apply) if index is not None and is_due else rows):
            writes = await calls.compute(plan_index_writes, families, self.owner, records, present, forced, without)
        await self._check_last(writes.first)
        if writes.then:
            await calls.write(docstore.mset, docstore.amset, writes.then)
        if writes.old_rows:
            await self._delete_rows(writes.old_rows)
        if index is not None and records:
            await calls.compute(index.put, writes.words | writes.old_words)
        if writes.gone_then:
            await self._check_last(writes.gone_first)
            await calls.write(docstore.mset, docstore.amset, writes.gone_then)
        if writes.old_texts:
            await calls.write(docstore.mdelete, docstore.amdelete, writes.old_texts)
        if writes.last:
            await self._check_last(writes.last)
        if writes.final:
            await calls.write(docstore.mset, docstore.amset, writes.final)
        if writes.gone:
            await calls.write(docstore.mdelete, docstore.amdelete, writes.gone)

    async def _add_rows(self, rows: Sequence[PlacedRow]) -> set[str]:
        """Adds rows to the vector store, and returns the ids of those that it may not be given.

        Raises `SettingError` where it gives them other ids.
        """
        if not rows:
            return set()
        store, embed = self.vectorstore, None
        refuses, add = refuses_known_ids(store), awaited_add(store)
        some_rows, step = batches(rows, self.batch_size), rows_per_call(self.calls, store, self.batch_size)
        if self.embeddings is not None:
            texts = TextEmbedder(self.calls, embed_by(self.calls, covered_model(self.embeddings)))
            embedder = RowEmbedder(self.calls, texts, self.splitter.model, self.embeddings, self.batch_size)
            embed = partial(embed_rows, texts, embedder)
        added: set[str] = set()
        for some in some_rows:
            kept, vectors = (documents_of(some), {}) if embed is None else await embed(some)
            ids = [str(row.id) for row in kept]
            if refuses:
                there = await self._present_ids(ids) or set()  # also what no record knows: the documents may be gone
                await self._delete_rows([key for key in ids if key in there])
            for at in range(0, len(kept), step):
                part, own = kept[at : at + step], ids[at : at + step]
                with prepared_rows(vectors):
                    returned = await self.calls.write(store.add_documents, add, part, ids=own)
                check_ids_kept(store, own, returned)
                untrack_vectors(store, own)
            added.update(ids)
        return {row.content.id for row in rows} - added if len(added) < len(rows) else set()

    async def _delete_rows(self, rows: Sequence[str]) -> None:
        for keys in batches(rows, rows_per_call(self.calls, self.vectorstore, self.batch_size)):
            if await self.calls.write(self.vectorstore.delete, self.vectorstore.adelete, keys) is False:
                raise RuntimeError(f"{type(self.vectorstore).__name__} did not delete {len(keys)} rows; try again")


async def _beside(calls: Calls, work: Awaitable[T], function: Callable[[], object]) -> T:
    """Returns the result of work, while a thread calls a function. Waits for both. Raises what either raised.

    Where no thread can be had any more, as when the interpreter ends, the function is called after the work.
    """
    with ThreadPoolExecutor(1) as threads:
        try:
            called = threads.submit(function)
        except RuntimeError:
            result = await work
            function()
            return result
        try:
            result = await work
        finally:
            await calls.compute(wait, [called])
    called.result()
    return result


def _first_key(store: BaseStore[str, Document], prefix: str) -> str | None:
    """The key of a record."""
    return next(iter(store.yield_keys(prefix=prefix)), None)


def _record_keys(store: BaseStore[str, Document], prefix: str) -> list[str]:
    """The keys of records. LangChain's store on Redis takes a prefix to be a whole key, and finds none."""
    return list(store.yield_keys(prefix=prefix)) or [key for key in store.yield_keys() if key.startswith(prefix)]
