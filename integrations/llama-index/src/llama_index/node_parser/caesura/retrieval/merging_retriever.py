"""Retriever that merges: of what another retriever found, children give way to their parent."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.storage.docstore.types import BaseDocumentStore
from llama_index.core.vector_stores import MetadataFilters

from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura_retrieval.parent_merging import SCORES, Score, check_merging
from llama_index.node_parser.caesura.node_metadata import NodeMetadata, as_found
from llama_index.node_parser.caesura.retrieval.found_node import add_title
from llama_index.node_parser.caesura.retrieval.leaf_retriever import (
    QuestionRetriever,
    check_filters,
    filter_of,
    is_listed,
)
from llama_index.node_parser.caesura.retrieval.node_tree import NodeTree, Passes, search_whole
from llama_index.node_parser.caesura.vector_store_quirks import passes_filters

_dispatcher = get_dispatcher(__name__)


class MergingRetriever(QuestionRetriever):
    """Returns a parent instead of its children where enough of them were found, from the smallest level to the largest.

    vector_retriever: any retriever of nodes that know their PARENT. docstore: where all nodes are, or at least those
    that have children. merge_ratio: a parent takes the place of its children if at least this share of them was found,
    at 0 if any was; a child found twice counts once, a merged child counts as found. score: a node's score is the
    largest, the mean or the sum of the scores of what was found in it; one found without a score counts as 0. filters:
    no node is returned that holds text which they leave out, or which those of a `VectorIndexRetriever` leave out; for
    that, the document store has to have the smallest nodes too. show_pages: whether a language model is shown the pages
    of each node, and the file of a document without a title.

    An `IndexNode` stands for the node of the docstore that its `index_id` names (a summary, a question or a proposition
    for the chunk it was made of): that node is found, with the reference's score. A node that is found in several
    ways is returned once, with its best score. A node inside another one that is returned is not returned.

    If a parent, or what a reference names, is not in the docstore, then its document was changed during the search, or
    the parent was lost. So the retriever searches again, and finds the new version. If a second search misses it too,
    the log has a warning, and the leaves are returned as they were found. Results come by falling score, ties in the
    order in which they were found.
    """

    def __init__(
        self,
        vector_retriever: BaseRetriever,
        docstore: BaseDocumentStore,
        merge_ratio: float = 0.5,
        score: Score = "max",
        filters: MetadataFilters | None = None,
        show_pages: bool = False,
        **options: Any,
    ) -> None:
        """See the class. options: `callback_manager`, `object_map`, `objects` and `verbose` of every retriever."""
        check_merging(merge_ratio, score)
        check_filters(filters)
        if not isinstance(docstore, BaseDocumentStore):
            raise SettingError(
                f"docstore must be a document store, as storage_context.docstore is, got {docstore!r:.80}"
            )
        self._vector_retriever = vector_retriever
        self._docstore = docstore
        self._merge_ratio = merge_ratio
        own = filter_of(vector_retriever)
        self._has_filters = filters is not None
        self._passes: Passes | None = own
        if filters is not None:
            self._passes = lambda node: passes_filters(node, filters) and (own is None or own(node))
        self._score = SCORES[score]
        self._show_pages = show_pages
        super().__init__(**options)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return run(self._search(Blocking(), query_bundle))

    @_dispatcher.span
    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await self._search(Awaiting(), query_bundle)

    async def _search(self, calls: Calls, query: QueryBundle) -> list[NodeWithScore]:
        """Searches, and returns parents instead of the children that were found."""
        retriever = self._vector_retriever
        tops: dict[str, list[str]] = {}
        first: dict[str, str] = {}

        async def search(tree: NodeTree) -> None:
            found = await calls.call(retriever.retrieve, retriever.aretrieve, query)
            if not self._has_filters:  # what a retriever finds passes its own
                tree.confirmed.update(each.node.node_id for each in found if is_listed(retriever, each.node))
            await tree.follow(found)
            await tree.ascend(tree.finds)
            tops.clear()
            tops.update(await tree.merge(self._merge_ratio))
            first.update(await tree.beginnings(tops))

        tree = await search_whole(self._docstore, calls, search, self.object_map, self._passes)
        ranks: dict[str, tuple[float, int]] = {}  # by falling score, then in the order of finds
        for top, names in tops.items():
            if tree.nodes[top].document in tree.changed:
                continue
            finds = [tree.finds[name] for name in names]
            ranks[top] = -self._score([score for _, score in finds]), min(place for place, _ in finds)
        order = sorted(ranks, key=ranks.__getitem__)
        nodes = as_found(tree.nodes[top].node for top in order)
        if self._show_pages:
            nodes = [*map(NodeMetadata().show_pages, nodes)]
        made = [add_title(node, first.get(top, "")) for node, top in zip(nodes, order, strict=True)]
        return [NodeWithScore(node=node, score=-ranks[top][0]) for node, top in zip(made, order, strict=True)]
