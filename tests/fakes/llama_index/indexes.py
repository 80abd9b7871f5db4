"""An index of small documents, what can be found in it, and that it is as a new one of the same documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ARTICLE, REPEATED
from llama_index.core import Document
from llama_index.core.schema import NodeWithScore
from llama_index.core.vector_stores import SimpleVectorStore

from llama_index.node_parser.caesura import HierarchyIndex, SemanticHierarchyParser

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
    store = made.vector_store
    assert isinstance(store, SimpleVectorStore)
    assert set(store.data.embedding_dict) == set(made.index_struct.nodes_dict)
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


def texts(made: HierarchyIndex, query: str, **settings: Any) -> list[str]:
    """What a query finds."""
    return [each.text for each in made.as_retriever(**{"similarity_top_k": 2, **settings}).retrieve(query)]


def spans(found: Sequence[NodeWithScore]) -> list[tuple[str | None, int, int]]:
    """Documents and places of what was found."""
    return [(each.node.ref_doc_id, each.node.start_char_idx, each.node.end_char_idx) for each in found]
