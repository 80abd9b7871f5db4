"""Two documents of four lines each, that are cut into levels; and what a retriever keeps between them."""

from __future__ import annotations

from typing import Any

from fakes.langchain.retrievers import kept, parts, retriever
from fakes.splitters.own_cuts import nowhere
from langchain_core.documents import Document

from langchain_caesura import SemanticHierarchySplitter
from langchain_caesura.parents.hits import outermost_spans

SHIPS = ["A ship has one mast.", "A ship has one hull.", "Bread has a crust.", "Bread has a crumb."]
TAXES = ["Clerks want salt.", "A ship pays duty.", "Forms have dates.", "Forms have names."]
DOCUMENTS = [Document("\n".join(lines), id=name) for name, lines in (("ships", SHIPS), ("taxes", TAXES))]


def levels(*sizes: int) -> SemanticHierarchySplitter:
    return SemanticHierarchySplitter(chunk_sizes=sizes, cut=nowhere, sentence_splitter=lambda text: text.split("\n"))


def merging(ratio: float | None, fetched: int, *sizes: int) -> Any:
    """Two documents of four lines, two in each chunk between."""
    made = retriever(
        child_splitter=levels(*sizes or (100, 50, 20)),
        merge_ratio=ratio,
        search_kwargs={"k": fetched},
        k=fetched,
        max_fetch=fetched,
    )
    made.add_documents(DOCUMENTS)
    return made


def between(made: Any) -> list[str]:
    """The chunks that lie in another, and hold others."""
    found = []
    for part in parts(made):
        outer = {(place.start, place.end) for place in outermost_spans(part)}
        found += [kept(made)[part.key].page_content[slice(*span)] for span in part.parents if tuple(span) not in outer]
    return found
