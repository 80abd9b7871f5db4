"""A document's context: each child's row has a share of its row, it is no part of the text, its words count once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fakes.langchain.llms import Plain
from fakes.langchain.passages import document, lines, made, spans
from fakes.langchain.retrievers import kept, parts, rows
from fakes.langchain.splitters import Bag, scattered
from fakes.langchain.stores import ClockedVectors
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from caesura_retrieval.leaning import SHARE, lean, share_contexts
from caesura_retrieval.word_indexes import forget_word_indexes
from langchain_caesura import (
    ContextTransformer,
    OptimalSemanticSplitter,
    ParentDocumentRetriever,
    SQLiteDocumentStore,
    StaticEmbeddings,
)
from langchain_caesura.parents.words import word_index

OF_A = "The log of the Aurora."


def told(name: str = "a", context: str = OF_A, **metadata: Any) -> Document:
    return document(name, lines(40, name), document_context=context, **metadata)


def vectors(retriever: Any) -> np.ndarray[Any, Any]:
    (part,) = parts(retriever)
    return np.array([rows(retriever)[row]["vector"] for row, _ in part.rows()])


def shared(texts: list[str], context: str = OF_A) -> np.ndarray[Any, Any]:
    """The rows of texts with a share of the context's, by arithmetic."""
    own, whole = (np.array(scattered(each), np.float64) for each in (texts, [context]))
    rows = own / np.linalg.norm(own, axis=1, keepdims=True) + SHARE * whole / np.linalg.norm(whole)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True) * np.linalg.norm(own, axis=1, keepdims=True))


@pytest.mark.parametrize("share", [0, 0.4])
async def test_a_row_has_a_share_of_the_contexts_and_then_leans(share: float) -> None:
    model = Bag(scattered)
    one, other = made(ClockedVectors(model), context=share), made(context=share)
    one.add_documents([told()])
    await other.aadd_documents([told()])
    assert sorted(model.texts) == sorted([*lines(40, "a"), OF_A]), "the context once, and by itself"
    assert [len(call) for call in model.calls] == [1, 41], "the one by which the model is known again"
    expected = np.asarray(shared(lines(40, "a")), np.float32)
    assert np.allclose(vectors(one), lean(expected, share) if share else expected, atol=1e-5)
    assert np.array_equal(vectors(one), vectors(other))


def test_an_edit_with_another_context_takes_the_place_of_its_source_and_ids_of_chunks_do_not_change() -> None:
    retriever = made(source_id_key="source")
    for name, context in (("a", OF_A), ("b", "The log of the Bounty.")):
        retriever.add_documents([document("a", lines(9, name), document_context=context, source="log")])
    assert {row["text"] for row in rows(retriever).values()} == set(lines(9, "b"))
    assert {row["metadata"]["document_context"] for row in rows(retriever).values()} == {"The log of the Bounty."}
    text = " ".join(lines(9, "a"))
    ids = [
        [chunk.id for chunk in OptimalSemanticSplitter(chunk_size=60).split_documents([Document(text, metadata=said)])]
        for said in ({"source": "log"}, {"source": "log", "document_context": OF_A})
    ]
    assert ids[0] == ids[1]


@pytest.mark.parametrize("share", [0, 0.4])
def test_rows_of_documents_without_one_are_the_same_to_the_bit(share: float) -> None:
    """A ``context`` in the metadata that is the user's own is no context."""
    plain, mixed = made(context=share), made(context=share)
    for one, more in ((plain, {}), (mixed, {"document_context": OF_A})):
        one.add_documents([document("a", lines(40, "a"), context="mine"), document("b", lines(9, "b"), **more)])
    one, other = ({row["text"]: np.float32(row["vector"]) for row in rows(each).values()} for each in (plain, mixed))
    assert all(np.array_equal(one[line], other[line]) for line in lines(40, "a"))
    assert all(not np.allclose(one[line], other[line]) for line in lines(9, "b"))


def test_a_context_costs_one_embedding_a_document_whatever_the_batches_and_none_in_an_edit() -> None:
    small = made(batch_size=10)
    small.add_documents([told("a"), told("b", "Of bees."), told("c")])
    model = small.vectorstore.embedding.embeddings
    assert (model.texts.count(OF_A), model.texts.count("Of bees.")) == (1, 1)
    whole = made()
    whole.add_documents([told("a"), told("b", "Of bees."), told("c")])
    kept_rows = [{row["text"]: row["vector"] for row in rows(one).values()} for one in (small, whole)]
    assert kept_rows[0] == kept_rows[1]
    model.calls.clear()
    text = told("b").page_content.replace(lines(40, "b")[20], "b20 is another line")
    small.add_documents([told("a"), document("b", text.split("\n"), document_context="Of bees."), told("c")])
    assert model.texts == ["b20 is another line"]


