"""Words: what a vector does not tell is found by its letters, kept in step, and refused where it cannot be kept."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.passages import document, lines, made, spans
from fakes.langchain.retrievers import parts, rows
from fakes.langchain.splitters import Bag, bags
from fakes.langchain.stores import ClockedVectors
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from caesura_retrieval import word_index as word_index_module
from caesura_retrieval.word_engine import WordEngine
from caesura_retrieval.word_index import WordIndex
from caesura_retrieval.word_indexes import forget_word_indexes
from langchain_caesura import DoublePassSemanticSplitter, SQLiteDocumentStore
from langchain_caesura.parents import indexing
from langchain_caesura.parents import words as words_module
from langchain_caesura.parents.words import word_index

SERIAL = "the part has the number XK-4471 on it"
FILLER = [document(f"{number}", lines(40, f"f{number} ")) for number in range(4)]
WITH = document("with", [*lines(20, "g"), SERIAL, *lines(20, "h")], kind="parts")


def dull(texts: Any) -> list[list[float]]:
    """Vectors that say nothing of a serial number."""
    return [[1.0, float(len(text)) / 50] for text in texts]


def blind(**settings: Any) -> Any:
    """A retriever whose vectors lead elsewhere, and which fetches few of them."""
    return made(ClockedVectors(Bag(dull)), **{"search_kwargs": {"k": 5}, "budget": 120, **settings})


@pytest.mark.parametrize("kind", ["memory", "file"])
async def test_what_only_words_find_is_found_changed_and_deleted(kind: str, tmp_path: Path) -> None:
    store: Any = InMemoryStore() if kind == "memory" else SQLiteDocumentStore(tmp_path / "d.db")
    one = blind(docstore=store)
    one.add_documents([*FILLER, WITH])
    found = one.invoke("Where is XK-4471?")
    assert SERIAL in found[0].page_content
    assert await one.ainvoke("Where is XK-4471?") == found
    assert spans(found[:1], {"with": WITH.page_content})
    new = WITH.model_copy(update={"page_content": WITH.page_content.replace("XK-4471", "ZZ-8")})
    await one.aadd_documents([new])
    assert "XK-4471" not in str(one.invoke("Where is XK-4471?"))
    assert "ZZ-8" in one.invoke("What has number ZZ-8?")[0].page_content
    one.delete(["with"])
    assert "ZZ-8" not in str(one.invoke("What has number ZZ-8?"))
    one.delete([str(each.id) for each in FILLER])
    assert word_index(store, one.owner.name).names() == []
    assert one.invoke("What has number ZZ-8?") == []


def test_the_weight_of_words_is_set_and_0_is_off() -> None:
    for weight, wanted in ((None, True), (0.5, True), (0, False)):
        one = blind(words=weight)
        one.add_documents([*FILLER, WITH])
        assert (SERIAL in str([each.page_content for each in one.invoke("Where is XK-4471?")])) == wanted
        assert all(bool(part.words) == wanted for part in parts(one))


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_words_that_were_kept_go_with_their_document_where_words_are_off(kind: str, tmp_path: Path) -> None:
    store: Any = InMemoryStore() if kind == "memory" else SQLiteDocumentStore(tmp_path / "d.db")
    one = blind(docstore=store)
    one.add_documents([*FILLER, WITH])
    index = word_index(store, one.owner.name)
    off = one.model_copy(update={"words": 0})
    off.delete(["with"])
    assert index.search("Where is XK-4471?").scores == {}
    assert len(index.names()) == len(FILLER)
    off.add_documents(FILLER)
    assert index.names() == []


@pytest.mark.filterwarnings("ignore:the embedder returned 1 of 1 rows")
@pytest.mark.parametrize("options", [{}, {"search_type": "mmr"}])
def test_a_question_or_documents_of_which_the_model_knows_nothing_are_found_by_words(options: dict[str, Any]) -> None:
    english = Bag(lambda texts: bags([text if text.isascii() else "" for text in texts]))
    one = made(InMemoryVectorStore(english), **options)
    one.add_documents([Document("Щ Ж Ы Э", id="letters")])
    assert one.invoke("Ж")[0].page_content == "Щ Ж Ы Э"
    assert one.invoke("tickets") == []
    one.add_documents([Document("Tickets are sold aboard.", id="english")])
    assert one.invoke("Ж")[0].page_content == "Щ Ж Ы Э"
    assert one.invoke("Ж", budget=None) == one.invoke("") == []


def test_a_filter_and_a_threshold_leave_out_what_only_words_find_and_rank_what_passes() -> None:
    one = blind(search_kwargs={}, budget=60)
    one.add_documents([*FILLER, WITH])
    question = "Where is XK-4471?"
    assert SERIAL in one.invoke(question)[0].page_content
    fetching = one.model_copy(update={"search_kwargs": {"k": 5, "filter": None}})
    assert SERIAL in fetching.invoke(question)[0].page_content
    others = one.invoke(question, filter=lambda row: row.metadata["source"] != "with", budget=10**6)
    assert {each.metadata["source"] for each in others} == {"0", "1", "2", "3"}
    own = one.invoke(question, filter=lambda row: row.metadata.get("kind") == "parts")
    assert SERIAL in own[0].page_content
    strict = blind(search_type="similarity_score_threshold", search_kwargs={"score_threshold": 2.0})
    strict.add_documents([*FILLER, WITH])
    assert strict.invoke(question) == []


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("北京市的渡轮每天九点开往岛上。", "渡轮几点开？"),
        ("島へのフェリーは九時に出発します。", "フェリーは何時に出発しますか"),
        ("เรือข้ามฟากออกเวลาเก้าโมงเช้า", "เรือข้ามฟากออกกี่โมง"),
        ("Die Fähre zur Insel fährt um neun.", "Wann fahrt die FAHRE?"),
    ],
    ids=["Chinese", "Japanese", "Thai", "German"],
)
def test_words_are_found_in_scripts_without_spaces_too(text: str, question: str) -> None:
    one = blind()
    one.add_documents([*FILLER, document("ferry", [*lines(9), text, *lines(9, "z")])])
    assert text in one.invoke(question)[0].page_content


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Паромы отправлялись с острова утром, и билеты продавали на борту.", "отправление парома"),
        ("Die Fähren zu den Inseln fahren morgens ab, und die Karten gibt es an Bord.", "eine Fähre zur Insel"),
        ("كان المدرسون يقرؤون الرسائل في الصباح الباكر كل يوم", "رسالة المدرس"),
        ("Call getUserById before the session is closed.", "how to get a user by id"),
        ("Set max_retry_count in the file.", "the retry count"),
    ],
    ids=["Russian", "German", "Arabic", "camelCase", "snake_case"],
)
def test_words_are_found_by_their_stems_and_identifiers_by_their_parts(text: str, question: str) -> None:
    one = blind()
    one.add_documents([*FILLER, document("told", [text])])
    assert text in one.invoke(question)[0].page_content


HEADED = "\n\n".join(f"# Guide\n\n## {name}\n\n" + "\n".join(lines(9, name[0])) for name in ("Ferries", "Trains"))


@pytest.mark.parametrize(
    "told",
    [
        Document("\n".join(lines(9)), id="told", metadata={"title": "Trains of the north"}),
        Document("\n".join(lines(9)), id="told", metadata={"source": "guides/trains-north.md"}),
        Document("\n".join(lines(9)), id="told", metadata={"file_path": Path("guides/trains_north.pdf")}),
        Document("\n".join(lines(9)), id="told", metadata={"Header 1": "Guide", "Header 2": "Trains"}),
        Document(HEADED, id="told"),
    ],
    ids=["title", "source", "file_path", "a splitter's headers", "headings of its own"],
)
@pytest.mark.parametrize("plain", [False, True], ids=["with context", "without"])
def test_titles_files_and_headings_find_what_stands_under_them(told: Document, plain: bool) -> None:
    """plain: nothing is embedded beside a small text. At last the words are made anew of what is stored."""
    one = blind(**({"context": 0, "embed_headings": False} if plain else {}))
    one.add_documents([*FILLER, told])
    for again in (False, True):
        if again:
            forget_word_indexes()
        found = next(each for each in one.invoke("Does a train go north?") if each.evidence.words == 1)
        assert found.page_content in told.page_content
        assert "Ferries" not in found.page_content
        assert {"title", "headings"} & found.evidence.found.keys()


def foreign(tmp_path: Path) -> Any:
    from langchain_classic.storage import LocalFileStore, create_kv_docstore

    return create_kv_docstore(LocalFileStore(tmp_path))


def test_a_document_store_that_keeps_no_words_is_refused_or_told_of(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="EncoderBackedStore has no index of words: take a SQLiteDocumentStore"):
        made(docstore=foreign(tmp_path), words=1)
    with pytest.warns(UserWarning, match=r"has no index of words: .* or set words=0") as told:
        one = made(docstore=foreign(tmp_path))
    assert len(told) == 1
    one.add_documents(FILLER)
    assert one.invoke("f1 3")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(docstore=foreign(tmp_path), words=0)
        made(docstore=foreign(tmp_path), budget=None)


def test_an_index_that_is_new_is_filled_with_what_the_documents_have() -> None:
    first = blind(docstore=InMemoryStore())
    first.add_documents([*FILLER, WITH])
    copied = InMemoryStore()
    copied.mset(list(first.docstore.store.items()))
    again = made(first.vectorstore, docstore=copied, search_kwargs={"k": 5}, budget=120)
    assert again.invoke("Where is XK-4471?") == first.invoke("Where is XK-4471?")
    assert SERIAL in again.invoke("Where is XK-4471?")[0].page_content


def test_a_fill_of_a_file_that_was_killed_is_done_again(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = blind(docstore=InMemoryStore())
    first.add_documents([*FILLER, WITH])
    store.mset(list(first.docstore.store.items()))
    put, puts = WordIndex.put, 0

    def put_some(index: WordIndex, *arguments: Any) -> None:
        nonlocal puts
        puts += 1
        if puts > 2:
            raise KeyboardInterrupt
        put(index, *arguments)

    monkeypatch.setattr(words_module, "READ_AT_ONCE", 1)
    again = made(first.vectorstore, docstore=store, search_kwargs={"k": 5}, budget=120, words=0)
    filled = again.model_copy(update={"words": None})
    with monkeypatch.context() as patched:
        patched.setattr(WordIndex, "put", put_some)
        with pytest.raises(KeyboardInterrupt):
            filled.invoke("XK-4471")
    forget_word_indexes()
    filled.invoke("XK-4471")
    assert len(word_index(store, again.owner.name).names()) == len(FILLER) + 1


@pytest.mark.parametrize("words", [None, 0], ids=["words", "words turned off"])
def test_a_change_that_stops_anywhere_leaves_words_that_find_what_is_stored(
    words: float | None, tmp_path: Path, fail_at: Callable[[int | None], None]
) -> None:
    new = WITH.model_copy(update={"page_content": WITH.page_content.replace("XK-4471", "ZZ-8")})
    seen, goal = set[bool](), 1 if words is None else 0
    for count in range(20):
        with SQLiteDocumentStore(tmp_path / f"{count}.db") as store:
            one = blind(docstore=store)
            one.add_documents([WITH])
            changing = one.model_copy(update={"words": words})
            fail_at(count)
            try:
                changing.add_documents([new])
                break
            except OSError:
                pass
            finally:
                fail_at(None)
            index = word_index(store, one.owner.name)
            if words is None:
                [found] = [each for each in one.invoke("XK-4471 ZZ-8", budget=10**6) if "number" in each.page_content]
                is_new = "ZZ-8" in found.page_content
                seen.add(is_new)
                [best] = one.invoke("ZZ-8" if is_new else "XK-4471", budget=40)
                assert ("ZZ-8" if is_new else "XK-4471") in best.page_content
                assert best.evidence.words > 0
            changing.add_documents([new])
            assert len(index.names()) == goal
            assert len(index) == (len(new.page_content.splitlines()) if words is None else 0)
    assert count > 3
    assert seen == ({False, True} if words is None else set())


@pytest.mark.parametrize("failing", ["engine", "model", "nothing"])
@pytest.mark.parametrize("is_async", [False, True])
async def test_the_engine_is_given_words_while_rows_are_embedded_and_either_may_fail(
    failing: str, is_async: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, embedded, write, engines = threading.Event(), threading.Event(), WordEngine.write, list[int]()

    def write_beside(engine: WordEngine, *given: Any) -> None:
        begun.set()
        assert embedded.wait(60)
        engines.append(threading.get_ident())
        if failing == "engine":
            raise OSError("the disk is full")
        write(engine, *given)

    def embed_beside(texts: Sequence[str]) -> list[list[float]]:
        if SERIAL in texts:
            assert begun.wait(60)
            embedded.set()
            if failing == "model":
                raise OSError("the model is away")
        return dull(texts)

    async def add(one: Any) -> list[str]:
        added: list[str] = await one.aadd_documents([WITH]) if is_async else one.add_documents([WITH])
        return added

    with SQLiteDocumentStore(tmp_path / "d.db") as store:
        one = made(ClockedVectors(Bag(embed_beside)), docstore=store, search_kwargs={"k": 5}, budget=120)
        with monkeypatch.context() as patched:
            patched.setattr(word_index_module, "APPLIED", 1)
            patched.setattr(WordEngine, "write", write_beside)
            if failing == "nothing":
                assert await add(one) == ["with"]
            else:
                with pytest.raises(OSError, match="the disk is full" if failing == "engine" else "the model is away"):
                    await add(one)
        assert engines
        assert threading.get_ident() not in engines
        failing = "nothing"
        assert await add(one) == ["with"]
        assert SERIAL in one.invoke("Where is XK-4471?")[0].page_content
        assert len(word_index(store, one.owner.name)) == len(WITH.page_content.splitlines())


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_write_needs_no_thread_where_none_can_be_had(
    is_async: bool, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Refusing(ThreadPoolExecutor):
        def submit(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    monkeypatch.setattr(word_index_module, "APPLIED", 1)
    one = blind(docstore=store)
    with monkeypatch.context() as patched:
        patched.setattr(indexing, "ThreadPoolExecutor", Refusing)
        assert (await one.aadd_documents([WITH]) if is_async else one.add_documents([WITH])) == ["with"]
    assert SERIAL in one.invoke("Where is XK-4471?")[0].page_content


def test_a_writer_does_not_wait_for_itself_to_fill_the_words(store: Any) -> None:
    """Without words, the index is first opened within a write, which has the lock of its documents."""
    first = blind(docstore=InMemoryStore())
    first.add_documents([WITH])
    store.mset(list(first.docstore.store.items()))
    off = made(first.vectorstore, docstore=store, search_kwargs={"k": 5}, budget=120, words=0)
    writer = threading.Thread(target=off.delete, args=(["with"],), daemon=True)
    writer.start()
    writer.join(10)
    assert not writer.is_alive()
    assert list(store.yield_keys()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_fills_the_words_of_a_store_in_memory_again() -> None:
    one = blind(docstore=InMemoryStore())
    one.add_documents([*FILLER, WITH])
    assert SERIAL in one.invoke("Where is XK-4471?")[0].page_content
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if SERIAL in one.invoke("Where is XK-4471?")[0].page_content else 2)
        finally:
            os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_words_that_are_turned_on_later_are_written_when_documents_come_again(tmp_path: Path) -> None:
    with SQLiteDocumentStore(tmp_path / "d.db") as store:
        off = blind(docstore=store, words=0)
        off.add_documents([*FILLER, WITH])
        before = rows(off)
        on = made(off.vectorstore, docstore=store, search_kwargs={"k": 5}, budget=120)
        on.add_documents([*FILLER, WITH])
        assert SERIAL in on.invoke("Where is XK-4471?")[0].page_content
        assert rows(on) == before
        assert len(off.vectorstore.written) == 1


def test_two_retrievers_on_one_document_store_keep_their_words_apart() -> None:
    shared = InMemoryStore()
    small = blind(docstore=shared)
    large = blind(docstore=shared, child_splitter=DoublePassSemanticSplitter(), id_key="large", budget=2000)
    for one in (small, large):
        one.add_documents([*FILLER, WITH])
    large.delete(["with"])
    assert SERIAL in small.invoke("Where is XK-4471?")[0].page_content
    assert SERIAL not in str(large.invoke("Where is XK-4471?"))
    small.delete(["with"])
    large.add_documents([WITH])
    assert SERIAL not in str(small.invoke("Where is XK-4471?"))
    assert SERIAL in large.invoke("Where is XK-4471?")[0].page_content


@pytest.mark.parametrize(("measure", "characters"), [(len, 500), (lambda text: len(text.split()), 2000)])
def test_words_are_searched_for_by_the_characters_of_a_budget(
    measure: Any, characters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token has about four."""
    search, told = WordIndex.search, list[int]()

    def spy(index: WordIndex, *arguments: Any, budget: int, **others: Any) -> Any:
        told.append(budget)
        return search(index, *arguments, budget=budget, **others)

    monkeypatch.setattr(WordIndex, "search", spy)
    one = blind(length_function=measure)
    one.add_documents([WITH])
    assert SERIAL in str(one.invoke("XK-4471", budget=500))
    assert told == [characters]


