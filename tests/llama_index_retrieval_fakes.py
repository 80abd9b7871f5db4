"""What tests of retrieval in LlamaIndex share: a small family of nodes, retrievers with a fixed answer, odd stores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from llama_index.core import Document
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import (
    BaseNode,
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    QueryType,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index_embedding_fakes import Words
from llama_index_fakes import ARTICLE, REPEATED

from llama_index.node_parser.caesura import HierarchyIndex, SemanticHierarchyParser


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


class Breaking(SimpleVectorStore):
    """A vector store whose calls fail from a given one on; keeps the names of its calls."""

    calls: list[str] = []  # noqa: RUF012 - pydantic copies it
    fails_at: int | None = None

    def _call(self, name: str) -> None:
        self.calls.append(name)
        if self.fails_at is not None and len(self.calls) >= self.fails_at:
            raise ConnectionError("the vector store is away")

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        self._call("add")
        return super().add(nodes, **kwargs)

    def delete(self, ref_doc_id: str, **kwargs: Any) -> None:
        self._call("delete")
        super().delete(ref_doc_id, **kwargs)

    def delete_nodes(self, node_ids: Any = None, filters: Any = None, **kwargs: Any) -> None:
        self._call("delete_nodes")
        super().delete_nodes(node_ids, filters, **kwargs)


class BreakingDocuments(SimpleDocumentStore):
    """A document store whose writes fail from a given one on."""

    fails_at: int | None = None
    writes = 0

    def _write(self) -> None:
        self.writes += 1
        if self.fails_at is not None and self.writes >= self.fails_at:
            raise ConnectionError("the document store is away")

    def add_documents(self, *args: Any, **kwargs: Any) -> None:
        self._write()
        super().add_documents(*args, **kwargs)

    def delete_document(self, *args: Any, **kwargs: Any) -> None:
        self._write()
        super().delete_document(*args, **kwargs)

    def set_document_hashes(self, *args: Any, **kwargs: Any) -> None:
        self._write()
        super().set_document_hashes(*args, **kwargs)


BREAD = "Knead the dough until it is smooth"


def parser(**settings: Any) -> SemanticHierarchyParser:
    return SemanticHierarchyParser(**{"chunk_sizes": [120, 40, 15], **settings})


def index(**settings: Any) -> HierarchyIndex:
    return HierarchyIndex(**{"transformations": [parser()], "embed_model": Words(), **settings})


def documents() -> list[Document]:
    return [
        Document(text=ARTICLE, id_="a", metadata={"kind": "article"}),
        Document(text=REPEATED, id_="b", metadata={"kind": "talk"}),
        Document(text="", id_="empty"),
    ]


def rows(made: HierarchyIndex) -> set[str]:
    """What can be found."""
    store = made.vector_index.vector_store
    assert isinstance(store, SimpleVectorStore)
    assert set(store.data.embedding_dict) == set(made.vector_index.index_struct.nodes_dict)
    return set(store.data.embedding_dict)


def whole(made: HierarchyIndex, wanted: Sequence[Document], **settings: Any) -> None:
    """Holds that both stores have what a new index of these documents has, and nothing else."""
    fresh = index(**settings)
    fresh.upsert(wanted)
    assert rows(made) == rows(fresh)
    assert set(made.docstore.docs) == set(fresh.docstore.docs)
    ours, theirs = made.docstore.get_all_ref_doc_info() or {}, fresh.docstore.get_all_ref_doc_info() or {}
    assert {name: set(info.node_ids) for name, info in ours.items()} == {
        name: set(info.node_ids) for name, info in theirs.items()
    }
    for name, node in made.docstore.docs.items():
        assert node.relationships == fresh.docstore.docs[name].relationships
