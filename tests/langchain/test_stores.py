"""Documents on disk: LangChain's own suites, many tasks, a file opened again."""

from __future__ import annotations

import asyncio
import pickle
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests.base_store import BaseStoreAsyncTests, BaseStoreSyncTests

from caesura.errors import SettingError
from langchain_caesura import ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings
from langchain_caesura.stores import PIECE, ChangedTextError, StoredSlices

THREE = (
    Document("The tide turns.", metadata={"page": 1}),
    Document("Bread rises.", id="bread"),
    Document("", metadata={"nested": {"list": [1, {"deep": None}]}}),
)


class TestSync(BaseStoreSyncTests[Document]):
    @pytest.fixture
    def kv_store(self, store: SQLiteDocumentStore) -> SQLiteDocumentStore:
        return store

    @pytest.fixture
    def three_values(self) -> tuple[Document, Document, Document]:
        return THREE


class TestAsync(BaseStoreAsyncTests[Document]):
    @pytest.fixture
    async def kv_store(self, store: SQLiteDocumentStore) -> SQLiteDocumentStore:
        return store

    @pytest.fixture
    def three_values(self) -> tuple[Document, Document, Document]:
        return THREE


def test_what_is_changed_after_reading_or_writing_is_not_changed_in_the_store(store: SQLiteDocumentStore) -> None:
    given = Document("text", metadata={"list": [1]})
    store.mset([("key", given)])
    given.metadata["list"].append(2)
    (back,) = store.mget(["key"])
    assert back is not None
    back.metadata["list"].append(3)
    assert store.mget(["key"]) == [Document("text", metadata={"list": [1]})]


async def test_a_store_is_used_from_many_tasks(store: SQLiteDocumentStore) -> None:
    await asyncio.gather(*(store.amset([(f"{number}", Document(str(number)))]) for number in range(50)))
    found = await store.amget([f"{number}" for number in range(50)])
    assert [document.page_content for document in found if document] == [f"{number}" for number in range(50)]


def test_a_store_is_opened_again_and_shares_its_file_with_another_table(tmp_path: Path) -> None:
    with SQLiteDocumentStore(tmp_path / "s.db") as one, SQLiteDocumentStore(one.path, "others") as other:
        one.mset([("a", THREE[0])])
        assert list(other.yield_keys()) == []
        again = pickle.loads(pickle.dumps(one))
        assert again.mget(["a"]) == [THREE[0]]
        again.close()
    assert "s.db" in repr(one)
    with pytest.raises(SettingError, match="is closed"):
        one.mget(["a"])


@pytest.mark.parametrize("tables", [("wiki", "wiki_words"), ("wiki_documents", "wiki"), ("Wiki", "wiki")])
def test_retrievers_over_two_tables_of_a_file_find_each_its_own(tables: tuple[str, str], tmp_path: Path) -> None:
    retrievers = [
        ParentDocumentRetriever(
            vectorstore=InMemoryVectorStore(StaticEmbeddings()),
            docstore=SQLiteDocumentStore(tmp_path / "texts.db", table=table),
        )
        for table in tables
    ]
    for retriever, text in zip(retrievers, ("Bees swarm in May.", "The mill grinds."), strict=True):
        retriever.add_documents([Document(text, id="x")])
    found = [retriever.invoke("Do bees swarm, or grind?") for retriever in retrievers]
    assert [[one.page_content for one in own] for own in found] == [["Bees swarm in May."], ["The mill grinds."]]


# -- texts in parts ----------------------------------------------------------------------------------------------------

LONG = "".join(f"Line {number}: ½ of the tide 🌊 \ud800\n" for number in range(4000))
"""Of several pieces, with characters of all widths, and a lone surrogate."""


@pytest.mark.parametrize(
    ("start", "end"),
    [(0, 10), (PIECE - 3, PIECE + 3), (PIECE, 2 * PIECE), (5, 3 * PIECE), (0, None), (len(LONG) - 2, 10**9), (9, 3)],
)
def test_a_range_of_a_stored_text_is_that_of_the_text(store: SQLiteDocumentStore, start: int, end: int | None) -> None:
    store.mset([("a", Document(LONG, id="a", metadata={"page": 3})), ("b", Document("short"))])
    found = store.mget_sliced(["a", "none", "b"])
    assert found.keys() == {"a", "b"}
    assert found["b"].until(None) == Document("short")
    assert found["a"].page_content[start:end] == LONG[start:end]
    assert (found["a"].id, found["a"].metadata) == ("a", {"page": 3})
    assert store.mget(["a"]) == [Document(LONG, id="a", metadata={"page": 3})]


def test_a_range_is_read_without_the_rest(store: SQLiteDocumentStore) -> None:
    store.mset([("a", Document(LONG))])
    text = store.mget_sliced(["a"])["a"].page_content
    assert isinstance(text, StoredSlices)
    store._store.run(lambda held: held.execute("DELETE FROM documents WHERE key > ?", (b"a\xff\0\0\0\2",)))
    assert text[: 3 * PIECE] == LONG[: 3 * PIECE]
    assert text[PIECE + 1 : PIECE + 9] == LONG[PIECE + 1 : PIECE + 9]
    with pytest.raises(SettingError, match="the value of 'a' is not as it was written"):
        text[4 * PIECE : 4 * PIECE + 1]


def test_ranges_that_are_named_with_the_keys_are_read_with_the_documents(store: SQLiteDocumentStore) -> None:
    store.mset([("a", Document(LONG)), ("b", Document("short"))])
    ranges = [("a", PIECE - 3, PIECE + 3), ("a", 2 * PIECE, 3 * PIECE), ("b", 1, 4)]
    found = store.mget_sliced(["a", "b"], ranges)
    store.mdelete(["a", "b"])
    for key, start, end in ranges:
        assert found[key].page_content[start:end] == {"a": LONG, "b": "short"}[key][start:end]
    with pytest.raises(ChangedTextError):
        found["a"].page_content[3 * PIECE : 3 * PIECE + 1]


def test_the_layout_of_a_long_document_is_read_once_for_each_version_of_it(store: SQLiteDocumentStore) -> None:
    def read() -> Document:
        own = store.mget_sliced(["a"])["a"]
        return Document(own.page_content[:], metadata=own.metadata)

    for page in (1, 2):
        layout = [{"start": start, "page": page} for start in range(PIECE)]
        store.mset([("a", given := Document(LONG, metadata={"caesura_layout": layout}))])
        first, again = read(), read()
        assert first == again == given
        assert first.metadata["caesura_layout"] is again.metadata["caesura_layout"]
        (own,) = store.mget(["a"])
        assert own is not None
        assert own.metadata["caesura_layout"] is not first.metadata["caesura_layout"]


@pytest.mark.parametrize("other", [[Document(LONG.replace("0", "1"))], [Document("short")], []])
def test_no_text_is_read_half_of_one_version_and_half_of_another(
    store: SQLiteDocumentStore, other: list[Document]
) -> None:
    store.mset([("a", Document(LONG))])
    text = store.mget_sliced(["a"])["a"].page_content
    store.mdelete(["a"])
    store.mset([("a", each) for each in other])
    assert text[:PIECE] == LONG[:PIECE]
    with pytest.raises(ChangedTextError):
        text[:]


def test_a_document_of_an_older_version_is_refused(store: SQLiteDocumentStore) -> None:
    store._store.put([("a", b'{"id":null,"metadata":{},"page_content":"The tide turns."}')])
    with pytest.raises(SettingError, match="by an older version: index the documents into another file"):
        store.mget(["a"])
