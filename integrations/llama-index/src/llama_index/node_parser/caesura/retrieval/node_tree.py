"""Tree of nodes: those that were found, and what they lead to in the document store."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from asyncio import gather
from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from typing import Any, TypeAlias

from llama_index.core.schema import BaseNode, IndexNode, NodeWithScore
from llama_index.core.storage.docstore.types import BaseDocumentStore

from caesura.sansio import Calls
from caesura_retrieval.parent_merging import merge_up
from caesura_retrieval.upkeep import SEARCHES_AGAIN
from llama_index.node_parser.caesura.node_metadata import with_whole_place
from llama_index.node_parser.caesura.retrieval.docstore import (
    SQLiteDocumentStore,
    Versions,
    reads_in_memory,
)
from llama_index.node_parser.caesura.retrieval.node_records import TreeNode, read_tree_nodes

logger: logging.Logger = logging.getLogger(__name__)
PAUSE = 0.01
"""Seconds until the next search where a document is just being changed."""


Passes: TypeAlias = Callable[[BaseNode], bool]
"""Whether a filter lets a node through, by what the node itself says."""


class NodeTree:
    """Found nodes, those of the docstore that they lead to, and who is whose parent."""

    def __init__(
        self,
        docstore: BaseDocumentStore,
        objects: Container[str],
        calls: Calls,
        passes: Passes | None = None,
        versions: Versions | None = None,
        left_out: Set[str] = frozenset(),
    ) -> None:
        """See the class. objects: what references to other things than nodes name. calls: of the docstore. passes: the
        filter that holds for all that is returned; None: there is none. versions: of the docstore's documents; None: no
        index writes to it. left_out: documents of which no node is read."""
        self.docstore = docstore
        self.objects = objects
        self.calls = calls
        self.passes = passes
        self.versions = versions
        self.left_out = left_out
        self.nodes: dict[str, TreeNode] = {}
        self.confirmed: set[str] = set()
        """The nodes that a search under the filter found."""
        self.rows: dict[str, Mapping[str, Any]] = {}
        """What the rows of found nodes say, as far as that is known."""
        self.finds: dict[str, tuple[int, float]] = {}
        """The place in the order of finds, and the best score."""
        self.missing: dict[str, str] = {}
        """What is not in the docstore, and what leads to it; "" where that is no fault, as of another's row."""
        self.changed: Set[str] = set()
        """The documents of which several versions may have been read."""
        self._starts: dict[str, int] = {}
        """Where sections begin in documents of one turn: see `search_whole`."""
        self._shown: dict[str, bool] = {}

    async def fetch(self, names: Mapping[str, str]) -> None:
        """Reads from the docstore the nodes that are neither here nor missing. names: with what leads to each."""
        wanted = [name for name in names if name not in self.nodes and name not in self.missing]
        if not wanted:
            return
        self._shown.clear()
        store = self.docstore
        if isinstance(store, SQLiteDocumentStore):
            records = await self.calls.compute(store.kvstore.read, wanted, store._node_collection, self._starts)
            self._take(read_tree_nodes(wanted, records, self._starts), names, wanted)
            return

        def get(name: str) -> BaseNode | None:
            with suppress(KeyError):  # `SimpleDocumentStore` looks twice, and a writer may come between
                return store.get_document(name, raise_error=False)
            return None

        def get_each() -> list[BaseNode | None]:
            return [get(name) for name in wanted]

        async def aget_each() -> list[BaseNode | None]:
            return await gather(*(store.aget_document(name, raise_error=False) for name in wanted))

        if reads_in_memory(store):
            nodes = await self.calls.compute(get_each)
        else:
            nodes = await self.calls.call(get_each, aget_each)
        self._take(read_tree_nodes(wanted, nodes), names, wanted)

    def _take(self, read: Mapping[str, TreeNode], names: Mapping[str, str], wanted: Iterable[str]) -> None:
        """Takes in what was read of what was wanted, but for documents that are left out. names: see `fetch`."""
        self.missing.update((name, names[name]) for name in wanted if name not in read)
        for name, node in read.items():
            if node.document not in self.left_out:
                self.nodes[name] = node

    async def follow(self, results: Sequence[NodeWithScore]) -> None:
        """Takes in what was found. A reference is followed to its node, over other references."""
        self.nodes.update((each.node.node_id, TreeNode.of(each.node)) for each in reversed(results))
        targets = await self.resolve([each.node.node_id for each in results])
        for place, each in enumerate(results):
            name = targets[each.node.node_id]
            first, best = self.finds.get(name, (place, each.get_score()))
            self.finds[name] = first, max(best, each.get_score())

    async def resolve(self, names: Sequence[str]) -> dict[str, str]:
        """Takes in what these nodes refer to, if they are references. Returns what each that is here stands for."""
        level = [self.nodes[name] for name in names if name in self.nodes]
        while level:
            known = set(self.nodes)
            references = [reference for node in level if (reference := self._reference(node)) is not None]
            targets = {node.index_id: f"which {node.node_id} refers to" for node in references}
            await self.fetch(targets)
            level = [self.nodes[name] for name in targets if name in self.nodes and name not in known]
        return {name: self._target(name) for name in names if name in self.nodes}

    def _reference(self, node: TreeNode) -> IndexNode | None:
        """The node, if it stands for another, and not for an object, which every retriever of LlamaIndex follows."""
        own = node.reference
        return None if own is None or own.obj is not None or own.index_id in self.objects else own

    def _target(self, name: str) -> str:
        """Returns the node that this one stands for: itself, unless it is a reference."""
        seen = set[str]()
        while (
            (own := self._reference(self.nodes[name])) is not None and name not in seen and own.index_id in self.nodes
        ):
            seen.add(name)
            name = own.index_id
        return name

    async def ascend(self, names: Iterable[str]) -> None:
        """Takes in the parents of these nodes, and theirs, up to the roots."""
        level = list(names)
        while level:
            above = {parent: f"the parent of {name}" for name in level if (parent := self.parent(name)) is not None}
            known = set(self.nodes)
            await self.fetch(above)
            level = [name for name in above if name in self.nodes and name not in known]

    async def descend(self, names: Iterable[str]) -> None:
        """Takes in all that is below these nodes."""
        level, seen = list(names), set[str]()
        while level:
            seen.update(level)
            nodes = [self.nodes[name] for name in level if name in self.nodes]
            below = {child: f"a child of {node.node_id}" for node in nodes for child in node.children}
            await self.fetch(below)
            level = [name for name in below if name not in seen]

    def parent(self, name: str) -> str | None:
        """The id of a node's parent, if it has one."""
        return self.nodes[name].parent

    def root(self, name: str) -> TreeNode | None:
        """Returns the outermost node that is here around one; None where a filter may hide some of it."""
        seen = {name}
        while name in self.nodes and (parent := self.parent(name)) in self.nodes and parent not in seen:
            seen.add(name := str(parent))
        return self.nodes.get(name) if self.passes is None else None

    async def beginnings(self, names: Iterable[str]) -> dict[str, str]:
        """Returns for these nodes the text of the outermost one that their document begins with, as far as that is
        known; for none where a filter may hide some of it."""
        roots = {name: root for name in names if (root := self.root(name)) is not None}
        store, firsts = self.docstore, dict[str, str]()
        later = [root for root in roots.values() if root.start and root.end == root.start + len(root.text)]
        documents = [*dict.fromkeys(root.document for root in later)]
        if self.versions is not None:
            states = await self.versions.states(documents)
            firsts = {document: state.first for document, state in states.items() if state.first}
            documents = []
        for document in documents:
            info = await self.calls.call(store.get_ref_doc_info, store.aget_ref_doc_info, document)
            if info is not None and info.node_ids:
                firsts[document] = info.node_ids[0]
        await self.fetch(dict.fromkeys(firsts.values(), ""))
        first = {document: self.nodes[name] for document, name in firsts.items() if name in self.nodes}
        tops = {name: first.get(root.document, root) for name, root in roots.items()}
        return {name: top.text for name, top in tops.items() if top.start == 0}

    def families(self) -> tuple[dict[str, list[str]], dict[str, str]]:
        """Returns the children of each node that is here, and the parent of each whose parent is here and says that it
        is its child: another parent is of another version of the document."""
        nodes = self.nodes
        children = {name: node.children for name, node in nodes.items()}
        parents = {
            child: name
            for name, ids in children.items()
            for child in ids
            if child in nodes and nodes[child].parent == name
        }
        return children, parents

    def shows(self, name: str) -> bool:
        """Whether the filter hides nothing of a node's text: all that is below it is shown, and it passes itself where
        its children are not all of its text. What is below it has to be here, see `descend`."""
        if self.passes is None:
            return True
        if name not in self._shown:
            self._shown[name] = False  # for a node that is below itself
            self._shown[name] = name in self.nodes and self._is_shown(self.nodes[name], self.passes)
        return self._shown[name]

    def _is_shown(self, node: TreeNode, passes: Passes) -> bool:
        if not all(map(self.shows, node.children)):
            return False
        is_found = node.node_id in self.confirmed and self.is_of_row(node.node)
        return is_found or passes(node.node) or _are_all_of(node, [self.nodes[name] for name in node.children])

    def is_of_row(self, node: BaseNode) -> bool:
        """Whether the row by which a node was found says what the node says, but for its place. Else another index
        wrote the row, which has a node of the same id: it may pass a filter that the node does not pass."""
        if (row := self.rows.get(node.node_id)) is None:
            return True
        own, places = with_whole_place(node).metadata, node.excluded_llm_metadata_keys
        return row.keys() <= own.keys() <= {*row, *places} and all(
            own[key] == said or json.dumps(own[key], default=repr) == json.dumps(said, default=repr)
            for key, said in row.items()
        )

    async def merge(self, ratio: float) -> dict[str, list[str]]:
        """Returns the names to return, each with the finds that are it or lie inside it, by `merge_up`.

        A parent that says who its children are does not count a node of an older version of its document. No node is
        returned of which the filter hides something.
        """
        hidden: set[str] = set()
        while True:
            tops = self._merge(ratio, hidden)
            if self.passes is None:
                return tops
            await self.descend(tops)
            new = {name for name in tops if not self.shows(name)}
            if not new:
                return tops
            hidden |= new

    def _merge(self, ratio: float, hidden: Set[str]) -> dict[str, list[str]]:
        children = {name: {*node.children} for name, node in self.nodes.items()}
        counted: dict[str, str] = {}
        for name in self.nodes:
            parent = self.parent(name)
            if parent in children and parent not in hidden and (name in children[parent] or not children[parent]):
                counted[name] = parent
        counts = {name: len(ids) for name, ids in children.items()}
        finds = [name for name in self.finds if name not in hidden]
        return self.outermost(merge_up(finds, counted, counts, ratio))

    def outermost(self, finds: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
        """Names, and the finds in each -> those inside none of the others, with what is in these.

        By name, so that nothing depends on the order of finds.
        """
        tops: dict[str, list[str]] = {}
        for name in sorted(finds):
            top, seen = name, {name}
            parent = self.parent(name)
            while parent is not None and parent in self.nodes and parent not in seen:
                top = parent if parent in finds else top
                seen.add(parent)
                parent = self.parent(parent)
            tops.setdefault(top, []).extend(finds[name])
        return dict(sorted(tops.items()))


def start_within(inner: TreeNode | None, outer: TreeNode) -> int | None:
    """Returns where a node starts in another; None where it is not known to be a slice of it."""
    if inner is None or not outer.is_sliced:
        return None
    if inner is outer:
        return 0
    if inner.start is None or outer.start is None:
        return None
    start = inner.start - outer.start
    return start if start >= 0 and inner.text and outer.text.startswith(inner.text, start) else None


def is_covered(text: str, start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether only whitespace of a slice of the text lies outside the spans."""
    for first, last in sorted(spans):
        if first >= end or text[start:first].strip():
            break
        start = max(start, last)
    return not text[start:end].strip()


def _are_all_of(node: TreeNode, children: Iterable[TreeNode]) -> bool:
    """Whether a node's text is that of its children."""
    starts = [(start, child) for child in children if (start := start_within(child, node)) is not None]
    spans = [(start, start + len(child.text)) for start, child in starts]
    return bool(spans) and is_covered(node.text, 0, len(node.text), spans)


async def search_whole(
    docstore: BaseDocumentStore,
    calls: Calls,
    search: Callable[[NodeTree], Awaitable[None]],
    objects: Container[str] = (),
    passes: Passes | None = None,
) -> NodeTree:
    """Searches until no document that was read was changed meanwhile, and logs what is lost.

    search: takes what it finds into a tree. objects and passes: of the tree. A writer may come between a search and the
    look into the document store, or between two looks. Then the next search finds the new version. A document that
    changes during all searches is among those that are `changed`. Further searches, `SEARCHES_AGAIN` at most, leave it
    out, so that it takes the place of no other.
    """
    versions, missed, left = Versions.of(docstore, calls), set[str](), SEARCHES_AGAIN
    left_out: Set[str] = frozenset()
    is_file = isinstance(docstore, SQLiteDocumentStore)
    while True:
        turn = 0 if versions is None else await versions.turn()
        tree = NodeTree(docstore, objects, calls, passes, versions, left_out)
        await search(tree)
        is_moved = not tree.missing.keys() <= missed
        if versions is not None:
            is_still = is_file and await versions.turn() == turn
            if is_file:
                is_moved = bool(tree.missing) and not is_still
            if not is_still:
                tree.changed = await versions.changed({node.document for node in tree.nodes.values()}, turn)
        new = tree.changed - left_out
        if (not new and (not is_moved or left <= 0)) or left <= -SEARCHES_AGAIN:
            break
        if left <= 0:
            left_out |= new
        elif new:
            await calls.call(lambda: time.sleep(PAUSE), lambda: asyncio.sleep(PAUSE))
        missed, left = set(tree.missing), left - 1
    tree.changed |= left_out
    for name in sorted(tree.changed):
        logger.warning("document %r is left out: it changed during each of %d searches", name, 1 + SEARCHES_AGAIN)
    for name, reason in sorted(tree.missing.items()):
        if reason and not tree.changed:
            logger.warning(
                "%s, %s, is not in the docstore, and is left out: it was lost. A HierarchyIndex makes the document "
                "whole by delete_ref_doc(id) and upsert([document]); a docstore of your own needs the nodes of all "
                "levels, docstore.add_documents(nodes)",
                name,
                reason,
            )
    return tree