def test_what_another_retriever_has_crowds_nothing_out() -> None:
    shared = InMemoryStore()
    many, few = blind(docstore=shared), blind(docstore=shared, id_key="few")
    many.add_documents([document("many", [f"ferry {number}" for number in range(700)])])
    few.add_documents([*FILLER, document("few", ["the ferry of the island leaves the harbour at nine in the morning"])])
    assert "island" in few.invoke("ferry")[0].page_content


def test_what_the_rows_of_others_say_is_no_word_of_ours() -> None:
    one = blind()
    one.vectorstore.add_documents([Document("XK-4471", id="theirs", metadata={"a": 1})], ids=["theirs"])
    one.add_documents([WITH])
    assert all(each.metadata["source"] == "with" for each in one.invoke("XK-4471"))


def test_the_same_files_in_another_folder_give_the_same_answers() -> None:
    """Ids are made of paths, so that their order is another in each folder."""

    def found(folder: str) -> list[tuple[str, int]]:
        one = made(ClockedVectors(Bag(dull)), budget=160, context=0)
        one.add_documents([document(f"{folder}/{n}.md", ["The ferry waits at six.", "Tide."]) for n in range(9)])
        return [(str(each.metadata["source"])[-4:], each.metadata["start_index"]) for each in one.invoke("ferry")]

    first, *others = map(found, ["/a", "/home/anna", "b", "manuals/2024"])
    assert [name for name, _ in first] == sorted(name for name, _ in first)
    assert all(other == first for other in others)
