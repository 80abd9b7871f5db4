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


class Busy(Bag):
    """A model that refuses the first call."""

    def embed_documents(self, texts: list[str]) -> Any:
        if not self.calls:
            self.calls.append([])
            raise ConnectionError("429: too many requests")
        return super().embed_documents(texts)


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
    with pytest.warns(UserWarning, match=f"{WARNING} 'mill'.* give those of all other scopes to mirror"):
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
    with pytest.warns(UserWarning, match=f"{WARNING}.* give all documents to mirror"):
        stores.open(model(1)).add_documents([Document("A pump.", id="pump")])
    assert before.items() <= stores.vectors().items()
    with pytest.warns(UserWarning, match=f"{WARNING} 'mill'"):
        stores.open(model(1)).add_documents(DOCUMENTS[:1])
    with pytest.warns(UserWarning, match=f"{WARNING} '(ferry|market)'"):
        stores.open(model(1)).mirror(DOCUMENTS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert stores.open(model(1)).mirror(DOCUMENTS) == (0, 0, 3, 0)


@pytest.mark.parametrize("forms", [[{"page": 0}, {"page": 1}, {"page": 2}], [{"row": 0}, {"row": 1}]], ids=str)
def test_a_page_that_is_new_beside_those_of_another_model_is_warned_of(forms: list[dict[str, Any]]) -> None:
    stores, total = Stores(), {"source": "tides.pdf", "total_pages": 3}
    loaded = [Document(f"Text {at} tells of tides.", metadata={**total, **form}) for at, form in enumerate(forms)]
    stores.open(model(0), source_id_key="source").add_documents(loaded[:-1])
    with pytest.warns(UserWarning, match=f"{WARNING} 'tides.pdf'"):
        stores.open(model(1), source_id_key="source").add_documents(loaded[-1:])
    with pytest.warns(UserWarning, match=f"{WARNING} 'tides.pdf'") as warned:
        stores.open(model(1), source_id_key="source").add_documents(loaded)
    assert len(warned) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stores.open(model(1), source_id_key="source").add_documents(loaded)


async def test_a_model_that_could_not_be_reached_at_first_is_known_by_what_it_wrote() -> None:
    stores = Stores()
    await stores.open(Busy(model(0).rows)).aadd_documents(DOCUMENTS)
    edited = [DOCUMENTS[0], Document("A pump.", id="ferry"), DOCUMENTS[2]]
    with pytest.warns(UserWarning, match=f"{WARNING} 'mill'"):
        assert stores.open(Busy(model(1).rows)).mirror(edited) == (0, 3, 0, 0)
    expected = Stores()
    expected.open(model(1)).mirror(edited)
    assert sorted(map(str, stores.vectors().values())) == sorted(map(str, expected.vectors().values()))


@pytest.mark.parametrize("by_source", [False, True])
def test_of_many_documents_only_those_of_another_model_are_embedded_anew(by_source: bool) -> None:
    stores, setting = Stores(), {"source_id_key": "source"} if by_source else {}
    said: list[dict[str, Any]] = [
        {"metadata": {"source": "a", "page": at}} if by_source else {"id": f"{at}"} for at in range(20)
    ]
    given = [Document(f"Text {at} tells of tides.", **known) for at, known in enumerate(said)]
    stores.open(model(0), **setting).add_documents(given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stores.open(model(1), **setting).add_documents(given[1:])
    other = model(1)
    with pytest.warns(UserWarning, match=WARNING):
        stores.open(other, **setting).mirror(given)
    assert other.calls == [[PROBE], [given[0].page_content]]


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
