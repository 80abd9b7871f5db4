"""A `HierarchyIndex` over files: slots are documents, and versions their texts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fakes.llama_index.embeddings import Words
from fakes.stores.versioned_stores import LINES, text_of
from llama_index.core import Document
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode, MetadataMode, TextNode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    VectorStoreQuery,
    VectorStoreQueryResult,
)

from caesura_store.sqlite_store import Store
from llama_index.node_parser.caesura import HierarchyIndex, SemanticHierarchyParser, SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval.leaf_words import open_leaf_words


class FileVectors(BasePydanticVectorStore):
    """The rows of a vector store, on the disk, without their vectors. It finds nothing."""

    stores_text: bool = True
    collection_name: str = "rows"
    _rows: Store = PrivateAttr()

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._rows = Store(path)

    @property
    def client(self) -> Store:
        return self._rows

    def add(self, nodes: list[BaseNode], **kwargs: Any) -> list[str]:
        self._rows.put([(node.node_id, str(node.ref_doc_id).encode()) for node in nodes])
        return [node.node_id for node in nodes]

    def get_nodes(self, node_ids: list[str] | None = None, filters: Any = None) -> list[BaseNode]:
        rows = zip(node_ids or [], self._rows.get(node_ids or []), strict=True)
        return [TextNode(id_=name) for name, row in rows if row is not None]

    def delete_nodes(self, node_ids: list[str] | None = None, filters: Any = None, **kwargs: Any) -> None:
        self._rows.delete(node_ids or [])

    def delete(self, ref_doc_id: str, **kwargs: Any) -> None:
        names = list(self._rows.keys())
        rows = zip(names, self._rows.get(names), strict=True)
        self.delete_nodes([name for name, row in rows if row == ref_doc_id.encode()])

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        return VectorStoreQueryResult()


class Documents:
    """A document is nodes of two levels."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "nodes.db"
        self.nodes, self.vectors = SQLiteDocumentStore(self.path), FileVectors(folder / "rows.db")
        self.index = HierarchyIndex(
            vector_store=self.vectors,
            docstore=self.nodes,
            transformations=[SemanticHierarchyParser(chunk_sizes=[120, 15], embed_model=Words())],
            embed_model=Words(),
        )

    def write(self, slot: int, version: int) -> None:
        self.index.upsert([Document(text=text_of(slot, version), id_=f"slot {slot}")])

    def read(self, slot: int, versions: Iterable[int]) -> set[int]:
        nodes = [node for node in self.index.docstore.docs.values() if node.ref_doc_id == f"slot {slot}"]
        leaves = {node.node_id for node in nodes if not node.child_nodes}
        assert leaves <= set(self.vectors.client.keys()) & self.words()
        texts = [node.get_content(MetadataMode.NONE) for node in nodes]
        counts = {version: sum(line in texts for line in text_of(slot, version).split("\n")) for version in versions}
        assert sorted(counts.values()) in ([], [0] * len(counts), [*[0] * (len(counts) - 1), LINES])
        return {version for version, count in counts.items() if count}

    def names(self) -> set[str]:
        return {
            *self.nodes.kvstore.store.keys(),
            *self.vectors.client.keys(),
            *(f"words of {row}" for row in self.words()),
        }

    def words(self) -> set[str]:
        """What can be found by its words: all of it, also what interrupted writes have left."""
        words = open_leaf_words(self.index.docstore)
        return set(words.search("line", most=len(words)).scores)

    def close(self) -> None:
        self.nodes.close()
        self.vectors.client.close()
