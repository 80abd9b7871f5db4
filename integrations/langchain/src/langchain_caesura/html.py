"""Documents of pages of HTML."""

from __future__ import annotations

import os

from langchain_core.documents import Document

from caesura_documents import html_page


def from_html(html: str | bytes | os.PathLike[str], *, source: str | None = None, main: bool | None = None) -> Document:
    """A page of HTML, or the path of its file -> one document, whose text is Markdown.

    Its metadata have ``title`` and ``language``, as far as the page says them, and ``source``, which is the id too.

    html: a str is HTML if it has a tag, else a path; bytes are HTML in the encoding that they name, else in UTF-8, or
    in Windows-1252 where most of what is not ASCII would be wrong. source: the address of the page; None: the path.
    main: whether headers, footers, side bars and the like are left out; None: where trafilatura is installed
    (``pip install "langchain-caesura[html]"``). Raises `SettingError` for what is neither HTML nor a path, as a PDF or
    a picture, or if `main` is True without trafilatura, and `OSError` where the file cannot be read.

    >>> page = from_html("<title>Tides</title><h1>Tides</h1><p>Two a day.", source="https://tides.example")
    >>> page.page_content, page.metadata
    ('# Tides\\n\\nTwo a day.', {'source': 'https://tides.example', 'title': 'Tides'})
    """
    page = html_page.from_html(html, source=source, main=main)
    said = {} if page.source is None else {"source": page.source}
    return Document(id=page.source, page_content=page.text, metadata={**said, **page.metadata})
