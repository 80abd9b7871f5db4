"""Retriever of passages: around the best leaves, such that they fit a budget together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from llama_index.core import VectorStoreIndex
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.utils import get_tokenizer

from caesura.checks import check_int
from caesura.sansio import Calls
from caesura.sizers import tokens
from caesura_retrieval.parent_merging import SCORES, Score, check_merging
from caesura_retrieval.passages import PackedPassage
from caesura_retrieval.ranking import FETCHED, RankedTexts, rank
from caesura_retrieval.word_index import WordHits, WordIndex
from llama_index.node_parser.caesura.node_metadata import NodeMetadata
from llama_index.node_parser.caesura.nodes import document_id
from llama_index.node_parser.caesura.retrieval.found_node import FoundNode, add_title
from llama_index.node_parser.caesura.retrieval.layout import Fitting, Layout
from llama_index.node_parser.caesura.retrieval.leaf_retriever import LeafRetriever, is_listed
from llama_index.node_parser.caesura.retrieval.leaf_words import SECTION_WORDS
from llama_index.node_parser.caesura.retrieval.node_tree import NodeTree, search_whole
from llama_index.node_parser.caesura.vector_store_quirks import rows_in_memory

TOKEN = 4
"""About so many characters a token has."""
IN_A_ROW = 20
"""Where so many in a row do not fit, the budget is taken for full."""


class PassageRetriever(LeafRetriever):
    """Ranks leaves by vectors and words, and returns passages of the documents that fit a budget together, best first.

    index: of the leaves. docstore: its own, where nodes of all levels are. budget: tokens of LlamaIndex's tokenizer
    that the passages have at most, with the metadata that a language model is shown. words: what they weigh beside
    vectors, which weigh 1, see `caesura_retrieval.ranking.rank`; with word_index, which returns where they are searched
    for: in a forked process another one than before. most: passages at most. merge_ratio: a parent takes the place of
    what was found in it if at least this share of its leaves was, and if it fits. score: of a passage, of those of what
    was found in it. places: what nodes say of where they stand.

    The 200 nearest leaves are ranked, and the 500 that have most of the words. Each is taken if it fits beside all that
    are better, until 20 in a row do not. Of the first ten that do not fit, the sentences that have the words are taken.
    Neighbours become one node, an exact slice of what both lie in, between them too; where no node holds that, they
    stay two. What is found alone is the node itself. An `IndexNode` stands for the node that its `index_id` names.
    """

    def __init__(
        self,
        index: VectorStoreIndex,
        budget: int,
        words: float = 0,
        word_index: Callable[[], WordIndex | None] | None = None,
        most: int | None = None,
        merge_ratio: float = 0.5,
        score: Score = "max",
        places: NodeMetadata | None = None,
        show_pages: bool = False,
        **options: Any,
    ) -> None:
        """See the class. options: those of `VectorIndexRetriever`. Raises `SettingError`."""
        check_int("budget", budget, 1)
        check_merging(merge_ratio, score)
        if most is not None:
            check_int("similarity_top_k", most, 1)
        super().__init__(index, FETCHED, **options)
        self._budget, self._most, self._merge_ratio, self._score = budget, most, merge_ratio, SCORES[score]
        self._words, self._places = words, places
        self._show = (places or NodeMetadata()).show_pages if show_pages else None
        self._word_index = word_index if words else None
        self._size: tokens | None = None

    def _sizer(self) -> tokens:
        """Returns what counts tokens by LlamaIndex's tokenizer, made once for each that it had."""
        tokenizer = get_tokenizer()
        if self._size is None or self._size.encode is not tokenizer:
            self._size = tokens(tokenizer)
        return self._size

    async def _search(self, calls: Calls, query: QueryBundle) -> list[NodeWithScore]:
        packed: list[NodeWithScore] = []

        async def search(tree: NodeTree) -> None:
            words = None if self._word_index is None else await calls.compute(self._word_index)
            settings = self._budget, self._most, self._merge_ratio, self._places
            fitting = Fitting(self._sizer(), query.query_str or "", *settings, self._show)
            packed[:] = await self._pack(tree, await self.rank(tree, query, words), fitting, words)

        tree = await search_whole(self._docstore, calls, search, self.object_map, self._passes)
        return [each for each in packed if not tree.changed or document_id(each.node) not in tree.changed]

    async def rank(self, tree: NodeTree, query: QueryBundle, words: WordIndex | None) -> RankedTexts:
        """Returns the names of all nodes that were found and pass the filter, the best first, and why each was. words:
        where those of the question are searched for; None: nowhere."""
        near = await self._find(tree, query)
        if not near and self._cutoff is not None:
            return rank((), {}, {})
        names = [name for name, _ in near]
        tree.confirmed.update(names)
        hits = WordHits()
        if words is not None and query.query_str:
            hits = await tree.calls.compute(words.search, query.query_str, names, budget=self._budget * TOKEN)
        others = await self._with_rows(tree, hits.scores)
        if tree.left_out:
            await tree.fetch(dict.fromkeys(others, ""))
            others = {name: score for name, score in others.items() if name in tree.nodes}
        if tree.passes is not None:
            unsure = others.keys() - tree.confirmed
            if self._doc_ids is not None or self._node_ids is not None:
                unsure |= tree.confirmed
            await tree.fetch(dict.fromkeys(sorted(unsure), ""))
            read = {name: tree.nodes[name].node for name in unsure if name in tree.nodes}
            tree.confirmed -= {name for name, node in read.items() if not is_listed(self, node)}
            near = [each for each in near if each[0] in tree.confirmed]
            others = {name: score for name, score in others.items() if name in tree.confirmed or tree.shows(name)}
        owners = map(partial(SECTION_WORDS.sub, ""), hits.documents.values())
        return rank(near, others, dict(zip(hits.documents, owners, strict=True)), self._words)

    async def _with_rows(self, tree: NodeTree, words: dict[str, float]) -> dict[str, float]:
        """Returns the finds of documents that the vector store has rows of, if it is in memory.

        The document store may know others, of one that is gone. A text without a row of its own may be found.
        """
        rows, versions = rows_in_memory(self._vector_store), tree.versions
        if rows is None or versions is None or words.keys() <= rows:
            return words
        doubtful = sorted(words.keys() - rows)
        await tree.fetch(dict.fromkeys(doubtful, ""))
        names = {name: tree.nodes[name].document for name in doubtful if name in tree.nodes}
        states = await versions.states([*{*names.values()}])
        gone = {name for name, state in states.items() if state.row and state.row not in rows}
        return {name: score for name, score in words.items() if names.get(name) not in gone}

    async def _pack(
        self, tree: NodeTree, ranking: RankedTexts, fitting: Fitting, words: WordIndex | None
    ) -> list[NodeWithScore]:
        """Returns the passages around the nodes that were ranked."""
        found_by: dict[str, str] = {}
        scores: dict[str, float] = {}
        packed: tuple[Layout, list[PackedPassage]] | None = None
        rest = iter(ranking.scores)  # of the first twenty some nearly always fit, so that the next are looked at too
        while some := [*islice(rest, IN_A_ROW if packed else 2 * IN_A_ROW)]:
            await tree.fetch(dict.fromkeys(some, ""))
            targets = await tree.resolve(some)
            if not targets:  # texts of a version that is not seen, found by words
                continue
            new: dict[str, str] = {}
            for name, target in targets.items():
                if target not in found_by:
                    new.setdefault(target, name)
            early = {targets.get(name) for name in some[:-IN_A_ROW]}
            if tree.passes is not None:
                await tree.descend(new)
                new = {target: name for target, name in new.items() if tree.shows(target)}
            found_by |= new
            scores |= {target: ranking.scores[name] for target, name in new.items()}
            await tree.ascend(new)
            packed = await tree.calls.compute(self._fit, fitting, tree, scores, words)
            if {name for passage in packed[1] for name in passage.found}.isdisjoint(new.keys() - early):
                break
        if packed is None:
            return []
        layout, passages = packed
        taken = {name for passage in passages for name in passage.found}
        parents = layout.promising_parents(taken, self._merge_ratio)
        if parents:
            await tree.descend(parents)
            layout, passages = await tree.calls.compute(fitting.pack, tree, scores, parents)
            taken = {name for passage in passages for name in passage.found}
        said: Mapping[str, Mapping[str, Sequence[str]]] = {}
        if words is not None:
            said = await tree.calls.compute(words.explain, fitting.question, taken, tree.passes is None)
        tops = await tree.beginnings([each.span.document for each in passages])
        evidence = ranking.of([found_by[each.found[0]] for each in passages]).values()
        nodes = layout.make_nodes(passages)
        results = [
            FoundNode(
                node=add_title(node, tops.get(each.span.document, "")),
                score=self._score([scores[name] for name in each.found]),
                evidence=replace(why, found=_join([said.get(name, {}) for name in each.found])),
            )
            for node, each, why in zip(
                nodes if self._show is None else map(self._show, nodes), passages, evidence, strict=True
            )
        ]
        return sorted(results, key=lambda result: -result.get_score())

    @staticmethod
    def _fit(
        fitting: Fitting, tree: NodeTree, scores: Mapping[str, float], words: WordIndex | None
    ) -> tuple[Layout, list[PackedPassage]]:
        """Returns the passages around these nodes that fit together, and their layout."""
        if words is not None:
            fitting.languages |= words.languages([name for name in scores if name not in fitting.languages])
        return fitting.pack(tree, scores)


def _join(found: Iterable[Mapping[str, Sequence[str]]]) -> dict[str, Sequence[str]]:
    """The words that each of some texts has, by field -> those that any of them has."""
    joined: dict[str, dict[str, None]] = {}
    for own in found:
        for name, words in own.items():
            joined.setdefault(name, {}).update(dict.fromkeys(words))
    return {name: tuple(words) for name, words in joined.items()}
