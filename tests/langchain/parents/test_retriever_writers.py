"""Several writers of one document at once, in threads or processes: the last one's stays, nothing of the others."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.retrievers import kept, parts, retriever, rows, sound
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import BrokenError, ClockedVectors
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import SQLiteDocumentStore
from langchain_caesura.parents.record import RECORDS, StoredText, read_record

CHILDREN = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0)


class Slow(ClockedVectors):
    """A store that lets others go before it writes."""

    def add_documents(self, *args: Any, **kwargs: Any) -> list[str]:
        time.sleep(0.002)
        return super().add_documents(*args, **kwargs)

    async def aadd_documents(self, documents: list[Document], ids: list[str] | None = None, **kwargs: Any) -> list[str]:
        await asyncio.sleep(0.002)
        return super().add_documents(documents, ids=ids)


def listed(store: SQLiteDocumentStore, key: str) -> list[StoredText]:
    record = read_record(store.mget([key])[0])
    assert record is not None
    return record.parts


def version(number: int) -> Document:
    return Document(article(12, seed=number), id="one")


@pytest.mark.parametrize("mode", [{}, {"budget": 900, "words": None, "context": 0.4}], ids=["plain", "full"])
async def test_awaited_together_they_take_turns_over_two_retrievers_too(mode: dict[str, Any]) -> None:
    made = retriever(Slow(Bag()), child_splitter=CHILDREN, **mode)
    other = made.model_copy(update={"k": 1})
    await asyncio.gather(*(one.aadd_documents([version(number)]) for number in range(4) for one in (made, other)))
    assert len(kept(made)) == 1
    assert sound(made)
    assert set(rows(made)) == {row for part in parts(made) for row, _ in part.rows()}
    await asyncio.gather(made.adelete(["one"]), other.aadd_documents([version(9)]), other.adelete(["one"]))
    found = made.invoke("the ship, the cat, the bread and the taxes", budget=10**6)
    assert {one.page_content in version(9).page_content for one in found} <= {True}
    made.delete(["one"])
    assert not rows(made)
    assert not made.docstore.store


def test_threads_take_turns_at_a_file_that_several_stores_have_open(tmp_path: Path) -> None:
    vectors = Slow(Bag())
    stores = [SQLiteDocumentStore(tmp_path / "parents.db") for _ in range(3)]

    def work(number: int) -> None:
        mine = retriever(vectors, docstore=stores[number], child_splitter=CHILDREN)
        for turn in range(4):
            mine.add_documents([version(10 * number + turn)])

    workers = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    (part,) = [part for key in stores[0].yield_keys(prefix=RECORDS) for part in listed(stores[0], key)]
    assert {key for key in stores[0].yield_keys() if not key.startswith(RECORDS)} == {part.key}
    assert set(vectors.store) == {row for row, _ in part.rows()}
    for store in stores:
        store.close()


def test_a_failure_ends_the_turn() -> None:
    made = retriever(child_splitter=CHILDREN)
    made.vectorstore.clock.at = 0
    with pytest.raises(BrokenError):
        made.add_documents([version(1)])
    assert made.add_documents([version(1)]) == ["one"]
    assert sound(made)
    assert len(kept(made)) == 1


ELSEWHERE = """
import sys
from pathlib import Path
from caesura_store.key_locks import KeyLock
with KeyLock(object(), ["one"], Path(sys.argv[1])):
    print("in", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.thorough
async def test_while_another_process_writes_a_document_it_waits_and_others_go_on(tmp_path: Path) -> None:
    path = tmp_path / "parents.db"
    made = retriever(docstore=SQLiteDocumentStore(path), child_splitter=CHILDREN)
    other = subprocess.Popen(
        [sys.executable, "-c", ELSEWHERE, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "in\n"
    waiting = asyncio.create_task(made.aadd_documents([version(1)]))
    await made.aadd_documents([Document(article(12, seed=2), id="two")])
    assert not waiting.done()
    other.communicate("\n")
    assert await waiting == ["one"]
    made.docstore.close()
