"""A small family of nodes, retrievers with a fixed answer, a document store that is awaited, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import (
    BaseNode,
    IndexNode,
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    QueryType,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.storage.docstore import SimpleDocumentStore

from llama_index.node_parser.caesura import MergingRetriever

TWO = {"root": ["p", "q"], "p": ["a", "b", "c", "d"], "q": ["e", "f"]}
CHAINS = [["p", "q"], ["a", "b", "c", "d", "e", "f"]]


class Fixed(BaseRetriever):
    """Returns the same nodes for every query, and only where it is asked in its own way: sync or awaited."""

    def __init__(self, found: Sequence[NodeWithScore], awaited: bool = False) -> None:
        self.found, self.awaited, self.queries = list(found), awaited, [""]
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        assert not self.awaited, "a sync method was called from async code"
        self.queries.append(query_bundle.query_str)
        return list(self.found)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        assert self.awaited, "an async method was called from sync code"
        self.queries.append(query_bundle.query_str)
        return list(self.found)


class Raw(Fixed):
    """Returns what it has as it is: LlamaIndex's own would keep the first of two of the same id."""

    def retrieve(self, str_or_query_bundle: QueryType) -> list[NodeWithScore]:
        return self.found


class Awaited(SimpleDocumentStore):
    """A document store that can only be read by awaiting it, and keeps what was asked."""

    asked: Sequence[str] = ()

    def get_document(self, doc_id: str, raise_error: bool = True) -> Any:
        raise AssertionError("a sync method was called from async code")

    async def aget_document(self, doc_id: str, raise_error: bool = True) -> Any:
        self.asked = [*self.asked, doc_id]
        return super().get_document(doc_id, raise_error)


def tree(spec: dict[str, Sequence[str]], levels: Sequence[Sequence[str]] = ()) -> dict[str, BaseNode]:
    """Parents and their children, and the chains of neighbours -> nodes by name, all of document "d"."""
    names = list(dict.fromkeys([*spec, *(child for children in spec.values() for child in children)]))
    nodes: dict[str, BaseNode] = {name: TextNode(id_=name, text=f"text of {name}") for name in names}

    def info(name: str) -> RelatedNodeInfo:
        return RelatedNodeInfo(node_id=name)

    for parent, children in spec.items():
        nodes[parent].relationships[NodeRelationship.CHILD] = [info(child) for child in children]
        for child in children:
            nodes[child].relationships[NodeRelationship.PARENT] = info(parent)
    for level in levels:
        for name, following in pairwise(level):
            nodes[name].relationships[NodeRelationship.NEXT] = info(following)
            nodes[following].relationships[NodeRelationship.PREVIOUS] = info(name)
    for node in nodes.values():
        node.relationships[NodeRelationship.SOURCE] = info("d")
    return nodes


def stored(nodes: dict[str, BaseNode], store: SimpleDocumentStore | None = None) -> SimpleDocumentStore:
    store = store or SimpleDocumentStore()
    store.add_documents(list(nodes.values()))
    return store


def scored(nodes: dict[str, BaseNode], **scores: float | None) -> list[NodeWithScore]:
    return [NodeWithScore(node=nodes[name], score=score) for name, score in scores.items()]


def named(results: Sequence[NodeWithScore]) -> list[tuple[str, float]]:
    return [(each.node.node_id, round(each.get_score(), 6)) for each in results]


def merged(nodes: dict[str, BaseNode], found: list[NodeWithScore], **settings: Any) -> list[tuple[str, float]]:
    return named(MergingRetriever(Fixed(found), stored(nodes), **settings).retrieve("?"))


def reference(name: str, to: str, **fields: Any) -> IndexNode:
    return IndexNode(id_=name, text=f"about {to}", index_id=to, **fields)