def test_texts_places_and_chunks_are_those_of_the_document_without_it() -> None:
    plain, given = made(), made()
    plain.add_documents([document("a", lines(40, "a"))])
    given.add_documents([told()])
    assert sorted(row["text"] for row in rows(plain).values()) == sorted(row["text"] for row in rows(given).values())
    assert [(part.starts, part.ends) for part in parts(plain)] == [(part.starts, part.ends) for part in parts(given)]
    found = given.invoke("a7 harbour", budget=100)
    assert spans(found, {"a": told().page_content})
    assert found[0].metadata["document_context"] == OF_A
    assert [each.page_content for each in kept(given).values()] == [told().page_content]


def test_another_context_writes_the_rows_again_and_embeds_nothing_else_and_the_same_writes_none() -> None:
    one = made()
    one.add_documents([told()])
    model = one.vectorstore.embedding.embeddings
    model.calls.clear()
    one.add_documents([told()])
    assert model.texts == []
    one.add_documents([told(context="A log book.")])
    assert model.texts == ["A log book."]
    assert np.allclose(vectors(one), lean(np.asarray(shared(lines(40, "a"), "A log book."), np.float32)), atol=1e-5)


@pytest.mark.parametrize("filled", [False, True])
def test_its_words_find_the_first_child_and_not_all(filled: bool, tmp_path: Any) -> None:
    """filled: by a store whose words are made anew of what it has."""
    one = made(child_splitter=made().child_splitter)
    one.add_documents([told("a"), told("b", "Of bees.")])
    index = word_index(one.docstore, one.owner.name)
    if filled:
        forget_word_indexes()
        assert one.invoke("Aurora")
        index = word_index(one.docstore, one.owner.name)
    texts = {row: value["text"] for row, value in rows(one).items()}
    (best, *_) = index.search("Aurora").scores
    assert texts[best] == lines(1, "a")[0]
    (best, *_) = index.search("bees").scores
    assert texts[best] == lines(1, "b")[0]
    first, *others = index.search("Aurora", budget=1000).scores.values()
    assert 2 * max(others) < first, "others have it around them at most"


def test_contexts_of_a_model_lead_to_the_right_document_of_two_alike(tmp_path: Any) -> None:
    """Both say the same but for their first sentence."""
    same = "\n\n".join(f"The {word} is paid in cash. It is due in May." for word in ("rent", "toll", "fare", "fine"))
    given = [
        Document(f"{name} has a harbour.\n\n{same}", id=name, metadata={"source": name})
        for name in ("Marseille", "Oslo")
    ]
    for documents in (given, ContextTransformer(Plain()).transform_documents(given)):
        retriever = ParentDocumentRetriever(
            vectorstore=InMemoryVectorStore(StaticEmbeddings()),
            docstore=SQLiteDocumentStore(tmp_path / f"{len(documents[0].metadata)}.db"),
            child_splitter=OptimalSemanticSplitter(chunk_size=60),
            context=0,
            words=0,
            embed_headings=False,
        )
        retriever.add_documents(documents)
        found = retriever.invoke("When is the fine due in Oslo?", budget=60)
        assert ({one.metadata["source"] for one in found} == {"Oslo"}) == (documents is not given)


# -- flat -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["sync", "async"])
async def test_a_splitters_vectors_have_a_share_of_the_contexts(how: str) -> None:
    text = " ".join(f"The {word} is paid in cash. It is due in May." for word in ("rent", "toll", "fare", "fine") * 5)
    model = Bag(scattered)
    splitter = OptimalSemanticSplitter(model, chunk_size=120, embed_chunks=True)
    plain = OptimalSemanticSplitter(Bag(scattered), chunk_size=120, embed_chunks=True)
    given = [Document(text, metadata={"document_context": OF_A})]
    chunks = splitter.split_documents(given) if how == "sync" else await splitter.asplit_documents(given)
    assert [one.page_content for one in chunks] == [one.page_content for one in plain.split_documents([Document(text)])]
    assert splitter.chunk_embeddings is not None
    assert plain.chunk_embeddings is not None
    texts = [one.page_content for one in chunks]
    own, without = (np.array(each.chunk_embeddings.embed_documents(texts)) for each in (splitter, plain))  # type: ignore[union-attr]
    expected = share_contexts(without, np.array(scattered([OF_A])[0], np.float32))
    assert np.allclose(own, expected, atol=1e-6)
    assert not np.allclose(own, without, atol=1e-3)
    assert isinstance(plain.embeddings, Bag)
    assert sorted(model.texts) == sorted([*plain.embeddings.texts, OF_A]), "one text more, and no other"


def test_chunks_that_are_documents_of_a_retriever_have_contexts_of_their_own() -> None:
    chunks = OptimalSemanticSplitter(chunk_size=90, add_start_index=True).split_documents([told(context="")])
    for chunk in chunks:
        del chunk.metadata["document_context"]
    placed = ContextTransformer(Plain(), "chunk").transform_documents(chunks)
    one = made(child_splitter=OptimalSemanticSplitter(chunk_size=90), context=0, embed_headings=False)
    one.add_documents(placed)
    model = one.vectorstore.embedding.embeddings
    assert set(model.texts) >= {each.metadata["document_context"] for each in placed}
    found = {row["text"]: row["vector"] for row in rows(one).values()}
    for each in placed:
        assert np.allclose(found[each.page_content], shared([each.page_content], each.metadata["document_context"])[0])
