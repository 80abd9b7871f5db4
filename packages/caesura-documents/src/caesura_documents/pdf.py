"""PDF as text: paragraphs, headings, tables and notes as they are printed, and where on its pages each stands."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from caesura.errors import SettingError
from caesura_documents.caller_warning import warn_caller
from caesura_documents.parsed_text import ParsedDocument
from caesura_documents.printed import PDF_REMEDY
from caesura_documents.printed.headings import Bookmark, find_title
from caesura_documents.printed.page import PrintedPage
from caesura_documents.printed.printed_text import print_text
from caesura_documents.titles import own_title

_MOST_NAMED = 12  # pages that a warning names


def has_pdf_reader() -> bool:
    """Whether pypdfium2 is installed."""
    return find_spec("pypdfium2") is not None


def from_pdf(file: str | os.PathLike[str] | bytes, warn: Callable[[str], object] = warn_caller) -> ParsedDocument:
    """The path of a PDF, or its bytes -> its text, layout, source and title.

    Columns are read one after the other, paragraphs are whole over the ends of lines, columns and pages, words divided
    at a line's end too. Headings are those of the file's own outline and those that their type shows; tables are tables
    in Markdown; running heads and page numbers are left out; a footnote comes after the paragraph that it interrupts.

    `page` is counted from 1; `label` is as printed, where the file has labels. `box` is [left, top, right, bottom] in
    points, 1/72 inch, from the upper left corner of the page as it is shown, y growing downward. `type` is "text",
    "list_item", "section_header", "table", "code", "caption", "footnote" or "document_index" (a table of contents).

    warn: is called with what is missing, such as pages that have no text, since they are scanned: by default a Python
    warning. Raises `ValueError` if the file cannot be read, asks for a password, or has no text; `OSError` where there
    is no such file.
    """
    if not isinstance(file, (str, bytes, os.PathLike)):
        raise SettingError(f"file must be the path of a PDF or its bytes, got {type(file).__name__} {file!r:.80}")
    if not has_pdf_reader():
        raise ValueError(PDF_REMEDY)
    from caesura_documents.printed import pdfium

    path = None if isinstance(file, bytes) else os.fspath(file)
    data = file if isinstance(file, bytes) else Path(file).read_bytes()
    name = "the PDF" if path is None else f"the PDF {path!s}"
    if not data[:1024].lstrip().startswith(b"%PDF-") and b"%PDF-" not in data[:1024]:
        begins = f"begins with {data[:12]!r}" if data else "is empty"
        raise ValueError(f"{name} cannot be read, for it {begins}: a PDF has %PDF- there; if it is HTML, use from_html")
    try:
        found = pdfium.read_file(data)
    except pdfium.PdfiumError as error:
        if error.err_code == pdfium.PASSWORD:
            raise ValueError(f"{name} asks for a password: save it without one") from error
        raise ValueError(f"{name} cannot be read ({error}): open it in a viewer, and save or print it anew") from error
    except Exception as error:  # of a damaged file, any kind is raised
        raise ValueError(f"{name} cannot be read ({type(error).__name__}: {error}): save it anew") from error
    title = found.metadata.get("Title", "")
    said = {name: " ".join(value.split()) for name in ("Author", "Subject") if (value := found.metadata.get(name))}
    parsed = parse_pages(found.pages, found.bookmarks, title, None if path is None else str(path), warn, found.unread)
    parsed.metadata.update((key.lower(), value) for key, value in said.items())
    return parsed


def from_pymupdf(document: Any, warn: Callable[[str], object] = warn_caller) -> ParsedDocument:
    """A document that PyMuPDF has opened -> what `from_pdf` returns. PyMuPDF is not imported.

    warn: see `from_pdf`. Raises `SettingError` for anything else, `ValueError` where there is no text.
    """
    from caesura_documents.pymupdf import read_document

    if not hasattr(document, "load_page") or not hasattr(document, "get_toc"):
        raise SettingError(
            f"document must be a Document of PyMuPDF, as pymupdf.open(path), got {type(document).__name__} "
            f"{document!r:.80}"
        )
    pages, bookmarks = read_document(document)
    metadata = dict(document.metadata or {})
    name = str(document.name) if document.name else None
    parsed = parse_pages(pages, bookmarks, str(metadata.get("title") or ""), name, warn)
    parsed.metadata.update((key, str(metadata[key])) for key in ("author", "subject") if metadata.get(key))
    return parsed


def parse_pages(
    pages: Sequence[PrintedPage],
    bookmarks: Sequence[Bookmark],
    title: str,
    source: str | None,
    warn: Callable[[str], object],
    unread: Sequence[int] = (),
) -> ParsedDocument:
    """Printed pages, the outline, the title that the file says and its name -> the document."""
    found = print_text(pages, bookmarks)
    parsed = found.text.finish(source)
    name = "the PDF" if source is None else f"the PDF {source}"
    if not parsed.text.strip():
        count = f"{len(pages)} page{'s' * (len(pages) != 1)}"
        raise ValueError(f"{name} has {count} without text: if they are scanned, read them with OCR first")
    blank = [number for number in found.blank if number not in unread]
    if blank:
        warn(f"{name} has no text on {_pages(blank)}, which may be scanned: read the file with OCR first to have it")
    if unread:
        warn(f"{name} is damaged: {_pages(unread)} could not be read: open it in a viewer, and save or print it anew")
    labels = {page.number: page.label for page in pages}
    if any(label is not None and label != str(number) for number, label in labels.items()):
        for entry in parsed.layout:
            if label := labels.get(entry.get("page", 0)):
                entry["label"] = label
    title = own_title({"title": title}) or own_title({"title": find_title(found.blocks)})
    return ParsedDocument(parsed.text, parsed.layout, parsed.source, {"title": title} if title else {})


def _pages(numbers: Sequence[int]) -> str:
    named = ", ".join(map(str, numbers[:_MOST_NAMED]))
    more = f" and {len(numbers) - _MOST_NAMED} more" if len(numbers) > _MOST_NAMED else ""
    return f"page{'s' * (len(numbers) > 1)} {named}{more}"
