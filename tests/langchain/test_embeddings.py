"""`StaticEmbeddings`, the built-in model as LangChain embeddings; and LangChain's own suites for all three kinds."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests import EmbeddingsIntegrationTests
from langchain_tests.unit_tests import EmbeddingsUnitTests

from caesura import Background
from caesura_static import StaticEmbedder
from langchain_caesura import ChunkEmbeddings, ContextualEmbeddings, StaticEmbeddings

TEXTS = [
    "The cat sleeps.",
    "A kitten naps.",
    "Bond yields rose.",
    "中文",
    "",
    "\x00",
    "a\ud800b",
    "\U0001f468\u200d\U0001f469",
]


class ByDocument:
    """A model that embeds the chunks of a document together, each as if it were alone."""

    def embed_document(self, chunks: list[str]) -> Any:
        """Chunks -> a row for each."""
        return StaticEmbedder()(chunks)


class Static:
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return StaticEmbeddings


class TestStaticUnit(Static, EmbeddingsUnitTests):
    pass


class TestStatic(Static, EmbeddingsIntegrationTests):
    pass


class Chunks:
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return ChunkEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, Any]:
        return {"embeddings": StaticEmbeddings()}


class TestChunksUnit(Chunks, EmbeddingsUnitTests):
    pass


class TestChunks(Chunks, EmbeddingsIntegrationTests):
    pass


class Contextual:
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return ContextualEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, Any]:
        return {"model": ByDocument()}


class TestContextualUnit(Contextual, EmbeddingsUnitTests):
    pass


class TestContextual(Contextual, EmbeddingsIntegrationTests):
    pass


def test_a_question_is_embedded_as_a_document_is() -> None:
    embeddings = StaticEmbeddings()
    rows = np.array([embeddings.embed_query(text) for text in TEXTS])
    assert np.allclose(rows, embeddings.embed_documents(TEXTS), atol=1e-6)


def test_rows_are_lists_of_finite_floats_of_one_length() -> None:
    rows = StaticEmbeddings().embed_documents(TEXTS)
    assert type(rows) is list
    assert all(type(row) is list for row in rows)
    assert all(type(value) is float for row in rows for value in row)
    assert np.isfinite(np.array(rows)).all()
    assert len({len(row) for row in rows}) == 1


def test_no_text_gives_no_row() -> None:
    assert StaticEmbeddings().embed_documents([]) == []


async def test_the_async_half_gives_the_same() -> None:
    embeddings = StaticEmbeddings()
    rows, query = await asyncio.gather(embeddings.aembed_documents(TEXTS), embeddings.aembed_query(TEXTS[0]))
    assert rows == embeddings.embed_documents(TEXTS)
    assert query == embeddings.embed_query(TEXTS[0])


def test_they_pickle_small_and_give_the_same() -> None:
    data = pickle.dumps(StaticEmbeddings())
    assert len(data) < 1000
    twin = pickle.loads(data)
    assert isinstance(twin, Embeddings)
    assert twin.embed_documents(TEXTS) == StaticEmbeddings().embed_documents(TEXTS)


def test_the_background_is_a_row_of_the_same_length() -> None:
    embeddings = StaticEmbeddings()
    assert isinstance(embeddings.background, Background)
    assert embeddings.background.mean.shape == (len(embeddings.embed_query("x")),)


def test_what_is_alike_is_nearer_than_what_is_not() -> None:
    store = InMemoryVectorStore(StaticEmbeddings())
    store.add_texts(["A kitten naps on the sofa.", "Bond yields rose again."])
    assert store.similarity_search("Where does the cat sleep?", k=1)[0].page_content.startswith("A kitten")


def test_arguments_are_refused() -> None:
    with pytest.raises(TypeError):
        StaticEmbeddings(model="other")
