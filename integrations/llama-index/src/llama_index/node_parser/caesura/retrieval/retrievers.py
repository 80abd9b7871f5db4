"""What another retriever found in, fewer and larger nodes out: children give way to their parent."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.storage.docstore.types import BaseDocumentStore

from caesura.errors import SettingError
from caesura.merging import SCORES, Score, check_merging
from caesura.steps import Step, Steps, arun, run
from llama_index.node_parser.caesura.retrieval.family import Family

_dispatcher = get_dispatcher(__name__)
logger: logging.Logger = logging.getLogger(__name__)

AGAIN = 5
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
        left = AGAIN
        while True:
            family = Family(self._docstore, self.object_map)
            yield from family.follow((yield Step.of(self._vector_retriever, "retrieve", query_bundle)))
            yield from family.ascend()
            if not left or family.missing.keys() <= known:
                break
            known, left = set(family.missing), left - 1
        _warn_of_missing({name: why for name, why in family.missing.items() if name in known})
        return (yield from self._merged(family))

    def _merged(self, family: Family) -> Steps[list[NodeWithScore]]:
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
