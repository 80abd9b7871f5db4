"""PDF as text: the pages of a file joined, and where in the text each begins."""

from __future__ import annotations

from importlib.util import find_spec
from io import BytesIO

from caesura_documents.join_pages import join_texts

PDF_REMEDY = 'a PDF needs pip install "caesura-documents[pdf]"'


def has_pdf_reader() -> bool:
    """Whether pypdf is installed."""
    return find_spec("pypdf") is not None


def pdf_text(data: bytes) -> tuple[str, tuple[int, ...]]:
    """A PDF -> the text of its pages, joined as the plugins' `join_pages` does, and where in it each page begins.

    A sentence goes on over a page's end, headers and footers of pages are left out.

    Raises `ValueError` where it cannot be read, has no text, or pypdf is not installed.
    """
    try:
        import pypdf
        from pypdf.errors import FileNotDecryptedError
    except ImportError as error:
        raise ValueError(PDF_REMEDY) from error
    try:
        pages = [page.extract_text() for page in pypdf.PdfReader(BytesIO(data)).pages]
    except FileNotDecryptedError as error:
        raise ValueError("a PDF that asks for a password: save it without") from error
    except Exception as error:  # a damaged file, an encryption or a filter that it does not know: any kind is raised
        raise ValueError(f"a PDF that pypdf cannot read: {type(error).__name__}: {error}") from error
    text, layout = join_texts(pages, range(1, len(pages) + 1))
    if not text.strip():
        count = f"{len(pages)} page{'s' * (len(pages) > 1)}"
        raise ValueError(f"a PDF of {count} without text: if they are scanned, read them with OCR first")
    return text, tuple(entry["start"] for entry in layout)
