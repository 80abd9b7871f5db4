"""Nodes that were found in, and their parents, the share of them that was found, and the gaps between them out."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeGuard

from llama_index.core.schema import BaseNode, IndexNode, NodeWithScore
from llama_index.core.storage.docstore.types import BaseDocumentStore

from caesura.merging import enough
from caesura.steps import Step, Steps


class Family:
    """Found nodes, those of the docstore that they lead to, and who is whose parent."""

    def __init__(self, docstore: BaseDocumentStore, objects: Container[str]) -> None:
        """See the class. objects: what references to other things than nodes name."""
        self.docstore = docstore
        self.objects = objects
        self.nodes: dict[str, BaseNode] = {}
        self.finds: dict[str, tuple[int, float]] = {}
        """The place in the order of finds, and the best score."""
        self.missing: dict[str, str] = {}
        """What is not in the docstore, and what leads to it."""

    def fetch(self, names: Mapping[str, str]) -> Steps[None]:
        """Names, and what leads to each: takes those out of the docstore that are neither here nor missing."""
        wanted = [name for name in names if name not in self.nodes and name not in self.missing]
        if not wanted:
            return

        def get(name: str) -> BaseNode | None:
            with suppress(KeyError):  # `SimpleDocumentStore` looks twice, and a writer may come between
                return self.docstore.get_document(name, raise_error=False)
            return None

        async def aget() -> list[BaseNode | None]:
            return await gather(*(self.docstore.aget_document(name, raise_error=False) for name in wanted))

        found = yield Step(lambda: list(map(get, wanted)), aget)
        self.nodes.update((name, node) for name, node in zip(wanted, found, strict=True) if node is not None)
        self.missing.update((name, names[name]) for name in wanted if name not in self.nodes)

    def follow(self, found: Sequence[NodeWithScore]) -> Steps[None]:
        """Takes in what was found: a reference to a node of the docstore is followed to it, over other references."""
        self.nodes.update((each.node.node_id, each.node) for each in reversed(found))
        level = [each.node for each in found]
        while level:
            known = set(self.nodes)
            targets = {node.index_id: f"which {node.node_id} refers to" for node in level if self._refers(node)}
            yield from self.fetch(targets)
            level = [self.nodes[name] for name in targets if name in self.nodes and name not in known]
        for place, each in enumerate(found):
            node = self._target(each.node)
            first, best = self.finds.get(node.node_id, (place, each.get_score()))
            self.finds[node.node_id] = first, max(best, each.get_score())

    def _refers(self, node: BaseNode) -> TypeGuard[IndexNode]:
        """Whether a node stands for another, and not for an object, which every retriever of LlamaIndex follows."""
        return isinstance(node, IndexNode) and node.obj is None and node.index_id not in self.objects

    def _target(self, node: BaseNode) -> BaseNode:
        seen: set[str] = set()
        while self._refers(node) and node.node_id not in seen:
            if node.index_id not in self.nodes:
                break
            seen.add(node.node_id)
            node = self.nodes[node.index_id]
        return node

    def ascend(self) -> Steps[None]:
        """Takes in the parents of what was found, and theirs, up to the roots."""
        level = list(self.finds)
        while level:
            above = {parent: f"the parent of {name}" for name in level if (parent := self.parent(name)) is not None}
            known = set(self.nodes)
            yield from self.fetch(above)
            level = [name for name in above if name in self.nodes and name not in known]

    def parent(self, name: str) -> str | None:
        """The id of a node's parent, if it has one."""
        info = self.nodes[name].parent_node
        return None if info is None else info.node_id

    def merged(self, ratio: float) -> set[str]:
        """Returns the least set such that all finds are in it, and every parent of whose children at least `ratio` are.

        So the order of finds does not matter.
        """
        present = set(self.finds)
        level = present
        while level:
            parents = {parent for name in level if (parent := self.parent(name)) is not None} - present
            level = {parent for parent in parents if parent in self.nodes and self._takes_over(parent, present, ratio)}
            present = present | level
        return present

    def _takes_over(self, parent: str, present: set[str], ratio: float) -> bool:
        """Whether enough of a parent's children are present; they are, if it does not say who they are."""
        children = {info.node_id for info in self.nodes[parent].child_nodes or []}
        return not children or enough(len(children & present), len(children), ratio)

    def ancestors(self, name: str) -> list[str]:
        """The parent, its parent and so on, as far as they are known."""
        line: list[str] = []
        parent = self.parent(name)
        while parent is not None and parent in self.nodes and parent not in line:
            line.append(parent)
            parent = self.parent(parent)
        return line

    def tops(self, present: Iterable[str]) -> list[str]:
        """Those that are inside none of the others, by name, so that nothing depends on the order of a set."""
        names = set(present)
        return sorted(name for name in names if names.isdisjoint(self.ancestors(name)))

    def gaps(self, tops: Sequence[str]) -> dict[str, tuple[str, str]]:
        """The one node missing between two of the same parent -> the two."""
        before = {}
        for name in tops:
            if (info := self.nodes[name].prev_node) is not None:
                before[info.node_id] = name
        found: dict[str, tuple[str, str]] = {}
        for name in tops:
            info, parent = self.nodes[name].next_node, self.parent(name)
            if info is None or parent is None or info.node_id in tops or info.node_id not in before:
                continue
            other = before[info.node_id]
            if self.parent(other) == parent:
                found[info.node_id] = name, other
        return found

    def siblings(self, *names: str) -> bool:
        """Whether all are here and have the same parent."""
        return all(name in self.nodes for name in names) and len({self.parent(name) for name in names}) == 1

    def finds_within(self, tops: Sequence[str]) -> dict[str, list[tuple[int, float]]]:
        """For each, the finds that are it or inside it."""
        within: dict[str, list[tuple[int, float]]] = {top: [] for top in tops}
        for name, find in self.finds.items():
            for line in (name, *self.ancestors(name)):
                if line in within:
                    within[line].append(find)
        return within
