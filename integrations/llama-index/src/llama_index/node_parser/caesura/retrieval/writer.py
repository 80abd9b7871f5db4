"""Writer of an index: brings a document store and a vector store up to date."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.ingestion.pipeline import arun_transformations, run_transformations
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, RelatedNodeInfo, TransformComponent
from llama_index.core.storage.docstore.types import RefDocInfo
from llama_index.core.storage.index_store import SimpleIndexStore
from llama_index.core.storage.index_store.types import BaseIndexStore
from llama_index.core.utils import get_tqdm_iterable, iter_batch
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from caesura.batch import SECTION
from caesura.errors import SettingError
from caesura.sansio import Awaiting, Calls
from caesura_documents.caller_warning import warn_caller
from caesura_documents.join_pages import PAGED, warn_of_glued_pages
from caesura_documents.outline import Outline, outline
from caesura_retrieval.document_embedders import DocumentEmbedder, embeds_documents
from caesura_retrieval.leaning import AROUND
from caesura_retrieval.row_plan import RowEmbedder, RowMemory
from caesura_retrieval.upkeep import (
    Changes,
    check_gone,
    check_same_user,
    check_scope,
    divide,
    find_lost,
    find_unusable_rows,
    is_in_scope,
    is_of_user,
    rows_per_call,
)
from caesura_retrieval.word_index import WordDocument, WordIndex
from caesura_store.key_locks import KeyLock
from llama_index.node_parser.caesura.base import index_metadata, with_rules
from llama_index.node_parser.caesura.embeddings import abatch_of, embeds_in_thread
from llama_index.node_parser.caesura.hierarchy_parser import SemanticHierarchyParser
from llama_index.node_parser.caesura.join_pages import load_page
from llama_index.node_parser.caesura.node_metadata import NodeMetadata
from llama_index.node_parser.caesura.node_sections import NodeSection, SectionPlan, may_have_sections, split_ids
from llama_index.node_parser.caesura.nodes import check_documents, copy_node, document_id
from llama_index.node_parser.caesura.retrieval.docstore import DocumentState, Entries, SQLiteDocumentStore, Versions
from llama_index.node_parser.caesura.retrieval.document_states import (
    RANDOM_ID,
    document_states,
    find_sources,
    known_ids,
)
from llama_index.node_parser.caesura.retrieval.edits import ChangedRows, Writes, plan_edit, plan_writes
from llama_index.node_parser.caesura.retrieval.leaf_words import put_leaf_words, word_name
from llama_index.node_parser.caesura.retrieval.node_records import Record, decode_node, move
from llama_index.node_parser.caesura.retrieval.packed_stores import HierarchyStruct
from llama_index.node_parser.caesura.vector_store_quirks import (
    ROWS_PER_CALL,
    awaited,
    check_new_rows,
    delete_rows,
    find_present_rows,
    replaces_rows,
    untrack_rows,
)

T = TypeVar("T")
Sources: TypeAlias = dict[str, dict[str, dict[str, Any]]]
"""Documents with random ids, and the keys that each is known by, with what is known there."""
Seen: TypeAlias = dict[str, dict[str, Any] | None]
"""What an index knows under each of these keys, as far as the call knows; None: nothing."""
RETRIES = 20
"""Times at most that documents with random ids are recognised anew, where another writer came between."""
CHARACTERS = 500_000
"""Characters of documents that are written together; of a longer one, all. Nodes of more stop the event loop: Python's
collector of garbage looks through all of them at once."""
REQUESTS = 8
"""Batches of texts that an awaited model embeds at once, where it does not say how many it may."""
DELETION = "delete_ref_doc(id) does that for each"
"""How documents are deleted on purpose, for errors."""


class _Made(NamedTuple):
    """The nodes that documents are to have; of those in sections the ones that change, and those around them.

    metadata: what nodes say of their places. listed: the ids of each document's nodes before, as far as they are such.
    before: what is kept of these. sections: of the nodes before and then, by their ids, where offsets are kept as they
    are in the section; None: nowhere. moves: the other nodes, by their ids, and what is added to the offsets of each.
    """

    nodes: Sequence[BaseNode]
    metadata: NodeMetadata
    listed: dict[str, list[str]]
    before: Mapping[str, Record]
    sections: tuple[dict[str, NodeSection], dict[str, NodeSection]] | None = None
    moves: Mapping[str, int] = MappingProxyType({})


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

    adds_nodes: whether what is given is added to the nodes that a document has. memory: the rows that were embedded
    last; it forgets them where documents are embedded anew, or their rows are refused. written: whether each document
    that was given was new or changed. renamed: the ids of documents with random ids, and those that they had before.
    changing: the ids of all documents that are given or go. unsaved: the ids of rows that went into the index's own
    list, or out of it, since the index store was given it. is_whole: whether what is given is all that there is to be,
    so that a document may be another user's now.
    """

    vector_store: BasePydanticVectorStore
    index_store: BaseIndexStore
    struct: HierarchyStruct
    versions: Versions
    transformations: Sequence[TransformComponent]
    embed_model: BaseEmbedding
    context: float
    batch_size: int
    calls: Calls
    adds_nodes: bool
    memory: RowMemory
    words: WordIndex | None
    written: dict[str, bool] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    changing: set[str] = field(default_factory=set)
    unsaved: set[str] = field(default_factory=set)
    is_whole: bool = False

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
        own = replace(self, is_whole=scope is None)
        return await own._repeat(partial(own._sync, documents, scope, show_progress))

    async def _sync(
        self, documents: Sequence[BaseNode], scope: Mapping[str, Any] | None, show_progress: bool
    ) -> Changes:
        check_scope(scope)
        groups, sources, seen = await self._recognise(documents)
        known = await self.versions.metadata()
        own = [name for name, metadata in known.items() if is_in_scope(metadata, scope)]
        for name, group in groups.items():
            for other in (each.metadata for each in group if not is_in_scope(each.metadata, scope)):
                raise SettingError(
                    f"all documents must have the scope {scope!r} in their metadata, {name!r} has "
                    f"{ {key: other.get(key) for key in scope or ()} }: add it, or leave the document out"
                )
        if others := sorted(groups.keys() & known.keys() - {*own}):
            raise SettingError(f"{others[0]!r} is the id of a document outside of the scope {scope!r}: give another id")
        gone = check_gone(own, groups, scope, DELETION)
        self.changing.update(gone)
        changes = await self._upsert(groups, sources, seen, show_progress)
        for some in iter_batch(gone, self.batch_size):
            await self._alone(some, partial(self._delete, some))
        left = [name for name in await self.versions.unlisted(known) if name not in groups]
        done = [await self._alone(some, partial(self._finish, some)) for some in iter_batch(left, self.batch_size)]
        return changes._replace(deleted=len(gone) + sum(each.deleted for each in done))

    async def delete(self, document_id: str, scope: Mapping[str, Any] | None) -> Changes:
        """Brings the stores to hold nothing of a document; with a scope, only if the document is in it. Raises
        `SettingError` for a scope that says nothing."""
        if not isinstance(document_id, str):
            raise SettingError(
                f"ref_doc_id must be the id of one document, a str, got {document_id!r:.80}: for several documents, "
                f"call delete_ref_doc with the id of each"
            )
        check_scope(scope)
        return await self._alone([document_id], partial(self._delete, [document_id], scope))

    async def _repeat(self, work: Callable[[], Awaitable[Changes]]) -> Changes:
        """Does the work, and again if another writer came between."""
        for _ in range(RETRIES):
            with suppress(CrossedWritesError):
                return await work()
        return await work()

    async def _recognise(self, documents: Sequence[BaseNode]) -> tuple[dict[str, list[BaseNode]], Sources, Seen]:
        """Groups documents by id. Gives those with random ids that the index does not know the ids that their sources
        had before. Returns the groups, what each document with a random id can be known by, and what the index knew
        then under those keys."""
        groups = group_by_document(documents)
        if not any(map(RANDOM_ID.fullmatch, groups)):  # calls at the same time are written in their order then
            return groups, {}, {}
        sources = await self.calls.compute(find_sources, groups.values())
        known = await self.versions.sources([*chain.from_iterable(sources.values())])
        new = sources.keys() - (await self.versions.states([*sources])).keys()
        others = {key: old for key, old in known.items() if old["id"] not in groups}
        ids = known_ids({name: keys for name, keys in sources.items() if name in new}, others)
        self.renamed.update(ids)
        for name, old in ids.items():
            groups[old] = [groups.pop(name)[0].model_copy(update={"id_": old})]
        named = {ids.get(name, name): keys for name, keys in sources.items()}
        own = {name: {key: {**entry, "id": name} for key, entry in keys.items()} for name, keys in named.items()}
        return groups, own, {key: known.get(key) for keys in own.values() for key in keys}

    async def _upsert(
        self, groups: dict[str, list[BaseNode]], sources: Sources, seen: Seen, show_progress: bool
    ) -> Changes:
        done: list[Changes] = []
        self.changing.update(groups)
        sizes = [sum(len(each.get_content(MetadataMode.NONE)) for each in own) for own in groups.values()]
        batches = divide(groups, sizes, self.batch_size, CHARACTERS)
        try:
            for number, batch in enumerate(batches, 1):
                keys = dict.fromkeys(chain.from_iterable(sources.get(name, ()) for name in batch))
                write = partial(self._write, batch, sources, keys, seen, show_progress)
                done.append(await self._alone([*batch, *keys], write, number == len(batches)))
        finally:
            if self.unsaved:
                await self._alone([], self._save_list)
        return Changes(*map(sum, zip(*done, strict=True))) if done else Changes()

    async def _alone(self, names: Sequence[str], work: Callable[[], Awaitable[T]], is_last: bool = True) -> T:
        """Does the work while nobody else writes these documents. names: their ids, and keys that they are known by.
        is_last: whether the call writes no more then."""
        store = self.versions.docstore
        path = store.path if isinstance(store, SQLiteDocumentStore) else None
        lock = KeyLock(store, names, path, alone=True)  # LlamaIndex's stores in memory are not for two threads
        try:
            await self.calls.call(lock.__enter__, lock.__aenter__)
            result = await work()
            if self.unsaved and is_last:
                await self._save_list()
            return result
        finally:
            lock.__exit__()

    async def _write(
        self,
        groups: dict[str, list[BaseNode]],
        sources: Sources,
        keys: Iterable[str],
        seen: Seen,
        show_progress: bool,
    ) -> Changes:
        """As `upsert`, of one batch. groups: what there is of each document, by its id. keys: those of the batch's
        documents with random ids. seen: what the index knew under them, or was given by the batches before. Raises
        `CrossedWritesError` if that is not so any more."""
        before = {key: entry for key in keys if (entry := seen[key])}
        if keys and await self.versions.sources([*keys]) != before:
            raise CrossedWritesError(f"others keep writing {sorted(groups)[0]!r} too: upsert the documents once more")
        said = {
            name: each.metadata
            for name, group in groups.items()
            for each in group
            if any(map(is_of_user, each.metadata))
        }
        replaced: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = []
        if self.adds_nodes:
            await self.versions.check_own(chain(*groups.values()))
            listed, _ = await self.versions.listed([*groups])
            nodes = await self.versions.find_nodes([*chain(*listed.values())])
            old = {node.node_id: node.metadata for node in nodes}
            new = ((name, each) for name, group in groups.items() for each in group if each.node_id in old)
            replaced += ((name, each.metadata, old[each.node_id]) for name, each in new)
            groups = join_nodes(nodes, groups)
        elif said and not self.is_whole:
            owned = await self.versions.metadata([*said])
            replaced += ((name, said[name], metadata) for name, metadata in owned.items())
        for one in replaced:
            check_same_user(*one)
        states = await self.calls.compute(document_states, groups, self.transformations, self.embed_model, self.context)
        known = await self.versions.states(list(groups))
        await self.versions.check_new(groups.keys() - known.keys())
        lost = await self._find_lost(known)
        same = {name for name, state in known.items() if state.settings and state[:2] == states[name][:2]}
        changed = {name: group for name, group in groups.items() if name not in same or name in lost}
        if changed:
            if pages := [each for each in chain(*changed.values()) if not PAGED.isdisjoint(each.metadata)]:
                warn_of_glued_pages(map(load_page, pages), warn_caller)
            now = {name: known.get(name, DocumentState()) for name in changed}
            kept = {name for name, state in now.items() if state.settings == states[name].settings} - lost
            if any(state.settings and name not in kept for name, state in now.items()):
                self.memory.forget()
            owners = {key: entry["id"] for key, entry in before.items()}  # of a key that several have: the first
            own = {
                name: {
                    key: entry for key, entry in sources.get(name, {}).items() if owners.setdefault(key, name) == name
                }
                for name in groups
            }
            seen.update(await self._replace(changed, now, states, own, kept, show_progress))
        self.written.update(zip(groups, map(changed.__contains__, groups), strict=True))
        updated = len(changed.keys() & known.keys())
        return Changes(len(changed) - updated, updated, len(groups) - len(changed))

    async def _delete(self, names: Sequence[str], scope: Mapping[str, Any] | None = None) -> Changes:
        """As `delete`. Readers see no version from the commit on; then rows go, and words. What is left of a document
        that no reader sees goes whatever its scope was."""
        if scope is not None:
            seen = await self.versions.metadata(names)
            names = [name for name in names if name not in seen or is_in_scope(seen[name], scope)]
        known = await self.versions.states(names)
        await self.versions.check_new([name for name in names if name not in known])
        if not known:
            return Changes()
        listed, _ = await self.versions.listed([*known])
        gone = {name: [*listed[name], *state.pending] for name, state in known.items()}
        sections = {name: (state.sections, ()) for name, state in known.items() if state.sections}
        sources = dict.fromkeys(chain.from_iterable(state.sources for state in known.values()))
        stale = chain(*listed.values())
        entries = self.versions.entries(dict.fromkeys(known), sources, stale=stale, sections=sections)
        left = {name: DocumentState(pending=rows, sections=known[name].sections) for name, rows in gone.items()}
        await self.versions.commit(left, entries)
        await self._delete_rows([*chain(*gone.values())])
        if self.words is not None:
            parts = [word_name(name, each) for name, (own, _) in sections.items() for each in own]
            await self.calls.compute(self.words.delete, [*known, *parts])
        await self.versions.forget([*known])
        return Changes(deleted=len(known))

    async def _finish(self, names: Sequence[str]) -> Changes:
        """Deletes what is left of those documents that still no reader sees, whatever their scope was."""
        seen = await self.versions.metadata()
        return await self._delete([name for name in await self.versions.unlisted(seen) if name in names])

    # -- the parts of an upsert -------------------------------------------------------------------------------------

    async def _replace(
        self,
        groups: Mapping[str, Sequence[BaseNode]],
        known: Mapping[str, DocumentState],
        states: Mapping[str, DocumentState],
        sources: Sources,
        kept: Set[str],
        show_progress: bool,
    ) -> Seen:
        """Puts versions of documents in the place of the ones before. Returns what is known now under their keys.

        known: the states as they are. states: as they are to be. kept: the documents whose rows are by the same
        settings. A row that would be the same stays and is not embedded. Nothing is written before all is embedded. A
        row that changes under its id is written in the place of the old one where the store is known to allow it, else
        after the old one is gone.
        """
        keys: Seen = {key: None for state in known.values() for key in state.sources}
        keys |= {key: entry for name in known for key, entry in sources[name].items()}
        rules = cache(outline)
        plans = await self._plan_sections(groups, kept)
        made = await self._make_nodes(groups, known, kept, plans, rules, show_progress)
        model = self.embed_model if embeds_documents(self.embed_model) else None
        edit = await self.calls.compute(
            plan_edit,
            groups,
            made.nodes,
            known,
            made.listed,
            made.before,
            self.versions.encode_entries,
            self.context,
            made.metadata,
            model,
            made.sections,
        )
        vectors = await self._embed(edit.plan, model, show_progress)

        def plan() -> tuple[Writes, Entries]:
            """What is to be written, once all is embedded."""
            filed = _file_documents(groups, made.nodes, known, states, sources, plans)
            rows = self._make_rows(edit.plan, [*chain.from_iterable(vectors)])
            writes = plan_writes(edit, rows, known, made.listed, filed.states, made.moves)
            return writes, self.versions.entries(filed.lists, keys, edit.stored, edit.stale, filed.sections)

        try:
            writes, entries = await self.calls.compute(plan)
        except ValueError:
            self.memory.forget()
            raise
        await self.versions.note(writes.noted)
        if self.words is None:
            put_words = None
        else:
            put_words = partial(put_leaf_words, self.words, edit.leaves, groups, bool(edit.seen), rules, plans, known)
        await self._write_versions(writes, entries, made.moves, known, edit.old, put_words)
        return keys

    async def _write_versions(
        self,
        writes: Writes,
        entries: Entries,
        moves: Mapping[str, int],
        known: Mapping[str, DocumentState],
        old: Container[str],
        put_words: Callable[[], Mapping[str, WordDocument]] | None,
    ) -> None:
        """Writes versions of documents that are noted, in the order that `Writer` says. put_words: puts the words of
        leaves beside those that are there, and returns what is to be put once these are not seen any more. The other
        arguments are those of `_add`, and of `Versions.commit`."""
        if writes.rows and not self.vector_store.stores_text:
            await self._list({name: name for name in writes.rows})
        await self._add(writes.early, known, old)
        words = await self.calls.compute(put_words) if put_words is not None else {}
        turn = await self.versions.commit(writes.committed, entries, moves)
        if self.words is not None and words:
            await self.calls.compute(self.words.put, words)
        if writes.gone:
            await self._delete_rows(writes.gone)
        if writes.late:
            await self._add(writes.late, known, old)
        if writes.committed is not writes.made:
            await self.versions.note({name: state._replace(turn=turn) for name, state in writes.made.items()})

    async def _plan_sections(
        self, groups: Mapping[str, Sequence[BaseNode]], kept: Container[str]
    ) -> dict[str, SectionPlan]:
        """Returns the plans of the documents that are written in sections, with what is stored of them. kept: the
        documents whose rows are by the same settings."""
        parser = self.transformations[0] if len(self.transformations) == 1 else None
        long = [name for name, group in groups.items() if len(group[0].get_content(MetadataMode.NONE)) > SECTION]
        if not long or self.adds_nodes or self.versions.keeps_places is None or embeds_documents(self.embed_model):
            return {}
        if type(parser) is not SemanticHierarchyParser or not parser._by_section:
            return {}
        plans = {name: SectionPlan(groups[name][0]) for name in long if may_have_sections(groups[name])}
        stored = await self.versions.sections([name for name in plans if name in kept])
        listed, _ = await self.versions.listed([*stored])
        for name, sections in stored.items():
            if sum(each.nodes for each in sections) == len(listed[name]):
                plans[name].before, plans[name].old_ids = sections, split_ids(listed[name], sections)
        return plans

    async def _make_nodes(
        self,
        groups: Mapping[str, Sequence[BaseNode]],
        known: Mapping[str, DocumentState],
        kept: Set[str],
        plans: Mapping[str, SectionPlan],
        rules: Callable[[str], Outline],
        show_progress: bool,
    ) -> _Made:
        """Makes the nodes of documents, of those in sections as far as they are not stored. The arguments are those of
        `_replace` and what `_plan_sections` returned. rules: by which texts are outlined."""
        in_sections = {name for name, state in known.items() if state.sections or name in plans}
        in_parts = {name for name, plan in plans.items() if plan.before}
        while True:
            clashes = sum(len(plan.clashes) for plan in plans.values())
            metadata = index_metadata(self.transformations)
            nodes = await self.calls.call(
                run_transformations,
                arun_transformations,
                [*chain(*groups.values())],
                with_rules(self.transformations, rules, plans),
                in_place=False,
                show_progress=show_progress,
            )
            made = _Made(nodes, metadata, *await self.versions.listed([*groups], read=kept - in_parts))
            if not in_sections:
                return made
            if not self.versions.keeps_places:
                made = made._replace(sections=await self._sections_before(in_sections - in_parts, made.listed))
            for plan in plans.values():
                made = await self._join_stored(made, plan)
            if clashes == sum(len(plan.clashes) for plan in plans.values()):
                return made
            for plan in plans.values():
                plan.restart()

    async def _sections_before(
        self, names: Set[str], listed: Mapping[str, Sequence[str]]
    ) -> tuple[dict[str, NodeSection], dict[str, NodeSection]]:
        """Returns the sections of the nodes that documents have, by the nodes' ids, and those that they are to have:
        none. listed: the ids of their nodes."""
        stored = await self.versions.sections([*names])
        ids = ((own, split_ids(listed[name], own)) for name, own in stored.items())
        return {
            each: section for own, parts in ids for section, part in zip(own, parts, strict=True) for each in part
        }, {}

    async def _join_stored(self, made: _Made, plan: SectionPlan) -> _Made:
        """Adds the stored nodes of a document around the sections that are made or go."""
        name, sections, before = plan.document.node_id, plan.sections, plan.before
        touched = await self.calls.compute(plan.find_touched, AROUND) if before else {}
        beside = set().union(*touched.values())
        moves = {
            number: sections[number].start - before[at].start for number, at in enumerate(plan.known) if at is not None
        }
        if before:
            made.listed[name] = [*chain(*(plan.old_ids[at] for at in plan.gone())), *beside]
        records = await self.versions.read(made.listed[name]) if before else {}

        def sections_by_id(some: Sequence[NodeSection], ids: Sequence[Sequence[str]]) -> dict[str, NodeSection]:
            return {each: section for section, own in zip(some, ids, strict=True) for each in own}

        def join() -> _Made:
            of = sections_by_id(before, plan.old_ids), sections_by_id(sections, plan.ids)
            nodes = {node.node_id: node for node in made.nodes if node.ref_doc_id == name}
            for number, own in touched.items():
                if not records.keys() >= own:
                    plan.clashes.add(sections[number].name)  # what is lost is made
                    continue
                nodes |= {each: decode_node(move(records[each], moves[number])) for each in own}
            plan.link(nodes)
            ordered = [nodes[each] for each in chain(*plan.ids) if each in nodes]
            stay = {each: by for number, by in moves.items() for each in plan.ids[number] if each not in beside}
            return made._replace(
                nodes=[*(node for node in made.nodes if node.ref_doc_id != name), *ordered],
                before={**made.before, **records},
                sections=None if made.sections is None else (made.sections[0] | of[0], made.sections[1] | of[1]),
                moves={**made.moves, **stay},
            )

        return await self.calls.compute(join)

    def _make_rows(self, plan: Sequence[ChangedRows], vectors: Sequence[list[float]]) -> list[BaseNode]:
        """Returns the nodes of rows as the vector store is given them: with their vectors, where they can be used.

        A store that keeps no texts needs only the metadata of a node, and its document. Raises `SettingError` for rows
        of another length than those that the store has.
        """
        texts = [rows.line.texts[at] for rows in plan for at in rows.numbers]
        given = [pair for rows in plan for pair in zip(rows.nodes, rows.metadata, strict=True)]
        unusable = find_unusable_rows(vectors, texts, warn_caller)
        if vectors:
            check_new_rows(self.vector_store, vectors[0], self.changing)
        made, sources = list[BaseNode](), dict[str | None, dict[NodeRelationship, RelatedNodeInfo]]({None: {}})
        for number, ((node, metadata), vector) in enumerate(zip(given, vectors, strict=True)):
            fields: dict[str, Any] = {"metadata": metadata, "embedding": None if number in unusable else vector}
            if not self.vector_store.stores_text:
                name = node.ref_doc_id
                if name is not None and name not in sources:
                    sources[name] = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=name)}
                fields["relationships"] = sources[name]
            made.append(copy_node(node, fields))
        return made

    async def _embed(
        self, plan: Sequence[ChangedRows], model: DocumentEmbedder | None, show_progress: bool
    ) -> list[list[list[float]]]:
        """Returns the embeddings of the rows that change. model: what embeds the leaves of a document together."""
        wanted = [(rows.line, rows.numbers) for rows in plan]
        own, requests = self.embed_model, 1
        if isinstance(self.calls, Awaiting) and not embeds_in_thread(own):
            requests = own.num_workers or REQUESTS
        embed = partial(self.calls.call, own.get_text_embedding_batch, abatch_of(own))
        progress = partial(get_tqdm_iterable, show_progress=show_progress, desc="Generating embeddings")
        embedder = RowEmbedder(self.calls, embed, model, self.memory, own.embed_batch_size, progress, requests)
        return await embedder.vectors(wanted)

    async def _add(self, rows: Sequence[BaseNode], known: Mapping[str, DocumentState], old: Container[str]) -> None:
        """Adds rows to the vector store, after they are in the index's own list if it has one: a search fails at a row
        that is not. known: the states of their documents. old: the ids of rows that may be there."""
        store, names = self.vector_store, [row.node_id for row in rows]
        step = rows_per_call(self.calls, store, ROWS_PER_CALL)
        if not replaces_rows(store):
            strange = await self._find_strange([row for row in rows if row.node_id not in old], known)
            if strange:
                warn_caller(
                    f"the vector store had rows of {len(strange)} of the new texts, which an index with another "
                    f"docstore wrote: this index takes them over. If the other index is still used, it may not find "
                    f"these texts: give each index a vector store of its own, such as another collection"
                )
            if again := [name for name in names if name in old or name in strange]:
                await delete_rows(self.calls, store, again)
        for at in range(0, len(rows), step):
            batch, own = rows[at : at + step], names[at : at + step]
            ids = await self.calls.write(store.add, awaited(store.add, store.async_add), batch)
            untrack_rows(store, own)
            if not store.stores_text and [*ids] != own:
                await self._list(dict(zip(ids, own, strict=True)))

    async def _find_strange(self, rows: Sequence[BaseNode], known: Mapping[str, DocumentState]) -> set[str]:
        """Returns the ids of those rows of new documents that the vector store has already, from an index whose
        document store is gone: some stores keep such a row as it is, or beside the new one. known: the states."""
        ids = [row.node_id for row in rows if known[document_id(row)] == DocumentState()]
        return {*ids}.intersection(await find_present_rows(self.calls, self.vector_store, ids) or ()) if ids else set()

    async def _delete_rows(self, ids: Sequence[str]) -> None:
        """Deletes rows, then takes them out of the index's own list."""
        await delete_rows(self.calls, self.vector_store, ids)
        rows = self.struct.nodes_dict
        self.unsaved.update([name for name in ids if rows.pop(name, None) is not None])

    async def _list(self, rows: Mapping[str, str]) -> None:
        """Puts rows into the index's own list, which it has for a vector store that keeps no texts. rows: the ids of
        their nodes, by the ids that the store has for them."""
        self.struct.nodes_dict.update(rows)
        self.unsaved.update(rows)
        if not isinstance(self.index_store, SimpleIndexStore):  # which the end of the process empties
            await self._save_list()

    async def _save_list(self) -> None:
        """Gives the index store the whole list, which it writes whole."""
        await self.calls.compute(self.index_store.add_index_struct, self.struct)
        self.unsaved.clear()

    # -- what the stores know of a document -------------------------------------------------------------------------

    async def _find_lost(self, states: Mapping[str, DocumentState]) -> set[str]:
        """Returns the documents whose last row the vector store does not have. states: of those that are written."""
        rows = {name: state.row for name, state in states.items() if state.row}
        if not rows:
            return set()
        return find_lost(rows, await find_present_rows(self.calls, self.vector_store, list(rows.values())))


