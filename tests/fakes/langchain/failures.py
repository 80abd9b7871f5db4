"""A change in, a retriever for each of its writes out, whose store fails there, before or after it has written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fakes.langchain.lesser_stores import NoLookup, NoNames, Strict
from fakes.langchain.retrievers import retriever, rows, stored
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import Clock, ClockedDocuments, ClockedVectors
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import ParentDocumentRetriever
from langchain_caesura.parents.words import word_index

OLD = [Document(article(12, seed), id=f"doc-{seed}", metadata={"version": 1}) for seed in range(3)]
NEW = [
    Document(article(12, 7), id="doc-0", metadata={"version": 2}),
    OLD[1],
    OLD[2].model_copy(update={"page_content": OLD[2].page_content + "\n\nThe parrot spoke."}),
    Document(article(12, 9), id="doc-3"),
]
CUT: dict[str, Any] = {
    "child_splitter": RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0),
    "parent_splitter": RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=0),
    "batch_size": 5,
}
FULL: dict[str, Any] = {"budget": 4000, "words": None, "context": 0.4}
STORES = {"exact": ClockedVectors, "strict": Strict, "without lookup": NoLookup, "without names": NoNames}
before_and_after = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])


def clocked(store: type[ClockedVectors], **settings: Any) -> tuple[ParentDocumentRetriever, Clock]:
    clock = Clock()
    made = retriever(store(Bag(), clock), docstore=ClockedDocuments(clock), **{**CUT, **settings})
    index: Any = word_index(made.docstore, made.owner.name)
    put = index.put
    index.put = lambda documents, keep=False: clock.write("words.put", lambda: put(documents, keep))
    return made, clock


def state(made: ParentDocumentRetriever) -> tuple[Any, Any, Any]:
    """All that the stores hold, with vectors, whose words there are, and of how many texts."""
    index = word_index(made.docstore, made.owner.name)
    return rows(made), stored(made), {**index.owners(list(rows(made))), **dict.fromkeys(index.names(), len(index))}


def expected(store: type[ClockedVectors], *steps: list[Document], **settings: Any) -> tuple[Any, Any, Any]:
    """What both stores hold after these documents were added, one list after another."""
    made, _ = clocked(store, **settings)
    for documents in steps:
        made.add_documents(documents)
    return state(made)


def armed(
    store: type[ClockedVectors],
    change: Callable[[ParentDocumentRetriever], Any],
    after: bool,
    more_than: int,
    **settings: Any,
) -> Iterator[ParentDocumentRetriever]:
    """Retrievers that have stored `OLD`, one for each write of `change`, of which there are more than so many: there it
    will fail."""
    made, clock = clocked(store, **settings)
    made.add_documents(OLD)
    before = len(clock.calls)
    change(made)
    writes = range(before, len(clock.calls))
    assert len(writes) > more_than
    for at in writes:
        made, clock = clocked(store, **settings)
        made.add_documents(OLD)
        clock.at, clock.after = at, after
        yield made


def adding(made: ParentDocumentRetriever) -> None:
    made.add_documents(NEW)


def deleting(made: ParentDocumentRetriever) -> None:
    made.delete(["doc-0", "doc-1"])
