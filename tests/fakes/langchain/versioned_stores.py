"""A `ParentDocumentRetriever` over files: slots are documents, and versions their texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from fakes.stores.versioned_stores import text_of
from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import ParentDocumentRetriever, SQLiteDocumentStore
from langchain_caesura.parents.record import RECORDS, read_record, record_key


class FileVectors(VectorStore):
    """The rows of a vector store, on the disk, without their vectors. It finds nothing."""

    def __init__(self, path: Path) -> None:
        self.rows = SQLiteDocumentStore(path, "rows")

    def add_documents(self, documents: list[Document], ids: list[str] | None = None, **kwargs: Any) -> list[str]:
        self.rows.mset([(str(document.id), document) for document in documents])
        return [str(document.id) for document in documents]

    def delete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> None:
        self.rows.mdelete(ids or [])

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        return [row for row in self.rows.mget(ids) if row is not None]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return []

    @classmethod
    def from_texts(cls, texts: list[str], embedding: Any, metadatas: Any = None, **kwargs: Any) -> FileVectors:
        raise NotImplementedError


class Documents:
    """A document is found by its lines, and returned whole."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "parents.db"
        self.parents, self.vectors = SQLiteDocumentStore(self.path), FileVectors(folder / "rows.db")
        splitter = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0, separators=["\n"])
        self.retriever = ParentDocumentRetriever(
            vectorstore=self.vectors, docstore=self.parents, child_splitter=splitter, context=0, budget=10**6
        )

    def write(self, slot: int, version: int) -> None:
        self.retriever.add_documents([Document(text_of(slot, version), id=f"slot {slot}")])

    def read(self, slot: int, versions: Iterable[int]) -> set[int]:
        rows = set(self.vectors.rows.yield_keys())
        record = read_record(self.parents.mget([record_key(self.retriever.owner.prefix, f"slot {slot}")])[0])
        assert record is None or {row for part in record.parts for row, _ in part.rows()} <= rows
        texts = {parent.page_content for parent in self.retriever.get([f"slot {slot}"])}
        found = {version for version in versions if text_of(slot, version) in texts}
        assert len(found) == len(texts)
        for passage in self.retriever.invoke(f"version {max(versions, default=0)} in slot {slot}"):  # by words alone
            assert any(passage.page_content in text for text in self._texts())
        return found

    def _texts(self) -> list[str]:
        keys = [key for key in self.parents.yield_keys() if not key.startswith(RECORDS)]
        return [text.page_content for text in self.parents.mget(keys) if text is not None]

    def names(self) -> set[str]:
        rows = self.vectors.rows.mget(list(self.vectors.rows.yield_keys()))  # their ids have a mark of the file
        return {*self.parents.yield_keys(), *(f"row of {row.page_content}" for row in rows if row is not None)}

    def close(self) -> None:
        self.parents.close()
        self.vectors.rows.close()