class _Filed(NamedTuple):
    """What is filed of documents, beside their nodes and rows.

    lists: what a document store lists of each. states: theirs, without a row. sections: of those that have sections or
    had some, the names of those before, and the sections that they are to have.
    """

    lists: dict[str, RefDocInfo]
    states: dict[str, DocumentState]
    sections: dict[str, tuple[Sequence[str], Sequence[NodeSection]]]


def _file_documents(
    groups: Mapping[str, Sequence[BaseNode]],
    nodes: Iterable[BaseNode],
    known: Mapping[str, DocumentState],
    states: Mapping[str, DocumentState],
    sources: Sources,
    plans: Mapping[str, SectionPlan],
) -> _Filed:
    """Returns what is filed where documents have these nodes. The arguments are those of `Writer._replace`; of
    documents in sections, their plans have the ids of all nodes."""
    lists = {name: RefDocInfo([], group[0].metadata) for name, group in groups.items()}
    for node in nodes:
        lists[str(node.ref_doc_id)].node_ids.append(node.node_id)
    sections: dict[str, tuple[Sequence[str], Sequence[NodeSection]]] = {
        name: (state.sections, ()) for name, state in known.items() if state.sections
    }
    for name, plan in plans.items():
        lists[name].node_ids = [*chain(*plan.ids)]
        sections[name] = known[name].sections, plan.sections
    own: dict[str, DocumentState] = {}
    for name, info in lists.items():
        names = plans[name].names() if name in plans else ()
        first = next(iter(info.node_ids), "")
        own[name] = states[name]._replace(sources=[*sources[name]], first=first, sections=names)
    return _Filed(lists, own, sections)


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
