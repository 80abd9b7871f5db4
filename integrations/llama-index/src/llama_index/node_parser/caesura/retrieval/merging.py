"""What another retriever found in, fewer and larger nodes out: children give way to their parent."""

from __future__ import annotations

import logging
from asyncio import gather
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeGuard

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.schema import BaseNode, IndexNode, NodeWithScore, QueryBundle
from llama_index.core.storage.docstore.types import BaseDocumentStore

from caesura.errors import SettingError
from caesura.plugin.merging import SCORES, Score, check_merging, enough
from caesura.sansio import Step, Steps
from caesura.sansio import arun_steps as arun
from caesura.sansio import run_steps as run


class NodeTree:
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


_dispatcher = get_dispatcher(__name__)
logger: logging.Logger = logging.getLogger(__name__)

MAX_SEARCHES = 5
"""Searches more at most, where parents of what was found are not there: their documents were just changed."""


class MergingRetriever(BaseRetriever):
    """Returns a parent instead of its children where enough of them were found, from the smallest level to the largest.

    vector_retriever: any retriever of nodes that know their PARENT. docstore: where all nodes are, or at least those
    that have children. merge_ratio: a parent takes the place of its children if at least this share of them was found,
    at 0 if any was; a child found twice counts once, a merged child counts as found. score: a node's score is the
    largest, the mean or the sum of the scores of what was found in it; one found without a score counts as 0.
    fill_gaps: see below.

    An `IndexNode` stands for the node of the docstore that its `index_id` names (a summary, a question or a proposition
    for the chunk it was made of): that node is found, with the reference's score. The same node found in several ways
    is one find, with its best score, and a node inside another that is returned is not returned beside it.

    A gap is filled where a result's NEXT is another result's PREVIOUS and all three have the same parent: the one node
    between two found ones of a passage reads on from the one to the other, while a gap at the border of parents, or a
    wider one, is where the text turned to something that was not asked for. It gets the lower score of its neighbours,
    since it was not found, and does not count towards merging, for the same reason.

    A parent, or what a reference names, that is not in the docstore went with an older version of its document, after
    the search, or was lost. So it is searched again, by when the new version can be found; what two searches in a row
    miss is a warning in the log, and what was found is returned as it is. Results come by falling score, ties in the
    order in which they were found.
    """

    def __init__(
        self,
        vector_retriever: BaseRetriever,
        docstore: BaseDocumentStore,
        merge_ratio: float = 0.5,
        score: Score = "max",
        fill_gaps: bool = True,
        **options: Any,
    ) -> None:
        """See the class. options: `callback_manager`, `object_map`, `objects` and `verbose` of every retriever."""
        check_merging(merge_ratio, score)
        if not isinstance(docstore, BaseDocumentStore):
            raise SettingError(
                f"docstore must be a document store, as storage_context.docstore is, got {docstore!r:.80}"
            )
        self._vector_retriever = vector_retriever
        self._docstore = docstore
        self._merge_ratio = merge_ratio
        self._score = SCORES[score]
        self._fill_gaps = fill_gaps
        super().__init__(**options)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return run(self._steps(query_bundle))

    @_dispatcher.span
    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await arun(self._steps(query_bundle))

    def _steps(self, query_bundle: QueryBundle) -> Steps[list[NodeWithScore]]:
        """A query -> the results."""
        known: set[str] = set()
        left = MAX_SEARCHES
        while True:
            family = NodeTree(self._docstore, self.object_map)
            yield from family.follow((yield Step.of(self._vector_retriever, "retrieve", query_bundle)))
            yield from family.ascend()
            if not left or family.missing.keys() <= known:
                break
            known, left = set(family.missing), left - 1
        _warn_of_missing({name: why for name, why in family.missing.items() if name in known})
        return (yield from self._merged(family))

    def _merged(self, family: NodeTree) -> Steps[list[NodeWithScore]]:
        """What was found, and its parents -> the results."""
        present = family.merged(self._merge_ratio)
        tops = family.tops(present)
        fills: dict[str, tuple[str, str]] = {}
        if self._fill_gaps:
            fills = family.gaps(tops)
            yield from family.fetch(dict.fromkeys(fills, ""))
            fills = {gap: sides for gap, sides in fills.items() if family.siblings(gap, *sides)}
            tops = family.tops({*present, *fills})
        finds = family.finds_within(tops)
        scores = {top: self._score([score for _, score in finds[top]]) for top in tops if finds[top]}
        places = {top: float(min(place for place, _ in finds[top])) for top in tops if finds[top]}
        for gap in [top for top in tops if top not in scores]:
            scores[gap], places[gap] = min((scores[side], -places[side]) for side in fills[gap])
            places[gap] = 0.5 - places[gap]  # after the neighbour whose score it has
        return [
            NodeWithScore(node=family.nodes[top], score=scores[top])
            for top in sorted(tops, key=lambda top: (-scores[top], places[top]))
        ]


def _warn_of_missing(missing: Mapping[str, str]) -> None:
    """Logs what the docstore does not have, though two searches in a row led to it."""
    for name, why in sorted(missing.items()):
        logger.warning(
            "%s, %s, is not in the docstore, so that what was found is returned as it is: use the docstore that was "
            "written together with this vector store. Where it is that one, a HierarchyIndex makes the document whole "
            "by delete(document_id) and upsert([document]); a docstore of your own needs the nodes of all levels, "
            "docstore.add_documents(nodes)",
            name,
            why,
        )
