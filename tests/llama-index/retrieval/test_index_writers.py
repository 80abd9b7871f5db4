"""Several writers take turns: of one index, or of several over one document store."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.indexes import index, rows, texts, whole
from fakes.llama_index.parsers import ARTICLE
from llama_index.core.schema import Document
from llama_index.core.vector_stores.simple import SimpleVectorStore

from llama_index.node_parser.caesura import SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval import document_states, writer


class Slow(SimpleVectorStore):
    """A store that lets others go before it writes."""

    def add(self, *args: Any, **kwargs: Any) -> list[str]:
        time.sleep(0.005)
        return super().add(*args, **kwargs)


def version(number: int) -> list[Document]:
    return [Document(text=f"Version {number}. {ARTICLE} The end of {number}.", id_="a")]


def test_indexes_over_one_store_take_turns_in_threads_and_on_event_loops(tmp_path: Path) -> None:
    vectors = Slow()
    made = [index(vector_store=vectors, docstore=SQLiteDocumentStore(tmp_path / "nodes.db")) for _ in range(4)]

    def work(number: int) -> None:
        for turn in range(3):
            made[number].upsert(version(10 * number + turn))

    async def awaited(number: int) -> None:
        await asyncio.gather(*(made[number].aupsert(version(10 * number + turn)) for turn in range(3)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: work(number) if number % 2 else asyncio.run(awaited(number)), range(4)))
    alone = index(vector_store=SimpleVectorStore(), docstore=SQLiteDocumentStore(tmp_path / "alone.db"))
    text = next(node.text for node in made[0].docstore.docs.values() if node.text.startswith("Version"))
    alone.upsert(version(int(text.split()[1].rstrip("."))))
    assert set(made[0].docstore.docs) == set(alone.docstore.docs)
    assert set(vectors.data.embedding_dict) == rows(alone)
    made[1].delete_ref_doc("a")
    assert not made[2].docstore.docs
    assert not vectors.data.embedding_dict


async def test_calls_at_the_same_time_wait_for_each_other() -> None:
    made = index()
    versions = [[Document(text=f"{word}. {ARTICLE}", id_="a")] for word in ("Snow", "Rain", "Fog")]
    await asyncio.gather(*(made.aupsert(version) for version in versions))
    whole(made, versions[-1])
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(made.upsert, versions))
    assert sum(word in text for text in texts(made, "a", similarity_top_k=99) for word in ("Snow", "Rain", "Fog")) == 1


def read_again(number: int = 0) -> list[Document]:
    """A version of a file as its reader gives it each time: under another random id."""
    metadata = {"file_path": "a.md", "last_modified_date": f"{number}"}
    return [
        Document(
            text=f"Version {number}.",
            metadata=metadata,
            excluded_embed_metadata_keys=[*metadata],
            excluded_llm_metadata_keys=[*metadata],
        )
    ]


async def test_documents_with_random_ids_are_recognised_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    find_sources = document_states.find_sources

    def find(groups: Any) -> Any:
        threads.append(threading.get_ident())
        return find_sources(groups)

    monkeypatch.setattr(writer, "find_sources", find)
    made = index()
    assert (await made.aupsert(read_again())).added == 1
    assert threads
    assert threading.get_ident() not in threads


async def test_a_file_with_random_ids_that_many_write_at_once_is_one_document(tmp_path: Path) -> None:
    for docstore in (None, SQLiteDocumentStore(tmp_path / "nodes.db")):
        made = index(**({} if docstore is None else {"vector_store": SimpleVectorStore(), "docstore": docstore}))
        done = await asyncio.gather(*(made.aupsert(read_again()) for _ in range(6)))
        assert sorted(done) == [(0, 0, 1, 0)] * 5 + [(1, 0, 0, 0)]
        await asyncio.gather(*(made.aupsert(read_again(number)) for number in range(12)))
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(made.upsert, [read_again(number) for number in range(6)]))
        (name,) = made.ref_doc_info
        assert set(made.docstore.docs) == set(made.ref_doc_info[name].node_ids)
