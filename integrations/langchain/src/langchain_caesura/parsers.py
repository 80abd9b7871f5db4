"""Documents of what parsers return: Docling, Unstructured, and loaders that give a document per page."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable

from langchain_core.documents import Document

from caesura_documents import docling, pdf, unstructured
from caesura_documents.caller_warning import warn_caller
from caesura_documents.join_pages import LoadedPage, join_sources, shared_metadata
from caesura_documents.layout import LAYOUT
from caesura_documents.parsed_text import ParsedDocument
from langchain_caesura.documents import WholeMetadata, document_of, iter_documents


def from_docling(document: object) -> Document:
    """A `DoclingDocument`, its dict (`document.export_to_dict()`) or its JSON -> one document.

    Its metadata have ``caesura_layout``: page, box, element type and headings of each part of the text, by offset (see
    `caesura_documents.docling.from_docling`); and ``source``, the file's address or name where Docling knows it, which
    is its id too. Docling keeps no folder: files of one name in several folders need ids and sources of your own.
    Raises `SettingError`.
    """
    return to_langchain(docling.from_docling(document))


def from_unstructured(elements: object) -> Document:
    """The elements of a file from Unstructured, their dicts (`element.to_dict()`) or the JSON of them -> one document.

    Its metadata have ``caesura_layout``: page, box, element type and headings of each part of the text, by offset (see
    `caesura_documents.unstructured.from_unstructured`); and ``source``, the file's address, or its folder and name,
    which is its id too. Raises `SettingError`.
    """
    return to_langchain(unstructured.from_unstructured(elements))


def from_pdf(file: str | os.PathLike[str] | bytes) -> Document:
    """Reads a PDF, by its path or its bytes, as one document in the order in which it is printed.

    Its text is Markdown. Paragraphs stay whole over the ends of lines, columns and pages. Headings, lists, code and
    tables are marked. Running heads are left out. A footnote stands after the paragraph that it interrupts.

    Its metadata have ``source``, the path, which is its id too; ``title``, ``author`` and ``subject``, if the file says
    them; and ``caesura_layout``, which says of each part of the text its page, printed label, box, type and headings:
    see `caesura_documents.pdf.from_pdf`.

    Needs ``pip install "langchain-caesura[pdf]"``. Warns of pages that have no text, as scanned ones have. Raises
    `ValueError` for a file that cannot be read, asks for a password or has no text, `OSError` where there is none.
    """
    return to_langchain(pdf.from_pdf(file))


def from_pymupdf(document: object) -> Document:
    """A document that PyMuPDF has opened -> the same as `from_pdf`, by what PyMuPDF reads of the file.

    Raises `SettingError` for anything else, `ValueError` for a document without text.
    """
    return to_langchain(pdf.from_pymupdf(document))


def to_langchain(parsed: ParsedDocument) -> Document:
    """What a parser found -> a document, whose id is its source."""
    said = dict(parsed.metadata) if parsed.source is None else {"source": parsed.source, **parsed.metadata}
    return document_of(parsed.text, parsed.source, WholeMetadata({**said, LAYOUT: parsed.layout}))


def join_pages(documents: Iterable[Document], page: str | None = None, source: str = "source") -> list[Document]:
    """Documents, one per page -> one per source, so that sentences, tables and words are whole over a page's end.

    Pages stay in the order in which you give them. The id is the source, so it stays through edits. The metadata keeps
    what all pages of a source have in common, but not how or when the file was made (``producer``, ``moddate``,
    ``total_pages`` and the like). Under ``caesura_layout``, a layout says where each page begins, with its number from
    1 and its printed label. [Running heads and page numbers](../splitters.md#details) are left out of sources of 3
    pages or more. If a text has form feeds and no page, each form feed begins a page. A single document without pages
    stays as it is. Warns of sources without text, such as scans.

    page: the key in the metadata that says which page a document is; None: ``page``, or ``page_label``, by which
    pages are counted in their order. Numbers that begin at 0, as those of LangChain's loaders do, are moved to begin
    at 1. source: the key that says what a document is a page of; documents
    without it are pages of one text. Raises `SettingError` where one of several documents of a source has no page, or
    where two have the same page and different texts.

    >>> pages = [Document("The ferry", metadata={"source": "a.pdf", "page": number}) for number in range(2)]
    >>> joined = join_pages(pages)[0]
    >>> joined.id, joined.page_content, joined.metadata["caesura_layout"][1]
    ('a.pdf', 'The ferry\\nThe ferry', {'start': 10, 'page': 2, 'offset': 0})
    """
    given = list(iter_documents(documents))
    pages = [
        LoadedPage(None if (name := one.metadata.get(source)) is None else str(name), one.metadata, one.page_content)
        for one in given
    ]
    results: list[Document] = []
    for numbers, joined in join_sources(pages, page, warn_caller):
        first = given[numbers[0]]
        if joined is None:
            results.append(first)
            continue
        metadata = copy.deepcopy(shared_metadata([pages[number] for number in numbers], page))
        id = pages[numbers[0]].source or (first.id if len(numbers) == 1 else None)
        results.append(document_of(joined.text, id, WholeMetadata({**metadata, LAYOUT: joined.layout})))
    return results
