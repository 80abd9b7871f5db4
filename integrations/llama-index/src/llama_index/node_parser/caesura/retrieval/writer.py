"""Writer of an index: brings a document store and a vector store up to date."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain, islice
from typing import Any, TypeAlias

from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.ingestion.pipeline import arun_transformations, run_transformations
from llama_index.core.schema import BaseNode, NodeRelationship, TransformComponent
from llama_index.core.storage.docstore.types import RefDocInfo
from llama_index.core.utils import iter_batch

from caesura.errors import SettingError
from caesura.sansio import Calls
from caesura_documents.outline import outline
from caesura_retrieval.document_embedders import DocumentEmbedder, embeds_documents
from caesura_retrieval.row_plan import RowEmbedder
from caesura_retrieval.upkeep import Changes, check_gone, find_lost, find_unusable_rows, rows_per_call
from caesura_retrieval.word_index import WordIndex
from caesura_store.key_locks import KeyLock
from llama_index.node_parser.caesura.base import index_metadata, with_rules
from llama_index.node_parser.caesura.embeddings import abatch_of
from llama_index.node_parser.caesura.nodes import check_documents
from llama_index.node_parser.caesura.retrieval.docstore import DocumentState, Entries, SQLiteDocumentStore, Versions
from llama_index.node_parser.caesura.retrieval.document_states import document_states, find_sources, known_ids
from llama_index.node_parser.caesura.retrieval.edits import ChangedRows, Writes, plan_edit, plan_writes
from llama_index.node_parser.caesura.retrieval.leaf_words import put_leaf_words
from llama_index.node_parser.caesura.vector_store_quirks import (
    ROWS_PER_CALL,
    awaited,
    check_new_rows,
    delete_rows,
    find_present_rows,
    replaces_rows,
)

Sources: TypeAlias = dict[str, dict[str, dict[str, Any]]]
"""Documents with random ids, and the keys that each is known by, with what is known there."""
Seen: TypeAlias = dict[str, dict[str, dict[str, Any] | None]]
"""Likewise, but what an index knew under each key; None: nothing."""
RETRIES = 20
"""Times at most that documents with random ids are recognised anew, where another writer came between."""
DELETION = "delete_ref_doc(id) does that for each"
"""How documents are deleted on purpose, for errors."""


class CrossedWritesError(RuntimeError):
    """Another writer wrote a document after a new version of it was recognised."""


@dataclass(frozen=True, slots=True)
class Writer:
    """The two stores of an index, what makes and embeds its nodes, and how all of them are called.

    A version of a document is seen by readers from its commit on, see `Versions`: its new rows are in the vector store
    before, and lead nowhere as yet; those of the version before go after it, and lead nowhere any more. The document's
    state says which these are, and is empty until they are gone, so that the next write finishes what was stopped.
    Else it says by which settings the document was made, of what, and which row was written last. It speaks of this
    vector store only while that has this row, which another one, or an emptied one, has not.

    adds_nodes: whether what is given is added to the nodes that a document has. written: whether each document that was
    given was new or changed. renamed: the ids of documents with random ids, and those that they had before. changing:
    the ids of all documents that are given or go.
    """

    index: VectorStoreIndex
    versions: Versions
    words: WordIndex | None
    transformations: Sequence[TransformComponent]
    embed_model: BaseEmbedding
    context: float
    batch_size: int
    calls: Calls
    adds_nodes: bool = False
    written: dict[str, bool] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    changing: set[str] = field(default_factory=set)

    async def upsert(self, documents: Sequence[BaseNode], show_progress: bool) -> Changes:
        """Brings the stores to hold the nodes of these documents, and none that they no longer have."""
        return await self._repeat(partial(self._upsert_once, documents, show_progress))

    async def _upsert_once(self, documents: Sequence[BaseNode], show_progress: bool) -> Changes:
        return await self._upsert(*await self._recognise(documents), show_progress)

    def were_written(self, documents: Sequence[BaseNode]) -> list[bool]:
        """Returns for each document that was given whether it was new or changed."""
        names = (each.ref_doc_id or each.node_id for each in documents)
        return [self.written[self.renamed.get(name, name)] for name in names]

    async def mirror(
        self, documents: Sequence[BaseNode], scope: Mapping[str, Any] | None, show_progress: bool
    ) -> Changes:
        """Brings the stores to hold these documents and no others of the scope. Raises `SettingError` if none are
        given, and for a document that is not in the scope."""
        return await self._repeat(partial(self._sync, documents, scope, show_progress))

    async def _sync(
        self, documents: Sequence[BaseNode], scope: Mapping[str, Any] | None, show_progress: bool
    ) -> Changes:
        if scope is not None and (not isinstance(scope, Mapping) or not scope):
            raise SettingError(
                f'scope must be metadata such as {{"user": "anna"}}, got {scope!r}; leave it out for all'
            )
        groups, sources, before = await self._recognise(documents)
        known = await self.versions.metadata()
        own = [name for name, metadata in known.items() if is_in_scope(metadata, scope)]
        for name, group in groups.items():
            if not all(is_in_scope(each.metadata, scope) for each in group):
                raise SettingError(
                    f"all documents must have the scope {scope!r} in their metadata, {name!r} has "
                    f"{group[0].metadata!r:.80}: add it, or leave the document out"
                )
        if others := sorted(groups.keys() & known.keys() - {*own}):
            raise SettingError(f"{others[0]!r} is the id of a document outside of the scope {scope!r}: give another id")
        gone = check_gone(own, groups, DELETION)
        self.changing.update(gone)
        changes = await self._upsert(groups, sources, before, show_progress)
        for name in gone:
            await self.delete(name)
        return changes._replace(deleted=len(gone))

    async def delete(self, document_id: str) -> Changes:
        """Brings the stores to hold nothing of a document."""
        if not isinstance(document_id, str):
            raise SettingError(f"document_id must be the id of one document, a str, got {document_id!r:.80}")
        return await self._alone([document_id], partial(self._delete, document_id))

    async def _repeat(self, work: Callable[[], Awaitable[Changes]]) -> Changes:
        """Does the work, and again if another writer came between."""
        for _ in range(RETRIES):
            with suppress(CrossedWritesError):
                return await work()
        return await work()

    async def _recognise(self, documents: Sequence[BaseNode]) -> tuple[dict[str, list[BaseNode]], Sources, Seen]:
        """Groups documents by id. Gives those with random ids that the index does not know the ids that their sources
        had before. Returns the groups, what each document with a random id is known by, and what the index knew then
        of the keys that it has."""
        groups = group_by_document(documents)
        sources = find_sources(groups.values())
        if not sources:
            return groups, {}, {}
        known = await self.versions.sources([*chain.from_iterable(sources.values())])
        new = sources.keys() - (await self.versions.states([*sources])).keys()
        others = {key: old for key, old in known.items() if old["id"] not in groups}
        ids = known_ids({name: keys for name, keys in sources.items() if name in new}, others)
        self.renamed.update(ids)
        for name, old in ids.items():
            groups[old] = [groups.pop(name)[0].model_copy(update={"id_": old})]
        own: Sources = {}
        before: Seen = {}
        for name, keys in sources.items():
            last = ids.get(name, name)
            before[last] = {key: known.get(key) for key in keys}
            free = {key: entry for key, entry in keys.items() if key not in known or known[key]["id"] == last}
            own[last] = {key: {**entry, "id": last} for key, entry in free.items()}
        return groups, own, before

    async def _upsert(
        self, groups: dict[str, list[BaseNode]], sources: Sources, before: Seen, show_progress: bool
    ) -> Changes:
        changes = Changes()
        self.changing.update(groups)
        for names in iter_batch(list(groups), self.batch_size):
            batch = {name: groups[name] for name in names}
            own = {name: sources.get(name, {}) for name in names}
            seen = dict(chain.from_iterable(before.get(name, {}).items() for name in names))
            write = partial(self._write, batch, own, seen, show_progress)
            changes = changes.plus(await self._alone([*names, *seen], write))
        return changes

    async def _alone(self, names: Sequence[str], work: Callable[[], Awaitable[Changes]]) -> Changes:
        """Does the work while nobody else writes these documents. names: their ids, and keys that they are known by."""
        store = self.versions.docstore
        path = store.path if isinstance(store, SQLiteDocumentStore) else None
        lock = KeyLock(store, names, path, alone=True)  # LlamaIndex's stores in memory are not for two threads
        try:
            await self.calls.call(lock.__enter__, lock.__aenter__)
            return await work()
        finally:
            lock.__exit__()

    async def _write(
        self,
        groups: dict[str, list[BaseNode]],
        sources: Sources,
        seen: Mapping[str, dict[str, Any] | None],
        show_progress: bool,
    ) -> Changes:
        """As `upsert`, of one batch. groups: what there is of each document, by its id. seen: what the index knew under
        the keys of documents with random ids. Raises `CrossedWritesError` if that is not so any more."""
        if seen and await self.versions.sources([*seen]) != {key: entry for key, entry in seen.items() if entry}:
            raise CrossedWritesError(f"others keep writing {sorted(groups)[0]!r} too: upsert the documents once more")
        if self.adds_nodes:
            await self.versions.check_own(chain(*groups.values()))
            groups = join_nodes((await self.versions.nodes([*groups], read=groups))[1], groups)
        states = await self.calls.compute(document_states, groups, self.transformations, self.embed_model, self.context)
        known = await self.versions.states(list(groups))
        await self.versions.check_new(groups.keys() - known.keys())
        lost = await self._find_lost(known)
        same = {name for name, state in known.items() if state.settings and state[:2] == states[name][:2]}
        changed = {name: group for name, group in groups.items() if name not in same or name in lost}
        if changed:
            now = {name: known.get(name, DocumentState()) for name in changed}
            kept = {name for name, state in now.items() if state.settings == states[name].settings} - lost
            await self._replace(changed, now, states, sources, kept, show_progress)
        self.written.update((name, name in changed) for name in groups)
        updated = len(changed.keys() & known.keys())
        return Changes(len(changed) - updated, updated, len(groups) - len(changed))

    async def _delete(self, name: str) -> Changes:
        """As `delete`. Readers see no version from the commit on; then rows go, and words."""
        known = await self.versions.states([name])
        if not known:
            await self.versions.check_new([name])
            return Changes()
        listed, _ = await self.versions.nodes([name])
        gone = [*listed[name], *known[name].pending]
        entries = self.versions.entries({name: None}, dict.fromkeys(known[name].sources), stale=listed[name])
        await self.versions.commit({name: DocumentState(pending=gone)}, entries)
        await delete_rows(self.calls, self.index.vector_store, gone)
        await self.calls.compute(self._unlist, gone)
        if self.words is not None:
            await self.calls.compute(self.words.delete, [name])
        await self.versions.forget([name])
        return Changes(deleted=1)

    # -- the parts of an upsert -------------------------------------------------------------------------------------

    async def _replace(
        self,
        groups: Mapping[str, Sequence[BaseNode]],
        known: Mapping[str, DocumentState],
        states: Mapping[str, DocumentState],
        sources: Sources,
        kept: Container[str],
        show_progress: bool,
    ) -> None:
        """Puts versions of documents in the place of the ones before.

        known: the states as they are. states: as they are to be. kept: the documents whose rows are by the same
        settings. A row that would be the same stays and is not embedded. Nothing is written before all is embedded. A
        row that changes under its id is written in the place of the old one where the store is known to allow it, else
        after the old one is gone.
        """
        inputs, rules, metadata = [*chain(*groups.values())], cache(outline), index_metadata(self.transformations)
        nodes = await self.calls.call(
            run_transformations,
            arun_transformations,
            inputs,
            with_rules(self.transformations, rules),
            in_place=False,
            show_progress=show_progress,
        )
        listed, before = await self.versions.nodes([*groups], read=kept)
        share = self.context
        model = self.embed_model if embeds_documents(self.embed_model) else None
        edit = await self.calls.compute(plan_edit, groups, nodes, known, listed, before, share, metadata, model)
        states = {name: states[name]._replace(sources=[*sources[name]]) for name in known}
        keys: dict[str, dict[str, Any] | None] = {key: None for state in known.values() for key in state.sources}
        keys |= {key: entry for name in known for key, entry in sources[name].items()}
        vectors = await self._embed(edit.plan, model, show_progress)

        def plan() -> tuple[Writes, Entries]:
            """What is to be written, once all is embedded."""
            for row in islice(chain.from_iterable(vectors), 1):
                check_new_rows(self.index.vector_store, row, self.changing)
            changed = _make_rows(edit.plan, [*chain.from_iterable(vectors)], self.index.vector_store.stores_text)
            entries = self.versions.entries(_list_nodes(groups, nodes), keys, edit.stored, edit.stale)
            return plan_writes(edit, changed, known, listed, states), entries

        writes, entries = await self.calls.compute(plan)
        await self.versions.note(writes.noted)
        if writes.rows and not self.index.vector_store.stores_text:
            await self.calls.compute(self._list, writes.rows)
        await self._add(writes.early, edit.old)
        if self.words is not None:
            words = await self.calls.compute(put_leaf_words, self.words, edit.leaves, groups, bool(edit.seen), rules)
        turn = await self.versions.commit(writes.committed, entries)
        if self.words is not None and edit.seen:
            await self.calls.compute(self.words.put, words)
        if writes.gone:
            await delete_rows(self.calls, self.index.vector_store, writes.gone)
            await self.calls.compute(self._unlist, writes.gone)
        if writes.late:
            await self._add(writes.late, edit.old)
        if writes.committed is not writes.made:
            await self.versions.note({name: state._replace(turn=turn) for name, state in writes.made.items()})

    async def _embed(
        self, plan: Sequence[ChangedRows], model: DocumentEmbedder | None, show_progress: bool
    ) -> list[list[list[float]]]:
        """Returns the embeddings of the rows that change. model: what embeds the leaves of a document together."""
        batch, abatch = self.embed_model.get_text_embedding_batch, abatch_of(self.embed_model)
        embed = partial(self.calls.call, batch, abatch, show_progress=show_progress)
        return await RowEmbedder(self.calls, embed, model).vectors([(rows.line, rows.numbers) for rows in plan])

    async def _add(self, rows: Sequence[BaseNode], old: Container[str]) -> None:
        """Adds rows to the vector store, after they are in the index's own list if it has one: a search fails at a row
        that is not. old: the ids of rows that may be there."""
        store = self.index.vector_store
        again = [row.node_id for row in rows if row.node_id in old]
        if again and not replaces_rows(store):
            await delete_rows(self.calls, store, again)
        for batch in iter_batch(rows, rows_per_call(self.calls, store, ROWS_PER_CALL)):
            ids = await self.calls.write(store.add, awaited(store.add, store.async_add), batch)
            others = {text_id: row for row, text_id in zip(batch, ids, strict=True) if text_id != row.node_id}
            if others and not store.stores_text:
                await self.calls.compute(self._list, others)

    def _list(self, rows: Mapping[str, BaseNode]) -> None:
        """Puts rows into the index's own list, which it has for a vector store that keeps no texts."""
        struct = self.index.index_struct
        for text_id, node in rows.items():
            struct.add_node(node, text_id=text_id)
        self.index.storage_context.index_store.add_index_struct(struct)

    def _unlist(self, ids: Iterable[str]) -> None:
        """Takes rows out of the index's own list."""
        rows = self.index.index_struct.nodes_dict
        if [rows.pop(name) for name in ids if name in rows]:
            self.index.storage_context.index_store.add_index_struct(self.index.index_struct)

    # -- what the stores know of a document -------------------------------------------------------------------------

    async def _find_lost(self, states: Mapping[str, DocumentState]) -> set[str]:
        """Returns the documents whose last row the vector store does not have. states: of those that are written."""
        rows = {name: state.row for name, state in states.items() if state.row}
        if not rows:
            return set()
        return find_lost(rows, await find_present_rows(self.calls, self.index.vector_store, list(rows.values())))


