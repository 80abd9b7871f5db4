"""Vectors that lean toward what stands around a child: what a store takes, what it costs, what an edit writes again."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from fakes.langchain.passages import document, lines, made
from fakes.langchain.retrievers import edited, kept, parts, records, rows
from fakes.langchain.splitters import AsyncBag, Bag, scattered
from fakes.langchain.stores import ClockedVectors
from langchain_classic.embeddings import CacheBackedEmbeddings
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.stores import InMemoryByteStore
from langchain_core.vectorstores import InMemoryVectorStore

from caesura.errors import SettingError
from caesura_retrieval.leaning import CONTEXT, lean
from langchain_caesura import ChunkEmbeddings, DoublePassSemanticSplitter, ParentDocumentRetriever

LONG = [document(f"{name}", lines(137, name)) for name in ("a", "b")]


def vectors_in_order(retriever: ParentDocumentRetriever, name: str) -> np.ndarray[Any, Any]:
    """The vectors of the children of a document, as the store has them."""
    (part,) = [part for part in parts(retriever) if kept(retriever)[part.key].id == name]
    return np.array([rows(retriever)[row]["vector"] for row, _ in part.rows()])


def leaned(texts: Sequence[str], share: float = CONTEXT) -> np.ndarray[Any, Any]:
    return lean(np.array(scattered(texts), np.float32), share)


@pytest.mark.thorough
@pytest.mark.parametrize("batch_size", [3, 50, 1000])
@pytest.mark.parametrize("share", [0.4, 1.5])
async def test_a_store_takes_vectors_that_lean_and_embeds_each_child_once(share: float, batch_size: int) -> None:
    one, waiting = made(context=share, batch_size=batch_size), made(context=share, batch_size=batch_size)
    one.add_documents(LONG)
    await waiting.aadd_documents(LONG)
    for each in (one, waiting):
        for long in LONG:
            np.testing.assert_allclose(
                vectors_in_order(each, str(long.id)), leaned(long.page_content.split("\n"), share), atol=1e-6
            )
    asked = one.vectorstore.embedding.texts
    assert set(asked) == {row["text"] for row in rows(one).values()}
    assert len(asked) == 2 * 137


def test_without_context_a_store_takes_what_its_model_says() -> None:
    one = made(context=0)
    one.add_documents(LONG)
    np.testing.assert_allclose(vectors_in_order(one, "a"), scattered(LONG[0].page_content.split("\n")))


def test_the_same_text_in_two_places_has_two_vectors_and_a_view_its_own() -> None:
    text = lines(12)
    text[2] = text[9] = "the captain steers the ship by the compass"
    one = made()
    view = Document(text[2], metadata={"parent_id": "a"})
    one.add_documents([document("a", text)], views=[view])
    vectors = vectors_in_order(one, "a")
    assert len(vectors) == 13
    np.testing.assert_allclose(vectors[:12], leaned(text), atol=1e-6)
    assert not np.allclose(vectors[2], vectors[9])
    np.testing.assert_allclose(vectors[12], leaned([text[2]])[0], atol=1e-6)


@pytest.mark.parametrize(("place", "most"), [(0.0, 7), (0.5, 11), (1.0, 7)])
async def test_one_sentence_more_is_all_that_is_embedded_and_writes_its_row_and_those_around(
    place: float, most: int
) -> None:
    one, fresh = made(words=None), made()
    one.add_documents(LONG)
    before, texts = set(rows(one)), len(one.vectorstore.embedding.texts)
    written = len(one.vectorstore.clock.calls)
    at = round(place * 137)
    text = lines(137, "a")
    new = document("a", [*text[:at], "the parrot spoke to all the pirates again", *text[at:]])
    await one.aadd_documents([new, LONG[1]])
    fresh.add_documents([new, LONG[1]])
    assert len(set(rows(one)) & before) == len(before) == 274
    assert rows(one) == rows(fresh)
    assert one.vectorstore.embedding.texts[texts:] == ["the parrot spoke to all the pirates again"]
    assert one.vectorstore.clock.calls[written:] == ["vectors.add"]
    assert one.vectorstore.written[-1] <= most
    for start, end, row in (
        (s, e, row) for part in parts(one) for (row, _), s, e in zip(part.rows(), part.starts, part.ends, strict=True)
    ):
        (text_,) = [value.page_content for value in kept(one).values() if rows(one)[row]["text"] in value.page_content]
        assert text_[start:end] == rows(one)[row]["text"]


def test_an_edit_of_a_document_that_is_cut_by_meaning_keeps_95_of_100_ids() -> None:
    from fakes.texts.articles import article

    one = made(child_splitter=DoublePassSemanticSplitter(target_size=100))
    given = Document(article(400, 3), id="a", metadata={"source": "a"})
    one.add_documents([given])
    before = set(rows(one))
    assert len(before) > 100
    for place in (0.0, 0.5, 0.98):
        one.add_documents([edited(given, place=place)])
        assert len(set(rows(one)) & before) >= 0.95 * len(before)
        assert one.vectorstore.written[-1] <= 30


@pytest.mark.parametrize("cached", [False, True])
def test_a_retriever_that_is_made_again_embeds_what_is_around_an_edit_unless_a_cache_has_it(cached: bool) -> None:
    model = Bag(scattered)
    cache = CacheBackedEmbeddings.from_bytes_store(model, InMemoryByteStore(), key_encoder="sha256")
    one, plain = made(ClockedVectors(cache if cached else model)), made()
    text = lines(137, "a")
    one.add_documents([document("a", text)])
    new = document("a", [*text[:50], "the parrot spoke", *text[50:]])
    model.calls.clear()
    made(one.vectorstore, docstore=one.docstore).add_documents([new])
    plain.add_documents([new])
    assert sorted(model.texts) == (["the parrot spoke"] if cached else sorted([*text[42:58], "the parrot spoke"]))
    np.testing.assert_allclose(vectors_in_order(one, "a"), vectors_in_order(plain, "a"), atol=1e-6)


def test_rows_that_are_known_are_embedded_anew_where_that_is_asked_for_and_by_another_model() -> None:
    one, text = made(), lines(30, "a")
    one.add_documents([document("a", text)])
    model = one.vectorstore.embedding.embeddings
    model.calls.clear()
    one.add_documents([document("a", text)], force=True)
    assert model.texts == text
    model.rows = lambda texts: -np.array(scattered(texts))  # it was trained anew
    one.add_documents([document("a", text)], force=True)
    one.add_documents([document("a", [*text, "the parrot spoke"])])
    np.testing.assert_allclose(vectors_in_order(one, "a"), -leaned([*text, "the parrot spoke"]), atol=1e-6)
    one.vectorstore.embedding = other = Bag(scattered)
    one.add_documents([document("b", text)])
    assert other.texts == text
    np.testing.assert_allclose(vectors_in_order(one, "b"), leaned(text), atol=1e-6)


def test_another_share_is_another_vector() -> None:
    one = made()
    one.add_documents(LONG)
    again = made(one.vectorstore, docstore=one.docstore, context=0.8)
    again.add_documents(LONG)
    np.testing.assert_allclose(vectors_in_order(again, "b"), leaned(lines(137, "b"), 0.8), atol=1e-6)
    assert len(rows(again)) == 274


class Hidden(InMemoryVectorStore):
    """A store that says what it embeds with, and takes another's place for it nowhere."""

    def __init__(self, embedding: Embeddings) -> None:
        super().__init__(embedding)
        self.embedding = None  # type: ignore[assignment]
        self.parts = [embedding]

    @property
    def embeddings(self) -> Embeddings:
        return self.parts[0]

    def add_documents(self, *args: Any, **kwargs: Any) -> list[str]:
        self.embedding = self.parts[0]
        try:
            return super().add_documents(*args, **kwargs)
        finally:
            self.embedding = None  # type: ignore[assignment]


