"""A retriever over exact stores out, what it keeps where; the documents and the splitters that it is tried with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedVectors
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import DoublePassSemanticSplitter, ParentDocumentRetriever, SemanticHierarchySplitter
from langchain_caesura.parents.record import RECORDS, ParentRecord, StoredText, read_record
from langchain_caesura.vector_store_quirks import FAISS_ROWS

TEXTS = {f"doc-{seed}": article(20, seed) for seed in range(5)}
DOCUMENTS = [
    Document(text, id=name, metadata={"source": f"{seed}.md", "version": 1, "nested": {"list": [seed]}})
    for seed, (name, text) in enumerate(TEXTS.items())
]
SPLITTINGS: dict[str, dict[str, Any]] = {
    "whole": {"child_splitter": DoublePassSemanticSplitter(chunk_size=120)},
    "both": {
        "child_splitter": DoublePassSemanticSplitter(chunk_size=120),
        "parent_splitter": DoublePassSemanticSplitter(chunk_size=500),
    },
    "hierarchy": {"child_splitter": SemanticHierarchySplitter(chunk_sizes=(500, 250, 120))},
    "overlapping": {"child_splitter": RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=30)},
    "recursive": {
        "child_splitter": RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=0),
        "parent_splitter": RecursiveCharacterTextSplitter(chunk_size=500, chunk_overlap=60),
    },
}
every_splitting = pytest.mark.parametrize("settings", SPLITTINGS.values(), ids=SPLITTINGS)


def edited(document: Document, said: str = "The parrot spoke.", place: float = 0.5) -> Document:
    """The document with a paragraph more, at a share of its length."""
    text = document.page_content
    at = text.index(" ", int(place * (len(text) - 20)))
    return document.model_copy(update={"page_content": f"{text[:at]}\n\n{said}\n\n{text[at:]}"})


PLAIN: dict[str, Any] = {"budget": None, "words": 0, "context": 0}
"""Whole parents, by the vectors of their children alone."""


def retriever(vectors: InMemoryVectorStore | None = None, **settings: Any) -> ParentDocumentRetriever:
    """A retriever over exact stores in memory, with bags of words for vectors; it returns whole parents."""
    settings = {"docstore": InMemoryStore(), "child_splitter": None, **PLAIN, **settings}
    return ParentDocumentRetriever(vectorstore=vectors or ClockedVectors(Bag()), **settings)


def rows(made: ParentDocumentRetriever) -> dict[str, dict[str, Any]]:
    """What is in the vector store, by id. Its vectors are tuples where the write that made them came to its end."""
    return {name: {**row, "vector": [*row["vector"]]} for name, row in made.vectorstore.store.items()}


def kept(made: ParentDocumentRetriever) -> dict[str, Document]:
    """The texts in the document store, by key."""
    return {key: value for key, value in made.docstore.store.items() if not key.startswith(RECORDS)}


def records(made: ParentDocumentRetriever) -> dict[str, ParentRecord]:
    """The records in the document store, by key."""
    return {
        key: record
        for key, value in made.docstore.store.items()
        if key.startswith(RECORDS) and (record := read_record(value))
    }


def parts(made: ParentDocumentRetriever) -> list[StoredText]:
    """What the retriever's records return."""
    return [part for key, record in records(made).items() if key.startswith(made.owner.prefix) for part in record.parts]


def stored(made: ParentDocumentRetriever) -> dict[str, Any]:
    """All that is in the document store, by key; of records, what they hold and not in which turn it was written."""
    unordered = {
        key: replace(one, parts=[part._replace(turns=[]) for part in one.parts]) for key, one in records(made).items()
    }
    return {**made.docstore.store, **unordered}


def sound(made: ParentDocumentRetriever, deleting: bool = False) -> bool:
    """Whether all that the records return is there: each text, and each row in the vector store.

    A store that refuses to write a row in the place of another may lack one while a record is incomplete. deleting:
    whether rows may be gone of what still has its texts.
    """
    returned = parts(made)
    there = {row for part in returned for row, _ in part.rows()}
    if hasattr(made.vectorstore, FAISS_ROWS):
        there -= {row for record in records(made).values() if not record.complete for row in record.rows}
    return {part.key for part in returned if part.key} <= set(kept(made)) and (deleting or there <= set(rows(made)))
