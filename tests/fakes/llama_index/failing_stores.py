"""Stores of LlamaIndex whose calls fail from a given one on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.schema import BaseNode
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index.core.vector_stores import SimpleVectorStore


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


class BreakingEntries(SimpleKVStore):
    """Entries in memory whose writes fail from a given one on."""

    fails_at: int | None = None
    writes = 0

    def _write(self) -> None:
        self.writes += 1
        if self.fails_at is not None and self.writes >= self.fails_at:
            raise ConnectionError("the document store is away")

    def put_all(self, *args: Any, **kwargs: Any) -> None:
        self._write()
        super().put_all(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        self._write()
        return super().delete(*args, **kwargs)
