"""Another model in the place of the one that embedded what is stored: it is noticed by one row, whatever its width."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from fakes.langchain.passages import LINES
from fakes.langchain.retrievers import retriever
from fakes.langchain.splitters import Bag, bags
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_caesura import ParentDocumentRetriever
from langchain_caesura.parents.rows import PROBE

DOCUMENTS = [Document(f"The {word} is near the {word} house.", id=word) for word in ("mill", "ferry", "market")]
WARNING = "another model than the vector store has now embedded the document"


def model(seed: int, noise: float = 0.0, width: int = 48) -> Bag:
    """A model whose rows have directions of their own; those of one seed are one model, which may be inexact."""
    spread, shaken = np.random.default_rng(seed).normal(size=(256, width)), np.random.default_rng(seed + 1)

    def rows(texts: Sequence[str]) -> list[list[float]]:
        made = np.asarray(bags(texts)).reshape(-1, 256) @ spread
        return (made + noise * shaken.normal(size=made.shape)).tolist()  # type: ignore[no-any-return]

    return Bag(rows)


class Down(Bag):
    """A model that cannot be reached."""

    def embed_documents(self, texts: list[str]) -> object:
        raise ConnectionError("the host is down")


class Stores:
    """What is stored, as each process opens it with a model of its own."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        self.documents = InMemoryStore()

    def open(self, embeddings: Bag, **settings: Any) -> ParentDocumentRetriever:
        vectors = InMemoryVectorStore(embeddings)
        vectors.store = self.rows
        return retriever(vectors, docstore=self.documents, child_splitter=LINES, **settings)

    def vectors(self) -> dict[str, Any]:
        return {key: row["vector"] for key, row in self.rows.items()}


@pytest.mark.parametrize("settings", [{}, {"context": 0.4}], ids=["alone", "context"])
@pytest.mark.parametrize("width", [48, 32], ids=["equal", "narrower"])
async def test_documents_given_after_a_change_of_model_are_embedded_anew_with_a_warning(
    settings: dict[str, Any], width: int
) -> None:
    stores = Stores()
    stores.open(model(0), **settings).add_documents(DOCUMENTS)
    other = model(1, width=width)
    made = stores.open(other, **settings)
    with pytest.warns(UserWarning, match=f"{WARNING} 'mill'.* give all documents to mirror"):
        assert await made.amirror(DOCUMENTS) == (0, 3, 0, 0)
    expected = Stores()
    expected.open(model(1, width=width), **settings).add_documents(DOCUMENTS)
    assert sorted(map(str, stores.vectors().values())) == sorted(map(str, expected.vectors().values()))
    embedded = len(other.calls)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made.mirror(DOCUMENTS) == (0, 0, 3, 0)
        assert len(other.calls) == embedded
        again = model(1, width=width)
        assert stores.open(again, **settings).mirror(DOCUMENTS) == (0, 0, 3, 0)
    assert again.calls == [[PROBE]]  # one text for each process


def test_a_document_that_is_new_beside_those_of_another_model_is_warned_of() -> None:
    stores = Stores()
    stores.open(model(0)).add_documents(DOCUMENTS)
    before = stores.vectors()
    with pytest.warns(UserWarning, match=WARNING):
        stores.open(model(1)).add_documents([Document("A pump.", id="pump")])
    assert before.items() <= stores.vectors().items()
    with pytest.warns(UserWarning, match=f"{WARNING} 'mill'"):
        stores.open(model(1)).add_documents(DOCUMENTS[:1])
    with pytest.warns(UserWarning, match=f"{WARNING} '(ferry|market)'"):
        stores.open(model(1)).mirror(DOCUMENTS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert stores.open(model(1)).mirror(DOCUMENTS) == (0, 0, 3, 0)


def test_the_same_model_is_known_again_where_its_rows_are_not_quite_the_same() -> None:
    stores = Stores()
    stores.open(model(0)).add_documents(DOCUMENTS)
    before = stores.vectors()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert stores.open(model(0, noise=0.05)).mirror(DOCUMENTS) == (0, 0, 3, 0)
    assert stores.vectors() == before


def test_what_has_not_changed_needs_no_model_that_can_be_reached() -> None:
    stores = Stores()
    stores.open(model(0)).add_documents(DOCUMENTS)
    assert stores.open(Down()).mirror(DOCUMENTS) == (0, 0, 3, 0)
    with pytest.raises(ConnectionError, match="the host is down"):
        stores.open(Down()).add_documents([Document("A pump.", id="pump")])


def test_force_takes_any_model_without_a_warning() -> None:
    stores = Stores()
    stores.open(model(0)).add_documents(DOCUMENTS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stores.open(model(1)).add_documents(DOCUMENTS, force=True)
        assert stores.open(model(1)).mirror(DOCUMENTS) == (0, 0, 3, 0)
