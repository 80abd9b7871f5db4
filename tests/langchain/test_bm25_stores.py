"""Where the retriever of words keeps what it finds: files, memory, stores that others use, and writes that stop."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from caesura.errors import SettingError
from langchain_caesura import BM25Retriever, ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings
from langchain_caesura.parents.words import word_index

FERRY = Document("The ferry leaves at nine.", id="ferry")
TICKETS = Document("Tickets are sold on board.", id="tickets")
NAMES = ["tide", "moon", "harbour", "anchor", "sailor", "cargo", "mast", "crew"]
WORDS = "bm25"
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
    assert ids(retriever, "tickets") == ids(retriever, "boat") == []
    assert ids(retriever, "ferry") == ["ferry"]
    store.stops = False
    retriever.add_documents([NEW, TICKETS])
    assert (ids(retriever, "boat"), ids(retriever, "tickets"), ids(retriever, "ferry")) == (["ferry"], ["tickets"], [])


@pytest.mark.thorough
@pytest.mark.parametrize("metadata", [{}, {"source": "a.md"}, {"source": "a.md", "title": "Boats"}], ids=len)
@pytest.mark.parametrize("mends", ["again", "other", "back", "delete"])
def test_an_update_that_stops_anywhere_leaves_words_that_find_what_is_stored(
    metadata: dict[str, str], mends: str, tmp_path: Path, fail_at: Callable[[int | None], None]
) -> None:
    old, beside = (each.model_copy(update={"metadata": {"source": "a.md"}}) for each in (FERRY, TICKETS))
    new = NEW.model_copy(update={"metadata": metadata})
    seen = set[tuple[bool, bool]]()
    for count in range(9):
        with SQLiteDocumentStore(tmp_path / f"{count}.db") as store:
            retriever = BM25Retriever.from_documents([old, beside], docstore=store)
            assert "ferry" in ids(retriever, "ferry")
            fail_at(count)
            try:
                retriever.add_documents([new])
                break
            except OSError:
                pass
            finally:
                fail_at(None)
        with SQLiteDocumentStore(store.path) as store:
            retriever = BM25Retriever(docstore=store)
            is_new = retriever.get(["ferry"]) == [new]
            seen.add((is_new, len(word_index(store, WORDS)) == 3))
            assert ("ferry" in ids(retriever, "ferry nine"), "ferry" in ids(retriever, "boat ten")) == (
                not is_new,
                is_new,
            )
            third = FERRY.model_copy(update={"page_content": "The raft leaves at one."})
            if mends == "delete":
                retriever.delete(["ferry"])
            else:
                retriever.add_documents([{"again": new, "other": third, "back": old}[mends]])
            own = {"again": "boat", "other": "raft", "back": "ferry"}.get(mends)
            found = [word for word in ("ferry", "boat", "raft") if "ferry" in ids(retriever, word)]
            assert found == [own][: own is not None]
            assert len(word_index(store, WORDS)) == (1 if mends == "delete" else 2)
    assert {(False, True), (True, True)} <= seen


def test_what_is_replaced_while_it_is_searched_for_is_found_by_the_words_that_it_then_has() -> None:
    class Overtaken(InMemoryStore):
        new: Document | None = None

        def mget(self, keys: Any) -> Any:
            new, self.new = self.new, None
            if new is not None:
                retriever.add_documents([new])
            return super().mget(keys)

    store = Overtaken()
    retriever = BM25Retriever.from_documents([FERRY, TICKETS], docstore=store)
    store.new = FERRY.model_copy(update={"page_content": "The ferry leaves at ten."})
    assert [each.page_content for each in retriever.invoke("ferry")] == ["The ferry leaves at ten."]
    store.new = NEW
    assert retriever.invoke("ferry") == []
    assert ids(retriever, "boat") == ["ferry"]


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
