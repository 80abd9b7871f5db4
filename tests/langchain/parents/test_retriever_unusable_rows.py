"""A text whose row is zeros or not finite is named, kept out of the vector store, and found by words still."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from fakes.langchain.lesser_stores import Strict
from fakes.langchain.passages import LINES
from fakes.langchain.retrievers import parts, retriever, rows, sound
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedVectors
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from langchain_caesura import ParentDocumentRetriever

FULL: dict[str, Any] = {"child_splitter": LINES, "budget": 4000, "words": None}
MIXED = Document("Anna sails.\nXK is odd.\nBert swims.", id="mixed")
ODD = Document("XK alone.", id="odd")


class Odd(Bag):
    """A model without a row for texts with a word."""

    row: tuple[float, ...] = ()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        found = super().embed_documents(texts)
        return [
            [*self.row, *row[len(self.row) :]]
            if "XK" in text and len(self.row) < len(row)
            else list(self.row[: len(row)])
            if "XK" in text
            else row
            for row, text in zip(found, texts, strict=True)
        ]


def odd(value: float, whole: bool) -> Embeddings:
    model = Odd()
    model.row = (value,) * (10**4 if whole else 1)
    return model


BAD = {
    "zeros": (0.0, True),
    "nan": (float("nan"), False),
    "infinite": (float("inf"), False),
    "all nan": (float("nan"), True),
}
every_row = pytest.mark.parametrize(("value", "whole"), BAD.values(), ids=BAD)


def texts(made: ParentDocumentRetriever) -> set[str]:
    return {row["text"] for row in rows(made).values()}


@every_row
@pytest.mark.parametrize("context", [0, 0.4])
@pytest.mark.parametrize("store", [ClockedVectors, Strict])
async def test_it_is_named_and_kept_out_and_found_by_words(
    store: type[ClockedVectors], context: float, value: float, whole: bool
) -> None:
    made, waiting = (retriever(store(odd(value, whole)), context=context, **FULL) for _ in range(2))
    with pytest.warns(
        UserWarning, match=r"rows that are zeros or not finite, the first for the text '(XK is odd\.|XK alone\.)"
    ):
        made.add_documents([MIXED, ODD])
    with pytest.warns(UserWarning, match="rows that are zeros or not finite"):
        await waiting.aadd_documents([MIXED, ODD])
    assert texts(made) == texts(waiting) == {"Anna sails.", "Bert swims."}
    assert all(abs(number) < 10 for row in rows(made).values() for number in row["vector"])
    assert any(ODD.page_content in found.page_content for found in made.invoke("What is XK alone?"))
    assert "Anna sails." in made.invoke("Who is Anna, who sails?")[0].page_content
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made.mirror([MIXED, ODD]) == (0, 0, 2, 0)
        made.add_documents([MIXED.model_copy(update={"page_content": "Anna sails.\nBert swims."})])
    assert sound(made, deleting=True)
    made.delete(["mixed", "odd"])
    assert made.docstore.store == rows(made) == {}


@every_row
def test_a_model_that_has_a_row_later_gives_it_one_and_one_that_has_none_takes_it(value: float, whole: bool) -> None:
    model = odd(value, whole)
    made = retriever(ClockedVectors(model), context=0.4, **FULL)
    with pytest.warns(UserWarning, match="not finite"):
        made.add_documents([MIXED, ODD])
    row, model.row = model.row, ()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made.add_documents([MIXED, ODD], force=True)
    assert texts(made) == {"Anna sails.", "XK is odd.", "Bert swims.", "XK alone."}
    assert {each for part in parts(made) for each, _ in part.rows()} == set(rows(made))
    model.row = row
    with pytest.warns(UserWarning, match="not finite"):
        made.add_documents([MIXED, ODD], force=True)
    assert texts(made) == {"Anna sails.", "Bert swims."}


@pytest.mark.parametrize("where", ["text", "heading", "value", "key", "nested", "source", "id", "view"])
@pytest.mark.parametrize("fields", [None, ["t", "n\ud83d", "l"]])
def test_a_lone_surrogate_anywhere_fails_nothing_and_comes_back(where: str, fields: list[str] | None) -> None:
    half = "Bees \ud83d swarm."
    text = {"text": half, "heading": f"# {half}\n\nBees swarm."}.get(where, "Bees swarm.")
    metadata: dict[str, dict[str, Any]] = {
        "value": {"t": half},
        "key": {"n\ud83d": "x"},
        "nested": {"l": [half, {"a": half}]},
        "source": {"source": "a\ud83d/x.md"},
    }
    given = Document(
        text, metadata=metadata.get(where, {}), id=half if where == "id" else None if where == "source" else "bees"
    )
    views = [Document(half, metadata={"parent_id": given.id})] if where == "view" else []
    made = retriever(Utf8(Bag()), child_metadata_fields=fields, context=0.4, **FULL)
    (name,) = made.add_documents([given, Document("Other texts.", id="other")], views=views)[:1]
    (stored,) = made.get([name])
    assert (stored.page_content, stored.metadata) == (given.page_content, given.metadata)
    assert any(found.page_content in given.page_content for found in made.invoke("Where do bees swarm?"))
    assert made.mirror([given], views=views) == (0, 0, 1, 1)


class Utf8(ClockedVectors):
    """A store that writes UTF-8, as Chroma does."""

    def add_documents(self, documents: list[Document], ids: list[str] | None = None, **kwargs: Any) -> list[str]:
        for document in documents:
            repr_of = f"{document.page_content}{document.metadata}"
            repr_of.encode()
            assert "\\ud83d" not in repr_of
            document.metadata = {key: value for key, value in document.metadata.items() if not isinstance(value, list)}
        return super().add_documents(documents, ids)
