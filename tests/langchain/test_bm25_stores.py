"""Where the retriever of words keeps what it finds: files, memory, stores that others use, and writes that stop."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from caesura.errors import SettingError
from langchain_caesura import BM25Retriever, ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings

FERRY = Document("The ferry leaves at nine.", id="ferry")
TICKETS = Document("Tickets are sold on board.", id="tickets")
NAMES = ["tide", "moon", "harbour", "anchor", "sailor", "cargo", "mast", "crew"]
NEW = FERRY.model_copy(update={"page_content": "The boat leaves at ten."})


def ids(retriever: BM25Retriever, question: str) -> list[str | None]:
    return [document.id for document in retriever.invoke(question)]


def test_a_file_that_is_opened_again_has_all_that_was_added(tmp_path: Path) -> None:
    with SQLiteDocumentStore(tmp_path / "words.db") as store:
        BM25Retriever.from_documents([FERRY, TICKETS], docstore=store)
    with SQLiteDocumentStore(tmp_path / "words.db") as store:
        again = BM25Retriever(docstore=store)
        assert again.invoke("ferries") == [FERRY]
        again.delete(["ferry"])
    with SQLiteDocumentStore(tmp_path / "words.db") as store:
        assert ids(BM25Retriever(docstore=store), "ferries tickets") == ["tickets"]


def test_two_over_one_file_see_what_the_other_writes(tmp_path: Path) -> None:
    with SQLiteDocumentStore(tmp_path / "words.db") as store, SQLiteDocumentStore(store.path) as other:
        one, two = BM25Retriever(docstore=store), BM25Retriever(docstore=other)
        one.add_documents([FERRY])
        assert ids(two, "ferry") == ["ferry"]
        two.add_documents([NEW])
        assert (ids(one, "ferry"), ids(one, "boat")) == ([], ["ferry"])


def test_threads_that_write_at_once_leave_each_document_whole(tmp_path: Path) -> None:
    with SQLiteDocumentStore(tmp_path / "words.db") as store:
        retriever = BM25Retriever(docstore=store, k=100)

        def write(number: int) -> None:
            for at in range(8):
                retriever.add_documents([Document(f"{NAMES[at]}", id=f"{at}", metadata={"writer": number})])

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for at in range(8):
            assert ids(retriever, f"{NAMES[at]}") == [f"{at}"]


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_it_shares_a_store_with_a_parent_retriever_and_each_finds_its_own(kind: str, tmp_path: Path) -> None:
    store: Any = InMemoryStore() if kind == "memory" else SQLiteDocumentStore(tmp_path / "both.db")
    words = BM25Retriever.from_documents([FERRY], docstore=store)
    parents = ParentDocumentRetriever(vectorstore=InMemoryVectorStore(StaticEmbeddings()), docstore=store)
    parents.add_documents([TICKETS])
    assert ids(words, "ferry tickets") == ["ferry"]
    assert [document.page_content for document in parents.invoke("ferry tickets")] == [TICKETS.page_content]
    parents.delete(["tickets"])
    words.delete(["ferry"])
    assert list(store.yield_keys()) == []


class Stopping(InMemoryStore):
    """A document store that fails to write while it is told to."""

    stops = False

    def mset(self, key_value_pairs: Any) -> None:
        if self.stops:
            raise OSError("no room on the disk")
        super().mset(key_value_pairs)


def test_a_write_that_stops_leaves_what_was_there_and_the_next_one_mends_it() -> None:
    store = Stopping()
    retriever = BM25Retriever.from_documents([FERRY], docstore=store)
    store.stops = True
    with pytest.raises(OSError, match="no room"):
        retriever.add_documents([NEW, TICKETS])
    assert retriever.get(["ferry", "tickets"]) == [FERRY]
    assert ids(retriever, "tickets") == []
    store.stops = False
    retriever.add_documents([NEW, TICKETS])
    assert (ids(retriever, "boat"), ids(retriever, "tickets"), ids(retriever, "ferry")) == (["ferry"], ["tickets"], [])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_finds_what_is_in_memory() -> None:
    retriever = BM25Retriever.from_documents([FERRY, TICKETS])
    assert ids(retriever, "ferry") == ["ferry"]
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if ids(retriever, "ferry") == ["ferry"] else 2)
        finally:
            os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_store_that_keeps_no_words_is_refused(tmp_path: Path) -> None:
    from langchain_classic.storage import LocalFileStore, create_kv_docstore

    with pytest.raises(ValueError, match="EncoderBackedStore has no index of words: take a SQLiteDocument") as told:
        BM25Retriever(docstore=create_kv_docstore(LocalFileStore(tmp_path)))
    assert "words=0" not in str(told.value)


def test_what_a_file_could_not_give_back_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with SQLiteDocumentStore(tmp_path / "words.db") as store:
        retriever = BM25Retriever(docstore=store)
        with pytest.raises(SettingError, match="metadata 'call' must be plain values"):
            retriever.add_documents([FERRY, Document("Tides turn.", metadata={"call": len})])
        assert retriever.invoke("ferry tides") == retriever.get(["ferry"]) == []
