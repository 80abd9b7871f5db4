"""An embedder that fails, a batch among many, and stores that refuse or take ids of their own."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.failures import CUT, OLD, clocked, expected, state
from fakes.langchain.retrievers import kept, retriever, rows, sound
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import BrokenError, ClockedVectors
from langchain_core.documents import Document

from caesura.errors import EmbeddingError


def test_an_embedder_that_fails_leaves_nothing_that_is_found() -> None:
    class Failing(Bag):
        def embed_documents(self, texts: list[str]) -> object:
            raise BrokenError

    made = retriever(ClockedVectors(Failing()), **CUT)
    with pytest.raises(BrokenError):
        made.add_documents(OLD)
    assert rows(made) == {}
    made.vectorstore.embedding = Bag()
    made.add_documents(OLD)
    assert state(made) == expected(ClockedVectors, OLD)


def test_many_documents_fail_by_the_batch_and_go_on_where_they_stopped() -> None:
    many = [Document(f"The ship number{number} sails.", id=str(number)) for number in range(450)]
    made, clock = clocked(ClockedVectors)
    clock.at = 60
    with pytest.raises(BrokenError):
        made.add_documents(many)
    done = len(rows(made))
    assert 200 <= done < 450
    assert sound(made)
    embedded = len(made.vectorstore.embedding.texts)
    made.add_documents(many)
    assert len(kept(made)) == len(rows(made)) == 450
    assert len(made.vectorstore.embedding.texts) - embedded <= 450 - done


def test_a_store_that_says_it_did_not_delete_keeps_its_parents() -> None:
    class Refusing(ClockedVectors):
        def delete(self, ids: Any = None, **kwargs: Any) -> Any:
            return False

    made = retriever(Refusing(Bag()), **CUT)
    made.add_documents(OLD)
    with pytest.raises(RuntimeError, match="did not delete"):
        made.delete(["doc-0"])
    assert sound(made)
    assert len(rows(made)) == len(expected(ClockedVectors, OLD)[0])


def test_a_store_that_takes_ids_of_its_own_is_refused() -> None:
    class Own(ClockedVectors):
        def add_documents(self, documents: list[Document], ids: Any = None, **kwargs: Any) -> list[str]:
            return super().add_documents(documents, [f"own-{one}" for one in ids])

    with pytest.raises(ValueError, match="Own gave rows ids of its own, such as 'own-"):
        retriever(Own(Bag()), **CUT).add_documents(OLD)


@pytest.mark.parametrize("company", [[], OLD], ids=["alone", "among others"])
def test_a_row_that_is_not_finite_is_refused_in_any_company(company: list[Document]) -> None:
    class Odd(Bag):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            found = super().embed_documents(texts)
            return [[float("nan")] * len(row) if "XK" in text else row for row, text in zip(found, texts, strict=True)]

    made = retriever(ClockedVectors(Odd()), **{**CUT, "context": 0.4})
    with pytest.raises(EmbeddingError, match=r"embed_documents\(\) must return finite numbers: .* for 'XK'"):
        made.add_documents([*company, Document("XK", id="odd")])
    assert all(row["text"] != "XK" for row in rows(made).values())