def _list_nodes(groups: Mapping[str, Sequence[BaseNode]], nodes: Iterable[BaseNode]) -> dict[str, RefDocInfo]:
    """Returns what a document store lists of each document. nodes: those of all of them."""
    infos = {name: RefDocInfo([], group[0].metadata) for name, group in groups.items()}
    for node in nodes:
        infos[str(node.ref_doc_id)].node_ids.append(node.node_id)
    return infos


def _make_rows(plan: Sequence[ChangedRows], vectors: Sequence[list[float]], stores_text: bool) -> list[BaseNode]:
    """Returns the nodes of rows as a vector store is given them: with their vectors, where they can be used.

    stores_text: whether the store keeps more of a node than its metadata and its document, which are all that the
    others need.
    """
    texts = [rows.line.texts[at] for rows in plan for at in rows.numbers]
    unusable = find_unusable_rows(vectors, texts)
    given = [pair for rows in plan for pair in zip(rows.nodes, rows.metadata, strict=True)]
    made: list[BaseNode] = []
    for number, ((node, metadata), vector) in enumerate(zip(given, vectors, strict=True)):
        fields: dict[str, Any] = {"metadata": metadata, "embedding": None if number in unusable else vector}
        if not stores_text:
            source = node.source_node
            fields["relationships"] = {} if source is None else {NodeRelationship.SOURCE: source}
        made.append(node.model_copy(update=fields))
    return made


