"""Several retrievers on one document store: each replaces and deletes what is its own."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.passages import LINES
from fakes.langchain.retrievers import DOCUMENTS, SPLITTINGS, edited, kept, retriever, rows, sound
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedVectors
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_caesura import DoublePassSemanticSplitter, ParentDocumentRetriever, SQLiteDocumentStore

BOTH = SPLITTINGS["both"]
APART: dict[str, dict[str, Any]] = {
    "by their id_key": {**BOTH, "id_key": "parent"},
    "by the name of their collection": {**BOTH, "vectors": "second"},
}
"""How the second of two retrievers differs from the first."""


class Named(ClockedVectors):
    """A vector store whose rows are in a collection that has a name."""

    def __init__(self, name: str) -> None:
        super().__init__(Bag())
        self.collection_name = name


def pair(second: dict[str, Any]) -> tuple[ParentDocumentRetriever, ParentDocumentRetriever]:
    """Two retrievers on one document store."""
    settings = dict(second)
    shared = InMemoryStore()
    one = retriever(Named("first"), docstore=shared, **BOTH)
    return one, retriever(Named(settings.pop("vectors", "first")), docstore=shared, **settings)


@pytest.mark.parametrize("second", APART.values(), ids=APART)
async def test_what_one_retriever_writes_takes_nothing_from_another(second: dict[str, Any]) -> None:
    one, two = pair(second)
    one.add_documents(DOCUMENTS)
    before, parents = rows(one), set(kept(one))
    await two.aadd_documents(DOCUMENTS)
    two.add_documents([edited(DOCUMENTS[0])])
    assert rows(one) == before
    assert parents <= set(kept(one))
    assert sound(one)
    assert sound(two)
    one.add_documents(DOCUMENTS)
    assert rows(one) == before
    assert "parrot" in two.invoke("parrot spoke", k=1)[0].page_content


@pytest.mark.parametrize("second", APART.values(), ids=APART)
async def test_each_deletes_its_own_and_the_last_leaves_nothing(second: dict[str, Any]) -> None:
    one, two = pair(second)
    for each in (one, two):
        each.add_documents(DOCUMENTS)
    parents = one.get(["doc-0"])
    assert two.delete(["doc-0"])["num_deleted"] == 1
    assert two.delete(["doc-0"])["num_deleted"] == 0
    assert two.get(["doc-0"]) == []
    assert one.get(["doc-0"]) == parents
    assert sound(one)
    names = [str(document.id) for document in DOCUMENTS]
    two.delete(names)
    await one.adelete(names)
    assert not rows(one)
    assert not rows(two)
    assert not one.docstore.store


def test_one_that_cuts_in_another_way_now_replaces_what_it_wrote() -> None:
    one, two = pair(APART["by the name of their collection"])
    for each in (one, two):
        each.add_documents(DOCUMENTS)
    again = retriever(one.vectorstore, docstore=one.docstore, child_splitter=DoublePassSemanticSplitter(chunk_size=90))
    again.add_documents(DOCUMENTS)
    assert max(len(row["text"]) for row in rows(again).values()) <= 90
    assert sound(again)
    assert sound(two)


def test_two_id_keys_share_one_vector_store() -> None:
    one = retriever(**BOTH)
    two = retriever(one.vectorstore, docstore=one.docstore, **{**BOTH, "id_key": "parent"})
    one.add_documents(DOCUMENTS)
    before = rows(one)
    two.add_documents(DOCUMENTS)
    assert rows(two).items() >= before.items()
    two.delete([str(document.id) for document in DOCUMENTS])
    assert rows(one) == before
    assert sound(one)


FULL: dict[str, Any] = {"child_splitter": LINES, "budget": 4000, "words": None, "context": 0.4}


def sharing(over: str) -> list[ParentDocumentRetriever]:
    """Two retrievers with equal settings that share a store."""
    vectors, documents = ClockedVectors(Bag()), InMemoryStore()
    stores = {
        "one document store": [(ClockedVectors(Bag()), documents), (ClockedVectors(Bag()), documents)],
        "one vector store": [(vectors, InMemoryStore()), (vectors, InMemoryStore())],
    }
    return [retriever(each, docstore=docs, **FULL) for each, docs in stores[over]]


@pytest.mark.parametrize("over", ["one document store", "one vector store"])
def test_of_two_with_equal_settings_each_returns_and_forgets_its_own(
    over: str, caplog: pytest.LogCaptureFixture
) -> None:
    one, two = sharing(over)
    same, anna, bert = (Document(f"{text}.", id=text[:4]) for text in ("The same text", "Anna sails", "Bert swims"))
    one.add_documents([same, anna])
    two.add_documents([same, bert])
    for mine, other, made in ((anna, bert, one), (bert, anna, two)):
        found = made.invoke(f"{mine.page_content} {other.page_content} text") + made.invoke(
            other.page_content, budget=None
        )
        assert {passage.page_content for passage in found} == {same.page_content, mine.page_content}
        assert made.get([str(other.id)]) == []
        assert made.delete([str(other.id)])["num_deleted"] == 0
        assert sound(made)
    assert two.mirror([bert]) == (0, 0, 1, 1)
    assert one.mirror([same, anna]) == (0, 0, 2, 0)
    one.add_documents([edited_text(anna)])
    assert [passage.page_content for passage in two.invoke("Bert swims")] == [bert.page_content]
    assert one.invoke("The same text")[0].page_content == same.page_content
    one.delete(["Anna", "The "])
    assert [passage.page_content for passage in two.invoke("Bert swims")] == [bert.page_content]
    assert "two searches" not in caplog.text


def edited_text(document: Document) -> Document:
    return document.model_copy(update={"page_content": f"{document.page_content} Often."})


def test_a_program_that_starts_again_finds_the_documents_of_each(tmp_path: Path) -> None:
    def start() -> list[ParentDocumentRetriever]:
        docs = SQLiteDocumentStore(tmp_path / "texts.db")
        return [retriever(docstore=docs, **FULL) for _ in range(2)]

    own = [[Document("Anna sails.", id="a")], [Document("Bert swims.", id="b")]]
    for made, documents in zip(start(), own, strict=True):
        made.add_documents(documents)
    del made
    for made, documents in zip(start(), own, strict=True):
        assert made.mirror(documents) == (0, 1, 0, 0)  # in memory its rows were lost
        assert [passage.page_content for passage in made.invoke("who sails or swims")] == [documents[0].page_content]


def test_a_vector_store_that_is_loaded_from_a_file_finds_its_documents_again() -> None:
    docs = InMemoryStore()
    made = [retriever(docstore=docs, **FULL) for _ in range(2)]
    for one, name in zip(made, ("Anna", "Bert"), strict=True):
        one.add_documents([Document(f"{name} sails.", id=name)])
    for one, name in zip(reversed(made), ("Bert", "Anna"), strict=True):
        loaded = ClockedVectors(Bag())
        loaded.store.update(rows(one))
        again = retriever(loaded, docstore=docs, **FULL)
        assert [passage.page_content for passage in again.invoke("who sails")] == [f"{name} sails."]
        assert again.mirror([Document(f"{name} sails.", id=name)]) == (0, 0, 1, 0)


def test_of_an_index_in_memory_that_is_gone_words_find_nothing() -> None:
    docs = InMemoryStore()
    retriever(docstore=docs, **FULL).add_documents([Document("Anna sails.", id="a")])
    made = retriever(docstore=docs, **FULL)
    made.add_documents([Document("Bert swims.", id="b")])
    assert [passage.page_content for passage in made.invoke("Anna sails")] == ["Bert swims."]


@pytest.mark.parametrize("key", [None, "d", "caesura/documents/x"])
def test_rows_that_a_user_adds_to_the_vector_store_are_neither_returned_nor_deleted(
    key: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    made = retriever(InMemoryVectorStore(Bag()), **FULL)
    made.docstore.mset([("d", Document("A text of the user's own."))])
    own = Document("Anna rows.", id="own", metadata={} if key is None else {"doc_id": key})
    made.vectorstore.add_documents([own], ids=["own"])
    made.add_documents([Document("Anna sails.", id="a")])
    for budget in (None, 4000):
        assert [passage.page_content for passage in made.invoke("Anna rows", budget=budget)] == ["Anna sails."]
    assert made.mirror([Document("Bert swims.", id="b")]) == (1, 0, 0, 1)
    made.delete(["b"])
    assert list(rows(made)) == ["own"]
    assert list(kept(made)) == ["d"]
    assert not caplog.records


def test_two_files_over_one_vector_store_keep_apart_and_one_that_was_moved_goes_on(tmp_path: Path) -> None:
    vectors = ClockedVectors(Bag())
    text = "\n".join(f"Line {number} of the {'log' if number % 2 else 'book'} of the harbour." for number in range(8))

    def opened(name: str) -> ParentDocumentRetriever:
        return retriever(vectors, docstore=SQLiteDocumentStore(tmp_path / name), **FULL)

    one, two = opened("one.db"), opened("two.db")
    for each in (one, two):
        each.add_documents([Document(text, id="log")])
    assert len(vectors.store) == 2 * 8
    two.delete(["log"])
    assert len(vectors.store) == 8
    one.docstore.close()
    (tmp_path / "one.db").rename(tmp_path / "moved.db")
    moved = opened("moved.db")
    assert moved.invoke("the log of the harbour")[0].page_content in text
    before, rows_before = set(vectors.embedding.texts), set(vectors.store)
    assert moved.mirror([Document(f"{text}\nOne line more.", id="log")]) == (0, 1, 0, 0)
    assert len(set(vectors.store) - rows_before) == 1, "rows keep the ids that they had"
    assert set(vectors.embedding.texts) - before == {"One line more."}
    moved.delete(["log"])
    assert not vectors.store


STEPS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from(["add", "mirror", "delete", "forced"]),
        st.dictionaries(st.sampled_from("abc"), st.integers(0, 2), max_size=3),
    ),
    max_size=8,
)


@pytest.mark.thorough
@pytest.mark.parametrize("over", ["one document store", "one vector store"])
@given(steps=STEPS)
def test_whatever_two_do_each_has_and_returns_what_it_wrote_last(over: str, steps: list[Any]) -> None:
    both, models = sharing(over), [dict[str, str](), dict[str, str]()]
    for number, step, versions in steps:
        made, model = both[number], models[number]
        texts = {name: f"Boat {name} is of {version}." for name, version in versions.items()}
        documents = [Document(text, id=name) for name, text in texts.items()]
        if step == "delete":
            made.delete([*texts])
            model.update(dict.fromkeys(texts, ""))
        elif step == "mirror" and documents:
            made.mirror(documents)
            model.update(dict.fromkeys(model, "") | texts)
        else:
            made.add_documents(documents, force=step == "forced")
            model.update(texts)
    for made, model in zip(both, models, strict=True):
        wanted = sorted(filter(None, model.values()))
        assert sorted(one.page_content for one in made.get(sorted(model))) == wanted
        assert sorted(one.page_content for one in made.invoke("Which boat is of 1?")) == wanted
        assert sorted(one.page_content for one in made.invoke("boat", budget=None, k=9)) == wanted
        assert sound(made)
    if not any(filter(None, [*models[0].values(), *models[1].values()])):
        assert all(made.docstore.store == rows(made) == {} for made in both)


@pytest.mark.parametrize("budget", [None, 300])
async def test_a_document_store_that_was_not_written_with_the_rows_is_told(tmp_path: Path, budget: int | None) -> None:
    vectors, question = Named("first"), DOCUMENTS[0].page_content[:40]
    with SQLiteDocumentStore(tmp_path / "texts.db") as texts, SQLiteDocumentStore(tmp_path / "new.db") as new:
        made = retriever(vectors, docstore=texts, **BOTH, budget=budget)
        made.add_documents(DOCUMENTS)
        empty = retriever(vectors, docstore=new, **BOTH, budget=budget)
        said = r"found rows of [1-5] documents, and none of these is .*new\.db': use the .* into a new collection"
        with pytest.warns(UserWarning, match=said):
            assert empty.invoke(question) == []
        with pytest.warns(UserWarning, match=said):
            assert await empty.ainvoke(question) == []
        made.add_documents([Document("The parrot spoke.", id="parrot")])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert made.invoke("parrot")
            empty.add_documents([Document("The parrot slept.", id="parrot")])
            assert [one.page_content for one in empty.invoke("parrot")] == ["The parrot slept."]