def test_a_store_whose_model_cannot_be_wrapped_is_told_of_and_takes_plain_vectors() -> None:
    with pytest.warns(UserWarning, match=r"Hidden hides its embeddings.*ChunkEmbeddings\(embeddings\)") as told:
        one = made(Hidden(Bag(scattered)))
    assert len(told) == 1
    one.add_documents(LONG)
    np.testing.assert_allclose(vectors_in_order(one, "a"), scattered(LONG[0].page_content.split("\n")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wrapped = made(Hidden(ChunkEmbeddings(Bag(scattered))))
        made(Hidden(Bag(scattered)), context=0)
    wrapped.add_documents(LONG)
    np.testing.assert_allclose(vectors_in_order(wrapped, "a"), leaned(lines(137, "a")), atol=1e-6)


async def test_an_async_model_is_awaited_and_its_attributes_are_still_there() -> None:
    model = AsyncBag(scattered)
    one = made(ClockedVectors(model))
    one.vectorstore.aadd_documents = super(ClockedVectors, one.vectorstore).aadd_documents
    await one.aadd_documents(LONG)
    np.testing.assert_allclose(vectors_in_order(one, "a"), leaned(lines(137, "a")), atol=1e-6)
    assert one.vectorstore.embedding.calls is model.calls
    with pytest.raises(AttributeError, match="none_such"):
        _ = one.vectorstore.embedding.none_such


def test_a_model_that_returns_too_few_rows_writes_nothing() -> None:
    one = made(ClockedVectors(Bag(lambda texts: scattered(texts)[1:])))
    with pytest.raises(ValueError, match=r"must return one row per text: expected \(137, d\), got \(136, "):
        one.add_documents(LONG[:1])
    assert not rows(one)
    assert isinstance(SettingError(), ValueError)
    assert all(not record.complete for record in records(one).values())