def is_in_scope(metadata: Mapping[str, Any], scope: Mapping[str, Any] | None) -> bool:
    """Whether a document's metadata have what a scope says, if there is one."""
    return all(key in metadata and metadata[key] == value for key, value in (scope or {}).items())


def join_nodes(before: Iterable[BaseNode], groups: Mapping[str, Sequence[BaseNode]]) -> dict[str, list[BaseNode]]:
    """Returns the nodes that documents have, and those that are added, which take the place of those of their ids."""
    joined: dict[str, dict[str, BaseNode]] = {name: {} for name in groups}
    for node in chain(before, *groups.values()):
        joined[str(node.ref_doc_id)][node.node_id] = node
    return {name: [*nodes.values()] for name, nodes in joined.items()}


def group_by_document(documents: Sequence[BaseNode]) -> dict[str, list[BaseNode]]:
    """Groups documents, or nodes of documents, by the document's id.

    Raises `SettingError` for an id that is given twice, and for what is no document.
    """
    groups: dict[str, list[BaseNode]] = {}
    for document in check_documents(documents):
        name = document.ref_doc_id or document.node_id
        if not name:
            raise SettingError("a document has an empty id, under which it could not be deleted: give it another")
        groups.setdefault(name, []).append(document)
    for name, group in groups.items():
        if len(group) > 1 and any(document.ref_doc_id is None for document in group):
            raise SettingError(f"{len(group)} documents have the id {name!r}: give each its own")
    return groups
