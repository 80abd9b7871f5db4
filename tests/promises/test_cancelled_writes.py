"""An awaited write that is cancelled at any call of a store: what is found can be read, the next write mends it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import Document as LlamaDocument
from llama_index.core.vector_stores import SimpleVectorStore

from caesura_store.sqlite_store import Store
from langchain_caesura import ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings
from llama_index.node_parser.caesura import HierarchyIndex, StaticEmbedding
from llama_index.node_parser.caesura import SQLiteDocumentStore as SQLiteNodeStore

OLD, NEW = article(40, 1), f"{article(30, 2)} The tide turns at nine."
QUESTION = "When does the tide turn?"


class Parents:
    """The retriever of LangChain's."""

    def __init__(self, folder: Path) -> None:
        store = InMemoryVectorStore(StaticEmbeddings())
        self.made = ParentDocumentRetriever(vectorstore=store, docstore=SQLiteDocumentStore(folder / "parents.db"))
        self.rows = store.store

    def write(self, text: str) -> None:
        self.made.add_documents([Document(text, id="a")])

    async def awrite(self, text: str) -> None:
        await self.made.aadd_documents([Document(text, id="a")])

    def find(self) -> list[str]:
        return [each.page_content for each in self.made.invoke(QUESTION)]


class Hierarchy:
    """The index of LlamaIndex's."""

    def __init__(self, folder: Path) -> None:
        store = SimpleVectorStore()
        self.made = HierarchyIndex(
            vector_store=store, docstore=SQLiteNodeStore(folder / "nodes.db"), embed_model=StaticEmbedding()
        )
        self.rows = store.data.embedding_dict

    def write(self, text: str) -> None:
        self.made.upsert([LlamaDocument(text=text, id_="a")])

    async def awrite(self, text: str) -> None:
        await self.made.aupsert([LlamaDocument(text=text, id_="a")])

    def find(self) -> list[str]:
        return [each.get_content() for each in self.made.as_retriever().retrieve(QUESTION)]


async def is_cancelled_at(index: Any, number: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Writes, and cancels that when the file is used for the n-th time -> whether it was used so often."""
    loop, left, run = asyncio.get_running_loop(), [number], Store.run
    task = asyncio.create_task(index.awrite(NEW))

    def cancelling(self: Store, *args: Any, **kwargs: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            loop.call_soon_threadsafe(task.cancel)
        return run(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "run", cancelling)
        await asyncio.wait([task])
    return left[0] <= 0


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [Parents, Hierarchy])
async def test_a_cancelled_write_leaves_what_can_be_read_and_the_next_one_finishes_it(
    kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = kind(tmp_path / "fresh")
    fresh.write(NEW)
    wanted, rows = fresh.find(), len(fresh.rows)
    number = 1
    while True:
        index = kind(tmp_path / str(number))
        index.write(OLD)
        if not await is_cancelled_at(index, number, monkeypatch):
            break
        found = index.find()
        assert found
        assert all(text in OLD for text in found) or all(text in NEW for text in found)
        await asyncio.wait_for(index.awrite(NEW), 60)  # nobody holds a lock
        assert index.find() == wanted
        assert len(index.rows) == rows
        number += 1
    assert number > 5
