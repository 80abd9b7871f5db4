"""A retriever over exact stores out, what it keeps where; the documents and the splitters that it is tried with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fakes.articles import article
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedVectors
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import DoublePassSemanticSplitter, ParentDocumentRetriever, SemanticHierarchySplitter
from langchain_caesura.parents.records import RECORDS, read_records

TEXTS = {f"doc-{seed}": article(30, seed) for seed in range(5)}
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


def retriever(vectors: InMemoryVectorStore | None = None, **settings: Any) -> ParentDocumentRetriever:
    """A retriever over exact stores in memory, with bags of words for vectors."""
    settings.setdefault("docstore", InMemoryStore())
    return ParentDocumentRetriever(vectorstore=vectors or ClockedVectors(Bag()), **settings)


def rows(made: ParentDocumentRetriever) -> dict[str, dict[str, Any]]:
    """What is in the vector store, by id."""
    return dict(made.vectorstore.store)


def kept(made: ParentDocumentRetriever) -> dict[str, Document]:
    """The parents in the document store, by key."""
    return {key: value for key, value in made.docstore.store.items() if not key.startswith("caesura/")}


def stored(made: ParentDocumentRetriever) -> dict[str, Any]:
    """All that is in the document store, by key; of records, what they hold and not in which order it was written."""
    documents = made.docstore.store.items()
    records = {key: read_records(value) for key, value in documents if key.startswith(RECORDS)}
    unordered = {
        key: [replace(one, children=sorted(one.children)) for one in several] for key, several in records.items()
    }
    return {**dict(documents), **unordered}


def sound(made: ParentDocumentRetriever) -> bool:
    """Whether every row that can be found leads to a parent that can be returned."""
    return {row["metadata"][made.id_key] for row in rows(made).values()} <= set(kept(made))
